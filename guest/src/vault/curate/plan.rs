//! What a change makes of a memory and of those it is related to, decided on
//! values before anything is written.

use super::related::{conflict, require};
use super::{Change, history, trash};
use crate::change::feed;
use crate::environment::{Environment, VaultPath};
use crate::error::Result;
use crate::format::{Format, Operation};
use crate::memory::{Memory, Metadata, Status};
use crate::timestamp::Timestamp;
use crate::vault::changing::{Original, Written, place_after};
use crate::vault::relations::Relation;
use crate::vault::state::State;

/// A memory and what becomes of it.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) original: Original,
    pub(super) after: Metadata,
    pub(super) body: Option<String>,
    /// Where its file goes; none where that follows from what it says.
    pub(super) place: Option<VaultPath>,
}

/// All memories that a change touches.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    operation: Operation,
    pub(super) subject: Part,
    /// Those it is related to, each once.
    pub(super) others: Vec<Part>,
    /// The subject goes to the trash, bytes unchanged.
    is_thrown_away: bool,
    /// Something is written although it reads the same as before.
    given: &'static [&'static str],
}

impl Part {
    pub(super) fn new(original: Original) -> Self {
        Part {
            after: original.memory.metadata.clone(),
            original,
            body: None,
            place: None,
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.after.id
    }

    pub(super) fn before(&self) -> &Memory {
        &self.original.memory
    }

    pub(super) fn status(&self) -> Status {
        self.before().metadata.status
    }

    fn differs(&self) -> bool {
        self.body.is_some() || self.after != self.before().metadata
    }

    /// The file that makes it so.
    fn written(
        self,
        format: &dyn Format,
        now: Timestamp,
        given: &[&str],
        (operation, detail): (Operation, String),
    ) -> Result<Written> {
        let mut after = self.after;
        after.updated = now.max(after.created);
        let before = &self.original.memory;
        let body = self.body.as_deref();
        let content = format.edit(&self.original.bytes, before, &after, body, given)?;
        let usual = || place_after(format, before, &after);
        Ok(Written {
            operation,
            detail,
            content: Some(content),
            path: self.place.unwrap_or_else(usual),
            original: Some(self.original),
        })
    }

    /// The file on its way to the trash.
    fn thrown_away(
        self,
        format: &dyn Format,
        now: Timestamp,
        (operation, detail): (Operation, String),
    ) -> Result<Written> {
        Ok(Written {
            operation,
            detail,
            content: None,
            path: trash::place_for(self.before(), format, now)?,
            original: Some(self.original),
        })
    }
}

impl Plan {
    /// A plan that changes nothing yet.
    pub(super) fn new(subject: Original, operation: Operation) -> Self {
        Plan {
            operation,
            subject: Part::new(subject),
            others: Vec::new(),
            is_thrown_away: false,
            given: &[],
        }
    }

    /// Whether it changes nothing.
    pub(super) fn is_idle(&self) -> bool {
        let differ = self.subject.differs() || self.others.iter().any(Part::differs);
        !differ && !self.is_thrown_away && self.given.is_empty()
    }

    /// The memory it is about, as it is.
    pub(super) fn into_memory(self) -> Memory {
        self.subject.original.memory
    }

    /// The files to write: the subject's, then the others'.
    pub(super) fn files(
        self,
        format: &dyn Format,
        now: Timestamp,
        reason: &str,
    ) -> Result<Vec<Written>> {
        let mut why = format!("{} {}", self.operation.name(), self.subject.id());
        if !reason.is_empty() {
            why = format!("{why}: {reason}");
        }
        let told = (self.operation, reason.to_owned());
        let subject = if self.is_thrown_away {
            self.subject.thrown_away(format, now, told)?
        } else {
            self.subject.written(format, now, self.given, told)?
        };
        let others = self.others.into_iter().filter(Part::differs);
        let others = others.map(|other| {
            let told = (Operation::Update, why.clone());
            other.written(format, now, &[], told)
        });
        std::iter::once(Ok(subject)).chain(others).collect()
    }
}

impl State {
    /// Decides what a change makes of the memories it touches.
    pub(super) fn plan(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        change: &Change,
    ) -> Result<()> {
        let at = match change.other() {
            Some(id) => Some(self.join(environment, plan, id)?),
            None => None,
        };
        let after = &mut plan.subject.after;
        match change {
            Change::Confirm => self.confirm(environment, plan)?,
            Change::ConfirmInto(_) => {
                require(plan, &[Status::Pending, Status::Conflict], "fold it in")?;
                self.fold(environment, plan, at)?;
            }
            Change::MergeInto(_) => self.fold(environment, plan, at)?,
            Change::Reject => {
                require(plan, &[Status::Pending, Status::Conflict], "reject it")?;
                self.throw_away(environment, plan)?;
            }
            Change::Archive => self.retire(environment, plan, Status::Archived)?,
            Change::Stale => {
                let fresh = [
                    Status::Active,
                    Status::Pending,
                    Status::Conflict,
                    Status::Stale,
                ];
                require(plan, &fresh, "mark it as out of date")?;
                self.retire(environment, plan, Status::Stale)?;
            }
            Change::Restore => self.restore(environment, plan)?,
            Change::SupersedeBy(_) => {
                let kept = [
                    Status::Active,
                    Status::Pending,
                    Status::Conflict,
                    Status::Stale,
                    Status::Superseded,
                ];
                require(plan, &kept, "mark it as replaced")?;
                self.supersede(environment, plan, at)?;
            }
            Change::ConflictWith(_) => conflict(plan, at)?,
            Change::Pin => after.pinned = true,
            Change::Unpin => after.pinned = false,
            Change::Promote => after.scope = None,
            Change::Deliver(delivery) => after.delivery = *delivery,
        }
        Ok(())
    }

    /// The subject goes to the trash; nothing is in conflict with it any more.
    pub(super) fn throw_away(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
    ) -> Result<()> {
        plan.is_thrown_away = true;
        self.settle_conflicts(environment, plan)
    }

    fn confirm(&mut self, environment: &dyn Environment, plan: &mut Plan) -> Result<()> {
        let waiting = [Status::Active, Status::Pending, Status::Conflict];
        require(plan, &waiting, "confirm it")?;
        if plan.subject.before().assumed.status {
            plan.given = &["status"];
        }
        if plan.subject.status() == Status::Active {
            return Ok(());
        }
        self.settle_conflicts(environment, plan)?;
        let least = self.format.capabilities().confirmed_confidence;
        let after = &mut plan.subject.after;
        after.status = Status::Active;
        after.confidence = after.confidence.max(least);
        Ok(())
    }

    /// Out of force; nothing is in conflict with it any more.
    fn retire(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        status: Status,
    ) -> Result<()> {
        self.settle_conflicts(environment, plan)?;
        plan.subject.after.status = status;
        Ok(())
    }

    /// Nearer to being in force again. What was replaced before it came to the
    /// archive is so again, as long as what replaced it says so, too.
    fn restore(&mut self, environment: &dyn Environment, plan: &mut Plan) -> Result<()> {
        let away = [Status::Archived, Status::Superseded, Status::Stale];
        require(plan, &away, "restore it")?;
        let is_replaced = self.is_replaced(environment, &plan.subject)?;
        let history = feed::history(environment, &self.private.feed())?;
        let before = history::status_before(&history, plan.subject.before(), is_replaced);
        let capabilities = self.format.capabilities();
        let before = match before {
            Status::Pending if !capabilities.has_status(before) => Status::Active,
            before => before,
        };
        plan.subject.place = self.place_taken_back(environment, plan.subject.before())?;
        if before != Status::Superseded {
            self.leave_successor(environment, plan, "")?;
        }
        self.retire(environment, plan, before)
    }

    /// Whether what replaced a memory is there and says so.
    fn is_replaced(&self, environment: &dyn Environment, subject: &Part) -> Result<bool> {
        let successor = self.read_file_of(environment, &subject.after.superseded_by)?;
        Ok(successor.is_some_and(|successor| {
            Relation::Supersedes.is_said(&successor.memory.metadata, subject.id())
        }))
    }
}
