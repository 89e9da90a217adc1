//! Reading a list on one line, `[a, "b, c"]`.

use super::lines::is_blank;
use super::scalar;
use super::value::is_null;

/// What stands in brackets.
pub(super) enum Flow {
    /// Strings.
    List(Vec<String>),
    /// A map, or lists in a list.
    Nested,
}

/// Reads the list or map a text begins with, and how many bytes it takes; none
/// where there is no bracket or it does not close.
///
/// Plain items end at a comma or bracket and may hold colons and `#`; YAML's
/// words for nothing are the empty string; empty places between commas are
/// skipped.
pub(super) fn read(text: &str) -> Option<(Flow, usize)> {
    let Some(inside) = text.strip_prefix('[') else {
        return text.starts_with('{').then(|| nested(text)).flatten();
    };
    let mut items = Vec::new();
    let mut rest = inside;
    loop {
        rest = rest.trim_start_matches(is_blank);
        match rest.as_bytes().first()? {
            b']' => return Some((Flow::List(items), text.len() - rest.len() + 1)),
            b',' => rest = &rest[1..],
            b'[' | b'{' => return nested(text),
            _ => {
                let (item, length) = item(rest)?;
                items.push(item);
                rest = rest[length..].trim_start_matches(is_blank);
            }
        }
    }
}

/// The item a text begins with, and how many bytes it takes.
fn item(text: &str) -> Option<(String, usize)> {
    if let Some(quoted) = scalar::quoted(text) {
        let after = text[quoted.length..].trim_start_matches(is_blank);
        if after.starts_with([',', ']']) {
            return Some((quoted.text, quoted.length));
        }
    }
    let length = text.find([',', ']'])?;
    let plain = text[..length].trim_end_matches(is_blank);
    let item = if is_null(plain) { "" } else { plain };
    Some((item.to_owned(), length))
}

/// Finds the end of brackets that hold brackets. Quotes count where a value
/// may begin.
fn nested(text: &str) -> Option<(Flow, usize)> {
    let mut depth = 0_usize;
    let mut at = 0;
    let mut may_begin = true;
    while let Some(c) = text[at..].chars().next() {
        if may_begin && let Some(quoted) = scalar::quoted(&text[at..]) {
            at += quoted.length;
            may_begin = false;
            continue;
        }
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return Some((Flow::Nested, at));
        }
        may_begin = matches!(c, '[' | '{' | ',' | ':') || (may_begin && is_blank(c));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Option<(Vec<String>, usize)> {
        match read(text) {
            Some((Flow::List(items), length)) => Some((items, length)),
            _ => None,
        }
    }

    #[test]
    fn lists_of_strings() {
        for (text, items) in [
            ("[]", vec![]),
            ("[a, \"b, c\"]", vec!["a", "b, c"]),
            ("[ 'it''s' ,b: c,#d, ]", vec!["it's", "b: c", "#d"]),
            ("[null, '', a]", vec!["", "", "a"]),
            ("[\"unclosed, b]", vec!["\"unclosed", "b"]),
        ] {
            let items = items.into_iter().map(str::to_owned).collect();
            assert_eq!(list(text), Some((items, text.len())), "{text}");
        }
    }

    #[test]
    fn brackets_in_brackets_are_nested() {
        for text in ["[[a]]", "{a: [b, '}']}", "[a, {b: c}]", "{\"]\"}"] {
            assert!(
                matches!(read(text), Some((Flow::Nested, end)) if end == text.len()),
                "{text}"
            );
        }
    }

    #[test]
    fn what_does_not_close_is_none() {
        for text in ["[", "[a", "[a,", "[[a]", "{", "a", "", "['"] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
