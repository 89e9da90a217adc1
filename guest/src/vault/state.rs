//! What an open vault knows: the index, and how fresh it is.

use serde_json::{Map, Value};

use super::changing::Holder;
use super::grounds;
use super::refresh::{Look, watch_over};
use super::settings::{self, Settings};
use super::skeleton;
use crate::change::feed::{self, Cursor};
use crate::change::{Changer, Committed, PrivateFolder, Proposal};
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{self, FORMATS, Format, Listing, Setting};
use crate::index::Index;
use crate::index::freshness::{SkippedFiles, Watch};
use crate::index::snapshot::{self, Extent};

/// Fewest changes after which a snapshot is saved.
const SNAPSHOT_CHANGES: usize = 64;
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
    /// There is a configuration and it cannot be read.
    pub(super) is_config_broken: bool,
    pub(super) index: Index,
    pub(super) skipped: SkippedFiles,
    pub(super) watch: Watch,
    pub(super) feed: Cursor,
    /// The private folder lacks what the format puts there when it is first
    /// needed.
    is_bare: bool,
    /// Why the vault must not be changed, if it must not.
    pub(super) obstacle: Option<String>,
    /// Changes of the index since it was saved.
    pub(super) unsaved: usize,
    /// What a person should know of derived data.
    pub(super) notes: Vec<String>,
}

impl State {
    /// Opens the vault: finds out its format, loads the snapshot or builds
    /// the index from the files.
    pub(super) fn open(
        environment: &dyn Environment,
        overlay: &Map<String, Value>,
    ) -> Result<Self> {
        let mut state = Self::recognise(environment, overlay)?;
        let loaded = state.load_snapshot(environment);
        state.refresh(environment, Look::Files)?;
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
        let (settings, settings_notes) =
            Settings::layered(format.language(), [&own_settings, overlay]);
        let mut configs = listing.configs.iter();
        let is_there = configs.any(|(folder, _)| folder == format.private_folder());
        Ok(State {
            format,
            private: PrivateFolder::new(format.private_folder()),
            settings,
            settings_notes,
            own_settings,
            is_config_broken: is_there && config.is_none(),
            index: Index::new(format.tokenizer(), format.weighing()),
            skipped: SkippedFiles::new(),
            watch: watch_over(format),
            feed: Cursor::default(),
            is_bare: config.is_none() && !format.private_skeleton().is_empty(),
            obstacle: obstacle(environment, format, &listing),
            unsaved: 0,
            notes: Vec::new(),
        })
    }

    /// Lays other settings of the host over the vault's own.
    pub(super) fn configure(&mut self, overlay: &Map<String, Value>) {
        (self.settings, self.settings_notes) =
            Settings::layered(self.format.language(), [&self.own_settings, overlay]);
    }

    /// Refuses where the vault must not be changed, before anything is
    /// touched.
    pub(super) fn require_changeable(&mut self, environment: &dyn Environment) -> Result<()> {
        self.reconsider_obstacle(environment)?;
        match &self.obstacle {
            Some(why) => Err(Error::Refused(why.clone())),
            None => Ok(()),
        }
    }

    /// Looks whether what was in the way of changes still is. One that comes
    /// while the vault is open is seen when it is opened again.
    pub(super) fn reconsider_obstacle(&mut self, environment: &dyn Environment) -> Result<()> {
        if self.obstacle.is_some() {
            self.obstacle = obstacle(environment, self.format, &look_at_top(environment)?);
        }
        Ok(())
    }

    /// Takes the lock; the notes say what an interrupted change left to do.
    pub(super) fn take_lock<'e>(
        &mut self,
        environment: &'e dyn Environment,
    ) -> Result<(Changer<'e>, Vec<String>)> {
        if environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        self.require_changeable(environment)?;
        self.prepare_private(environment)?;
        let signature = self.settings.lock_token.as_deref().unwrap_or_default();
        let grounds = grounds::of(self.format);
        Changer::begin(environment, &self.private, signature, &grounds)
    }

    /// Takes the lock and hears what others changed. A change asks the files
    /// that it touches, not the whole vault.
    pub(super) fn begin_change<'e>(
        &mut self,
        environment: &'e dyn Environment,
    ) -> Result<(Changer<'e>, Vec<String>)> {
        let (changer, notes) = self.take_lock(environment)?;
        let look = if notes.is_empty() {
            Look::Told
        } else {
            Look::Files
        };
        match self.refresh_for_change(environment, look) {
            Ok(_) => Ok((changer, notes)),
            Err(error) => {
                changer.end()?;
                Err(error)
            }
        }
    }

    /// Makes a change under the lock and takes its files into the index;
    /// `moved` are those that keep their bytes.
    pub(super) fn commit(
        &mut self,
        holder: &mut Holder<'_, '_>,
        proposal: Proposal,
        moved: &[(VaultPath, Vec<u8>)],
    ) -> Result<Committed> {
        let environment = holder.environment;
        let gone: Vec<_> = proposal.sources().cloned().collect();
        let written: Vec<_> = proposal
            .contents()
            .map(|(path, content)| (path.clone(), content.to_vec()))
            .collect();
        let committed = holder.changer.commit(proposal, &mut self.feed)?;
        for times in &committed.directories {
            self.watch.vouch(&times.path, times.before, times.after);
        }
        for path in gone {
            self.drop_file(path.as_str());
        }
        for (path, content) in written {
            if let Some(stat) = committed.files.get(&path)
                && self.keeps(&path)
            {
                self.enter_own(environment, &path, &content, stat)?;
            }
        }
        for (path, content) in moved {
            self.enter_moved(environment, path, content)?;
        }
        Ok(committed)
    }

    /// Saves the index, cuts the feed and removes forgotten staged files, when
    /// it is time; the caller holds the lock.
    pub(super) fn save_if_due(&mut self, environment: &dyn Environment, changer: &mut Changer<'_>) {
        if !self.is_save_due() {
            return;
        }
        if self.feed.offset() >= FEED_LIMIT
            && let Err(error) = self.cut_feed(environment, changer)
        {
            self.note(format!("the feed could not be cut: {error}"));
        }
        self.private.sweep_staging(environment, |_| false);
        self.index.compact_if_worthwhile();
        self.save_snapshot(environment);
    }

    /// Whether the index has changed enough to be saved (design §6).
    pub(super) fn is_save_due(&self) -> bool {
        self.unsaved >= SNAPSHOT_CHANGES.max(self.index.len() / 16)
    }

    /// Saves the index; failing to is a note.
    pub(super) fn save_snapshot(&mut self, environment: &dyn Environment) {
        self.unsaved = 0;
        if environment.is_read_only() || self.obstacle.is_some() {
            return;
        }
        if let Err(error) = self.write_snapshot(environment) {
            self.note(format!(
                "the index could not be saved ({error}); the next opening builds it anew"
            ));
        }
    }

    /// Makes the private folder where the format has it made when it is first
    /// needed, before anything else is put there; once more where somebody
    /// removed it, as `git clean` does.
    pub(super) fn prepare_private(&mut self, environment: &dyn Environment) -> Result<()> {
        let parts = self.format.private_skeleton();
        if parts.is_empty() {
            return Ok(());
        }
        if self.is_bare || !environment::is_there(environment, self.private.path())? {
            skeleton::make_directories(environment, &parts)?;
            skeleton::make_files(environment, &self.private, &parts, false)?;
            self.is_bare = false;
        }
        Ok(())
    }

    /// What the format is told of this vault.
    pub(super) fn setting(&self, environment: &dyn Environment) -> Setting {
        let exported = || {
            let path = self
                .format
                .checked_export()
                .filter(|_| self.format.exports_vault_path())?;
            let (bytes, _) = environment::read_file(environment, &path).ok()?;
            self.format.exported_vault_path(&bytes)
        };
        Setting {
            language: self.settings.language,
            vault_path: self.settings.vault_path.clone().or_else(exported),
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
            self.format.weighing(),
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
        self.prepare_private(environment)?;
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
}

/// Why a vault must not be changed, if it must not.
fn obstacle(
    environment: &dyn Environment,
    format: &dyn Format,
    listing: &Listing,
) -> Option<String> {
    let found = format.obstacle(listing);
    found.or_else(|| grounds::linked(environment, format))
}

/// Tells a vault's top directory and the configurations in its private
/// folders.
pub(super) fn look_at_top(environment: &dyn Environment) -> Result<Listing> {
    let entries = environment::list_sorted(environment, &VaultPath::root())?;
    let mut listing = Listing {
        entries,
        ..Listing::default()
    };
    let mut folders: Vec<_> = FORMATS
        .iter()
        .map(|format| format.private_folder())
        .collect();
    folders.sort_unstable();
    folders.dedup();
    folders.retain(|folder| listing.has_directory(folder));
    for folder in folders {
        match environment::read_file(environment, &PrivateFolder::new(folder).config()) {
            Ok((bytes, _)) => listing.configs.push((folder.to_owned(), bytes)),
            Err(error) if error.kind == IoErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    if listing.configs.is_empty() {
        look_for_telltales(environment, &mut listing);
        read_telltale_pages(environment, &mut listing);
    }
    Ok(listing)
}

/// Reads the files that tell a vault by what they say. One that cannot be
/// read tells nothing.
fn read_telltale_pages(environment: &dyn Environment, listing: &mut Listing) {
    let pages = FORMATS
        .iter()
        .filter_map(|format| format.telltale_page(listing));
    for page in pages
        .filter(|page| listing.has_file(page))
        .collect::<Vec<_>>()
    {
        let read = environment::read_file(environment, &VaultPath::root().join(page));
        if let Ok((bytes, _)) = read {
            listing.pages.push((page.to_owned(), bytes));
        }
    }
}

/// Looks into the directories that tell a vault by what they hold. One that
/// cannot be read tells nothing.
fn look_for_telltales(environment: &dyn Environment, listing: &mut Listing) {
    let telltales = FORMATS.iter().filter_map(|format| format.telltale(listing));
    for directory in telltales
        .filter(|directory| listing.has_directory(directory))
        .collect::<Vec<_>>()
    {
        let path = VaultPath::root().join(directory);
        let entries = environment::list_sorted(environment, &path).unwrap_or_default();
        listing.telltales.push((directory.to_owned(), entries));
    }
}
