//! `init`: a directory becomes a vault, once it is proved that it keeps what
//! is written (dsh-memory format §2). On every format.

mod common;

use common::{Layout, draft, found, on_every_layout, process, text_at};
use inkvault_guest::environment::{Faulty, Injection, IoErrorKind, Machine, Plan};
use inkvault_guest::vault::{CaptureRequest, Change, Initialised, UndoTarget, Vault};
use inkvault_guest::{Error, Result};

/// Makes a vault in a directory, with what was planned for it; the calls it
/// took.
fn init(
    layout: Layout,
    machine: &Machine,
    plan: impl FnOnce(&Faulty),
) -> (Result<Initialised>, Vec<String>) {
    let mut process = process(machine);
    plan(&process.environment);
    let made = process.vault.init(layout.name, None);
    (made, process.environment.trace())
}

fn is_probe(path: &str) -> bool {
    path.contains("probe.tmp-")
}

/// Number and text of each call on the file that is tried, from 1.
fn probing(layout: Layout) -> Vec<(u64, String)> {
    let (made, trace) = init(layout, &Machine::new(), |_| {});
    made.expect("a vault");
    let numbered = (1..).zip(trace);
    numbered.filter(|(_, call)| is_probe(call)).collect()
}

/// The number of the first call on that file that begins with a word.
fn call(calls: &[(u64, String)], word: &str) -> u64 {
    let found = calls.iter().find(|(_, call)| call.starts_with(word));
    found.unwrap_or_else(|| panic!("no {word} in {calls:#?}")).0
}

fn no_probe_is_left(machine: &Machine) {
    let files = machine.files();
    let left = files.keys().find(|path| is_probe(path));
    assert_eq!(left, None);
}

#[test]
fn a_file_is_written_read_and_removed_before_the_vault_is_one() {
    on_every_layout(|layout| {
        let calls = probing(layout);
        let probe = format!(" {}probe.", layout.tried);
        assert!(
            calls.iter().all(|(_, call)| call.contains(&probe)),
            "{calls:#?}"
        );
        let order = ["open", "write", "sync", "read", "unlink"].map(|word| call(&calls, word));
        assert!(order.is_sorted(), "{calls:#?}");
        let (_, trace) = init(layout, &Machine::new(), |_| {});
        let (operation, path) = layout.mark;
        let mark = format!("{operation} {path}");
        let made = (1..).zip(&trace).find(|(_, call)| **call == mark);
        assert!(
            made.is_some_and(|(at, _)| at > call(&calls, "unlink")),
            "{trace:#?}"
        );
        let machine = layout.machine();
        no_probe_is_left(&machine);
    });
}

#[test]
fn a_directory_that_cannot_be_tried_is_no_vault() {
    on_every_layout(|layout| {
        let calls = probing(layout);
        for (at_call, text) in &calls {
            for kind in [
                IoErrorKind::NoSpace,
                IoErrorKind::NotPermitted,
                IoErrorKind::Failed,
            ] {
                let machine = Machine::new();
                let fault = Injection {
                    at_call: *at_call,
                    what: Plan::Fail(kind),
                };
                let (made, _) = init(layout, &machine, |process| process.plan(fault));
                assert!(
                    matches!(&made, Err(Error::Io(why)) if why.contains("`init` again")),
                    "{text}: {made:?}"
                );
                assert!(machine.stat(layout.mark.1).is_none(), "{text}");
                if !text.starts_with("unlink") {
                    no_probe_is_left(&machine);
                }
                let (made, _) = init(layout, &machine, |_| {});
                made.unwrap_or_else(|error| panic!("{text}, then: {error}"));
            }
        }
    });
}

#[test]
fn a_directory_that_does_not_keep_what_is_written_is_no_vault() {
    on_every_layout(|layout| {
        let read = call(&probing(layout), "read");
        let machine = Machine::new();
        let (made, _) = init(layout, &machine, |process| {
            process.meanwhile(read, |machine| {
                let files = machine.files();
                let probe = files.keys().find(|path| is_probe(path));
                machine.put(probe.expect("the probe"), "something else");
            });
        });
        assert!(
            matches!(&made, Err(Error::Io(why)) if why.contains("did not read back")),
            "{made:?}"
        );
        no_probe_is_left(&machine);
        assert!(machine.stat(layout.mark.1).is_none());
    });
}

/// A fault at any call leaves a directory that another `init` completes.
#[test]
fn a_fault_at_any_call_is_mended_by_the_next_init() {
    on_every_layout(|layout| {
        let (_, trace) = init(layout, &Machine::new(), |_| {});
        for at_call in 1..=trace.len() as u64 {
            for what in [
                Plan::Crash,
                Plan::ShortWrite,
                Plan::Fail(IoErrorKind::NoSpace),
            ] {
                let machine = Machine::new();
                machine.put("mine.md", "a note of mine");
                let (_, _) = init(layout, &machine, |process| {
                    process.plan(Injection { at_call, what })
                });
                let mut vault = layout.open(&machine);
                vault
                    .init(layout.name, None)
                    .unwrap_or_else(|error| panic!("{what:?} at {at_call}: {error}"));
                vault.write(&draft("the first text")).expect("written");
                assert_eq!(found(&mut vault, "first").len(), 1);
                assert!(machine.bytes("mine.md").is_some());
            }
        }
    });
}

/// Where a vault without its configuration can only be read, every change is
/// refused before anything is touched, until `init` completes it.
#[test]
fn a_vault_that_lost_its_configuration() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        layout.fill(&machine, 3);
        if !layout.is_known_by_config() {
            let first = layout.open(&machine).write(&draft("makes it"));
            first.expect("written");
        }
        machine.remove(&layout.private("config.json"));
        let before = machine.files();
        let mut vault = layout.open(&machine);
        assert_eq!(found(&mut vault, "number1"), [layout.id(1)]);
        let overview = vault.overview().expect("an overview");
        assert_eq!(overview.read_only, layout.needs_config);
        if layout.needs_config {
            let told = overview.notes.iter().find(|note| note.contains("init"));
            let why = told.expect("why it can only be read").clone();
            for refused in changes(layout, &machine) {
                assert_eq!(refused, Err(Error::Refused(why.clone())));
            }
            vault.sync().expect("synced");
            vault.verify(false).expect("verified");
            assert_eq!(machine.files(), before, "nothing was touched");
            let folder = layout.private("lock");
            assert!(machine.stat(&folder).is_none(), "no lock was made");
        }
        let mut other = layout.open(&machine);
        let made = other.init(layout.name, None).expect("completed");
        let config = layout.private("config.json");
        let missing = layout.is_known_by_config().then(|| config.clone());
        assert!(
            made.existed && made.made == Vec::from_iter(missing),
            "{made:?}"
        );
        assert!(!vault.overview().expect("an overview").read_only);
        vault.write(&draft("goes on")).expect("written");
        assert!(machine.bytes(&config).is_some());
        assert_eq!(found(&mut other, "goes").len(), 1);
    });
}

/// What `init` cannot mend it leaves alone.
#[test]
fn a_vault_whose_configuration_is_of_a_later_version() {
    on_every_layout(|layout| {
        if !layout.needs_config {
            return;
        }
        let machine = layout.machine();
        layout.fill(&machine, 3);
        machine.remove(layout.elsewhere.expect("a directory"));
        let config = layout.private("config.json");
        let later =
            text_at(&machine, &config).replace("\"schemaVersion\": 1", "\"schemaVersion\": 2");
        machine.put(&config, later);
        let before = machine.files();
        let mut vault = layout.open(&machine);
        assert_eq!(found(&mut vault, "number1"), [layout.id(1)]);
        let init = |vault: &mut Vault| vault.init(layout.name, None).map(drop);
        for refused in changes(layout, &machine)
            .into_iter()
            .chain([init(&mut vault)])
        {
            assert!(
                matches!(&refused, Err(Error::Refused(why)) if why.contains("schemaVersion")),
                "{refused:?}"
            );
        }
        assert_eq!(machine.files(), before);
        assert!(
            machine
                .stat(layout.elsewhere.expect("a directory"))
                .is_none()
        );
    });
}

/// What every call that changes something answers.
fn changes(layout: Layout, machine: &Machine) -> Vec<Result<()>> {
    let (id, path) = (layout.id(1), layout.path(1));
    let mut vault = layout.open(machine);
    let request = CaptureRequest {
        user_text: "nothing to remember".into(),
        ..CaptureRequest::default()
    };
    vec![
        vault.write(&draft("x")).map(drop),
        vault
            .change_status(&id, &Change::Archive, None, "")
            .map(drop),
        vault.forget(&id, None, "").map(drop),
        vault.undo(&UndoTarget::LastOf(id.clone())).map(drop),
        vault.keep_duplicate(&id, &path, "").map(drop),
        vault.propose(&request).map(drop),
        vault.rebuild_index().map(drop),
        vault.verify(true).map(drop),
        vault.break_lock("x").map(drop),
        layout.open(machine).rebuild_index().map(drop),
        layout.open(machine).break_lock("x").map(drop),
    ]
}
