//! A process dies, or a call fails, at every single call of every changing
//! operation; nothing that was acknowledged is lost, nothing else changes, and
//! what touches several files happens to all of them or to none (design §7).
//! On every format.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use common::{Layout, Process, draft, found, on_every_layout, on_layouts_with, process};
use inkvault_guest::change::feed::Cursor;
use inkvault_guest::change::{Action, Changer, Grounds, Planned, PrivateFolder, Proposal};
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan, VaultPath};
use inkvault_guest::memory::Status;
use inkvault_guest::vault::{Change, Draft, Earlier, Fault, StagingDraft, UndoTarget, Vault};
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
/// The one that single tests add.
const CLAIMED: usize = 9;
/// One that belongs to a project, where there are projects.
const OF_PROJECT: usize = 10;
/// One that was an entry of the staging pool, where there is one.
const PROMOTED_NOTE: usize = 11;

/// Operations that answer even where they could not do all they are for, and
/// say so.
const LENIENT: [&str; 2] = [REBUILD, MOVE];
const REBUILD: &str = "rebuild";
const MOVE: &str = "move a file to its place";

/// What the process writes that comes after the fault.
const NEXT: &str = "the next process writes";

/// A changing operation.
struct Operation {
    name: &'static str,
    /// What a format must have for it.
    needs: fn(Layout) -> bool,
    run: fn(&mut Vault, Layout) -> Result<()>,
}

/// Entries of the staging pool: one to drop, one to promote.
const ENTRIES: [&str; 2] = ["of no use elsewhere", "of use everywhere"];
/// The one that was promoted; its note and the pool become what they were.
const PROMOTED: &str = "was of use everywhere";

const OPERATIONS: [Operation; 20] = [
    Operation {
        name: "create",
        needs: |_| true,
        run: |vault, _| vault.write(&draft("the brandnew text")).map(drop),
    },
    Operation {
        name: "update",
        needs: |_| true,
        run: |vault, layout| {
            vault
                .write(&of(layout.id(PLAIN), "the brandnew text"))
                .map(drop)
        },
    },
    Operation {
        name: "confirm",
        needs: |layout| layout.pending,
        run: |vault, layout| change(vault, layout.id(PENDING), Change::Confirm),
    },
    Operation {
        name: "reject",
        needs: |layout| layout.pending,
        run: |vault, layout| change(vault, layout.id(PENDING), Change::Reject),
    },
    Operation {
        name: "archive",
        needs: |_| true,
        run: |vault, layout| change(vault, layout.id(PLAIN), Change::Archive),
    },
    Operation {
        name: "restore from the archive",
        needs: |_| true,
        run: |vault, layout| change(vault, layout.id(ARCHIVED), Change::Restore),
    },
    Operation {
        name: "supersede",
        needs: |layout| layout.relations,
        run: |vault, layout| {
            change(
                vault,
                layout.id(PLAIN),
                Change::SupersedeBy(layout.id(OTHER)),
            )
        },
    },
    Operation {
        name: "conflict",
        needs: |layout| layout.relations,
        run: |vault, layout| {
            change(
                vault,
                layout.id(PLAIN),
                Change::ConflictWith(layout.id(OTHER)),
            )
        },
    },
    Operation {
        name: "merge",
        needs: |layout| layout.relations,
        run: |vault, layout| change(vault, layout.id(PLAIN), Change::MergeInto(layout.id(OTHER))),
    },
    Operation {
        name: "forget",
        needs: |_| true,
        run: |vault, layout| vault.forget(&layout.id(PLAIN), None, "of no use").map(drop),
    },
    Operation {
        name: "restore from the trash",
        needs: |_| true,
        run: |vault, layout| change(vault, layout.id(FORGOTTEN), Change::Restore),
    },
    Operation {
        name: "undo an update",
        needs: |_| true,
        run: |vault, layout| {
            vault
                .undo(&UndoTarget::LastOf(layout.id(UPDATED)))
                .map(drop)
        },
    },
    Operation {
        name: "undo a merge",
        needs: |layout| layout.relations,
        run: |vault, layout| vault.undo(&UndoTarget::LastOf(layout.id(MERGED))).map(drop),
    },
    Operation {
        name: "roll back",
        needs: |_| true,
        run: |vault, layout| {
            let (path, content) = (layout.path(UPDATED), old(layout, UPDATED));
            let earlier = Earlier {
                path: &path,
                content: content.as_bytes(),
            };
            let rolled_back = vault.roll_back(&layout.id(UPDATED), earlier, None, "because");
            rolled_back.map(drop)
        },
    },
    Operation {
        name: "promote a note of a project",
        needs: |layout| layout.path_in_project(OF_PROJECT).is_some(),
        run: |vault, layout| {
            let path = layout.path_in_project(OF_PROJECT).unwrap_or_default();
            change(vault, layout.id_in(OF_PROJECT, &path), Change::Promote)
        },
    },
    Operation {
        name: "stage",
        needs: |layout| layout.pool.is_some(),
        run: |vault, _| stage(vault, "one more entry"),
    },
    Operation {
        name: "drop from the pool",
        needs: |layout| layout.pool.is_some(),
        run: |vault, _| vault.staging_drop(1, ENTRIES[0]).map(drop),
    },
    Operation {
        name: "promote from the pool",
        needs: |layout| layout.pool.is_some(),
        run: |vault, _| {
            let note = draft("the brandnew text");
            vault.staging_promote(2, ENTRIES[1], &note).map(drop)
        },
    },
    Operation {
        name: "undo a promotion from the pool",
        needs: |layout| layout.pool.is_some(),
        run: |vault, layout| {
            let undone = vault.undo(&UndoTarget::LastOf(layout.id(PROMOTED_NOTE)));
            undone.map(drop)
        },
    },
    Operation {
        name: REBUILD,
        needs: |_| true,
        run: |vault, _| vault.rebuild_index().map(drop),
    },
];

fn of(id: String, text: &str) -> Draft {
    Draft {
        id: Some(id),
        ..draft(text)
    }
}

fn change(vault: &mut Vault, id: String, change: Change) -> Result<()> {
    vault.change_status(&id, &change, None, "because").map(drop)
}

fn stage(vault: &mut Vault, text: &str) -> Result<()> {
    let entry = StagingDraft {
        text: text.into(),
        ..StagingDraft::default()
    };
    vault.staging_add(&entry).map(drop)
}

/// The file of memory `n` before anything happened to it.
fn old(layout: Layout, n: usize) -> String {
    layout.note(&layout.id(n), "old", &format!("the old text number{n}"))
}

type Opener = Box<dyn Fn(&Machine) -> Process>;

/// A vault with a memory for each operation, and how to open it.
fn prepared(layout: Layout, open_first: bool) -> (Machine, Opener) {
    let machine = layout.machine();
    for n in 0..=TARGET {
        machine.put(&layout.path(n), old(layout, n));
    }
    if let Some(path) = layout.path_in_project(OF_PROJECT) {
        machine.put(&path, old(layout, OF_PROJECT));
    }
    if layout.quarantine.is_some() {
        machine.put(&layout.file("broken.md"), "---\ntitle: no id\n---\n\ntext");
    }
    machine.advance(Duration::from_secs(60));
    // The lock, the folders for staging and undoing and the snapshot are there.
    let mut first = process(&machine).vault;
    if layout.pending {
        let pending = Draft {
            status: Some(Status::Pending),
            ..of(layout.id(PENDING), "waits")
        };
        first.write(&pending).expect("pending");
    }
    change(&mut first, layout.id(ARCHIVED), Change::Archive).expect("archived");
    let forgotten = first.forget(&layout.id(FORGOTTEN), None, "");
    forgotten.expect("forgotten");
    let updated = of(layout.id(UPDATED), "updated");
    first.write(&updated).expect("updated");
    if layout.relations {
        let merge = Change::MergeInto(layout.id(TARGET));
        change(&mut first, layout.id(MERGED), merge).expect("merged");
    }
    if layout.pool.is_some() {
        for text in [ENTRIES[0], ENTRIES[1], PROMOTED] {
            stage(&mut first, text).expect("staged");
        }
        let note = Draft {
            kind: Some(layout.kind.into()),
            title: Some(layout.title(PROMOTED_NOTE)),
            ..Draft::default()
        };
        let promoted = first.staging_promote(3, PROMOTED, &note).expect("promoted");
        assert_eq!(promoted.memory.metadata.id, layout.id(PROMOTED_NOTE));
    }
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

fn seen(layout: Layout, machine: &Machine) -> Seen {
    let files = machine.files().into_iter();
    let visible = files.filter(|(path, _)| layout.shows(path));
    let texts = visible.map(|(path, bytes)| (path, String::from_utf8(bytes).expect("text")));
    let mine = texts.filter(|(_, text)| !text.contains(NEXT));
    mine.map(|(path, text)| (blanked(layout, &path), blanked(layout, &text)))
        .collect()
}

fn blanked(layout: Layout, text: &str) -> String {
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
struct Expected {
    layout: Layout,
    before: Seen,
    after: Seen,
    lines_before: usize,
    lines: usize,
    calls: u64,
    /// Those that cannot be mended while it has not happened.
    faults_before: Vec<Fault>,
    /// It answers even where it could not do all it is for, and says so.
    lenient: bool,
}

fn undisturbed(
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
fn run_with(
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
fn check_aftermath(point: &str, expected: &Expected, machine: &Machine, acknowledged: bool) {
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
fn lasting_faults(machine: &Machine) -> Vec<Fault> {
    let mut vault = process(machine).vault;
    vault.verify(true).expect("mended");
    vault.verify(false).expect("verified").faults
}

/// Right after the fault every file is as it was or as it is to be, and one
/// that is no longer as it was has become what it is to be.
fn check_whole(point: &str, expected: &Expected, machine: &Machine) {
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
fn has_happened(point: &str, expected: &Expected, machine: &Machine) -> bool {
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
fn check_private_folder(point: &str, expected: &Expected, machine: &Machine, happened: bool) {
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

/// What can go wrong with a call.
const PLANS: [Plan; 4] = [
    Plan::Crash,
    Plan::ShortWrite,
    Plan::Fail(IoErrorKind::NoSpace),
    Plan::Fail(IoErrorKind::Failed),
];

fn every_point(plan: Plan, open_first: bool, hard_links: bool) {
    on_every_layout(|layout| every_point_of(layout, plan, open_first, hard_links));
}

fn every_point_of(layout: Layout, plan: Plan, open_first: bool, hard_links: bool) {
    for operation in OPERATIONS.iter().filter(|one| (one.needs)(layout)) {
        let (machine, open) = prepared(layout, open_first);
        machine.set_hard_links(hard_links);
        let expected = undisturbed(layout, &machine, &*open, operation);
        at_every_call(&expected, &machine, &*open, operation, plan);
    }
}

/// An operation with a fault at each of its calls, on a machine of its own.
fn at_every_call(
    expected: &Expected,
    machine: &Machine,
    open: &dyn Fn(&Machine) -> Process,
    operation: &Operation,
    plan: Plan,
) {
    let calls = expected.calls;
    let mut visited = 0;
    for at_call in 1..=calls {
        let machine = machine.fork();
        let point = format!("{} {plan:?} at call {at_call} of {calls}", operation.name);
        let injection = Injection {
            at_call,
            what: plan,
        };
        let (process, result) = run_with(expected.layout, &machine, open, operation, injection);
        visited += u64::from(process.environment.calls() >= at_call);
        drop(process);
        machine.advance(Duration::from_secs(60));
        check_aftermath(&point, expected, &machine, result.is_ok());
    }
    assert_eq!(visited, calls, "{}", operation.name);
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
    on_every_layout(faults_while_the_index_is_saved);
}

fn faults_while_the_index_is_saved(layout: Layout) {
    let operation = &OPERATIONS[0];
    for plan in PLANS {
        let (machine, _) = prepared(layout, true);
        let mut busy = process(&machine);
        busy.vault.rebuild_index().expect("rebuilt");
        // From a feed of this length on it is cut, and from 64 changes on the
        // index is saved.
        let feed = machine
            .bytes(&layout.private("feed.jsonl"))
            .expect("a feed");
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
        let expected = undisturbed(layout, &machine, &open, operation);
        let saved = machine.fork();
        let mut process = open(&saved);
        (operation.run)(&mut process.vault, layout).expect("undisturbed");
        let snapshot = |machine: &Machine| machine.bytes(&layout.private("index.snapshot"));
        assert_ne!(snapshot(&saved), snapshot(&machine), "the index is saved");
        at_every_call(&expected, &machine, &open, operation, plan);
    }
}

/// Of three files with one id the second is kept.
#[test]
fn a_fault_while_one_of_several_files_is_kept_loses_nothing() {
    let operation = Operation {
        name: "keep one of several files",
        needs: Layout::ids_can_be_claimed,
        run: |vault, layout| {
            let kept = layout.file("second.md");
            vault
                .keep_duplicate(&layout.id(CLAIMED), &kept, "")
                .map(drop)
        },
    };
    on_layouts_with(operation.needs, |layout| {
        let claim = |machine: &Machine| {
            for name in ["first", "second", "third"] {
                let note = layout.note(&layout.id(CLAIMED), name, "one of three");
                machine.put(&layout.file(&format!("{name}.md")), note);
            }
        };
        with_each_plan(layout, &operation, claim);
    });
}

/// A file that lies where it does not belong is moved there.
#[test]
fn a_fault_while_a_file_is_moved_to_its_place_loses_nothing() {
    let operation = Operation {
        name: MOVE,
        needs: |layout| layout.elsewhere.is_some(),
        run: |vault, _| vault.verify(true).map(drop),
    };
    on_layouts_with(operation.needs, |layout| {
        let elsewhere = layout.elsewhere.expect("a directory");
        let stray = |machine: &Machine| {
            let note = layout.note(&layout.id(CLAIMED), "stray", "lost its way");
            machine.put(&format!("{elsewhere}/stray.md"), note);
        };
        with_each_plan(layout, &operation, stray);
    });
}

/// The change that makes the private folder, of a vault that has none yet:
/// whatever happens, nothing of it is there without the file that keeps it
/// out of git.
#[test]
fn a_fault_at_any_call_of_the_first_change_loses_nothing() {
    on_layouts_with(
        |layout| !layout.is_known_by_config(),
        |layout| {
            for (plan, hard_links) in plans() {
                faults_in_the_first_change(layout, plan, hard_links);
            }
        },
    );
}

fn faults_in_the_first_change(layout: Layout, plan: Plan, hard_links: bool) {
    let machine = layout.machine();
    machine.set_hard_links(hard_links);
    machine.put(
        &layout.path(PLAIN),
        layout.note(&layout.id(PLAIN), "old", "an earlier text"),
    );
    machine.advance(Duration::from_secs(60));
    assert!(machine.stat(layout.private).is_none());
    let operation = &OPERATIONS[0];
    let expected = undisturbed(layout, &machine, &process, operation);
    for at_call in 1..=expected.calls {
        let machine = machine.fork();
        let point = format!("{plan:?} at call {at_call} of {}", expected.calls);
        let injection = Injection {
            at_call,
            what: plan,
        };
        let (gone, result) = run_with(layout, &machine, &process, operation, injection);
        drop(gone);
        let files = machine.files();
        let is_private = |path: &&String| path.starts_with(layout.private);
        let ignored = machine.bytes(&layout.private(".gitignore"));
        let is_staged = |path: &String| path.starts_with(&layout.private("staging/"));
        assert!(
            ignored.as_deref() == Some(b"*\n") || files.keys().filter(is_private).all(is_staged),
            "{point}: {:?}",
            files.keys()
        );
        machine.advance(Duration::from_secs(60));
        check_aftermath(&point, &expected, &machine, result.is_ok());
        let ignored = machine.bytes(&layout.private(".gitignore"));
        assert_eq!(ignored.as_deref(), Some(&b"*\n"[..]), "{point}");
        assert!(
            machine.bytes(&layout.private("config.json")).is_some(),
            "{point}"
        );
    }
}

/// Each plan with and without hard links.
fn plans() -> impl Iterator<Item = (Plan, bool)> {
    let plans = PLANS.into_iter();
    plans.flat_map(|plan| [(plan, true), (plan, false)])
}

/// With and without hard links, on a vault to which something was added.
fn with_each_plan(layout: Layout, operation: &Operation, add: impl Fn(&Machine)) {
    for (plan, hard_links) in plans() {
        let (machine, open) = prepared(layout, true);
        machine.set_hard_links(hard_links);
        add(&machine);
        machine.advance(Duration::from_secs(60));
        let expected = undisturbed(layout, &machine, &*open, operation);
        at_every_call(&expected, &machine, &*open, operation, plan);
    }
}

/// The process lives on after the fault and its own next call works.
#[test]
fn the_same_process_goes_on_after_a_fault() {
    on_every_layout(faults_in_a_process_that_goes_on);
}

fn faults_in_a_process_that_goes_on(layout: Layout) {
    let has = |one: &&Operation| one.name != REBUILD && (one.needs)(layout);
    for operation in OPERATIONS.iter().filter(has) {
        let (machine, open) = prepared(layout, true);
        let expected = undisturbed(layout, &machine, &*open, operation);
        for at_call in 1..=expected.calls {
            let machine = machine.fork();
            let point = format!("{} at call {at_call}", operation.name);
            let injection = Injection {
                at_call,
                what: Plan::Fail(IoErrorKind::NoSpace),
            };
            let (mut process, result) = run_with(layout, &machine, &*open, operation, injection);
            let again = process
                .vault
                .write(&draft(NEXT))
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

/// The name of the lock's state.
fn lock_state(layout: Layout, machine: &Machine) -> String {
    let folder = layout.private("lock/");
    let files = machine.files();
    let mut states = files.keys().filter_map(|path| path.strip_prefix(&folder));
    states.next().expect("a lock").to_owned()
}

/// Another process changes the lock's state.
fn set_lock_state(layout: Layout, machine: &Machine, from: &str, to: &str) {
    let state = |name: &str| layout.private(&format!("lock/{name}"));
    machine.rename(&state(from), &state(to));
}

/// A holder that was idle for too long notices, and has changed nothing.
#[test]
fn a_stolen_lock_is_noticed() {
    on_every_layout(|layout| {
        let (machine, open) = prepared(layout, true);
        let mut slow = open(&machine);
        assert_eq!(lock_state(layout, &machine), "free");
        set_lock_state(layout, &machine, "free", "held-somebodyelse-1");
        let refused = slow.vault.write(&draft("waits"));
        assert!(
            refused.is_ok(),
            "an abandoned lock is taken after ten seconds: {refused:?}"
        );
        assert_eq!(lock_state(layout, &machine), "free");
    });
}

/// It stops before its first step, and its clean-up spares the next holder's
/// intent.
#[test]
fn a_holder_whose_lock_was_taken_away_changes_nothing() {
    on_every_layout(|layout| {
        let (machine, _) = prepared(layout, true);
        let environment = machine.process();
        let private = PrivateFolder::new(layout.private);
        let grounds = Grounds {
            is_file: Box::new(|_| true),
            is_journal: Box::new(|_| true),
        };
        let (mut holder, _) =
            Changer::begin(&environment, &private, "", &grounds).expect("the lock");
        let held = lock_state(layout, &machine);
        assert!(held.starts_with("held-"), "{held}");
        set_lock_state(layout, &machine, &held, "held-thief-1");
        machine.put(&layout.private("intent.thief.json"), "the next holder's");
        let before = machine.files();
        let planned = Planned {
            id: layout.id(9),
            id_before: String::new(),
            status_before: String::new(),
            status_after: String::new(),
            action: Action::Create {
                target: VaultPath::parse(&layout.file("x.md")).expect("a path"),
                content: b"too late".to_vec(),
            },
        };
        let proposal = Proposal {
            steps: vec![planned],
            operation: "create",
            id: layout.id(9),
            journal: Vec::new(),
        };
        let refused = holder.commit(proposal, &mut Cursor::default());
        assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
        holder.end().expect("ended");
        assert_eq!(machine.files(), before);
    });
}

/// Another process that keeps changing the lock's state is alive: no stealing.
#[test]
fn a_busy_lock_is_not_stolen() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        let mut first = process(&machine).vault;
        first.write(&draft("first")).expect("written");
        machine.set_pause(Duration::from_millis(1));
        let holder = machine.clone();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let busy = thread::spawn(move || {
            set_lock_state(layout, &holder, "free", "held-x-0");
            for n in 0.. {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                let [from, to] = [n, n + 1].map(|n| format!("held-x-{n}"));
                set_lock_state(layout, &holder, &from, &to);
                thread::yield_now();
            }
        });
        thread::sleep(Duration::from_millis(20));
        let refused = process(&machine).vault.write(&draft("second"));
        stop.store(true, Ordering::Relaxed);
        busy.join().expect("the holder ends");
        assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
    });
}
