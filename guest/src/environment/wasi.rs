//! The vault a host preopens for the component: WASI 0.2, without `std::fs`.
//!
//! The only file that names WASI. It calls the interfaces directly because
//! the standard library's adapter costs up to twenty times as much a call and
//! fails a whole listing for one odd name. Nothing here knows what the files
//! are, nor what the host calls the directory.

use std::fmt;
use std::time::Duration;

use wasip2::clocks::{monotonic_clock, wall_clock};
use wasip2::filesystem::preopens::get_directories;
use wasip2::filesystem::types::{
    Descriptor, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntryStream, ErrorCode,
    OpenFlags, PathFlags, filesystem_error_code,
};
use wasip2::io::streams::StreamError;
use wasip2::random::random::get_random_u64;

use super::{
    APPEND_LIMIT, Entry, Environment, FileKind, IoError, IoErrorKind, IoResult, Open, OpenFile,
    READ_LIMIT, Stat, VaultPath,
};
use crate::timestamp::Timestamp;

/// Entries that fail one after another before a listing is given up.
const FAILED_ENTRIES_LIMIT: usize = 1000;

/// The first directory the host preopened, whatever it is called.
pub struct Wasi {
    root: Descriptor,
    read_only: bool,
}

impl Wasi {
    /// Takes the directory the host gives. Two calls.
    ///
    /// # Errors
    /// [`IoErrorKind::NotFound`] where it gives none.
    pub fn open() -> IoResult<Self> {
        let directory = get_directories().into_iter().next();
        let (root, _) =
            directory.ok_or_else(|| failure("open", &VaultPath::root(), IoErrorKind::NotFound))?;
        let read_only = root.get_flags().is_ok_and(is_read_only);
        Ok(Wasi { root, read_only })
    }

    fn open_at(&self, path: &VaultPath, how: Open) -> Result<Descriptor, ErrorCode> {
        let (open, flags) = match how {
            Open::Read => (OpenFlags::empty(), DescriptorFlags::READ),
            Open::Append => (OpenFlags::CREATE, DescriptorFlags::WRITE),
            Open::CreateNew => (
                OpenFlags::CREATE | OpenFlags::EXCLUSIVE,
                DescriptorFlags::WRITE,
            ),
        };
        self.root
            .open_at(PathFlags::SYMLINK_FOLLOW, host(path), open, flags)
    }

    fn changed(
        &self,
        operation: &'static str,
        path: &VaultPath,
        answer: Result<(), ErrorCode>,
    ) -> IoResult<()> {
        answer.map_err(|code| failure(operation, path, self.changing_kind(code)))
    }

    /// A read-only preopen answers a change with `not-permitted`, like an
    /// escape; only here is it known which of the two it was.
    fn changing_kind(&self, code: ErrorCode) -> IoErrorKind {
        match kind(code) {
            IoErrorKind::NotPermitted if self.read_only => IoErrorKind::ReadOnly,
            kind => kind,
        }
    }
}

impl fmt::Debug for Wasi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Wasi")
            .field("read_only", &self.read_only)
            .finish_non_exhaustive()
    }
}

impl Environment for Wasi {
    fn open(&self, path: &VaultPath, how: Open) -> IoResult<Box<dyn OpenFile + '_>> {
        let opened = self.open_at(path, how).map_err(|code| match how {
            Open::Read => failed("open", path, code),
            Open::Append | Open::CreateNew => failure("open", path, self.changing_kind(code)),
        });
        Ok(Box::new(WasiFile {
            descriptor: opened?,
            path: path.clone(),
            how,
        }))
    }

    fn stat(&self, path: &VaultPath) -> IoResult<Stat> {
        let stat = self.root.stat_at(PathFlags::SYMLINK_FOLLOW, host(path));
        stat.map(|stat| stat_of(&stat))
            .map_err(|code| failed("stat", path, code))
    }

    fn is_link(&self, path: &VaultPath) -> IoResult<bool> {
        let stat = self.root.stat_at(PathFlags::empty(), host(path));
        stat.map(|stat| stat_of(&stat).kind == FileKind::Link)
            .map_err(|code| failed("stat", path, code))
    }

    fn list(&self, path: &VaultPath) -> IoResult<Vec<Entry>> {
        let listed = self
            .open_at(path, Open::Read)
            .and_then(|directory| read_entries(&directory.read_directory()?));
        listed.map_err(|code| failed("list", path, code))
    }

    fn create_directory(&self, path: &VaultPath) -> IoResult<()> {
        self.changed(
            "create directory",
            path,
            self.root.create_directory_at(host(path)),
        )
    }

    fn rename(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        self.changed(
            "rename",
            from,
            self.root.rename_at(host(from), &self.root, host(to)),
        )
    }

    fn link(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        let linked = self
            .root
            .link_at(PathFlags::empty(), host(from), &self.root, host(to));
        linked.map_err(|code| match self.changing_kind(code) {
            // What Linux answers where the file system has no hard links.
            IoErrorKind::NotPermitted if code == ErrorCode::NotPermitted => {
                failure("link", to, IoErrorKind::Unsupported)
            }
            kind => failure("link", to, kind),
        })
    }

    fn unlink(&self, path: &VaultPath) -> IoResult<()> {
        self.changed("unlink", path, self.root.unlink_file_at(host(path)))
    }

    fn remove_directory(&self, path: &VaultPath) -> IoResult<()> {
        self.changed(
            "remove directory",
            path,
            self.root.remove_directory_at(host(path)),
        )
    }

    fn is_read_only(&self) -> bool {
        self.read_only
    }

    fn now(&self) -> Timestamp {
        let now = wall_clock::now();
        let seconds = i64::try_from(now.seconds).unwrap_or(i64::MAX);
        let millis = i64::from(now.nanoseconds / 1_000_000);
        Timestamp::from_millis(seconds.saturating_mul(1000).saturating_add(millis))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_nanos(monotonic_clock::now())
    }

    fn sleep(&self, duration: Duration) {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        monotonic_clock::subscribe_duration(nanoseconds).block();
    }

    fn random(&self) -> u64 {
        get_random_u64()
    }
}

struct WasiFile {
    descriptor: Descriptor,
    path: VaultPath,
    how: Open,
}

impl WasiFile {
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

impl OpenFile for WasiFile {
    fn read(&self, length: usize, offset: u64) -> IoResult<Vec<u8>> {
        self.check_opened(Open::Read, "read")?;
        match self.descriptor.read(length.min(READ_LIMIT) as u64, offset) {
            Ok((bytes, _)) => Ok(bytes),
            // What hosts answer for a directory: it was opened for reading.
            Err(ErrorCode::BadDescriptor) => Err(self.failure("read", IoErrorKind::IsDirectory)),
            Err(code) => Err(self.failure("read", kind(code))),
        }
    }

    fn write(&self, bytes: &[u8], offset: u64) -> IoResult<usize> {
        self.check_opened(Open::CreateNew, "write")?;
        let taken = self.descriptor.write(bytes, offset);
        let taken = taken.map_err(|code| self.failure("write", kind(code)))?;
        usize::try_from(taken).map_err(|_| self.failure("write", IoErrorKind::Failed))
    }

    fn append(&self, bytes: &[u8]) -> IoResult<()> {
        self.check_opened(Open::Append, "append")?;
        if bytes.len() > APPEND_LIMIT {
            // It would trap, and take the whole instance with it.
            return Err(self.failure("append", IoErrorKind::Failed));
        }
        let stream = self.descriptor.append_via_stream();
        let stream = stream.map_err(|code| self.failure("append", kind(code)))?;
        let written = stream.blocking_write_and_flush(bytes);
        written.map_err(|error| self.failure("append", stream_kind(&error)))
    }

    fn sync(&self) -> IoResult<()> {
        self.descriptor.sync().map_err(|code| match code {
            // Descriptors of this kind have no sync on this host.
            ErrorCode::BadDescriptor | ErrorCode::Invalid => {
                self.failure("sync", IoErrorKind::Unsupported)
            }
            code => self.failure("sync", kind(code)),
        })
    }

    fn stat(&self) -> IoResult<Stat> {
        let stat = self.descriptor.stat();
        stat.map(|stat| stat_of(&stat))
            .map_err(|code| self.failure("stat", kind(code)))
    }
}

/// Whether the root's flags say so. A host that tells nothing at all of them
/// (Node's) is taken to let us write.
fn is_read_only(flags: DescriptorFlags) -> bool {
    flags.contains(DescriptorFlags::READ) && !flags.contains(DescriptorFlags::MUTATE_DIRECTORY)
}

/// Reads names until there are no more, passing over those that are not UTF-8
/// or gone again. Any other failure fails the listing: what cannot be listed
/// must not look as if it had been removed.
fn read_entries(stream: &DirectoryEntryStream) -> Result<Vec<Entry>, ErrorCode> {
    let mut entries = Vec::new();
    let mut failures = 0;
    while failures < FAILED_ENTRIES_LIMIT {
        match stream.read_directory_entry() {
            Ok(None) => return Ok(entries),
            Ok(Some(entry)) => {
                failures = 0;
                entries.push(Entry {
                    name: entry.name,
                    kind: kind_of(entry.type_),
                });
            }
            Err(ErrorCode::IllegalByteSequence | ErrorCode::NoEntry) => failures += 1,
            Err(code) => return Err(code),
        }
    }
    Err(ErrorCode::Io)
}

/// The path as the host takes it, relative to the root.
fn host(path: &VaultPath) -> &str {
    if path.is_root() { "." } else { path.as_str() }
}

fn stat_of(stat: &DescriptorStat) -> Stat {
    let mtime = stat.data_modification_timestamp.map_or(0, |time| {
        time.seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(time.nanoseconds.into())
    });
    Stat {
        kind: kind_of(stat.type_),
        size: stat.size,
        mtime,
    }
}

fn kind_of(kind: DescriptorType) -> FileKind {
    match kind {
        DescriptorType::RegularFile => FileKind::File,
        DescriptorType::Directory => FileKind::Directory,
        DescriptorType::SymbolicLink => FileKind::Link,
        _ => FileKind::Other,
    }
}

fn stream_kind(error: &StreamError) -> IoErrorKind {
    match error {
        StreamError::LastOperationFailed(error) => {
            filesystem_error_code(error).map_or(IoErrorKind::Failed, kind)
        }
        StreamError::Closed => IoErrorKind::Failed,
    }
}

fn failed(operation: &'static str, path: &VaultPath, code: ErrorCode) -> IoError {
    failure(operation, path, kind(code))
}

fn failure(operation: &'static str, path: &VaultPath, kind: IoErrorKind) -> IoError {
    IoError {
        operation,
        path: path.clone(),
        kind,
    }
}

fn kind(code: ErrorCode) -> IoErrorKind {
    match code {
        ErrorCode::NoEntry => IoErrorKind::NotFound,
        ErrorCode::Exist => IoErrorKind::AlreadyExists,
        ErrorCode::Access | ErrorCode::NotPermitted => IoErrorKind::NotPermitted,
        ErrorCode::ReadOnly => IoErrorKind::ReadOnly,
        ErrorCode::InsufficientSpace | ErrorCode::Quota | ErrorCode::FileTooLarge => {
            IoErrorKind::NoSpace
        }
        ErrorCode::CrossDevice => IoErrorKind::CrossDevice,
        ErrorCode::NotDirectory => IoErrorKind::NotDirectory,
        ErrorCode::IsDirectory => IoErrorKind::IsDirectory,
        ErrorCode::NotEmpty => IoErrorKind::NotEmpty,
        ErrorCode::Unsupported | ErrorCode::TooManyLinks => IoErrorKind::Unsupported,
        ErrorCode::NameTooLong | ErrorCode::IllegalByteSequence | ErrorCode::Invalid => {
            IoErrorKind::InvalidName
        }
        _ => IoErrorKind::Failed,
    }
}
