//! Reading, reviewing and changing single memories (`wit/curation.wit`).

use super::types::{Memory, Receipt};
use crate::error::Result;
use crate::open::{Call, Vault};

pub use crate::bindings::exports::inkvault::memory::curation::{
    BrowseOptions, Change, Link, Page, UndoTarget,
};

impl Vault {
    /// Reads a memory with its text.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found`, `corrupt` or `io`.
    pub fn get(&mut self, id: &str) -> Result<Memory> {
        self.call(Call::read("get"), |engine, store| {
            engine.inkvault_memory_curation().call_get(store, id)
        })
    }

    /// Lists memories.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `unsupported` or `io`.
    pub fn browse(&mut self, options: &BrowseOptions) -> Result<Page> {
        self.call(Call::read("browse"), |engine, store| {
            let curation = engine.inkvault_memory_curation();
            curation.call_browse(store, options)
        })
    }

    /// Changes a memory's place in its life; `reason` goes to the journal.
    ///
    /// With `revision`, compare-and-swap. A change that touches several
    /// memories is done whole or not at all.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found`, `revision-conflict`,
    /// `invalid-argument`, `unsupported`, `busy`, `read-only` or `io`; after
    /// any of them the vault is as before.
    pub fn change_status(
        &mut self,
        id: &str,
        change: &Change,
        revision: Option<&str>,
        reason: &str,
    ) -> Result<Receipt> {
        self.call(Call::change("change-status"), |engine, store| {
            let curation = engine.inkvault_memory_curation();
            curation.call_change_status(store, id, change, revision, reason)
        })
    }

    /// References from and to a memory.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found`, `unsupported` or `io`.
    pub fn links(&mut self, id: &str) -> Result<Vec<Link>> {
        self.call(Call::read("links"), |engine, store| {
            engine.inkvault_memory_curation().call_links(store, id)
        })
    }

    /// Moves a memory to the trash, bytes unchanged. With `revision`,
    /// compare-and-swap; `reason` goes to the journal.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found`, `revision-conflict`, `unsupported`,
    /// `busy`, `read-only` or `io`; after any of them the vault is as before.
    pub fn forget(&mut self, id: &str, revision: Option<&str>, reason: &str) -> Result<Receipt> {
        self.call(Call::change("forget"), |engine, store| {
            let curation = engine.inkvault_memory_curation();
            curation.call_forget(store, id, revision, reason)
        })
    }

    /// Decides which of several files that claim one id keeps it: the file at
    /// `path` stays as it is, each of the others gets a new id of its own and
    /// is archived. `reason` goes to the journal.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument` (the file does not claim the id,
    /// or is the only one that does), `not-found`, `revision-conflict`,
    /// `unsupported`, `busy`, `read-only` or `io`; after any of them the vault
    /// is as before.
    pub fn keep_duplicate(&mut self, id: &str, path: &str, reason: &str) -> Result<Receipt> {
        self.call(Call::change("keep-duplicate"), |engine, store| {
            let curation = engine.inkvault_memory_curation();
            curation.call_keep_duplicate(store, id, path, reason)
        })
    }

    /// Makes a memory what it was at an earlier time: `content` is its whole
    /// file then, `path` where that lay. One that is not in the vault any more
    /// comes back. With `revision`, compare-and-swap; `reason` goes to the
    /// journal.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument` (the bytes are not that memory's,
    /// or the path is none of a memory), `already-exists` (another memory lies
    /// there), `not-found` (no id), `revision-conflict`, `busy`, `read-only` or
    /// `io`; after any of them the vault is as before.
    pub fn roll_back(
        &mut self,
        id: &str,
        path: &str,
        content: &[u8],
        revision: Option<&str>,
        reason: &str,
    ) -> Result<Receipt> {
        self.call(Call::change("roll-back"), |engine, store| {
            let curation = engine.inkvault_memory_curation();
            curation.call_roll_back(store, id, path, content, revision, reason)
        })
    }

    /// Undoes a change, as long as the bytes before it are kept (500 changes,
    /// 16 MiB).
    ///
    /// # Errors
    ///
    /// The engine answers `not-found`, `unsupported` (the bytes are no longer
    /// kept), `revision-conflict`, `busy`, `read-only` or `io`; after any of
    /// them the vault is as before.
    pub fn undo(&mut self, target: &UndoTarget) -> Result<Receipt> {
        self.call(Call::change("undo"), |engine, store| {
            engine.inkvault_memory_curation().call_undo(store, target)
        })
    }
}

/// The engine's defaults: the first 50 memories of every status and kind.
impl Default for BrowseOptions {
    fn default() -> Self {
        Self {
            statuses: Vec::new(),
            kinds: Vec::new(),
            tags: Vec::new(),
            scope: None,
            areas: Vec::new(),
            offset: 0,
            limit: None,
        }
    }
}
