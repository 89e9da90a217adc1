//! The lock while its holder is slow, robbed or busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use inkvault_guest::Error;
use inkvault_guest::change::feed::Cursor;
use inkvault_guest::change::{Action, Changer, Grounds, Planned, PrivateFolder, Proposal};
use inkvault_guest::environment::{Machine, VaultPath};

use crate::common::{Layout, draft, on_every_layout, process};
use crate::operations::prepared;

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
