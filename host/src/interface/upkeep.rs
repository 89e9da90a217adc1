//! The vault as a whole: making it, looking after it, checking it
//! (`wit/upkeep.wit`).

use crate::error::Result;
use crate::open::{Call, Vault};
use crate::signature::is_of_signature;
use crate::types::Receipt;
use crate::vault::Draft;

pub use crate::bindings::exports::inkvault::memory::upkeep::{
    BadFile, Configured, Count, DuplicateId, Fault, IndexOptions, IndexText, InitOptions,
    Initialised, JournalEntry, JournalOptions, RebuildReport, RepairedFile, Severity, Staged,
    StagingDraft, StagingReceipt, Summary, SyncReport, Verification,
};

impl Vault {
    /// Makes a vault, or completes one: what is there already stays.
    ///
    /// `format` is `inkvault`, `dsh-memory` or `simple`.
    ///
    /// # Errors
    ///
    /// The engine answers `refused` where the directory belongs to another
    /// product or is a vault of another format or of a later version, `io`
    /// where it does not keep what is written, else `invalid-argument`,
    /// `unsupported` or `read-only`.
    pub fn init(&mut self, format: &str, options: &InitOptions) -> Result<Initialised> {
        self.call(Call::change("init"), |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_init(store, format, options)
        })
    }

    /// Lays settings over the vault's own until the vault is closed or other
    /// settings are laid over it.
    ///
    /// `settings` is a JSON object; `wit/upkeep.wit` has its keys. What is
    /// unknown or unusable falls to its default, with a note. `lockToken` is
    /// the host's own: what is given for it is replaced.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument` for a text that is no JSON
    /// object; the settings before it then stay.
    pub fn configure(&mut self, settings: &str) -> Result<Configured> {
        let signed = self.signed(Some(settings));
        let mut configured = self.call(Call::read("configure"), |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_configure(store, &signed)
        })?;
        self.keep_settings(settings);
        configured.notes.retain(|note| !is_of_signature(note));
        Ok(configured)
    }

    /// The settings in force: the vault's own, with those of this handle laid
    /// over them.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there) or `io`.
    pub fn settings(&mut self) -> Result<Configured> {
        let settings = self.kept_settings().unwrap_or("{}").to_owned();
        self.configure(&settings)
    }

    /// Describes the vault.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there) or `io`.
    pub fn overview(&mut self) -> Result<Summary> {
        let mut summary = self.call(Call::read("overview"), |engine, store| {
            engine.inkvault_memory_upkeep().call_overview(store)
        })?;
        summary.notes.retain(|note| !is_of_signature(note));
        Ok(summary)
    }

    /// Looks at every file now, so that edits in place by other programs are
    /// seen.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there) or `io`.
    pub fn sync(&mut self) -> Result<SyncReport> {
        self.call(Call::read("sync").maintenance(), |engine, store| {
            engine.inkvault_memory_upkeep().call_sync(store)
        })
    }

    /// Builds the index anew from the Markdown files, moves files that hold
    /// no usable memory to quarantine where the format has one, and writes
    /// the files that other tools of the format read.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `busy`, `read-only`
    /// or `io`.
    pub fn rebuild_index(&mut self) -> Result<RebuildReport> {
        self.call(
            Call::change("rebuild-index").maintenance(),
            |engine, store| engine.inkvault_memory_upkeep().call_rebuild_index(store),
        )
    }

    /// Reads everything and reports each fault. With `fix`, mends what can be
    /// mended without touching a memory's text.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there) or `io`, with `fix`
    /// also `busy` or `read-only`.
    pub fn verify(&mut self, fix: bool) -> Result<Verification> {
        let call = if fix {
            Call::change("verify")
        } else {
            Call::read("verify")
        };
        self.call(call.maintenance(), |engine, store| {
            engine.inkvault_memory_upkeep().call_verify(store, fix)
        })
    }

    /// Reads the journal, oldest line first.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `invalid-argument`,
    /// `unsupported` or `io`.
    pub fn journal(&mut self, options: &JournalOptions) -> Result<Vec<JournalEntry>> {
        self.call(Call::read("journal"), |engine, store| {
            engine.inkvault_memory_upkeep().call_journal(store, options)
        })
    }

    /// Renders the list of file names for the start of a conversation.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `unsupported` or `io`.
    pub fn render_index(&mut self, options: &IndexOptions) -> Result<IndexText> {
        // Told twice, a conversation would not get it.
        let call = match options.conversation {
            Some(_) => Call::change("render-index"),
            None => Call::read("render-index"),
        };
        self.call(call, |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_render_index(store, options)
        })
    }

    /// Instructions for an agent to review a conversation and file what is
    /// worth keeping. `language` is `en` or `zh`; absent, the vault's.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `invalid-argument` or
    /// `unsupported`.
    pub fn flow_instruction(&mut self, language: Option<&str>) -> Result<String> {
        self.call(Call::read("flow-instruction"), |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_flow_instruction(store, language)
        })
    }

    /// Adds an entry to the staging pool.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument`, `unsupported`, `busy`,
    /// `read-only` or `io`.
    pub fn staging_add(&mut self, entry: &StagingDraft) -> Result<StagingReceipt> {
        self.call(Call::change("staging-add"), |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_staging_add(store, entry)
        })
    }

    /// Lists the staging pool.
    ///
    /// # Errors
    ///
    /// The engine answers `unsupported` or `io`.
    pub fn staging_browse(&mut self) -> Result<Vec<Staged>> {
        self.call(Call::read("staging-browse"), |engine, store| {
            engine.inkvault_memory_upkeep().call_staging_browse(store)
        })
    }

    /// Removes the entry with this number, from 1, from the staging pool;
    /// `text` must be what it says.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found`, `revision-conflict`, `unsupported`,
    /// `busy`, `read-only` or `io`.
    pub fn staging_drop(&mut self, number: u32, text: &str) -> Result<StagingReceipt> {
        self.call(Call::change("staging-drop"), |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_staging_drop(store, number, text)
        })
    }

    /// Writes the memory that an entry of the staging pool became and removes
    /// the entry, both or neither; a person must have agreed. `draft`
    /// names neither id, path nor scope; without a body it says what the entry
    /// says.
    ///
    /// # Errors
    ///
    /// Those of [`Vault::staging_drop`] and of [`Vault::write`]; after any of
    /// them the vault is as before.
    pub fn staging_promote(&mut self, number: u32, text: &str, draft: &Draft) -> Result<Receipt> {
        self.call(Call::change("staging-promote"), |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_staging_promote(store, number, text, draft)
        })
    }

    /// Gives up the lock of an instance that is gone and whose `lockToken` is
    /// known; gives whether it held the lock. A vault does this for its own
    /// instances; it is here for whoever runs the component in another host.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument` (that can be no token),
    /// `not-found` (no vault there), `refused` (the vault must only be read),
    /// `read-only` or `io`.
    pub fn break_lock(&mut self, token: &str) -> Result<bool> {
        self.call(Call::change("break-lock"), |engine, store| {
            engine
                .inkvault_memory_upkeep()
                .call_break_lock(store, token)
        })
    }
}

/// The engine's defaults: English, dates in UTC.
impl Default for InitOptions {
    fn default() -> Self {
        Self {
            language: None,
            utc_offset_minutes: 0,
        }
    }
}

/// The engine's defaults: the newest 50 lines.
impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            id: None,
            operation: None,
            since: None,
            limit: None,
        }
    }
}

/// The engine's defaults: no project, no documents of one.
impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            scope: None,
            documents: Vec::new(),
            max_chars: None,
            conversation: None,
        }
    }
}
