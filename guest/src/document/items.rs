//! Reading a list with a line `- a` for each item.

use super::lines::{is_blank, lines};
use super::scalar;
use super::value::{Style, is_block_header, is_null};

/// Whether a line is a list item: a dash with a blank or nothing after it.
pub(super) fn is_item(line: &str) -> bool {
    line.strip_prefix('-')
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(is_blank))
}

/// The items of a list whose every item is a string on one line, all indented
/// alike; none where it is anything else. Items are taken as people mean them,
/// like the values of entries: `- Note: x` and `- [[Link]]` are strings.
pub(super) fn read(text: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    let mut list_indent = None;
    for line in lines(text, 0..text.len()) {
        let content = line.content(text);
        let item = content.trim_start_matches(is_blank);
        if item.is_empty() || item.starts_with('#') {
            continue;
        }
        let indent = &content[..content.len() - item.len()];
        if *list_indent.get_or_insert(indent) != indent || !is_item(item) {
            return None;
        }
        items.push(read_item(item[1..].trim_start_matches(is_blank))?);
    }
    Some(items)
}

fn read_item(text: &str) -> Option<String> {
    if is_block_header(text) {
        return None;
    }
    let scalar = scalar::read(text);
    let is_nothing = scalar.style == Style::Plain && is_null(&scalar.text);
    Some(if is_nothing {
        String::new()
    } else {
        scalar.text
    })
}

/// How the items of a list are indented.
pub(super) fn indent(text: &str) -> &str {
    lines(text, 0..text.len())
        .map(|line| line.content(text))
        .find(|line| is_item(line.trim_start_matches(is_blank)))
        .map_or("  ", |line| {
            &line[..line.len() - line.trim_start_matches(is_blank).len()]
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_what_people_mean() {
        let text = "\n  - a # c\n  # c\n\n  - Note: x\n  - [[Link]]\n  - 'it''s'\n  -\n  - #tag";
        let items = read(text).expect("a list");
        assert_eq!(items, ["a", "Note: x", "[[Link]]", "it's", "", "#tag"]);
        assert_eq!(indent(text), "  ");
        assert_eq!(
            read("- a\r\n- b"),
            Some(vec!["a".to_owned(), "b".to_owned()])
        );
    }

    #[test]
    fn other_lists_are_left_to_yaml() {
        for text in ["\n  - a\n    b", "\n - a\n  - b", "\n  - |\n    a", "\n  a"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
