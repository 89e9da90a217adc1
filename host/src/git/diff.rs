//! What changed in a file between two versions, as a unified diff.

use std::str;

use git2::{DiffLineType, Patch};

use super::Repository;
use super::disk::{self, OnDisk};
use super::error::{Error, Result};

/// One side of a diff: the file's name and content; `None` where there is no
/// file.
type Side = Option<(String, Vec<u8>)>;

impl Repository {
    /// A unified diff of a file from one revision to another, or to the file
    /// on disk where `to` is `None`; empty where nothing changed. Lines are as
    /// git prints them, names relative to the vault. What is no text is only
    /// said to differ.
    ///
    /// # Errors
    ///
    /// When the path is none in the vault, a revision names no commit, neither
    /// side has the file, or the repository or the file cannot be read.
    pub fn diff(&self, path: &str, from: &str, to: Option<&str>) -> Result<String> {
        let old = self.side(path, from)?;
        let new = match to {
            Some(to) => self.side(path, to)?,
            None => self.on_disk(path)?,
        };
        if old.is_none() && new.is_none() {
            return Err(Error::Absent {
                path: path.to_owned(),
                revision: from.to_owned(),
            });
        }
        diff(old, new).map_err(|error| self.unusable(&error))
    }

    fn side(&self, path: &str, revision: &str) -> Result<Side> {
        let content = self.content_at(path, revision)?;
        Ok(content.map(|content| (content.path, content.bytes)))
    }

    /// The file on disk, with line ends as git keeps them.
    fn on_disk(&self, path: &str) -> Result<Side> {
        let in_repository = self.in_repository(path).ok_or_else(|| Error::Path {
            path: path.to_owned(),
        })?;
        let place = self.work_tree().join(&in_repository);
        let file = OnDisk::read(&place).map_err(|source| Error::Disk {
            path: place,
            source,
        })?;
        let Some(file) = file else {
            return Ok(None);
        };
        let bytes = self
            .kept(&in_repository, file)
            .map_err(|error| self.unusable(&error))?;
        Ok(Some((path.to_owned(), bytes)))
    }

    /// What git would keep of a file. Nothing is written: the objects of the
    /// repository it is asked of are kept in memory.
    fn kept(&self, path: &str, file: OnDisk) -> Result<Vec<u8>, git2::Error> {
        const BEFORE_THE_DISK: i32 = 1_000;
        if file.is_link() {
            return Ok(file.bytes);
        }
        let git = git2::Repository::open(self.git.path())?;
        let objects = git.odb()?;
        objects.add_new_mempack_backend(BEFORE_THE_DISK)?;
        let id = disk::store(&git, path, &file.bytes)?;
        Ok(git.find_blob(id)?.content().to_vec())
    }
}

fn diff(old: Side, new: Side) -> Result<String, git2::Error> {
    let (old_name, old_bytes) = parts(old, "a/");
    let (new_name, new_bytes) = parts(new, "b/");
    if old_bytes == new_bytes {
        return Ok(String::new());
    }
    if !is_text(&old_bytes) || !is_text(&new_bytes) {
        return Ok(format!("Binary files {old_name} and {new_name} differ\n"));
    }
    let mut text = format!("--- {}\n+++ {}\n", ended(&old_name), ended(&new_name));
    let mut patch = Patch::from_buffers(&old_bytes, None, &new_bytes, None, None)?;
    patch.print(&mut |_, _, line| {
        let sign = match line.origin_value() {
            DiffLineType::FileHeader => return true,
            DiffLineType::Context | DiffLineType::Addition | DiffLineType::Deletion => {
                Some(line.origin())
            }
            _ => None,
        };
        text.extend(sign);
        text.push_str(&String::from_utf8_lossy(line.content()));
        true
    })?;
    Ok(text)
}

fn parts(side: Side, prefix: &str) -> (String, Vec<u8>) {
    match side {
        Some((path, bytes)) => (format!("{prefix}{path}"), bytes),
        None => ("/dev/null".to_owned(), Vec::new()),
    }
}

/// A name with spaces ends with a tab, so that it is seen where it ends.
fn ended(name: &str) -> String {
    let end = if name.contains(' ') { "\t" } else { "" };
    format!("{name}{end}")
}

fn is_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok() && !bytes.contains(&0)
}
