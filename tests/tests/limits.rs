//! A call that needs more than it may use ends in an error that names the
//! limit, and the vault is whole and usable afterwards.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use inkvault::types::Error as Refusal;
use inkvault::vault::SearchOptions;
use inkvault::{Error, LimitKind, Limits, Vault};
use inkvault_tests::note::id;
use inkvault_tests::{Folder, draft, found};

/// A query of a million words. It takes the engine seconds and eleven
/// megabytes.
fn million_words() -> String {
    let words = (0..1_000_000).map(|n| format!("word{n} "));
    words.collect()
}

fn opened(folder: &Folder, limits: Limits) -> Vault {
    folder.open_with(Vault::builder().limits(limits))
}

/// Which limit of which call this is.
fn limit_of<T: std::fmt::Debug>(answer: inkvault::Result<T>) -> (&'static str, LimitKind) {
    match answer {
        Err(Error::Limit { call, limit }) => (call, limit),
        other => panic!("{other:?}"),
    }
}

/// That a vault with the memories of [`Folder::filled`] still has them, can
/// be changed, and is in order.
fn assert_whole(vault: &mut Vault) {
    assert_eq!(found(vault, "number7"), [id(7)]);
    vault.write(&draft("written afterwards")).expect("written");
    assert_eq!(found(vault, "afterwards").len(), 1);
    let faults = vault.verify(false).expect("verified").faults;
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn a_call_that_computes_too_long_is_stopped() {
    let folder = Folder::filled(20);
    let call = Duration::from_millis(200);
    let mut vault = opened(
        &folder,
        Limits {
            call,
            ..Limits::default()
        },
    );
    vault.overview().expect("the first call has more time");
    let answer = vault.search(&million_words(), &SearchOptions::default());
    assert_eq!(limit_of(answer), ("search", LimitKind::Time(call)));
    vault
        .overview()
        .expect("the first call of the next instance");
    assert_eq!(found(&mut vault, "number7"), [id(7)]);
    assert_whole(&mut folder.open());
}

/// A call that was stopped is not made a second time: it has burnt no more
/// than it was allowed.
#[test]
fn a_call_that_burns_too_much_fuel_is_stopped_once() {
    let folder = Folder::filled(20);
    let fuel = 50_000_000;
    let mut vault = opened(
        &folder,
        Limits {
            fuel: Some(fuel),
            ..Limits::default()
        },
    );
    vault.overview().expect("opened");
    let before = vault.fuel_consumed().expect("fuel is metered");
    let answer = vault.search(&million_words(), &SearchOptions::default());
    assert_eq!(limit_of(answer), ("search", LimitKind::Fuel(fuel)));
    let burnt = vault.fuel_consumed().expect("fuel is metered") - before;
    assert!((fuel / 2..=fuel).contains(&burnt), "{burnt}");
    assert_whole(&mut vault);
}

#[test]
fn a_call_that_needs_too_much_memory_is_stopped() {
    let folder = Folder::filled(20);
    let memory = 12 << 20;
    let mut vault = opened(
        &folder,
        Limits {
            memory,
            ..Limits::default()
        },
    );
    let answer = vault.search(&million_words(), &SearchOptions::default());
    assert_eq!(limit_of(answer), ("search", LimitKind::Memory(memory)));
    assert_whole(&mut vault);
}

#[test]
fn an_engine_that_does_not_fit_its_memory_is_not_started() {
    let folder = Folder::vault();
    let memory = 64 << 10;
    let limits = Limits {
        memory,
        ..Limits::default()
    };
    let opened = Vault::builder().limits(limits).open(folder.path());
    assert_eq!(limit_of(opened), ("instantiate", LimitKind::Memory(memory)));
}

#[test]
fn an_answer_that_is_too_large_is_not_handed_over() {
    let folder = Folder::filled(300);
    let result = 64 << 10;
    let mut vault = opened(
        &folder,
        Limits {
            result,
            ..Limits::default()
        },
    );
    let all = SearchOptions {
        limit: Some(300),
        ..SearchOptions::default()
    };
    let answer = vault.search("memory", &all);
    assert_eq!(limit_of(answer), ("search", LimitKind::Result(result)));
    let hits = vault.search("memory", &SearchOptions::default());
    assert_eq!(hits.expect("less at once").len(), 8);
    assert_whole(&mut vault);
}

#[test]
fn a_call_that_opens_too_much_at_once_is_stopped() {
    let folder = Folder::filled(20);
    let mut vault = opened(
        &folder,
        Limits {
            handles: 1,
            ..Limits::default()
        },
    );
    let answer = vault.search("memory", &SearchOptions::default());
    assert_eq!(limit_of(answer), ("search", LimitKind::Handles(1)));
    assert_whole(&mut folder.open());
}

/// The lock of a holder that is known to be gone, as left behind: the next
/// one need not wait ten seconds to be sure of it (that it does without this:
/// `processes.rs`).
fn leave_lock(folder: &Folder) -> bool {
    let lock = folder.at(".inkvault/lock");
    let names = fs::read_dir(&lock).expect("the lock");
    let mut names = names.map(|entry| entry.expect("a state").path());
    let is_held = |path: &PathBuf| path.display().to_string().contains("held-");
    let Some(held) = names.find(is_held) else {
        return false;
    };
    fs::rename(held, lock.join("left-behind")).expect("left behind");
    true
}

/// A change is stopped at one point after the other. Whole or not at all, the
/// next change goes on from there.
#[test]
fn a_change_that_is_stopped_anywhere_leaves_the_vault_whole() {
    let body = format!("{}stopped", "any words ".repeat(1_900));
    let folder = Folder::filled(20);
    let mut vault = folder.open_with(Vault::builder().meter_fuel(true));
    vault
        .write(&draft("makes lock and staging folder"))
        .expect("written");
    let before = vault.fuel_consumed().expect("fuel is metered");
    vault.write(&draft(&body)).expect("written");
    let whole = vault.fuel_consumed().expect("fuel is metered") - before;

    const POINTS: u64 = 24;
    let mut made = 0;
    for point in 1..POINTS {
        let folder = Folder::filled(20);
        folder
            .open()
            .write(&draft("makes lock and staging folder"))
            .expect("written");
        let limits = Limits {
            fuel: Some(whole * point / POINTS),
            ..Limits::default()
        };
        let mut vault = opened(&folder, limits);
        vault.overview().expect("opened");
        let (call, limit) = limit_of(vault.write(&draft(&body)));
        assert_eq!(call, "write");
        assert!(matches!(limit, LimitKind::Fuel(_)), "{limit}");
        leave_lock(&folder);

        let mut next = folder.open();
        assert_whole(&mut next);
        let stopped = found(&mut next, "stopped");
        for id in &stopped {
            assert_eq!(next.get(id).expect("a memory").body, body);
        }
        made += stopped.len() as u64;
    }
    let both = 1..POINTS - 1;
    assert!(
        both.contains(&made),
        "stopped before it was made and after: {made}"
    );
}

#[test]
fn a_file_that_is_too_large_to_hand_over_is_not_written() {
    let folder = Folder::filled(20);
    folder
        .open()
        .write(&draft("makes lock and staging folder"))
        .expect("written");
    let result = 16 << 10;
    let limits = Limits {
        result,
        ..Limits::default()
    };
    let before = found(&mut folder.open(), "memory");
    let mut vault = opened(&folder, limits);
    let answer = vault.write(&draft(&"large ".repeat(3_000)));
    assert_eq!(limit_of(answer), ("write", LimitKind::Result(result)));
    leave_lock(&folder);
    assert!(found(&mut vault, "large").is_empty());
    assert_eq!(found(&mut vault, "memory"), before);
    assert_whole(&mut folder.open());
}

/// What the engine itself refuses is no limit, and costs no instance.
#[test]
fn a_text_that_is_too_long_is_an_answer() {
    let folder = Folder::vault();
    let mut vault = folder.open();
    let answer = vault.write(&draft(&"x".repeat(20_001)));
    let refused = matches!(&answer, Err(Error::Memory(Refusal::InvalidArgument(_))));
    assert!(refused, "{answer:?}");
}
