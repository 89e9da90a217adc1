//! Where changes happen in a vault of a format: what recovery holds an intent
//! to that an earlier holder of the lock left.

use crate::change::{Grounds, PrivateFolder};
use crate::environment::{Environment, VaultPath};
use crate::format::{Format, JournalFiles, Place};

/// The grounds of a format's vaults.
pub(super) fn of(format: &'static dyn Format) -> Grounds {
    Grounds {
        is_file: Box::new(move |path| is_file(format, path)),
        is_journal: Box::new(move |path| is_journal(format, path)),
    }
}

/// Why a vault must not be changed whose private files are links: what is
/// appended or removed there would be somebody else's.
pub(super) fn linked(environment: &dyn Environment, format: &dyn Format) -> Option<String> {
    let private = PrivateFolder::new(format.private_folder());
    let journal = format.journal_files().map(|files| match files {
        JournalFiles::One(file) => VaultPath::known(file),
        JournalFiles::Many { directory, .. } => VaultPath::known(directory),
    });
    let mut files = vec![
        private.path().clone(),
        private.lock(),
        private.staging(),
        private.undo(),
        private.feed(),
    ];
    files.extend(journal);
    let is_link = |file: &&VaultPath| environment.is_link(file).unwrap_or_default();
    let link = files.iter().find(is_link)?;
    Some(format!(
        "{link} is a symbolic link: put the file or folder itself there to change the vault"
    ))
}

/// Whether a memory, what was taken for one, or what may become one can lie
/// there.
pub(super) fn is_file(format: &dyn Format, path: &VaultPath) -> bool {
    let capabilities = format.capabilities();
    let aside = [capabilities.trash, capabilities.quarantine];
    let is_aside = |directory: &str| path.parent().as_str() == directory;
    let is_pool = format.pool().is_some_and(|pool| pool.file() == *path);
    keeps(format, path) || is_pool || aside.into_iter().flatten().any(is_aside)
}

/// Whether the format keeps memories there.
pub(super) fn keeps(format: &dyn Format, path: &VaultPath) -> bool {
    let may_be =
        format.is_note(path) || without_suffix(path).is_some_and(|path| format.is_note(&path));
    may_be && format.places().iter().any(|place| covers(place, path))
}

/// A file's path without what another program adds to it while it writes.
fn without_suffix(path: &VaultPath) -> Option<VaultPath> {
    let (name, _) = path.name().split_once(".tmp-")?;
    Some(path.parent().join(name))
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
