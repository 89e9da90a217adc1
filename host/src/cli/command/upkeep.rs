//! `inkvault init`, `status`, `sync`, `verify` and `rebuild`: the vault as a
//! whole.

use std::path::Path;

use inkvault::upkeep::{
    BadFile, Count, Fault, InitOptions, Initialised, RebuildReport, Severity, Summary, SyncReport,
    Verification,
};

use crate::cli::args::{InitArgs, VerifyArgs};
use crate::cli::failure::Failure;
use crate::cli::output::json::{ToJson, record};
use crate::cli::output::style::{self, styled};
use crate::cli::output::table::Facts;
use crate::cli::output::text::{counted, one_line};
use crate::cli::session::{Session, utc_offset_minutes};

/// Makes a vault, or completes one.
pub(crate) fn init(session: &mut Session, args: &InitArgs) -> Result<(), Failure> {
    let options = InitOptions {
        language: args.language.clone(),
        utc_offset_minutes: utc_offset_minutes(),
    };
    let mut made = session.call("making the vault", |vault| {
        // One that is a vault already is completed as what it is.
        let own = || vault.overview().ok().map(|summary| summary.format);
        let format = args.format.clone().or_else(own);
        vault.init(format.as_deref().unwrap_or("inkvault"), &options)
    })?;
    let notes = session.begin_history(&mut made)?;
    let directory = session.directory().to_owned();
    let made = Made::of(made, notes);
    session.answer(&made, |made, _| made_view(made, &directory))
}

/// What was made, and what git said to it.
struct Made {
    format: String,
    made: Vec<String>,
    existed: bool,
    commit_message: String,
    notes: Vec<String>,
}

record!(Made {
    format,
    made,
    existed,
    commit_message,
    notes,
});

impl Made {
    fn of(made: Initialised, notes: Vec<String>) -> Self {
        let Initialised {
            format,
            made,
            existed,
            commit_message,
        } = made;
        Self {
            format,
            made,
            existed,
            commit_message,
            notes,
        }
    }
}

fn made_view(made: &Made, directory: &Path) -> String {
    let directory = directory.display().to_string();
    let mut facts = Facts::default();
    match (made.existed, made.made.is_empty()) {
        (false, _) => facts.add("made", format!("a vault in {directory}")),
        (true, false) => facts.add("completed", format!("the vault in {directory}")),
        (true, true) => facts.add("complete", format!("the vault in {directory}, as it was")),
    }
    facts.add("format", &made.format);
    facts.each(style::PLAIN, "new", &made.made);
    facts.each(style::WARNING, "note", &made.notes);
    facts.render()
}

/// Describes the vault.
pub(crate) fn status(session: &mut Session) -> Result<(), Failure> {
    let summary = session.call("looking at the vault", inkvault::Vault::overview)?;
    let directory = session.directory().to_owned();
    session.answer(&summary, |summary, _| summary_view(summary, &directory))
}

fn summary_view(summary: &Summary, directory: &Path) -> String {
    let mut facts = Facts::default();
    facts.add_in(style::STRONG, "vault", directory.display().to_string());
    facts.add("format", &summary.format);
    facts.add("language", &summary.language);
    facts.add("access", if summary.read_only { "read only" } else { "" });
    facts.add("memories", summary.memories.to_string());
    facts.add("status", counts(&summary.statuses));
    facts.add("kinds", counts(&summary.kinds));
    facts.add("projects", counts(&summary.scopes));
    facts.add("directives", number(summary.directives));
    facts.add("staged", number(summary.staged));
    facts.add("ignored", files(summary.ignored));
    facts.add("repaired", files(summary.repaired));
    facts.each(style::FAINT, "", repairs(summary));
    facts.each(
        style::WARNING,
        "unusable",
        summary.bad_files.iter().map(bad_file),
    );
    for duplicate in &summary.duplicates {
        let told = format!("{} in {}", duplicate.id, duplicate.paths.join(", "));
        facts.add_in(style::WARNING, "same id", told);
    }
    facts.each(style::WARNING, "note", &summary.notes);
    facts.render()
}

/// A line for each repair, and one for those that are not shown.
fn repairs(summary: &Summary) -> Vec<String> {
    let shown = summary.repaired_files.iter();
    let mut lines: Vec<_> = shown
        .flat_map(|file| {
            file.repairs
                .iter()
                .map(|repair| format!("{}: {repair}", file.path))
        })
        .collect();
    if summary.repaired as usize > summary.repaired_files.len() {
        lines.push("see `inkvault verify` for the others".to_owned());
    }
    lines
}

fn counts(counts: &[Count]) -> String {
    let told = counts
        .iter()
        .map(|count| format!("{} {}", count.count, count.name));
    told.collect::<Vec<_>>().join(", ")
}

fn number(number: u32) -> String {
    if number == 0 {
        String::new()
    } else {
        number.to_string()
    }
}

fn files(number: u32) -> String {
    if number == 0 {
        String::new()
    } else {
        counted(number, "file", "files")
    }
}

fn bad_file(bad: &BadFile) -> String {
    format!("{}: {}", bad.path, bad.reason)
}

/// Looks at every file.
pub(crate) fn sync(session: &mut Session) -> Result<(), Failure> {
    let report = session.call("looking at every file", inkvault::Vault::sync)?;
    session.answer(&report, |report, _| sync_view(report))
}

fn sync_view(report: &SyncReport) -> String {
    let mut facts = Facts::default();
    facts.add("memories", report.memories.to_string());
    let SyncReport {
        added,
        changed,
        removed,
        ..
    } = report;
    facts.add(
        "files",
        format!("{added} added, {changed} changed, {removed} removed"),
    );
    facts.each(
        style::WARNING,
        "unusable",
        report.bad_files.iter().map(bad_file),
    );
    facts.render()
}

/// Builds the index anew.
pub(crate) fn rebuild(session: &mut Session) -> Result<(), Failure> {
    let report = session.call("building the index", inkvault::Vault::rebuild_index)?;
    session.answer(&report, |report, _| rebuild_view(report))
}

fn rebuild_view(report: &RebuildReport) -> String {
    let mut facts = Facts::default();
    facts.add("memories", report.memories.to_string());
    facts.each(style::PLAIN, "written", &report.exported);
    facts.each(style::WARNING, "quarantined", &report.quarantined);
    facts.each(style::WARNING, "note", &report.notes);
    facts.render()
}

/// Reads everything and reports each fault.
pub(crate) fn verify(session: &mut Session, args: &VerifyArgs) -> Result<(), Failure> {
    let verification = session.call("checking every file", |vault| vault.verify(args.fix))?;
    let printed = session.answer(&verification, |verification, _| faults_view(verification));
    let grave = |fault: &Fault| fault.severity == Severity::Error && !fault.fixed;
    match printed {
        Err(failure) if !failure.is_closed_output() => Err(failure),
        // A reader that has gone has not seen all of it; the exit code stays.
        _ if verification.faults.iter().any(grave) => Err(Failure::Faulty),
        printed => printed,
    }
}

fn faults_view(verification: &Verification) -> String {
    let checked = counted(verification.checked, "file", "files");
    if verification.faults.is_empty() {
        return format!("{checked} checked: the vault is in order.\n");
    }
    let told: String = verification.faults.iter().map(fault_view).collect();
    let faults = counted(verification.faults.len() as u64, "fault", "faults");
    let mended = verification.faults.iter().filter(|fault| fault.fixed);
    format!(
        "{told}{checked} checked: {faults}, {} mended.\n",
        mended.count()
    )
}

/// A fault in two lines. They are not cut: what is wrong has to be read whole.
fn fault_view(fault: &Fault) -> String {
    let severity = styled(style::WARNING, &format!("{:<WORD$}", fault.severity));
    let path = styled(style::STRONG, &one_line(&fault.path));
    let message = one_line(&fault.message);
    let remedy = if fault.fixed {
        styled(style::SCORE, "mended")
    } else {
        styled(
            style::FAINT,
            &one_line(&format!("to mend it: {}", fault.mend)),
        )
    };
    format!("{severity}{path}: {message}\n{:WORD$}{remedy}\n", "")
}

/// Columns for a severity and the gap behind it.
const WORD: usize = 9;
