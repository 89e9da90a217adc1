//! What an entry of the frontmatter holds, and reading it from one line.

use std::ops::Range;

use super::flow::{self, Flow};
use super::lines::is_blank;
use super::scalar::{self, Scalar};

/// A value.
///
/// Reading gives [`Value::Text`] and [`Value::List`] only: what a number, a
/// truth value or a date is, is for the format to say. The other two are for
/// writing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string; written with quotes where it could be taken for anything else.
    Text(String),
    /// A number, a truth value or a date as it shall stand; written without
    /// quotes if YAML can hold it so, else like [`Value::Text`].
    Plain(String),
    /// Strings; a new list is written on one line, `[a, b]`.
    List(Vec<String>),
    /// Strings; a new list is written with a line for each, `  - a`.
    BlockList(Vec<String>),
}

impl Value {
    /// A number, without a fraction where it has none.
    pub fn number(number: f64) -> Self {
        Value::Plain(number.to_string())
    }

    /// The string, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) | Value::Plain(text) => Some(text),
            Value::List(_) | Value::BlockList(_) => None,
        }
    }

    /// The strings of a list; a string alone is a list of one, an empty string
    /// is an empty list. Whether `a, b` means two is for the format to say.
    pub fn list(&self) -> Vec<&str> {
        match self {
            Value::Text(text) | Value::Plain(text) if text.is_empty() => Vec::new(),
            Value::Text(text) | Value::Plain(text) => vec![text],
            Value::List(items) | Value::BlockList(items) => {
                items.iter().map(String::as_str).collect()
            }
        }
    }

    /// Whether it holds the same string or the same list, however written.
    pub fn same_as(&self, other: &Self) -> bool {
        match (self.text(), other.text()) {
            (Some(text), Some(other)) => text == other,
            (None, None) => self.list() == other.list(),
            _ => false,
        }
    }
}

/// How a value stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes; also what is missing.
    Plain,
    /// In `'…'`.
    SingleQuoted,
    /// In `"…"`.
    DoubleQuoted,
    /// `[a, b]`.
    FlowList,
    /// A line `- a` for each.
    BlockList,
    /// Lines of text after `|` or `>`.
    BlockScalar,
    /// A map, or lists in a list: kept as text as it stands, with an issue.
    Nested,
    /// Lines that are no YAML: kept as text as they stand, with an issue.
    Unreadable,
}

/// A value read from one line, and where in that line it stands.
pub(super) struct Found {
    pub(super) value: Value,
    pub(super) style: Style,
    pub(super) at: Range<usize>,
    /// A backslash in it stands before no escape YAML knows.
    pub(super) has_unknown_escape: bool,
}

/// Reads what follows the colon of an entry on one line.
///
/// Plain scalars are taken as people mean them: only `# ` or a `#` at the end,
/// after a blank, begins a comment, so `Fix issue #12` is whole; a value that
/// merely begins like a list, an alias, a quotation or a tag is plain. `null`,
/// `~`, `window` and nothing are the empty string (contract §1).
pub(super) fn read_line(line: &str) -> Found {
    let start = line.len() - line.trim_start_matches(is_blank).len();
    let value = &line[start..];
    if let Some((items, length)) = flow::read(value).filter(|(_, length)| is_over(value, *length)) {
        return found_flow(items, value, start..start + length);
    }
    if is_block_header(value) {
        let length = scalar::without_comment(value).len();
        return Found {
            value: Value::Text(String::new()),
            style: Style::BlockScalar,
            at: start..start + length,
            has_unknown_escape: false,
        };
    }
    let Scalar {
        text,
        style,
        length,
        has_unknown_escape,
    } = scalar::read(value);
    let is_null = style == Style::Plain && (is_null(&text) || text == "window");
    let text = if is_null { String::new() } else { text };
    Found {
        value: Value::Text(text),
        style,
        at: start..start + length,
        has_unknown_escape,
    }
}

/// Whether a plain scalar is one of YAML's words for nothing.
pub(super) fn is_null(plain: &str) -> bool {
    matches!(plain, "" | "~" | "null" | "Null" | "NULL")
}

/// Whether a value begins a block scalar: `|` or `>`, indicators, a comment.
pub(super) fn is_block_header(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['|', '>']) else {
        return false;
    };
    let indicators = scalar::without_comment(rest);
    indicators.len() <= 2
        && indicators
            .chars()
            .all(|c| matches!(c, '+' | '-' | '1'..='9'))
}

/// Whether nothing but a comment follows the first `length` bytes.
fn is_over(value: &str, length: usize) -> bool {
    scalar::is_over(&value[length..])
}

fn found_flow(items: Flow, value: &str, at: Range<usize>) -> Found {
    let (value, style) = match items {
        Flow::List(items) => (Value::List(items), Style::FlowList),
        Flow::Nested => (Value::Text(value[..at.len()].to_owned()), Style::Nested),
    };
    Found {
        value,
        style,
        at,
        has_unknown_escape: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> (Option<String>, Style) {
        let found = read_line(line);
        (found.value.text().map(str::to_owned), found.style)
    }

    #[test]
    fn scalars_are_what_people_mean() {
        for (line, expected, style) in [
            (" Note: x", "Note: x", Style::Plain),
            (" @me", "@me", Style::Plain),
            (" [草稿] 计划", "[草稿] 计划", Style::Plain),
            (" *x", "*x", Style::Plain),
            (" \"unclosed", "\"unclosed", Style::Plain),
            (" 'a' b", "'a' b", Style::Plain),
            (" Fix issue #12", "Fix issue #12", Style::Plain),
            (" x  # a comment", "x", Style::Plain),
            (" x #", "x", Style::Plain),
            (" # only a comment", "", Style::Plain),
            (" #tag", "#tag", Style::Plain),
            (" 'it''s' # c", "it's", Style::SingleQuoted),
            (" \"a\\n\\\"b\\u4e2d\"", "a\n\"b中", Style::DoubleQuoted),
            (" window", "", Style::Plain),
            (" NULL", "", Style::Plain),
            (" ~", "", Style::Plain),
            ("", "", Style::Plain),
            (" 'null'", "null", Style::SingleQuoted),
            (" | text", "| text", Style::Plain),
            (" |2- # c", "", Style::BlockScalar),
            (" {a: b}", "{a: b}", Style::Nested),
            (" [[Note]]", "[[Note]]", Style::Nested),
            (" {{x}} y", "{{x}} y", Style::Plain),
        ] {
            assert_eq!(text(line), (Some(expected.to_owned()), style), "{line}");
        }
    }

    #[test]
    fn a_value_knows_its_place() {
        let line = "  'a'  # c";
        assert_eq!(&line[read_line(line).at], "'a'");
        let line = " [a, b] # c";
        assert_eq!(&line[read_line(line).at], "[a, b]");
        assert!(read_line("  # c").at.is_empty());
    }
}
