//! Undoing a change: its files become what they were, as a change of its own.

use super::plan;
use crate::change::feed::{self, Announcement, FileChange};
use crate::change::undo;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Operation, Parsed};
use crate::text::characters;
use crate::vault::Vault;
use crate::vault::changing::{Original, Receipt, Written};
use crate::vault::refresh::assumed_time;
use crate::vault::state::State;

/// What to undo.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoTarget {
    /// The last change of the memory with this id.
    LastOf(String),
    /// The change at this position of the feed.
    Position(u64),
}

impl Vault {
    /// Undoes a change, as long as the bytes before it are kept. The receipt
    /// is that of the memory the change was about.
    ///
    /// # Errors
    /// [`Error::NotFound`] where there is no such change,
    /// [`Error::Unsupported`] where it is too long ago,
    /// [`Error::RevisionConflict`] where a file was changed since,
    /// [`Error::AlreadyExists`] where its place is taken; those of changing.
    pub fn undo(&mut self, target: &UndoTarget) -> Result<Receipt> {
        self.changing(|state, holder| {
            let history = feed::history(holder.environment, &state.private.feed())?;
            let done = state.find_change(&history, target)?;
            let kept = undo::Store::open(holder.environment, &state.private)?;
            let (mut subject, mut others) = (None, Vec::new());
            for file in &done.files {
                let undone = state.undone(holder.environment, done, file, &kept)?;
                if subject.is_none() && file.id == done.id {
                    subject = Some(undone);
                } else {
                    others.push(undone);
                }
            }
            let subject = subject.ok_or_else(|| no_memory(done.seq))?;
            state.put(holder, subject, others)
        })
    }
}

impl State {
    fn find_change<'h>(
        &self,
        history: &'h [Announcement],
        target: &UndoTarget,
    ) -> Result<&'h Announcement> {
        let touches =
            |change: &&Announcement, id: &str| change.files.iter().any(|file| file.id == id);
        let found = match target {
            UndoTarget::LastOf(id) => history.iter().rev().find(|change| touches(change, id)),
            UndoTarget::Position(position) => history.iter().find(|change| change.seq == *position),
        };
        let (what, known) = match target {
            UndoTarget::LastOf(id) => (
                format!("the last change of `{}`", characters::cut(id, 80)),
                self.index.find(id).is_some(),
            ),
            UndoTarget::Position(position) => (
                format!("the change at position {position}"),
                (1..=self.feed.position()).contains(position),
            ),
        };
        let Some(change) = found else {
            return Err(if known {
                too_long_ago(&what)
            } else {
                Error::NotFound(format!(
                    "{what} is none that was made here: the journal has the changes"
                ))
            });
        };
        if change.seq + undo::MOST_CHANGES <= self.feed.position() {
            return Err(too_long_ago(&what));
        }
        if change.files.iter().any(|file| file.id.is_empty()) {
            return Err(no_memory(change.seq));
        }
        Ok(change)
    }

    /// The file of one step as it was before it.
    fn undone(
        &self,
        environment: &dyn Environment,
        done: &Announcement,
        file: &FileChange,
        kept: &undo::Store,
    ) -> Result<Written> {
        let original = self.as_it_became(environment, file)?;
        let detail = format!("{} at position {}", done.op, done.seq);
        let told = (Operation::Undo, detail);
        if file.before.is_empty() {
            return plan::discarded(original, self.format, environment.now(), told);
        }
        let path = match file.from.as_str() {
            "" => original.memory.path.clone(),
            from => VaultPath::parse(from)?,
        };
        let content = if file.before == file.after {
            None
        } else {
            let bytes = kept.bytes(environment, &file.before)?;
            let what = format!("the change at position {}", done.seq);
            Some(bytes.ok_or_else(|| too_long_ago(&what))?)
        };
        let (operation, detail) = told;
        Ok(Written {
            operation,
            detail,
            original: Some(original),
            content,
            path,
        })
    }

    /// A file that must be what the change made of it.
    fn as_it_became(&self, environment: &dyn Environment, file: &FileChange) -> Result<Original> {
        let path = VaultPath::parse(&file.path)?;
        let changed = || {
            Error::RevisionConflict(format!(
                "{path} was changed since: undo the later change first, or edit it by hand"
            ))
        };
        let (bytes, seen) = match environment::read_file(environment, &path) {
            Ok(read) => read,
            Err(error) if error.kind == IoErrorKind::NotFound => return Err(changed()),
            Err(error) => return Err(error.into()),
        };
        match self.format.parse(&path, &bytes, assumed_time(seen.mtime)) {
            Parsed::Memory(memory) if memory.revision == file.after => Ok(Original {
                memory: *memory,
                bytes,
            }),
            _ => Err(changed()),
        }
    }
}

fn no_memory(position: u64) -> Error {
    Error::Unsupported(format!(
        "the change at position {position} was none of a memory: move the file back by hand"
    ))
}

fn too_long_ago(what: &str) -> Error {
    Error::Unsupported(format!(
        "{what} is too long ago: what was before it is kept for at most {} changes and {} MiB",
        undo::MOST_CHANGES,
        undo::MOST_BYTES >> 20
    ))
}
