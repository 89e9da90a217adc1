//! The staging pool: lines of `staging.md` that may become notes in `common/`
//! (simple memory design §三.6). All else in the file is the person's.

use crate::document::{LineEnding, lines};
use crate::format::{Language, Staged};
use crate::timestamp::Timestamp;

/// The file, in the vault itself.
pub(super) const FILE: &str = "staging.md";

/// What a source is written as, for each language; all of them are read.
const SOURCES: [(Language, &str); 2] =
    [(Language::Chinese, "来源："), (Language::English, "from: ")];

/// The entries, in the file's order: lines that begin with `- ` and a date,
/// each with the indented lines below it.
pub(super) fn entries(text: &str) -> Vec<Staged> {
    let mut entries: Vec<Staged> = Vec::new();
    let mut is_open = false;
    for line in lines(text, 0..text.len()) {
        let (part, line) = (line.start..line.next, line.content(text));
        if let Some(entry) = entry(line.trim_end(), part.clone()) {
            entries.push(entry);
            is_open = true;
        } else if is_open && line.starts_with([' ', '\t']) && !line.trim().is_empty() {
            if let Some(entry) = entries.last_mut() {
                entry.text = format!("{}\n{}", entry.text, line.trim());
                entry.part.end = part.end;
            }
        } else {
            is_open = false;
        }
    }
    entries
}

/// The file with an entry added at its end, or a new file with it.
pub(super) fn add(text: Option<&str>, entry: &Staged, language: Language) -> String {
    let mut added = text.map_or_else(|| template(language).to_owned(), str::to_owned);
    let ending = LineEnding::of(&added).as_str();
    if !added.is_empty() && !added.ends_with(['\n', '\r']) {
        added.push_str(ending);
    }
    let source = entry.scope.as_ref().map_or(String::new(), |scope| {
        let [(_, zh), (_, en)] = SOURCES;
        let source = if language == Language::Chinese {
            zh
        } else {
            en
        };
        format!("[{source}{scope}] ")
    });
    added.push_str(&format!("- {} {source}{}{ending}", entry.date, entry.text));
    added
}

/// Whether a file begins as one that `init` made.
pub(super) fn is_ours(text: &[u8]) -> bool {
    let heading = |language| template(language).lines().next().unwrap_or_default();
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    [Language::Chinese, Language::English]
        .into_iter()
        .any(|language| text.starts_with(heading(language).as_bytes()))
}

/// What a new pool's file begins with.
pub(super) fn template(language: Language) -> &'static str {
    match language {
        Language::Chinese => TEMPLATE_ZH,
        Language::English => TEMPLATE_EN,
    }
}

fn entry(line: &str, part: std::ops::Range<usize>) -> Option<Staged> {
    let (date, rest) = line.strip_prefix("- ")?.split_at_checked(10)?;
    Timestamp::parse(date)?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let (scope, text) = match sourced(rest.trim()) {
        Some((scope, text)) => (Some(scope.to_owned()), text),
        None => (None, rest.trim()),
    };
    Some(Staged {
        date: date.to_owned(),
        scope,
        text: text.to_owned(),
        part,
    })
}

/// The source that a line begins with, and the rest.
fn sourced(text: &str) -> Option<(&str, &str)> {
    let (source, rest) = text.strip_prefix('[')?.split_once(']')?;
    let mut words = SOURCES.iter().map(|(_, word)| word.trim_end());
    let scope = words.find_map(|word| source.strip_prefix(word))?.trim();
    (!scope.is_empty()).then(|| (scope, rest.trim()))
}

const TEMPLATE_ZH: &str = "\
# 升格暂存池

跨项目可复用的候选经验，每条一行；整理时逐条确认，提炼进 common/，再从这里删掉。

- 日期 [来源：项目] 一句话经验
";

const TEMPLATE_EN: &str = "\
# Staging pool

What may be of use in other projects, a line for each. Go through it now and then: what is worth keeping becomes a note in common/, and its line goes.

- date [from: project] what was learned
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_reads_back_and_leaves_the_rest() {
        for language in [Language::Chinese, Language::English] {
            for before in ["", "# t", "# t\n", "# t\r\n- 2026-01-01 x\r\n", "- x\n"] {
                for scope in [None, Some("app")] {
                    let entry = Staged {
                        date: "2026-08-18".to_owned(),
                        scope: scope.map(str::to_owned),
                        text: "经验 a".to_owned(),
                        part: 0..0,
                    };
                    let after = add(Some(before), &entry, language);
                    assert!(after.starts_with(before), "{after:?}");
                    let entry = entries(&after).pop().expect("an entry");
                    assert_eq!((&*entry.date, &*entry.text), ("2026-08-18", "经验 a"));
                    assert_eq!(entry.scope.as_deref(), scope);
                    assert_eq!(entry.part.end, after.len());
                }
            }
            assert_eq!(entries(template(language)), [], "the sample is none");
        }
    }

    #[test]
    fn indented_lines_belong_to_the_entry_above() {
        let text = "- 2026-08-18 a\n  b\n\tc\n\n  d\n- 2026-08-19 e\nf\n  g\n";
        let texts: Vec<_> = entries(text).into_iter().map(|entry| entry.text).collect();
        assert_eq!(texts, ["a\nb\nc", "e"]);
    }

    #[test]
    fn a_line_is_an_entry_by_its_date() {
        for (line, is_entry) in [
            ("- 2026-08-18 x", true),
            ("- 2026-08-18", true),
            ("- 2026-08-18x", false),
            ("- 2026-02-30 x", false),
            ("- 日期 x", false),
            ("* 2026-08-18 x", false),
            (" - 2026-08-18 x", false),
        ] {
            assert_eq!(entries(line).len() == 1, is_entry, "{line}");
        }
    }
}
