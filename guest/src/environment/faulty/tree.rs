//! A file tree with the semantics of POSIX: names lead to nodes, a file can
//! have several names, and lives as long as it has a name or is open.
//!
//! It knows no clock (every change is told its time), no limits and no
//! processes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::{Entry, FileKind, IoErrorKind, Stat, VaultPath};

/// What a name leads to.
pub(super) type Id = u64;

/// What a call on the tree answers.
pub(super) type Answer<T> = Result<T, IoErrorKind>;

const ROOT: Id = 0;
const NAME_LIMIT: usize = 255;

#[derive(Clone)]
enum Content {
    // Shared between the forks of a machine until one of them changes it.
    File(Arc<Vec<u8>>),
    Directory(BTreeMap<String, Id>),
}

#[derive(Clone)]
struct Node {
    content: Content,
    mtime: u64,
    names: u32,
    handles: u32,
}

/// The tree.
#[derive(Clone)]
pub(super) struct Tree {
    nodes: BTreeMap<Id, Node>,
    next: Id,
}

impl Tree {
    pub(super) fn new(now: u64) -> Self {
        let content = Content::Directory(BTreeMap::new());
        let root = Node {
            content,
            mtime: now,
            names: 1,
            handles: 0,
        };
        Tree {
            nodes: BTreeMap::from([(ROOT, root)]),
            next: ROOT + 1,
        }
    }

    pub(super) fn find(&self, path: &VaultPath) -> Answer<Id> {
        let mut parts = path.as_str().split('/').filter(|part| !part.is_empty());
        parts.try_fold(ROOT, |directory, part| {
            self.names(directory)?
                .get(part)
                .copied()
                .ok_or(IoErrorKind::NotFound)
        })
    }

    pub(super) fn stat(&self, id: Id) -> Answer<Stat> {
        let node = self.node(id)?;
        let (kind, size) = match &node.content {
            Content::File(bytes) => (FileKind::File, bytes.len() as u64),
            Content::Directory(_) => (FileKind::Directory, 0),
        };
        Ok(Stat {
            kind,
            size,
            mtime: node.mtime,
        })
    }

    pub(super) fn list(&self, id: Id) -> Answer<Vec<Entry>> {
        let names = self.names(id)?.iter();
        names
            .map(|(name, &id)| {
                Ok(Entry {
                    name: name.clone(),
                    kind: self.stat(id)?.kind,
                })
            })
            .collect()
    }

    pub(super) fn create_file(&mut self, path: &VaultPath, now: u64) -> Answer<Id> {
        self.create(path, Content::File(Arc::default()), now)
    }

    pub(super) fn create_directory(&mut self, path: &VaultPath, now: u64) -> Answer<Id> {
        self.create(path, Content::Directory(BTreeMap::new()), now)
    }

    pub(super) fn rename(&mut self, from: &VaultPath, to: &VaultPath, now: u64) -> Answer<()> {
        let moved = self.find(from)?;
        self.check_name(from)?;
        self.check_name(to)?;
        self.names(self.find(&to.parent())?)?;
        if self.is_directory(moved) && is_below(to, from) {
            return Err(IoErrorKind::InvalidName);
        }
        match self.find(to) {
            Ok(replaced) if replaced == moved => return Ok(()),
            Ok(replaced) => self.check_replaceable(replaced, moved)?,
            Err(_) => {}
        }
        self.remove_name(from, now)?;
        if self.find(to).is_ok() {
            let replaced = self.remove_name(to, now)?;
            self.lose_name(replaced);
        }
        self.add_name(to, moved, now)
    }

    pub(super) fn link(&mut self, from: &VaultPath, to: &VaultPath, now: u64) -> Answer<()> {
        let file = self.find(from)?;
        self.check_free(to)?;
        if self.is_directory(file) {
            return Err(IoErrorKind::Unsupported);
        }
        self.add_name(to, file, now)?;
        self.change(file, |node| node.names += 1)
    }

    pub(super) fn unlink(&mut self, path: &VaultPath, now: u64) -> Answer<()> {
        if self.is_directory(self.find(path)?) {
            return Err(IoErrorKind::IsDirectory);
        }
        let file = self.remove_name(path, now)?;
        self.lose_name(file);
        Ok(())
    }

    pub(super) fn remove_directory(&mut self, path: &VaultPath, now: u64) -> Answer<()> {
        let directory = self.find(path)?;
        self.check_name(path)?;
        if !self.names(directory)?.is_empty() {
            return Err(IoErrorKind::NotEmpty);
        }
        self.remove_name(path, now)?;
        self.lose_name(directory);
        Ok(())
    }

    pub(super) fn content(&self, id: Id) -> Answer<&[u8]> {
        match &self.node(id)?.content {
            Content::File(bytes) => Ok(bytes),
            Content::Directory(_) => Err(IoErrorKind::IsDirectory),
        }
    }

    pub(super) fn write(&mut self, id: Id, bytes: &[u8], offset: u64, now: u64) -> Answer<()> {
        let start = usize::try_from(offset).map_err(|_| IoErrorKind::NoSpace)?;
        let end = start.checked_add(bytes.len()).ok_or(IoErrorKind::NoSpace)?;
        self.change_content(id, now, |content| {
            content.resize(content.len().max(end), 0);
            content[start..end].copy_from_slice(bytes);
        })
    }

    pub(super) fn replace_content(&mut self, id: Id, bytes: &[u8], now: u64) -> Answer<()> {
        self.change_content(id, now, |content| *content = bytes.to_vec())
    }

    pub(super) fn set_mtime(&mut self, id: Id, mtime: u64) -> Answer<()> {
        self.change(id, |node| node.mtime = mtime)
    }

    /// Bytes in all files, each counted once whatever its names.
    pub(super) fn used(&self) -> u64 {
        let sizes = self
            .nodes
            .keys()
            .map(|&id| self.content(id).map_or(0, <[u8]>::len) as u64);
        sizes.sum()
    }

    /// Every file by its path, a file with two names twice.
    pub(super) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        self.collect_files(&VaultPath::root(), ROOT, &mut files);
        files
    }

    /// Keeps a node for a handle, also without a name.
    pub(super) fn hold(&mut self, id: Id) {
        let _ = self.change(id, |node| node.handles += 1);
    }

    pub(super) fn release(&mut self, id: Id) {
        let _ = self.change(id, |node| node.handles = node.handles.saturating_sub(1));
        self.drop_unused(id);
    }

    /// Forgets all handles: a copy of a machine has none of its processes.
    pub(super) fn release_all(&mut self) {
        self.nodes.values_mut().for_each(|node| node.handles = 0);
        self.nodes.retain(|_, node| node.names > 0);
    }

    fn collect_files(&self, path: &VaultPath, id: Id, files: &mut BTreeMap<String, Vec<u8>>) {
        match self.node(id).map(|node| &node.content) {
            Ok(Content::File(bytes)) => {
                files.insert(path.as_str().to_owned(), bytes.to_vec());
            }
            Ok(Content::Directory(names)) => {
                names
                    .iter()
                    .for_each(|(name, &id)| self.collect_files(&path.join(name), id, files));
            }
            Err(_) => {}
        }
    }

    fn create(&mut self, path: &VaultPath, content: Content, now: u64) -> Answer<Id> {
        self.check_free(path)?;
        let id = self.next;
        self.add_name(path, id, now)?;
        self.nodes.insert(
            id,
            Node {
                content,
                mtime: now,
                names: 1,
                handles: 0,
            },
        );
        self.next += 1;
        Ok(id)
    }

    fn check_free(&self, path: &VaultPath) -> Answer<()> {
        match self.find(path) {
            Ok(_) => Err(IoErrorKind::AlreadyExists),
            Err(IoErrorKind::NotFound) => self.check_name(path),
            Err(kind) => Err(kind),
        }
    }

    fn check_name(&self, path: &VaultPath) -> Answer<()> {
        let usable = !path.is_root() && path.name().len() <= NAME_LIMIT;
        if usable {
            Ok(())
        } else {
            Err(IoErrorKind::InvalidName)
        }
    }

    fn check_replaceable(&self, replaced: Id, by: Id) -> Answer<()> {
        match (self.is_directory(by), self.is_directory(replaced)) {
            (false, false) => Ok(()),
            (false, true) => Err(IoErrorKind::IsDirectory),
            (true, false) => Err(IoErrorKind::NotDirectory),
            (true, true) if self.names(replaced)?.is_empty() => Ok(()),
            (true, true) => Err(IoErrorKind::NotEmpty),
        }
    }

    fn add_name(&mut self, path: &VaultPath, id: Id, now: u64) -> Answer<()> {
        let name = path.name().to_owned();
        self.change_names(path, now, |names| {
            names.insert(name, id);
        })
    }

    fn remove_name(&mut self, path: &VaultPath, now: u64) -> Answer<Id> {
        let id = self.find(path)?;
        self.change_names(path, now, |names| {
            names.remove(path.name());
        })?;
        Ok(id)
    }

    fn lose_name(&mut self, id: Id) {
        let _ = self.change(id, |node| node.names = node.names.saturating_sub(1));
        self.drop_unused(id);
    }

    fn drop_unused(&mut self, id: Id) {
        if self
            .node(id)
            .is_ok_and(|node| node.names == 0 && node.handles == 0)
        {
            self.nodes.remove(&id);
        }
    }

    fn change_names(
        &mut self,
        path: &VaultPath,
        now: u64,
        change: impl FnOnce(&mut BTreeMap<String, Id>),
    ) -> Answer<()> {
        let parent = self.find(&path.parent())?;
        let node = self.nodes.get_mut(&parent).ok_or(IoErrorKind::NotFound)?;
        let Content::Directory(names) = &mut node.content else {
            return Err(IoErrorKind::NotDirectory);
        };
        change(names);
        node.mtime = now;
        Ok(())
    }

    fn change_content(
        &mut self,
        id: Id,
        now: u64,
        change: impl FnOnce(&mut Vec<u8>),
    ) -> Answer<()> {
        let node = self.nodes.get_mut(&id).ok_or(IoErrorKind::NotFound)?;
        let Content::File(bytes) = &mut node.content else {
            return Err(IoErrorKind::IsDirectory);
        };
        change(Arc::make_mut(bytes));
        node.mtime = now;
        Ok(())
    }

    fn change(&mut self, id: Id, change: impl FnOnce(&mut Node)) -> Answer<()> {
        self.nodes
            .get_mut(&id)
            .map(change)
            .ok_or(IoErrorKind::NotFound)
    }

    fn node(&self, id: Id) -> Answer<&Node> {
        self.nodes.get(&id).ok_or(IoErrorKind::NotFound)
    }

    fn names(&self, id: Id) -> Answer<&BTreeMap<String, Id>> {
        match &self.node(id)?.content {
            Content::Directory(names) => Ok(names),
            Content::File(_) => Err(IoErrorKind::NotDirectory),
        }
    }

    fn is_directory(&self, id: Id) -> bool {
        self.names(id).is_ok()
    }
}

fn is_below(path: &VaultPath, directory: &VaultPath) -> bool {
    path.as_str()
        .strip_prefix(directory.as_str())
        .is_some_and(|rest| rest.starts_with('/'))
}
