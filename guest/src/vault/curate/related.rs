//! What a change of one memory makes of those it is related to. A relation
//! stands on both sides, or on neither.

use super::plan::{Part, Plan};
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::memory::{Metadata, Status};
use crate::vault::draft;
use crate::vault::relations::Relation;
use crate::vault::state::State;

impl State {
    /// The other memory takes the subject's place.
    pub(super) fn supersede(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        at: Option<usize>,
    ) -> Result<()> {
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

    /// What replaced the subject does so no longer, unless that is `but`; and
    /// wherever the subject was merged into, also by way of others, its names
    /// are its own again.
    pub(super) fn leave_successor(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        but: &str,
    ) -> Result<()> {
        if plan.subject.after.superseded_by == but {
            return Ok(());
        }
        let former = std::mem::take(&mut plan.subject.after.superseded_by);
        let id = plan.subject.id().to_owned();
        if let Some(at) = self.join_known(environment, plan, &former)? {
            Relation::Supersedes.end(&mut plan.others[at].after, &id);
        }
        let names = self.merged_names(&plan.subject.after);
        for other in self.holders_of(&names) {
            if other != but
                && let Some(at) = self.join_known(environment, plan, &other)?
            {
                let aliases = &mut plan.others[at].after.aliases;
                aliases.retain(|alias| !names.contains(alias));
            }
        }
        Ok(())
    }

    /// The names that lead to a memory's successor once it is merged, and that
    /// are not just what a person calls it: its id and those merged into it.
    fn merged_names(&self, metadata: &Metadata) -> Vec<String> {
        let aliases = metadata.aliases.iter();
        let merged = aliases.filter(|alias| self.format.is_id(alias));
        [&metadata.id].into_iter().chain(merged).cloned().collect()
    }

    /// The memories that have one of some names for an alias.
    fn holders_of(&self, names: &[String]) -> Vec<String> {
        let is_wanted = |alias: &str| names.iter().any(|name| name == alias);
        let documents = self.index.documents().map(|(_, document)| document);
        let holders = documents.filter(|document| document.aliases.iter().any(|a| is_wanted(a)));
        holders.map(|document| document.id.to_string()).collect()
    }

    /// Folds the subject's text into the other memory, which also answers to
    /// the subject's id from then on.
    pub(super) fn fold(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        at: Option<usize>,
    ) -> Result<()> {
        self.supersede(environment, plan, at)?;
        let Some(at) = at else { return Ok(()) };
        let capabilities = self.format.capabilities();
        let (source, target) = (plan.subject.before(), plan.others[at].before());
        if !holds_lines(&target.body, source.body.trim()) {
            let body = self.format.fold(target, source);
            draft::check_body(&body, capabilities.body_limit)?;
            plan.others[at].body = Some(body);
        }
        let Plan {
            subject, others, ..
        } = plan;
        let target = &mut others[at].after;
        add(&mut target.aliases, subject.id());
        for name in &subject.after.aliases {
            add(&mut target.aliases, name);
        }
        for tag in &subject.after.tags {
            if target.tags.len() < capabilities.tag_limit {
                add(&mut target.tags, tag);
            }
        }
        Ok(())
    }

    /// The memories that the subject contradicts no longer name it; one that
    /// contradicts nothing else is pending. What it says of memories that are
    /// not here is its own affair, unless its status rests on it.
    pub(super) fn settle_conflicts(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
    ) -> Result<()> {
        let id = plan.subject.id().to_owned();
        let contradicted = std::mem::take(&mut plan.subject.after.conflicts_with);
        for other in &contradicted {
            let Some(at) = self.join_known(environment, plan, other)? else {
                if plan.subject.status() != Status::Conflict {
                    plan.subject.after.conflicts_with.push(other.clone());
                }
                continue;
            };
            let after = &mut plan.others[at].after;
            Relation::ConflictsWith.end(after, &id);
            if after.conflicts_with.is_empty() && after.status == Status::Conflict {
                after.status = Status::Pending;
            }
        }
        Ok(())
    }

    /// Takes another memory into the plan; its place in `others`.
    pub(super) fn join(
        &mut self,
        environment: &dyn Environment,
        plan: &mut Plan,
        id: &str,
    ) -> Result<usize> {
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
pub(super) fn conflict(plan: &mut Plan, at: Option<usize>) -> Result<()> {
    let open = [
        Status::Active,
        Status::Pending,
        Status::Conflict,
        Status::Stale,
    ];
    require(plan, &open, "mark it as in conflict")?;
    let Some(at) = at else { return Ok(()) };
    let Plan {
        subject, others, ..
    } = plan;
    let other = &mut others[at];
    if !open.contains(&other.status()) {
        return Err(stands_otherwise(other, "mark it as in conflict"));
    }
    add(&mut subject.after.conflicts_with, other.id());
    add(&mut other.after.conflicts_with, subject.id());
    subject.after.status = Status::Conflict;
    other.after.status = Status::Conflict;
    Ok(())
}

/// The subject must stand at one of some statuses for what is to be done.
pub(super) fn require(plan: &Plan, statuses: &[Status], to_do: &str) -> Result<()> {
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

/// Whether the lines of a text stand in another one, one after the other.
fn holds_lines(body: &str, text: &str) -> bool {
    let (body, text) = (lines(body), lines(text));
    text.is_empty() || body.windows(text.len()).any(|window| window == text)
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

fn add(list: &mut Vec<String>, item: &str) {
    if !list.iter().any(|known| known == item) {
        list.push(item.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_there_where_all_its_lines_are() {
        let body = "one\r\ntwo  \r\n\r\nthree";
        for text in ["one", "one\ntwo", "two\n\nthree", ""] {
            assert!(holds_lines(body, text), "{text:?}");
        }
        for text in ["on", "two\nthree", "thre", "one\ntwo\n\nthree\nfour"] {
            assert!(!holds_lines(body, text), "{text:?}");
        }
    }
}
