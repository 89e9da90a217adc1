//! How answers look: text, tables and colour for a person, JSON for a
//! program. Nothing here knows of vaults or commands, except that [`json`]
//! names every record of the interface.

pub(crate) mod json;
pub(crate) mod progress;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;

use std::io::{self, Write as _};

use terminal_size::{Height, Width, terminal_size_of};

use super::failure::Failure;

/// Standard output for answers, standard error for what is said about them.
/// Colour is taken out where there is no terminal or the person wants none
/// (`NO_COLOR`).
pub(crate) struct Screen {
    out: anstream::AutoStream<io::StdoutLock<'static>>,
    aside: anstream::AutoStream<io::Stderr>,
    width: Option<usize>,
    aside_width: Option<usize>,
}

impl Screen {
    pub(crate) fn new() -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        Self {
            width: columns(terminal_size_of(&stdout)),
            aside_width: columns(terminal_size_of(&stderr)),
            out: anstream::AutoStream::auto(stdout.lock()),
            aside: anstream::AutoStream::auto(stderr),
        }
    }

    /// The width for answers in columns; `None` where they do not go to a
    /// terminal, and nothing is to be cut.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// The width for what is said about answers, likewise.
    pub(crate) fn aside_width(&self) -> Option<usize> {
        self.aside_width
    }

    /// Prints a whole answer.
    pub(crate) fn print(&mut self, answer: &str) -> Result<(), Failure> {
        let printed = self.out.write_all(answer.as_bytes());
        printed
            .and_then(|()| self.out.flush())
            .map_err(Failure::Output)
    }

    /// Says something about an answer; that nobody can read it is no failure.
    pub(crate) fn remark(&mut self, remark: &str) {
        let _ = self.aside.write_all(remark.as_bytes());
    }
}

fn columns(terminal: Option<(Width, Height)>) -> Option<usize> {
    terminal.map(|(width, _)| usize::from(width.0))
}
