//! Seeing what others changed on disk, in few host calls.
//!
//! A [`Watch`] remembers the time of each directory. A *glance* asks each
//! directory for its time and lists those that differ: files added, renamed
//! or removed by anyone show there. A *pass* lists everything and asks every
//! file: edits in place show there. Times that are not clearly older than the
//! look at them are not trusted (the "racy git" rule). The watch finds paths;
//! it reads no file and changes no index.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{DocumentNumber, FileMark, Index};
use crate::environment::{Entry, Environment, FileKind, IoErrorKind, IoResult, Stat, VaultPath};
use crate::memory::Area;
use crate::timestamp::Timestamp;

/// Shortest time between two passes that calls make on their own.
const PASS_INTERVAL: Duration = Duration::from_secs(2);
/// So many times its own duration a pass is not repeated.
const PASS_SHARE: u32 = 20;

/// Files in the vault's directories that hold no memory, by path.
pub type SkippedFiles = BTreeMap<String, Skipped>;

/// A file that holds no memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    /// The file as it was read.
    pub mark: FileMark,
    /// What is wrong with it; none for somebody's plain note.
    pub fault: Option<String>,
}

/// A directory that holds memories, as a watch is told of it.
#[derive(Clone, Debug)]
pub struct Root {
    /// The directory.
    pub path: VaultPath,
    /// The part of the vault it is.
    pub area: Area,
    /// How many levels below it are read too.
    pub depth: u8,
}

/// A file that is new or may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The file.
    pub path: VaultPath,
    /// Its size and time.
    pub stat: Stat,
}

/// What a look at the disk found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Files to read.
    pub suspects: Vec<Suspect>,
    /// Files that are gone.
    pub gone: Vec<String>,
    /// Files that cannot even be asked for their size, and why.
    pub unreachable: Vec<(VaultPath, IoErrorKind)>,
}

#[derive(Clone, Debug)]
struct Directory {
    area: Area,
    depth: u8,
    /// None until it was listed, and where it is not there.
    mtime: Option<u64>,
    settled: bool,
}

/// What is known of the vault's directories.
#[derive(Clone, Debug)]
pub struct Watch {
    roots: Vec<Root>,
    directories: BTreeMap<VaultPath, Directory>,
    passed: Option<Passed>,
}

#[derive(Clone, Copy, Debug)]
struct Passed {
    ended: Duration,
    took: Duration,
}

impl Watch {
    /// A watch over directories that were never looked at.
    pub fn new(roots: Vec<Root>) -> Self {
        let directories = roots
            .iter()
            .map(|root| (root.path.clone(), Directory::of(root)))
            .collect();
        Watch {
            roots,
            directories,
            passed: None,
        }
    }

    /// The part of the vault a file lies in.
    pub fn area(&self, path: &VaultPath) -> Area {
        self.directories
            .get(&path.parent())
            .map_or(Area::Active, |directory| directory.area)
    }

    /// Whether a file lies in one of the directories.
    pub fn covers(&self, path: &VaultPath) -> bool {
        self.directories.contains_key(&path.parent())
    }

    /// The directories.
    pub fn directories(&self) -> impl Iterator<Item = &VaultPath> {
        self.directories.keys()
    }

    /// Takes someone's word that a directory whose time was `before` has the
    /// time `after` by their change alone. Disregarded where it was not known
    /// to have the time `before`.
    pub fn vouch(&mut self, directory: &VaultPath, before: u64, after: u64) {
        if let Some(known) = self.directories.get_mut(directory)
            && known.settled
            && known.mtime.unwrap_or_default() == before
        {
            known.mtime = Some(after);
        }
    }

    /// Makes a pass due: something that was seen was not dealt with.
    pub fn distrust(&mut self) {
        self.passed = None;
    }

    /// Whether enough time has gone by for another pass.
    pub fn pass_is_due(&self, now: Duration) -> bool {
        self.passed
            .is_none_or(|last| now >= last.ended + PASS_INTERVAL.max(last.took * PASS_SHARE))
    }

    /// Asks each directory for its time and lists those that differ. Costs a
    /// call for each directory when nothing has changed.
    ///
    /// # Errors
    /// Those of a directory that is there and cannot be read.
    pub fn glance(
        &mut self,
        environment: &dyn Environment,
        index: &Index,
        skipped: &SkippedFiles,
        is_note: &dyn Fn(&VaultPath) -> bool,
    ) -> IoResult<Findings> {
        let known: Vec<_> = self.directories.keys().cloned().collect();
        let mut look = Look::new(environment, index, skipped, is_note);
        for path in known {
            self.look_at(&path, false, &mut look)?;
        }
        Ok(look.finish())
    }

    /// Lists every directory and asks every file.
    ///
    /// # Errors
    /// Those of a directory that is there and cannot be read.
    pub fn pass(
        &mut self,
        environment: &dyn Environment,
        index: &Index,
        skipped: &SkippedFiles,
        is_note: &dyn Fn(&VaultPath) -> bool,
    ) -> IoResult<Findings> {
        let began = environment.elapsed();
        self.directories
            .retain(|path, _| self.roots.iter().any(|root| root.path == *path));
        let mut look = Look::new(environment, index, skipped, is_note);
        for path in self
            .roots
            .iter()
            .map(|root| root.path.clone())
            .collect::<Vec<_>>()
        {
            self.look_at(&path, true, &mut look)?;
        }
        let ended = environment.elapsed();
        self.passed = Some(Passed {
            ended,
            took: ended.saturating_sub(began),
        });
        Ok(look.finish())
    }

    /// Looks at one directory, and at those below it that are new.
    fn look_at(&mut self, path: &VaultPath, always: bool, look: &mut Look<'_>) -> IoResult<()> {
        let Some(known) = self.directories.get(path).cloned() else {
            return Ok(());
        };
        let seen_at = look.environment.now();
        let stat = match look.environment.stat(path) {
            Ok(stat) => stat,
            Err(error) if error.kind == IoErrorKind::NotFound => {
                self.forget(path, look);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if !always && known.settled && known.mtime == Some(stat.mtime) {
            return Ok(());
        }
        let entries = look.environment.list(path)?;
        let seen = Directory {
            mtime: Some(stat.mtime),
            settled: is_settled(stat.mtime, seen_at),
            ..known.clone()
        };
        self.directories.insert(path.clone(), seen);
        for directory in look.list(path, entries) {
            if known.depth > 0 {
                self.look_below(path, &directory, &known, always, look)?;
            }
        }
        Ok(())
    }

    fn look_below(
        &mut self,
        path: &VaultPath,
        name: &str,
        above: &Directory,
        always: bool,
        look: &mut Look<'_>,
    ) -> IoResult<()> {
        let path = path.join(name);
        if self.roots.iter().any(|root| root.path == path) {
            // It is looked at on its own.
            return Ok(());
        }
        let is_new = !self.directories.contains_key(&path);
        if is_new {
            let depth = above.depth - 1;
            self.directories.insert(
                path.clone(),
                Directory {
                    area: above.area,
                    depth,
                    mtime: None,
                    settled: false,
                },
            );
        }
        if is_new || always {
            self.look_at(&path, always, look)
        } else {
            Ok(())
        }
    }

    /// A directory is not there: nor are its files and what is below it.
    fn forget(&mut self, path: &VaultPath, look: &mut Look<'_>) {
        look.listed.insert(path.as_str().to_owned());
        if let Some(root) = self.roots.iter().find(|root| root.path == *path) {
            self.directories.insert(path.clone(), Directory::of(root));
        } else {
            self.directories.remove(path);
        }
        let below: Vec<_> = self
            .directories
            .keys()
            .filter(|other| other.parent() == *path)
            .cloned()
            .collect();
        for other in below.into_iter().filter(|other| other != path) {
            if self.roots.iter().all(|root| root.path != other) {
                self.forget(&other, look);
            }
        }
    }
}

impl Directory {
    fn of(root: &Root) -> Self {
        Directory {
            area: root.area,
            depth: root.depth,
            mtime: None,
            settled: true,
        }
    }
}

/// One look at the disk.
struct Look<'a> {
    environment: &'a dyn Environment,
    index: &'a Index,
    skipped: &'a SkippedFiles,
    is_note: &'a dyn Fn(&VaultPath) -> bool,
    listed: BTreeSet<String>,
    /// The documents whose files were seen, by number.
    seen: Vec<bool>,
    /// The files seen that are no document's.
    seen_besides: BTreeSet<String>,
    findings: Findings,
}

impl<'a> Look<'a> {
    fn new(
        environment: &'a dyn Environment,
        index: &'a Index,
        skipped: &'a SkippedFiles,
        is_note: &'a dyn Fn(&VaultPath) -> bool,
    ) -> Self {
        Look {
            environment,
            index,
            skipped,
            is_note,
            listed: BTreeSet::new(),
            seen: Vec::new(),
            seen_besides: BTreeSet::new(),
            findings: Findings::default(),
        }
    }

    /// Asks every note in a listing and returns the directories in it.
    fn list(&mut self, directory: &VaultPath, mut entries: Vec<Entry>) -> Vec<String> {
        entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        self.listed.insert(directory.as_str().to_owned());
        let mut directories = Vec::new();
        for entry in entries {
            let path = directory.join(&entry.name);
            match entry.kind {
                FileKind::Directory if !entry.name.starts_with('.') => directories.push(entry.name),
                FileKind::File | FileKind::Link if (self.is_note)(&path) => self.ask(path),
                _ => {}
            }
        }
        directories
    }

    fn ask(&mut self, path: VaultPath) {
        let stat = match self.environment.stat(&path) {
            Ok(stat) if stat.kind == FileKind::File => stat,
            Ok(_) => return,
            Err(error) => {
                self.see(&path);
                self.findings.unreachable.push((path, error.kind));
                return;
            }
        };
        let mark = self.see(&path);
        if !mark.is_some_and(|mark| mark.still_holds(&stat)) {
            self.findings.suspects.push(Suspect { path, stat });
        }
    }

    /// Notes that a file is there, and gives what is known of it.
    fn see(&mut self, path: &VaultPath) -> Option<FileMark> {
        let Some((number, document)) = self.index.at_path(path.as_str()) else {
            self.seen_besides.insert(path.as_str().to_owned());
            return self.skipped.get(path.as_str()).map(|skipped| skipped.mark);
        };
        let number = number as usize;
        if number >= self.seen.len() {
            self.seen.resize(number + 1, false);
        }
        self.seen[number] = true;
        Some(document.mark)
    }

    /// What lay in a listed directory and was not seen is gone.
    fn finish(mut self) -> Findings {
        if self.listed.is_empty() {
            return self.findings;
        }
        let seen = |number: DocumentNumber| self.seen.get(number as usize) == Some(&true);
        let documents = self.index.files().filter(|(number, _)| !seen(*number));
        let documents = documents.map(|(_, document)| &*document.path);
        let others = self.skipped.keys().map(String::as_str);
        let others = others.filter(|path| !self.seen_besides.contains(*path));
        for path in documents.chain(others) {
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            if self.listed.contains(directory) {
                self.findings.gone.push(path.to_owned());
            }
        }
        self.findings
    }
}

/// Whether a time is clearly older (or newer) than the moment it was looked
/// at, so that a later change cannot have the same time. Clocks of file
/// systems tick every few milliseconds; one whose times are whole seconds may
/// tick every two seconds.
pub fn is_settled(mtime: u64, seen_at: Timestamp) -> bool {
    const TICK: u64 = 20_000_000;
    const COARSE_TICK: u64 = 2_000_000_000;
    let seen_at = u64::try_from(seen_at.millis()).unwrap_or_default() * 1_000_000;
    let tick = if mtime.is_multiple_of(1_000_000_000) {
        COARSE_TICK
    } else {
        TICK
    };
    seen_at.abs_diff(mtime) > tick
}
