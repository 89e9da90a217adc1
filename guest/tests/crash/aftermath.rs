//! What must hold once a process is gone and another one comes.

use std::collections::BTreeSet;

use inkvault_guest::Result;
use inkvault_guest::environment::{Injection, Machine};
use inkvault_guest::vault::Fault;

use crate::common::{Layout, Process, draft, found, process};
use crate::operations::{LENIENT, NEXT, Operation, REBUILD};

/// What a person can see of a vault: each file with its text, in which new
/// ids and the present day are blanked out.
pub(crate) type Seen = BTreeSet<(String, String)>;

pub(crate) fn seen(layout: Layout, machine: &Machine) -> Seen {
    let files = machine.files().into_iter();
    let visible = files.filter(|(path, _)| layout.shows(path));
    let texts = visible.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("text")));
    let mine = texts.filter(|(_, text)| !text.contains(NEXT));
    mine.map(|(path, text)| (blanked(layout, &path), blanked(layout, &text)))
        .collect()
}

pub(crate) fn blanked(layout: Layout, text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-:_".contains(c);
    text.split_inclusive(|c: char| !is_part(c))
        .map(|part| {
            let word = part.trim_end_matches(|c: char| !is_part(c));
            let rest = &part[word.len()..];
            if word.starts_with("2026-10-19T") {
                return format!("NEW{rest}");
            }
            // A new id can stand behind a title in the name of a file.
            if let Some(at) = layout.new_ids.and_then(|ids| word.find(ids)) {
                return format!("{}NEW{rest}", &word[..at]);
            }
            // The time in the name of a file in the trash.
            let id = word.rsplit_once("-17").map_or(word, |(id, _)| id);
            format!("{id}{rest}")
        })
        .collect()
}

/// The vault before an operation and after one that nothing disturbs.
pub(crate) struct Expected {
    pub(crate) layout: Layout,
    pub(crate) before: Seen,
    pub(crate) after: Seen,
    pub(crate) lines_before: usize,
    pub(crate) lines: usize,
    pub(crate) calls: u64,
    /// Those that cannot be mended while it has not happened.
    pub(crate) faults_before: Vec<Fault>,
    /// It answers even where it could not do all it is for, and says so.
    pub(crate) lenient: bool,
}

pub(crate) fn undisturbed(
    layout: Layout,
    machine: &Machine,
    open: &dyn Fn(&Machine) -> Process,
    operation: &Operation,
) -> Expected {
    let faults_before = lasting_faults(&machine.fork());
    let (before, lines_before) = (seen(layout, machine), layout.journal(machine).len());
    let machine = machine.fork();
    let mut process = open(&machine);
    (operation.run)(&mut process.vault, layout).expect("undisturbed");
    let calls = process.environment.calls();
    let after = seen(layout, &machine);
    // Without quarantine a rebuild touches no file that a person knows.
    let touches = operation.name != REBUILD || layout.quarantine.is_some();
    assert_eq!(before != after, touches, "what {} does", operation.name);
    Expected {
        layout,
        before,
        after,
        lines_before,
        lines: layout.journal(&machine).len() - lines_before,
        calls,
        faults_before,
        lenient: LENIENT.contains(&operation.name),
    }
}

/// Runs an operation with one injection, and hands over what came of it.
pub(crate) fn run_with(
    layout: Layout,
    machine: &Machine,
    open: &dyn Fn(&Machine) -> Process,
    operation: &Operation,
    injection: Injection,
) -> (Process, Result<()>) {
    let mut process = open(machine);
    process.environment.plan(injection);
    let result = (operation.run)(&mut process.vault, layout);
    (process, result)
}

/// The invariants, after the process is gone and another one comes.
pub(crate) fn check_aftermath(
    point: &str,
    expected: &Expected,
    machine: &Machine,
    acknowledged: bool,
) {
    check_whole(point, expected, machine);
    let mut next = process(machine);
    let receipt = next
        .vault
        .write(&draft(NEXT))
        .unwrap_or_else(|error| panic!("{point}: {error}"));
    let written = found(&mut next.vault, "next process");
    assert_eq!(written.join(" "), receipt.memory.metadata.id, "{point}");
    let happened = has_happened(point, expected, machine);
    assert!(
        happened || !acknowledged || expected.lenient,
        "{point}: acknowledged and lost"
    );
    check_private_folder(point, expected, machine, happened);
    let faults = lasting_faults(machine);
    let excused = if happened {
        &[]
    } else {
        &*expected.faults_before
    };
    assert_eq!(faults, excused, "{point}");
    let mut last = process(machine);
    assert!(!found(&mut last.vault, "earlier").is_empty(), "{point}");
}

/// The faults that are left once everything was mended that can be.
pub(crate) fn lasting_faults(machine: &Machine) -> Vec<Fault> {
    let mut vault = process(machine).vault;
    vault.verify(true).expect("mended");
    vault.verify(false).expect("verified").faults
}

/// Right after the fault every file is as it was or as it is to be, and one
/// that is no longer as it was has become what it is to be.
pub(crate) fn check_whole(point: &str, expected: &Expected, machine: &Machine) {
    let now = seen(expected.layout, machine);
    let Expected { before, after, .. } = expected;
    let strange: Vec<_> = now
        .iter()
        .filter(|file| !before.contains(file) && !after.contains(file))
        .collect();
    assert!(strange.is_empty(), "{point}: {strange:#?}");
    let lost: Vec<_> = before
        .intersection(after)
        .filter(|file| !now.contains(file))
        .collect();
    assert!(lost.is_empty(), "{point}: {lost:#?}");
    let gone = before.difference(&now).count();
    let come = now.difference(before).count();
    assert!(
        gone <= come,
        "{point}: {gone} files are gone, {come} have come"
    );
}

/// Whether the change happened; it must not have happened in part.
pub(crate) fn has_happened(point: &str, expected: &Expected, machine: &Machine) -> bool {
    let now = seen(expected.layout, machine);
    let (before, after) = (&expected.before, &expected.after);
    assert!(
        now == *before || now == *after,
        "{point}: neither done nor undone: {:#?} and {:#?}",
        now.symmetric_difference(before),
        now.symmetric_difference(after)
    );
    now == *after
}

/// Once another process has written: no intent is left, and feed and journal
/// tell of the change if it happened.
pub(crate) fn check_private_folder(
    point: &str,
    expected: &Expected,
    machine: &Machine,
    happened: bool,
) {
    let files = machine.files();
    let left = files.keys().find(|path| path.contains("/intent."));
    assert!(left.is_none(), "{point}: {left:?} is still there");
    let feed = files
        .get(&expected.layout.private("feed.jsonl"))
        .cloned()
        .unwrap_or_default();
    // A line can have been torn within a character.
    let feed = String::from_utf8_lossy(&feed);
    let numbers: Vec<u64> = feed
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["seq"].as_u64())
        .collect();
    let all: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, all, "{point}: {feed}");
    let mine = if happened { expected.lines } else { 0 };
    let lines = expected.layout.journal(machine).len();
    let of_the_next = usize::from(expected.layout.journal.is_some());
    assert!(
        lines == expected.lines_before + mine + of_the_next || expected.lenient,
        "{point}: {lines} lines in the journal"
    );
}
