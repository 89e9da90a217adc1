//! Whole files, lines and directories in as few calls as they take.
//!
//! Functions over [`Environment`] that more than one part of the engine
//! needs; each says what it costs in calls. They know no layout of a vault,
//! and nothing of what is in the files.

use super::{
    APPEND_LIMIT, Entry, Environment, FileKind, IoError, IoErrorKind, IoResult, Open, OpenFile,
    READ_LIMIT, Stat, VaultPath,
};

/// Reads a file and the stat its content belongs to.
///
/// Three calls for less than 64 KiB (open, stat, read), two for an empty
/// file, one more for each further 64 KiB. Where the file grows meanwhile,
/// one more read takes what is there, and the bytes outnumber `Stat::size`.
///
/// # Errors
/// [`IoErrorKind::NotFound`], [`IoErrorKind::IsDirectory`],
/// [`IoErrorKind::Failed`] where it does not fit in memory, or whatever else
/// the host answers.
pub fn read_file(environment: &dyn Environment, path: &VaultPath) -> IoResult<(Vec<u8>, Stat)> {
    let file = environment.open(path, Open::Read)?;
    let stat = file.stat()?;
    if stat.kind == FileKind::Directory {
        return Err(failure("read", path, IoErrorKind::IsDirectory));
    }
    let mut bytes = room_for(stat.size, path)?;
    while (bytes.len() as u64) < stat.size {
        if read_piece(&*file, &mut bytes, stat.size)?.is_end() {
            break;
        }
    }
    if bytes.len() as u64 > stat.size {
        read_piece(&*file, &mut bytes, u64::MAX)?;
    }
    Ok((bytes, stat))
}

/// Reads a file whose size is thought to be known.
///
/// Two calls (open, read) for less than 64 KiB of exactly that size, one more
/// for each further 64 KiB. A file of another size is read until a read gives
/// nothing, so the answer is the whole file either way.
///
/// # Errors
/// [`IoErrorKind::NotFound`], [`IoErrorKind::IsDirectory`],
/// [`IoErrorKind::Failed`] where it does not fit in memory, or whatever else
/// the host answers.
pub fn read_expecting(
    environment: &dyn Environment,
    path: &VaultPath,
    size: u64,
) -> IoResult<Vec<u8>> {
    let file = environment.open(path, Open::Read)?;
    let mut bytes = room_for(size, path)?;
    loop {
        let wanted = if bytes.len() as u64 >= size {
            u64::MAX
        } else {
            size
        };
        let piece = read_piece(&*file, &mut bytes, wanted)?;
        let as_expected = bytes.len() as u64 == size && piece.is_short();
        if as_expected || piece.is_end() {
            return Ok(bytes);
        }
    }
}

/// Whether anything is at a path, or what a link there leads to. One call.
///
/// # Errors
/// Whatever the host answers but [`IoErrorKind::NotFound`].
pub fn is_there(environment: &dyn Environment, path: &VaultPath) -> IoResult<bool> {
    match environment.stat(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Writes a file that must not exist yet, and waits until it is on the disk.
///
/// Four calls (open, write, sync, stat), more where the host takes less than
/// everything at once. A file that cannot be finished is removed again, if
/// the host still lets us.
///
/// # Errors
/// [`IoErrorKind::AlreadyExists`], [`IoErrorKind::NoSpace`],
/// [`IoErrorKind::Failed`] where the host takes nothing at all, or whatever
/// else it answers.
pub fn write_new(environment: &dyn Environment, path: &VaultPath, bytes: &[u8]) -> IoResult<Stat> {
    write_then(environment, path, bytes, |file| file.stat())
}

/// Like [`write_new`] for a caller who needs no stat: three calls.
///
/// # Errors
/// As [`write_new`].
pub fn write_synced(environment: &dyn Environment, path: &VaultPath, bytes: &[u8]) -> IoResult<()> {
    write_then(environment, path, bytes, |_| Ok(()))
}

fn write_then<T>(
    environment: &dyn Environment,
    path: &VaultPath,
    bytes: &[u8],
    last: impl FnOnce(&dyn OpenFile) -> IoResult<T>,
) -> IoResult<T> {
    let file = environment.open(path, Open::CreateNew)?;
    let written = write_all(&*file, path, bytes)
        .and_then(|()| file.sync())
        .and_then(|()| last(&*file));
    drop(file);
    if written.is_err() {
        // What is left over is found and removed with other leftovers.
        let _ = environment.unlink(path);
    }
    written
}

/// Appends a line, wherever the end is by then; makes the file where it is
/// missing. A line end is added where the text has none.
///
/// Three calls (open, stream, write) up to 4,096 bytes, two more for each
/// further 4,096. Another process's line can come between two pieces, never
/// within one.
///
/// # Errors
/// [`IoErrorKind::NoSpace`], or whatever else the host answers; the line may
/// then be there in part.
pub fn append_line(environment: &dyn Environment, path: &VaultPath, line: &str) -> IoResult<()> {
    let file = environment.open(path, Open::Append)?;
    let end = if line.ends_with('\n') { "" } else { "\n" };
    let line = [line, end].concat();
    line.as_bytes()
        .chunks(APPEND_LIMIT)
        .try_for_each(|piece| file.append(piece))
}

/// Waits until the names in a directory are on the disk.
///
/// Two calls (open, sync). A host or file system that cannot sync directories
/// ([`IoErrorKind::Unsupported`], [`IoErrorKind::NotPermitted`],
/// [`IoErrorKind::IsDirectory`]) is no failure: there is nothing more to do
/// there, and its own journal keeps renames in order or nothing does.
///
/// # Errors
/// [`IoErrorKind::NotFound`], [`IoErrorKind::Failed`] where the disk failed,
/// or whatever else the host answers.
pub fn sync_directory(environment: &dyn Environment, path: &VaultPath) -> IoResult<()> {
    let synced = environment
        .open(path, Open::Read)
        .and_then(|directory| directory.sync());
    match synced {
        Err(error) if cannot_sync(error.kind) => Ok(()),
        synced => synced,
    }
}

/// The names in a directory, in the order of their bytes.
///
/// Costs what [`Environment::list`] costs: three calls and one for each name.
///
/// # Errors
/// As [`Environment::list`].
pub fn list_sorted(environment: &dyn Environment, path: &VaultPath) -> IoResult<Vec<Entry>> {
    let mut entries = environment.list(path)?;
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Makes a directory and the missing ones above it; one that is there is fine.
///
/// One call where it is there, two where only it is missing, two more for
/// each further missing one.
///
/// # Errors
/// [`IoErrorKind::AlreadyExists`] where something else has its name,
/// [`IoErrorKind::NotDirectory`] where something else stands above it, or
/// whatever else the host answers.
pub fn create_directories(environment: &dyn Environment, path: &VaultPath) -> IoResult<()> {
    match environment.stat(path) {
        Ok(stat) if stat.kind == FileKind::Directory => Ok(()),
        Ok(_) => Err(failure(
            "create directory",
            path,
            IoErrorKind::AlreadyExists,
        )),
        Err(error) if error.kind == IoErrorKind::NotFound => create_missing(environment, path),
        Err(error) => Err(error),
    }
}

fn create_missing(environment: &dyn Environment, path: &VaultPath) -> IoResult<()> {
    let mut created = environment.create_directory(path);
    if matches!(&created, Err(error) if error.kind == IoErrorKind::NotFound) && !path.is_root() {
        create_missing(environment, &path.parent())?;
        created = environment.create_directory(path);
    }
    match created {
        // Another process was faster.
        Err(error) if error.kind == IoErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

fn cannot_sync(kind: IoErrorKind) -> bool {
    matches!(
        kind,
        IoErrorKind::Unsupported | IoErrorKind::NotPermitted | IoErrorKind::IsDirectory
    )
}

fn write_all(file: &dyn OpenFile, path: &VaultPath, bytes: &[u8]) -> IoResult<()> {
    let mut offset = 0;
    while offset < bytes.len() {
        let taken = file.write(&bytes[offset..], offset as u64)?;
        if taken == 0 || taken > bytes.len() - offset {
            return Err(failure("write", path, IoErrorKind::Failed));
        }
        offset += taken;
    }
    Ok(())
}

/// How much a read was asked for and gave.
struct Piece {
    asked: usize,
    given: usize,
}

impl Piece {
    fn is_end(&self) -> bool {
        self.given == 0
    }

    fn is_short(&self) -> bool {
        self.given < self.asked
    }
}

/// Reads on from where `bytes` end, asking for one byte more than makes up
/// `size`: so a file that has grown is noticed without another call.
fn read_piece(file: &dyn OpenFile, bytes: &mut Vec<u8>, size: u64) -> IoResult<Piece> {
    let offset = bytes.len() as u64;
    let wanted = size.saturating_sub(offset).saturating_add(1);
    let asked = usize::try_from(wanted)
        .unwrap_or(READ_LIMIT)
        .min(READ_LIMIT);
    let piece = file.read(asked, offset)?;
    bytes.extend_from_slice(&piece);
    Ok(Piece {
        asked,
        given: piece.len(),
    })
}

/// Room for a file and the byte more that is asked for. A file beyond the
/// memory is an error of that file, not the end of the engine.
fn room_for(size: u64, path: &VaultPath) -> IoResult<Vec<u8>> {
    let too_large = || failure("read", path, IoErrorKind::Failed);
    let capacity = size
        .checked_add(1)
        .and_then(|size| usize::try_from(size).ok());
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(capacity.ok_or_else(too_large)?)
        .map_err(|_| too_large())?;
    Ok(bytes)
}

pub(super) fn failure(operation: &'static str, path: &VaultPath, kind: IoErrorKind) -> IoError {
    IoError {
        operation,
        path: path.clone(),
        kind,
    }
}

#[cfg(test)]
mod tests;
