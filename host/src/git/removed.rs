//! Finding a file that is not there any more.

use git2::{Commit, Delta, DiffOptions};

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
