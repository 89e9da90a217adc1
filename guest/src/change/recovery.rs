//! What the holder of the lock does for one that came before it: finishing
//! the change of which only the intent is known.
//!
//! An intent is a file like any other and can have been written by anybody:
//! a vault that was copied from somewhere brings its private folder along. So
//! it is acted on only where it stays within what changes touch, and set
//! aside otherwise.

use super::feed::{self, Announcement};
use super::intent::Intent;
use super::steps::Step;
use super::{Changer, journal, undo};
use crate::environment::{self, FileKind, IoErrorKind, VaultPath};
use crate::error::{Error, Result};

/// How the name of an intent begins that was set aside.
pub const REFUSED: &str = "refused-";

/// Where changes happen, as the vault says.
pub struct Grounds {
    /// Whether a file that a change may write, move or remove lies there.
    pub is_file: Box<dyn Fn(&VaultPath) -> bool>,
    /// Whether a file is one of the journal's.
    pub is_journal: Box<dyn Fn(&VaultPath) -> bool>,
}

impl Changer<'_> {
    /// Does the rest of what the intents of earlier holders say, and tells
    /// what that was.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::Io`].
    pub fn finish_inherited(&mut self, grounds: &Grounds) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for path in self.private.intents(self.environment)? {
            let Some(intent) = Intent::load(self.environment, &path)? else {
                continue;
            };
            self.lock.advance()?;
            if let Some(why) = self.objection(&intent, grounds)? {
                notes.push(self.set_aside(&path, &why)?);
                continue;
            }
            self.unfinished = true;
            notes.push(format!(
                "finished the change `{}` of {} that was interrupted",
                intent.operation,
                intent.subject()
            ));
            self.finish(intent, &mut notes)?;
            self.environment.unlink(&path)?;
            self.unfinished = false;
        }
        // Readers stage a snapshot right now; whatever else is there is of
        // holders that are gone.
        self.private.sweep_staging(self.environment, |name| {
            !name.starts_with("index.snapshot.")
        });
        Ok(notes)
    }

    /// Why an intent is not acted on, if it is not.
    fn objection(&self, intent: &Intent, grounds: &Grounds) -> Result<Option<String>> {
        for step in &intent.steps {
            let (from, to) = step.places();
            for file in from.into_iter().chain([to]) {
                if !(grounds.is_file)(file) {
                    return Ok(Some(format!("{file} is no place of a memory")));
                }
                if let Some(why) = self.obstruction(file)? {
                    return Ok(Some(why));
                }
            }
            if !self.stays_private(step) {
                return Ok(Some(format!("a step for {to} leaves the private folder")));
            }
        }
        let strange = intent
            .journal
            .iter()
            .find(|line| !(grounds.is_journal)(&line.path) || line.text.contains('\n'));
        Ok(strange.map(|line| format!("{} is no journal", line.path)))
    }

    /// Whether a step takes its content from staging and keeps bytes in undo.
    fn stays_private(&self, step: &Step) -> bool {
        let is_staged = |path: &VaultPath| {
            path.parent() == self.private.staging() && super::private::is_staged(path.name())
        };
        let is_kept =
            |path: &VaultPath| path.parent() == self.private.undo() && undo::is_kept(path);
        step.staged().is_none_or(|(staged, _)| is_staged(staged)) && step.kept().is_none_or(is_kept)
    }

    /// What stands in the way to a file: a link, or what is no directory.
    fn obstruction(&self, file: &VaultPath) -> Result<Option<String>> {
        let mut at = file.clone();
        while !at.is_root() {
            match self.environment.is_link(&at) {
                Ok(true) => return Ok(Some(format!("{at} is a symbolic link"))),
                Err(error) if is_lasting(error.kind) => return Ok(Some(error.to_string())),
                Err(error) if error.kind != IoErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
            let is_above = at != *file;
            match self.environment.stat(&at) {
                Ok(stat) if is_above && stat.kind != FileKind::Directory => {
                    return Ok(Some(format!("{at} is no directory")));
                }
                Err(error) if is_lasting(error.kind) => return Ok(Some(error.to_string())),
                Err(error) if error.kind != IoErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
            at = at.parent();
        }
        Ok(None)
    }

    /// Takes an intent out of the way; what it would have done is for a person
    /// to see.
    fn set_aside(&self, path: &VaultPath, why: &str) -> Result<String> {
        let aside = self.private.file(&format!("{REFUSED}{}", path.name()));
        self.environment.rename(path, &aside)?;
        Ok(format!(
            "a change that was interrupted was not finished, since {why}: {aside} says what it was"
        ))
    }

    /// Does what is left of an earlier holder's change.
    fn finish(&self, mut intent: Intent, notes: &mut Vec<String>) -> Result<()> {
        let mut done = Vec::new();
        for step in &intent.steps {
            let note = step.finish(self.environment)?;
            done.push(note.is_none());
            notes.extend(note);
        }
        for directory in intent.directories() {
            // One that cannot be synced here could not be for its change.
            let _ = environment::sync_directory(self.environment, &directory);
        }
        let has_steps = !intent.steps.is_empty();
        intent.keep_steps(&done);
        if has_steps && intent.steps.is_empty() {
            return Ok(());
        }
        let told = self.tell(&mut intent);
        let recorded = journal::complete(self.environment, &intent.journal);
        // The change itself is done; a feed or journal that cannot be written
        // must not keep everybody from changing the vault.
        let failed = [told.err(), recorded.map_err(Error::from).err()];
        notes.extend(failed.into_iter().flatten().map(|error| error.to_string()));
        Ok(())
    }

    /// Appends an earlier holder's change to the feed unless it is there.
    fn tell(&self, intent: &mut Intent) -> Result<()> {
        let feed = self.private.feed();
        if intent.steps.is_empty() || feed::tells_of(self.environment, &feed, intent)? {
            return Ok(());
        }
        let mut cursor = feed::Cursor::default();
        cursor.poll(self.environment, &feed)?;
        intent.position = cursor.position() + 1;
        cursor.announce(self.environment, &feed, &Announcement::of(intent, &[]))?;
        Ok(())
    }
}

/// Faults of a path that no waiting mends.
fn is_lasting(kind: IoErrorKind) -> bool {
    matches!(
        kind,
        IoErrorKind::NotDirectory | IoErrorKind::InvalidName | IoErrorKind::IsDirectory
    )
}
