//! `inkvault confirm`, `reject`, `archive` and all else that changes where
//! memories stand in their life, and `undo`.
//!
//! Of several memories each is changed on its own: what fails is told, and the
//! others go on. A receipt is told as soon as it is there.

use inkvault::Vault;
use inkvault::curation::{Change, UndoTarget};
use inkvault::types::Receipt;

use crate::cli::args::{Care, ChangeCommand, That, Those, UndoArgs};
use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::Facts;
use crate::cli::session::Session;

/// What is done to a memory.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Change(Change),
    Forget,
}

impl Act {
    fn on(&self, vault: &mut Vault, id: &str, care: &Care) -> inkvault::Result<Receipt> {
        let revision = care.revision.as_deref();
        let reason = care.reason.as_deref().unwrap_or_default();
        match self {
            Self::Change(change) => vault.change_status(id, change, revision, reason),
            Self::Forget => vault.forget(id, revision, reason),
        }
    }

    /// The word for having done it.
    fn done(&self) -> &'static str {
        match self {
            Self::Forget => "forgotten",
            Self::Change(change) => match change {
                Change::Confirm => "confirmed",
                Change::ConfirmInto(_) | Change::MergeInto(_) => "merged",
                Change::Reject => "rejected",
                Change::Archive => "archived",
                Change::Restore => "restored",
                Change::Stale => "out of date",
                Change::SupersedeBy(_) => "replaced",
                Change::ConflictWith(_) => "in conflict",
                Change::Pin => "pinned",
                Change::Unpin => "unpinned",
                Change::Promote => "promoted",
                Change::Deliver(_) => "delivered",
            },
        }
    }

    /// Whether the memory lies in the trash afterwards, where its status
    /// means nothing.
    fn discards(&self) -> bool {
        matches!(self, Self::Forget | Self::Change(Change::Reject))
    }
}

/// Changes where memories stand in their life.
pub(crate) fn change(session: &mut Session, command: &ChangeCommand) -> Result<(), Failure> {
    match command {
        ChangeCommand::Confirm(args) => several(session, &args.those, confirmation(&args.into)),
        ChangeCommand::Reject(those) => several(session, those, Change::Reject),
        ChangeCommand::Archive(those) => several(session, those, Change::Archive),
        ChangeCommand::Restore(those) => several(session, those, Change::Restore),
        ChangeCommand::Stale(those) => several(session, those, Change::Stale),
        ChangeCommand::Pin(those) => several(session, those, Change::Pin),
        ChangeCommand::Unpin(those) => several(session, those, Change::Unpin),
        ChangeCommand::Promote(those) => several(session, those, Change::Promote),
        ChangeCommand::Forget(those) => each(session, &those.ids, &Act::Forget, &those.care),
        ChangeCommand::Supersede(args) => {
            one(session, &args.that, Change::SupersedeBy(args.by.clone()))
        }
        ChangeCommand::Conflict(args) => {
            one(session, &args.that, Change::ConflictWith(args.with.clone()))
        }
        ChangeCommand::Merge(args) => {
            one(session, &args.that, Change::MergeInto(args.into.clone()))
        }
    }
}

fn confirmation(into: &Option<String>) -> Change {
    into.clone().map_or(Change::Confirm, Change::ConfirmInto)
}

fn several(session: &mut Session, those: &Those, change: Change) -> Result<(), Failure> {
    each(session, &those.ids, &Act::Change(change), &those.care)
}

fn one(session: &mut Session, that: &That, change: Change) -> Result<(), Failure> {
    let act = Act::Change(change);
    let receipt = session.change("changing", |vault| act.on(vault, &that.id, &that.care))?;
    session.answer(&receipt, |receipt, _| view(receipt, &act))
}

/// Changes each of the memories. What fails is told, and the others go on; the
/// exit code is that of the first failure.
pub(super) fn each(
    session: &mut Session,
    ids: &[String],
    act: &Act,
    care: &Care,
) -> Result<(), Failure> {
    if care.revision.is_some() && ids.len() > 1 {
        return Err(Failure::Usage(
            "--revision is that of one memory; give one ID with it".to_owned(),
        ));
    }
    let mut receipts = Vec::new();
    let mut failures = Vec::new();
    let mut told = Ok(());
    for id in ids {
        match session.change("changing", |vault| act.on(vault, id, care)) {
            Ok(receipt) => {
                // A reader that has gone stops no change.
                told = told.and_then(|()| tell(session, &receipt, act, receipts.is_empty()));
                receipts.push(receipt);
            }
            Err(failure) if ids.len() == 1 => return Err(failure),
            Err(failure) => {
                failure.tell_of(id);
                failures.push(failure);
            }
        }
    }
    if session.is_json() {
        told = session.answer(&receipts, |_, _| String::new());
    }
    Failure::of_some(&failures, ids.len()).and(told)
}

/// Tells a person what was done; a program is told of all at once.
fn tell(
    session: &mut Session,
    receipt: &Receipt,
    act: &Act,
    is_first: bool,
) -> Result<(), Failure> {
    if session.is_json() {
        return Ok(());
    }
    let between = if is_first { "" } else { "\n" };
    session.part(|_| format!("{between}{}", view(receipt, act)))
}

/// Undoes a change.
pub(crate) fn undo(session: &mut Session, args: &UndoArgs) -> Result<(), Failure> {
    let target = match (&args.id, args.position) {
        (Some(id), _) => UndoTarget::LastOf(id.clone()),
        (None, Some(position)) => UndoTarget::Position(position),
        (None, None) => return Err(Failure::Usage("there is nothing to undo".to_owned())),
    };
    let receipt = session.change("undoing", |vault| vault.undo(&target))?;
    session.answer(&receipt, |receipt, _| receipt_view(receipt, "undone", true))
}

fn view(receipt: &Receipt, act: &Act) -> String {
    receipt_view(receipt, act.done(), !act.discards())
}

/// What was done to a memory, where it stands now, and how to undo it.
pub(super) fn receipt_view(receipt: &Receipt, done: &'static str, is_kept: bool) -> String {
    let memory = &receipt.metadata;
    let is_changed = !receipt.changed_paths.is_empty();
    let mut facts = Facts::default();
    facts.add_in(
        style::ID,
        if is_changed { done } else { "unchanged" },
        &memory.id,
    );
    facts.add_in(style::STRONG, "title", &memory.title);
    if is_kept {
        facts.add("status", memory.status.name());
        facts.add("replaced by", &memory.superseded_by);
        facts.add("contradicts", memory.conflicts_with.join(", "));
    }
    facts.each(style::PLAIN, "files", &receipt.changed_paths);
    facts.each(style::WARNING, "repaired", &receipt.repairs);
    facts.each(style::WARNING, "note", &receipt.notes);
    if is_changed {
        let undo = format!("inkvault undo --position {}", receipt.feed_position);
        facts.add_in(style::FAINT, "to undo", undo);
    }
    facts.render()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::sample;

    fn shown(receipt: &Receipt, act: &Act) -> String {
        anstream::adapter::strip_str(&view(receipt, act)).to_string()
    }

    fn receipt() -> Receipt {
        Receipt {
            metadata: sample::metadata("m-20261019-ab12cd", "Release day"),
            created: false,
            changed_paths: vec!["memory/m-20261019-ab12cd.md".to_owned()],
            revisions_before: Vec::new(),
            revisions_after: Vec::new(),
            commit_message: String::new(),
            similar: Vec::new(),
            repairs: Vec::new(),
            notes: Vec::new(),
            feed_position: 12,
        }
    }

    #[test]
    fn a_receipt_says_what_was_done_and_how_to_undo_it() {
        assert_eq!(
            shown(&receipt(), &Act::Change(Change::Confirm)),
            "confirmed  m-20261019-ab12cd\n\
             title      Release day\n\
             status     active\n\
             files      memory/m-20261019-ab12cd.md\n\
             to undo    inkvault undo --position 12\n"
        );
    }

    #[test]
    fn what_lies_in_the_trash_has_no_status() {
        for act in [Act::Forget, Act::Change(Change::Reject)] {
            assert!(!shown(&receipt(), &act).contains("status"));
        }
    }

    #[test]
    fn what_was_so_already_is_not_said_to_be_done() {
        let receipt = Receipt {
            changed_paths: Vec::new(),
            notes: vec!["it is pinned already".to_owned()],
            ..receipt()
        };
        assert_eq!(
            shown(&receipt, &Act::Change(Change::Pin)),
            "unchanged  m-20261019-ab12cd\n\
             title      Release day\n\
             status     active\n\
             note       it is pinned already\n"
        );
    }
}
