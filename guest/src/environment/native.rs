//! A vault on this machine's file system, for Rust programs and tests.
//!
//! Every path is resolved by cap-std below one open directory, so that
//! neither `..` nor a symbolic link leads out of it; the calls mean what they
//! mean in the component. Nothing here knows what the files are.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, File, FileExt, FileType, Metadata, OpenOptions};

use super::{
    APPEND_LIMIT, Entry, Environment, FileKind, IoError, IoErrorKind, IoResult, Open, OpenFile,
    READ_LIMIT, Stat, VaultPath,
};
use crate::timestamp::Timestamp;

/// A directory of this machine.
pub struct Native {
    root: Dir,
    read_only: bool,
    started: Instant,
}

impl Native {
    /// Opens a directory for reading and writing.
    ///
    /// # Errors
    /// The system's, where there is no such directory or it is not ours.
    pub fn open(directory: &Path) -> io::Result<Self> {
        Self::with(directory, false)
    }

    /// Opens a directory for reading: whatever would change it is answered
    /// with [`IoErrorKind::ReadOnly`].
    ///
    /// # Errors
    /// The system's, where there is no such directory or it is not ours.
    pub fn open_read_only(directory: &Path) -> io::Result<Self> {
        Self::with(directory, true)
    }

    fn with(directory: &Path, read_only: bool) -> io::Result<Self> {
        let root = Dir::open_ambient_dir(directory, ambient_authority())?;
        Ok(Native {
            root,
            read_only,
            started: Instant::now(),
        })
    }

    fn check_writable(&self, operation: &'static str, path: &VaultPath) -> IoResult<()> {
        if self.read_only {
            Err(failure(operation, path, IoErrorKind::ReadOnly))
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Native")
            .field("read_only", &self.read_only)
            .finish_non_exhaustive()
    }
}

impl Environment for Native {
    fn open(&self, path: &VaultPath, how: Open) -> IoResult<Box<dyn OpenFile + '_>> {
        if how != Open::Read {
            self.check_writable("open", path)?;
        }
        let mut options = OpenOptions::new();
        match how {
            Open::Read => options.read(true),
            Open::Append => options.append(true).create(true),
            Open::CreateNew => options.write(true).create_new(true),
        };
        let file = self
            .root
            .open_with(system(path), &options)
            .map_err(|e| failed("open", path, &e))?;
        Ok(Box::new(NativeFile {
            file,
            path: path.clone(),
            how,
        }))
    }

    fn stat(&self, path: &VaultPath) -> IoResult<Stat> {
        self.root
            .metadata(system(path))
            .map(stat_of)
            .map_err(|e| failed("stat", path, &e))
    }

    fn is_link(&self, path: &VaultPath) -> IoResult<bool> {
        let stat = self.root.symlink_metadata(system(path));
        stat.map(|stat| stat.is_symlink())
            .map_err(|e| failed("stat", path, &e))
    }

    fn list(&self, path: &VaultPath) -> IoResult<Vec<Entry>> {
        let listed = self.root.read_dir(system(path)).and_then(|directory| {
            directory
                .filter_map(|entry| entry.and_then(|entry| entry_of(&entry)).transpose())
                .collect()
        });
        listed.map_err(|e| failed("list", path, &e))
    }

    fn create_directory(&self, path: &VaultPath) -> IoResult<()> {
        self.check_writable("create directory", path)?;
        self.root
            .create_dir(system(path))
            .map_err(|e| failed("create directory", path, &e))
    }

    fn rename(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        self.check_writable("rename", from)?;
        let renamed = self.root.rename(system(from), &self.root, system(to));
        renamed.map_err(|e| failed("rename", from, &e))
    }

    fn link(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        self.check_writable("link", to)?;
        let linked = self.root.hard_link(system(from), &self.root, system(to));
        linked.map_err(|e| failure("link", to, link_kind(&e)))
    }

    fn unlink(&self, path: &VaultPath) -> IoResult<()> {
        self.check_writable("unlink", path)?;
        self.root
            .remove_file(system(path))
            .map_err(|e| failed("unlink", path, &e))
    }

    fn remove_directory(&self, path: &VaultPath) -> IoResult<()> {
        self.check_writable("remove directory", path)?;
        self.root
            .remove_dir(system(path))
            .map_err(|e| failed("remove directory", path, &e))
    }

    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn now(&self) -> Timestamp {
        let millis = i64::try_from(nanoseconds(SystemTime::now()) / 1_000_000);
        Timestamp::from_millis(millis.unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }

    fn random(&self) -> u64 {
        // Every RandomState has keys of its own, drawn by the system.
        RandomState::new().build_hasher().finish()
    }
}

struct NativeFile {
    file: File,
    path: VaultPath,
    how: Open,
}

impl NativeFile {
    fn check_opened(&self, how: Open, operation: &'static str) -> IoResult<()> {
        if self.how == how {
            Ok(())
        } else {
            Err(self.failure(operation, IoErrorKind::Failed))
        }
    }

    fn failure(&self, operation: &'static str, kind: IoErrorKind) -> IoError {
        failure(operation, &self.path, kind)
    }
}

impl OpenFile for NativeFile {
    fn read(&self, length: usize, offset: u64) -> IoResult<Vec<u8>> {
        self.check_opened(Open::Read, "read")?;
        let mut bytes = vec![0; length.min(READ_LIMIT)];
        let given = read_at(&self.file, &mut bytes, offset);
        bytes.truncate(given.map_err(|e| failed("read", &self.path, &e))?);
        Ok(bytes)
    }

    fn write(&self, bytes: &[u8], offset: u64) -> IoResult<usize> {
        self.check_opened(Open::CreateNew, "write")?;
        write_at(&self.file, bytes, offset).map_err(|e| failed("write", &self.path, &e))
    }

    fn append(&self, bytes: &[u8]) -> IoResult<()> {
        self.check_opened(Open::Append, "append")?;
        if bytes.len() > APPEND_LIMIT {
            return Err(self.failure("append", IoErrorKind::Failed));
        }
        (&self.file)
            .write_all(bytes)
            .map_err(|e| failed("append", &self.path, &e))
    }

    fn sync(&self) -> IoResult<()> {
        self.file.sync_all().map_err(|error| match error.kind() {
            // Descriptors of this kind have no sync.
            ErrorKind::InvalidInput => self.failure("sync", IoErrorKind::Unsupported),
            _ => failed("sync", &self.path, &error),
        })
    }

    fn stat(&self) -> IoResult<Stat> {
        self.file
            .metadata()
            .map(stat_of)
            .map_err(|e| failed("stat", &self.path, &e))
    }
}

#[cfg(not(windows))]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    file.read_at(bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    file.seek_read(bytes, offset)
}

#[cfg(not(windows))]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.write_at(bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    file.seek_write(bytes, offset)
}

/// The path as the system takes it, relative to the root.
fn system(path: &VaultPath) -> &str {
    if path.is_root() { "." } else { path.as_str() }
}

/// An entry; none where its name is not UTF-8 or it is gone again.
fn entry_of(entry: &DirEntry) -> io::Result<Option<Entry>> {
    let Ok(name) = entry.file_name().into_string() else {
        return Ok(None);
    };
    match entry.file_type() {
        Ok(kind) => Ok(Some(Entry {
            name,
            kind: kind_of(kind),
        })),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn stat_of(metadata: Metadata) -> Stat {
    let mtime = metadata
        .modified()
        .map_or(0, |time| nanoseconds(time.into_std()));
    Stat {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        mtime,
    }
}

fn kind_of(kind: FileType) -> FileKind {
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_symlink() {
        FileKind::Link
    } else {
        FileKind::Other
    }
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

fn failed(operation: &'static str, path: &VaultPath, error: &io::Error) -> IoError {
    failure(operation, path, error_kind(error))
}

fn failure(operation: &'static str, path: &VaultPath, kind: IoErrorKind) -> IoError {
    IoError {
        operation,
        path: path.clone(),
        kind,
    }
}

/// What went wrong with a link: Linux answers EPERM, not ENOTSUP, where the
/// file system has no hard links.
fn link_kind(error: &io::Error) -> IoErrorKind {
    const EPERM: i32 = 1;
    match error.kind() {
        ErrorKind::TooManyLinks => IoErrorKind::Unsupported,
        _ if cfg!(unix) && error.raw_os_error() == Some(EPERM) => IoErrorKind::Unsupported,
        _ => error_kind(error),
    }
}

fn error_kind(error: &io::Error) -> IoErrorKind {
    match error.kind() {
        ErrorKind::NotFound => IoErrorKind::NotFound,
        ErrorKind::AlreadyExists => IoErrorKind::AlreadyExists,
        ErrorKind::PermissionDenied => IoErrorKind::NotPermitted,
        ErrorKind::ReadOnlyFilesystem => IoErrorKind::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            IoErrorKind::NoSpace
        }
        ErrorKind::CrossesDevices => IoErrorKind::CrossDevice,
        ErrorKind::NotADirectory => IoErrorKind::NotDirectory,
        ErrorKind::IsADirectory => IoErrorKind::IsDirectory,
        ErrorKind::DirectoryNotEmpty => IoErrorKind::NotEmpty,
        ErrorKind::Unsupported => IoErrorKind::Unsupported,
        ErrorKind::InvalidFilename | ErrorKind::InvalidInput => IoErrorKind::InvalidName,
        _ => IoErrorKind::Failed,
    }
}

#[cfg(test)]
mod tests;
