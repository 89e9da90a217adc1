//! The four verbs: write, search, recall, render directives
//! (`wit/vault.wit`).

use super::types::{Delivery, Receipt, Source, Status};
use crate::error::Result;
use crate::open::{Call, Vault};

pub use crate::bindings::exports::inkvault::memory::vault::{
    DirectiveOptions, Directives, Draft, DropReason, DroppedItem, Factor, Hit, Message,
    RecallRequest, Recalled, RecalledItem, SearchOptions,
};

impl Vault {
    /// Creates a memory, or changes the one named by `draft.id`.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument`, `not-found` (unknown id),
    /// `revision-conflict`, `already-exists`, `unsupported`, `refused`,
    /// `busy`, `read-only` or `io`; after any of them the vault is as before.
    pub fn write(&mut self, draft: &Draft) -> Result<Receipt> {
        self.call(Call::change("write"), |engine, store| {
            engine.inkvault_memory_vault().call_write(store, draft)
        })
    }

    /// Finds memories by their words, best first; equal scores by id.
    ///
    /// A query without a word finds nothing.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `unsupported` or `io`.
    pub fn search(&mut self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
        self.call(Call::read("search"), |engine, store| {
            let vault = engine.inkvault_memory_vault();
            vault.call_search(store, query, options)
        })
    }

    /// Finds what is relevant to a conversation and packs it into a text of
    /// bounded size.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `invalid-argument`,
    /// `unsupported` or `io`.
    pub fn recall(&mut self, request: &RecallRequest) -> Result<Recalled> {
        self.call(Call::read("recall"), |engine, store| {
            engine.inkvault_memory_vault().call_recall(store, request)
        })
    }

    /// Renders the standing directives for the system prompt.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `unsupported` or `io`.
    pub fn render_directives(&mut self, options: &DirectiveOptions) -> Result<Directives> {
        self.call(Call::read("render-directives"), |engine, store| {
            let vault = engine.inkvault_memory_vault();
            vault.call_render_directives(store, options)
        })
    }
}

/// Nothing set: of a new memory only the body is missing, an update changes
/// nothing.
impl Default for Draft {
    fn default() -> Self {
        Self {
            id: None,
            revision: None,
            title: None,
            body: None,
            kind: None,
            status: None::<Status>,
            created: None,
            updated: None,
            tags: None,
            aliases: None,
            confidence: None,
            importance: None,
            pinned: None,
            delivery: None::<Delivery>,
            source: None::<Source>,
            origin: None,
            evidence: None,
            supersedes: None,
            superseded_by: None,
            conflicts_with: None,
            converted_from: None,
            scope: None,
            path: None,
            overwrite: false,
            allow_secrets: false,
            utc_offset_minutes: 0,
        }
    }
}

/// The engine's defaults: eight hits, active and pending, everywhere.
impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            limit: None,
            statuses: Vec::new(),
            kinds: Vec::new(),
            tags: Vec::new(),
            scope: None,
            areas: Vec::new(),
        }
    }
}

/// The engine's defaults, and nothing to look for yet: give `query` or
/// `messages`.
impl Default for RecallRequest {
    fn default() -> Self {
        Self {
            messages: Vec::new(),
            query: None,
            token_budget: None,
            limit: None,
            exclude: Vec::new(),
            scope: None,
            areas: Vec::new(),
            explain: false,
        }
    }
}

/// The engine's defaults: at most 4,000 characters, no project.
impl Default for DirectiveOptions {
    fn default() -> Self {
        Self {
            max_chars: None,
            scope: None,
        }
    }
}
