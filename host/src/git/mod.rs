//! Keeps a vault under git.
//!
//! After a change the engine hands its host a message and the files that the
//! change touched. [`Repository::commit`] makes a commit of them: of these
//! files and nothing else, whatever a person has staged or edited meanwhile.
//! Programs that change one vault take turns ([`Repository::turn`]).
//! The memory is on disk by then, so a commit that cannot be made is no error
//! but a warning. [`Repository::history`], [`Repository::content`] and
//! [`Repository::diff`] look back, and follow a file that was moved.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use inkvault::git::{ChangedFile, Repository};
//!
//! # fn main() -> inkvault::git::Result<()> {
//! let (repository, _) = Repository::create(Path::new("notes"))?;
//! let turn = repository.turn();
//! // … a change that makes a file …
//! let file = ChangedFile {
//!     path: "common/偏好-缩进.md".to_owned(),
//!     before: None,
//!     after: Some("0123456789abcdef".to_owned()),
//! };
//! let outcome = repository.commit("mem: 记 偏好-缩进", &[file]);
//! drop(turn);
//! for warning in outcome.warnings {
//!     eprintln!("{warning}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! No program is started: git's own files are read and written through
//! libgit2. So hooks do not run, commits are not signed, and files that a
//! filter of git's applies to (as those of git-lfs and git-crypt) are not
//! committed. Repositories that use SHA-256, reftables or a split index cannot
//! be used. Nothing here knows the engine or the formats.

mod blob;
mod branch;
mod commit;
mod diff;
mod disk;
mod error;
mod hindrance;
mod history;
mod lock;
mod moves;
mod plan;
mod removed;
mod turn;
mod way;

use std::fmt;
use std::path::{Path, PathBuf};

use git2::{Config, ErrorCode, RepositoryInitOptions, RepositoryOpenFlags};

pub use commit::{ChangedFile, Outcome};
pub use error::{Error, Result};
pub use history::{Content, Deed, Version};
pub use turn::Turn;

/// The branch a new repository begins with where git's settings name none.
const INITIAL_BRANCH: &str = "main";

/// The git repository that a vault lies in.
pub struct Repository {
    git: git2::Repository,
    /// The vault as it was given.
    vault: PathBuf,
    /// The root of the work tree, without symbolic links.
    work_tree: PathBuf,
    /// The vault's place in the work tree: empty, else it ends with `/`.
    prefix: String,
}

impl Repository {
    /// Opens the repository whose work tree is the vault itself; `None` where
    /// there is none, or the vault is but a part of one.
    ///
    /// # Errors
    ///
    /// When the vault cannot be reached, or there is a repository that cannot
    /// be used.
    pub fn at(vault: &Path) -> Result<Option<Self>> {
        let found = Self::open(vault, RepositoryOpenFlags::NO_SEARCH)?;
        Ok(found.filter(|repository| repository.prefix.is_empty()))
    }

    /// Opens the repository that the vault lies in, looking upward as git
    /// does: not beyond a file system.
    ///
    /// # Errors
    ///
    /// Those of [`Self::at`].
    pub fn around(vault: &Path) -> Result<Option<Self>> {
        Self::open(vault, RepositoryOpenFlags::empty())
    }

    /// Opens the repository whose work tree is the vault itself, and makes it
    /// where there is none, with the branch that git's settings name, else
    /// `main`. The second value tells whether it was made.
    ///
    /// # Errors
    ///
    /// Those of [`Self::at`], and when it cannot be made.
    pub fn create(vault: &Path) -> Result<(Self, bool)> {
        if let Some(repository) = Self::at(vault)? {
            return Ok((repository, false));
        }
        let git = init(vault).map_err(|error| unusable(vault, &error))?;
        Ok((Self::over(git, vault)?, true))
    }

    /// The root of the work tree, without symbolic links.
    #[must_use]
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    fn open(vault: &Path, flags: RepositoryOpenFlags) -> Result<Option<Self>> {
        let no_ceilings: [&str; 0] = [];
        match git2::Repository::open_ext(resolved(vault)?, flags, no_ceilings) {
            Ok(git) => Self::over(git, vault).map(Some),
            Err(error) if error.code() == ErrorCode::NotFound && !is_linked(vault) => Ok(None),
            Err(error) if error.code() == ErrorCode::Owner => Err(Error::Untrusted {
                path: vault.to_owned(),
            }),
            Err(error) => Err(unusable(vault, &error)),
        }
    }

    fn over(git: git2::Repository, vault: &Path) -> Result<Self> {
        let Some(work_tree) = git.workdir() else {
            return Err(Error::Bare {
                path: git.path().to_owned(),
            });
        };
        let work_tree = resolved(work_tree)?;
        let Ok(place) = resolved(vault)?.strip_prefix(&work_tree).map(as_prefix) else {
            return Err(Error::Elsewhere {
                vault: vault.to_owned(),
                work_tree,
            });
        };
        let Some(prefix) = place else {
            return Err(Error::Unusable {
                path: vault.to_owned(),
                reason: "its path is not UTF-8".to_owned(),
            });
        };
        Ok(Self {
            git,
            vault: vault.to_owned(),
            work_tree,
            prefix,
        })
    }

    /// The path in the repository of a path in the vault; `None` where it is
    /// none, or leads into git's own files.
    fn in_repository(&self, path: &str) -> Option<String> {
        let fits = path.split('/').all(|name| {
            !matches!(name, "" | "." | "..")
                && !name.eq_ignore_ascii_case(".git")
                && !name.contains(['\0', std::path::MAIN_SEPARATOR])
        });
        fits.then(|| format!("{}{path}", self.prefix))
    }

    /// The path in the vault of a path in the repository; `None` where it
    /// lies outside.
    fn in_vault<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(&self.prefix)
    }

    fn unusable(&self, error: &git2::Error) -> Error {
        unusable(&self.vault, error)
    }
}

impl fmt::Debug for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repository")
            .field("vault", &self.vault)
            .field("work_tree", &self.work_tree)
            .finish_non_exhaustive()
    }
}

fn init(vault: &Path) -> Result<git2::Repository, git2::Error> {
    let mut options = RepositoryInitOptions::new();
    let named = Config::open_default()?.get_string("init.defaultBranch");
    if named.is_err() {
        options.initial_head(INITIAL_BRANCH);
    }
    git2::Repository::init_opts(vault, &options)
}

/// Whether there is a file `.git` in the vault, which names a repository.
fn is_linked(vault: &Path) -> bool {
    vault.join(".git").is_file()
}

fn resolved(path: &Path) -> Result<PathBuf> {
    path.canonicalize().map_err(|source| Error::Disk {
        path: path.to_owned(),
        source,
    })
}

/// `a/b` as `a/b/`; `None` where it is not UTF-8.
fn as_prefix(path: &Path) -> Option<String> {
    let mut prefix = String::new();
    for name in path {
        prefix.push_str(name.to_str()?);
        prefix.push('/');
    }
    Some(prefix)
}

fn unusable(vault: &Path, error: &git2::Error) -> Error {
    Error::Unusable {
        path: vault.to_owned(),
        reason: error.message().to_owned(),
    }
}
