//! The lock: compare-and-swap by rename.
//!
//! A folder holds one file whose name is the state: `free`,
//! `held-<token>-<number>`, or `left-<token>` where a holder could not finish
//! and the next one must. Whoever renames a state away owns the next one;
//! only one can succeed. A waiter that sees one name unchanged for ten
//! seconds of its own clock takes the lock away. Before its first rename of
//! content a holder renames its own file to the next number: if that fails,
//! the lock was taken away, and it has changed nothing.

use std::time::Duration;

use super::private::PrivateFolder;
use crate::environment::{self, Environment, IoErrorKind, Open, VaultPath};
use crate::error::{Error, Result};

/// Digits of a token that are drawn for each holder.
const DRAWN: usize = 16;
/// How long a state must stand unchanged to be taken for abandoned.
const ABANDONED: Duration = Duration::from_secs(10);
/// How long to wait for the lock.
const PATIENCE: Duration = Duration::from_secs(15);
/// The longest pause between two tries, in microseconds.
const LONGEST_PAUSE: u64 = 20_000;

/// Leaves the lock to the next holder for an instance that is gone, which
/// signed it with `signature`. False where no such instance holds it.
///
/// # Errors
/// [`Error::Io`].
pub fn give_up(
    environment: &dyn Environment,
    private: &PrivateFolder,
    signature: &str,
) -> Result<bool> {
    let folder = private.lock();
    let entries = match environment::list_sorted(environment, &folder) {
        Ok(entries) => entries,
        Err(error) if error.kind == IoErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let held = entries.iter().find_map(|entry| {
        let token = token_of(&entry.name)?;
        let drawn = token.strip_prefix(signature)?;
        (drawn.len() == DRAWN).then_some((&entry.name, token))
    });
    let Some((state, token)) = held else {
        return Ok(false);
    };
    let left = folder.join(&format!("left-{token}"));
    match environment.rename(&folder.join(state), &left) {
        Ok(()) => Ok(true),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// The token in the name of a lock that is held.
fn token_of(state: &str) -> Option<&str> {
    let (token, _) = state.strip_prefix("held-")?.rsplit_once('-')?;
    Some(token)
}

/// What the holder before may have left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inheritance {
    /// Nothing: it gave the lock back.
    Nothing,
    /// Perhaps an intent.
    PerhapsIntent,
}

/// The lock, held.
pub(super) struct Lock<'e> {
    environment: &'e dyn Environment,
    folder: VaultPath,
    token: String,
    number: u32,
}

impl<'e> Lock<'e> {
    /// Waits for the lock.
    pub(super) fn acquire(
        environment: &'e dyn Environment,
        private: &PrivateFolder,
        token: &str,
    ) -> Result<(Self, Inheritance)> {
        let lock = Lock {
            environment,
            folder: private.lock(),
            token: token.to_owned(),
            number: 1,
        };
        let mut wait = Wait::new(environment);
        loop {
            if lock.take("free")? {
                return Ok((lock, Inheritance::Nothing));
            }
            let state = lock.state()?;
            match state.as_deref() {
                None => {
                    lock.create(private)?;
                    if lock.take("free")? {
                        return Ok((lock, Inheritance::PerhapsIntent));
                    }
                }
                Some("free") => wait.forget(),
                Some(left) if left.starts_with("left-") || wait.is_abandoned(left) => {
                    if lock.take_or_make(private, left)? {
                        return Ok((lock, Inheritance::PerhapsIntent));
                    }
                }
                Some(_) => {}
            }
            wait.pause()?;
        }
    }

    /// What this holder is called.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Moves on to the next number, as proof that the lock is still held.
    ///
    /// # Errors
    /// [`Error::Busy`] where it was taken away.
    pub(super) fn advance(&mut self) -> Result<()> {
        let before = self.name();
        let next = self.numbered(self.number + 1);
        match self.environment.rename(&before, &next) {
            Ok(()) => {
                self.number += 1;
                Ok(())
            }
            Err(error) if error.kind == IoErrorKind::NotFound => Err(Error::Busy(
                "another process took the lock after this one was idle for 10 seconds: the change was not made, try again".into(),
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives it back.
    pub(super) fn release(self) -> Result<()> {
        self.give("free")
    }

    /// Gives it back with something left to finish.
    pub(super) fn leave(self) -> Result<()> {
        self.give(&format!("left-{}", self.token))
    }

    fn give(&self, state: &str) -> Result<()> {
        match self
            .environment
            .rename(&self.name(), &self.folder.join(state))
        {
            Ok(()) => Ok(()),
            // Taken away after the change was made: it is somebody else's now.
            Err(error) if error.kind == IoErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn name(&self) -> VaultPath {
        self.numbered(self.number)
    }

    fn numbered(&self, number: u32) -> VaultPath {
        self.folder.join(&format!("held-{}-{number}", self.token))
    }

    /// Tries to turn a state into ours.
    fn take(&self, state: &str) -> Result<bool> {
        match self
            .environment
            .rename(&self.folder.join(state), &self.name())
        {
            Ok(()) => Ok(true),
            Err(error) if error.kind == IoErrorKind::NotFound => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Like [`Self::take`]; an empty folder, which nobody can rename out of,
    /// is replaced by one with a state, which only one can do.
    fn take_or_make(&self, private: &PrivateFolder, state: &str) -> Result<bool> {
        if state.is_empty() {
            self.create(private)?;
            return self.take("free");
        }
        self.take(state)
    }

    /// The state in the folder; empty where the folder is; none where there is
    /// no folder. What other programs put there is no state.
    fn state(&self) -> Result<Option<String>> {
        let entries = match environment::list_sorted(self.environment, &self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut states: Vec<_> = entries
            .iter()
            .filter(|entry| is_state(&entry.name))
            .collect();
        // Where a copy left two, the lock is held.
        states.sort_by_key(|entry| entry.name == "free");
        match (states.first(), entries.first()) {
            (Some(state), _) => Ok(Some(state.name.clone())),
            (None, None) => Ok(Some(String::new())),
            (None, Some(strange)) => Err(Error::Io(format!(
                "{} holds `{}` and no state of the lock: remove that file",
                self.folder, strange.name
            ))),
        }
    }

    /// Makes the folder whole under another name and renames it, so that it
    /// never stands there without a state.
    fn create(&self, private: &PrivateFolder) -> Result<()> {
        let fresh = private.file(&format!("lock.{:016x}", self.environment.random()));
        environment::create_directories(self.environment, &fresh)?;
        let free = fresh.join("free");
        drop(self.environment.open(&free, Open::CreateNew)?);
        match self.environment.rename(&fresh, &self.folder) {
            Ok(()) => Ok(()),
            Err(error) => {
                // Somebody else was first; ours goes as well as it can.
                let _ = self.environment.unlink(&free);
                let _ = self.environment.remove_directory(&fresh);
                if self.state()?.is_some() {
                    Ok(())
                } else {
                    Err(error.into())
                }
            }
        }
    }
}

/// Whether a name is that of a state.
fn is_state(name: &str) -> bool {
    name == "free" || name.starts_with("left-") || token_of(name).is_some()
}

/// Waiting for the lock: pauses that grow, and how long one state has stood.
struct Wait<'e> {
    environment: &'e dyn Environment,
    began: Duration,
    pause: u64,
    seen: Option<(String, Duration)>,
}

impl<'e> Wait<'e> {
    fn new(environment: &'e dyn Environment) -> Self {
        Wait {
            environment,
            began: environment.elapsed(),
            pause: 500,
            seen: None,
        }
    }

    /// Notes a state and says whether it has stood for too long.
    fn is_abandoned(&mut self, state: &str) -> bool {
        let now = self.environment.elapsed();
        match &self.seen {
            Some((seen, since)) if seen == state => now.saturating_sub(*since) >= ABANDONED,
            _ => {
                self.seen = Some((state.to_owned(), now));
                false
            }
        }
    }

    /// Somebody was here: what was seen before stands no longer.
    fn forget(&mut self) {
        self.seen = None;
    }

    fn pause(&mut self) -> Result<()> {
        if self.environment.elapsed().saturating_sub(self.began) >= PATIENCE {
            return Err(Error::Busy(
                "another process has been changing the vault for 15 seconds: try again".into(),
            ));
        }
        let jitter = self.environment.random() % self.pause.max(1);
        self.environment
            .sleep(Duration::from_micros(self.pause / 2 + jitter));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }
}
