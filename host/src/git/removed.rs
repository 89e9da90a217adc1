//! Finding files that are not in the last commit: removed, or never there.

use git2::{Commit, Delta, DiffOptions, Status, StatusOptions};

use super::Repository;
use super::error::Result;

/// How many commits are looked at, at most: each has to be compared with the
/// one before.
const LONGEST: usize = 20_000;

impl Repository {
    /// The path of the file that was removed last, or moved away, among those
    /// that are wanted; none where the last commits (20,000 at most) removed
    /// none. The paths are those in the vault.
    ///
    /// # Errors
    ///
    /// When the repository cannot be read.
    pub fn removed(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Option<String>> {
        let mut newest = self
            .git
            .head()
            .ok()
            .and_then(|head| head.peel_to_commit().ok());
        for _ in 0..LONGEST {
            let Some(commit) = newest.take() else {
                break;
            };
            let removed = self.removed_by(&commit, &is_wanted);
            if let Some(path) = removed.map_err(|error| self.unusable(&error))? {
                return Ok(Some(path));
            }
            newest = commit.parent(0).ok();
        }
        Ok(None)
    }

    /// How many files of the vault git neither has nor ignores.
    ///
    /// # Errors
    ///
    /// When the repository cannot be read.
    pub fn unknown(&self) -> Result<usize> {
        let mut options = StatusOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(true);
        let statuses = self.git.statuses(Some(&mut options));
        let statuses = statuses.map_err(|error| self.unusable(&error))?;
        let is_of_vault = |path: &str| self.in_vault(path).is_some();
        let unknown = statuses.iter().filter(|entry| {
            entry.status().contains(Status::WT_NEW) && entry.path().is_ok_and(is_of_vault)
        });
        Ok(unknown.count())
    }

    /// The first of the wanted files that a commit removed.
    fn removed_by(
        &self,
        commit: &Commit<'_>,
        is_wanted: &impl Fn(&str) -> bool,
    ) -> Result<Option<String>, git2::Error> {
        let Ok(parent) = commit.parent(0) else {
            return Ok(None);
        };
        let mut options = DiffOptions::new();
        options.skip_binary_check(true).include_typechange(false);
        let trees = (parent.tree()?, commit.tree()?);
        let diff =
            self.git
                .diff_tree_to_tree(Some(&trees.0), Some(&trees.1), Some(&mut options))?;
        let removed = diff
            .deltas()
            .filter(|delta| delta.status() == Delta::Deleted);
        let mut paths = removed.filter_map(|delta| {
            let path = delta.old_file().path()?.to_str()?;
            Some(self.in_vault(path)?.to_owned())
        });
        Ok(paths.find(|path| is_wanted(path)))
    }
}
