//! A process dies, or a call fails, at every single call of every changing
//! operation; nothing that was acknowledged is lost, nothing else changes, and
//! what touches several files happens to all of them or to none (design §7).

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::{Process, draft, found, id, machine, note, process};
use inkvault_guest::change::feed::Cursor;
use inkvault_guest::change::{Action, Changer, Grounds, Planned, PrivateFolder, Proposal};
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan, VaultPath};
use inkvault_guest::memory::Status;
use inkvault_guest::vault::{Change, Draft, UndoTarget, Vault};
use inkvault_guest::{Error, Result};

/// Memories of the prepared vault, by their numbers.
const PLAIN: usize = 1;
const OTHER: usize = 2;
const PENDING: usize = 3;
const ARCHIVED: usize = 4;
const FORGOTTEN: usize = 5;
const UPDATED: usize = 6;
const MERGED: usize = 7;
const TARGET: usize = 8;

/// A changing operation.
struct Operation {
    name: &'static str,
    run: fn(&mut Vault) -> Result<()>,
}

const OPERATIONS: [Operation; 14] = [
    Operation {
        name: "create",
        run: |vault| vault.write(&draft("the brandnew text")).map(drop),
    },
    Operation {
        name: "update",
        run: |vault| vault.write(&of(PLAIN, "the brandnew text")).map(drop),
    },
    Operation {
        name: "confirm",
        run: |vault| change(vault, PENDING, Change::Confirm),
    },
    Operation {
        name: "reject",
        run: |vault| change(vault, PENDING, Change::Reject),
    },
    Operation {
        name: "archive",
        run: |vault| change(vault, PLAIN, Change::Archive),
    },
    Operation {
        name: "restore from the archive",
        run: |vault| change(vault, ARCHIVED, Change::Restore),
    },
    Operation {
        name: "supersede",
        run: |vault| change(vault, PLAIN, Change::SupersedeBy(id(OTHER))),
    },
    Operation {
        name: "conflict",
        run: |vault| change(vault, PLAIN, Change::ConflictWith(id(OTHER))),
    },
    Operation {
        name: "merge",
        run: |vault| change(vault, PLAIN, Change::MergeInto(id(OTHER))),
    },
    Operation {
        name: "forget",
        run: |vault| vault.forget(&id(PLAIN), None, "of no use").map(drop),
    },
    Operation {
        name: "restore from the trash",
        run: |vault| change(vault, FORGOTTEN, Change::Restore),
    },
    Operation {
        name: "undo an update",
        run: |vault| vault.undo(&UndoTarget::LastOf(id(UPDATED))).map(drop),
    },
    Operation {
        name: "undo a merge",
        run: |vault| vault.undo(&UndoTarget::LastOf(id(MERGED))).map(drop),
    },
    Operation {
        name: "rebuild",
        run: |vault| vault.rebuild_index().map(drop),
    },
];

fn of(n: usize, text: &str) -> Draft {
    Draft {
        id: Some(id(n)),
        ..draft(text)
    }
}

fn change(vault: &mut Vault, n: usize, change: Change) -> Result<()> {
    vault
        .change_status(&id(n), &change, None, "because")
        .map(drop)
}

type Opener = Box<dyn Fn(&Machine) -> Process>;

/// A vault with a memory for each operation, and how to open it.
fn prepared(open_first: bool) -> (Machine, Opener) {
    let machine = machine();
    for n in 0..=TARGET {
        machine.put(
            &format!("memory/{}.md", id(n)),
            note(&id(n), "old", &format!("the old text number{n}")),
        );
    }
    machine.put("memory/broken.md", "---\ntitle: no id\n---\n\ntext");
    machine.advance(Duration::from_secs(60));
    // The lock, the folders for staging and undoing and the snapshot are there.
    let mut first = process(&machine).vault;
    let pending = Draft {
        status: Some(Status::Pending),
        ..of(PENDING, "waits")
    };
    first.write(&pending).expect("pending");
    change(&mut first, ARCHIVED, Change::Archive).expect("archived");
    first.forget(&id(FORGOTTEN), None, "").expect("forgotten");
    first.write(&of(UPDATED, "updated")).expect("updated");
    change(&mut first, MERGED, Change::MergeInto(id(TARGET))).expect("merged");
    first.write(&draft("an earlier memory")).expect("written");
    machine.advance(Duration::from_secs(60));
    let opened = Box::new(move |machine: &Machine| {
        let mut process = process(machine);
        if open_first {
            process.vault.overview().expect("opened");
        }
        process.environment.reset_calls();
        process
    });
    (machine, opened)
}

/// What a person can see of a vault: each file with its text, in which new
/// ids and the present day are blanked out.
type Seen = BTreeSet<(String, String)>;

fn seen(machine: &Machine) -> Seen {
    let is_visible = |path: &str| {
        ["memory/", ".trash/", ".inkvault/quarantine/"]
            .iter()
            .any(|folder| path.starts_with(folder))
    };
    let files = machine.files().into_iter();
    let visible = files.filter(|(path, _)| is_visible(path));
    let texts = visible.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("text")));
    let mine = texts.filter(|(_, text)| !text.ends_with("the next process writes"));
    mine.map(|(path, text)| (blanked(&path), blanked(&text)))
        .collect()
}

fn blanked(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-:".contains(c);
    text.split_inclusive(|c: char| !is_part(c))
        .map(|part| {
            let word = part.trim_end_matches(|c: char| !is_part(c));
            let rest = &part[word.len()..];
            let is_new_id = word.starts_with("m-20261019-");
            let is_now = word.starts_with("2026-10-19T");
            // The time in the name of a file in the trash.
            let id = word.rsplit_once("-17").map_or(word, |(id, _)| id);
            let shown = if is_new_id || is_now { "NEW" } else { id };
            format!("{shown}{rest}")
        })
        .collect()
}

/// How many lines of a journal tell of something.
fn journal_lines(machine: &Machine) -> usize {
    let journal = machine.bytes(".inkvault/journal.jsonl").unwrap_or_default();
    let lines = journal.split(|byte| *byte == b'\n');
    lines
        .filter(|line| serde_json::from_slice::<serde_json::Value>(line).is_ok())
        .count()
}

/// The vault before an operation and after one that nothing disturbs.
struct Expected {
    before: Seen,
    after: Seen,
    lines_before: usize,
    lines: usize,
    calls: u64,
    /// It answers even where it could not do all it is for, and says so.
    lenient: bool,
}

fn undisturbed(
    machine: &Machine,
    open: &dyn Fn(&Machine) -> Process,
    operation: &Operation,
) -> Expected {
    let (before, lines_before) = (seen(machine), journal_lines(machine));
    let machine = machine.fork();
    let mut process = open(&machine);
    (operation.run)(&mut process.vault).expect("undisturbed");
    let calls = process.environment.calls();
    let after = seen(&machine);
    assert!(before != after, "{} does something", operation.name);
    Expected {
        before,
        after,
        lines_before,
        lines: journal_lines(&machine) - lines_before,
        calls,
        lenient: operation.name == "rebuild",
    }
}

/// Runs an operation with one injection, and hands over what came of it.
fn run_with(
    machine: &Machine,
    open: &dyn Fn(&Machine) -> Process,
    operation: &Operation,
    injection: Injection,
) -> (Process, Result<()>) {
    let mut process = open(machine);
    process.environment.plan(injection);
    let result = (operation.run)(&mut process.vault);
    (process, result)
}

/// The invariants, after the process is gone and another one comes.
fn check_aftermath(point: &str, expected: &Expected, machine: &Machine, acknowledged: bool) {
    check_whole(point, expected, machine);
    let mut next = process(machine);
    let receipt = next
        .vault
        .write(&draft("the next process writes"))
        .unwrap_or_else(|error| panic!("{point}: {error}"));
    let written = found(&mut next.vault, "next process");
    assert_eq!(written.join(" "), receipt.memory.metadata.id, "{point}");
    let happened = has_happened(point, expected, machine);
    assert!(
        happened || !acknowledged || expected.lenient,
        "{point}: acknowledged and lost"
    );
    check_private_folder(point, expected, machine, happened);
    let mut last = process(machine);
    last.vault
        .verify(true)
        .unwrap_or_else(|error| panic!("{point}: {error}"));
    let verification = last.vault.verify(false).expect("verified");
    assert!(
        verification.faults.is_empty(),
        "{point}: {:?}",
        verification.faults
    );
    assert!(!found(&mut last.vault, "earlier").is_empty(), "{point}");
}

/// Right after the fault every file is as it was or as it is to be, and one
/// that is no longer as it was has become what it is to be.
fn check_whole(point: &str, expected: &Expected, machine: &Machine) {
    let now = seen(machine);
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
fn has_happened(point: &str, expected: &Expected, machine: &Machine) -> bool {
    let now = seen(machine);
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
fn check_private_folder(point: &str, expected: &Expected, machine: &Machine, happened: bool) {
    let files = machine.files();
    let left = files.keys().find(|path| path.contains("/intent."));
    assert!(left.is_none(), "{point}: {left:?} is still there");
    let feed = files
        .get(".inkvault/feed.jsonl")
        .cloned()
        .unwrap_or_default();
    let feed = String::from_utf8(feed).expect("text");
    let numbers: Vec<u64> = feed
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["seq"].as_u64())
        .collect();
    let all: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, all, "{point}: {feed}");
    let mine = if happened { expected.lines } else { 0 };
    let lines = journal_lines(machine);
    assert!(
        lines == expected.lines_before + mine + 1 || expected.lenient,
        "{point}: {lines} lines in the journal"
    );
}

fn every_point(plan: Plan, open_first: bool, hard_links: bool) {
    for operation in &OPERATIONS {
        let (machine, open) = prepared(open_first);
        machine.set_hard_links(hard_links);
        let expected = undisturbed(&machine, &*open, operation);
        let mut visited = 0;
        for at_call in 1..=expected.calls {
            let machine = machine.fork();
            let point = format!(
                "{} {plan:?} at call {at_call} of {}",
                operation.name, expected.calls
            );
            let (process, result) = run_with(
                &machine,
                &*open,
                operation,
                Injection {
                    at_call,
                    what: plan,
                },
            );
            visited += u64::from(process.environment.calls() >= at_call);
            drop(process);
            machine.advance(Duration::from_secs(60));
            check_aftermath(&point, &expected, &machine, result.is_ok());
        }
        assert_eq!(visited, expected.calls, "{}", operation.name);
    }
}

#[test]
fn a_crash_at_any_call_of_an_open_vault_loses_nothing() {
    every_point(Plan::Crash, true, true);
}

#[test]
fn a_crash_at_any_call_of_a_first_call_loses_nothing() {
    every_point(Plan::Crash, false, true);
}

#[test]
fn a_crash_at_any_call_without_hard_links_loses_nothing() {
    every_point(Plan::Crash, true, false);
}

#[test]
fn a_full_disk_at_any_call_loses_nothing() {
    every_point(Plan::Fail(IoErrorKind::NoSpace), true, true);
}

#[test]
fn a_failing_disk_at_any_call_loses_nothing() {
    every_point(Plan::Fail(IoErrorKind::Failed), true, true);
}

#[test]
fn a_failing_disk_at_any_call_without_hard_links_loses_nothing() {
    every_point(Plan::Fail(IoErrorKind::Failed), true, false);
}

#[test]
fn a_short_write_at_any_call_loses_nothing() {
    every_point(Plan::ShortWrite, true, true);
}

/// The write after which the index is saved and the feed is cut.
#[test]
fn a_fault_while_the_index_is_saved_loses_nothing() {
    let operation = &OPERATIONS[0];
    for plan in [
        Plan::Crash,
        Plan::ShortWrite,
        Plan::Fail(IoErrorKind::NoSpace),
        Plan::Fail(IoErrorKind::Failed),
    ] {
        let (machine, _) = prepared(true);
        let mut busy = process(&machine);
        busy.vault.rebuild_index().expect("rebuilt");
        // From a feed of this length on it is cut, and from 64 changes on the
        // index is saved.
        let feed = machine.bytes(".inkvault/feed.jsonl").expect("a feed");
        for n in 0..63 {
            busy.vault
                .write(&draft(&format!("one of many {n}")))
                .expect("written");
        }
        machine.advance(Duration::from_secs(60));
        assert!(!feed.is_empty());
        let open = |machine: &Machine| {
            let mut process = process(machine);
            process.vault.overview().expect("opened");
            process.environment.reset_calls();
            process
        };
        let expected = undisturbed(&machine, &open, operation);
        let saved = machine.fork();
        let mut process = open(&saved);
        (operation.run)(&mut process.vault).expect("undisturbed");
        let snapshot = |machine: &Machine| machine.bytes(".inkvault/index.snapshot");
        assert_ne!(snapshot(&saved), snapshot(&machine), "the index is saved");
        for at_call in 1..=expected.calls {
            let machine = machine.fork();
            let point = format!("{plan:?} at call {at_call} of {}", expected.calls);
            let injection = Injection {
                at_call,
                what: plan,
            };
            let (process, result) = run_with(&machine, &open, operation, injection);
            drop(process);
            machine.advance(Duration::from_secs(60));
            check_aftermath(&point, &expected, &machine, result.is_ok());
        }
    }
}

/// The process lives on after the fault and its own next call works.
#[test]
fn the_same_process_goes_on_after_a_fault() {
    for operation in &OPERATIONS[..OPERATIONS.len() - 1] {
        let (machine, open) = prepared(true);
        let expected = undisturbed(&machine, &*open, operation);
        for at_call in 1..=expected.calls {
            let machine = machine.fork();
            let point = format!("{} at call {at_call}", operation.name);
            let injection = Injection {
                at_call,
                what: Plan::Fail(IoErrorKind::NoSpace),
            };
            let (mut process, result) = run_with(&machine, &*open, operation, injection);
            let again = process
                .vault
                .write(&draft("the next process writes"))
                .unwrap_or_else(|error| panic!("{point}: {error}"));
            assert_eq!(
                found(&mut process.vault, "next process"),
                [again.memory.metadata.id],
                "{point}"
            );
            let happened = has_happened(&point, &expected, &machine);
            assert!(
                happened || result.is_err(),
                "{point}: acknowledged and lost"
            );
            // What it knows is what is there.
            let ids = |vault: &mut Vault| {
                let mut ids = found(vault, "text waits updated earlier process");
                ids.sort();
                ids
            };
            let mut fresh = common::process(&machine);
            assert_eq!(ids(&mut process.vault), ids(&mut fresh.vault), "{point}");
        }
    }
}

/// A holder that was idle for too long notices, and has changed nothing.
#[test]
fn a_stolen_lock_is_noticed() {
    let (machine, open) = prepared(true);
    let mut slow = open(&machine);
    let lock = |machine: &Machine| {
        let files = machine.files();
        files
            .keys()
            .find_map(|path| path.strip_prefix(".inkvault/lock/").map(str::to_owned))
    };
    assert_eq!(lock(&machine).as_deref(), Some("free"));
    let stolen = ".inkvault/lock/held-somebodyelse-1";
    machine.rename(".inkvault/lock/free", stolen);
    let refused = slow.vault.write(&draft("waits"));
    assert!(
        refused.is_ok(),
        "an abandoned lock is taken after ten seconds: {refused:?}"
    );
    assert_eq!(lock(&machine).as_deref(), Some("free"));
}

/// It stops before its first step, and its clean-up spares the next holder's
/// intent.
#[test]
fn a_holder_whose_lock_was_taken_away_changes_nothing() {
    let (machine, _) = prepared(true);
    let environment = machine.process();
    let private = PrivateFolder::new(".inkvault");
    let grounds = Grounds {
        is_file: Box::new(|_| true),
        is_journal: Box::new(|_| true),
    };
    let (mut holder, _) = Changer::begin(&environment, &private, "", &grounds).expect("the lock");
    let held = machine
        .files()
        .into_keys()
        .find(|path| path.contains("/lock/held-"));
    machine.rename(&held.expect("held"), ".inkvault/lock/held-thief-1");
    machine.put(".inkvault/intent.thief.json", "the next holder's");
    let before = machine.files();
    let planned = Planned {
        id: id(9),
        status_before: String::new(),
        status_after: String::new(),
        action: Action::Create {
            target: VaultPath::parse("memory/x.md").expect("a path"),
            content: b"too late".to_vec(),
        },
    };
    let proposal = Proposal {
        steps: vec![planned],
        operation: "create",
        id: id(9),
        journal: Vec::new(),
    };
    let refused = holder.commit(proposal, &mut Cursor::default());
    assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
    holder.end().expect("ended");
    assert_eq!(machine.files(), before);
}

/// Another process that keeps changing the lock's state is alive: no stealing.
#[test]
fn a_busy_lock_is_not_stolen() {
    let machine = machine();
    process(&machine)
        .vault
        .write(&draft("first"))
        .expect("written");
    machine.set_pause(Duration::from_millis(1));
    let holder = machine.clone();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = std::sync::Arc::clone(&stop);
    let busy = std::thread::spawn(move || {
        holder.rename(".inkvault/lock/free", ".inkvault/lock/held-x-0");
        for n in 0.. {
            if stopped.load(std::sync::atomic::Ordering::Relaxed) {
                return;
            }
            holder.rename(
                &format!(".inkvault/lock/held-x-{n}"),
                &format!(".inkvault/lock/held-x-{}", n + 1),
            );
            std::thread::yield_now();
        }
    });
    std::thread::sleep(Duration::from_millis(20));
    let refused = process(&machine).vault.write(&draft("second"));
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    busy.join().expect("the holder ends");
    assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
}
