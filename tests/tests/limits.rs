//! A call that needs more than it may use ends in an error that names the
//! limit, and the vault is whole and usable afterwards.

use std::collections::BTreeSet;
use std::time::Duration;

use inkvault::capture::CaptureRequest;
use inkvault::curation::{Change, UndoTarget};
use inkvault::types::Error as Refusal;
use inkvault::upkeep::StagingDraft;
use inkvault::vault::{Draft, SearchOptions};
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
    let mut faults = vault.verify(false).expect("verified").faults;
    // Other tools' index may be of before the write above; what was staged
    // when a call was stopped goes once it is old.
    faults.retain(|fault| !fault.path.ends_with("/index.json"));
    faults.retain(|fault| !fault.path.contains("/staging/index.snapshot."));
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

/// What a format must have a notion of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// Relations between memories, or pending ones.
    Relations,
    /// A staging pool.
    Pool,
}

/// A call that changes the vault, and what has to be there before.
struct Operation {
    name: &'static str,
    needs: Needs,
    prepare: fn(&mut Vault),
    run: fn(&mut Vault) -> inkvault::Result<()>,
}

const OPERATIONS: [Operation; 12] = [
    Operation {
        name: "write",
        needs: Needs::Nothing,
        prepare: |_| {},
        run: |vault| vault.write(&draft(&long())).map(drop),
    },
    Operation {
        name: "write",
        needs: Needs::Nothing,
        prepare: |_| {},
        run: |vault| {
            let changed = Draft {
                id: Some(id(3)),
                ..draft(&long())
            };
            vault.write(&changed).map(drop)
        },
    },
    Operation {
        name: "change-status",
        needs: Needs::Nothing,
        prepare: |_| {},
        run: |vault| change(vault, &Change::Archive),
    },
    Operation {
        name: "change-status",
        needs: Needs::Nothing,
        prepare: |vault| change(vault, &Change::Archive).expect("archived"),
        run: |vault| change(vault, &Change::Restore),
    },
    Operation {
        name: "change-status",
        needs: Needs::Relations,
        prepare: |_| {},
        run: |vault| change(vault, &Change::MergeInto(id(4))),
    },
    Operation {
        name: "forget",
        needs: Needs::Nothing,
        prepare: |_| {},
        run: |vault| vault.forget(&id(3), None, "").map(drop),
    },
    Operation {
        name: "change-status",
        needs: Needs::Nothing,
        prepare: |vault| vault.forget(&id(3), None, "").map(drop).expect("forgotten"),
        run: |vault| change(vault, &Change::Restore),
    },
    Operation {
        name: "undo",
        needs: Needs::Relations,
        prepare: |vault| change(vault, &Change::MergeInto(id(4))).expect("merged"),
        run: |vault| vault.undo(&UndoTarget::LastOf(id(3))).map(drop),
    },
    Operation {
        name: "propose",
        needs: Needs::Relations,
        prepare: |_| {},
        run: |vault| {
            let said = CaptureRequest {
                user_text: "记住：周五发版。".into(),
                assistant_text: None,
                turn: None,
                max_candidates: None,
                min_confidence: None,
                origin: None,
            };
            vault.propose(&said).map(drop)
        },
    },
    Operation {
        name: "staging-add",
        needs: Needs::Pool,
        prepare: |_| {},
        run: |vault| vault.staging_add(&staged()).map(drop),
    },
    Operation {
        name: "staging-promote",
        needs: Needs::Pool,
        prepare: |vault| drop(vault.staging_add(&staged()).expect("staged")),
        run: |vault| {
            let promoted = Draft {
                body: None,
                ..draft("")
            };
            vault
                .staging_promote(1, &staged().text, &promoted)
                .map(drop)
        },
    },
    Operation {
        name: "rebuild-index",
        needs: Needs::Nothing,
        prepare: |_| {},
        run: |vault| vault.rebuild_index().map(drop),
    },
];

fn staged() -> StagingDraft {
    StagingDraft {
        text: "of use elsewhere".into(),
        scope: None,
        utc_offset_minutes: 0,
    }
}

/// A text as long as every format takes.
fn long() -> String {
    format!("{}stopped", "any words ".repeat(190))
}

/// What a vault of a format has a notion of.
fn operations(format: &str) -> impl Iterator<Item = (usize, &'static Operation)> {
    let unknown = match format {
        "simple" => Needs::Relations,
        _ => Needs::Pool,
    };
    let operations = OPERATIONS.iter().enumerate();
    operations.filter(move |(_, operation)| operation.needs != unknown)
}

fn change(vault: &mut Vault, change: &Change) -> inkvault::Result<()> {
    vault.change_status(&id(3), change, None, "").map(drop)
}

/// A vault that an operation can be run in.
fn prepared(operation: &Operation, format: &str) -> Folder {
    let folder = Folder::filled_as(format, 20);
    let mut vault = folder.open();
    vault
        .write(&draft("makes lock and staging folder"))
        .expect("written");
    (operation.prepare)(&mut vault);
    folder
}

/// The memories on the disk, with the moment of a change blanked out.
fn memories(folder: &Folder) -> BTreeSet<String> {
    let files = folder.files().into_iter();
    let files = files.map(|(path, bytes)| {
        let path = path
            .strip_prefix(folder.path())
            .expect("a file of it")
            .display()
            .to_string();
        (path, String::from_utf8_lossy(&bytes).into_owned())
    });
    let visible = files.filter(|(path, text)| {
        let is_private = path.starts_with(".inkvault/") || path.starts_with(".dsh-memory/");
        let is_memory = path.contains("trash/") || !is_private && !path.starts_with("Index/");
        is_memory && !text.contains("written afterwards")
    });
    let blanked = visible.map(|(path, text)| {
        let place = path.split('/').next().unwrap_or_default().to_owned();
        let moments = ["updated: ", "created: ", "updated_at: ", "created_at: "];
        let is_moment = |line: &&str| !moments.iter().any(|key| line.starts_with(key));
        let mut lines: Vec<_> = text.lines().filter(is_moment).collect();
        // Ids of the fixture stay, new ones differ from run to run.
        lines.retain(|line| !line.starts_with("id: ") || line.contains("m-20261001-"));
        format!("{place}: {}", lines.join("\n"))
    });
    blanked.collect()
}

/// Every changing call is stopped at one point after the other: it is made
/// whole or not at all, and the next call goes on from there at once.
#[test]
fn a_change_that_is_stopped_anywhere_leaves_the_vault_whole() {
    for format in ["inkvault", "dsh-memory", "simple"] {
        const POINTS: u64 = 16;
        for (number, operation) in operations(format) {
            let folder = prepared(operation, format);
            let before = memories(&folder);
            let mut vault = folder.open_with(Vault::builder().meter_fuel(true));
            vault.overview().expect("opened");
            let burnt = vault.fuel_consumed().expect("fuel is metered");
            (operation.run)(&mut vault).expect("not stopped");
            let whole = vault.fuel_consumed().expect("fuel is metered") - burnt;
            let after = memories(&folder);

            for point in 1..POINTS {
                let folder = prepared(operation, format);
                let at = format!("{} ({number}) at {point} of {POINTS}", operation.name);
                let limits = Limits {
                    fuel: Some(whole * point / POINTS),
                    ..Limits::default()
                };
                let mut vault = opened(&folder, limits);
                if vault.overview().is_err() {
                    // Not even enough to open it.
                    continue;
                }
                if let Err(error) = (operation.run)(&mut vault) {
                    let Error::Limit { call, limit } = error else {
                        panic!("{at}: {error}")
                    };
                    assert_eq!(call, operation.name);
                    assert!(matches!(limit, LimitKind::Fuel(_)), "{at}: {limit}");
                }
                assert_whole(&mut folder.open());
                let now = memories(&folder);
                assert!(now == before || now == after, "{at}: {now:#?}");
            }
        }
    }
}

/// The same for an answer that is too large to hand over, and for time that
/// is too short for anything.
#[test]
fn a_change_that_cannot_answer_leaves_the_vault_whole() {
    for format in ["inkvault", "dsh-memory", "simple"] {
        for (_, operation) in operations(format) {
            let folder = prepared(operation, format);
            let before = memories(&folder);
            let whole = prepared(operation, format);
            (operation.run)(&mut whole.open()).expect("not stopped");
            let after = memories(&whole);
            for limits in [
                Limits {
                    result: 256,
                    ..Limits::default()
                },
                Limits {
                    call: Duration::ZERO,
                    maintenance: Duration::ZERO,
                    ..Limits::default()
                },
                Limits {
                    memory: 1_700_000,
                    ..Limits::default()
                },
            ] {
                let folder = prepared(operation, format);
                let builder = Vault::builder().limits(limits);
                // An engine that does not even start has changed nothing.
                if let Ok(mut vault) = builder.open(folder.path()) {
                    let _ = (operation.run)(&mut vault);
                }
                assert_whole(&mut folder.open());
                let now = memories(&folder);
                assert!(
                    now == before || now == after,
                    "{}: {now:#?}",
                    operation.name
                );
            }
        }
    }
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
