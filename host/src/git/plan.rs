//! What of a change is to be committed, and whether it may be: the files are
//! held against the last commit, the index and the disk.

use std::collections::HashSet;
use std::path::Path;

use git2::build::TreeUpdateBuilder;
use git2::{Index, Oid, Tree};
use sha2::{Digest as _, Sha256};

use super::blob::Blob;
use super::commit::ChangedFile;
use super::disk::{self, OnDisk};
use super::hindrance::Hindrance;
use super::{Repository, hindrance};

/// What is to be committed.
pub(super) struct Plan {
    steps: Vec<Step>,
    /// Files that are gone and that git never had.
    unknown: Vec<String>,
    /// Files that are not as the change left them.
    changed_since: Vec<String>,
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
}

/// One file that is not as in the last commit.
struct Step {
    /// Its path in the vault.
    shown: String,
    /// Its path in the repository.
    path: String,
    /// Its revision before the change, as the engine saw it.
    before: Option<String>,
    /// What the last commit has there.
    committed: Option<Blob>,
    /// What is on disk.
    found: Option<(OnDisk, Blob)>,
}

impl Plan {
    /// Makes out which files are to be committed over `tree`, that of the
    /// newest commit if there is one. Paths that are
    /// given twice count once.
    pub(super) fn new(
        repository: &Repository,
        git: &git2::Repository,
        tree: Option<&Tree<'_>>,
        files: &[ChangedFile],
    ) -> Result<Self, Hindrance> {
        let mut plan = Self {
            steps: Vec::new(),
            unknown: Vec::new(),
            changed_since: Vec::new(),
            notes: Vec::new(),
        };
        let mut seen = HashSet::new();
        for file in files {
            if seen.insert(&file.path) {
                plan.add(repository, git, tree, file)?;
            }
        }
        Ok(plan)
    }

    fn add(
        &mut self,
        repository: &Repository,
        git: &git2::Repository,
        tree: Option<&Tree<'_>>,
        file: &ChangedFile,
    ) -> Result<(), Hindrance> {
        let Some(path) = repository.in_repository(&file.path) else {
            return Err(Hindrance::Path(file.path.clone()));
        };
        if let Some(reason) = disk::barrier(repository.work_tree(), &path) {
            self.leave_out(file, reason);
            return Ok(());
        }
        let committed = match tree {
            Some(tree) => Blob::of(tree, &path)?,
            None => None,
        };
        let found = read(repository, &path)?;
        let revision = found.as_ref().map(|found| fingerprint(&found.bytes));
        // What a link points to is not told by the revision of what was read
        // through it.
        let is_link = found.as_ref().is_some_and(OnDisk::is_link);
        if revision != file.after && !is_link {
            self.changed_since.push(file.path.clone());
            return Ok(());
        }
        // Nothing is put among the objects that is not to be committed.
        if committed.is_none() {
            let is_ignored = git.is_path_ignored(&path)?;
            if found.is_none() {
                if file.before.is_some() && !is_ignored {
                    self.unknown.push(file.path.clone());
                }
                return Ok(());
            }
            if is_ignored {
                self.leave_out(file, "git ignores it");
                return Ok(());
            }
        }
        let found = match found {
            Some(found) => Some(store(git, &path, found, committed)?),
            None => None,
        };
        if found.as_ref().map(|(_, blob)| *blob) == committed {
            return Ok(());
        }
        self.steps.push(Step {
            shown: file.path.clone(),
            path,
            before: file.before.clone(),
            committed,
            found,
        });
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.changed_since.is_empty()
    }

    /// Makes sure that nothing of a person's own would be committed or
    /// unstaged.
    pub(super) fn check(&self, git: &git2::Repository, index: &Index) -> Result<(), Hindrance> {
        let mut unknown = self.moved_from_unknown();
        let (mut edited, mut staged) = (Vec::new(), Vec::new());
        for step in &self.steps {
            if step.committed.is_none() && step.before.is_some() {
                unknown.push(step.shown.clone());
            } else if !step.was_as_committed(git)? {
                edited.push(step.shown.clone());
            } else if step.is_staged_otherwise(index) {
                staged.push(step.shown.clone());
            }
        }
        if !self.changed_since.is_empty() {
            let changed = self.changed_since.clone();
            return Err(Hindrance::ChangedSince { changed });
        }
        let all = self.paths();
        if !unknown.is_empty() {
            return Err(Hindrance::Unknown { unknown, all });
        }
        if !edited.is_empty() {
            return Err(Hindrance::Edited { edited, all });
        }
        if !staged.is_empty() {
            return Err(Hindrance::Staged { staged, all });
        }
        Ok(())
    }

    /// Writes the tree that has these files as they are and all else as in
    /// `tree`, if there is one.
    pub(super) fn tree(
        &self,
        git: &git2::Repository,
        tree: Option<&Tree<'_>>,
    ) -> Result<Oid, git2::Error> {
        let Some(tree) = tree else {
            let mut first = Index::new()?;
            self.enter(&mut first)?;
            return first.write_tree_to(git);
        };
        let mut update = TreeUpdateBuilder::new();
        for step in &self.steps {
            match &step.found {
                Some((_, blob)) => update.upsert(&*step.path, blob.id, blob.kind()),
                None => update.remove(&*step.path),
            };
        }
        update.create_updated(git, tree)
    }

    /// Makes the index agree for these files.
    pub(super) fn enter(&self, index: &mut Index) -> Result<(), git2::Error> {
        for step in &self.steps {
            match &step.found {
                Some((file, blob)) => index.add(&file.entry(&step.path, blob.id, blob.mode))?,
                None => index.remove_path(Path::new(&step.path))?,
            }
        }
        Ok(())
    }

    /// Files that git never had and whose content may be in one that is new.
    fn moved_from_unknown(&self) -> Vec<String> {
        let is_new = |step: &Step| step.committed.is_none();
        if self.steps.iter().any(is_new) {
            self.unknown.clone()
        } else {
            Vec::new()
        }
    }

    fn paths(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.shown.clone()).collect()
    }

    fn leave_out(&mut self, file: &ChangedFile, reason: &str) {
        let file = hindrance::listed(std::slice::from_ref(&file.path));
        self.notes
            .push(format!("{file} is not committed: {reason}"));
    }
}

impl Step {
    /// Whether before the change the file was as in the last commit, so that
    /// the change is all there is to commit.
    fn was_as_committed(&self, git: &git2::Repository) -> Result<bool, git2::Error> {
        match (&self.before, self.committed) {
            (None, None) => Ok(true),
            // What a link points to is not told by the revision of what was
            // read through it. To remove it commits no content.
            (Some(_), Some(blob)) if blob.is_link() => Ok(self.found.is_none()),
            (Some(before), Some(blob)) => {
                let committed = git.find_blob(blob.id)?;
                Ok(*before == fingerprint(committed.content())
                    || self.was_checked_out_as(git, before, committed.content())?)
            }
            (None, Some(_)) | (Some(_), None) => Ok(false),
        }
    }

    /// Whether the file of that revision had only other line ends than
    /// `committed`, such as git itself gives and takes away.
    fn was_checked_out_as(
        &self,
        git: &git2::Repository,
        before: &str,
        committed: &[u8],
    ) -> Result<bool, git2::Error> {
        let converted = with_crlf(committed);
        if *before != fingerprint(&converted) {
            return Ok(false);
        }
        let kept = disk::store(git, &self.path, &converted)?;
        Ok(self.committed.is_some_and(|blob| blob.id == kept))
    }

    /// Whether the index has neither what the last commit has nor what is on
    /// disk.
    fn is_staged_otherwise(&self, index: &Index) -> bool {
        let staged = index.get_path(Path::new(&self.path), 0).map(Blob::from);
        staged != self.committed && staged != self.found.as_ref().map(|(_, blob)| *blob)
    }
}

fn read(repository: &Repository, path: &str) -> Result<Option<OnDisk>, Hindrance> {
    let place = repository.work_tree().join(path);
    OnDisk::read(&place).map_err(|source| Hindrance::Disk {
        path: place,
        source,
    })
}

fn store(
    git: &git2::Repository,
    path: &str,
    found: OnDisk,
    committed: Option<Blob>,
) -> Result<(OnDisk, Blob), Hindrance> {
    if let Some(filter) = disk::filter(git, path)?
        && !found.is_link()
    {
        return Err(Hindrance::Filtered {
            path: path.to_owned(),
            filter,
        });
    }
    let blob = Blob {
        id: found.store(git, path)?,
        mode: found.mode(git, committed.map(|blob| blob.mode)),
    };
    Ok((found, blob))
}

/// The revision of a file: the first 16 hexadecimal digits of its SHA-256.
pub(super) fn fingerprint(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut converted = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for &byte in bytes {
        if byte == b'\n' && converted.last() != Some(&b'\r') {
            converted.push(b'\r');
        }
        converted.push(byte);
    }
    converted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_the_one_of_the_engine() {
        assert_eq!(fingerprint(b""), "e3b0c44298fc1c14");
    }

    #[test]
    fn line_ends_are_converted_once() {
        assert_eq!(with_crlf(b"a\nb\r\n\nc"), b"a\r\nb\r\n\r\nc");
    }
}
