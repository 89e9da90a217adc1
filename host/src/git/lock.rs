//! The lock that git itself takes to change the index: the file `index.lock`,
//! in which the next index is made ready, and which then becomes the index.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use git2::Index;

use super::hindrance::Hindrance;

/// An index without entries: signature, version 2, no entries, checksum.
const EMPTY: &[u8; 32] = b"DIRC\0\0\0\x02\0\0\0\0\
    \x39\xd8\x90\x13\x9e\xe5\x35\x6c\x7e\xf5\x72\x21\x6c\xeb\xcd\x27\xaa\x41\xf9\xdf";

/// The lock on a repository's index, given up when it is dropped.
#[derive(Debug)]
pub(super) struct IndexLock {
    index: PathBuf,
    lock: PathBuf,
    is_held: bool,
}

impl IndexLock {
    /// Takes the lock; what is in the index is then in the lock file too.
    pub(super) fn take(git: &git2::Repository) -> Result<Self, Hindrance> {
        let index = git.path().join("index");
        let lock = git.path().join("index.lock");
        let file = match File::options().write(true).create_new(true).open(&lock) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(Hindrance::Busy(format!("{} exists", lock.display())));
            }
            Err(source) => return Err(Hindrance::Disk { path: lock, source }),
        };
        let taken = Self {
            index,
            lock,
            is_held: true,
        };
        match taken.copy_into(file) {
            Ok(()) => Ok(taken),
            Err(source) => Err(Hindrance::Disk {
                path: taken.index.clone(),
                source,
            }),
        }
    }

    /// The index.
    pub(super) fn index(&self) -> &Path {
        &self.index
    }

    /// Opens the next index, which `git` then works with.
    pub(super) fn open(&self, git: &git2::Repository) -> Result<Index, git2::Error> {
        let mut index = Index::open(&self.lock)?;
        git.set_index(&mut index)?;
        Ok(index)
    }

    /// Makes the next index the index, and gives up the lock.
    pub(super) fn replace_index(mut self) -> io::Result<()> {
        fs::rename(&self.lock, &self.index)?;
        self.is_held = false;
        Ok(())
    }

    /// The copy is as old as the original: that is how files are told that
    /// may have changed since without a trace.
    fn copy_into(&self, mut file: File) -> io::Result<()> {
        match File::open(&self.index) {
            Ok(mut index) => {
                io::copy(&mut index, &mut file)?;
                file.set_modified(index.metadata()?.modified()?)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => file.write_all(EMPTY),
            Err(error) => Err(error),
        }
    }
}

impl Drop for IndexLock {
    fn drop(&mut self) {
        if self.is_held {
            // Nothing can be done about it here; the next one who wants the
            // lock says what to do.
            let _ = fs::remove_file(&self.lock);
        }
    }
}
