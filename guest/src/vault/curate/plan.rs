//! What a change makes of a memory and of those it is related to, decided on
//! values before anything is written.

use super::Change;
use crate::environment::{Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Capabilities, Format, Operation};
use crate::memory::{Memory, Metadata, Status};
use crate::timestamp::Timestamp;
use crate::vault::changing::{Original, Written};
use crate::vault::draft;
use crate::vault::state::State;

/// A memory and what becomes of it.
#[derive(Clone, Debug)]
struct Part {
    original: Original,
    after: Metadata,
    body: Option<String>,
}

/// All memories that a change touches.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    operation: Operation,
    subject: Part,
    /// Those it is related to, each once.
    others: Vec<Part>,
    /// The subject goes to the trash, bytes unchanged.
    discards: bool,
    /// Something is written although it reads the same as before.
    given: &'static [&'static str],
}

impl Part {
    fn new(original: Original) -> Self {
        Part {
            after: original.memory.metadata.clone(),
            original,
            body: None,
        }
    }

    fn id(&self) -> &str {
        &self.after.id
    }

    fn before(&self) -> &Memory {
        &self.original.memory
    }

    fn status(&self) -> Status {
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
        Ok(Written {
            operation,
            detail,
            content: Some(content),
            path: format.place(&after, Some(&before.path)),
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
            discards: false,
            given: &[],
        }
    }

    /// Whether it changes nothing.
    pub(super) fn is_idle(&self) -> bool {
        let differ = self.subject.differs() || self.others.iter().any(Part::differs);
        !differ && !self.discards && self.given.is_empty()
    }

    /// The memory it is about, as it is.
    pub(super) fn into_memory(self) -> Memory {
        self.subject.original.memory
    }

    /// The files to write: the subject's and the others'.
    pub(super) fn files(
        self,
        format: &dyn Format,
        now: Timestamp,
        reason: &str,
    ) -> Result<(Written, Vec<Written>)> {
        let mut why = format!("{} {}", self.operation.name(), self.subject.id());
        if !reason.is_empty() {
            why = format!("{why}: {reason}");
        }
        let told = (self.operation, reason.to_owned());
        let subject = if self.discards {
            discarded(self.subject.original, format, now, told)?
        } else {
            self.subject.written(format, now, self.given, told)?
        };
        let others = self.others.into_iter().filter(Part::differs);
        let others = others.map(|other| {
            let told = (Operation::Update, why.clone());
            other.written(format, now, &[], told)
        });
        Ok((subject, others.collect::<Result<_>>()?))
    }
}

/// A memory's file on its way to the trash; in a format without one, to the
/// archive.
pub(super) fn discarded(
    original: Original,
    format: &dyn Format,
    now: Timestamp,
    (operation, detail): (Operation, String),
) -> Result<Written> {
    let metadata = &original.memory.metadata;
    let path = match format.capabilities().trash {
        Some(trash) => VaultPath::known(trash).join(&super::trash::name(&metadata.id, now)),
        None => {
            let archived = Metadata {
                status: Status::Archived,
                ..metadata.clone()
            };
            format.place(&archived, Some(&original.memory.path))
        }
    };
    if path == original.memory.path {
        return Err(Error::InvalidArgument(format!(
            "{path} was put away already: there is nothing to forget"
        )));
    }
    Ok(Written {
        operation,
        detail,
        content: None,
        path,
        original: Some(original),
    })
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
        let capabilities = self.format.capabilities();
        match change {
            Change::Confirm => self.confirm(environment, plan, capabilities),
            Change::ConfirmInto(_) => {
                require(plan, &[Status::Pending, Status::Conflict], "fold it in")?;
                self.fold(environment, plan, at)
            }
            Change::MergeInto(_) => self.fold(environment, plan, at),
            Change::Reject => {
                require(plan, &[Status::Pending, Status::Conflict], "reject it")?;
                self.discard(environment, plan)
            }
            Change::Archive => self.retire(environment, plan, Status::Archived),
            Change::Stale => {
                let fresh = [
                    Status::Active,
                    Status::Pending,
                    Status::Conflict,
                    Status::Stale,
                ];
                require(plan, &fresh, "mark it as out of date")?;
                self.retire(environment, plan, Status::Stale)
            }
            Change::Restore => self.restore(environment, plan),
            Change::SupersedeBy(_) => self.supersede(environment, plan, at),
            Change::ConflictWith(_) => conflict(plan, at),
            Change::Pin => {
                plan.subject.after.pinned = true;
                Ok(())
            }
            Change::Unpin => {
                plan.subject.after.pinned = false;
                Ok(())
            }
            Change::Promote => {
                plan.subject.after.scope = None;
                Ok(())
            }
            Change::Deliver(delivery) => {
                plan.subject.after.delivery = *delivery;
                Ok(())
            }
        }
    }

    /// The subject goes to the trash; nothing is in conflict with it any more.
    pub(super) fn discard(&mut self, environment: &dyn Environment, plan: &mut Plan) -> Result<()> {
        plan.discards = true;
        self.settle_conflicts(environment, plan)
    }

    fn confirm(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        capabilities: &Capabilities,
    ) -> Result<()> {
        let waiting = [Status::Active, Status::Pending, Status::Conflict];
        require(plan, &waiting, "confirm it")?;
        if plan.subject.before().assumed.status {
            plan.given = &["status"];
        }
        if plan.subject.status() == Status::Active {
            return Ok(());
        }
        let least = capabilities.confirmed_confidence;
        self.settle_conflicts(environment, plan)?;
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

    fn restore(&mut self, environment: &dyn Environment, plan: &mut Plan) -> Result<()> {
        let away = [Status::Archived, Status::Superseded, Status::Stale];
        require(plan, &away, "restore it")?;
        let before = self.status_before(environment, &plan.subject)?;
        let successor = std::mem::take(&mut plan.subject.after.superseded_by);
        if let Some(at) = self.join_known(environment, plan, &successor)? {
            let id = plan.subject.id().to_owned();
            let successor = &mut plan.others[at].after;
            remove(&mut successor.supersedes, &id);
            remove(&mut successor.aliases, &id);
        }
        plan.subject.after.status = before;
        Ok(())
    }

    /// The status that ended when the memory got the one it has, as far as
    /// the feed tells; pending where it does not.
    fn status_before(&self, environment: &dyn Environment, subject: &Part) -> Result<Status> {
        let history = crate::change::feed::history(environment, &self.private.feed())?;
        let files = history.iter().flat_map(|change| &change.files);
        let of_subject = files.filter(|file| file.id == subject.id());
        let ended = of_subject
            .filter_map(|file| Status::named(&file.status_before))
            .next_back();
        let in_force = [Status::Active, Status::Pending];
        let contradicted =
            ended == Some(Status::Conflict) && !subject.after.conflicts_with.is_empty();
        Ok(match ended {
            Some(status) if in_force.contains(&status) || contradicted => status,
            _ => Status::Pending,
        })
    }

    fn supersede(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        at: Option<usize>,
    ) -> Result<()> {
        let kept = [
            Status::Active,
            Status::Pending,
            Status::Conflict,
            Status::Stale,
            Status::Superseded,
        ];
        require(plan, &kept, "mark it as replaced")?;
        let Some(at) = at else { return Ok(()) };
        let successor = plan.others[at].id().to_owned();
        require_in_force(&plan.others[at])?;
        self.settle_conflicts(environment, plan)?;
        self.leave_successor(environment, plan, &successor)?;
        let id = plan.subject.id().to_owned();
        let after = &mut plan.subject.after;
        after.status = Status::Superseded;
        after.superseded_by = successor;
        add(&mut plan.others[at].after.supersedes, &id);
        Ok(())
    }

    /// What replaced the subject before does so no longer.
    fn leave_successor(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        but: &str,
    ) -> Result<()> {
        let former = plan.subject.after.superseded_by.clone();
        if former != but
            && let Some(at) = self.join_known(environment, plan, &former)?
        {
            let id = plan.subject.id().to_owned();
            remove(&mut plan.others[at].after.supersedes, &id);
            remove(&mut plan.others[at].after.aliases, &id);
        }
        Ok(())
    }

    /// Folds the subject's text into the other memory, which also answers to
    /// the subject's id from then on.
    fn fold(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        at: Option<usize>,
    ) -> Result<()> {
        self.supersede(environment, plan, at)?;
        let Some(at) = at else { return Ok(()) };
        let capabilities = self.format.capabilities();
        let (source, target) = (plan.subject.before(), &plan.others[at]);
        let text = source.body.trim();
        if !target.before().body.contains(text) {
            let body = self.format.fold(target.before(), source);
            draft::check_body(&body, capabilities.body_limit)?;
            plan.others[at].body = Some(body);
        }
        let names = [
            vec![plan.subject.id().to_owned()],
            plan.subject.after.aliases.clone(),
        ];
        let tags = plan.subject.after.tags.clone();
        let target = &mut plan.others[at].after;
        for name in names.concat() {
            add(&mut target.aliases, &name);
        }
        for tag in tags {
            if target.tags.len() < capabilities.tag_limit {
                add(&mut target.tags, &tag);
            }
        }
        Ok(())
    }

    /// The memories that the subject contradicts no longer name it; one that
    /// contradicts nothing else is pending.
    fn settle_conflicts(&mut self, environment: &dyn Environment, plan: &mut Plan) -> Result<()> {
        let id = plan.subject.id().to_owned();
        let contradicted = std::mem::take(&mut plan.subject.after.conflicts_with);
        for other in &contradicted {
            let Some(at) = self.join_known(environment, plan, other)? else {
                continue;
            };
            let after = &mut plan.others[at].after;
            remove(&mut after.conflicts_with, &id);
            if after.conflicts_with.is_empty() && after.status == Status::Conflict {
                after.status = Status::Pending;
            }
        }
        Ok(())
    }

    /// Takes another memory into the plan; its place in `others`.
    fn join(&mut self, environment: &dyn Environment, plan: &mut Plan, id: &str) -> Result<usize> {
        if id == plan.subject.id() {
            return Err(Error::InvalidArgument(format!(
                "`{id}` cannot be related to itself: name another memory"
            )));
        }
        if let Some(at) = plan.others.iter().position(|other| other.id() == id) {
            return Ok(at);
        }
        let original = self.read_for_change(environment, id)?;
        plan.others.push(Part::new(original));
        Ok(plan.others.len() - 1)
    }

    /// Like [`Self::join`], for an id that stands in a memory: it may be of
    /// none, or of the memory itself.
    fn join_known(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        id: &str,
    ) -> Result<Option<usize>> {
        if id == plan.subject.id() || self.index.find(id).is_none() {
            return Ok(None);
        }
        match self.join(environment, plan, id) {
            Ok(at) => Ok(Some(at)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Both contradict each other until a person decides.
fn conflict(plan: &mut Plan, at: Option<usize>) -> Result<()> {
    let open = [
        Status::Active,
        Status::Pending,
        Status::Conflict,
        Status::Stale,
    ];
    require(plan, &open, "mark it as in conflict")?;
    let Some(at) = at else { return Ok(()) };
    let other = &mut plan.others[at];
    if !open.contains(&other.status()) {
        return Err(stands_otherwise(other, "mark it as in conflict"));
    }
    add(&mut plan.subject.after.conflicts_with, other.id());
    let id = plan.subject.id().to_owned();
    add(&mut other.after.conflicts_with, &id);
    plan.subject.after.status = Status::Conflict;
    other.after.status = Status::Conflict;
    Ok(())
}

/// The subject must stand at one of some statuses for what is to be done.
fn require(plan: &Plan, statuses: &[Status], to_do: &str) -> Result<()> {
    if statuses.contains(&plan.subject.status()) {
        return Ok(());
    }
    Err(stands_otherwise(&plan.subject, to_do))
}

/// What takes another memory's place must be in force itself.
fn require_in_force(successor: &Part) -> Result<()> {
    let in_force = [Status::Active, Status::Pending, Status::Conflict];
    if in_force.contains(&successor.status()) {
        return Ok(());
    }
    Err(stands_otherwise(successor, "let it take another's place"))
}

fn stands_otherwise(part: &Part, to_do: &str) -> Error {
    let advice = match part.status() {
        Status::Archived | Status::Superseded => "restore it first",
        Status::Stale => "restore it, or write it anew",
        Status::Active => "it is in force; archive or forget it",
        Status::Pending | Status::Conflict => "confirm or reject it",
    };
    Error::InvalidArgument(format!(
        "`{}` is {}, which does not allow to {to_do}: {advice}",
        part.id(),
        part.status()
    ))
}

fn add(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

fn remove(list: &mut Vec<String>, item: &str) {
    list.retain(|known| known != item);
}
