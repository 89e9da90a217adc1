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
pub fn headings(text: &str) -> Vec<Heading<'_>> {
    let lines: Vec<Line> = lines(text, 0..text.len()).collect();
    let mut blocks = CodeBlocks::new(text, &lines);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        match blocks.end(at) {
            Some(end) => at = end,
            None => found.extend(heading(text, line)),
        }
        at += 1;
    }
    found
}

/// The marks that open a code block and are missing at the end of a text, if
/// one is left open.
pub fn open_fence(text: &str) -> Option<&str> {
    let lines: Vec<Line> = lines(text, 0..text.len()).collect();
    let mut blocks = CodeBlocks::new(text, &lines);
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        match (blocks.end(at), Fence::opening(line.content(text))) {
            (Some(end), _) => at = end,
            (None, Some(fence)) => return Some(fence.marks),
            (None, None) => {}
        }
        at += 1;
    }
    None
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

/// Finds where code blocks end, looking for no end twice in vain.
struct CodeBlocks<'t> {
    text: &'t str,
    lines: &'t [Line],
    /// The shortest marks that nothing closes from here on: of backticks, of
    /// tildes.
    never_closed: [usize; 2],
}

impl<'t> CodeBlocks<'t> {
    fn new(text: &'t str, lines: &'t [Line]) -> Self {
        CodeBlocks {
            text,
            lines,
            never_closed: [usize::MAX; 2],
        }
    }

    /// The line that closes the code block opened by line `at`; none where it
    /// opens none, or one that is never closed.
    fn end(&mut self, at: usize) -> Option<usize> {
        let fence = Fence::opening(self.lines.get(at)?.content(self.text))?;
        let never_closed = &mut self.never_closed[usize::from(fence.marks.starts_with('~'))];
        if fence.marks.len() >= *never_closed {
            return None;
        }
        let closes = |line: &Line| {
            Fence::of(line.content(self.text)).is_some_and(|other| fence.is_closed_by(other))
        };
        let end = self.lines[at + 1..].iter().position(closes);
        if end.is_none() {
            *never_closed = fence.marks.len();
        }
        end.map(|offset| at + 1 + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> Vec<(u8, &str)> {
        let found = headings(text).into_iter();
        found.map(|heading| (heading.level, heading.name)).collect()
    }

    #[test]
    fn headings_stand_at_the_margin() {
        let text = "# A\n## B ##\r\n###\tC#\r######  D  # \n##\n#no\n####### no\n ## no\n> ## no\n- ## no\nE\n==\n";
        assert_eq!(
            seen(text),
            [(1, "A"), (2, "B"), (3, "C#"), (6, "D"), (2, "")]
        );
        let all = headings(text);
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
        assert_eq!(headings(&text).len(), 1 << 17);
        assert!(started.elapsed().as_secs() < 20);
    }
}
