//! Relations between memories stand on both sides or on neither, whatever is
//! archived, forgotten, restored and undone (design §8).

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{id, machine, note, process};
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::{Metadata, Status};
use inkvault_guest::vault::{Change, Receipt, UndoTarget, Vault};
use inkvault_guest::{Error, Result};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A vault of active memories 0 to 3 and its machine.
fn vault() -> (Machine, Vault) {
    let machine = machine();
    for n in 0..4 {
        let text = note(&id(n), &format!("note {n}"), &format!("text number{n}"));
        machine.put(&format!("memory/{}.md", id(n)), text);
    }
    machine.advance(Duration::from_secs(60));
    let vault = process(&machine).vault;
    (machine, vault)
}

fn change(vault: &mut Vault, n: usize, change: Change) -> Receipt {
    vault
        .change_status(&id(n), &change, None, "")
        .unwrap_or_else(|error| panic!("{change:?} of {n}: {error}"))
}

fn forget(vault: &mut Vault, n: usize) {
    vault.forget(&id(n), None, "").expect("forgotten");
}

fn of(vault: &mut Vault, n: usize) -> Metadata {
    vault.get(&id(n)).expect("a memory").metadata
}

#[test]
fn what_was_in_conflict_comes_back_from_the_trash_as_pending() {
    let (machine, mut vault) = vault();
    change(&mut vault, 0, Change::ConflictWith(id(1)));
    forget(&mut vault, 0);
    change(&mut vault, 1, Change::Confirm);
    let restored = change(&mut vault, 0, Change::Restore);
    assert!(
        restored
            .notes
            .iter()
            .any(|note| note.contains("conflicts_with")),
        "{:?}",
        restored.notes
    );
    let (back, other) = (of(&mut vault, 0), of(&mut vault, 1));
    assert_eq!(
        (back.status, other.status),
        (Status::Pending, Status::Active)
    );
    assert!(back.conflicts_with.is_empty() && other.conflicts_with.is_empty());
    assert!(vault.verify(false).expect("verified").faults.is_empty());
    drop(machine);
}

#[test]
fn undoing_brings_a_conflict_back() {
    let (_machine, mut vault) = vault();
    change(&mut vault, 0, Change::ConflictWith(id(1)));
    forget(&mut vault, 0);
    vault.undo(&UndoTarget::LastOf(id(0))).expect("undone");
    assert_eq!(of(&mut vault, 0).conflicts_with, [id(1)]);
    assert_eq!(of(&mut vault, 1).conflicts_with, [id(0)]);
    assert_eq!(of(&mut vault, 1).status, Status::Conflict);
}

/// Whether what replaced a memory comes back by restoring or by undoing.
#[test]
fn what_replaced_a_memory_comes_back_without_it_once_that_is_restored() {
    let back: [fn(&mut Vault) -> Result<Receipt>; 2] = [
        |vault| vault.change_status(&id(1), &Change::Restore, None, ""),
        |vault| vault.undo(&UndoTarget::LastOf(id(1))),
    ];
    for back in back {
        let (_machine, mut vault) = vault();
        change(&mut vault, 0, Change::MergeInto(id(1)));
        forget(&mut vault, 1);
        change(&mut vault, 0, Change::Restore);
        let returned = back(&mut vault).expect("back");
        assert!(
            returned
                .notes
                .iter()
                .any(|note| note.contains("supersedes")),
            "{:?}",
            returned.notes
        );
        let (first, other) = (of(&mut vault, 0), of(&mut vault, 1));
        assert_eq!((first.status, &*first.superseded_by), (Status::Active, ""));
        assert!(other.supersedes.is_empty() && other.aliases.is_empty());
    }
}

#[test]
fn what_replaced_a_memory_comes_back_as_it_was_otherwise() {
    let (machine, mut vault) = vault();
    change(&mut vault, 0, Change::MergeInto(id(1)));
    let path = format!("memory/{}.md", id(1));
    let before = machine.bytes(&path);
    forget(&mut vault, 1);
    forget(&mut vault, 0);
    for n in [1, 0] {
        assert_eq!(change(&mut vault, n, Change::Restore).notes, [""; 0]);
    }
    assert_eq!(machine.bytes(&path), before);
    assert_eq!(of(&mut vault, 0).superseded_by, id(1));
}

/// What lies in the trash is asked, too: it may come back later.
#[test]
fn what_replaced_a_memory_comes_back_without_one_in_the_trash_that_says_otherwise() {
    let (_machine, mut vault) = vault();
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    forget(&mut vault, 1);
    change(&mut vault, 0, Change::Restore);
    forget(&mut vault, 0);
    change(&mut vault, 1, Change::Restore);
    assert!(of(&mut vault, 1).supersedes.is_empty());
    change(&mut vault, 0, Change::Restore);
    assert_eq!(of(&mut vault, 0).status, Status::Active);
}

#[test]
fn a_memory_that_is_restored_has_its_id_to_itself() {
    let (_machine, mut vault) = vault();
    change(&mut vault, 0, Change::MergeInto(id(1)));
    change(&mut vault, 1, Change::MergeInto(id(2)));
    assert_eq!(of(&mut vault, 2).aliases, [id(1), id(0)]);
    change(&mut vault, 0, Change::Restore);
    assert_eq!(of(&mut vault, 2).aliases, [id(1)]);
    assert!(of(&mut vault, 1).aliases.is_empty());
    forget(&mut vault, 0);
    assert!(matches!(vault.get(&id(0)), Err(Error::NotFound(_))));
}

/// With a memory, those merged into it leave what it was merged into.
#[test]
fn ids_that_were_handed_on_come_back_together() {
    let (_machine, mut vault) = vault();
    change(&mut vault, 0, Change::MergeInto(id(1)));
    change(&mut vault, 1, Change::MergeInto(id(2)));
    change(&mut vault, 1, Change::MergeInto(id(3)));
    assert!(of(&mut vault, 2).aliases.is_empty());
    assert_eq!(of(&mut vault, 3).aliases, [id(1), id(0)]);
    change(&mut vault, 1, Change::Restore);
    assert!(of(&mut vault, 3).aliases.is_empty());
    assert_eq!(of(&mut vault, 1).aliases, [id(0)]);
}

#[test]
fn what_was_replaced_when_it_was_archived_is_so_again() {
    let (_machine, mut vault) = vault();
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    change(&mut vault, 0, Change::Archive);
    change(&mut vault, 0, Change::Restore);
    let restored = of(&mut vault, 0);
    assert_eq!(restored.status, Status::Superseded);
    assert_eq!(restored.superseded_by, id(1));
    assert_eq!(of(&mut vault, 1).supersedes, [id(0)]);
    // Once more: what it was before that.
    change(&mut vault, 0, Change::Restore);
    assert_eq!(of(&mut vault, 0).status, Status::Active);
    assert!(of(&mut vault, 1).supersedes.is_empty());
    // What replaced it is gone: in force at once.
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    change(&mut vault, 0, Change::Archive);
    forget(&mut vault, 1);
    change(&mut vault, 0, Change::Restore);
    let restored = of(&mut vault, 0);
    assert_eq!(
        (restored.status, &*restored.superseded_by),
        (Status::Active, "")
    );
}

/// One thing that is done to one of the first three memories.
#[derive(Clone, Debug)]
enum Deed {
    Change(usize, Change),
    Forget(usize),
    Undo(usize),
}

impl Deed {
    fn on(&self, vault: &mut Vault) -> Result<()> {
        match self {
            Deed::Change(n, change) => vault.change_status(&id(*n), change, None, ""),
            Deed::Forget(n) => vault.forget(&id(*n), None, ""),
            Deed::Undo(n) => vault.undo(&UndoTarget::LastOf(id(*n))),
        }
        .map(drop)
    }
}

fn deed() -> impl Strategy<Value = Deed> {
    let of = |n: usize| {
        let with = (0..3usize).prop_flat_map(|other| {
            let other = id(other);
            prop::sample::select(vec![
                Change::SupersedeBy(other.clone()),
                Change::MergeInto(other.clone()),
                Change::ConfirmInto(other.clone()),
                Change::ConflictWith(other),
            ])
        });
        let alone = vec![Change::Confirm, Change::Archive, Change::Reject];
        prop_oneof![
            4 => with.prop_map(move |change| Deed::Change(n, change)),
            2 => prop::sample::select(alone).prop_map(move |change| Deed::Change(n, change)),
            3 => Just(Deed::Change(n, Change::Restore)),
            2 => Just(Deed::Forget(n)),
            2 => Just(Deed::Undo(n)),
        ]
    };
    (0..3usize).prop_flat_map(of)
}

/// What is wrong with the relations of the memories that are there.
fn faults(vault: &mut Vault) -> Vec<String> {
    let ids = (0..4).map(id);
    let there = ids.filter_map(|id| Some(vault.get(&id).ok()?.metadata).filter(|it| it.id == id));
    let there: BTreeMap<_, _> = there.map(|it| (it.id.clone(), it)).collect();
    let at = |id: &String| there.get(id);
    let mut faults = Vec::new();
    for one in there.values() {
        let mut fault = |is_one: bool, what: &str| {
            if is_one {
                faults.push(format!("{}: {what}", one.id));
            }
        };
        let is_in_conflict = one.status == Status::Conflict;
        let is_away = [Status::Superseded, Status::Archived].contains(&one.status);
        fault(
            is_in_conflict == one.conflicts_with.is_empty(),
            "conflict and status",
        );
        fault(
            !one.superseded_by.is_empty() && !is_away,
            "replaced and in force",
        );
        for other in &one.conflicts_with {
            let says = at(other).is_some_and(|other| other.conflicts_with.contains(&one.id));
            fault(!says, "conflict on one side");
        }
        for other in one.supersedes.iter().filter_map(at) {
            fault(other.superseded_by != one.id, "supersedes on one side");
        }
        if let Some(other) = at(&one.superseded_by) {
            fault(
                !other.supersedes.contains(&one.id),
                "superseded_by on one side",
            );
        }
        for other in one.aliases.iter().filter_map(at) {
            fault(
                other.superseded_by.is_empty(),
                "alias of one that nothing replaced",
            );
            fault(other.id == one.id, "alias of itself");
        }
    }
    faults
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_500,
        rng_seed: RngSeed::Fixed(2026),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn relations_stand_on_both_sides(deeds in prop::collection::vec(deed(), 1..14)) {
        let (_machine, mut vault) = vault();
        for deed in deeds {
            let answer = deed.on(&mut vault);
            let is_clear = !matches!(
                answer,
                Err(Error::AlreadyExists(_) | Error::Corrupt(_) | Error::Io(_))
            );
            prop_assert!(is_clear, "{deed:?}: {answer:?}");
            prop_assert_eq!(faults(&mut vault), Vec::<String>::new(), "{:?}", deed);
        }
    }
}
