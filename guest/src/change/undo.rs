//! The bytes that changes took out of the vault, kept for a while.
//!
//! Each step that overwrites a file, or removes one whose content goes on
//! elsewhere, keeps the bytes as `undo/<position>.<step>.<size>`; the rest of
//! what undoing takes stands in the feed. The bounds hold at any time: the
//! folder is looked over every so many changes and after large ones, and
//! leaves room for those in between.

use super::intent::Intent;
use super::private::PrivateFolder;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::Result;

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
    path: VaultPath,
}

/// The bytes that a step of the change at a position took out of the vault;
/// none where they are not kept any more.
///
/// # Errors
/// What the file system answers.
pub fn bytes_before(
    environment: &dyn Environment,
    private: &PrivateFolder,
    position: u64,
    step: usize,
) -> Result<Option<Vec<u8>>> {
    let mut kept = all(environment, private)?.into_iter();
    let Some(kept) = kept.find(|kept| kept.position == position && kept.step == step) else {
        return Ok(None);
    };
    Ok(Some(environment::read_file(environment, &kept.path)?.0))
}

/// Removes what is beyond the bounds, where it is time to look.
pub(super) fn sweep_if_due(
    environment: &dyn Environment,
    private: &PrivateFolder,
    intent: &Intent,
) {
    let sizes = intent.steps.iter().filter_map(|step| step.kept());
    let large = sizes
        .filter_map(|kept| parse(kept.name()))
        .any(|(.., size)| size >= LARGE);
    if intent.position.is_multiple_of(EVERY) || large {
        sweep(environment, private, intent.position);
    }
}

/// What cannot be listed or removed now is another time.
fn sweep(environment: &dyn Environment, private: &PrivateFolder, position: u64) {
    let kept = all(environment, private).unwrap_or_default();
    let mut room = MOST_BYTES - EVERY * LARGE;
    for kept in kept.iter().rev() {
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
        .filter_map(|entry| {
            let (position, step, size) = parse(&entry.name)?;
            Some(Kept {
                position,
                step,
                size,
                path: private.undo().join(&entry.name),
            })
        })
        .collect();
    kept.sort_unstable();
    Ok(kept)
}

/// Position, step and size in a name.
fn parse(name: &str) -> Option<(u64, usize, u64)> {
    let mut parts = name.split('.');
    let parsed = (
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    );
    parts.next().is_none().then_some(parsed)
}
