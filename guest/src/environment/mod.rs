//! The world outside the engine: files, clocks, randomness.
//!
//! Everything the engine does to a disk goes through [`Environment`], one
//! method a host call, so that the calls can be counted and made to fail one
//! by one. Three implementations stand side by side: `Wasi` (the component),
//! `Native` (a Rust program, through cap-std) and [`Faulty`] (in memory, for
//! tests). Nothing here knows what a memory is.
//!
//! **A call** is one operation on a descriptor or stream: open, read, write,
//! stat, one listed entry, rename, link, unlink, sync. Dropping a handle is
//! none. The costs named below are in calls.

mod faulty;
mod files;
mod lines;
#[cfg(not(target_os = "wasi"))]
mod native;
mod path;
#[cfg(target_os = "wasi")]
mod wasi;

use std::rc::Rc;
use std::time::Duration;

pub use faulty::{Faulty, Injection, Machine, Plan};
pub use files::{
    append_line, create_directories, is_there, list_sorted, read_expecting, read_file,
    sync_directory, write_new, write_synced,
};
pub use lines::{BackwardLines, lines_backwards};
#[cfg(not(target_os = "wasi"))]
pub use native::Native;
pub use path::{PathError, VaultPath};
#[cfg(target_os = "wasi")]
pub use wasi::Wasi;

use crate::timestamp::Timestamp;

/// Most bytes one [`OpenFile::read`] returns.
pub const READ_LIMIT: usize = 64 * 1024;

/// Most bytes one [`OpenFile::append`] takes.
pub const APPEND_LIMIT: usize = 4096;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, only in listings: a stat follows links.
    Link,
    /// Anything else.
    Other,
}

/// Size and time of a file or directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change of the content, nanoseconds since 1970; for a
    /// directory, of the last entry added, renamed or removed.
    pub mtime: u64,
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, without the directory.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// An existing file or directory, for reading, stat and sync.
    Read,
    /// An existing or new file, for appending.
    Append,
    /// A file that must not exist yet, for writing.
    CreateNew,
}

/// Why a call on a path failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IoErrorKind {
    /// Nothing is there.
    #[error("no such file or directory")]
    NotFound,
    /// Something is there already.
    #[error("already exists")]
    AlreadyExists,
    /// The sandbox or the owner forbids it.
    #[error("not permitted")]
    NotPermitted,
    /// The file system or the preopen is read-only.
    #[error("read-only")]
    ReadOnly,
    /// The disk or the quota is full.
    #[error("no space left")]
    NoSpace,
    /// A rename or link would cross file systems.
    #[error("on another file system")]
    CrossDevice,
    /// A part of the path is no directory.
    #[error("not a directory")]
    NotDirectory,
    /// A directory stands where a file was expected.
    #[error("is a directory")]
    IsDirectory,
    /// A directory still holds something.
    #[error("directory not empty")]
    NotEmpty,
    /// The file system cannot do this.
    #[error("not supported here")]
    Unsupported,
    /// The name is too long or malformed for the file system.
    #[error("unusable name")]
    InvalidName,
    /// The disk or the host failed.
    #[error("input/output error")]
    Failed,
}

/// A failed call: which operation, on which path, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {operation} {path}: {kind}")]
pub struct IoError {
    /// What was tried, an infinitive: `open`, `read`, `rename`.
    pub operation: &'static str,
    /// The path it was tried on.
    pub path: VaultPath,
    /// Why it failed.
    pub kind: IoErrorKind,
}

/// What a call on a path answers.
pub type IoResult<T> = Result<T, IoError>;

/// An open file or directory. It does what it was opened for: read, append,
/// or write a new file; each can sync and stat. Anything else is
/// [`IoErrorKind::Failed`] without a call.
pub trait OpenFile {
    /// Reads up to `length` bytes (at most [`READ_LIMIT`]) from `offset`.
    /// Fewer than asked for does not mean the end; none does.
    ///
    /// # Errors
    /// Any [`IoErrorKind`] the host answers.
    fn read(&self, length: usize, offset: u64) -> IoResult<Vec<u8>>;

    /// Writes at `offset` and returns how many bytes were taken, which may be
    /// fewer than given.
    ///
    /// # Errors
    /// [`IoErrorKind::NoSpace`] and whatever else the host answers.
    fn write(&self, bytes: &[u8], offset: u64) -> IoResult<usize>;

    /// Appends at most [`APPEND_LIMIT`] bytes at the end, wherever another
    /// process has moved it to. Costs two calls: stream and write.
    ///
    /// # Errors
    /// [`IoErrorKind::NoSpace`] and whatever else the host answers.
    fn append(&self, bytes: &[u8]) -> IoResult<()>;

    /// Waits until content and size are on the disk; for a directory, its
    /// entries.
    ///
    /// # Errors
    /// Any [`IoErrorKind`] the host answers.
    fn sync(&self) -> IoResult<()>;

    /// Size and time.
    ///
    /// # Errors
    /// Any [`IoErrorKind`] the host answers.
    fn stat(&self) -> IoResult<Stat>;
}

/// Files below the vault, clocks and randomness.
///
/// Every method on a path is one call unless it says otherwise. Opening and
/// asking follow symbolic links as long as they stay inside the vault;
/// `rename`, `link` and `unlink` act on a link itself.
pub trait Environment {
    /// Opens a file or directory.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`], [`IoErrorKind::AlreadyExists`] for
    /// [`Open::CreateNew`], or whatever else the host answers.
    fn open(&self, path: &VaultPath, how: Open) -> IoResult<Box<dyn OpenFile + '_>>;

    /// Size and time of what the path leads to.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`], or whatever else the host answers.
    fn stat(&self, path: &VaultPath) -> IoResult<Stat>;

    /// Whether the path is a symbolic link; what it leads to does not matter.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`], or whatever else the host answers.
    fn is_link(&self, path: &VaultPath) -> IoResult<bool>;

    /// The names in a directory, in no particular order; names that are not
    /// UTF-8 are left out; any other fault in an entry fails the whole, since
    /// a name that is missing would look like a file that is gone. Costs two
    /// calls (open and read), one for each entry and one for the end.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`], [`IoErrorKind::NotDirectory`], or whatever
    /// else the host answers.
    fn list(&self, path: &VaultPath) -> IoResult<Vec<Entry>>;

    /// Makes a directory; its parent must exist.
    ///
    /// # Errors
    /// [`IoErrorKind::AlreadyExists`], or whatever else the host answers.
    fn create_directory(&self, path: &VaultPath) -> IoResult<()>;

    /// Moves a file or directory; a file at `to` is replaced in one step.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`], [`IoErrorKind::CrossDevice`], or whatever
    /// else the host answers; the error names `from`.
    fn rename(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()>;

    /// Gives a file a second name, which must not exist.
    ///
    /// # Errors
    /// [`IoErrorKind::AlreadyExists`], [`IoErrorKind::Unsupported`] where
    /// there are no hard links, or whatever else the host answers; the error
    /// names `to`.
    fn link(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()>;

    /// Removes a file's name.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`], or whatever else the host answers.
    fn unlink(&self, path: &VaultPath) -> IoResult<()>;

    /// Removes an empty directory.
    ///
    /// # Errors
    /// [`IoErrorKind::NotEmpty`], or whatever else the host answers.
    fn remove_directory(&self, path: &VaultPath) -> IoResult<()>;

    /// Whether the vault may only be read. No call: known from the start.
    fn is_read_only(&self) -> bool;

    /// The time of day.
    fn now(&self) -> Timestamp;

    /// A clock that never runs backwards, from an arbitrary start.
    fn elapsed(&self) -> Duration;

    /// Waits.
    fn sleep(&self, duration: Duration);

    /// 64 random bits.
    fn random(&self) -> u64;
}

/// A shared environment is one, so that whoever gives it to a vault can keep
/// a handle on it.
impl<E: Environment + ?Sized> Environment for Rc<E> {
    fn open(&self, path: &VaultPath, how: Open) -> IoResult<Box<dyn OpenFile + '_>> {
        (**self).open(path, how)
    }

    fn stat(&self, path: &VaultPath) -> IoResult<Stat> {
        (**self).stat(path)
    }

    fn is_link(&self, path: &VaultPath) -> IoResult<bool> {
        (**self).is_link(path)
    }

    fn list(&self, path: &VaultPath) -> IoResult<Vec<Entry>> {
        (**self).list(path)
    }

    fn create_directory(&self, path: &VaultPath) -> IoResult<()> {
        (**self).create_directory(path)
    }

    fn rename(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        (**self).rename(from, to)
    }

    fn link(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        (**self).link(from, to)
    }

    fn unlink(&self, path: &VaultPath) -> IoResult<()> {
        (**self).unlink(path)
    }

    fn remove_directory(&self, path: &VaultPath) -> IoResult<()> {
        (**self).remove_directory(path)
    }

    fn is_read_only(&self) -> bool {
        (**self).is_read_only()
    }

    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn elapsed(&self) -> Duration {
        (**self).elapsed()
    }

    fn sleep(&self, duration: Duration) {
        (**self).sleep(duration);
    }

    fn random(&self) -> u64 {
        (**self).random()
    }
}
