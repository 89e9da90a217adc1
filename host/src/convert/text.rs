//! Texts on their way: without the headings that a format puts around them,
//! and what else can be told from a file.

use super::tables::Frame;

/// A text without the headings that the format put around it. What differs
/// from what it puts there is a person's own and stays.
pub(super) fn unframed(frame: &Frame, text: &str, evidence: &str) -> String {
    let text = without_evidence(frame, text, evidence);
    let below = text.strip_prefix(frame.summary);
    let below = below.filter(|below| below.is_empty() || below.starts_with('\n'));
    let text = below.unwrap_or(&text);
    text.trim_start_matches('\n').trim_end().to_owned()
}

/// A text without the section that repeats the memory's evidence, or says that
/// there is none.
fn without_evidence(frame: &Frame, text: &str, evidence: &str) -> String {
    let heading = format!("{}\n", frame.evidence);
    let Some(start) = text.rfind(&heading).filter(|at| starts_line(text, *at)) else {
        return text.to_owned();
    };
    let (before, section) = (&text[..start], &text[start + heading.len()..]);
    let end = section.find(&format!("\n\n{}", frame.related));
    let (content, after) = section.split_at(end.unwrap_or(section.len()));
    let content = content.trim();
    if content == frame.nothing || says_the_same(content, evidence) {
        format!("{}{after}", before.trim_end())
    } else {
        text.to_owned()
    }
}

/// At most so many characters.
pub(super) fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map(|(at, _)| at);
    end.map_or(text, |end| text[..end].trim_end())
}

/// A text on one line, with single blanks between its words.
pub(super) fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// A tag in lower case, without `#`, with `-` for blanks.
pub(super) fn plain_tag(tag: &str) -> String {
    let spelled = tag.replace('#', "").to_lowercase();
    spelled.split_whitespace().collect::<Vec<_>>().join("-")
}

fn starts_line(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n')
}

/// Whether a section shows this evidence: a line that would begin a heading or
/// a code block has a backslash before it there.
fn says_the_same(section: &str, evidence: &str) -> bool {
    let shown = |line: &str| {
        let escaped = line.trim_start().strip_prefix('\\');
        let escaped = escaped.filter(|rest| rest.starts_with(['#', '`', '~']));
        escaped.unwrap_or(line.trim_start()).trim_end().to_owned()
    };
    let lines = section.lines().map(shown);
    lines.eq(evidence.trim().lines().map(|line| line.trim().to_owned()))
}

/// Whether the first heading of a text only repeats the title.
pub(super) fn repeats_title(text: &str, title: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let heading = first.and_then(|line| line.strip_prefix("# "));
    heading.is_some_and(|heading| heading.trim() == title)
}

/// The keys of a file's frontmatter that are none of `known`, in their order.
pub(super) fn other_keys(file: &str, known: &[&str]) -> Vec<String> {
    let mut lines = file.trim_start_matches('\u{feff}').lines();
    if lines.next().map(str::trim_end) != Some("---") {
        return Vec::new();
    }
    let frontmatter = lines.take_while(|line| line.trim_end() != "---");
    let keys = frontmatter.filter_map(|line| {
        let (key, _) = line.split_once(':')?;
        let is_key = !key.starts_with([' ', '\t', '#', '-']);
        is_key.then(|| key.trim().trim_matches(['"', '\'']).to_owned())
    });
    keys.filter(|key| !known.contains(&key.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::tables::Pair;

    fn bare(text: &str, evidence: &str) -> String {
        let pair = Pair::named("dsh-memory", "inkvault").expect("a pair");
        unframed(pair.from.frame.as_ref().expect("a frame"), text, evidence)
    }

    #[test]
    fn what_a_format_put_around_a_text_is_taken_off() {
        for (framed, text) in [
            (
                "## 核心内容\n\na\n\nb\n\n## 来源与依据\n\n（暂无可追溯来源）",
                "a\n\nb",
            ),
            ("## 核心内容\n\na\n\n## 来源与依据\n\nseen\n\\## twice", "a"),
            (
                "## 核心内容\n\na\n\n## b\nc\n\n## 来源与依据\n\n（暂无可追溯来源）",
                "a\n\n## b\nc",
            ),
            (
                "## b\n\nc\n\n## 来源与依据\n\n（暂无可追溯来源）",
                "## b\n\nc",
            ),
            (
                "## 核心内容\n\na\n\n## 来源与依据\n\n（暂无可追溯来源）\n\n## 相关记忆\n\n- [[x]]",
                "a\n\n## 相关记忆\n\n- [[x]]",
            ),
            ("## 核心内容\n\n## 来源与依据\n\n（暂无可追溯来源）", ""),
            ("## 核心内容", ""),
            ("", ""),
        ] {
            assert_eq!(bare(framed, "seen\n## twice"), text, "{framed}");
        }
    }

    #[test]
    fn what_a_person_wrote_stays() {
        for text in [
            "a",
            "lead\n\n## 核心内容\n\na",
            "## 核心内容 2\n\na",
            "a\n\n## 来源与依据\n\nmore than the field says",
            "a\n\n## 来源与依据\n\n（暂无可追溯来源）\n\n## my own\n\nb",
            "see `## 来源与依据\n`",
        ] {
            assert_eq!(bare(text, "seen"), text);
        }
    }

    #[test]
    fn a_first_heading_may_repeat_the_title() {
        assert!(repeats_title("\n# Release day\n\nTuesdays", "Release day"));
        for text in ["## Release day", "#Release day", "a\n# Release day", ""] {
            assert!(!repeats_title(text, "Release day"), "{text}");
        }
    }

    #[test]
    fn keys_that_nobody_knows_are_found() {
        let file = "\u{feff}---\nid: 1\n# note: no\nmine: a\nnested:\n  deep: b\n- list: c\n\"quoted\": d\n---\nbody: e\n";
        assert_eq!(other_keys(file, &["id"]), ["mine", "nested", "quoted"]);
        assert!(other_keys("mine: a\n", &[]).is_empty());
        assert!(other_keys("", &[]).is_empty());
    }
}
