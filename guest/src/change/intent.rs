//! What the holder of the lock is about to do, so that the next one can
//! finish it.

use serde::{Deserialize, Serialize};

use super::journal::JournalLine;
use super::steps::Step;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::Result;

/// A change, written down before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// Its position in the feed.
    pub position: u64,
    /// What it is.
    pub operation: String,
    /// The memory it is about; empty for none.
    pub id: String,
    /// Its steps.
    pub steps: Vec<Step>,
    /// The lines for the journal.
    pub journal: Vec<JournalLine>,
}

impl Intent {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The intent in a file that an earlier holder left. One that is not
    /// whole was never acted on and is removed.
    pub(super) fn load(environment: &dyn Environment, path: &VaultPath) -> Result<Option<Self>> {
        let bytes = match environment::read_file(environment, path) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match serde_json::from_slice::<Intent>(&bytes) {
            Ok(intent) if !intent.is_empty() => Ok(Some(intent)),
            _ => {
                environment.unlink(path)?;
                Ok(None)
            }
        }
    }

    /// Keeps the steps that are `done`, and their lines for the journal where
    /// each step has one.
    pub(super) fn keep_steps(&mut self, done: &[bool]) {
        let each_has_a_line = self.journal.len() == self.steps.len();
        let mut kept = done.iter();
        self.steps.retain(|_| kept.next().copied().unwrap_or(true));
        if each_has_a_line {
            let mut kept = done.iter();
            self.journal
                .retain(|_| kept.next().copied().unwrap_or(true));
        }
    }

    /// Whether there is nothing to do and nothing to tell.
    fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.journal.is_empty()
    }

    /// Who it is about, for a person.
    pub(super) fn subject(&self) -> String {
        if self.id.is_empty() {
            "the vault".to_owned()
        } else {
            format!("`{}`", self.id)
        }
    }

    /// The directories whose entries change.
    pub(super) fn directories(&self) -> Vec<VaultPath> {
        let mut directories: Vec<_> = self
            .steps
            .iter()
            .flat_map(|step| {
                let (from, to) = step.places();
                from.into_iter().chain([to])
            })
            .map(VaultPath::parent)
            .collect();
        directories.sort();
        directories.dedup();
        directories
    }
}
