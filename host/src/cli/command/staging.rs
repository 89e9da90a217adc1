//! `inkvault staging`: the pool of what may be of use beyond its project.

use inkvault::upkeep::{Staged, StagingDraft, StagingReceipt};
use inkvault::vault::Draft;

use super::curation::receipt_view;
use crate::cli::args::{StageArgs, StagedPromotion, StagedRemoval, StagingAction, StagingArgs};
use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::{Column, Facts, Table};
use crate::cli::output::text::{counted, one_line};
use crate::cli::session::{Session, utc_offset_minutes};

/// Lists the pool, or changes it.
pub(crate) fn staging(session: &mut Session, args: &StagingArgs) -> Result<(), Failure> {
    match &args.action {
        None => list(session),
        Some(StagingAction::Add(args)) => add(session, args),
        Some(StagingAction::Promote(args)) => promote(session, args),
        Some(StagingAction::Drop(args)) => drop_entry(session, args),
    }
}

fn list(session: &mut Session) -> Result<(), Failure> {
    let entries = session.call("reading", inkvault::Vault::staging_browse)?;
    session.answer(&entries, |entries, width| table(entries, width))
}

fn add(session: &mut Session, args: &StageArgs) -> Result<(), Failure> {
    let draft = StagingDraft {
        text: args.text.clone(),
        scope: session.project(args.project.as_deref())?,
        utc_offset_minutes: utc_offset_minutes(),
    };
    let receipt = session.change("writing", |vault| vault.staging_add(&draft))?;
    session.answer(&receipt, |receipt, _| view(receipt, "staged"))
}

fn promote(session: &mut Session, args: &StagedPromotion) -> Result<(), Failure> {
    let entry = find(session, args.number, args.begins.as_deref())?;
    let draft = Draft {
        title: args.title.clone(),
        body: args.text.clone(),
        kind: args.kind.clone(),
        overwrite: args.overwrite,
        utc_offset_minutes: utc_offset_minutes(),
        ..Draft::default()
    };
    let receipt = session.change("changing", |vault| {
        vault.staging_promote(entry.number, &entry.text, &draft)
    })?;
    session.answer(&receipt, |receipt, _| {
        receipt_view(receipt, "promoted", true)
    })
}

fn drop_entry(session: &mut Session, args: &StagedRemoval) -> Result<(), Failure> {
    let entry = find(session, args.number, args.begins.as_deref())?;
    let receipt = session.change("changing", |vault| {
        vault.staging_drop(entry.number, &entry.text)
    })?;
    session.answer(&receipt, |receipt, _| view(receipt, "dropped"))
}

/// The entry of a number, as it is now, which must begin as it should.
fn find(session: &mut Session, number: u32, begins: Option<&str>) -> Result<Staged, Failure> {
    let entries = session.call("reading", inkvault::Vault::staging_browse)?;
    let held = counted(entries.len() as u64, "entry", "entries");
    let mut entries = entries.into_iter();
    let entry = entries.find(|entry| entry.number == number);
    let entry = entry.ok_or_else(|| {
        Failure::Usage(format!(
            "the staging pool has {held} and none of number {number}; look again with `inkvault staging`"
        ))
    })?;
    if begins.is_some_and(|begins| !entry.text.starts_with(begins)) {
        return Err(Failure::Usage(format!(
            "entry {number} is `{}` by now; look again with `inkvault staging`",
            one_line(&entry.text)
        )));
    }
    Ok(entry)
}

fn table(entries: &[Staged], width: Option<usize>) -> String {
    if entries.is_empty() {
        return "The staging pool is empty.\n".to_owned();
    }
    let mut table = Table::new([
        Column::new("#", style::ID).right(),
        Column::new("date", style::FAINT),
        Column::new("project", style::PLAIN),
        Column::new("entry", style::STRONG).flexible(),
    ]);
    for entry in entries {
        table.row([
            entry.number.to_string(),
            entry.date.clone(),
            entry.scope.clone().unwrap_or_default(),
            entry.text.clone(),
        ]);
    }
    table.render(width)
}

fn view(receipt: &StagingReceipt, done: &'static str) -> String {
    let entry = &receipt.entry;
    let mut facts = Facts::default();
    facts.add_in(style::STRONG, done, &entry.text);
    facts.add("number", entry.number.to_string());
    facts.add("date", &entry.date);
    facts.add("project", entry.scope.as_deref().unwrap_or_default());
    facts.each(style::PLAIN, "files", &receipt.changed_paths);
    facts.each(style::WARNING, "note", &receipt.notes);
    facts.render()
}
