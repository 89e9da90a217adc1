//! What calls cost inside wasmtime: host calls, exactly, against the table of
//! design §5 and against the engine on a machine in memory; and fuel.
//!
//! Other than in memory, time goes by here: every two seconds a call looks at
//! every file. So the least of a few measurements counts.

use std::time::Duration;

use inkvault::Vault;
use inkvault::curation::{Change, UndoTarget};
use inkvault::types::Status;
use inkvault::upkeep::StagingDraft;
use inkvault::vault::{DirectiveOptions, Draft, RecallRequest, SearchOptions};
use inkvault_guest::environment::{Faulty, Machine};
use inkvault_guest::vault as native;
use inkvault_tests::note::{id, numbered};
use inkvault_tests::{Folder, draft};

/// Few and many memories.
const SIZES: [usize; 2] = [100, 2_000];
/// The `inkvault` format has one directory of memories.
const D: u64 = 1;
const REPEATS: usize = 3;

/// Host calls of each operation.
#[derive(Debug, PartialEq)]
struct Calls {
    /// The first call, without a snapshot.
    rebuild: u64,
    /// The first call, with a good one.
    open: u64,
    /// A search with eight hits.
    search: u64,
    /// A search without a hit.
    miss: u64,
    /// A recall of five memories.
    recall: u64,
    directives: u64,
    write: u64,
}

/// The least of some measurements of a count that only grows.
fn least(mut count: impl FnMut() -> u64) -> u64 {
    let mut before = count();
    let measured = (0..REPEATS).map(|_| {
        let after = count();
        after - std::mem::replace(&mut before, after)
    });
    measured.min().unwrap_or_default()
}

fn query() -> RecallRequest {
    RecallRequest {
        query: Some("topic3".to_owned()),
        ..RecallRequest::default()
    }
}

/// Host calls of the component on a real directory.
fn measured(count: usize) -> Calls {
    let folder = Folder::filled(count);
    let mut first = folder.open();
    first.overview().expect("opened");
    let rebuild = first.host_calls();
    first
        .write(&draft("makes lock and staging folder"))
        .expect("written");
    first.rebuild_index().expect("rebuilt");
    folder.settle();

    let mut vault = folder.open();
    vault.overview().expect("opened");
    Calls {
        rebuild,
        open: vault.host_calls(),
        search: least(|| {
            let hits = vault.search("topic3", &SearchOptions::default());
            assert_eq!(hits.expect("hits").len(), if count > 130 { 8 } else { 6 });
            vault.host_calls()
        }),
        miss: least(|| {
            let hits = vault.search("nowhere", &SearchOptions::default());
            assert!(hits.expect("no hits").is_empty());
            vault.host_calls()
        }),
        recall: least(|| {
            let recalled = vault.recall(&query()).expect("recalled");
            assert_eq!(recalled.items.len(), 5);
            vault.host_calls()
        }),
        directives: least(|| {
            let directives = vault.render_directives(&DirectiveOptions::default());
            directives.expect("directives");
            vault.host_calls()
        }),
        write: least(|| {
            vault.write(&draft("one more memory")).expect("written");
            vault.host_calls()
        }),
    }
}

/// The same of the engine on a machine in memory, where dropping a handle is
/// no call.
fn expected(count: usize) -> Calls {
    let machine = Machine::new();
    let mut made = native::Vault::new(Box::new(machine.process()));
    made.init("inkvault", None).expect("a vault");
    for n in 0..count {
        machine.put(&format!("memory/{}.md", id(n)), numbered(n));
    }
    let settle = || machine.advance(Duration::from_secs(60));
    let draft = |body: &str| native::Draft {
        body: Some(body.to_owned()),
        ..native::Draft::default()
    };
    settle();
    let (process, mut first) = opened(&machine);
    first.overview().expect("opened");
    let rebuild = process.calls();
    first
        .write(&draft("makes lock and staging folder"))
        .expect("written");
    first.rebuild_index().expect("rebuilt");
    settle();

    let (process, mut vault) = opened(&machine);
    vault.overview().expect("opened");
    let open = process.calls();
    let query = native::RecallRequest {
        query: Some("topic3".to_owned()),
        ..native::RecallRequest::default()
    };
    // The component asks for the root's flags once, in its first call.
    const FLAGS: u64 = 1;
    Calls {
        rebuild: rebuild + FLAGS,
        open: open + FLAGS,
        search: least(|| {
            let hits = vault.search("topic3", &native::SearchOptions::default());
            hits.expect("hits");
            process.calls()
        }),
        miss: least(|| {
            let hits = vault.search("nowhere", &native::SearchOptions::default());
            hits.expect("no hits");
            process.calls()
        }),
        recall: least(|| {
            vault.recall(&query).expect("recalled");
            process.calls()
        }),
        directives: least(|| {
            let directives = vault.render_directives(&native::DirectiveOptions::default());
            directives.expect("directives");
            process.calls()
        }),
        write: least(|| {
            vault.write(&draft("one more memory")).expect("written");
            process.calls()
        }),
    }
}

/// A process, and the vault as it sees it.
fn opened(machine: &Machine) -> (std::rc::Rc<Faulty>, native::Vault) {
    let process = std::rc::Rc::new(machine.process());
    let vault = native::Vault::new(Box::new(std::rc::Rc::clone(&process)));
    (process, vault)
}

#[test]
fn host_calls_are_those_of_the_design_and_no_more_than_in_memory() {
    for count in SIZES {
        let calls = measured(count);
        let n = count as u64;
        let hits = if count > 130 { 8 } else { 6 };
        let within = calls.rebuild <= 5 * n + D + 40
            && calls.open <= 3 * (n + 1) + D + 40
            && calls.search <= 4 + D + 2 * hits
            && calls.miss <= 4 + D
            && calls.recall <= 4 + D + 2 * 5
            && calls.directives <= 4 + D
            && calls.write <= 24 + D;
        assert!(within, "{count} memories: {calls:#?}");
        assert_eq!(calls, expected(count), "{count} memories");
    }
}

/// Fuel of each operation, the least of a few.
#[derive(Debug)]
struct Fuel {
    open: u64,
    search: u64,
    miss: u64,
    directives: u64,
    write: u64,
}

fn burnt(vault: &Vault) -> u64 {
    vault.fuel_consumed().expect("fuel is metered")
}

/// Fuel of a search with hits, of one without, and of the directives.
fn reading(vault: &mut Vault) -> (u64, u64, u64) {
    let search = least(|| {
        let hits = vault.search("topic3", &SearchOptions::default());
        hits.expect("hits");
        burnt(vault)
    });
    let miss = least(|| {
        let hits = vault.search("nowhere", &SearchOptions::default());
        hits.expect("no hits");
        burnt(vault)
    });
    let directives = least(|| {
        let directives = vault.render_directives(&DirectiveOptions::default());
        directives.expect("directives");
        burnt(vault)
    });
    (search, miss, directives)
}

fn fuel(folder: &Folder) -> Fuel {
    let mut vault = folder.open_with(Vault::builder().meter_fuel(true));
    vault.overview().expect("opened");
    let open = burnt(&vault);
    let (search, miss, directives) = reading(&mut vault);
    let write = least(|| {
        vault.write(&draft("unusual words")).expect("written");
        burnt(&vault)
    });
    Fuel {
        open,
        search,
        miss,
        directives,
        write,
    }
}

/// Exactly, where nothing is hashed; hash tables are seeded at random, which
/// moves a search with hits by a few units in ten thousand.
#[test]
fn the_same_call_burns_the_same_fuel() {
    let folder = Folder::filled(200);
    folder.open().rebuild_index().expect("rebuilt");
    fuel(&folder);
    folder.settle();
    let runs = [(); 2].map(|()| {
        let mut vault = folder.open_with(Vault::builder().meter_fuel(true));
        vault.overview().expect("opened");
        reading(&mut vault)
    });
    let [
        (search, miss, directives),
        (search_again, miss_again, directives_again),
    ] = runs;
    assert_eq!((miss, directives), (miss_again, directives_again));
    assert!(
        search.abs_diff(search_again) * 100 < search,
        "{search} {search_again}"
    );
}

/// Four times the memories. Every bound leaves a fifth or more to what was
/// measured.
#[test]
fn fuel_grows_more_slowly_than_the_vault() {
    let [small, large] = [1_000, 4_000].map(|count| {
        let folder = Folder::filled(count);
        folder.open().rebuild_index().expect("rebuilt");
        fuel(&folder)
    });
    let shown = format!("{small:?} {large:?}");
    // A write costs its own terms, a search its hits and their postings.
    assert!(large.write * 10 < small.write * 12, "{shown}");
    assert!(large.search * 10 < small.search * 14, "{shown}");
    // What looks at every memory in the table does little more than that.
    assert!(large.miss < 16 * 4_000 + 20_000, "{shown}");
    assert!(large.directives < 50 * 4_000, "{shown}");
    // Opening sorts: a little more than four times as much.
    assert!(large.open < small.open * 6, "{shown}");
}

/// What changes a memory costs the same at any size of the vault: exactly as
/// many host calls, and hardly more fuel.
#[test]
fn changing_a_memory_does_not_grow_with_the_vault() {
    for format in ["inkvault", "dsh-memory", "simple"] {
        // A format without pending memories has a pool of what may become some.
        let has_pending = format != "simple";
        let [small, large] = [100, 5_000].map(|count| {
            let folder = Folder::filled_as(format, count);
            folder.open().rebuild_index().expect("rebuilt");
            let mut vault = folder.open_with(Vault::builder().meter_fuel(true));
            vault
                .write(&draft("makes lock and folders"))
                .expect("written");
            if has_pending {
                let pending = Draft {
                    id: Some(id(8)),
                    status: Some(Status::Pending),
                    ..Draft::default()
                };
                vault.write(&pending).expect("pending");
            }
            let confirm: fn(&mut Vault) = |vault| {
                let confirmed = vault.change_status(&id(8), &Change::Confirm, None, "");
                drop(confirmed.expect("confirmed"));
            };
            let stage: fn(&mut Vault) = |vault| {
                let staged = vault.staging_add(&StagingDraft {
                    text: "of use elsewhere".into(),
                    scope: None,
                    utc_offset_minutes: 0,
                });
                drop(staged.expect("staged"));
            };
            let changes: [fn(&mut Vault); 4] = [
                |vault| drop(vault.write(&draft("one more")).expect("written")),
                if has_pending { confirm } else { stage },
                |vault| drop(vault.forget(&id(9), None, "").expect("forgotten")),
                |vault| drop(vault.undo(&UndoTarget::LastOf(id(9))).expect("undone")),
            ];
            changes.map(|change| {
                let before = (
                    vault.host_calls(),
                    vault.fuel_consumed().unwrap_or_default(),
                );
                change(&mut vault);
                let after = (
                    vault.host_calls(),
                    vault.fuel_consumed().unwrap_or_default(),
                );
                (after.0 - before.0, after.1 - before.1)
            })
        });
        for (what, (small, large)) in ["write", "confirm or stage", "forget", "undo"]
            .into_iter()
            .zip(small.into_iter().zip(large))
        {
            assert_eq!(small.0, large.0, "{format} {what}");
            assert!(
                large.1 * 2 <= small.1 * 3,
                "{what}: {} {}",
                small.1,
                large.1
            );
        }
    }
}
