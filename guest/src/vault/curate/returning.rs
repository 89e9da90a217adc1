//! What comes back, from the trash or because a change is undone, meets
//! memories that went on without it: a relation that the other side has ended
//! since is left out, and so is the id of a memory that is replaced by
//! something else, or by nothing, by now.

use crate::environment::{Environment, VaultPath};
use crate::error::Result;
use crate::format::{Format, Operation};
use crate::memory::{Metadata, Status};
use crate::vault::changing::{Original, Written};
use crate::vault::relations::Relation;
use crate::vault::state::State;

/// Longest chain of memories, each replaced by the next, that is followed.
const CHAIN: usize = 64;

/// A memory that is to be what it was.
#[derive(Clone, Debug)]
pub(super) struct Returning {
    /// Its file now.
    pub(super) now: Original,
    /// What the file is to be again.
    pub(super) then: Original,
    /// Where it is to lie.
    pub(super) path: VaultPath,
}

impl Returning {
    pub(super) fn id(&self) -> &str {
        &self.then.memory.metadata.id
    }

    /// The file that brings it back.
    pub(super) fn written(self, operation: Operation, detail: String) -> Written {
        Written {
            operation,
            detail,
            original: Some(self.now),
            content: Some(self.then.bytes),
            path: self.path,
        }
    }

    /// Gives it what it says of others by now.
    fn agree(&mut self, format: &dyn Format, agreed: &Metadata) -> Result<()> {
        let Original { memory, bytes } = &mut self.then;
        if memory.metadata != *agreed {
            *bytes = format.edit(bytes, memory, agreed, None, &[])?;
            memory.metadata = agreed.clone();
        }
        Ok(())
    }
}

impl State {
    /// Leaves out of memories that come back together what the others do not
    /// say any more; the notes tell what that was.
    pub(super) fn reconcile(
        &self,
        environment: &dyn Environment,
        returning: &mut [Returning],
    ) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for at in 0..returning.len() {
            let others = Others {
                state: self,
                environment,
                returning,
            };
            let Some(agreed) = others.agreed(at, &mut notes)? else {
                continue;
            };
            if let Some(one) = returning.get_mut(at) {
                one.agree(self.format, &agreed)?;
            }
        }
        Ok(notes)
    }
}

/// A memory that another one names.
struct Other {
    says: Metadata,
    /// It is in the vault, not in the trash.
    is_there: bool,
}

/// The memories as they will be when those that come back are there.
struct Others<'o> {
    state: &'o State,
    environment: &'o dyn Environment,
    returning: &'o [Returning],
}

impl Others<'_> {
    /// What one of those that come back can say of the others; none for one
    /// that goes where no memories are kept.
    fn agreed(&self, at: usize, notes: &mut Vec<String>) -> Result<Option<Metadata>> {
        let one = self.returning.get(at);
        let Some(one) = one.filter(|one| self.state.keeps(&one.path)) else {
            return Ok(None);
        };
        let (before, held) = (&one.then.memory.metadata, self.held(one));
        let mut agreed = before.clone();
        for (relation, other) in Relation::of(before) {
            let is_held = held.is_some_and(|held| relation.is_said(held, other));
            if !is_held && !self.agrees(relation, other, &before.id)? {
                relation.end(&mut agreed, other);
                notes.push(format!(
                    "`{}` no longer names `{other}` as `{}`: that memory does not say so any more",
                    before.id,
                    relation.key()
                ));
            }
        }
        if agreed.status == Status::Conflict && agreed.conflicts_with.is_empty() {
            agreed.status = Status::Pending;
        }
        for alias in &before.aliases {
            let is_held = held.is_some_and(|held| held.aliases.contains(alias));
            if !is_held && !self.leads_to(alias, &before.id)? {
                agreed.aliases.retain(|known| known != alias);
            }
        }
        Ok(Some(agreed))
    }

    /// What a memory says already, if it is in the vault.
    fn held<'r>(&self, one: &'r Returning) -> Option<&'r Metadata> {
        let now = &one.now.memory;
        self.state.keeps(&now.path).then_some(&now.metadata)
    }

    /// Whether what a memory says of another can stand. One that is nowhere
    /// cannot object to having been replaced; a conflict takes two that are
    /// there.
    fn agrees(&self, relation: Relation, other: &str, id: &str) -> Result<bool> {
        let needs_it_there = relation == Relation::ConflictsWith;
        Ok(match self.other(other)? {
            Some(Other { says, is_there }) => {
                relation.inverse().is_said(&says, id) && (is_there || !needs_it_there)
            }
            None => !needs_it_there,
        })
    }

    /// Whether a name can be an alias of a memory: it is that of no other one,
    /// or of one that was replaced by it in the end.
    fn leads_to(&self, name: &str, id: &str) -> Result<bool> {
        let mut name = name.to_owned();
        for _ in 0..CHAIN {
            match self.other(&name)? {
                Some(other) if name != id => name = other.says.superseded_by,
                Some(_) => return Ok(true),
                None => return Ok(!name.is_empty()),
            }
        }
        Ok(false)
    }

    /// Another memory; none where there is none of that id.
    fn other(&self, id: &str) -> Result<Option<Other>> {
        if let Some(one) = self.returning.iter().find(|one| one.id() == id) {
            return Ok(Some(Other {
                says: one.then.memory.metadata.clone(),
                is_there: self.state.keeps(&one.path),
            }));
        }
        let there = self.state.read_file_of(self.environment, id)?;
        let is_there = there.is_some();
        let known = match there {
            Some(original) => Some(original),
            None => self.state.look_in_trash(self.environment, id)?,
        };
        Ok(known.map(|original| Other {
            says: original.memory.metadata,
            is_there,
        }))
    }
}
