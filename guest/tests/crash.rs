//! A process dies, or a call fails, at every single call of every changing
//! operation; nothing that was acknowledged is lost and nothing else changes
//! (design §7).

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{Process, draft, found, id, machine, note, process};
use inkvault_guest::change::feed::Cursor;
use inkvault_guest::change::{Changer, Planned, PrivateFolder, Proposal};
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan, VaultPath};
use inkvault_guest::vault::{Draft, Vault};
use inkvault_guest::{Error, Result};

/// A changing operation, and how to see on disk whether it happened.
struct Operation {
    name: &'static str,
    run: fn(&mut Vault) -> Result<()>,
    /// The only files it may change, by a text that their path contains.
    may_change: fn(&str) -> bool,
    /// A word that can be searched once it happened.
    word: &'static str,
}

const OPERATIONS: [Operation; 3] = [
    Operation {
        name: "create",
        run: |vault| vault.write(&draft("the brandnew text")).map(drop),
        may_change: |path| !path.contains("20261001"),
        word: "brandnew",
    },
    Operation {
        name: "update",
        run: |vault| {
            let changed = Draft {
                id: Some(id(1)),
                ..draft("the brandnew text")
            };
            vault.write(&changed).map(drop)
        },
        may_change: |path| path.contains(&id(1)),
        word: "brandnew",
    },
    Operation {
        name: "rebuild",
        run: |vault| vault.rebuild_index().map(drop),
        may_change: |path| path.contains("broken"),
        word: "number0",
    },
];

type Opener = Box<dyn Fn(&Machine) -> Process>;

fn prepared(open_first: bool) -> (Machine, Opener) {
    let machine = machine();
    for n in 0..3 {
        machine.put(
            &format!("memory/{}.md", id(n)),
            note(&id(n), "old", &format!("the old text number{n}")),
        );
    }
    machine.put("memory/broken.md", "---\ntitle: no id\n---\n\ntext");
    machine.advance(Duration::from_secs(60));
    // The lock, the staging folder and the snapshot are there.
    process(&machine)
        .vault
        .write(&draft("an earlier memory"))
        .expect("written");
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
fn check_aftermath(
    point: &str,
    operation: &Operation,
    before: &BTreeMap<String, Vec<u8>>,
    machine: &Machine,
    acknowledged: bool,
) {
    check_others(point, operation, before, machine);
    let mut next = process(machine);
    let happened = !found(&mut next.vault, operation.word).is_empty();
    assert!(happened || !acknowledged, "{point}: acknowledged and lost");
    let receipt = next
        .vault
        .write(&draft("the next process writes"))
        .unwrap_or_else(|error| panic!("{point}: {error}"));
    let written = found(&mut next.vault, "next process");
    assert_eq!(written.join(" "), receipt.memory.metadata.id, "{point}");
    let happened_now = !found(&mut next.vault, operation.word).is_empty();
    assert!(
        happened_now || !happened,
        "{point}: undone by the next process"
    );
    check_others(point, operation, before, machine);
    check_private_folder(point, operation, machine, happened_now);
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

/// Files that the operation has no business with are as they were, and those
/// it has are whole.
fn check_others(
    point: &str,
    operation: &Operation,
    before: &BTreeMap<String, Vec<u8>>,
    machine: &Machine,
) {
    let after = machine.files();
    for (path, bytes) in before
        .iter()
        .filter(|(path, _)| path.starts_with("memory/"))
    {
        if !(operation.may_change)(path) || operation.name == "create" {
            assert!(after.get(path) == Some(bytes), "{point}: {path}");
        } else if let Some(now) = after.get(path) {
            let whole = now == bytes || now.ends_with(b"the brandnew text");
            assert!(whole, "{point}: {path} is {}", String::from_utf8_lossy(now));
        }
    }
    for (path, bytes) in after
        .iter()
        .filter(|(path, _)| path.starts_with("memory/") && !before.contains_key(*path))
    {
        assert!(
            bytes.ends_with(b"text") || bytes.ends_with(b"writes"),
            "{point}: {path} is half written"
        );
    }
}

/// Once another process has written: no intent is left, and feed and journal
/// tell of the change if it happened.
fn check_private_folder(point: &str, operation: &Operation, machine: &Machine, happened: bool) {
    let files = machine.files();
    let left = files.keys().find(|path| path.contains("/intent."));
    assert!(left.is_none(), "{point}: {left:?} is still there");
    let lines =
        |path: &str| String::from_utf8(files.get(path).cloned().unwrap_or_default()).expect("text");
    let feed = lines(".inkvault/feed.jsonl");
    let numbers: Vec<u64> = feed
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()?["seq"].as_u64())
        .collect();
    let expected: Vec<u64> = (1..=numbers.len() as u64).collect();
    assert_eq!(numbers, expected, "{point}: {feed}");
    let journal = lines(".inkvault/journal.jsonl");
    let recorded = journal
        .lines()
        .filter(|line| line.contains("\"op\":\"write\"") && line.ends_with('}'))
        .count();
    if operation.name != "rebuild" {
        assert_eq!(recorded, 2 + usize::from(happened), "{point}: {journal}");
    }
}

fn every_point(plan: Plan, open_first: bool) {
    for operation in &OPERATIONS {
        let (machine, open) = prepared(open_first);
        let undisturbed = machine.fork();
        let mut process = open(&undisturbed);
        (operation.run)(&mut process.vault).expect("undisturbed");
        let calls = process.environment.calls();
        let before = machine.files();
        let mut visited = 0;
        for at_call in 1..=calls {
            let machine = machine.fork();
            let point = format!("{} {plan:?} at call {at_call} of {calls}", operation.name);
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
            check_aftermath(&point, operation, &before, &machine, result.is_ok());
        }
        assert_eq!(visited, calls, "{}", operation.name);
    }
}

#[test]
fn a_crash_at_any_call_of_an_open_vault_loses_nothing() {
    every_point(Plan::Crash, true);
}

#[test]
fn a_crash_at_any_call_of_a_first_call_loses_nothing() {
    every_point(Plan::Crash, false);
}

#[test]
fn a_full_disk_at_any_call_loses_nothing() {
    every_point(Plan::Fail(IoErrorKind::NoSpace), true);
}

#[test]
fn a_failing_disk_at_any_call_loses_nothing() {
    every_point(Plan::Fail(IoErrorKind::Failed), true);
}

#[test]
fn a_short_write_at_any_call_loses_nothing() {
    every_point(Plan::ShortWrite, true);
}

/// The process lives on after the fault and its own next call works.
#[test]
fn the_same_process_goes_on_after_a_fault() {
    for operation in &OPERATIONS[..2] {
        let (machine, open) = prepared(true);
        let before = machine.files();
        for at_call in 1.. {
            let machine = machine.fork();
            let point = format!("{} at call {at_call}", operation.name);
            let injection = Injection {
                at_call,
                what: Plan::Fail(IoErrorKind::NoSpace),
            };
            let (mut process, result) = run_with(&machine, &*open, operation, injection);
            if process.environment.calls() < at_call {
                break;
            }
            let again = process
                .vault
                .write(&draft("the same process writes"))
                .unwrap_or_else(|error| panic!("{point}: {error}"));
            assert_eq!(
                found(&mut process.vault, "same process"),
                [again.memory.metadata.id],
                "{point}"
            );
            let happened = !found(&mut process.vault, operation.word).is_empty();
            assert!(
                happened || result.is_err(),
                "{point}: acknowledged and lost"
            );
            check_others_but(&point, &before, &machine, operation);
        }
    }
}

fn check_others_but(
    point: &str,
    before: &BTreeMap<String, Vec<u8>>,
    machine: &Machine,
    operation: &Operation,
) {
    let after = machine.files();
    for (path, bytes) in before
        .iter()
        .filter(|(path, _)| path.starts_with("memory/"))
    {
        let mine = operation.name == "update" && path.contains(&id(1));
        assert!(mine || after.get(path) == Some(bytes), "{point}: {path}");
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
    let (mut holder, _) = Changer::begin(&environment, &private).expect("the lock");
    let held = machine
        .files()
        .into_keys()
        .find(|path| path.contains("/lock/held-"));
    machine.rename(&held.expect("held"), ".inkvault/lock/held-thief-1");
    machine.put(".inkvault/intent.thief.json", "the next holder's");
    let before = machine.files();
    let proposal = Proposal {
        steps: vec![Planned::Create {
            target: VaultPath::parse("memory/x.md").expect("a path"),
            content: b"too late".to_vec(),
        }],
        operation: "create",
        id: id(9),
        journal: None,
        before: String::new(),
        after: String::new(),
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
