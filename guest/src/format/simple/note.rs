//! A note's file: a heading with date and name, then the text (simple memory
//! design §三.2). A person's note needs no heading, and may begin with a
//! frontmatter, which is theirs.

use std::ops::Range;

use super::names;
use crate::document::{Document, LineEnding};
use crate::memory::Metadata;
use crate::timestamp::Timestamp;

/// A note's file in pieces, as places in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Note {
    /// The date that the first line gives, if it is such a heading.
    pub(super) date: Option<Timestamp>,
    /// The name in the heading; that of the file, unless it was renamed.
    name: Option<Range<usize>>,
    /// The text, without blank lines around it.
    body: Range<usize>,
}

impl Note {
    /// Reads the file of a note.
    pub(super) fn read(text: &str) -> Self {
        let start = text.len() - Document::parse(text).body().len();
        let end_of_line = text[start..]
            .find(['\n', '\r'])
            .map_or(text.len(), |at| start + at);
        match heading(&text[start..end_of_line]) {
            Some((date, name)) => Note {
                date: Some(date),
                name: Some(start + name.start..start + name.end),
                body: without_blank_lines(text, end_of_line),
            },
            None => Note {
                date: None,
                name: None,
                body: without_blank_lines(text, start),
            },
        }
    }

    /// Its text.
    pub(super) fn body<'t>(&self, text: &'t str) -> &'t str {
        &text[self.body.clone()]
    }

    /// The file with the name `to` in its heading, where that said `from`, and
    /// with another text; all else stays as it is.
    pub(super) fn edit(&self, text: &str, [from, to]: [&str; 2], body: Option<&str>) -> String {
        let mut edited = text.to_owned();
        if let Some(body) = body {
            let body = format!("{}{}", self.gap(text), kept(body));
            edited.replace_range(self.body.clone(), &LineEnding::of(text).apply(&body));
        }
        if let Some(name) = self.name.clone().filter(|name| text[name.clone()] == *from) {
            edited.replace_range(name, to);
        }
        edited
    }

    /// The line ends that are missing before a text where there was none: a
    /// blank line below the heading, and a line of its own.
    fn gap(&self, text: &str) -> String {
        if !self.body.is_empty() {
            return String::new();
        }
        let (wanted, above) = match &self.name {
            Some(name) => (2, &text[name.end..]),
            None => (0, Document::parse(text).body()),
        };
        let there = LineEnding::Lf.apply(above).matches('\n').count();
        let is_begun = !above.is_empty() && !above.ends_with(['\n', '\r']);
        let missing = usize::saturating_sub(wanted, there).max(usize::from(is_begun));
        "\n".repeat(missing)
    }
}

/// The strings of a list in a person's own frontmatter.
pub(super) fn listed(text: &str, key: &str) -> Vec<String> {
    let document = Document::parse(text);
    let list = document.get(key).map(|field| field.value.list());
    list.unwrap_or_default()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// The file of a new note.
pub(super) fn compose(metadata: &Metadata, body: &str, utc_offset_minutes: i16) -> String {
    let date = metadata.created.local_date(utc_offset_minutes);
    let name = names::stem(&metadata.kind, &metadata.title);
    format!("## {date} {name}\n\n{}\n", trimmed(body))
}

/// A new text without white space around it; a first line that is indented as
/// code stays so.
fn trimmed(body: &str) -> &str {
    let body = kept(body);
    if body.starts_with("    ") || body.starts_with('\t') {
        body
    } else {
        body.trim_start()
    }
}

/// What is kept of a text: all but blank lines before it and white space
/// after it.
pub(super) fn kept(body: &str) -> &str {
    &body[without_blank_lines(body, 0)]
}

/// The date of a heading such as `## 2026-08-18 踩坑-端口`, and where in it
/// the name stands. What is no name with a category is a heading of the text.
fn heading(line: &str) -> Option<(Timestamp, Range<usize>)> {
    let rest = line.strip_prefix("## ")?;
    let (date, rest) = rest.split_at_checked(10)?;
    let date = Timestamp::parse(date)?;
    let name = rest.strip_prefix(' ')?.trim();
    let start = line.len() - rest.len() + rest.find(name)?;
    let (category, _) = names::parts(name);
    if category.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    Some((date, start..start + name.len()))
}

/// A text from `from` on, without the blank lines it begins with and without
/// white space at its end.
fn without_blank_lines(text: &str, from: usize) -> Range<usize> {
    let rest = &text[from..];
    let first = rest.len() - rest.trim_start().len();
    let start = rest[..first].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let end = rest.trim_end().len();
    if end <= start {
        return text.len()..text.len();
    }
    from + start..from + end
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEM: &str = "踩坑-端口";

    #[test]
    fn the_text_begins_below_a_heading_with_date_and_name() {
        for (text, date, body) in [
            ("## 2026-08-18 踩坑-端口\n\n结论。\n", true, "结论。"),
            ("## 2026-08-18 踩坑-端口\r\n\r\n结论。\r\n", true, "结论。"),
            ("\u{feff}## 2026-08-18 踩坑-端口\n结论。", true, "结论。"),
            ("## 2026-08-18 踩坑-端口", true, ""),
            ("## 2026-08-18 踩坑-端口\n\n\n    code\n", true, "    code"),
            ("## 2026-08-18 踩坑-旧名\n结论。", true, "结论。"),
            (
                "## 2026-08-18 别的\n结论。",
                false,
                "## 2026-08-18 别的\n结论。",
            ),
            (
                "## 2026-08-18 Meeting - notes\n结论。",
                false,
                "## 2026-08-18 Meeting - notes\n结论。",
            ),
            (
                "---\ntags: [x]\n---\n\n## 2026-08-18 踩坑-端口\n\n结论。",
                true,
                "结论。",
            ),
            ("---\ntags: [x]\n---\n结论。", false, "结论。"),
            ("---\n\n结论。", false, "---\n\n结论。"),
            (
                "## 2026-13-18 踩坑-端口\nx",
                false,
                "## 2026-13-18 踩坑-端口\nx",
            ),
            (
                "# 2026-08-18 踩坑-端口\nx",
                false,
                "# 2026-08-18 踩坑-端口\nx",
            ),
            ("\n\nloose\n\n", false, "loose"),
            ("", false, ""),
            ("\n \n", false, ""),
        ] {
            let note = Note::read(text);
            assert_eq!(note.date.is_some(), date, "{text:?}");
            assert_eq!(note.body(text), body, "{text:?}");
        }
    }

    #[test]
    fn an_edit_leaves_what_surrounds_the_text() {
        for (text, edited) in [
            (
                "## 2026-08-18 踩坑-端口\n\nold\n",
                "## 2026-08-18 踩坑-端口\n\na\nb\n",
            ),
            (
                "## 2026-08-18 踩坑-端口\r\n\r\nold\r\n\r\n",
                "## 2026-08-18 踩坑-端口\r\n\r\na\r\nb\r\n\r\n",
            ),
            ("\u{feff}old", "\u{feff}a\nb"),
            ("\n\nold\n\n", "\n\na\nb\n\n"),
            ("## 2026-08-18 踩坑-端口", "## 2026-08-18 踩坑-端口\n\na\nb"),
            (
                "## 2026-08-18 踩坑-端口\n",
                "## 2026-08-18 踩坑-端口\n\na\nb",
            ),
            ("", "a\nb"),
            ("---\ntags: [x]\n---\nold\n", "---\ntags: [x]\n---\na\nb\n"),
            ("---\ntags: [x]\n---\n", "---\ntags: [x]\n---\na\nb"),
            (" \n ", " \n \na\nb"),
            (
                "## 2026-08-18 踩坑-端口\n\n ",
                "## 2026-08-18 踩坑-端口\n\n \na\nb",
            ),
        ] {
            let note = Note::read(text);
            let same = [STEM, STEM];
            assert_eq!(note.edit(text, same, Some("\n\na\nb \n")), edited);
            assert_eq!(note.edit(text, same, None), text);
        }
        let renamed = [STEM, "流程-端口"];
        for (text, edited) in [
            (
                "## 2026-08-18 踩坑-端口\n\nold\n",
                "## 2026-08-18 流程-端口\n\nold\n",
            ),
            (
                "## 2026-08-18 踩坑-旧名\n\nold\n",
                "## 2026-08-18 踩坑-旧名\n\nold\n",
            ),
            ("old\n", "old\n"),
        ] {
            assert_eq!(Note::read(text).edit(text, renamed, None), edited);
        }
    }
}
