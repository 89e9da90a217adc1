//! Review and change: everything that happens to a memory after it was
//! written, each a change under the lock, with a reason for the journal.
//!
//! A change of one memory can touch others: what replaces it, what it is in
//! conflict with, what it is folded into. All of them are planned first and
//! written together, whole or not at all.

mod duplicates;
mod history;
mod plan;
mod related;
mod returning;
mod rollback;
mod trash;
mod undo;

pub use rollback::Earlier;
pub(super) use trash::read_name as read_trash_name;
pub use undo::UndoTarget;

use super::Vault;
use super::changing::{Holder, Receipt, check_revision};
use super::refresh::Look;
use super::state::State;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::format::{Capabilities, Operation};
use crate::memory::{Delivery, Status};
use crate::text::characters;
use plan::Plan;

/// Longest reason that is recorded, in characters.
const REASON: usize = 500;

/// A change of a memory's place in its life; see `wit/curation.wit`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Make it active.
    Confirm,
    /// Fold its text into the memory of that id, once it is confirmed.
    ConfirmInto(String),
    /// To the trash, before it was ever active.
    Reject,
    /// Out of force, kept for reference.
    Archive,
    /// Back to the status before.
    Restore,
    /// Out of date.
    Stale,
    /// Replaced by the memory of that id.
    SupersedeBy(String),
    /// Contradicts the memory of that id, and the other way round.
    ConflictWith(String),
    /// Fold its text into the memory of that id.
    MergeInto(String),
    /// Keep it in view.
    Pin,
    /// No longer keep it in view.
    Unpin,
    /// From a project to the whole vault.
    Promote,
    /// Another way to reach an agent.
    Deliver(Delivery),
}

impl Change {
    /// What it is in the journal.
    fn operation(&self) -> Operation {
        match self {
            Change::Confirm => Operation::Confirm,
            Change::ConfirmInto(_) | Change::MergeInto(_) => Operation::Merge,
            Change::Reject => Operation::Reject,
            Change::Archive => Operation::Archive,
            Change::Restore => Operation::Restore,
            Change::Stale => Operation::Stale,
            Change::SupersedeBy(_) => Operation::Supersede,
            Change::ConflictWith(_) => Operation::Conflict,
            Change::Pin => Operation::Pin,
            Change::Unpin => Operation::Unpin,
            Change::Promote => Operation::Promote,
            Change::Deliver(_) => Operation::Deliver,
        }
    }

    /// The other memory it names.
    fn other(&self) -> Option<&str> {
        match self {
            Change::ConfirmInto(id)
            | Change::SupersedeBy(id)
            | Change::ConflictWith(id)
            | Change::MergeInto(id) => Some(id),
            _ => None,
        }
    }

    /// Whether a vault of a format has the notion.
    fn check(&self, capabilities: &Capabilities) -> Result<()> {
        let holds = capabilities.holds;
        let (held, what) = match self {
            Change::Confirm | Change::Reject => {
                (capabilities.has_status(Status::Pending), "pending memories")
            }
            Change::Archive => (capabilities.has_status(Status::Archived), "an archive"),
            Change::Restore => (true, ""),
            Change::Stale => (capabilities.has_status(Status::Stale), "the status `stale`"),
            Change::ConfirmInto(_)
            | Change::MergeInto(_)
            | Change::SupersedeBy(_)
            | Change::ConflictWith(_) => (holds.relations, "relations between memories"),
            Change::Pin | Change::Unpin => (holds.pinned, "pinned memories"),
            Change::Promote => (holds.scope, "projects"),
            Change::Deliver(_) => (holds.delivery, "standing directives"),
        };
        if held {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "a vault of this format has no notion of {what}"
        )))
    }
}

impl Vault {
    /// Changes a memory's place in its life. With `revision`,
    /// compare-and-swap. Where everything is so already nothing is changed,
    /// and the receipt says so.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a change that does not follow from where
    /// the memory stands, [`Error::NotFound`], [`Error::RevisionConflict`],
    /// [`Error::Unsupported`], [`Error::Busy`], [`Error::ReadOnly`],
    /// [`Error::Io`]; the vault is as before.
    pub fn change_status(
        &mut self,
        id: &str,
        change: &Change,
        revision: Option<&str>,
        reason: &str,
    ) -> Result<Receipt> {
        if self.environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        change.check(self.open()?.1.format.capabilities())?;
        let reason = recorded(reason);
        self.changing(|state, holder| {
            let mut id = state.read_id(id)?;
            if *change == Change::Restore && !state.is_known(holder.environment, &id)? {
                let Some(present) = state.known_as(holder.environment, &id)? else {
                    return state.restore_from_trash(holder, &id, revision, &reason);
                };
                id = present.into();
            }
            let subject = state.read_for_change(holder.environment, &id)?;
            check_revision(&subject.memory, revision)?;
            let mut plan = Plan::new(subject, change.operation());
            state.plan(holder.environment, &mut plan, change)?;
            if plan.is_idle() {
                return Ok(state.idle(plan.into_memory(), change.operation()));
            }
            state.carry_out(holder, plan, &reason)
        })
    }

    /// Moves a memory to the trash, in a format without one to the archive;
    /// bytes unchanged. With `revision`, compare-and-swap.
    ///
    /// # Errors
    /// As [`Vault::change_status`].
    pub fn forget(&mut self, id: &str, revision: Option<&str>, reason: &str) -> Result<Receipt> {
        let reason = recorded(reason);
        self.changing(|state, holder| {
            let id = state.read_id(id)?;
            let subject = state.read_for_change(holder.environment, &id)?;
            check_revision(&subject.memory, revision)?;
            let mut plan = Plan::new(subject, Operation::Forget);
            state.throw_away(holder.environment, &mut plan)?;
            state.carry_out(holder, plan, &reason)
        })
    }
}

impl State {
    /// Writes and moves the files of all memories that a plan touches.
    fn carry_out(
        &mut self,
        holder: &mut Holder<'_, '_>,
        plan: Plan,
        reason: &str,
    ) -> Result<Receipt> {
        let environment = holder.environment;
        let files = plan.files(self.format, environment.now(), reason)?;
        let mut files = self.with_free_names(environment, files)?;
        let subject = files.remove(0);
        self.put(holder, subject, files)
    }

    /// Whether a memory of that id is in the vault, as far as a look at its
    /// directories tells.
    pub(super) fn is_known(&mut self, environment: &dyn Environment, id: &str) -> Result<bool> {
        if self.index.find(id).is_none() {
            self.refresh_for_change(environment, Look::Directories)?;
        }
        Ok(self.index.find(id).is_some())
    }
}

/// A reason as the journal keeps it: one line of bounded length.
fn recorded(reason: &str) -> String {
    let line = characters::one_line(reason);
    characters::cut(&line, REASON).trim().to_owned()
}
