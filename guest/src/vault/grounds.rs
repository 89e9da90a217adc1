//! Where changes happen in a vault of a format: what recovery holds an intent
//! to that an earlier holder of the lock left.

use crate::change::Grounds;
use crate::environment::VaultPath;
use crate::format::{Format, JournalFiles, Place};

/// The grounds of a format's vaults.
pub(super) fn of(format: &'static dyn Format) -> Grounds {
    Grounds {
        is_file: Box::new(move |path| is_file(format, path)),
        is_journal: Box::new(move |path| is_journal(format, path)),
    }
}

/// Whether a memory, or what was taken for one, can lie there.
pub(super) fn is_file(format: &dyn Format, path: &VaultPath) -> bool {
    let capabilities = format.capabilities();
    let aside = [capabilities.trash, capabilities.quarantine];
    let is_aside = |directory: &str| path.parent().as_str() == directory;
    keeps(format, path) || aside.into_iter().flatten().any(is_aside)
}

/// Whether the format keeps memories there.
pub(super) fn keeps(format: &dyn Format, path: &VaultPath) -> bool {
    let may_be = format.is_note(path) || path.name().contains(".md.tmp-");
    may_be && format.places().iter().any(|place| covers(place, path))
}

/// Whether a file lies in a place, or as deep below as is read.
fn covers(place: &Place, path: &VaultPath) -> bool {
    let mut directory = path.parent();
    for _ in 0..=place.depth {
        if directory.as_str() == place.directory {
            return true;
        }
        if directory.is_root() {
            return false;
        }
        directory = directory.parent();
    }
    false
}

fn is_journal(format: &dyn Format, path: &VaultPath) -> bool {
    match format.journal_files() {
        None => false,
        Some(JournalFiles::One(file)) => path.as_str() == file,
        Some(JournalFiles::Many {
            directory,
            is_journal,
        }) => path.parent().as_str() == directory && is_journal(path.name()),
    }
}
