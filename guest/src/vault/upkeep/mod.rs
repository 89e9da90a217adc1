//! The vault as a whole: making it, looking after it, checking it.

mod dangling;
mod export;
mod flow_instruction;
mod index_text;
mod init;
mod journal;
mod leftovers;
mod misplaced;
mod overview;
mod rebuild;
mod staging;
mod verify;

pub use index_text::{IndexOptions, IndexText};
pub use init::Initialised;
pub use journal::{JournalEntry, JournalOptions};
pub use overview::{BadFile, Count, DuplicateId, Overview, RepairedFile};
pub use rebuild::RebuildReport;
pub use staging::{StagedEntry, StagingDraft, StagingReceipt};
pub use verify::{Fault, Severity, Verification};

use super::refresh::Look;
use super::{Vault, settings};
use crate::change;
use crate::error::{Error, Result};

/// The settings in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Configured {
    /// All settings as a JSON object.
    pub settings: String,
    /// Settings that were unknown or unusable.
    pub notes: Vec<String>,
    /// The vault's format.
    pub format: String,
}

/// What a pass over the files found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SyncReport {
    /// Memories after the pass.
    pub memories: u32,
    /// New files.
    pub added: u32,
    /// Files whose content changed.
    pub changed: u32,
    /// Files that are gone.
    pub removed: u32,
    /// Files that could not be used.
    pub bad_files: Vec<BadFile>,
}

impl Vault {
    /// Lays settings over the vault's own for as long as this vault is open.
    ///
    /// # Errors
    /// [`crate::Error::InvalidArgument`] where `text` is no JSON object;
    /// those of opening the vault.
    pub fn configure(&mut self, text: &str) -> Result<Configured> {
        self.overlay = settings::parse_object(text)?;
        let overlay = self.overlay.clone();
        let (_, state) = self.open()?;
        state.configure(&overlay);
        Ok(Configured {
            settings: state.settings.to_json(),
            notes: state.settings_notes.clone(),
            format: state.format.name().to_owned(),
        })
    }

    /// Gives up the lock of an instance that is gone and had signed it with
    /// `token`; the next change finishes what it had begun. False where no
    /// such instance holds the lock.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a token that cannot be one,
    /// [`Error::Refused`] where the vault must not be changed,
    /// [`Error::ReadOnly`], [`Error::Io`]; those of opening the vault.
    pub fn break_lock(&mut self, token: &str) -> Result<bool> {
        if !settings::is_token(token) {
            return Err(Error::InvalidArgument(
                "token: give the `lockToken` of the instance that is gone, up to 32 letters and digits".into(),
            ));
        }
        if self.environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        // The lock is all that is asked for: the vault need not be opened.
        self.recognised(|environment, state| {
            state.require_changeable(environment)?;
            change::give_up(environment, &state.private, token)
        })
    }

    /// Looks at every file now.
    ///
    /// # Errors
    /// Those of opening the vault and reading its directories.
    pub fn sync(&mut self) -> Result<SyncReport> {
        let (environment, state) = self.open()?;
        let changes = state.refresh(environment, Look::Files)?;
        Ok(SyncReport {
            memories: state.index.len() as u32,
            added: changes.added,
            changed: changes.changed,
            removed: changes.removed,
            bad_files: overview::bad_files(state),
        })
    }
}
