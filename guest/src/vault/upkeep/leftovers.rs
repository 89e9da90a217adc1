//! What crashes and other programs left behind: interrupted changes, content
//! that was staged and not used, locks and files that were never put in place.

use std::time::Duration;

use super::verify::{Severity, Verification};
use crate::change::{Changer, REFUSED, is_staged};
use crate::environment::{self, Entry, Environment, FileKind, IoErrorKind, VaultPath};
use crate::error::Result;
use crate::vault::refresh::FILE_LIMIT;
use crate::vault::state::State;

/// How old must be what somebody may be making right now, to be taken for
/// forgotten.
const FORGOTTEN: Duration = Duration::from_secs(3600);

const TEMPORARY: &str = "it was written beside a memory and never put in its place";

impl State {
    /// Reports what was left behind.
    pub(super) fn report_leftovers(
        &self,
        environment: &dyn Environment,
        verification: &mut Verification,
    ) -> Result<()> {
        for intent in self.private.intents(environment)? {
            verification.report(
                intent.as_str(),
                Severity::Warning,
                "a change is under way or was interrupted".to_owned(),
                "the next change finishes it; so does `verify --fix`",
            );
        }
        for entry in list(environment, self.private.path())? {
            if entry.name.starts_with(REFUSED) {
                verification.report(
                    self.private.file(&entry.name).as_str(),
                    Severity::Warning,
                    "an interrupted change that was not finished, since it leaves what changes touch".to_owned(),
                    "look at what it would have done, then remove it",
                );
            }
        }
        let mut note = |path: &VaultPath, message: &str, mend| {
            verification.report(path.as_str(), Severity::Note, message.to_owned(), mend);
        };
        for entry in list(environment, &self.private.staging())? {
            let [message, mend] = if is_staged(&entry.name) {
                [
                    "content that was staged and not used",
                    "it goes with a later change once it is an hour old; `verify --fix` removes it",
                ]
            } else {
                [
                    "another program's file where content is staged",
                    "move it elsewhere, or remove it: nothing here does",
                ]
            };
            note(&self.private.staging().join(&entry.name), message, mend);
        }
        for folder in self.forgotten_locks(environment)? {
            note(
                &folder,
                "a lock that was made and never put in its place",
                "`verify --fix` removes it, if nothing but `free` lies in it",
            );
        }
        let mend = match self.format.capabilities().quarantine {
            Some(_) => "`verify --fix` moves it to quarantine: it may hold the text of a write",
            None => "look whether it holds the text of a write, then remove it",
        };
        for file in self.forgotten_files(environment)? {
            note(&file, TEMPORARY, mend);
        }
        Ok(())
    }

    /// Removes or moves what was left behind, as far as it goes; returns what
    /// is no longer there. Staged content goes whatever its age: under the
    /// lock no change is under way, and what readers stage can be lost.
    pub(super) fn clear_leftovers(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
    ) -> Result<Vec<VaultPath>> {
        let mut cleared = self.private.sweep_staging(environment, |_| true);
        let locks = self.forgotten_locks(environment)?.into_iter();
        cleared.extend(locks.filter(|folder| remove_lock(environment, folder).is_ok()));
        for file in self.forgotten_files(environment)? {
            if let Ok(true) = self.set_temporary_aside(environment, changer, &file) {
                cleared.push(file);
            }
        }
        Ok(cleared)
    }

    /// Folders `lock.<16 hexadecimal digits>` of a process that died while it
    /// made the lock. One that is not yet forgotten is being made, perhaps,
    /// and its maker would fail without it, even while the lock is held.
    fn forgotten_locks(&self, environment: &dyn Environment) -> Result<Vec<VaultPath>> {
        let is_lock = |entry: &Entry| {
            let random = entry.name.strip_prefix("lock.");
            entry.kind == FileKind::Directory && random.is_some_and(is_sixteen_digits)
        };
        forgotten(environment, self.private.path(), is_lock)
    }

    /// Files that another implementation of the format was writing beside
    /// memories when it died.
    fn forgotten_files(&self, environment: &dyn Environment) -> Result<Vec<VaultPath>> {
        let is_temporary =
            |entry: &Entry| entry.kind == FileKind::File && is_temporary(&entry.name);
        let mut files = Vec::new();
        for directory in self.watch.directories() {
            files.extend(forgotten(environment, directory, is_temporary)?);
        }
        Ok(files)
    }

    fn set_temporary_aside(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        file: &VaultPath,
    ) -> Result<bool> {
        if environment.stat(file)?.size > FILE_LIMIT {
            return Ok(false);
        }
        let (bytes, _) = environment::read_file(environment, file)?;
        let moved = self.set_aside(environment, changer, file, &bytes, TEMPORARY)?;
        Ok(moved.is_some())
    }
}

/// The entries of a directory of which that is true and that are old enough
/// to be forgotten.
fn forgotten(
    environment: &dyn Environment,
    directory: &VaultPath,
    is_left: impl Fn(&Entry) -> bool,
) -> Result<Vec<VaultPath>> {
    let now = u64::try_from(environment.now().millis()).unwrap_or_default() * 1_000_000;
    let is_old = |path: &VaultPath| {
        let changed = environment.stat(path).map(|stat| stat.mtime);
        changed.is_ok_and(|mtime| Duration::from_nanos(now.saturating_sub(mtime)) > FORGOTTEN)
    };
    let entries = list(environment, directory)?.into_iter();
    let left = entries
        .filter(is_left)
        .map(|entry| directory.join(&entry.name));
    Ok(left.filter(is_old).collect())
}

/// The entries of a directory by name; none where it is not there.
fn list(environment: &dyn Environment, directory: &VaultPath) -> Result<Vec<Entry>> {
    match environment::list_sorted(environment, directory) {
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(Vec::new()),
        listed => Ok(listed?),
    }
}

/// Removes a lock's folder. One with anything but its state in it stays,
/// since only an empty one can be removed.
fn remove_lock(environment: &dyn Environment, folder: &VaultPath) -> Result<()> {
    match environment.unlink(&folder.join("free")) {
        Err(error) if error.kind == IoErrorKind::NotFound => {}
        unlinked => unlinked?,
    }
    Ok(environment.remove_directory(folder)?)
}

fn is_sixteen_digits(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a name is `<file>.tmp-<pid>-<random>` (inkvault contract §3,
/// `safeWriteAtomic`).
fn is_temporary(name: &str) -> bool {
    let parts = name
        .rsplit_once(".tmp-")
        .and_then(|(file, rest)| Some((file, rest.split_once('-')?)));
    parts.is_some_and(|(file, (pid, random))| {
        let is_number = !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit());
        let is_random =
            !random.is_empty() && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !file.is_empty() && is_number && is_random
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_have_a_number_and_something_random() {
        for name in ["m-20261019-ab12cd.md.tmp-4711-x9k2", "笔记.md.tmp-1-0"] {
            assert!(is_temporary(name), "{name}");
        }
        for name in [
            "a.md",
            "a.tmp",
            "a.md.tmp-1",
            "a.md.tmp-1-",
            "a.md.tmp--1",
            "a.md.tmp-x-1",
            ".tmp-1-1",
            "notes on a.tmp-1-1 of yesterday.md",
        ] {
            assert!(!is_temporary(name), "{name}");
        }
    }
}
