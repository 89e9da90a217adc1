//! What an open vault knows: the index, and how fresh it is.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::settings::{self, Settings};
use crate::change::feed::{self, Cursor, News};
use crate::change::{Changer, Committed, PrivateFolder, Proposal};
use crate::environment::{self, Environment, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::format::{self, FORMATS, Format, Listing, Parsed};
use crate::index::freshness::{Findings, Root, Skipped, SkippedFiles, Suspect, Watch, is_settled};
use crate::index::snapshot::{self, Extent};
use crate::index::{DocumentNumber, FileMark, Index};
use crate::memory::Memory;
use crate::timestamp::Timestamp;

/// Fewest changes after which a snapshot is saved.
const SNAPSHOT_CHANGES: usize = 64;
/// Largest file that is read.
const FILE_LIMIT: u64 = 16 * 1024 * 1024;
/// Size of the feed from which it is cut.
const FEED_LIMIT: u64 = 512 * 1024;

/// An open vault.
pub(super) struct State {
    pub(super) format: &'static dyn Format,
    pub(super) private: PrivateFolder,
    pub(super) settings: Settings,
    pub(super) settings_notes: Vec<String>,
    /// The `settings` of the vault's own configuration.
    own_settings: Map<String, Value>,
    pub(super) index: Index,
    pub(super) skipped: SkippedFiles,
    watch: Watch,
    pub(super) feed: Cursor,
    /// What this instance is called when it holds the lock.
    token: String,
    unsaved: usize,
    /// What a person should know of derived data.
    pub(super) notes: Vec<String>,
}

/// What a look at the files changed in the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) added: u32,
    pub(super) changed: u32,
    pub(super) removed: u32,
}

/// Is shown each memory that is read.
pub(super) type Observer<'a> = dyn FnMut(&Index, DocumentNumber, &Memory) -> Result<()> + 'a;

impl State {
    /// Opens the vault: finds out its format, loads the snapshot or builds
    /// the index from the files.
    pub(super) fn open(
        environment: &dyn Environment,
        overlay: &Map<String, Value>,
    ) -> Result<Self> {
        let mut state = Self::recognise(environment, overlay)?;
        let loaded = state.load_snapshot(environment);
        state.refresh(environment, true)?;
        if !loaded && !state.index.is_empty() {
            state.save_snapshot(environment);
        }
        Ok(state)
    }

    /// Finds out the vault's format and settings; its memories are not known
    /// yet.
    pub(super) fn recognise(
        environment: &dyn Environment,
        overlay: &Map<String, Value>,
    ) -> Result<Self> {
        let listing = look_at_top(environment)?;
        let format = format::detect(&listing)?.ok_or_else(|| {
            Error::NotFound("this directory is no vault: make it one with `init` first".into())
        })?;
        let config = listing.config(format.private_folder());
        let own_settings = settings::of_config(config.as_ref());
        let (settings, settings_notes) = Settings::layered([&own_settings, overlay]);
        Ok(State {
            format,
            private: PrivateFolder::new(format.private_folder()),
            settings,
            settings_notes,
            own_settings,
            index: Index::new(format.tokenizer(), format.weights()),
            skipped: SkippedFiles::new(),
            watch: watch_over(format),
            feed: Cursor::default(),
            token: format!("{:016x}", environment.random()),
            unsaved: 0,
            notes: Vec::new(),
        })
    }

    /// Lays other settings of the host over the vault's own.
    pub(super) fn configure(&mut self, overlay: &Map<String, Value>) {
        (self.settings, self.settings_notes) = Settings::layered([&self.own_settings, overlay]);
    }

    /// Brings the index up to date. With `all`, every file is asked;
    /// otherwise directories are, and files when it is time for a pass.
    pub(super) fn refresh(&mut self, environment: &dyn Environment, all: bool) -> Result<Changes> {
        self.refresh_observed(environment, all, &mut |_, _, _| Ok(()))
    }

    fn refresh_observed(
        &mut self,
        environment: &dyn Environment,
        all: bool,
        observe: &mut Observer<'_>,
    ) -> Result<Changes> {
        let (told, all) = match self.feed.poll(environment, &self.private.feed())? {
            News::Changes(changes) => (changes, all),
            News::Unknown => (Vec::new(), true),
        };
        let mut paths = Vec::new();
        for change in told {
            for (directory, before, after) in &change.dirs {
                if let Ok(directory) = VaultPath::parse(directory) {
                    self.watch.vouch(&directory, *before, *after);
                }
            }
            paths.extend(
                change
                    .paths
                    .iter()
                    .filter_map(|path| VaultPath::parse(path).ok()),
            );
        }
        let format = self.format;
        let is_note = |path: &VaultPath| format.is_note(path);
        let mut findings = if all || self.watch.pass_is_due(environment.elapsed()) {
            self.watch
                .pass(environment, &self.index, &self.skipped, &is_note)?
        } else {
            self.watch
                .glance(environment, &self.index, &self.skipped, &is_note)?
        };
        self.ask_told(environment, paths, &mut findings);
        let changes = self.absorb(environment, findings, observe)?;
        if self.unsaved >= SNAPSHOT_CHANGES.max(self.index.len() / 16) {
            self.index.compact_if_worthwhile();
            self.save_snapshot(environment);
        }
        Ok(changes)
    }

    /// Builds the index from the files alone; `observe` is shown each memory.
    pub(super) fn rebuild(
        &mut self,
        environment: &dyn Environment,
        observe: &mut Observer<'_>,
    ) -> Result<()> {
        self.index = Index::new(self.format.tokenizer(), self.format.weights());
        self.skipped = SkippedFiles::new();
        self.watch = watch_over(self.format);
        self.refresh_observed(environment, true, observe)?;
        Ok(())
    }

    /// Reads a memory's file. None where it is gone or is no longer that
    /// memory; the index then knows better, as it does where the file was
    /// edited in place since it was last asked.
    pub(super) fn read(
        &mut self,
        environment: &dyn Environment,
        number: DocumentNumber,
    ) -> Result<Option<Memory>> {
        let Some(document) = self.index.document(number) else {
            return Ok(None);
        };
        let (path, id, mark) = (document.path(), document.id.clone(), document.mark);
        let bytes = match environment::read_expecting(environment, &path, mark.size) {
            Ok(bytes) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => {
                self.drop_file(path.as_str());
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        if snapshot::checksum(&bytes) != mark.checksum {
            let stat = environment.stat(&path)?;
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
            Parsed::Memory(memory) if *memory.metadata.id == *id => Ok(Some(*memory)),
            _ => Ok(None),
        }
    }

    /// Takes the lock; the notes say what an interrupted change left to do.
    pub(super) fn take_lock<'e>(
        &self,
        environment: &'e dyn Environment,
    ) -> Result<(Changer<'e>, Vec<String>)> {
        Changer::begin(environment, &self.private, &self.token)
    }

    /// Takes the lock and brings the index up to date under it.
    pub(super) fn begin_change<'e>(
        &mut self,
        environment: &'e dyn Environment,
    ) -> Result<(Changer<'e>, Vec<String>)> {
        let (changer, notes) = self.take_lock(environment)?;
        match self.refresh(environment, !notes.is_empty()) {
            Ok(_) => Ok((changer, notes)),
            Err(error) => {
                changer.end()?;
                Err(error)
            }
        }
    }

    /// Makes a change under the lock and takes its files into the index.
    pub(super) fn commit(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        proposal: Proposal,
        contents: &[(VaultPath, Vec<u8>)],
    ) -> Result<Committed> {
        let watch = &self.watch;
        let gone: Vec<_> = proposal.sources().cloned().collect();
        let committed = changer.commit(proposal, &mut self.feed, &|directory| {
            watch.time_of(directory)
        })?;
        for times in &committed.directories {
            self.watch.vouch(&times.path, times.before, times.after);
        }
        for path in gone {
            self.drop_file(path.as_str());
        }
        for (path, content) in contents {
            if let Some(stat) = committed.files.get(path) {
                self.enter(
                    path,
                    content,
                    mark(content, stat, environment.now()),
                    &mut |_, _, _| Ok(()),
                )?;
            }
        }
        Ok(committed)
    }

    /// Saves the index and cuts the feed, when it is time; the caller holds
    /// the lock.
    pub(super) fn save_if_due(&mut self, environment: &dyn Environment, changer: &mut Changer<'_>) {
        if self.unsaved < SNAPSHOT_CHANGES.max(self.index.len() / 16) {
            return;
        }
        if self.feed.offset() >= FEED_LIMIT
            && let Err(error) = self.cut_feed(environment, changer)
        {
            self.note(format!("the feed could not be cut: {error}"));
        }
        self.index.compact_if_worthwhile();
        self.save_snapshot(environment);
    }

    /// Saves the index; failing to is a note.
    pub(super) fn save_snapshot(&mut self, environment: &dyn Environment) {
        self.unsaved = 0;
        if environment.is_read_only() {
            return;
        }
        if let Err(error) = self.write_snapshot(environment) {
            self.note(format!(
                "the index could not be saved ({error}); the next opening builds it anew"
            ));
        }
    }

    /// Notes something once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn load_snapshot(&mut self, environment: &dyn Environment) -> bool {
        let Ok((bytes, _)) = environment::read_file(environment, &self.private.snapshot()) else {
            return false;
        };
        let decoded = snapshot::decode(
            bytes,
            self.format.name(),
            self.format.tokenizer(),
            self.format.weights(),
        );
        let Some((index, extent)) = decoded else {
            return false;
        };
        self.index = index;
        self.skipped = extent.skipped;
        self.feed = Cursor::at(extent.feed_position, extent.feed_offset);
        true
    }

    fn write_snapshot(&mut self, environment: &dyn Environment) -> Result<()> {
        let extent = Extent {
            skipped: self.skipped.clone(),
            feed_position: self.feed.position(),
            feed_offset: self.feed.offset(),
        };
        let bytes = snapshot::encode(&self.index, self.format.name(), extent);
        let staged = self.private.staged("index.snapshot", environment.random());
        self.private.prepare_staging(environment)?;
        environment::write_new(environment, &staged, &bytes)?;
        Ok(environment.rename(&staged, &self.private.snapshot())?)
    }

    fn cut_feed(&mut self, environment: &dyn Environment, changer: &mut Changer<'_>) -> Result<()> {
        if let Some(kept) = feed::cut(environment, &self.private.feed())? {
            changer.replace_private("feed.jsonl", &kept)?;
            self.feed = Cursor::at(self.feed.position(), kept.len() as u64);
        }
        Ok(())
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
            if known || !self.watch.covers(&path) || !self.format.is_note(&path) {
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
                let number = self
                    .index
                    .insert(&memory, &fields, self.watch.area(path), mark);
                self.skipped.remove(path.as_str());
                return observe(&self.index, number, &memory);
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
    fn drop_file(&mut self, path: &str) -> bool {
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

/// Tells a vault's top directory and the configurations in its private
/// folders.
pub(super) fn look_at_top(environment: &dyn Environment) -> Result<Listing> {
    let entries = environment::list_sorted(environment, &VaultPath::root())?;
    let mut listing = Listing {
        entries,
        configs: Vec::new(),
    };
    let mut folders: Vec<_> = FORMATS
        .iter()
        .map(|format| format.private_folder())
        .collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders
        .into_iter()
        .filter(|folder| listing.has_directory(folder))
        .collect::<Vec<_>>()
    {
        match environment::read_file(environment, &PrivateFolder::new(folder).config()) {
            Ok((bytes, _)) => listing.configs.push((folder.to_owned(), bytes)),
            Err(error) if error.kind == IoErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(listing)
}

fn watch_over(format: &dyn Format) -> Watch {
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
fn assumed_time(mtime: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(mtime / 1_000_000).unwrap_or_default())
}
