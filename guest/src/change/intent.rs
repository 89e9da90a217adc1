//! What the holder of the lock is about to do, so that the next one can
//! finish it.

use serde::{Deserialize, Serialize};

use super::private::PrivateFolder;
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
    /// The journal file.
    pub journal_path: String,
    /// The line for it.
    pub journal_line: String,
    /// Revision before; empty where there was none.
    pub before: String,
    /// Revision after; empty where there is none.
    pub after: String,
}

impl Intent {
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The intent that an earlier holder left. One that is not whole was
    /// never acted on and is removed.
    pub(super) fn load(
        environment: &dyn Environment,
        private: &PrivateFolder,
    ) -> Result<Option<Self>> {
        let path = private.intent();
        let bytes = match environment::read_file(environment, &path) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match serde_json::from_slice::<Intent>(&bytes) {
            Ok(intent) if intent.has_sound_paths() => Ok(Some(intent)),
            _ => {
                environment.unlink(&path)?;
                Ok(None)
            }
        }
    }

    /// Who it is about, for a person.
    pub(super) fn subject(&self) -> String {
        if self.id.is_empty() {
            "the vault".to_owned()
        } else {
            format!("`{}`", self.id)
        }
    }

    /// The files that change, old places too.
    pub(super) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<_> = self
            .steps
            .iter()
            .flat_map(Step::touched)
            .map(|path| path.as_str().to_owned())
            .collect();
        paths.dedup();
        paths
    }

    /// The directories whose entries change.
    pub(super) fn directories(&self) -> Vec<VaultPath> {
        let mut directories: Vec<_> = self
            .steps
            .iter()
            .flat_map(Step::touched)
            .map(VaultPath::parent)
            .collect();
        directories.sort();
        directories.dedup();
        directories
    }

    /// The journal file and its line.
    pub(super) fn journal(&self) -> (VaultPath, String) {
        (
            VaultPath::parse(&self.journal_path).unwrap_or_else(|_| VaultPath::root()),
            self.journal_line.clone(),
        )
    }

    /// Appends the journal line unless it is the last one already.
    pub(super) fn complete_journal(&self, environment: &dyn Environment) -> Result<()> {
        let (path, mut line) = self.journal();
        let bytes = match environment::read_file(environment, &path) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => {
                environment::create_directories(environment, &path.parent())?;
                Vec::new()
            }
            Err(error) => return Err(error.into()),
        };
        if ends_with_line(&bytes, line.as_bytes()) {
            return Ok(());
        }
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            // Half a line stands at the end: close it first.
            line.insert(0, '\n');
        }
        Ok(environment::append_line(environment, &path, &line)?)
    }

    fn has_sound_paths(&self) -> bool {
        VaultPath::parse(&self.journal_path).is_ok() && !self.steps.is_empty()
    }
}

fn ends_with_line(bytes: &[u8], line: &[u8]) -> bool {
    bytes
        .strip_suffix(b"\n")
        .is_some_and(|bytes| bytes.ends_with(line))
}
