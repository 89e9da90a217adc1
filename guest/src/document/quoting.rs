//! Writing values so that every reader of YAML takes them for the same.
//!
//! A string stands without quotes only where YAML 1.1, YAML 1.2 and our own
//! reader agree that it is that string; else in single quotes, as in the
//! contract's example (§0.4), or in double quotes where it has characters that
//! need an escape.

use std::fmt::Write;

use super::lines::LineEnding;
use super::value::{Value, is_null};

/// How items of a new list on several lines are indented.
pub(super) const INDENT: &str = "  ";

/// Characters that mean something at the beginning of a value.
const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`";

/// Words that some reader takes for nothing, a truth value or a number, in any
/// case; and the keys with a meaning of their own.
const WORDS: [&str; 20] = [
    "null",
    "~",
    "window",
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "n",
    ".inf",
    "+.inf",
    ".nan",
    "nan",
    "infinity",
    "+infinity",
    "undefined",
    "=",
    "<<",
];

/// Appends an entry with its line break.
pub(super) fn write_entry(text: &mut String, key: &str, value: &Value, ending: LineEnding) {
    text.push_str(&scalar(key, Place::Key));
    text.push(':');
    match value {
        Value::BlockList(list) if !list.is_empty() => {
            text.push_str(&item_lines(list, INDENT, ending));
        }
        _ => {
            text.push(' ');
            text.push_str(&inline(value));
        }
    }
    text.push_str(ending.as_str());
}

/// The items of a list, each on a line of its own after a line break.
pub(super) fn item_lines<S: AsRef<str>>(list: &[S], indent: &str, ending: LineEnding) -> String {
    let lines = list.iter().map(|item| {
        let item = scalar(item.as_ref(), Place::Value);
        format!("{}{indent}- {item}", ending.as_str())
    });
    lines.collect()
}

/// A value on one line.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Text(text) => scalar(text, Place::Value),
        Value::Plain(text) if can_be_plain(text, Place::Value) => text.clone(),
        Value::Plain(text) => scalar(text, Place::Value),
        Value::List(items) | Value::BlockList(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| scalar(item, Place::FlowList))
                .collect();
            format!("[{}]", items.join(", "))
        }
    }
}

/// Where a string stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Key,
    Value,
    FlowList,
}

fn scalar(text: &str, place: Place) -> String {
    if text.chars().any(needs_escape) {
        double_quoted(text)
    } else if can_be_plain(text, place) && !means_something(text) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Whether YAML would read these characters, without quotes, to their end.
fn can_be_plain(text: &str, place: Place) -> bool {
    let is_clear = !text.is_empty()
        && text.trim().len() == text.len()
        && !text.starts_with(|c| INDICATORS.contains(c))
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(needs_escape);
    let may_hold_brackets = match place {
        Place::Value => true,
        // `...` at the margin ends a YAML document.
        Place::Key => {
            !text.contains(['[', ']', '{', '}', ',', '#', '"', '\'']) && !text.starts_with("...")
        }
        // YAML 1.1 gives `?` a meaning anywhere in a list; some parsers take the
        // dash of `[a -]` for an item.
        Place::FlowList => !text.contains([',', '[', ']', '{', '}', '?']) && !text.ends_with(" -"),
    };
    is_clear && may_hold_brackets
}

/// Characters outside YAML's printable set, line breaks of any kind, tabs, and
/// U+FEFF.
fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'
        )
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if needs_escape(c) => push_escape(&mut quoted, c),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn push_escape(quoted: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(quoted, "\\u{:04X}", u32::from(c));
}

/// Whether some reader takes a plain string for anything but a string.
fn means_something(text: &str) -> bool {
    let is_word = || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    is_null(text) || is_word() || is_number(text) || is_date(text)
}

/// Whether a string is a number of YAML 1.1 (with `_`, `,`, binary, octal,
/// sexagesimal), of YAML 1.2 or of JavaScript.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some((radix, digits)) = prefixed(unsigned) {
        return digits.chars().all(|c| c == '_' || c.is_digit(radix));
    }
    let mut rest = unsigned.trim_start_matches(is_digit_or_separator);
    let has_digits = unsigned.starts_with(|c: char| c.is_ascii_digit())
        || (unsigned.starts_with('.') && unsigned[1..].starts_with(|c: char| c.is_ascii_digit()));
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        rest = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        rest = rest.trim_start_matches(is_digit_or_separator);
    }
    has_digits && rest.is_empty()
}

fn is_digit_or_separator(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '_' | ',' | '.' | ':')
}

fn prefixed(text: &str) -> Option<(u32, &str)> {
    let (prefix, digits) = text.split_at_checked(2)?;
    let radix = match prefix {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    Some((radix, digits))
}

/// Whether a string begins like a date, `2026-1-9`.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let digits = |part: Option<&str>, longest: usize| {
        part.is_some_and(|part| {
            (1..=longest).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_year_and_month = digits(parts.next(), 4) && digits(parts.next(), 2);
    is_year_and_month
        && parts
            .next()
            .is_some_and(|day| day.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        inline(&Value::Text(text.to_owned()))
    }

    #[test]
    fn clear_strings_stand_without_quotes() {
        for text in [
            "用户偏好：回答用中文",
            "0123456789abcdef",
            "it's",
            "a:b",
            "a#b",
            "v1.0",
            "say \"hi\"",
            "a, b [c]",
            "e5",
            "1e",
            "50%",
            "m-20261019-ab12cd",
        ] {
            let expected = if text == "1e" { "'1e'" } else { text };
            assert_eq!(written(text), expected);
        }
    }

    #[test]
    fn what_could_be_something_else_is_quoted() {
        for text in [
            "",
            "~",
            "null",
            "Null",
            "window",
            "true",
            "Yes",
            "OFF",
            "y",
            "0.8",
            "12",
            "0",
            "1234567890123456",
            "12345678e9012345",
            "1e5",
            "0x1f",
            "0o17",
            "0b1",
            ".5",
            "1_000",
            "1,000",
            "1:30",
            ".inf",
            ".NaN",
            "Infinity",
            "2026-10-19",
            "2026-10-19T10:00:00Z",
            " a",
            "a ",
            "a\u{3000}",
            "a: b",
            "a #b",
            "a:",
            "- a",
            "-",
            "? a",
            ": a",
            "[a",
            "{a",
            "#a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "%a",
            "@a",
            "`a",
            ",a",
            "=",
            "<<",
            "\"a\"",
            "---",
        ] {
            assert_eq!(written(text), format!("'{text}'"));
        }
        assert_eq!(written("'a'"), "'''a'''");
        assert_eq!(
            written("a\n\"b\"\t\\\u{85}\0"),
            r#""a\n\"b\"\t\\\u0085\u0000""#
        );
    }

    #[test]
    fn lists_quote_what_would_end_an_item() {
        let list = Value::List(
            ["a", "b, c", "[d]", "e: f", "true"]
                .map(str::to_owned)
                .to_vec(),
        );
        assert_eq!(inline(&list), "[a, 'b, c', '[d]', 'e: f', 'true']");
    }

    #[test]
    fn plain_values_stand_as_given_where_they_can() {
        assert_eq!(
            inline(&Value::Plain("2026-10-19T10:00:00.000Z".into())),
            "2026-10-19T10:00:00.000Z"
        );
        assert_eq!(inline(&Value::number(0.8)), "0.8");
        assert_eq!(inline(&Value::number(1.0)), "1");
        assert_eq!(inline(&Value::Plain("a: b".into())), "'a: b'");
    }
}
