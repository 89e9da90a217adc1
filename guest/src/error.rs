//! What a call of the engine answers when it cannot do what was asked.

use crate::environment::{IoError, IoErrorKind, PathError};

/// Why a call failed. The texts name the path or field and say what to do
/// next; the cases are those of the interface's `error`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An argument is unusable.
    #[error("{0}")]
    InvalidArgument(String),
    /// No such memory, or no vault yet.
    #[error("{0}")]
    NotFound(String),
    /// The memory is at another revision.
    #[error("{0}")]
    RevisionConflict(String),
    /// Something of that name is there.
    #[error("{0}")]
    AlreadyExists(String),
    /// The format has no place for it.
    #[error("{0}")]
    Unsupported(String),
    /// It would do harm.
    #[error("{0}")]
    Refused(String),
    /// Another process is changing the vault.
    #[error("{0}")]
    Busy(String),
    /// The vault can only be read.
    #[error("the vault is read-only: open it for writing to change it")]
    ReadOnly,
    /// A file is damaged.
    #[error("{0}")]
    Corrupt(String),
    /// The file system failed.
    #[error("{0}")]
    Io(String),
}

/// What the calls of the engine answer.
pub type Result<T> = std::result::Result<T, Error>;

impl From<IoError> for Error {
    fn from(error: IoError) -> Self {
        match error.kind {
            IoErrorKind::ReadOnly => Error::ReadOnly,
            IoErrorKind::NoSpace => Error::Io(format!(
                "{error}: free some space and try again; nothing was lost"
            )),
            IoErrorKind::NotPermitted => Error::Io(format!(
                "{error}: check its permissions, and that no link leads out of the vault"
            )),
            _ => Error::Io(error.to_string()),
        }
    }
}

impl From<PathError> for Error {
    fn from(error: PathError) -> Self {
        Error::InvalidArgument(error.to_string())
    }
}
