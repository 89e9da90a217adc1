//! The vocabulary shared by all interfaces (`wit/types.wit`).
//!
//! Conventions that hold everywhere: a *character* is a Unicode code point;
//! times are UTC in RFC 3339 with milliseconds (`2026-10-19T10:00:00.000Z`);
//! paths are relative to the vault, with `/` between their parts; a *revision*
//! is the first 16 hexadecimal digits of the SHA-256 of a file's bytes.

pub use super::words::UnknownWord;
pub use crate::bindings::inkvault::memory::types::{
    Area, Delivery, Error, Memory, Metadata, Receipt, Role, SimilarMemory, Source, Status,
};

impl Error {
    /// The name the interface has for this kind of error, such as
    /// `revision-conflict`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::InvalidArgument(_) => "invalid-argument",
            Self::NotFound(_) => "not-found",
            Self::RevisionConflict(_) => "revision-conflict",
            Self::AlreadyExists(_) => "already-exists",
            Self::Unsupported(_) => "unsupported",
            Self::Refused(_) => "refused",
            Self::Busy(_) => "busy",
            Self::ReadOnly => "read-only",
            Self::Corrupt(_) => "corrupt",
            Self::Io(_) => "io",
            Self::Other(_) => "other",
        }
    }

    /// What the engine said: which path or field, and what to do next.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::InvalidArgument(text)
            | Self::NotFound(text)
            | Self::RevisionConflict(text)
            | Self::AlreadyExists(text)
            | Self::Unsupported(text)
            | Self::Refused(text)
            | Self::Busy(text)
            | Self::Corrupt(text)
            | Self::Io(text)
            | Self::Other(text) => text,
            Self::ReadOnly => "the vault can be read but not changed",
        }
    }
}
