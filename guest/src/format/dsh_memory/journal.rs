//! The lines of `.dsh-memory/journal/YYYY-MM.jsonl` (dsh-memory format §7).

use serde_json::json;

use super::sections::preview;
use crate::environment::VaultPath;
use crate::format::{Event, JournalRecord, Operation, journal_text};
use crate::memory::Memory;
use crate::timestamp::Timestamp;

/// The file and the line of an event; none for what the journal has no word
/// for. The month is that of its time in UTC.
pub(super) fn line(event: &Event<'_>) -> Option<(VaultPath, String)> {
    let at = event.time.to_string();
    let month: String = at.chars().take("2026-10".len()).collect();
    let path = VaultPath::known(format!(".dsh-memory/journal/{month}.jsonl"));
    let id = if event.id.is_empty() { "*" } else { event.id };
    let mut line = json!({ "at": at, "op": word(event.operation)?, "id": id });
    // What is in the trash is no memory any more.
    let is_gone = matches!(event.operation, Operation::Forget | Operation::Reject);
    let after = event.after.filter(|_| !is_gone);
    let told = event.after.or(event.before);
    for (key, value) in [
        ("before", event.before.map(summary)),
        ("after", after.map(summary)),
        ("reason", Some(event.detail.to_owned())),
        ("source", told.map(|memory| memory.metadata.origin.clone())),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            line[key] = value.into();
        }
    }
    Some((path, line.to_string()))
}

/// What a memory was or is, in bounded length.
fn summary(memory: &Memory) -> String {
    let metadata = &memory.metadata;
    let head = format!("[{}/{}] {}", metadata.kind, metadata.status, metadata.title);
    match preview(&memory.body) {
        text if text.is_empty() => head,
        text => format!("{head} :: {text}"),
    }
}

/// The journal's word; several of ours are updates to it.
fn word(operation: Operation) -> Option<&'static str> {
    Some(match operation {
        Operation::Create => "create",
        Operation::Confirm => "confirm",
        Operation::Reject => "reject",
        Operation::Archive => "archive",
        Operation::Stale => "stale",
        Operation::Supersede => "supersede",
        Operation::Conflict => "conflict",
        Operation::Merge => "merge",
        Operation::Forget => "delete",
        Operation::Rebuild => "index-rebuild",
        Operation::Init => "init",
        Operation::Update
        | Operation::Restore
        | Operation::Pin
        | Operation::Unpin
        | Operation::Promote
        | Operation::Deliver
        | Operation::Undo
        | Operation::RollBack
        | Operation::KeepDuplicate => "update",
        Operation::Stage | Operation::Unstage | Operation::Quarantine => return None,
    })
}

/// Whether a name is that of a month's journal: `2026-10.jsonl` (§2).
pub(super) fn is_name(name: &str) -> bool {
    let month = name.strip_suffix(".jsonl").unwrap_or_default();
    month.len() == 7 && Timestamp::parse(&format!("{month}-01")).is_some()
}

/// Reads `{at, op, id, before?, after?, reason?, source?}`; the id `*` is the
/// vault (§7).
pub(super) fn record(line: &str) -> Option<JournalRecord> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let text = |key| journal_text(&line, key);
    let operation = Some(text("op")).filter(|operation| !operation.is_empty());
    let labelled = [
        ("", "reason"),
        ("before: ", "before"),
        ("after: ", "after"),
        ("source: ", "source"),
    ];
    let details = labelled.map(|(label, key)| (label, text(key)));
    let details: Vec<_> = details
        .iter()
        .filter(|(_, detail)| !detail.is_empty())
        .map(|(label, detail)| format!("{label}{detail}"))
        .collect();
    Some(JournalRecord {
        time: Timestamp::parse(&text("at"))?,
        operation: operation?,
        id: Some(text("id")).filter(|id| id != "*").unwrap_or_default(),
        path: String::new(),
        detail: details.join("; "),
    })
}
