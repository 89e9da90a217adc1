//! Why a call failed.
//!
//! The engine's own answers, traps and exhausted limits are kept apart: an
//! answer leaves the vault as it was, a trap has cost the instance, a limit is
//! the host's doing.

use std::path::PathBuf;

use crate::limits::LimitKind;
use crate::types;

/// The result of a call.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of any kind, for those that come from below.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine did not do what was asked, and says why.
    #[error("{}", .0.text())]
    Memory(types::Error),

    /// The vault's directory could not be opened.
    #[error("{}: {source}", path.display())]
    Directory {
        /// The directory as it was given.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },

    /// The component cannot be used as an engine.
    #[error("{} is no engine of inkvault: {}", named(path), root(source))]
    Component {
        /// Its file; absent for the one that is built in.
        path: Option<PathBuf>,
        /// What is wrong with it.
        source: Cause,
    },

    /// The engine failed. Its instance is gone and the next call gets a new
    /// one. A call that only reads was tried twice; of a call that changes
    /// the vault it is unknown how far it came; the lock it held is given up,
    /// and the next change completes it.
    #[error("the engine failed in {call}: {message}")]
    Trap {
        /// The function of the interface.
        call: &'static str,
        /// The engine's last words, else the trap's name; one line.
        message: String,
        /// The trap, with the place in the engine.
        source: Cause,
    },

    /// The engine was stopped at a limit. What is said of a trap's instance
    /// and of changes holds here too, but nothing was tried twice.
    #[error("{call} needs more than {limit}, and was stopped")]
    Limit {
        /// The function of the interface.
        call: &'static str,
        /// The limit and what it allows.
        limit: LimitKind,
    },
}

impl From<types::Error> for Error {
    fn from(error: types::Error) -> Self {
        Self::Memory(error)
    }
}

fn named(path: &Option<PathBuf>) -> String {
    match path {
        Some(path) => path.display().to_string(),
        None => "the built-in component".to_owned(),
    }
}

/// The innermost cause in one line: what lies around it are backtraces.
pub(crate) fn root(error: &Cause) -> String {
    let mut cause: &dyn std::error::Error = error.as_ref();
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string().lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_reads_as_the_engine_worded_it() {
        let error = Error::from(types::Error::NotFound("no memory `m-1`".to_owned()));
        assert_eq!(error.to_string(), "no memory `m-1`");
        let error = Error::from(types::Error::ReadOnly);
        assert_eq!(error.to_string(), "the vault can be read but not changed");
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = Error::Directory {
            path: "/nowhere".into(),
            source: std::io::ErrorKind::NotFound.into(),
        };
        assert_eq!(error.to_string(), "/nowhere: entity not found");
    }

    #[test]
    fn the_root_is_one_line() {
        let source = wasmtime::Error::msg("first\nsecond").context("around it");
        assert_eq!(root(&source.into_boxed_dyn_error()), "first second");
    }
}
