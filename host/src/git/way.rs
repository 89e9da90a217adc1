//! The way back from the newest commit, along the commits that have to do with
//! a file.
//!
//! A merge that took the file from one of its parents is passed by to that
//! parent, as `git log` does; of one that took it from none the first parent
//! that has it is followed. The way goes on beyond the commit that added the
//! file, since there may have been one of that name before.

use std::collections::HashMap;

use git2::{Commit, ObjectType, Oid, Tree};

use super::blob::Blob;
use super::history::Deed;
use super::{Repository, moves};

/// How many commits are looked at, at most.
const LONGEST: usize = 100_000;

/// How the messages begin of commits that are one change each.
const OF_ONE_CHANGE: &str = "mem: ";

/// The way back from the newest commit.
pub(super) struct Way<'git> {
    repository: &'git Repository,
    /// Finds the file under the name it has in the next commit.
    finder: Finder<'git>,
    next: Option<Commit<'git>>,
    left: usize,
}

/// A commit on the way back.
pub(super) struct Stop<'git> {
    pub(super) commit: Commit<'git>,
    /// What the file is called in it, or was before it, in the repository.
    pub(super) path: String,
    /// What the commit did to it, if anything.
    pub(super) deed: Option<Deed>,
}

impl<'git> Iterator for Way<'git> {
    type Item = Result<Stop<'git>, git2::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let commit = self.next.take()?;
        Some(self.stop(commit))
    }
}

impl<'git> Way<'git> {
    /// The way back of the file that is called `path` in the repository, from
    /// the newest commit.
    pub(super) fn new(
        repository: &'git Repository,
        path: String,
        newest: Option<Commit<'git>>,
    ) -> Self {
        Self {
            repository,
            finder: Finder::new(&repository.git, path),
            next: newest,
            left: LONGEST,
        }
    }

    fn stop(&mut self, commit: Commit<'git>) -> Result<Stop<'git>, git2::Error> {
        let path = self.finder.path.clone();
        let found = self.finder.find(&commit)?;
        let Parent {
            commit: parent,
            had,
        } = parent(&commit, &mut self.finder, found)?;
        let deed = match (had, found) {
            _ if had == found => None,
            (Some(_), None) => Some(Deed::Removed),
            (None, Some(found)) => Some(self.appearance(&commit, parent.as_ref(), found)?),
            _ => Some(Deed::Changed),
        };
        self.next = parent;
        Ok(Stop { commit, path, deed })
    }

    /// Whether a file that the parent does not have was added, or moved there;
    /// then the way goes on under the name it had.
    fn appearance(
        &mut self,
        commit: &Commit<'_>,
        parent: Option<&Commit<'_>>,
        found: Blob,
    ) -> Result<Deed, git2::Error> {
        let Some(parent) = parent else {
            return Ok(Deed::Added);
        };
        let repository = self.repository;
        let trees = (&parent.tree()?, &commit.tree()?);
        let of_one = commit
            .message()
            .is_ok_and(|message| message.starts_with(OF_ONE_CHANGE));
        let source = moves::source(
            &repository.git,
            trees,
            &self.finder.path,
            found.id,
            of_one,
            |path| repository.in_vault(path).is_some(),
        )?;
        let Some(source) = source else {
            return Ok(Deed::Added);
        };
        let from = repository.in_vault(&source).unwrap_or(&source).to_owned();
        self.finder = Finder::new(&repository.git, source);
        Ok(Deed::Moved { from })
    }
}

/// A parent to go on with.
struct Parent<'git> {
    /// Absent at the first commit of all.
    commit: Option<Commit<'git>>,
    /// The file in it.
    had: Option<Blob>,
}

/// The first parent that has the file as it is in the commit, else the first
/// that has it at all, else the first.
fn parent<'git>(
    commit: &Commit<'git>,
    finder: &mut Finder<'_>,
    found: Option<Blob>,
) -> Result<Parent<'git>, git2::Error> {
    let mut best: Option<Parent<'_>> = None;
    for parent in commit.parents() {
        let had = finder.find(&parent)?;
        let is_better = best
            .as_ref()
            .is_none_or(|best| best.had.is_none() && had.is_some());
        let is_same = had == found;
        let parent = Parent {
            commit: Some(parent),
            had,
        };
        if is_same {
            return Ok(parent);
        }
        if is_better {
            best = Some(parent);
        }
    }
    Ok(best.unwrap_or(Parent {
        commit: None,
        had: None,
    }))
}

/// Finds a file in commits. Most of them have most directories in common, so
/// each is read once.
struct Finder<'git> {
    git: &'git git2::Repository,
    /// The file's path in the repository.
    path: String,
    /// What directories have under the name that leads to the file, by the
    /// name's position in the path.
    known: HashMap<(usize, Oid), Option<Entry>>,
}

impl<'git> Finder<'git> {
    fn new(git: &'git git2::Repository, path: String) -> Self {
        Self {
            git,
            path,
            known: HashMap::new(),
        }
    }

    fn find(&mut self, commit: &Commit<'_>) -> Result<Option<Blob>, git2::Error> {
        let last = self.path.split('/').count() - 1;
        let mut directory = commit.tree_id();
        for (position, name) in self.path.split('/').enumerate() {
            let key = (position, directory);
            let entry = match self.known.get(&key) {
                Some(entry) => *entry,
                None => Entry::named(&self.git.find_tree(directory)?, name),
            };
            self.known.insert(key, entry);
            match entry {
                Some(Entry::Directory(id)) => directory = id,
                Some(Entry::File(blob)) if position == last => return Ok(Some(blob)),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}

/// What a directory has under a name.
#[derive(Clone, Copy)]
enum Entry {
    Directory(Oid),
    File(Blob),
}

impl Entry {
    /// What is there under the name; `None` for submodules too.
    fn named(tree: &Tree<'_>, name: &str) -> Option<Self> {
        let entry = tree.get_name(name)?;
        match entry.kind()? {
            ObjectType::Tree => Some(Self::Directory(entry.id())),
            ObjectType::Blob => Some(Self::File(Blob::from(&entry))),
            _ => None,
        }
    }
}
