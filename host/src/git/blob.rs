//! Files among the repository's objects.

use std::path::Path;

use git2::{ErrorCode, FileMode, IndexEntry, ObjectType, Oid, Tree, TreeEntry};

/// A file or symbolic link in a tree or in the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Blob {
    /// Its content.
    pub(super) id: Oid,
    /// Its kind, as git numbers them.
    pub(super) mode: u32,
}

impl Blob {
    /// The file at a path of a tree; `None` where there is none, or a
    /// directory or submodule.
    pub(super) fn of(tree: &Tree<'_>, path: &str) -> Result<Option<Self>, git2::Error> {
        match tree.get_path(Path::new(path)) {
            Ok(entry) if entry.kind() == Some(ObjectType::Blob) => Ok(Some(Self::from(&entry))),
            Ok(_) => Ok(None),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn kind(self) -> FileMode {
        if self.is_link() {
            FileMode::Link
        } else if self.mode == u32::from(FileMode::BlobExecutable) {
            FileMode::BlobExecutable
        } else {
            FileMode::Blob
        }
    }

    pub(super) fn is_link(self) -> bool {
        self.mode == u32::from(FileMode::Link)
    }
}

impl From<&TreeEntry<'_>> for Blob {
    fn from(entry: &TreeEntry<'_>) -> Self {
        Self {
            id: entry.id(),
            mode: entry.filemode().cast_unsigned(),
        }
    }
}

impl From<IndexEntry> for Blob {
    fn from(entry: IndexEntry) -> Self {
        Self {
            id: entry.id,
            mode: entry.mode,
        }
    }
}
