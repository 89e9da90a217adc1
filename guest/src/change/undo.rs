//! The bytes that changes took out of the vault, kept for a while.
//!
//! Each step that overwrites a file, or removes one whose content goes on
//! elsewhere, keeps the bytes as `undo/<position>.<step>.<size>.<revision>`;
//! the rest of what undoing takes stands in the feed. They are found by their
//! revision, so that no number can lead to another memory's bytes. The bounds hold at any time: the
//! folder is looked over every so many changes and after large ones, and
//! leaves room for those in between.

use super::intent::Intent;
use super::private::PrivateFolder;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::memory::fingerprint;

/// Most changes of which bytes are kept.
pub const MOST_CHANGES: u64 = 500;
/// Most bytes that are kept.
pub const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// The folder is looked over after so many changes,
const EVERY: u64 = 128;
/// and after one of so many bytes.
const LARGE: u64 = 64 * 1024;

/// A file of earlier bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    position: u64,
    step: usize,
    size: u64,
    revision: String,
    path: VaultPath,
}

/// All that is kept, looked at once.
#[derive(Clone, Debug)]
pub struct Store {
    /// Oldest first.
    kept: Vec<Kept>,
}

impl Store {
    /// Lists what is kept.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn open(environment: &dyn Environment, private: &PrivateFolder) -> Result<Self> {
        let kept = all(environment, private)?;
        Ok(Store { kept })
    }

    /// The bytes of a revision; none where they are not kept any more.
    ///
    /// # Errors
    /// [`Error::RevisionConflict`] where another program saved into the file
    /// after it was replaced; what the file system answers.
    pub fn bytes(&self, environment: &dyn Environment, revision: &str) -> Result<Option<Vec<u8>>> {
        let mut later = None;
        for kept in self.kept.iter().filter(|kept| kept.revision == revision) {
            let (bytes, _) = environment::read_file(environment, &kept.path)?;
            if fingerprint(&bytes) == revision {
                return Ok(Some(bytes));
            }
            later = Some(&kept.path);
        }
        match later {
            None => Ok(None),
            Some(path) => Err(Error::RevisionConflict(format!(
                "{path} holds what another program saved after the change: look at it, and undo by hand"
            ))),
        }
    }
}

/// Removes what is beyond the bounds, where it is time to look.
pub(super) fn sweep_if_due(
    environment: &dyn Environment,
    private: &PrivateFolder,
    intent: &Intent,
) {
    let kept = intent.steps.iter().filter_map(|step| step.kept().cloned());
    let size: u64 = kept.filter_map(parse).map(|kept| kept.size).sum();
    if intent.position.is_multiple_of(EVERY) || size >= LARGE {
        sweep(environment, private, intent.position);
    }
}

/// What cannot be listed or removed now is another time. Positions beyond the
/// present one are of a feed that is gone, and go first.
fn sweep(environment: &dyn Environment, private: &PrivateFolder, position: u64) {
    let kept = all(environment, private).unwrap_or_default();
    let (gone, known): (Vec<_>, Vec<_>) =
        kept.into_iter().partition(|kept| kept.position > position);
    let mut room = MOST_BYTES - EVERY * LARGE;
    for kept in known.iter().rev().chain(gone.iter().rev()) {
        let too_old = kept.position + (MOST_CHANGES - EVERY) <= position;
        match room.checked_sub(kept.size).filter(|_| !too_old) {
            Some(rest) => room = rest,
            None => {
                room = 0;
                let _ = environment.unlink(&kept.path);
            }
        }
    }
}

/// All that is kept, oldest first.
fn all(environment: &dyn Environment, private: &PrivateFolder) -> Result<Vec<Kept>> {
    let entries = match environment.list(&private.undo()) {
        Ok(entries) => entries,
        Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let mut kept: Vec<_> = entries
        .iter()
        .filter_map(|entry| parse(private.undo().join(&entry.name)))
        .collect();
    kept.sort_unstable();
    Ok(kept)
}

/// Whether a file's name is that of earlier bytes.
pub(super) fn is_kept(path: &VaultPath) -> bool {
    parse(path.clone()).is_some()
}

/// What the name of a file says; none where it is none of ours.
fn parse(path: VaultPath) -> Option<Kept> {
    let mut parts = path.name().split('.');
    let position = parts.next()?.parse().ok()?;
    let step = parts.next()?.parse().ok()?;
    let size = parts.next()?.parse().ok()?;
    let revision = parts.next()?.to_owned();
    let is_whole = parts.next().is_none() && is_revision(&revision);
    is_whole.then_some(Kept {
        position,
        step,
        size,
        revision,
        path,
    })
}

fn is_revision(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
