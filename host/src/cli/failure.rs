//! How a command fails: one line that says what to do next, and an exit code
//! that scripts can use.

use std::io::{self, ErrorKind, Write as _};
use std::path::Path;
use std::process::ExitCode;

use inkvault::types::Error as Refusal;
use inkvault::{Error, LimitKind};

use super::output::style;
use super::output::text::{self, counted};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The vault could not be opened, or did not do what was asked.
    #[error("{}", advice(.0))]
    Vault(#[from] Error),
    /// What git keeps could not be read.
    #[error(transparent)]
    Git(#[from] inkvault::git::Error),
    /// What was given makes no sense.
    #[error("{0}")]
    Usage(String),
    /// A file outside the vault could not be used.
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    /// What was asked for is not done here; the text says why and what to do.
    #[error("{0}")]
    Refused(String),
    /// Of several changes, some failed, each of which was told.
    #[error("{failed} of {all} changes were not made")]
    Some { failed: usize, all: usize, code: u8 },
    /// Of what was to be converted, some was left out, each of which was told.
    #[error(
        "{}; mend what is named above, and convert again into another directory",
        counted(*.0 as u64, "memory was left out", "memories were left out")
    )]
    LeftOut(usize),
    /// A conversion could not go on.
    #[error(
        "after {written} of {all} memories: {}; what was written stays in {target}, remove that and convert again",
        advice(.source)
    )]
    Halted {
        written: u32,
        all: u32,
        target: String,
        source: Error,
    },
    /// The answer could not be printed.
    #[error("the answer could not be printed: {0}")]
    Output(io::Error),
    /// The answer, already printed, is that something is wrong.
    #[error("the vault has errors; `inkvault verify --fix` mends what can be mended")]
    Faulty,
}

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const NOT_FOUND: u8 = 3;
const CONFLICT: u8 = 4;

impl Failure {
    /// A file that could not be read or made.
    pub(crate) fn file(path: &Path, source: io::Error) -> Self {
        let path = path.display().to_string();
        Self::File { path, source }
    }

    /// Tells the person and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if self.is_closed_output() {
            return ExitCode::SUCCESS;
        }
        tell(&self.to_string());
        ExitCode::from(self.code())
    }

    /// Tells the person and what it is about, where the command goes on.
    pub(crate) fn tell_of(&self, what: &str) {
        tell(&format!("{what}: {self}"));
    }

    /// One for several of so many that were told; the exit code is that of the
    /// first. No failure where there are none.
    pub(crate) fn of_some(told: &[Self], all: usize) -> Result<(), Self> {
        told.first().map_or(Ok(()), |first| {
            Err(Self::Some {
                failed: told.len(),
                all,
                code: first.code(),
            })
        })
    }

    /// Whether the reader of the answer has gone, as `head` does when it has
    /// enough: no failure.
    pub(crate) fn is_closed_output(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == ErrorKind::BrokenPipe)
    }

    fn code(&self) -> u8 {
        match self {
            Self::Halted { source, .. } => of_engine(source),
            Self::Vault(error) => of_engine(error),
            Self::Usage(_) => USAGE,
            Self::Some { code, .. } => *code,
            _ => FAILED,
        }
    }
}

/// The exit code for a vault that could not be opened, or did not do what was
/// asked.
fn of_engine(error: &Error) -> u8 {
    match error {
        Error::Memory(Refusal::InvalidArgument(_)) => USAGE,
        Error::Memory(Refusal::NotFound(_)) => NOT_FOUND,
        Error::Memory(Refusal::RevisionConflict(_)) => CONFLICT,
        Error::Directory { source, .. } if source.kind() == ErrorKind::NotFound => NOT_FOUND,
        _ => FAILED,
    }
}

/// Says what failed, in one line on standard error. Where even that cannot be
/// told, the exit code still can.
fn tell(what: &str) {
    let line = text::one_line(what);
    let name = style::FAILURE;
    let _ = writeln!(anstream::stderr(), "{name}inkvault:{name:#} {line}");
}

/// The error, and what to do about it where that is not said yet.
fn advice(error: &Error) -> String {
    match error {
        Error::Directory { path, source } => directory(path, source),
        Error::Memory(Refusal::ReadOnly) => {
            format!("{error}; leave out --read-only, or see who may write its files")
        }
        Error::Trap { .. } => format!("{error}; try again, and report it if it happens again"),
        Error::Limit {
            limit: LimitKind::Result(_),
            ..
        } => format!("{error}; ask for less at once with --limit"),
        _ => error.to_string(),
    }
}

fn directory(path: &Path, source: &io::Error) -> String {
    let shown = path.display();
    match source.kind() {
        ErrorKind::NotFound => {
            format!("there is no directory {shown}; make a vault with `inkvault init {shown}`")
        }
        ErrorKind::NotADirectory => {
            format!("{shown} is no directory; name the vault's directory with --vault DIR")
        }
        _ => format!("the directory {shown} cannot be opened: {source}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(refusal: Refusal) -> u8 {
        Failure::from(Error::from(refusal)).code()
    }

    #[test]
    fn scripts_can_tell_failures_apart() {
        let text = String::new;
        assert_eq!(refused(Refusal::Io(text())), 1);
        assert_eq!(refused(Refusal::InvalidArgument(text())), 2);
        assert_eq!(refused(Refusal::NotFound(text())), 3);
        assert_eq!(refused(Refusal::RevisionConflict(text())), 4);
        assert_eq!(Failure::Usage(text()).code(), 2);
        assert_eq!(Failure::Refused(text()).code(), 1);
        let some = Failure::Some {
            failed: 1,
            all: 2,
            code: NOT_FOUND,
        };
        assert_eq!(some.code(), 3);
        assert_eq!(Failure::LeftOut(2).code(), 1);
    }

    #[test]
    fn what_was_written_before_a_halt_is_told() {
        let halted = Failure::Halted {
            written: 4,
            all: 10,
            target: "/new".to_owned(),
            source: Error::from(Refusal::NotFound("the vault is gone".to_owned())),
        };
        assert_eq!(halted.code(), 3);
        assert_eq!(
            halted.to_string(),
            "after 4 of 10 memories: the vault is gone; what was written stays in /new, remove that and convert again"
        );
    }

    #[test]
    fn a_missing_directory_can_be_made() {
        let failure = Failure::from(Error::Directory {
            path: "notes".into(),
            source: ErrorKind::NotFound.into(),
        });
        assert_eq!(failure.code(), 3);
        assert_eq!(
            failure.to_string(),
            "there is no directory notes; make a vault with `inkvault init notes`"
        );
    }
}
