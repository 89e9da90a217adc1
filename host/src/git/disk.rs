//! Files on disk, as git sees them.

use std::fs::{self, Metadata};
use std::io::{self, Write as _};
use std::path::Path;

use git2::{AttrCheckFlags, AttrValue, FileMode, IndexEntry, IndexTime, Oid};

/// A file or symbolic link on disk.
#[derive(Debug)]
pub(super) struct OnDisk {
    /// Its content; of a link where it points to.
    pub(super) bytes: Vec<u8>,
    /// What is known of it. It is older than the content: a change in between
    /// shows as a change later.
    metadata: Metadata,
}

impl OnDisk {
    /// Reads what is at the path; `None` where that is no file and no link.
    pub(super) fn read(path: &Path) -> io::Result<Option<Self>> {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let bytes = if metadata.is_symlink() {
            fs::read_link(path)?.into_os_string().into_encoded_bytes()
        } else if metadata.is_file() {
            fs::read(path)?
        } else {
            return Ok(None);
        };
        Ok(Some(Self { bytes, metadata }))
    }

    pub(super) fn is_link(&self) -> bool {
        self.metadata.is_symlink()
    }

    /// Puts it among the repository's objects, with line ends as git keeps
    /// them.
    pub(super) fn store(&self, git: &git2::Repository, path: &str) -> Result<Oid, git2::Error> {
        if self.is_link() {
            git.blob(&self.bytes)
        } else {
            store(git, path, &self.bytes)
        }
    }

    /// Its kind where the last commit has it as `before`: the executable bit
    /// stays as it was there.
    pub(super) fn mode(&self, git: &git2::Repository, before: Option<u32>) -> u32 {
        let link = u32::from(FileMode::Link);
        match before {
            _ if self.is_link() => link,
            Some(before) if before != link => before,
            _ if has_executable_bits(git) && is_executable(&self.metadata) => {
                FileMode::BlobExecutable.into()
            }
            _ => FileMode::Blob.into(),
        }
    }

    /// Its entry in the index.
    pub(super) fn entry(&self, path: &str, id: Oid, mode: u32) -> IndexEntry {
        let mut entry = IndexEntry {
            ctime: IndexTime::new(0, 0),
            mtime: IndexTime::new(0, 0),
            dev: 0,
            ino: 0,
            mode,
            uid: 0,
            gid: 0,
            file_size: 0,
            id,
            flags: 0,
            flags_extended: 0,
            path: path.as_bytes().to_vec(),
        };
        recognize(&mut entry, &self.metadata);
        entry
    }
}

/// Puts a file's content among the repository's objects, with line ends as git
/// keeps them.
pub(super) fn store(git: &git2::Repository, path: &str, bytes: &[u8]) -> Result<Oid, git2::Error> {
    let mut writer = git.blob_writer(Some(Path::new(path)))?;
    writer
        .write_all(bytes)
        .map_err(|error| git2::Error::from_str(&error.to_string()))?;
    writer.commit()
}

/// What only git itself can do to the file before it is committed, if
/// anything: another program's filter, or another encoding.
pub(super) fn filter(git: &git2::Repository, path: &str) -> Result<Option<String>, git2::Error> {
    for name in ["filter", "working-tree-encoding"] {
        let flags = AttrCheckFlags::FILE_THEN_INDEX;
        let value = git.get_attr_bytes(Path::new(path), name, flags)?;
        if let AttrValue::Bytes(value) = AttrValue::always_bytes(value) {
            return Ok(Some(String::from_utf8_lossy(value).into_owned()));
        }
    }
    Ok(None)
}

/// Why git cannot have a file at this path, if it cannot.
pub(super) fn barrier(work_tree: &Path, path: &str) -> Option<&'static str> {
    for (end, _) in path.match_indices('/') {
        let above = work_tree.join(&path[..end]);
        if above.is_symlink() {
            return Some("it lies behind a symbolic link");
        }
        if above.join(".git").exists() {
            return Some("it lies in a repository of its own");
        }
    }
    None
}

fn is_absence(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn has_executable_bits(git: &git2::Repository) -> bool {
    let setting = git
        .config()
        .and_then(|config| config.get_bool("core.fileMode"));
    setting.unwrap_or(true)
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    const OWNER_MAY_EXECUTE: u32 = 0o100;
    metadata.permissions().mode() & OWNER_MAY_EXECUTE != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    false
}

/// Notes down by what git recognizes an unchanged file without reading it. It
/// keeps the low 32 bits of each number.
#[cfg(unix)]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the index has 32 bits for each"
)]
fn recognize(entry: &mut IndexEntry, metadata: &Metadata) {
    use std::os::unix::fs::MetadataExt as _;
    let time = |seconds: i64, nanoseconds: i64| IndexTime::new(seconds as i32, nanoseconds as u32);
    entry.ctime = time(metadata.ctime(), metadata.ctime_nsec());
    entry.mtime = time(metadata.mtime(), metadata.mtime_nsec());
    entry.dev = metadata.dev() as u32;
    entry.ino = metadata.ino() as u32;
    entry.uid = metadata.uid();
    entry.gid = metadata.gid();
    entry.file_size = metadata.size() as u32;
}

/// Elsewhere git reads the file the next time it wants to know.
#[cfg(not(unix))]
fn recognize(_: &mut IndexEntry, _: &Metadata) {}
