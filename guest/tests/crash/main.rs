//! A process dies, or a call fails, at every single call of every changing
//! operation; nothing that was acknowledged is lost, nothing else changes, and
//! what touches several files happens to all of them or to none (design §7).
//! On every format.

#[path = "../common/mod.rs"]
mod common;

mod aftermath;
mod lock;
mod operations;

use std::time::Duration;

use aftermath::{Expected, check_aftermath, has_happened, run_with, undisturbed};
use common::{Layout, Process, draft, found, on_every_layout, on_layouts_with, process};
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan};
use inkvault_guest::vault::Vault;
use operations::{CLAIMED, MOVE, NEXT, OPERATIONS, Operation, PLAIN, REBUILD, prepared};

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
