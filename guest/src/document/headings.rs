//! The headings of a body, told line by line.
//!
//! A heading here is a line `# name` at the margin, outside of code blocks:
//! what a person types to divide a note. Lines underlined with `===` or `---`
//! and headings inside lists and quotations divide nothing.
//!
//! One thing is not as in CommonMark: a code block that is never closed hides
//! nothing. Somebody forgot three characters, and all that stands below would
//! otherwise be lost to every reader.

use std::ops::Range;

use super::lines::{Line, is_blank, lines};

/// A line that is a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading<'t> {
    /// From 1 for `#` to 6 for `######`.
    pub level: u8,
    /// What it says, without the marks around it; may be empty.
    pub name: &'t str,
    /// Where its line lies in the text, without the line break, in bytes.
    pub line: Range<usize>,
    /// Where the next line begins.
    pub next: usize,
}

/// The headings of a text in their order, in time linear in its length.
pub fn headings(text: &str) -> impl Iterator<Item = Heading<'_>> {
    let mut scan = Scan::of(text);
    std::iter::from_fn(move || scan.next_heading())
}

/// The marks that open the first code block that is never closed, if there is
/// one.
pub fn open_fence(text: &str) -> Option<&str> {
    let mut scan = Scan::of(text);
    while scan.next_heading().is_some() {}
    scan.open
}

fn heading(text: &str, line: Line) -> Option<Heading<'_>> {
    let content = line.content(text);
    let after = content.trim_start_matches('#');
    let level = u8::try_from(content.len() - after.len()).ok()?;
    let is_heading = (1..=6).contains(&level) && (after.is_empty() || after.starts_with(is_blank));
    is_heading.then(|| Heading {
        level,
        name: without_closing(after.trim_matches(is_blank)),
        line: line.start..line.end,
        next: line.next,
    })
}

/// `name ##` is `name`, but `C#` is `C#`.
fn without_closing(name: &str) -> &str {
    let before = name.trim_end_matches('#');
    if before.is_empty() || before.ends_with(is_blank) {
        before.trim_end_matches(is_blank)
    } else {
        name
    }
}

/// The line that opens or closes a code block.
#[derive(Clone, Copy)]
struct Fence<'t> {
    marks: &'t str,
    is_bare: bool,
}

impl<'t> Fence<'t> {
    /// The marks that a line begins with, at most three blanks before them.
    fn of(line: &'t str) -> Option<Self> {
        let inner = line.trim_start_matches(' ');
        let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let rest = inner.trim_start_matches(mark);
        let marks = &inner[..inner.len() - rest.len()];
        let is_fence = marks.len() >= 3 && line.len() - inner.len() <= 3;
        is_fence.then(|| Fence {
            marks,
            is_bare: rest.trim_matches(is_blank).is_empty(),
        })
    }

    fn opening(line: &'t str) -> Option<Self> {
        let fence = Self::of(line)?;
        let is_inline_code =
            fence.marks.starts_with('`') && line.trim_start()[fence.marks.len()..].contains('`');
        (!is_inline_code).then_some(fence)
    }

    fn is_closed_by(self, other: Fence<'_>) -> bool {
        other.is_bare && other.marks.starts_with(self.marks)
    }
}

/// The way through a text, line by line, past its code blocks.
struct Scan<'t> {
    text: &'t str,
    /// Where the next line begins.
    at: usize,
    /// The marks of the first code block that is never closed.
    open: Option<&'t str>,
    /// The shortest marks that nothing closes from here on, of backticks and
    /// of tildes: nobody looks twice for what is not there.
    never_closed: [usize; 2],
}

impl<'t> Scan<'t> {
    fn of(text: &'t str) -> Self {
        Scan {
            text,
            at: 0,
            open: None,
            never_closed: [usize::MAX; 2],
        }
    }

    fn next_heading(&mut self) -> Option<Heading<'t>> {
        loop {
            let line = lines(self.text, self.at..self.text.len()).next()?;
            self.at = line.next;
            if let Some(fence) = Fence::opening(line.content(self.text)) {
                self.pass(fence);
            } else if let Some(heading) = heading(self.text, line) {
                return Some(heading);
            }
        }
    }

    /// Goes to the end of the code block that was just opened, if it has one.
    fn pass(&mut self, fence: Fence<'t>) {
        let never_closed = &mut self.never_closed[usize::from(fence.marks.starts_with('~'))];
        let closes = |line: &Line| {
            let other = Fence::of(line.content(self.text));
            other.is_some_and(|other| fence.is_closed_by(other))
        };
        let closing = (fence.marks.len() < *never_closed)
            .then(|| lines(self.text, self.at..self.text.len()).find(closes))
            .flatten();
        match closing {
            Some(line) => self.at = line.next,
            None => {
                *never_closed = fence.marks.len().min(*never_closed);
                self.open.get_or_insert(fence.marks);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u8, &str)> {
        headings(text)
            .map(|heading| (heading.level, heading.name))
            .collect()
    }

    #[test]
    fn headings_stand_at_the_margin() {
        let text = "# A\n## B ##\r\n###\tC#\r######  D  # \n##\n#no\n####### no\n ## no\n> ## no\n- ## no\nE\n==\n";
        assert_eq!(
            seen(text),
            [(1, "A"), (2, "B"), (3, "C#"), (6, "D"), (2, "")]
        );
        let all: Vec<_> = headings(text).collect();
        assert_eq!(&text[all[1].line.clone()], "## B ##");
        assert!(text[all[1].next..].starts_with("###\tC#"));
        assert_eq!(seen(""), []);
    }

    #[test]
    fn code_blocks_hide_them() {
        for text in [
            "```\n## no\n```\n## B",
            "   ~~~~ rust\n## no\n~~~\n## no\n~~~~~  \n## B",
            "```\n~~~\n## no\n```\n## B\n~~~",
            "```a`b\n## B",
            "    ```\n## B\n    ```",
            "~~~`\n## no\n~~~\n## B",
        ] {
            assert_eq!(seen(text), [(2, "B")], "{text}");
        }
    }

    #[test]
    fn a_code_block_that_is_never_closed_hides_nothing() {
        let text = "````\n## A\n```\n## no\n```\n## B";
        assert_eq!(seen(text), [(2, "A"), (2, "B")]);
        assert_eq!(open_fence(text), Some("````"));
        assert_eq!(open_fence("```\n```\n~~~ x\ny"), Some("~~~"));
        assert_eq!(open_fence("```\nx\n```\n"), None);
    }

    #[test]
    fn many_open_code_blocks_take_linear_time() {
        let started = std::time::Instant::now();
        let text = "```x\n~~~y\n## A\n".repeat(1 << 17);
        assert_eq!(headings(&text).count(), 1 << 17);
        assert!(started.elapsed().as_secs() < 20);
    }
}
