//! What keeps a repository from being used or asked.

use std::io;
use std::path::PathBuf;

/// The result of what has to do with git.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a repository cannot be used, or does not have what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A directory or file could not be reached.
    #[error("{}: {source}", path.display())]
    Disk {
        /// Where.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// The repository belongs to another user, so that git does not trust it.
    #[error(
        "git does not trust the repository of {0}, which belongs to another user; if you do, \
         run `git config --global --add safe.directory '{0}'`", path.display()
    )]
    Untrusted {
        /// The vault.
        path: PathBuf,
    },

    /// The repository has no work tree.
    #[error(
        "{} is a bare repository and has no files; keep the vault in a clone of it",
        path.display()
    )]
    Bare {
        /// The repository.
        path: PathBuf,
    },

    /// The repository's work tree is somewhere else.
    #[error(
        "the repository of {} keeps its files in {}; see its setting `core.worktree`",
        vault.display(), work_tree.display()
    )]
    Elsewhere {
        /// The vault.
        vault: PathBuf,
        /// The root of the work tree.
        work_tree: PathBuf,
    },

    /// The repository is damaged, or of a kind that cannot be read here.
    #[error("the repository of {} cannot be used: {reason}", path.display())]
    Unusable {
        /// The vault.
        path: PathBuf,
        /// What libgit2 said.
        reason: String,
    },

    /// A path is none in the vault.
    #[error("`{path}` is no path in the vault; give it relative to the vault, with `/`")]
    Path {
        /// The path as it was given.
        path: String,
    },

    /// A revision names no commit.
    #[error("`{revision}` names no commit: {reason}; `git log` shows those there are")]
    Revision {
        /// The revision as it was given.
        revision: String,
        /// What libgit2 said.
        reason: String,
    },

    /// A revision does not have the file.
    #[error("there was no `{path}` at `{revision}`; its history shows when there was")]
    Absent {
        /// The path as it was given.
        path: String,
        /// The revision as it was given.
        revision: String,
    },
}
