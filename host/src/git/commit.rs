//! Commits the files that a change touched, and nothing else.
//!
//! As git itself does, the index is locked first and the next one made ready
//! in the lock file; then the branch is moved, if it is still where it was;
//! then the next index becomes the index. Until the branch is moved nothing
//! has changed but for objects that nobody refers to.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use git2::{DiffOptions, Index, Oid, Signature, Tree};

use super::Repository;
use super::branch::Branch;
use super::hindrance::{self, Hindrance};
use super::lock::IndexLock;
use super::plan::{self, Plan};

/// How long another git is waited for.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Who commits where git's settings do not say.
const NAME: &str = "inkvault";
const ADDRESS: &str = "inkvault@localhost";

/// A file that a change touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path relative to the vault, with `/`.
    pub path: String,
    /// Its revision before the change, the first 16 hexadecimal digits of the
    /// SHA-256 of its bytes; `None` where there was no such file.
    pub before: Option<String>,
    /// Its revision after the change; `None` where it is gone.
    pub after: Option<String>,
}

impl ChangedFile {
    /// A file that was made, as it is now.
    ///
    /// # Errors
    ///
    /// Those of reading it.
    pub fn made(vault: &Path, path: &str) -> io::Result<Self> {
        let bytes = fs::read(vault.join(path))?;
        Ok(Self {
            path: path.to_owned(),
            before: None,
            after: Some(plan::fingerprint(&bytes)),
        })
    }
}

/// What became of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The commit's full id; `None` where none was made.
    pub commit: Option<String>,
    /// Why none was made, or what was not committed with it. Without a commit
    /// and without warnings there was nothing to commit.
    pub warnings: Vec<String>,
}

impl Repository {
    /// Commits these files as they are on disk now, and nothing else, to the
    /// branch that is checked out. Other changes, staged or not, stay as they
    /// are.
    ///
    /// No commit is made, and a warning says what to do, where a file was not
    /// as last committed before the change already, is not as the change left
    /// it any more, or is staged in another version; where no branch is checked out, a merge or the like is under
    /// way, or there are conflicts; and where another git holds a lock for
    /// more than about a second. A file with a filter of git's, as those of
    /// git-crypt have, is left to git as well. Files that git ignores, or that
    /// it cannot have since they lie behind a symbolic link, are left out,
    /// with a warning.
    #[must_use]
    pub fn commit(&self, message: &str, files: &[ChangedFile]) -> Outcome {
        match patiently(|| self.try_commit(message, files)) {
            Ok(outcome) => outcome,
            Err(hindrance) => Outcome {
                commit: None,
                warnings: vec![format!("not committed to git: {hindrance}")],
            },
        }
    }

    fn try_commit(&self, message: &str, files: &[ChangedFile]) -> Result<Outcome, Hindrance> {
        // Opened anew, so that it knows nothing of the index as it was.
        let git = git2::Repository::open(self.git.path())?;
        let lock = IndexLock::take(&git)?;
        let branch = Branch::checked_out(&git)?;
        let mut index = lock.open(&git)?;
        if index.has_conflicts() {
            return Err(Hindrance::Conflicts);
        }
        let tree = branch.tree()?;
        let mut plan = Plan::new(self, &git, tree.as_ref(), files)?;
        if plan.is_empty() {
            return Ok(Outcome {
                commit: None,
                warnings: plan.notes,
            });
        }
        plan.check(&git, &index)?;
        let tree = git.find_tree(plan.tree(&git, tree.as_ref())?)?;
        plan.enter(&mut index)?;
        index.write()?;
        let commit = create(&git, &branch, message, &tree)?;
        publish(&branch, commit, message, lock)?;
        plan.notes.extend(others(&git, &tree, &index));
        Ok(Outcome {
            commit: Some(commit.to_string()),
            warnings: plan.notes,
        })
    }
}

/// Tries again for a while as long as the hindrance may pass.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, Hindrance>) -> Result<T, Hindrance> {
    let began = Instant::now();
    loop {
        match attempt() {
            Err(hindrance) if hindrance.may_pass() && began.elapsed() < PATIENCE => {
                thread::sleep(PAUSE);
            }
            settled => return settled,
        }
    }
}

/// Makes the commit, which nobody refers to yet.
fn create(
    git: &git2::Repository,
    branch: &Branch<'_>,
    message: &str,
    tree: &Tree<'_>,
) -> Result<Oid, git2::Error> {
    let signature = signature(git)?;
    let message = git2::message_prettify(message, None)?;
    let parents = branch.parents();
    git.commit(None, &signature, &signature, &message, tree, &parents)
}

/// Moves the branch on and the index with it: both, or neither.
fn publish(
    branch: &Branch<'_>,
    commit: Oid,
    message: &str,
    lock: IndexLock,
) -> Result<(), Hindrance> {
    branch.advance(commit, message)?;
    let index = lock.index().to_owned();
    lock.replace_index().map_err(|source| {
        // Where this fails too, the index is told to be behind all the same.
        let _ = branch.go_back(commit);
        Hindrance::Disk {
            path: index,
            source,
        }
    })
}

/// Who commits: as git's settings say.
fn signature(git: &git2::Repository) -> Result<Signature<'static>, git2::Error> {
    let config = git.config()?.snapshot()?;
    let name = config.get_str("user.name").unwrap_or(NAME);
    let address = config.get_str("user.email").unwrap_or(ADDRESS);
    Signature::now(name, address).or_else(|_| Signature::now(NAME, ADDRESS))
}

/// A note on what else is staged.
fn others(git: &git2::Repository, tree: &Tree<'_>, index: &Index) -> Option<String> {
    let mut options = DiffOptions::new();
    options.ignore_submodules(true);
    let staged = git.diff_tree_to_index(Some(tree), Some(index), Some(&mut options));
    let staged = staged.ok()?;
    let paths = staged.deltas().filter_map(|delta| {
        let path = delta.new_file().path_bytes()?;
        Some(String::from_utf8_lossy(path).into_owned())
    });
    let paths: Vec<_> = paths.collect();
    let verb = if paths.len() == 1 { "is" } else { "are" };
    let listed = hindrance::listed(&paths);
    (!paths.is_empty())
        .then(|| format!("{listed} {verb} staged by somebody else and left out of the commit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again() {
        let mut tries = 0;
        let settled = patiently(|| {
            tries += 1;
            if tries < 3 {
                return Err(Hindrance::Busy("a lock".to_owned()));
            }
            Ok(tries)
        });
        assert_eq!(settled.unwrap(), 3);
    }

    #[test]
    fn what_will_not_pass_is_tried_once() {
        let mut tries = 0;
        let settled = patiently(|| {
            tries += 1;
            Err::<(), _>(Hindrance::Detached)
        });
        assert!(settled.is_err());
        assert_eq!(tries, 1);
    }

    #[test]
    fn a_branch_does_not_move_without_the_index() {
        let dir = tempfile::tempdir().unwrap();
        let git = git2::Repository::init(dir.path()).unwrap();
        let commit = |branch: &Branch<'_>, message: &str| {
            let empty = git.treebuilder(None).unwrap().write().unwrap();
            let tree = git.find_tree(empty).unwrap();
            create(&git, branch, message, &tree).unwrap()
        };
        let unborn = Branch::checked_out(&git).unwrap();
        let first = commit(&unborn, "first");
        assert!(publish(&unborn, first, "first", broken_lock(&git)).is_err());
        assert!(git.head().is_err());

        let lock = IndexLock::take(&git).unwrap();
        publish(&unborn, first, "first", lock).unwrap();
        let born = Branch::checked_out(&git).unwrap();
        let second = commit(&born, "second");
        assert!(publish(&born, second, "second", broken_lock(&git)).is_err());
        assert_eq!(git.head().unwrap().target(), Some(first));
    }

    /// A lock whose file has gone, so that it cannot become the index.
    fn broken_lock(git: &git2::Repository) -> IndexLock {
        let lock = IndexLock::take(git).unwrap();
        fs::remove_file(lock.index().with_extension("lock")).unwrap();
        lock
    }
}
