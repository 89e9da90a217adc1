//! Lines, however they end.

use std::ops::Range;

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    CrLf,
    /// `\r`.
    Cr,
}

impl LineEnding {
    /// How the first line of a text ends.
    pub fn of(text: &str) -> Self {
        match text.find(['\n', '\r']).map(|at| &text.as_bytes()[at..]) {
            Some([b'\r', b'\n', ..]) => LineEnding::CrLf,
            Some([b'\r', ..]) => LineEnding::Cr,
            _ => LineEnding::Lf,
        }
    }

    /// Its characters.
    pub fn as_str(self) -> &'static str {
        match self {
            LineEnding::Lf => "\n",
            LineEnding::CrLf => "\r\n",
            LineEnding::Cr => "\r",
        }
    }

    /// A text with all its lines ending this way.
    pub fn apply(self, text: &str) -> String {
        let unix = text.replace("\r\n", "\n").replace('\r', "\n");
        match self {
            LineEnding::Lf => unix,
            _ => unix.replace('\n', self.as_str()),
        }
    }
}

/// Where a line lies in its text, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) start: usize,
    /// Before the line break.
    pub(crate) end: usize,
    /// After the line break.
    pub(crate) next: usize,
}

impl Line {
    pub(crate) fn content(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    /// Whether a line break ends it.
    pub(super) fn is_ended(self) -> bool {
        self.next > self.end
    }
}

/// The lines of a part of a text; a part that ends with a line break has no
/// empty line after it.
pub(crate) fn lines(text: &str, part: Range<usize>) -> impl Iterator<Item = Line> {
    let bytes = text.as_bytes();
    let mut start = part.start;
    std::iter::from_fn(move || {
        let rest = bytes.get(start..part.end).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let end = start + length.unwrap_or(rest.len());
        let next = end + break_length(&bytes[end..part.end]);
        let line = Line { start, end, next };
        start = next;
        Some(line)
    })
}

/// The lines of a text, the last first.
pub(super) fn lines_from_end(text: &str) -> impl Iterator<Item = Line> {
    let mut next = text.len();
    std::iter::from_fn(move || {
        let rest = text[..next].strip_suffix('\n').unwrap_or(&text[..next]);
        let content = rest.strip_suffix('\r').unwrap_or(rest);
        let line = Line {
            start: content.rfind(['\n', '\r']).map_or(0, |at| at + 1),
            end: content.len(),
            next,
        };
        (next > 0).then(|| {
            next = line.start;
            line
        })
    })
}

/// Length in bytes of the line break a text begins with.
pub(super) fn break_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// The characters YAML takes for blanks inside a line.
pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts() {
        let text = "a\nb\r\nc\rd\n\n\r\re";
        let contents: Vec<&str> = lines(text, 0..text.len())
            .map(|line| line.content(text))
            .collect();
        assert_eq!(contents, ["a", "b", "c", "d", "", "", "", "e"]);
        let mut backwards: Vec<Line> = lines_from_end(text).collect();
        backwards.reverse();
        assert_eq!(backwards, lines(text, 0..text.len()).collect::<Vec<_>>());
        assert_eq!(lines_from_end("").count(), 0);
        assert_eq!(lines("", 0..0).count(), 0);
        assert_eq!(lines("x\n", 0..2).count(), 1);
    }

    #[test]
    fn line_endings_are_told_by_the_first_and_applied_to_all() {
        assert_eq!(LineEnding::of("a\r\nb\n"), LineEnding::CrLf);
        assert_eq!(LineEnding::of("a\rb\n"), LineEnding::Cr);
        assert_eq!(LineEnding::of("a"), LineEnding::Lf);
        assert_eq!(LineEnding::CrLf.apply("a\nb\r\nc\r"), "a\r\nb\r\nc\r\n");
    }
}
