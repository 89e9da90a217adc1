//! What can be asked of a vault, one file a matter.
//!
//! A [`Vault`] opens at its first call. What it keeps in memory is a cache:
//! every call that reads first looks, cheaply, whether someone else changed
//! the vault, and a vault made anew for every call answers the same.

mod browse;
mod capture;
mod changing;
mod commit_message;
mod curate;
mod directives;
mod draft;
mod grounds;
mod links;
mod names;
mod reading;
mod recall;
mod refresh;
mod relations;
mod search;
mod settings;
mod skeleton;
mod state;
mod upkeep;
mod write;

pub use browse::{BrowseOptions, Page};
pub use capture::{
    Candidate, CaptureRequest, Proposed, SkipReason, Skipped, extract, remember_intent,
};
pub use changing::{Receipt, SimilarMemory};
pub use curate::{Change, Earlier, UndoTarget};
pub use directives::{DirectiveOptions, Directives, directive_text};
pub use draft::Draft;
pub use links::Link;
pub use recall::{
    DropReason, DroppedItem, Factor, Message, RecallRequest, Recalled, RecalledItem, Role,
    query_of_messages,
};
pub use search::{Hit, SearchOptions};
pub use settings::Settings;
pub use upkeep::{
    BadFile, Configured, Count, DuplicateId, Fault, IndexOptions, IndexText, Initialised,
    JournalEntry, JournalOptions, Overview, RebuildReport, RepairedFile, Severity, StagedEntry,
    StagingDraft, StagingReceipt, SyncReport, Verification,
};

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::environment::Environment;
use crate::error::Result;
use crate::format::Language;
use refresh::Look;
use state::State;

/// A vault: the directory an [`Environment`] leads to.
pub struct Vault {
    environment: Box<dyn Environment>,
    /// Settings of the host, laid over the vault's own.
    overlay: Map<String, Value>,
    state: Option<State>,
    /// Conversations that had the index text, where that cannot be kept in
    /// the vault.
    conversations: BTreeSet<String>,
}

impl Vault {
    /// A vault that is opened by its first call.
    pub fn new(environment: Box<dyn Environment>) -> Self {
        Vault {
            environment,
            overlay: Map::new(),
            state: None,
            conversations: BTreeSet::new(),
        }
    }

    /// The settings in force; before the vault is open, the host's alone.
    fn settings(&self) -> Settings {
        match &self.state {
            Some(state) => state.settings.clone(),
            None => Settings::layered(Language::default(), [&Map::new(), &self.overlay]).0,
        }
    }

    /// The vault as it is on disk now.
    fn fresh(&mut self) -> Result<(&dyn Environment, &mut State)> {
        let was_open = self.state.is_some();
        let (environment, state) = self.open()?;
        if was_open {
            state.refresh(environment, Look::Directories)?;
        }
        Ok((environment, state))
    }

    /// The vault's format and settings, for what needs nothing else; it is not
    /// opened for that.
    fn recognised<R>(
        &mut self,
        ask: impl FnOnce(&dyn Environment, &mut State) -> Result<R>,
    ) -> Result<R> {
        let environment = self.environment.as_ref();
        match &mut self.state {
            Some(state) => ask(environment, state),
            None => ask(
                environment,
                &mut State::recognise(environment, &self.overlay)?,
            ),
        }
    }

    /// The vault as it was seen last, opened if it was not.
    fn open(&mut self) -> Result<(&dyn Environment, &mut State)> {
        let environment = self.environment.as_ref();
        let state = match self.state.take() {
            Some(state) => state,
            None => State::open(environment, &self.overlay)?,
        };
        Ok((environment, self.state.insert(state)))
    }
}
