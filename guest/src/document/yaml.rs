//! Values on several lines, read by a YAML parser.
//!
//! It is handed the lines of one entry, never a file, and no more of them than
//! [`LARGEST`] and [`DEEPEST`] allow: what lies beyond is kept as text.

use saphyr_parser::{Event, Parser, ScalarStyle};

use super::lines::LineEnding;
use super::value::{Style, Value, is_block_header, is_null};

/// Most bytes of one value that are handed to the parser.
const LARGEST: usize = 64 * 1024;

/// Most brackets or lists that may stand in each other.
const DEEPEST: usize = 64;

/// What the parser finds: text or a list; else the style that says why not,
/// [`Style::Nested`] or [`Style::Unreadable`].
pub(super) fn read(value: &str) -> Result<(Value, Style), Style> {
    let first = value.trim_start();
    let is_scalar = is_block_header(first.split(['\n', '\r']).next().unwrap_or_default());
    if value.len() > LARGEST || (!is_scalar && is_too_deep(value)) {
        return Err(Style::Unreadable);
    }
    let mut entry = format!("x:{}\n", LineEnding::Lf.apply(value));
    if first.starts_with(['[', '{']) {
        // The closing bracket may stand at the margin.
        entry = entry.replace('\n', "\n ");
    }
    let mut events = Events(Parser::new_from_str(&entry));
    for expected in [
        Event::StreamStart,
        Event::DocumentStart(false),
        Event::MappingStart(0, None),
    ] {
        events.expect(&expected)?;
    }
    if !matches!(events.next()?, Event::Scalar(..)) {
        return Err(Style::Unreadable);
    }
    let found = events.value(if first.starts_with('[') {
        Style::FlowList
    } else {
        Style::BlockList
    })?;
    for expected in [Event::MappingEnd, Event::DocumentEnd] {
        events.expect(&expected)?;
    }
    Ok(found)
}

fn is_too_deep(value: &str) -> bool {
    let mut depth = 0_usize;
    value.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}

/// The parser's events up to its first error, which it would repeat for ever.
struct Events<'e>(Parser<'e, saphyr_parser::StrInput<'e>>);

impl<'e> Events<'e> {
    fn next(&mut self) -> Result<Event<'e>, Style> {
        match self.0.next_event() {
            Some(Ok((event, _))) => Ok(event),
            _ => Err(Style::Unreadable),
        }
    }

    fn expect(&mut self, expected: &Event<'_>) -> Result<(), Style> {
        let is_expected = self.next()? == *expected;
        is_expected.then_some(()).ok_or(Style::Unreadable)
    }

    fn value(&mut self, list_style: Style) -> Result<(Value, Style), Style> {
        match self.next()? {
            Event::Scalar(text, style, ..) => Ok(scalar(&text, style)),
            Event::SequenceStart(..) => Ok((Value::List(self.items()?), list_style)),
            Event::MappingStart(..) => Err(self.nested()),
            _ => Err(Style::Unreadable),
        }
    }

    fn items(&mut self) -> Result<Vec<String>, Style> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                Event::Scalar(text, ScalarStyle::Plain, ..) if is_null(&text) => {
                    items.push(String::new());
                }
                Event::Scalar(text, ..) => items.push(text.into_owned()),
                Event::SequenceEnd => return Ok(items),
                Event::SequenceStart(..) | Event::MappingStart(..) => return Err(self.nested()),
                _ => return Err(Style::Unreadable),
            }
        }
    }

    /// Whether what is nested reads to the end.
    fn nested(&mut self) -> Style {
        loop {
            match self.next() {
                Ok(Event::StreamEnd) => return Style::Nested,
                Ok(_) => {}
                Err(style) => return style,
            }
        }
    }
}

fn scalar(text: &str, style: ScalarStyle) -> (Value, Style) {
    let is_nothing = style == ScalarStyle::Plain && (is_null(text) || text == "window");
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::BlockScalar,
    };
    (
        Value::Text(if is_nothing {
            String::new()
        } else {
            text.to_owned()
        }),
        style,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str, style: Style) -> Result<(Value, Style), Style> {
        Ok((Value::Text(value.to_owned()), style))
    }

    #[test]
    fn values_on_several_lines() {
        assert_eq!(
            read(" |\r\n  a\r\n   b\r\n"),
            text("a\n b\n", Style::BlockScalar)
        );
        assert_eq!(read(" >-\n  a\n  b"), text("a b", Style::BlockScalar));
        assert_eq!(read(" a\n  b"), text("a b", Style::Plain));
        assert_eq!(read(" \"a\n  b\""), text("a b", Style::DoubleQuoted));
        assert_eq!(read("\n  null"), text("", Style::Plain));
        let list = Value::List(vec!["a".to_owned(), "b, c".to_owned()]);
        assert_eq!(
            read(" [\n  a,\n  'b, c'\n]"),
            Ok((list.clone(), Style::FlowList))
        );
        assert_eq!(
            read("\n - a\n - >-\n   b,\n   c"),
            Ok((list, Style::BlockList))
        );
    }

    #[test]
    fn what_is_nested_and_what_is_no_yaml() {
        assert_eq!(read("\n  n: 1"), Err(Style::Nested));
        assert_eq!(read("\n  - a: 1\n    b: 2"), Err(Style::Nested));
        assert_eq!(read(" Note: x\n  y"), Err(Style::Unreadable));
        assert_eq!(read(" *a\n  b"), Err(Style::Unreadable));
        assert_eq!(read(" \"a\"\n  b"), Err(Style::Unreadable));
    }

    #[test]
    fn the_parser_is_not_handed_what_is_too_large_or_too_deep() {
        assert_eq!(
            read(&format!(" |\n  {}", "x".repeat(LARGEST))),
            Err(Style::Unreadable)
        );
        assert_eq!(
            read(&format!("\n  {}", "[".repeat(65))),
            Err(Style::Unreadable)
        );
        let brackets = "[".repeat(65);
        let literal = format!(" |-\n  {brackets}");
        assert_eq!(read(&literal), text(&brackets, Style::BlockScalar));
    }
}
