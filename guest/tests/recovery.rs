//! What the next holder of the lock does for one that came before it, and what
//! it must not do: act on an intent that anybody can have written, get in the
//! way of a holder that only stalled, or drop the last copy of a text.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Process, draft, id, machine, note, process, text_at};
use inkvault_guest::Error;
use inkvault_guest::change::{Changer, Grounds, PrivateFolder};
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Native, Plan};
use inkvault_guest::memory::fingerprint;
use inkvault_guest::vault::{Change, Draft, UndoTarget, Vault};
use serde_json::{Value, json};

type Changing = fn(&mut Vault) -> Result<(), Error>;

/// Changes of one file, of two, and of a file's place.
const CHANGES: [(&str, Changing); 4] = [
    ("update", |vault| {
        vault.write(&update(0, "brandnew")).map(drop)
    }),
    ("merge", |vault| change(vault, Change::MergeInto(id(1)))),
    ("conflict", |vault| {
        change(vault, Change::ConflictWith(id(1)))
    }),
    ("forget", |vault| vault.forget(&id(0), None, "").map(drop)),
];

fn path(n: usize) -> String {
    format!("memory/{}.md", id(n))
}

fn update(n: usize, text: &str) -> Draft {
    Draft {
        id: Some(id(n)),
        ..draft(text)
    }
}

fn change(vault: &mut Vault, change: Change) -> Result<(), Error> {
    vault.change_status(&id(0), &change, None, "").map(drop)
}

/// A vault whose lock and folders are there.
fn vault() -> Machine {
    let machine = machine();
    for n in 0..3 {
        let text = note(&id(n), &format!("note {n}"), &format!("precious text {n}"));
        machine.put(&path(n), text);
    }
    machine.advance(Duration::from_secs(60));
    let mut first = process(&machine).vault;
    first.write(&draft("the first")).expect("written");
    first
        .write(&update(2, "makes the folder for undoing"))
        .expect("written");
    machine.advance(Duration::from_secs(60));
    machine
}

fn opened(machine: &Machine) -> Process {
    let mut process = process(machine);
    process.vault.overview().expect("opened");
    process.environment.reset_calls();
    process
}

/// The calls of a change that nothing disturbs.
fn calls_of(machine: &Machine, make: Changing) -> u64 {
    let mut undisturbed = opened(&machine.fork());
    make(&mut undisturbed.vault).expect("undisturbed");
    undisturbed.environment.calls()
}

fn holds(machine: &Machine, text: &str) -> bool {
    let files = machine.files();
    files
        .values()
        .any(|bytes| String::from_utf8_lossy(bytes).contains(text))
}

/// Leaves an intent as a holder that died would.
fn leave_intent(machine: &Machine, steps: &Value, journal: &Value) {
    let intent = json!({
        "position": 1, "operation": "update", "id": "", "steps": steps, "journal": journal,
    });
    machine.put(".inkvault/intent.x.json", intent.to_string());
    machine.rename(".inkvault/lock/free", ".inkvault/lock/left-x");
}

fn step(deed: Value) -> Value {
    json!([{ "id": "", "status_before": "", "status_after": "", "deed": deed }])
}

#[test]
fn an_intent_that_leaves_its_grounds_is_set_aside() {
    let evil = ".inkvault/staging/1-0.0123456789abcdef";
    let kept = ".inkvault/undo/1.0.7.0123456789abcdef";
    let old = fingerprint(b"[core]\n");
    let none = json!([]);
    let target = path(0);
    let create = |staged: &str, target: &str| {
        step(json!({ "deed": "create", "staged": staged, "target": target, "revision": "0" }))
    };
    let replace = |staged: &str, target: &str, kept: &str| {
        step(json!({
            "deed": "replace", "staged": staged, "target": target, "expected": old,
            "revision": "0", "kept": kept,
        }))
    };
    let moved = |from: &str, to: &str| {
        step(json!({ "deed": "move", "from": from, "to": to, "expected": old }))
    };
    for (steps, journal) in [
        (replace(evil, ".git/config", kept), none.clone()),
        (replace(evil, ".obsidian/app.json", kept), none.clone()),
        (replace(evil, &target, ".git/config"), none.clone()),
        (replace(evil, &target, "memory/kept"), none.clone()),
        (create("thesis.md", &target), none.clone()),
        (
            create("memory/m-20261001-000001.md", "memory/new.md"),
            none.clone(),
        ),
        (create(evil, ".git/hooks/post-merge"), none.clone()),
        (create(evil, "memory/sub/deep.md"), none.clone()),
        (create(evil, "memory/.hidden"), none.clone()),
        (moved(".git/config", "memory/config.md"), none.clone()),
        (moved(&target, ".git/hooks/post-merge"), none.clone()),
        (
            create(evil, "memory/new.md"),
            json!([{ "path": ".git/config", "text": "[evil]" }]),
        ),
        (
            create(evil, "memory/new.md"),
            json!([{ "path": ".inkvault/journal.jsonl", "text": "{}\n{}" }]),
        ),
        (
            none.clone(),
            json!([{ "path": ".git/config", "text": "[evil]" }]),
        ),
    ] {
        let machine = vault();
        machine.put(".git/config", "[core]\n");
        machine.put("thesis.md", "years of work");
        machine.put(evil, "[core]\n\tfsmonitor = evil\n");
        leave_intent(&machine, &steps, &journal);
        let before = visible(&machine);
        let receipt = process(&machine)
            .vault
            .write(&draft("hello"))
            .expect("written");
        let mut after = visible(&machine);
        after.retain(|path, _| path != receipt.memory.path.as_str());
        assert_eq!(after, before, "{steps} {journal}");
        assert!(
            receipt.notes[0].contains("was not finished"),
            "{:?}",
            receipt.notes
        );
        let aside = ".inkvault/refused-intent.x.json";
        assert!(machine.bytes(aside).is_some());
        let faults = process(&machine)
            .vault
            .verify(false)
            .expect("verified")
            .faults;
        assert!(faults.iter().any(|fault| fault.path == aside), "{faults:?}");
    }
}

fn visible(machine: &Machine) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut files = machine.files();
    files.retain(|path, _| !path.starts_with(".inkvault/"));
    files
}

/// What can never be finished does not keep everybody from changing the vault.
#[test]
fn an_intent_that_cannot_be_finished_blocks_nobody() {
    let machine = vault();
    machine.create_directories(".inkvault/intent.y.json");
    machine.put("memory/zz.md/inner", "a folder where a file belongs");
    let impossible = step(json!({
        "deed": "move", "from": path(0), "to": "memory/zz.md/inner/m.md", "expected": "0",
    }));
    leave_intent(&machine, &impossible, &json!([]));
    process(&machine)
        .vault
        .write(&draft("hello"))
        .expect("written");
    assert!(machine.bytes(&path(0)).is_some());
}

#[test]
fn a_link_in_the_private_folder_keeps_the_vault_from_being_changed() {
    for (link, leads_to) in [
        ("staging", "../memory"),
        ("undo", "../memory"),
        ("journal.jsonl", "../.git/config"),
        ("feed.jsonl", "../.git/config"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Vault::new(Box::new(Native::open(folder.path()).expect("opened")));
        open().init("inkvault", None).expect("a vault");
        open().write(&draft("the first")).expect("written");
        std::fs::create_dir(folder.path().join(".git")).expect("made");
        std::fs::write(folder.path().join(".git/config"), "[core]\n").expect("written");
        let at = folder.path().join(".inkvault").join(link);
        let _ = std::fs::remove_dir_all(&at);
        let _ = std::fs::remove_file(&at);
        std::os::unix::fs::symlink(leads_to, &at).expect("a link");
        let refused = open().write(&draft("hello"));
        assert!(
            matches!(refused, Err(Error::Refused(_))),
            "{link}: {refused:?}"
        );
        assert_eq!(common::found(&mut open(), "first").len(), 1, "{link}");
        let config = std::fs::read_to_string(folder.path().join(".git/config"));
        assert_eq!(config.expect("there"), "[core]\n", "{link}");
    }
}

/// What another program puts beside the lock does not make two holders.
#[test]
fn a_foreign_file_in_the_lock_is_no_state() {
    let machine = vault();
    for name in [".DS_Store", "aaa", "held-", ".syncthing.held-x-1.tmp"] {
        machine.put(&format!(".inkvault/lock/{name}"), "x");
    }
    let (one, other) = (machine.process(), machine.process());
    let private = PrivateFolder::new(".inkvault");
    let grounds = Grounds {
        is_file: Box::new(|_| false),
        is_journal: Box::new(|_| false),
    };
    let (mut holder, _) = Changer::begin(&one, &private, "", &grounds).expect("the lock");
    let held = machine.clone();
    // It is taken away only once it has stood still for ten seconds.
    let (mut thief, _) = Changer::begin(&other, &private, "", &grounds).expect("taken away");
    assert!(thief.keep().is_ok());
    assert!(matches!(holder.keep(), Err(Error::Busy(_))));
    drop(held);
}

/// A holder stands still at any call for so long that another process takes
/// the lock away, does the rest and writes. Then it wakes up.
#[test]
fn a_holder_that_stalls_at_any_call_spoils_nothing() {
    for (name, make) in CHANGES {
        let machine = vault();
        let calls = calls_of(&machine, make);
        let done = machine.fork();
        make(&mut opened(&done).vault).expect("undisturbed");
        let (before, after) = (told(&machine), told(&done));
        for at_call in 1..=calls {
            let machine = machine.fork();
            let mut slow = opened(&machine);
            slow.environment.meanwhile(at_call, |machine| {
                let thief = process(machine).vault.write(&draft("the thief"));
                thief.expect("the lock was taken away");
            });
            let answer = make(&mut slow.vault);
            let point = format!("{name} at call {at_call} of {calls}: {answer:?}");
            for n in 0..2 {
                assert!(holds(&machine, &format!("precious text {n}")), "{point}");
            }
            let mut next = process(&machine);
            next.vault.write(&draft("the next")).expect("written");
            let now = told(&machine);
            assert!(now == before || now == after, "{point}: {now:#?}");
            assert!(now == after || answer.is_err(), "{point}");
            if now == after {
                let undone = next.vault.undo(&UndoTarget::LastOf(id(0)));
                undone.unwrap_or_else(|error| panic!("{point}: {error}"));
                assert_eq!(told(&machine), before, "{point}");
            }
        }
    }
}

/// The memories 0 and 1 without the moment of their change.
fn told(machine: &Machine) -> Vec<String> {
    let files = (0..2).map(|n| machine.bytes(&path(n)).unwrap_or_default());
    let texts = files.map(|bytes| String::from_utf8(bytes).expect("text"));
    texts
        .map(|text| {
            let lines = text.lines().filter(|line| !line.starts_with("updated: "));
            lines.collect::<Vec<_>>().join("\n")
        })
        .collect()
}

/// A crash after the rename, then a person's edit, then recovery: the text
/// before is kept.
#[test]
fn recovery_keeps_the_bytes_that_were_overwritten() {
    let machine = vault();
    let calls = calls_of(&machine, CHANGES[0].1);
    let mut edited = 0;
    for at_call in 1..=calls {
        let machine = machine.fork();
        let mut gone = opened(&machine);
        gone.environment.plan(Injection {
            at_call,
            what: Plan::Crash,
        });
        let _ = gone.vault.write(&update(0, "brandnew"));
        if text_at(&machine, &path(0)).contains("precious") {
            continue;
        }
        edited += 1;
        machine.advance(Duration::from_secs(60));
        machine.put(
            &path(0),
            text_at(&machine, &path(0)) + " and a person's line",
        );
        machine.advance(Duration::from_secs(60));
        process(&machine)
            .vault
            .write(&draft("the next"))
            .expect("written");
        assert!(holds(&machine, "precious text 0"), "call {at_call}");
        assert!(holds(&machine, "a person's line"), "call {at_call}");
    }
    assert!(edited > 3, "{edited}");
}

/// An editor that saves by renaming a new file over the old one: the change is
/// refused, or the save comes in the one call between the last look and the
/// rename.
#[test]
fn a_save_by_rename_is_lost_in_no_more_than_one_call() {
    for links in [true, false] {
        for (name, make) in CHANGES {
            let machine = vault();
            machine.set_hard_links(links);
            let mut lost = 0;
            for at_call in 1..=calls_of(&machine, make) {
                let machine = machine.fork();
                let mut process = opened(&machine);
                let saved = Arc::new(AtomicBool::new(false));
                let has_saved = Arc::clone(&saved);
                process.environment.meanwhile(at_call, move |machine| {
                    if machine.bytes(&path(0)).is_some() {
                        machine.advance(Duration::from_millis(5));
                        machine.put("memory/.save", note(&id(0), "note 0", "saved by rename"));
                        machine.rename("memory/.save", &path(0));
                        has_saved.store(true, Ordering::Relaxed);
                    }
                });
                let _ = make(&mut process.vault);
                let gone = saved.load(Ordering::Relaxed) && !holds(&machine, "saved by rename");
                lost += u32::from(gone);
            }
            assert!(lost <= 1, "{name}, links {links}: lost at {lost} calls");
        }
    }
}

/// A change that was refused does not happen later: a person's save makes its
/// second step fail, and then further calls fail, too.
#[test]
fn a_refused_change_does_not_happen_later() {
    let machine = vault();
    let mut first = process(&machine).vault;
    change(&mut first, Change::ConflictWith(id(1))).expect("in conflict");
    machine.advance(Duration::from_secs(60));
    let forget = CHANGES[3].1;
    let calls = calls_of(&machine, forget);
    for at_call in 1..=calls {
        for extra in 1..12 {
            let machine = machine.fork();
            let mut process_of_it = opened(&machine);
            process_of_it.environment.meanwhile(at_call, |machine| {
                machine.put(&path(1), note(&id(1), "note 1", "by hand"));
            });
            process_of_it.environment.plan(Injection {
                at_call: at_call + extra,
                what: Plan::Fail(IoErrorKind::Failed),
            });
            let answer = forget(&mut process_of_it.vault);
            let announced =
                matches!(&answer, Err(error) if error.to_string().contains("the next change"));
            if answer.is_ok() || announced || machine.bytes(&path(0)).is_none() {
                continue;
            }
            machine.advance(Duration::from_secs(60));
            process(&machine)
                .vault
                .write(&draft("the next"))
                .expect("written");
            let there = machine.bytes(&path(0)).is_some();
            assert!(there, "call {at_call} + {extra}: {answer:?}");
        }
    }
}

/// Without its feed a vault counts from one again; nothing is mixed up by it.
#[test]
fn a_lost_feed_mixes_nothing_up() {
    let machine = vault();
    let mut vault = process(&machine).vault;
    vault.write(&update(0, "changed")).expect("written");
    machine.remove(".inkvault/feed.jsonl");
    let before = text_at(&machine, &path(1));
    let mut most = 0;
    for n in 0..600 {
        vault
            .write(&update(1, &format!("changed {n}")))
            .expect("written");
        let files = machine.files();
        let kept = files
            .keys()
            .filter(|path| path.starts_with(".inkvault/undo/"));
        most = most.max(kept.count());
    }
    assert!(most <= 500, "{most}");
    let first = vault.undo(&UndoTarget::Position(1));
    assert!(first.is_err(), "{first:?}");
    vault.undo(&UndoTarget::LastOf(id(1))).expect("undone");
    assert!(text_at(&machine, &path(1)).ends_with("changed 598"));
    assert_ne!(text_at(&machine, &path(1)), before);
}
