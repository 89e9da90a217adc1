//! Undoing a change: its files become what they were, as a change of its own.

use super::returning::Returning;
use crate::change::feed::{self, Announcement, FileChange};
use crate::change::{Action, Planned, undo};
use crate::document::LineEnding;
use crate::environment::{self, Environment, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Ids, Operation, Parsed, Staged};
use crate::memory::{Memory, fingerprint};
use crate::text::characters;
use crate::timestamp::Timestamp;
use crate::vault::Vault;
use crate::vault::changing::{Holder, Original, Receipt, require_no_link};
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
    /// [`Error::Unsupported`] where it is too long ago or was none of a
    /// memory, [`Error::RevisionConflict`] where a file was changed since,
    /// [`Error::AlreadyExists`] where its place is taken or the memory is
    /// there again; those of changing.
    pub fn undo(&mut self, target: &UndoTarget) -> Result<Receipt> {
        self.changing(|state, holder| match target {
            UndoTarget::LastOf(id) => {
                let id = state.read_id(id)?.into_owned();
                state.undo(holder, &UndoTarget::LastOf(id))
            }
            UndoTarget::Position(_) => state.undo(holder, target),
        })
    }
}

impl State {
    fn undo(&mut self, holder: &mut Holder<'_, '_>, target: &UndoTarget) -> Result<Receipt> {
        let environment = holder.environment;
        let history = feed::history(environment, &self.private.feed())?;
        let done = self.find_change(&history, target)?;
        let kept = undo::Store::open(environment, &self.private)?;
        let mut returning = Vec::new();
        let mut besides = Vec::new();
        for file in &done.files {
            if file.id.is_empty() {
                besides.push(self.pool_before(environment, done.seq, file, &kept)?);
            } else {
                returning.push(self.before(environment, done.seq, file, &kept)?);
            }
        }
        let notes = self.reconcile(environment, &mut returning)?;
        // The memory that the change was about comes first.
        returning.sort_by_key(|one| one.id() != done.id);
        let detail = format!("{} at position {}", done.op, done.seq);
        let mut files = returning
            .into_iter()
            .map(|one| one.written(Operation::Undo, detail.clone()));
        let subject = files.next().ok_or_else(|| no_memory(done.seq))?;
        let mut receipt = self.put_besides(holder, subject, files.collect(), besides)?;
        receipt.notes.extend(notes);
        Ok(receipt)
    }

    fn find_change<'h>(
        &self,
        history: &'h [Announcement],
        target: &UndoTarget,
    ) -> Result<&'h Announcement> {
        let found = match target {
            UndoTarget::LastOf(id) => {
                let follows = self.format.capabilities().ids == Ids::Places;
                let mut changes = history.iter().rev();
                changes.find(|change| touches(change, id, follows))
            }
            UndoTarget::Position(position) => history.iter().find(|change| change.seq == *position),
        };
        let Some(change) = found else {
            return Err(self.not_told(history, target));
        };
        if change.seq + undo::MOST_CHANGES <= self.feed.position() {
            return Err(too_long_ago(&target.name()));
        }
        let is_strange = |file: &FileChange| file.id.is_empty() && !self.is_pool(&file.path);
        if change.files.iter().any(is_strange) {
            return Err(no_memory(change.seq));
        }
        if change.files.iter().all(|file| file.id.is_empty()) {
            return Err(of_the_pool(change.seq));
        }
        Ok(change)
    }

    /// Why the feed does not tell of a change.
    fn not_told(&self, history: &[Announcement], target: &UndoTarget) -> Error {
        let oldest = history.first().map_or(1, |change| change.seq);
        let what = target.name();
        match target {
            UndoTarget::Position(position) if (1..oldest).contains(position) => too_long_ago(&what),
            UndoTarget::LastOf(id) if self.index.find(id).is_some() => {
                if oldest > 1 {
                    return too_long_ago(&format!("any change of `{id}`"));
                }
                Error::NotFound(format!(
                    "`{id}` was never changed here, only by hand or by other programs: there is nothing to undo"
                ))
            }
            _ => Error::NotFound(format!("{what} is none that was made here")),
        }
    }

    /// The memory of one step as it was before it.
    fn before(
        &mut self,
        environment: &dyn Environment,
        position: u64,
        file: &FileChange,
        kept: &undo::Store,
    ) -> Result<Returning> {
        let now = self.as_it_became(environment, position, file)?;
        let path = match (file.before.as_str(), file.from.as_str()) {
            ("", _) => self.place_to_put_away(environment, &now.memory)?,
            (_, "") => now.memory.path.clone(),
            (_, from) => self.place_of(position, from)?,
        };
        if self.keeps(&path) && !self.keeps(&now.memory.path) {
            self.require_absent(environment, &file.id)?;
        }
        let bytes = if file.before == file.after || file.before.is_empty() {
            now.bytes.clone()
        } else {
            let bytes = kept.bytes(environment, &file.before)?;
            bytes.ok_or_else(|| not_kept(position))?
        };
        let id = match file.id_before.as_str() {
            "" => &file.id,
            _ => &file.id_before,
        };
        let then = self.memory_of(id, &path, bytes, environment.now());
        let then = then.ok_or_else(|| no_memory(position))?;
        Ok(Returning { now, then, path })
    }

    /// A file that must be what the change made of it.
    fn as_it_became(
        &self,
        environment: &dyn Environment,
        position: u64,
        file: &FileChange,
    ) -> Result<Original> {
        let path = self.place_of(position, &file.path)?;
        let (bytes, seen) = read_unchanged(environment, &path, file)?;
        self.memory_of(&file.id, &path, bytes, assumed_time(seen.mtime))
            .ok_or_else(|| changed_since(&path))
    }

    /// The step that gives the staging pool back what a change that also
    /// touched memories took out of it.
    fn pool_before(
        &self,
        environment: &dyn Environment,
        position: u64,
        file: &FileChange,
        kept: &undo::Store,
    ) -> Result<Planned> {
        let path = VaultPath::parse(&file.path)?;
        let now = match environment::read_file(environment, &path) {
            Ok((now, _)) => now,
            Err(error) if error.kind == IoErrorKind::NotFound => return Err(changed_since(&path)),
            Err(error) => return Err(error.into()),
        };
        require_no_link(environment, &path)?;
        let before = kept.bytes(environment, &file.before)?;
        let before = before.ok_or_else(|| not_kept(position))?;
        let revision = fingerprint(&now);
        let content = if revision == file.after {
            before
        } else {
            let after = kept.bytes(environment, &file.after)?;
            let after = after.ok_or_else(|| changed_since(&path))?;
            let [before, after, now] = [before, after, now.clone()].map(String::from_utf8);
            let texts = (before.ok(), after.ok(), now.ok());
            let (Some(before), Some(after), Some(now)) = texts else {
                return Err(changed_since(&path));
            };
            self.with_entries_back(now, &before, &after).into_bytes()
        };
        Ok(Planned::of_file(Action::Replace {
            target: path,
            content,
            expected: revision,
            size: now.len() as u64,
        }))
    }

    /// The pool's text with the entries at its end that are in `before` and
    /// not in `after`.
    fn with_entries_back(&self, now: String, before: &str, after: &str) -> String {
        let Some(pool) = self.format.pool() else {
            return now;
        };
        let mut text = now;
        let mut left = pool.entries(after);
        let said = |entry: &Staged| (entry.date.clone(), entry.scope.clone(), entry.text.clone());
        for entry in pool.entries(before) {
            if let Some(at) = left.iter().position(|other| said(other) == said(&entry)) {
                left.remove(at);
                continue;
            }
            let ending = LineEnding::of(&text).as_str();
            if !text.is_empty() && !text.ends_with(['\n', '\r']) {
                text.push_str(ending);
            }
            text.push_str(before[entry.part].trim_end_matches(['\n', '\r']));
            text.push_str(ending);
        }
        text
    }

    fn is_pool(&self, path: &str) -> bool {
        let pool = self.format.pool();
        pool.is_some_and(|pool| pool.file().as_str() == path)
    }

    /// Bytes as the memory that a change says they are.
    fn memory_of(
        &self,
        id: &str,
        path: &VaultPath,
        bytes: Vec<u8>,
        assumed: Timestamp,
    ) -> Option<Original> {
        match self.format.parse(path, &bytes, assumed) {
            Parsed::Memory(memory) if self.can_be(&memory, id) => Some(Original {
                memory: *memory,
                bytes,
            }),
            _ => None,
        }
    }

    /// Whether a memory is the one of an id, or can come to be.
    pub(super) fn can_be(&self, memory: &Memory, id: &str) -> bool {
        memory.metadata.id == id || self.format.capabilities().ids == Ids::Places
    }

    /// A place that the feed names. Anybody can write to the feed, so it must
    /// be one where memories are kept or thrown away.
    fn place_of(&self, position: u64, path: &str) -> Result<VaultPath> {
        VaultPath::parse(path)
            .ok()
            .filter(|path| self.keeps(path) || self.is_in_trash(path))
            .ok_or_else(|| no_memory(position))
    }

    /// A memory that is to come back must not be there under another name.
    fn require_absent(&mut self, environment: &dyn Environment, id: &str) -> Result<()> {
        if !self.is_known(environment, id)? {
            return Ok(());
        }
        let there = self.index.find(id).map(|(_, document)| document.path());
        let there = there.unwrap_or_else(VaultPath::root);
        Err(Error::AlreadyExists(format!(
            "`{id}` is there again, as {there}: forget that one first, or give it another id"
        )))
    }
}

impl UndoTarget {
    /// What it is, for a person.
    fn name(&self) -> String {
        match self {
            UndoTarget::LastOf(id) => format!("the last change of `{}`", characters::cut(id, 80)),
            UndoTarget::Position(position) => format!("the change at position {position}"),
        }
    }
}

/// Reads a file that must be what the change made of it.
fn read_unchanged(
    environment: &dyn Environment,
    path: &VaultPath,
    file: &FileChange,
) -> Result<(Vec<u8>, Stat)> {
    let (bytes, seen) = match environment::read_file(environment, path) {
        Ok(read) => read,
        Err(error) if error.kind == IoErrorKind::NotFound => return Err(changed_since(path)),
        Err(error) => return Err(error.into()),
    };
    require_no_link(environment, path)?;
    if fingerprint(&bytes) == file.after {
        Ok((bytes, seen))
    } else {
        Err(changed_since(path))
    }
}

fn changed_since(path: &VaultPath) -> Error {
    Error::RevisionConflict(format!(
        "{path} was changed since: undo the later change first, or edit it by hand"
    ))
}

/// Whether a change is one of the memory of that id; `follows` where a memory
/// has another id once it was moved.
fn touches(change: &Announcement, id: &str, follows: bool) -> bool {
    let mut files = change.files.iter();
    files.any(|file| file.id == id || (follows && file.id_before == id))
}

fn no_memory(position: u64) -> Error {
    Error::Unsupported(format!(
        "the change at position {position} was none of a memory: move the file back by hand"
    ))
}

fn of_the_pool(position: u64) -> Error {
    Error::Unsupported(format!(
        "the change at position {position} was one of the staging pool: add the entry again, or drop it"
    ))
}

fn too_long_ago(what: &str) -> Error {
    Error::Unsupported(format!(
        "{what} is too long ago: at most the last {} changes can be undone",
        undo::MOST_CHANGES
    ))
}

fn not_kept(position: u64) -> Error {
    Error::Unsupported(format!(
        "what was there before the change at position {position} is not kept any more: that is done for at most {} changes and {} MiB",
        undo::MOST_CHANGES,
        undo::MOST_BYTES >> 20
    ))
}
