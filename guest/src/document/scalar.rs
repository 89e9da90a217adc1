//! Reading one string: quoted, or plain up to a comment.

use super::lines::is_blank;
use super::value::Style;

/// A string read from the beginning of a text.
pub(super) struct Scalar {
    pub(super) text: String,
    pub(super) style: Style,
    /// Bytes it takes, quotes included.
    pub(super) length: usize,
    pub(super) has_unknown_escape: bool,
}

/// A quoted string and how many bytes it takes.
pub(super) struct Quoted {
    pub(super) text: String,
    pub(super) length: usize,
    pub(super) has_unknown_escape: bool,
}

/// Reads a string that is alone on the rest of its line; `text` begins with it.
/// Quotes count only if they close and nothing but a comment follows.
pub(super) fn read(text: &str) -> Scalar {
    if let Some(quoted) = quoted(text).filter(|quoted| is_over(&text[quoted.length..])) {
        let is_double = text.starts_with('"');
        return Scalar {
            text: quoted.text,
            style: if is_double {
                Style::DoubleQuoted
            } else {
                Style::SingleQuoted
            },
            length: quoted.length,
            has_unknown_escape: quoted.has_unknown_escape,
        };
    }
    let plain = without_comment(text);
    Scalar {
        text: plain.to_owned(),
        style: Style::Plain,
        length: plain.len(),
        has_unknown_escape: false,
    }
}

/// Whether nothing but blanks and a comment is left on a line after a quoted
/// string or a list.
pub(super) fn is_over(rest: &str) -> bool {
    let comment = rest.trim_start_matches(is_blank);
    comment.is_empty() || (comment.len() < rest.len() && comment.starts_with('#'))
}

/// A plain string without the comment and the blanks after it. A comment is a
/// `#` at the beginning or after a blank, with a blank or nothing after it.
pub(super) fn without_comment(text: &str) -> &str {
    let bytes = text.as_bytes();
    let is_blank_at = |at: usize| bytes.get(at).is_none_or(|&byte| is_blank(byte.into()));
    let comment = text.match_indices('#').find(|&(at, _)| {
        let after_blank = at == 0 || is_blank_at(at - 1);
        after_blank && is_blank_at(at + 1)
    });
    text[..comment.map_or(text.len(), |(at, _)| at)].trim_end_matches(is_blank)
}

/// Reads the quoted string a text begins with; none where there is no quote or
/// it does not close.
pub(super) fn quoted(text: &str) -> Option<Quoted> {
    match text.as_bytes().first() {
        Some(b'\'') => single_quoted(text),
        Some(b'"') => double_quoted(text),
        _ => None,
    }
}

fn single_quoted(text: &str) -> Option<Quoted> {
    let mut read = String::new();
    let mut at = 1;
    loop {
        let end = at + text[at..].find('\'')?;
        read.push_str(&text[at..end]);
        at = end + 1;
        if !text[at..].starts_with('\'') {
            return Some(Quoted {
                text: read,
                length: at,
                has_unknown_escape: false,
            });
        }
        read.push('\'');
        at += 1;
    }
}

fn double_quoted(text: &str) -> Option<Quoted> {
    let mut read = String::new();
    let mut has_unknown_escape = false;
    let mut at = 1;
    loop {
        let end = at + text[at..].find(['"', '\\'])?;
        read.push_str(&text[at..end]);
        at = end + 1;
        if text[end..].starts_with('"') {
            return Some(Quoted {
                text: read,
                length: at,
                has_unknown_escape,
            });
        }
        if let Some((c, length)) = escape(&text[at..]) {
            read.push(c);
            at += length;
        } else {
            read.push('\\');
            has_unknown_escape = true;
        }
    }
}

/// The character an escape stands for and the bytes after the backslash it
/// takes (YAML 1.2 §5.7; also pairs of surrogates as in JSON).
fn escape(text: &str) -> Option<(char, usize)> {
    let c = match text.chars().next()? {
        '0' => '\0',
        'a' => '\u{7}',
        'b' => '\u{8}',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\u{B}',
        'f' => '\u{C}',
        'r' => '\r',
        'e' => '\u{1B}',
        ' ' => ' ',
        '"' => '"',
        '/' => '/',
        '\\' => '\\',
        'N' => '\u{85}',
        '_' => '\u{A0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        'x' => return Some((char::from_u32(hex(text, 1, 2)?)?, 3)),
        'u' => return utf16_escape(text),
        'U' => return Some((char::from_u32(hex(text, 1, 8)?)?, 9)),
        _ => return None,
    };
    Some((c, 1))
}

fn utf16_escape(text: &str) -> Option<(char, usize)> {
    let unit = hex(text, 1, 4)?;
    if let Some(c) = char::from_u32(unit) {
        return Some((c, 5));
    }
    let low = text
        .get(5..7)
        .filter(|&marker| marker == "\\u")
        .and_then(|_| hex(text, 7, 4))?;
    let pair = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some((c, 11))
}

fn hex(text: &str, from: usize, length: usize) -> Option<u32> {
    let digits = text.get(from..from + length)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_yaml_and_json() {
        for (text, expected) in [
            (r#""\x41\u00e9\U0001F600""#, "Aé😀"),
            (r#""\ud83d\ude00""#, "😀"),
            (
                r#""\0\e\N\_\L\P\/""#,
                "\0\u{1B}\u{85}\u{A0}\u{2028}\u{2029}/",
            ),
        ] {
            let quoted = quoted(text).expect("it closes");
            assert_eq!(
                (quoted.text.as_str(), quoted.length),
                (expected, text.len())
            );
            assert!(!quoted.has_unknown_escape);
        }
    }

    #[test]
    fn unknown_escapes_stay_as_they_stand() {
        for text in [r#""C:\Users\中""#, r#""\ud83d""#, r#""\x4""#, r#""\u+041""#] {
            let quoted = quoted(text).expect("it closes");
            assert_eq!(quoted.text, text[1..text.len() - 1]);
            assert!(quoted.has_unknown_escape);
        }
    }

    #[test]
    fn quotes_that_do_not_close_are_none() {
        for text in ["'", "\"", "'a''", r#""a\""#, "a", ""] {
            assert!(quoted(text).is_none(), "{text}");
        }
    }
}
