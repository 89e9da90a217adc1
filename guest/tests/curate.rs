//! Review and change: what each change makes of a memory and of those it is
//! related to, and what undoes it (design §4, §7, §8).

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{draft, found, id, machine, note, process, text_at};
use inkvault_guest::Error;
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Native, Plan};
use inkvault_guest::memory::{Delivery, Status, fingerprint};
use inkvault_guest::vault::{
    Change, DirectiveOptions, Draft, RecallRequest, Receipt, SearchOptions, UndoTarget, Vault,
};

type Changing = fn(&mut Vault) -> Result<Receipt, Error>;
type Answering = fn(&mut Vault) -> Result<(), Error>;

const STATUSES: [Status; 4] = [
    Status::Active,
    Status::Pending,
    Status::Superseded,
    Status::Archived,
];

fn path(n: usize) -> String {
    format!("memory/{}.md", id(n))
}

/// A vault of active memories 0 to 5 and its machine.
fn vault() -> (Machine, Vault) {
    let machine = machine();
    for n in 0..6 {
        let text = note(&id(n), &format!("note {n}"), &format!("text number{n}"));
        machine.put(&path(n), text);
    }
    machine.advance(Duration::from_secs(60));
    let vault = process(&machine).vault;
    (machine, vault)
}

/// Puts a memory into a status by hand.
fn stand(machine: &Machine, n: usize, status: Status) {
    let text = note(&id(n), &format!("note {n}"), &format!("text number{n}"));
    let line = format!("status: {status}");
    machine.put(&path(n), text.replace("status: active", &line));
    machine.advance(Duration::from_secs(60));
}

fn change(vault: &mut Vault, n: usize, change: Change) -> Receipt {
    vault
        .change_status(&id(n), &change, None, "a reason")
        .unwrap_or_else(|error| panic!("{change:?}: {error}"))
}

fn refused(vault: &mut Vault, n: usize, change: &Change) -> Error {
    let answer = vault.change_status(&id(n), change, None, "");
    answer.expect_err(&format!("{change:?} is refused"))
}

fn status(vault: &mut Vault, n: usize) -> Status {
    vault.get(&id(n)).expect("a memory").metadata.status
}

fn undo(vault: &mut Vault, n: usize) -> Receipt {
    let undone = vault.undo(&UndoTarget::LastOf(id(n)));
    undone.unwrap_or_else(|error| panic!("undo {n}: {error}"))
}

fn recalled(vault: &mut Vault, query: &str) -> Vec<String> {
    let request = RecallRequest {
        query: Some(query.into()),
        limit: Some(100),
        token_budget: Some(100_000),
        ..RecallRequest::default()
    };
    let recalled = vault.recall(&request).expect("recalled");
    recalled.items.into_iter().map(|item| item.id).collect()
}

/// The lines of a text that differ from another's, with the day blanked out.
fn changed_lines(before: &str, after: &str) -> Vec<String> {
    let before: Vec<_> = before.lines().collect();
    let new = after.lines().filter(|line| !before.contains(line));
    new.map(|line| {
        line.split("2026-10-19T")
            .next()
            .unwrap_or_default()
            .to_owned()
    })
    .collect()
}

/// The lines of the journal, without their times.
fn journal(machine: &Machine) -> Vec<String> {
    let journal = text_at(machine, ".inkvault/journal.jsonl");
    let told = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        format!("{} {} {}", text("op"), text("id"), text("detail"))
    };
    journal.lines().map(told).collect()
}

#[test]
fn a_change_touches_its_keys_and_nothing_else() {
    let b = id(1);
    for (from, change_of, lines) in [
        (Status::Pending, Change::Confirm, vec!["status: active"]),
        (Status::Active, Change::Archive, vec!["status: archived"]),
        (
            Status::Superseded,
            Change::Archive,
            vec!["status: archived"],
        ),
        (Status::Archived, Change::Restore, vec!["status: pending"]),
        (Status::Active, Change::Pin, vec!["pinned: true"]),
        (
            Status::Active,
            Change::Deliver(Delivery::Prompt),
            vec!["delivery: prompt"],
        ),
        (
            Status::Active,
            Change::SupersedeBy(b.clone()),
            vec!["status: superseded", "superseded_by: m-20261001-000001"],
        ),
        (
            Status::Active,
            Change::ConflictWith(b),
            vec!["status: pending", "conflicts_with: [m-20261001-000001]"],
        ),
    ] {
        let (machine, mut vault) = vault();
        stand(&machine, 0, from);
        let before = text_at(&machine, &path(0));
        let receipt = change(&mut vault, 0, change_of.clone());
        let mut expected = vec!["updated: "];
        expected.extend(lines);
        // `hash` is the body's true one after every write.
        expected.push("hash: ");
        let after = text_at(&machine, &path(0));
        let mut lines = changed_lines(&before, &after);
        lines.iter_mut().for_each(|line| {
            if line.starts_with("hash: ") {
                line.truncate(6);
            }
        });
        lines.sort();
        expected.sort_unstable();
        assert_eq!(lines, expected, "{change_of:?}");
        assert_eq!(receipt.memory.metadata.id, id(0));
        assert!(receipt.changed_paths.contains(&path(0)) && !receipt.created);
        assert_eq!(receipt.memory.revision, vault.get(&id(0)).unwrap().revision);
        undo(&mut vault, 0);
        assert_eq!(text_at(&machine, &path(0)), before, "{change_of:?} undone");
    }
}

#[test]
fn a_change_is_told_with_its_reason() {
    let (machine, mut vault) = vault();
    stand(&machine, 0, Status::Pending);
    change(&mut vault, 0, Change::Confirm);
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    vault
        .forget(&id(2), None, "  two\nlines ")
        .expect("forgotten");
    undo(&mut vault, 2);
    assert_eq!(
        journal(&machine),
        [
            format!("write {} confirm: a reason", id(0)),
            format!("write {} supersede: a reason", id(0)),
            format!("write {} supersede {}: a reason", id(1), id(0)),
            format!("archive {} two lines", id(2)),
            format!("write {} undo: forget at position 3", id(2)),
        ]
    );
}

#[test]
fn what_does_not_follow_from_where_a_memory_stands_is_refused() {
    let into = Change::ConfirmInto(id(1));
    let merge = Change::MergeInto(id(1));
    let by = Change::SupersedeBy(id(1));
    let with = Change::ConflictWith(id(1));
    let allowed = |change: &Change, status: Status| match change {
        Change::Confirm => matches!(status, Status::Active | Status::Pending),
        Change::ConfirmInto(_) | Change::Reject => status == Status::Pending,
        Change::Restore => matches!(status, Status::Superseded | Status::Archived),
        Change::SupersedeBy(_) => status != Status::Archived,
        Change::MergeInto(_) => true,
        Change::ConflictWith(_) => matches!(status, Status::Active | Status::Pending),
        _ => true,
    };
    for change in [
        Change::Confirm,
        into,
        Change::Reject,
        Change::Restore,
        merge,
        by,
        with,
    ] {
        for status in STATUSES {
            let (machine, mut vault) = vault();
            stand(&machine, 0, status);
            let before = machine.files();
            let answer = vault.change_status(&id(0), &change, None, "");
            if allowed(&change, status) {
                assert!(answer.is_ok(), "{change:?} of {status}: {answer:?}");
            } else {
                let is_clear =
                    matches!(&answer, Err(Error::InvalidArgument(text)) if text.contains(&id(0)));
                assert!(is_clear, "{change:?} of {status}: {answer:?}");
                assert_eq!(memories(&machine), memories_of(before), "{change:?}");
            }
        }
    }
}

fn memories(machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    memories_of(machine.files())
}

fn memories_of(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    files.retain(|path, _| path.starts_with("memory/") || path.starts_with(".trash/"));
    files
}

#[test]
fn what_the_format_does_not_know_is_unsupported() {
    let (machine, mut vault) = vault();
    let before = memories(&machine);
    for change in [Change::Stale, Change::Promote] {
        let error = refused(&mut vault, 0, &change);
        assert!(matches!(error, Error::Unsupported(_)), "{error}");
    }
    assert_eq!(memories(&machine), before);
}

#[test]
fn a_change_needs_memories_that_are_there() {
    let (machine, mut vault) = vault();
    stand(&machine, 2, Status::Archived);
    let before = memories(&machine);
    let unknown = refused(&mut vault, 99, &Change::Archive);
    assert!(matches!(unknown, Error::NotFound(_)), "{unknown}");
    for change in [Change::SupersedeBy(id(99)), Change::MergeInto("x".into())] {
        let unknown = refused(&mut vault, 0, &change);
        assert!(matches!(unknown, Error::NotFound(_)), "{unknown}");
    }
    for change in [
        Change::SupersedeBy(id(0)),
        Change::MergeInto(id(0)),
        Change::ConflictWith(id(0)),
        Change::SupersedeBy(id(2)),
        Change::MergeInto(id(2)),
        Change::ConflictWith(id(2)),
    ] {
        let error = refused(&mut vault, 0, &change);
        assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
    }
    assert_eq!(memories(&machine), before);
}

#[test]
fn a_change_of_another_revision_is_refused() {
    let (machine, mut vault) = vault();
    let before = memories(&machine);
    let stale = Some("0123456789abcdef");
    let archive = vault.change_status(&id(0), &Change::Archive, stale, "");
    assert!(matches!(archive, Err(Error::RevisionConflict(_))));
    let forget = vault.forget(&id(0), stale, "");
    assert!(matches!(forget, Err(Error::RevisionConflict(_))));
    assert_eq!(memories(&machine), before);
    let revision = vault.get(&id(0)).expect("a memory").revision;
    let archive = vault.change_status(&id(0), &Change::Archive, Some(&revision), "");
    assert_eq!(
        archive.expect("archived").memory.metadata.status,
        Status::Archived
    );
}

#[test]
fn a_change_of_nothing_changes_nothing() {
    let (machine, mut vault) = vault();
    stand(&machine, 1, Status::Archived);
    vault.write(&draft("makes the lock")).expect("written");
    let before = machine.files();
    for (n, idle) in [
        (0, Change::Confirm),
        (0, Change::Unpin),
        (0, Change::Deliver(Delivery::Recall)),
        (1, Change::Archive),
    ] {
        let receipt = change(&mut vault, n, idle.clone());
        assert!(receipt.changed_paths.is_empty(), "{idle:?}");
        assert!(receipt.notes[0].contains("changed nothing"), "{idle:?}");
    }
    assert_eq!(machine.files(), before);
}

/// An unusable status reads as active; confirming it writes that down.
#[test]
fn confirming_settles_a_status_that_had_to_be_assumed() {
    let (machine, mut vault) = vault();
    let text = text_at(&machine, &path(0)).replace("status: active", "status: done");
    machine.put(&path(0), text);
    machine.advance(Duration::from_secs(60));
    change(&mut vault, 0, Change::Confirm);
    assert!(text_at(&machine, &path(0)).contains("\nstatus: active\n"));
}

#[test]
fn superseded_and_archived_memories_leave_search_and_recall() {
    let (_machine, mut vault) = vault();
    assert_eq!(recalled(&mut vault, "text").len(), 6);
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    change(&mut vault, 2, Change::Archive);
    let gone = |ids: &[String]| !ids.contains(&id(0)) && !ids.contains(&id(2));
    assert!(gone(&found(&mut vault, "text")) && gone(&recalled(&mut vault, "text")));
    let all = SearchOptions {
        statuses: vec![Status::Superseded, Status::Archived],
        ..SearchOptions::default()
    };
    assert_eq!(vault.search("text", &all).expect("hits").len(), 2);
}

#[test]
fn replacing_is_true_on_both_sides() {
    let (_machine, mut vault) = vault();
    let of = |vault: &mut Vault, n| vault.get(&id(n)).expect("a memory").metadata;
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    assert_eq!(of(&mut vault, 0).superseded_by, id(1));
    assert_eq!(of(&mut vault, 1).supersedes, [id(0)]);
    // By another one instead.
    change(&mut vault, 0, Change::SupersedeBy(id(2)));
    assert_eq!(of(&mut vault, 0).superseded_by, id(2));
    assert!(of(&mut vault, 1).supersedes.is_empty());
    assert_eq!(of(&mut vault, 2).supersedes, [id(0)]);
    // Not after all.
    change(&mut vault, 0, Change::Restore);
    assert_eq!(of(&mut vault, 0).superseded_by, "");
    assert_eq!(status(&mut vault, 0), Status::Active);
    assert!(of(&mut vault, 2).supersedes.is_empty());
    // Two cannot replace each other.
    change(&mut vault, 0, Change::SupersedeBy(id(1)));
    let error = refused(&mut vault, 1, &Change::SupersedeBy(id(0)));
    assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
}

#[test]
fn a_conflict_is_open_until_a_person_decides() {
    let (_machine, mut vault) = vault();
    let of = |vault: &mut Vault, n| vault.get(&id(n)).expect("a memory").metadata;
    change(&mut vault, 0, Change::ConflictWith(id(1)));
    change(&mut vault, 2, Change::ConflictWith(id(0)));
    for n in 0..3 {
        assert_eq!(status(&mut vault, n), Status::Conflict, "{n}");
    }
    assert_eq!(of(&mut vault, 0).conflicts_with, [id(1), id(2)]);
    assert_eq!(
        recalled(&mut vault, "number0 number1 number2"),
        Vec::<String>::new()
    );
    // The third is right: the first is still in conflict with the second.
    change(&mut vault, 2, Change::Confirm);
    assert_eq!(status(&mut vault, 2), Status::Active);
    assert_eq!(status(&mut vault, 0), Status::Conflict);
    assert_eq!(of(&mut vault, 0).conflicts_with, [id(1)]);
    // The second is wrong: the first is left to be confirmed.
    change(&mut vault, 1, Change::Reject);
    assert_eq!(status(&mut vault, 0), Status::Pending);
    assert!(of(&mut vault, 0).conflicts_with.is_empty());
    assert!(vault.get(&id(1)).is_err());
}

#[test]
fn merging_keeps_both_texts_and_both_ids() {
    let (machine, mut vault) = vault();
    let tagged = Draft {
        id: Some(id(0)),
        tags: Some(vec!["release".into()]),
        aliases: Some(vec!["the other name".into()]),
        ..Draft::default()
    };
    vault.write(&tagged).expect("written");
    let receipt = change(&mut vault, 0, Change::MergeInto(id(1)));
    assert_eq!(receipt.memory.metadata.status, Status::Superseded);
    assert_eq!(receipt.changed_paths, [path(0), path(1)]);
    let target = vault.get(&id(1)).expect("the target");
    assert_eq!(
        target.body,
        format!("text number1\n\n## note 0 ({})\n\ntext number0", id(0))
    );
    let metadata = &target.metadata;
    assert_eq!(metadata.aliases, [id(0), "the other name".into()]);
    assert_eq!(metadata.supersedes, [id(0)]);
    assert_eq!(metadata.tags, ["release"]);
    assert_eq!(metadata.status, Status::Active);
    // What was merged is there, and once it is forgotten its id leads on.
    assert_eq!(vault.get(&id(0)).expect("the source").metadata.id, id(0));
    vault.forget(&id(0), None, "").expect("forgotten");
    assert_eq!(vault.get(&id(0)).expect("the target").metadata.id, id(1));
    // A text that is there already is not added again.
    let before = text_at(&machine, &path(1));
    machine.put(&path(2), note(&id(2), "note 2", "text number1"));
    machine.advance(Duration::from_secs(60));
    change(&mut vault, 2, Change::MergeInto(id(1)));
    // Part of a line is not the text.
    machine.put(&path(3), note(&id(3), "note 3", "text"));
    machine.advance(Duration::from_secs(60));
    change(&mut vault, 3, Change::MergeInto(id(4)));
    let folded = format!("text number4\n\n## note 3 ({})\n\ntext", id(3));
    assert_eq!(vault.get(&id(4)).expect("the target").body, folded);
    let body = |text: &str| text.split("---\n\n").nth(1).unwrap_or_default().to_owned();
    assert_eq!(body(&text_at(&machine, &path(1))), body(&before));
}

#[test]
fn a_supplement_is_folded_into_what_is_in_force() {
    let (machine, mut vault) = vault();
    stand(&machine, 0, Status::Pending);
    change(&mut vault, 0, Change::ConfirmInto(id(1)));
    assert_eq!(status(&mut vault, 0), Status::Superseded);
    assert!(
        vault
            .get(&id(1))
            .expect("a memory")
            .body
            .ends_with("text number0")
    );
    assert_eq!(recalled(&mut vault, "number0"), [id(1)]);
}

#[test]
fn a_merged_text_that_is_too_long_changes_nothing() {
    let (machine, mut vault) = vault();
    for n in 0..2 {
        let long = format!("{n} {}", "long ".repeat(2_200));
        machine.put(&path(n), note(&id(n), "long", &long));
    }
    machine.advance(Duration::from_secs(60));
    let before = memories(&machine);
    let error = refused(&mut vault, 0, &Change::MergeInto(id(1)));
    assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
    assert_eq!(memories(&machine), before);
}

#[test]
fn restoring_brings_back_the_status_before() {
    for before in [Status::Active, Status::Pending] {
        let (machine, mut vault) = vault();
        stand(&machine, 0, before);
        change(&mut vault, 0, Change::Archive);
        change(&mut vault, 0, Change::Pin);
        change(&mut vault, 0, Change::Restore);
        assert_eq!(status(&mut vault, 0), before);
    }
    // Nobody knows any more: a person has to confirm it.
    let (machine, mut vault) = vault();
    change(&mut vault, 0, Change::Archive);
    machine.remove(".inkvault/feed.jsonl");
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Pending);
}

/// A status that was none reads as active and is never a directive; a round
/// trip must not make one of it.
#[test]
fn a_status_that_had_to_be_assumed_does_not_come_back_as_active() {
    for away in [Change::Archive, Change::SupersedeBy(id(1))] {
        let (machine, mut vault) = vault();
        let text = text_at(&machine, &path(0))
            .replace("status: active", "status: rejected")
            .replace("delivery: recall", "delivery: prompt");
        machine.put(&path(0), text);
        machine.advance(Duration::from_secs(60));
        change(&mut vault, 0, away.clone());
        change(&mut vault, 0, Change::Restore);
        assert_eq!(status(&mut vault, 0), Status::Pending, "{away:?}");
        let directives = vault.render_directives(&DirectiveOptions::default());
        assert_eq!(directives.expect("directives").count, 0, "{away:?}");
    }
}

/// The feed saw an active memory archived, or confirmed; a person took it out
/// of force by hand after that.
#[test]
fn what_a_person_wrote_later_counts_for_more_than_the_feed() {
    let by_hand = |machine: &Machine, from: &str, to: &str| {
        let text = text_at(machine, &path(0)).replace(from, to) + "\nby hand";
        machine.put(&path(0), text);
        machine.advance(Duration::from_secs(60));
    };
    let (machine, mut vault) = vault();
    change(&mut vault, 0, Change::Archive);
    by_hand(&machine, "status: archived", "status: pending");
    assert_eq!(status(&mut vault, 0), Status::Pending);
    by_hand(&machine, "status: pending", "status: archived");
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Pending);
    // Archived by hand: the last line tells of another status.
    change(&mut vault, 0, Change::Confirm);
    by_hand(&machine, "status: active", "status: archived");
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Pending);
    // A call after an edit by hand does not close the gap.
    change(&mut vault, 0, Change::Confirm);
    change(&mut vault, 0, Change::Archive);
    by_hand(&machine, "title: note 0", "title: by hand");
    change(&mut vault, 0, Change::Pin);
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Pending);
}

#[test]
fn restoring_follows_moves_and_undoing() {
    let (_machine, mut vault) = vault();
    change(&mut vault, 0, Change::Archive);
    vault.forget(&id(0), None, "").expect("forgotten");
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Archived);
    change(&mut vault, 0, Change::Pin);
    undo(&mut vault, 0);
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Active);
    undo(&mut vault, 0);
    assert_eq!(status(&mut vault, 0), Status::Archived);
    change(&mut vault, 0, Change::Restore);
    assert_eq!(status(&mut vault, 0), Status::Active);
}

#[test]
fn a_forgotten_memory_is_in_the_trash_with_unchanged_bytes() {
    let (machine, mut vault) = vault();
    machine.put("memory/by hand.md", note(&id(7), "by hand", "unusual text"));
    machine.advance(Duration::from_secs(60));
    let before = text_at(&machine, "memory/by hand.md");
    let receipt = vault.forget(&id(7), None, "no use").expect("forgotten");
    let trash = receipt.memory.path.as_str().to_owned();
    let name = trash.strip_prefix(&format!(".trash/{}-", id(7)));
    let millis = name.and_then(|name| name.strip_suffix(".md"));
    assert!(
        millis.is_some_and(|millis| millis.parse::<i64>().is_ok()),
        "{trash}"
    );
    assert_eq!(receipt.changed_paths, ["memory/by hand.md", &trash]);
    assert_eq!(text_at(&machine, &trash), before);
    assert!(found(&mut vault, "unusual").is_empty());
    assert!(matches!(vault.get(&id(7)), Err(Error::NotFound(_))));
    assert!(matches!(
        vault.forget(&id(7), None, ""),
        Err(Error::NotFound(_))
    ));

    // By another process, which hears of it from the feed.
    let mut other = process(&machine).vault;
    let restored = change(&mut other, 7, Change::Restore);
    assert_eq!(restored.memory.path.as_str(), "memory/by hand.md");
    assert_eq!(text_at(&machine, "memory/by hand.md"), before);
    assert_eq!(found(&mut vault, "unusual"), [id(7)]);
    assert_eq!(found(&mut other, "unusual"), [id(7)]);
}

#[test]
fn a_forgotten_memory_comes_back_to_its_usual_place_where_the_feed_is_gone() {
    let (machine, mut vault) = vault();
    vault.forget(&id(0), None, "").expect("forgotten");
    machine.advance(Duration::from_secs(60));
    machine.put(&path(0), note(&id(0), "again", "written again"));
    machine.advance(Duration::from_secs(60));
    vault.forget(&id(0), None, "").expect("forgotten again");
    machine.remove(".inkvault/feed.jsonl");
    let mut vault = process(&machine).vault;
    let restored = change(&mut vault, 0, Change::Restore);
    assert_eq!(restored.memory.path.as_str(), path(0));
    assert_eq!(restored.memory.body, "written again", "the last one");
    let error = refused(&mut vault, 0, &Change::Restore);
    assert!(matches!(error, Error::InvalidArgument(_)), "{error}");
}

#[test]
fn a_forgotten_memory_comes_back_elsewhere_where_its_place_is_taken() {
    let (machine, mut vault) = vault();
    let by_hand = "memory/by hand.md";
    let put = |path: &str, n: usize| {
        machine.put(path, note(&id(n), "by hand", "unusual"));
        machine.advance(Duration::from_secs(60));
    };
    put(by_hand, 7);
    vault.forget(&id(7), None, "").expect("forgotten");
    put(by_hand, 8);
    put(&path(7), 9);
    let taken = refused(&mut vault, 7, &Change::Restore);
    assert!(
        matches!(&taken, Error::AlreadyExists(text) if text.contains(&path(7)) && text.contains("move it away")),
        "{taken}"
    );
    machine.remove(&path(7));
    let restored = change(&mut vault, 7, Change::Restore);
    assert_eq!(restored.memory.path.as_str(), path(7));
}

#[test]
fn a_link_in_the_trash_is_not_brought_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let open = || Vault::new(Box::new(Native::open(directory.path()).expect("opened")));
    open().init("inkvault", None).expect("a vault");
    let trashed = format!(".trash/{}-1.md", id(0));
    let target = directory.path().join("elsewhere.md");
    std::fs::write(&target, note(&id(0), "note", "text")).expect("written");
    std::os::unix::fs::symlink("../elsewhere.md", directory.path().join(trashed)).expect("a link");
    let error = refused(&mut open(), 0, &Change::Restore);
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
}

#[test]
fn undoing_restores_every_byte_and_can_be_undone() {
    let (machine, mut vault) = vault();
    let before = memories(&machine);
    let created = vault.write(&draft("a new one")).expect("written");
    let new = created.memory.metadata.id.clone();
    vault
        .undo(&UndoTarget::Position(created.feed_position))
        .expect("undone");
    assert!(vault.get(&new).is_err());
    assert_eq!(
        machine
            .files()
            .keys()
            .filter(|path| path.starts_with(".trash/"))
            .count(),
        1
    );
    vault
        .undo(&UndoTarget::LastOf(new.clone()))
        .expect("done again");
    assert_eq!(vault.get(&new).expect("there again").body, "a new one");
    vault.undo(&UndoTarget::LastOf(new)).expect("undone again");

    let changes: [fn(&mut Vault) -> Receipt; 4] = [
        |vault| change(vault, 0, Change::MergeInto(id(1))),
        |vault| change(vault, 0, Change::ConflictWith(id(1))),
        |vault| vault.forget(&id(0), None, "").expect("forgotten"),
        |vault| {
            let changed = Draft {
                id: Some(id(0)),
                ..draft("changed")
            };
            vault.write(&changed).expect("written")
        },
    ];
    for make in changes {
        let made = make(&mut vault);
        let after = visible(&machine);
        assert_ne!(after, before);
        let undone = undo(&mut vault, 0);
        assert_eq!(undone.memory.metadata.id, id(0));
        assert_eq!(visible(&machine), before, "{}", made.commit_message);
        let again = vault.undo(&UndoTarget::Position(undone.feed_position));
        again.expect("done again");
        assert_eq!(names(&visible(&machine)), names(&after));
        undo(&mut vault, 0);
        assert_eq!(visible(&machine), before, "{}", made.commit_message);
    }
}

fn visible(machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    let mut files = machine.files();
    files.retain(|path, _| path.starts_with("memory/"));
    files
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&String> {
    files.keys().collect()
}

#[test]
fn undoing_spares_what_was_changed_since() {
    let (machine, mut vault) = vault();
    change(&mut vault, 0, Change::MergeInto(id(1)));
    machine.advance(Duration::from_secs(60));
    let edited = text_at(&machine, &path(1)) + "\nby hand";
    machine.put(&path(1), &edited);
    let before = visible(&machine);
    let refused = vault.undo(&UndoTarget::LastOf(id(0)));
    assert!(
        matches!(refused, Err(Error::RevisionConflict(_))),
        "{refused:?}"
    );
    assert_eq!(visible(&machine), before);
}

#[test]
fn what_never_happened_or_is_too_long_ago_cannot_be_undone() {
    let (machine, mut vault) = vault();
    let never = vault.undo(&UndoTarget::Position(9));
    assert!(matches!(never, Err(Error::NotFound(_))), "{never:?}");
    let unknown = vault.undo(&UndoTarget::LastOf(id(99)));
    assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
    let untouched = vault.undo(&UndoTarget::LastOf(id(5)));
    assert!(
        matches!(&untouched, Err(Error::NotFound(text)) if text.contains("never changed here")),
        "{untouched:?}"
    );
    change(&mut vault, 0, Change::Pin);
    let kept = machine.files().into_keys();
    for swept in kept.filter(|path| path.starts_with(".inkvault/undo/")) {
        machine.remove(&swept);
    }
    let swept = vault.undo(&UndoTarget::Position(1));
    assert!(
        matches!(&swept, Err(Error::Unsupported(text)) if text.contains("not kept")),
        "{swept:?}"
    );
    for n in 0..500 {
        let changed = Draft {
            id: Some(id(1)),
            ..draft(&format!("changed {n}"))
        };
        vault.write(&changed).expect("written");
    }
    let gone = vault.undo(&UndoTarget::Position(1));
    assert!(
        matches!(&gone, Err(Error::Unsupported(text)) if text.contains("too long ago")),
        "{gone:?}"
    );
    vault.rebuild_index().expect("rebuilt");
    let quarantined = vault.undo(&UndoTarget::LastOf(id(1)));
    assert!(quarantined.is_ok(), "{quarantined:?}");
    drop(machine);
}

/// Anybody can write to the feed and to what is kept for undoing.
#[test]
fn undoing_stays_where_memories_are() {
    let (machine, mut vault) = vault();
    vault.write(&draft("first")).expect("written");
    machine.create_directories(".git/hooks");
    machine.put("notes.txt", note(&id(0), "note 0", "text"));
    let revision = fingerprint(&machine.bytes(&path(0)).expect("a memory"));
    let feed = text_at(&machine, ".inkvault/feed.jsonl");
    for (place, from) in [
        (path(0), ".git/hooks/post-merge"),
        (path(0), ".trash/deeper/x.md"),
        (path(0), ".inkvault/config.json"),
        (path(0), "memory/.hidden.md"),
        (path(0), "../outside.md"),
        ("notes.txt".to_owned(), "memory/new.md"),
        (path(1), "memory/new.md"),
    ] {
        let file = serde_json::json!({
            "path": place, "from": from, "id": id(0), "before": revision, "after": revision,
        });
        let line = serde_json::json!({
            "seq": 2, "op": "update", "id": id(0), "files": [file], "dirs": [],
        });
        machine.put(".inkvault/feed.jsonl", format!("{feed}{line}\n"));
        let before = machine.files();
        let refused = vault.undo(&UndoTarget::LastOf(id(0)));
        assert!(
            matches!(
                refused,
                Err(Error::Unsupported(_) | Error::RevisionConflict(_))
            ),
            "{place} {from}: {refused:?}"
        );
        assert_eq!(machine.files(), before, "{place} {from}");
    }
}

#[test]
fn a_forgotten_memory_that_was_written_anew_is_not_brought_back() {
    let (machine, mut vault) = vault();
    vault.forget(&id(0), None, "").expect("forgotten");
    machine.put("memory/again.md", note(&id(0), "again", "written again"));
    machine.advance(Duration::from_secs(60));
    let refused = vault.undo(&UndoTarget::LastOf(id(0)));
    assert!(
        matches!(&refused, Err(Error::AlreadyExists(text)) if text.contains("memory/again.md")),
        "{refused:?}"
    );
    assert!(vault.overview().expect("seen").duplicates.is_empty());
}

#[test]
fn writing_what_is_there_changes_nothing() {
    let (machine, mut vault) = vault();
    let same = Draft {
        id: Some(id(0)),
        ..draft("the same")
    };
    let first = vault.write(&same).expect("written");
    let before = machine.files();
    let second = vault.write(&same).expect("nothing to do");
    assert!(second.changed_paths.is_empty() && !second.created);
    assert!(second.notes[0].contains("changed nothing"), "{second:?}");
    assert_eq!(second.feed_position, first.feed_position);
    assert_eq!(second.memory, first.memory);
    assert_eq!(machine.files(), before);
    undo(&mut vault, 0);
    assert!(text_at(&machine, &path(0)).ends_with("text number0"));
}

/// A position that is given twice would lead from one memory to another.
#[test]
fn a_feed_that_cannot_be_read_stops_a_change_and_no_reader() {
    let (machine, mut first) = vault();
    first.write(&draft("makes the lock")).expect("written");
    let changes: [Answering; 4] = [
        |vault| vault.forget(&id(1), None, "").map(drop),
        |vault| vault.write(&draft("mine")).map(drop),
        |vault| vault.rebuild_index().map(drop),
        |vault| vault.verify(true).map(drop),
    ];
    machine.put("memory/bad.md", "---\ntitle: no id\n---\ntext");
    machine.advance(Duration::from_secs(60));
    let mut stopped = 0;
    for make in changes {
        for at_call in 1.. {
            let machine = machine.fork();
            let mut mine = process(&machine);
            mine.vault.overview().expect("opened");
            first = process(&machine).vault;
            change(&mut first, 0, Change::Pin);
            mine.environment.reset_calls();
            mine.environment.plan(Injection {
                at_call,
                what: Plan::Fail(IoErrorKind::Failed),
            });
            let answer = make(&mut mine.vault);
            if mine.environment.calls() < at_call {
                break;
            }
            stopped += u32::from(
                matches!(answer, Err(Error::Io(text)) if text.contains("nothing was changed")),
            );
            let feed = text_at(&machine, ".inkvault/feed.jsonl");
            let position = |line: &str| -> Option<u64> {
                serde_json::from_str::<serde_json::Value>(line).ok()?["seq"].as_u64()
            };
            let positions: Vec<_> = feed.lines().filter_map(position).collect();
            let expected: Vec<_> = (1..=positions.len() as u64).collect();
            assert_eq!(positions, expected, "call {at_call}");
        }
    }
    assert!(stopped >= 4, "{stopped}");
    let mut reader = process(&machine);
    reader.vault.overview().expect("opened");
    machine.remove(".inkvault/feed.jsonl");
    machine.create_directories(".inkvault/feed.jsonl");
    assert!(!found(&mut reader.vault, "text").is_empty());
}

/// Both bounds hold after every single change.
#[test]
fn what_is_kept_for_undoing_is_bounded() {
    for (changes, size) in [(1_100, 10), (400, 80_000)] {
        let (machine, mut vault) = vault();
        let (mut most, mut bytes) = (0, 0);
        for n in 0..changes {
            let text = format!("{n} {}", "x".repeat(size.min(15_000)));
            // Files are larger than any text a memory can have by other keys.
            let padded = Draft {
                id: Some(id(n % 5)),
                evidence: Some("e".repeat(size)),
                ..draft(&text)
            };
            vault.write(&padded).expect("written");
            let kept = machine.files();
            let kept = kept
                .iter()
                .filter(|(path, _)| path.starts_with(".inkvault/undo/"));
            let sizes: Vec<_> = kept.map(|(_, bytes)| bytes.len()).collect();
            most = most.max(sizes.len());
            bytes = bytes.max(sizes.iter().sum());
        }
        assert!(most <= 500, "{most} files");
        assert!(bytes <= 16 << 20, "{bytes} bytes");
        assert!(most >= 60, "and so much is kept: {most}");
        undo(&mut vault, 0);
    }
}

/// An editor saves in place at every single point of a change: the change is
/// refused or what the editor saved is kept.
#[test]
fn what_an_editor_saves_meanwhile_is_never_gone() {
    let changes: [Changing; 5] = [
        |vault| {
            vault.write(&Draft {
                id: Some(id(0)),
                ..draft("ours")
            })
        },
        |vault| vault.change_status(&id(0), &Change::Archive, None, ""),
        |vault| vault.change_status(&id(1), &Change::MergeInto(id(0)), None, ""),
        |vault| vault.forget(&id(0), None, ""),
        |vault| vault.undo(&UndoTarget::LastOf(id(0))),
    ];
    for links in [true, false] {
        for (number, make) in changes.iter().enumerate() {
            let (machine, mut first) = vault();
            change(&mut first, 0, Change::Pin);
            machine.set_hard_links(links);
            machine.advance(Duration::from_secs(60));
            let (mut made, mut refused, mut lost) = (0, 0, 0);
            for at_call in 1.. {
                let machine = machine.fork();
                let mut process = process(&machine);
                process.vault.overview().expect("opened");
                process.environment.reset_calls();
                let saved = Arc::new(AtomicBool::new(false));
                let has_saved = Arc::clone(&saved);
                process.environment.meanwhile(at_call, move |machine| {
                    // Once the file has left its place there is nothing to save into.
                    if machine.bytes(&path(0)).is_some() {
                        machine.put(&path(0), note(&id(0), "note 0", "saved by hand"));
                        has_saved.store(true, Ordering::Relaxed);
                    }
                });
                let answer = make(&mut process.vault);
                if process.environment.calls() < at_call {
                    break;
                }
                made += u32::from(answer.is_ok());
                refused += u32::from(answer.is_err());
                let files = machine.files();
                let is_kept = files
                    .values()
                    .any(|bytes| String::from_utf8_lossy(bytes).contains("saved by hand"));
                lost += u32::from(saved.load(Ordering::Relaxed) && !is_kept);
            }
            assert!(
                made > 0 && refused > 0,
                "{number}: {made} made, {refused} refused"
            );
            // Without hard links the last look and the rename are two calls.
            let most = u32::from(!links);
            assert!(lost <= most, "{number}: lost at {lost} points");
        }
    }
}

/// A host that discarded an instance in the middle of a change says so, and
/// nobody has to wait.
#[test]
fn a_lock_is_given_up_for_an_instance_that_is_gone() {
    let (machine, _) = vault();
    process(&machine)
        .vault
        .write(&draft("makes the lock"))
        .expect("written");
    let opened = |machine: &Machine, token: &str| {
        let mut process = process(machine);
        let settings = format!("{{\"lockToken\": \"{token}\"}}");
        let configured = process.vault.configure(&settings).expect("configured");
        assert!(configured.notes.is_empty(), "{:?}", configured.notes);
        process.environment.reset_calls();
        process
    };
    let archive = |vault: &mut Vault| vault.change_status(&id(0), &Change::Archive, None, "");
    let mut undisturbed = opened(&machine.fork(), "first");
    archive(&mut undisturbed.vault).expect("archived");
    let (mut broken, mut finished) = (0, 0);
    for at_call in 1..=undisturbed.environment.calls() {
        let machine = machine.fork();
        let mut gone = opened(&machine, "first");
        gone.environment.plan(Injection {
            at_call,
            what: Plan::Crash,
        });
        assert!(archive(&mut gone.vault).is_err() || at_call > 1);
        let held = machine
            .files()
            .keys()
            .any(|path| path.contains("/held-first"));
        let mut next = opened(&machine, "second");
        assert!(!next.vault.break_lock("another").expect("not held"));
        assert!(!next.vault.break_lock("second").expect("not held"));
        assert_eq!(next.vault.break_lock("first").expect("an answer"), held);
        broken += usize::from(held);
        let before = inkvault_guest::environment::Environment::elapsed(&*next.environment);
        next.vault.write(&draft("the next one")).expect("written");
        let waited = inkvault_guest::environment::Environment::elapsed(&*next.environment) - before;
        assert!(
            waited < Duration::from_secs(1),
            "call {at_call}: {waited:?}"
        );
        finished += usize::from(status(&mut next.vault, 0) == Status::Archived);
    }
    assert!(
        broken > 10 && finished > 5,
        "{broken} broken, {finished} finished"
    );
    let mut vault = process(&machine).vault;
    for token in ["", "../x", "a-b", &"x".repeat(33)] {
        let error = vault.break_lock(token);
        assert!(matches!(error, Err(Error::InvalidArgument(_))), "{token}");
    }
}

#[test]
fn a_vault_that_can_only_be_read_is_not_changed() {
    let (machine, _) = vault();
    machine.set_read_only(true);
    let mut vault = process(&machine).vault;
    assert_eq!(refused(&mut vault, 0, &Change::Archive), Error::ReadOnly);
    assert_eq!(vault.forget(&id(0), None, ""), Err(Error::ReadOnly));
    assert_eq!(vault.undo(&UndoTarget::Position(1)), Err(Error::ReadOnly));
    assert_eq!(vault.break_lock("x"), Err(Error::ReadOnly));
}
