//! The private folder and the names in it.

use std::time::Duration;

use crate::environment::{self, Entry, Environment, FileKind, IoErrorKind, VaultPath};
use crate::error::Result;

/// How old a staged file must be to be taken for forgotten.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// The folder for everything that is not a memory.
#[derive(Clone, Debug)]
pub struct PrivateFolder {
    path: VaultPath,
}

impl PrivateFolder {
    /// The private folder of that name in the vault.
    pub fn new(name: &str) -> Self {
        PrivateFolder {
            path: VaultPath::known(name),
        }
    }

    /// The folder.
    pub fn path(&self) -> &VaultPath {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> VaultPath {
        self.path.join(name)
    }

    /// The list of changes.
    pub fn feed(&self) -> VaultPath {
        self.file("feed.jsonl")
    }

    /// The change that the holder of that token is making. Each holder has a
    /// file of its own, so that one whose lock was taken away cannot touch
    /// the intent of the next.
    pub fn intent(&self, token: &str) -> VaultPath {
        self.file(&format!("intent.{token}.json"))
    }

    /// The changes under way or interrupted.
    ///
    /// # Errors
    /// What the file system answers; no folder holds no intents.
    pub fn intents(&self, environment: &dyn Environment) -> Result<Vec<VaultPath>> {
        let entries = match environment::list_sorted(environment, &self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let is_intent = |entry: &&Entry| {
            entry.kind == FileKind::File
                && entry.name.starts_with("intent.")
                && entry.name.ends_with(".json")
        };
        let intents = entries.iter().filter(is_intent);
        Ok(intents.map(|entry| self.file(&entry.name)).collect())
    }

    /// The index on disk.
    pub fn snapshot(&self) -> VaultPath {
        self.file("index.snapshot")
    }

    /// The settings.
    pub fn config(&self) -> VaultPath {
        self.file("config.json")
    }

    /// The lock's folder.
    pub fn lock(&self) -> VaultPath {
        self.file("lock")
    }

    /// Where files that are no use here are put, and `init` tries whether it
    /// can write; not in every format.
    pub fn quarantine(&self) -> VaultPath {
        self.file("quarantine")
    }

    /// What tells that a conversation was given the list of file names, by the
    /// fingerprint of its id.
    pub fn told(&self, conversation: &str) -> VaultPath {
        self.told_folder().join(conversation)
    }

    /// The folder of these.
    pub fn told_folder(&self) -> VaultPath {
        self.file("told")
    }

    /// Where bytes of earlier times are kept.
    pub fn undo(&self) -> VaultPath {
        self.file("undo")
    }

    /// The place for the bytes that step `step` of the change at a position
    /// takes out of the vault: `size` bytes of that revision.
    pub fn kept(&self, position: u64, step: usize, size: u64, revision: &str) -> VaultPath {
        self.undo()
            .join(&format!("{position}.{step}.{size}.{revision}"))
    }

    /// Where content waits for its rename.
    pub fn staging(&self) -> VaultPath {
        self.file("staging")
    }

    /// A place for content that waits, never used before.
    pub fn staged(&self, name: &str, random: u64) -> VaultPath {
        self.staging().join(&format!("{name}.{random:016x}"))
    }

    /// Makes the folder for waiting content, and the private folder.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn prepare_staging(&self, environment: &dyn Environment) -> Result<()> {
        Ok(environment::create_directories(
            environment,
            &self.staging(),
        )?)
    }

    /// Removes staged files that are older than an hour, or that `is_mine`
    /// says are of no use; only for the holder of the lock, and only as well
    /// as it goes. Files that no change staged stay. Returns what was removed.
    pub fn sweep_staging(
        &self,
        environment: &dyn Environment,
        is_mine: impl Fn(&str) -> bool,
    ) -> Vec<VaultPath> {
        let now = u64::try_from(environment.now().millis()).unwrap_or_default() * 1_000_000;
        let entries = environment::list_sorted(environment, &self.staging()).unwrap_or_default();
        let mut removed = Vec::new();
        for entry in entries.iter().filter(|entry| is_staged(&entry.name)) {
            let path = self.staging().join(&entry.name);
            let Ok(stat) = environment.stat(&path) else {
                continue;
            };
            let age = Duration::from_nanos(now.saturating_sub(stat.mtime));
            if (age > FORGOTTEN || is_mine(&entry.name)) && environment.unlink(&path).is_ok() {
                removed.push(path);
            }
        }
        removed
    }
}

/// Whether a name is one that [`PrivateFolder::staged`] gives.
pub fn is_staged(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, drawn)| {
        drawn.len() == 16 && drawn.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}
