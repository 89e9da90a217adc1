//! Bringing an open vault up to date with its files.
//!
//! The feed and the watch say which files to look at; here they are read and
//! taken into the index, or into the list of files that hold no memory. A
//! file that cannot be read keeps what is known of it.

use std::borrow::Cow;

use super::reading::Reading;
use super::state::State;
use crate::change::feed::{Announcement, News};
use crate::environment::{self, Environment, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::format::{self, Exported, Format, Parsed};
use crate::index::freshness::{Findings, Root, Skipped, SkippedFiles, Suspect, Watch, is_settled};
use crate::index::snapshot;
use crate::index::{Bearings, DocumentNumber, FileMark, Index};
use crate::timestamp::Timestamp;

/// Largest file that is read, in bytes.
pub(super) const FILE_LIMIT: u64 = 16 * 1024 * 1024;

/// How closely to look for what others did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// At the files that the feed names.
    Told,
    /// At the directories, too; at all files when it is time for that.
    Directories,
    /// At all files.
    Files,
}

/// What a look at the files changed in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) added: u32,
    pub(super) changed: u32,
    pub(super) removed: u32,
}

/// Is shown each memory's file that is read.
pub(super) type Observer<'a> = dyn FnMut(&Index, DocumentNumber, Exported<'_>) -> Result<()> + 'a;

impl State {
    /// Brings the index up to date.
    pub(super) fn refresh(&mut self, environment: &dyn Environment, look: Look) -> Result<Changes> {
        let heard = self.hear_if_readable(environment);
        self.refresh_observed(environment, look, heard, &mut |_, _, _| Ok(()))
    }

    /// Brings the index up to date for the holder of the lock.
    ///
    /// # Errors
    /// Also where the feed cannot be read: see [`Self::hear`].
    pub(super) fn refresh_for_change(
        &mut self,
        environment: &dyn Environment,
        look: Look,
    ) -> Result<Changes> {
        let heard = self.hear(environment)?;
        self.refresh_observed(environment, look, heard, &mut |_, _, _| Ok(()))
    }

    /// Brings the index up to date with what was heard.
    fn refresh_observed(
        &mut self,
        environment: &dyn Environment,
        look: Look,
        heard: Option<Vec<VaultPath>>,
        observe: &mut Observer<'_>,
    ) -> Result<Changes> {
        let (told, look) = match heard {
            Some(told) => (told, look),
            None => (Vec::new(), Look::Files),
        };
        let format = self.format;
        let is_note = |path: &VaultPath| format.is_note(path);
        let (index, skipped) = (&self.index, &self.skipped);
        let found = match look {
            Look::Told => Ok(Findings::default()),
            Look::Directories if !self.watch.pass_is_due(environment.elapsed()) => {
                self.watch.glance(environment, index, skipped, &is_note)
            }
            _ => self.watch.pass(environment, index, skipped, &is_note),
        };
        // What was told is forgotten with an error: a pass finds it again.
        let mut findings = found.inspect_err(|_| self.watch.distrust())?;
        self.ask_told(environment, told, &mut findings);
        let absorbed = self.absorb(environment, findings, observe);
        if absorbed.is_err() {
            self.watch.distrust();
        }
        let changes = absorbed?;
        if self.is_save_due() {
            self.index.compact_if_worthwhile();
            self.save_snapshot(environment);
        }
        Ok(changes)
    }

    /// Hears what others changed: the files to look at; none where that is
    /// not known, and all of them have to be.
    ///
    /// # Errors
    /// Where the feed cannot be read. Who is about to change something must
    /// not go on: its change would get a position that another one has.
    pub(super) fn hear(&mut self, environment: &dyn Environment) -> Result<Option<Vec<VaultPath>>> {
        self.listen(environment).map_err(|error| {
            Error::Io(format!(
                "{error}; a change needs the list of earlier ones, so nothing was changed: try again; where that does not help, move the file away: what was done so far can then not be undone"
            ))
        })
    }

    /// Like [`Self::hear`]; for readers a feed that cannot be read is a note.
    fn hear_if_readable(&mut self, environment: &dyn Environment) -> Option<Vec<VaultPath>> {
        self.listen(environment).unwrap_or_else(|error| {
            self.note(format!(
                "{error}; every call looks at all files until it can be read"
            ));
            None
        })
    }

    fn listen(&mut self, environment: &dyn Environment) -> Result<Option<Vec<VaultPath>>> {
        let news = self.feed.poll(environment, &self.private.feed())?;
        Ok(match news {
            News::Changes(changes) => Some(self.believe(&changes)),
            News::Unknown => None,
        })
    }

    /// Takes the feed's word for the times of directories and returns the
    /// files it names.
    fn believe(&mut self, told: &[Announcement]) -> Vec<VaultPath> {
        for (directory, before, after) in told.iter().flat_map(|change| &change.dirs) {
            if let Ok(directory) = VaultPath::parse(directory) {
                self.watch.vouch(&directory, *before, *after);
            }
        }
        let paths = told.iter().flat_map(Announcement::paths);
        paths
            .filter_map(|path| VaultPath::parse(path).ok())
            .collect()
    }

    /// Looks at all files at the next look, whatever their directories say.
    pub(super) fn distrust(&mut self) {
        self.watch.distrust();
    }

    /// Builds the index from the files alone; `observe` is shown each memory.
    pub(super) fn rebuild(
        &mut self,
        environment: &dyn Environment,
        observe: &mut Observer<'_>,
    ) -> Result<()> {
        self.index = Index::new(self.format.tokenizer(), self.format.weighing());
        self.skipped = SkippedFiles::new();
        self.watch = watch_over(self.format);
        let heard = self.hear_if_readable(environment);
        self.refresh_observed(environment, Look::Files, heard, observe)?;
        Ok(())
    }

    /// Reads a memory's file. Where it is gone, is no longer that memory or
    /// was edited in place since it was last asked, the index knows better
    /// afterwards.
    pub(super) fn read(
        &mut self,
        environment: &dyn Environment,
        number: DocumentNumber,
    ) -> Result<Reading> {
        let Some(document) = self.index.document(number) else {
            return Ok(Reading::Gone);
        };
        let (path, id, mark) = (document.path(), document.id.clone(), document.mark);
        let bytes = match environment::read_expecting(environment, &path, mark.size) {
            Ok(bytes) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => {
                self.drop_file(path.as_str());
                return Ok(Reading::Gone);
            }
            Err(error) => return Ok(Reading::Unreadable(error.into())),
        };
        if snapshot::checksum(&bytes) != mark.checksum {
            let stat = match environment.stat(&path) {
                Ok(stat) => stat,
                Err(error) if error.kind == IoErrorKind::NotFound => {
                    self.drop_file(path.as_str());
                    return Ok(Reading::Gone);
                }
                Err(error) => return Ok(Reading::Unreadable(error.into())),
            };
            self.take_in(
                environment,
                &Suspect {
                    path: path.clone(),
                    stat,
                },
                &mut |_, _, _| Ok(()),
            )?;
        }
        match self.format.parse(&path, &bytes, assumed_time(mark.mtime)) {
            Parsed::Memory(memory) if *memory.metadata.id == *id => Ok(Reading::Memory(memory)),
            _ => Ok(Reading::Gone),
        }
    }

    /// Files that others said they changed are asked, wherever they lie.
    fn ask_told(
        &self,
        environment: &dyn Environment,
        paths: Vec<VaultPath>,
        findings: &mut Findings,
    ) {
        for path in paths {
            let known = findings.suspects.iter().any(|suspect| suspect.path == path);
            if known || !self.keeps(&path) {
                continue;
            }
            match environment.stat(&path) {
                Ok(stat) => findings.suspects.push(Suspect { path, stat }),
                Err(error) if error.kind == IoErrorKind::NotFound => {
                    findings.gone.push(path.as_str().to_owned())
                }
                Err(error) => findings.unreachable.push((path, error.kind)),
            }
        }
    }

    fn absorb(
        &mut self,
        environment: &dyn Environment,
        findings: Findings,
        observe: &mut Observer<'_>,
    ) -> Result<Changes> {
        let mut changes = Changes::default();
        for path in findings.gone {
            changes.removed += u32::from(self.drop_file(&path));
        }
        for (path, kind) in findings.unreachable {
            self.keep_or_skip(&path, kind);
        }
        for suspect in findings.suspects {
            let known = self.index.at_path(suspect.path.as_str()).is_some();
            let differs = self.take_in(environment, &suspect, observe)?;
            let count = if known {
                &mut changes.changed
            } else {
                &mut changes.added
            };
            *count += u32::from(differs);
        }
        Ok(changes)
    }

    /// Reads a file that may have changed; false where it has not. A file
    /// that cannot be read keeps its place in the index.
    fn take_in(
        &mut self,
        environment: &dyn Environment,
        suspect: &Suspect,
        observe: &mut Observer<'_>,
    ) -> Result<bool> {
        let seen_at = environment.now();
        if suspect.stat.size > FILE_LIMIT {
            self.skip_oversized(suspect);
            return Ok(false);
        }
        let bytes = match environment::read_expecting(environment, &suspect.path, suspect.stat.size)
        {
            Ok(bytes) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => {
                return Ok(self.drop_file(suspect.path.as_str()));
            }
            Err(error) => {
                self.keep_or_skip(&suspect.path, error.kind);
                return Ok(false);
            }
        };
        let mark = mark(&bytes, &suspect.stat, seen_at);
        if self.is_unchanged(&suspect.path, mark) {
            return Ok(false);
        }
        self.enter(&suspect.path, &bytes, mark, observe)?;
        Ok(true)
    }

    fn skip_oversized(&mut self, suspect: &Suspect) {
        self.index.remove(suspect.path.as_str());
        let Stat { size, mtime, .. } = suspect.stat;
        let mark = FileMark {
            size,
            mtime,
            checksum: 0,
            settled: true,
        };
        let fault = Some(format!(
            "it has {size} bytes, more than a memory's file may have ({FILE_LIMIT})"
        ));
        self.skipped
            .insert(suspect.path.as_str().to_owned(), Skipped { mark, fault });
    }

    /// Whether a file's content is what is known of it; its mark is renewed.
    fn is_unchanged(&mut self, path: &VaultPath, mark: FileMark) -> bool {
        let same = |known: &FileMark| known.size == mark.size && known.checksum == mark.checksum;
        if let Some((number, document)) = self.index.at_path(path.as_str()) {
            let unchanged = same(&document.mark);
            if unchanged {
                self.index.mark(number, mark);
            }
            return unchanged;
        }
        match self.skipped.get_mut(path.as_str()) {
            Some(skipped) if same(&skipped.mark) && mark.size > 0 => {
                skipped.mark = mark;
                true
            }
            _ => false,
        }
    }

    /// Takes a file that this instance has just written into the index.
    pub(super) fn enter_own(
        &mut self,
        environment: &dyn Environment,
        path: &VaultPath,
        content: &[u8],
        stat: &Stat,
    ) -> Result<()> {
        let mark = mark(content, stat, environment.now());
        self.enter(path, content, mark, &mut |_, _, _| Ok(()))
    }

    /// Takes a file that this instance has just moved to where memories lie
    /// into the index.
    pub(super) fn enter_moved(
        &mut self,
        environment: &dyn Environment,
        path: &VaultPath,
        content: &[u8],
    ) -> Result<()> {
        if !self.keeps(path) {
            return Ok(());
        }
        match environment.stat(path) {
            Ok(stat) => self.enter_own(environment, path, content, &stat),
            Err(_) => {
                // It is there: the next look finds it.
                self.distrust();
                Ok(())
            }
        }
    }

    /// Whether memories are kept at a place.
    pub(super) fn keeps(&self, path: &VaultPath) -> bool {
        self.watch.covers(path) && self.format.is_note(path)
    }

    /// Takes a file's content into the index, or into the list of files that
    /// hold no memory.
    fn enter(
        &mut self,
        path: &VaultPath,
        bytes: &[u8],
        mark: FileMark,
        observe: &mut Observer<'_>,
    ) -> Result<()> {
        self.unsaved += 1;
        let fault = match self.format.parse(path, bytes, assumed_time(mark.mtime)) {
            Parsed::Memory(memory) => {
                let fields: Vec<(_, Cow<'_, str>)> = self.format.fields(&memory);
                let bearings = Bearings {
                    area: self.watch.area(path),
                    prior: self.format.prior(&memory.metadata),
                    mark,
                };
                let number = self.index.insert(&memory, &fields, bearings);
                self.skipped.remove(path.as_str());
                let exported = Exported {
                    memory: &memory,
                    bytes,
                    mtime: (mark.mtime / 1_000) as f64 / 1_000.0,
                };
                return observe(&self.index, number, exported);
            }
            Parsed::Ignored => None,
            Parsed::Bad(why) => Some(why),
        };
        self.index.remove(path.as_str());
        self.skipped
            .insert(path.as_str().to_owned(), Skipped { mark, fault });
        Ok(())
    }

    /// Takes a file that is gone out of the index.
    pub(super) fn drop_file(&mut self, path: &str) -> bool {
        let known = self.index.remove(path) | self.skipped.remove(path).is_some();
        self.unsaved += usize::from(known);
        known
    }

    /// A file that cannot be asked or read: what is known of it stays; one of
    /// which nothing is known is listed with the reason.
    fn keep_or_skip(&mut self, path: &VaultPath, kind: IoErrorKind) {
        if self.index.at_path(path.as_str()).is_none() {
            let skipped = Skipped {
                mark: FileMark::default(),
                fault: Some(format!("it cannot be read: {kind}")),
            };
            self.skipped.insert(path.as_str().to_owned(), skipped);
        }
    }
}

/// A watch over a format's directories that has seen nothing yet.
pub(super) fn watch_over(format: &dyn Format) -> Watch {
    let root = |place: &format::Place| Root {
        path: if place.directory.is_empty() {
            VaultPath::root()
        } else {
            VaultPath::known(place.directory)
        },
        area: place.area,
        depth: place.depth,
    };
    Watch::new(format.places().iter().map(root).collect())
}

fn mark(bytes: &[u8], stat: &Stat, seen_at: Timestamp) -> FileMark {
    FileMark {
        size: bytes.len() as u64,
        mtime: stat.mtime,
        checksum: snapshot::checksum(bytes),
        settled: stat.size == bytes.len() as u64 && is_settled(stat.mtime, seen_at),
    }
}

/// The date that stands in for one a file does not give: its own.
pub(super) fn assumed_time(mtime: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(mtime / 1_000_000).unwrap_or_default())
}
