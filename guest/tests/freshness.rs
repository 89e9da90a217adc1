//! What others do to the files is seen: by the next call where it shows in a
//! directory or the feed, else by the next pass (design §6).

mod common;

use std::time::Duration;

use common::{Process, draft, fill, found, id, machine, note, process};
use inkvault_guest::environment::{Injection, Machine, Plan};
use inkvault_guest::vault::Draft;

fn opened() -> (Machine, Process) {
    let machine = machine();
    fill(&machine, 20);
    let mut process = process(&machine);
    process.vault.overview().expect("opened");
    (machine, process)
}

#[test]
fn a_file_added_renamed_or_removed_by_hand_is_seen_by_the_next_search() {
    let (machine, mut process) = opened();
    machine.put(
        "memory/new.md",
        note("m-20261002-aaaaaa", "new", "a handmade note"),
    );
    assert_eq!(found(&mut process.vault, "handmade"), ["m-20261002-aaaaaa"]);
    machine.rename("memory/new.md", "memory/other.md");
    assert_eq!(found(&mut process.vault, "handmade"), ["m-20261002-aaaaaa"]);
    assert_eq!(
        process
            .vault
            .get("m-20261002-aaaaaa")
            .expect("a memory")
            .path
            .as_str(),
        "memory/other.md"
    );
    machine.remove("memory/other.md");
    assert!(found(&mut process.vault, "handmade").is_empty());
}

/// All of this happens within one tick of the file system's clock.
#[test]
fn two_changes_in_one_tick_are_both_seen() {
    let (machine, mut process) = opened();
    machine.set_granularity(Duration::from_millis(10));
    for n in 0..5 {
        machine.put(
            &format!("memory/t{n}.md"),
            note(&format!("m-20261002-bbbbb{n}"), "tick", "within one tick"),
        );
        assert_eq!(found(&mut process.vault, "tick").len(), n + 1);
    }
}

#[test]
fn an_edit_in_place_of_equal_size_is_seen_after_two_seconds_or_a_sync() {
    let (machine, mut process) = opened();
    let path = format!("memory/{}.md", id(3));
    let edited = |word: &str| {
        note(
            &id(3),
            "note 3",
            &format!("memory number3 about {word} and 记忆3"),
        )
    };
    machine.put(&path, edited("topia3"));
    machine.advance(Duration::from_secs(3));
    assert_eq!(found(&mut process.vault, "topia3"), [id(3)]);
    machine.put(&path, edited("topib3"));
    process.vault.sync().expect("synced");
    assert_eq!(found(&mut process.vault, "topib3"), [id(3)]);
    assert!(found(&mut process.vault, "topia3").is_empty());
}

/// An edit right after a pass, within the same tick and of the same size,
/// hides behind equal size and time.
#[test]
fn an_edit_that_size_and_time_hide_is_seen_by_the_next_pass() {
    let (machine, mut process) = opened();
    machine.set_granularity(Duration::from_millis(4));
    let path = format!("memory/{}.md", id(3));
    machine.put(&path, note(&id(3), "note 3", "first words"));
    process.vault.sync().expect("synced");
    machine.put(&path, note(&id(3), "note 3", "other words"));
    process.vault.sync().expect("synced");
    assert_eq!(found(&mut process.vault, "other"), [id(3)]);
}

#[test]
fn writes_of_two_processes_are_seen_by_both() {
    let (machine, mut one) = opened();
    let mut two = process(&machine);
    for n in 0..10 {
        let a = one
            .vault
            .write(&draft(&format!("from one, round{n}")))
            .expect("written");
        let b = two
            .vault
            .write(&draft(&format!("from two, round{n}")))
            .expect("written");
        let mut expected = vec![a.memory.metadata.id, b.memory.metadata.id];
        expected.sort();
        for process in [&mut one, &mut two] {
            let mut seen = found(&mut process.vault, &format!("round{n}"));
            seen.sort();
            assert_eq!(seen, expected);
        }
        assert_eq!(a.feed_position + 1, b.feed_position);
    }
}

/// The feed's word for a directory must not cover what someone else did there.
#[test]
fn a_file_added_by_hand_around_anothers_write_is_seen() {
    let (machine, mut reader) = opened();
    let mut writer = process(&machine);
    writer.vault.overview().expect("opened");
    machine.advance(Duration::from_millis(50));
    machine.put(
        "memory/hand.md",
        note("m-20261002-cccccc", "hand", "before the write"),
    );
    machine.advance(Duration::from_millis(50));
    writer.vault.write(&draft("the write")).expect("written");
    assert_eq!(found(&mut reader.vault, "before"), ["m-20261002-cccccc"]);
    machine.advance(Duration::from_millis(50));
    writer
        .vault
        .write(&draft("another write"))
        .expect("written");
    machine.advance(Duration::from_millis(50));
    machine.put(
        "memory/hand2.md",
        note("m-20261002-dddddd", "hand", "after the write"),
    );
    assert_eq!(found(&mut reader.vault, "after"), ["m-20261002-dddddd"]);
    assert_eq!(found(&mut writer.vault, "after"), ["m-20261002-dddddd"]);
}

#[test]
fn an_update_by_another_process_replaces_what_was_known() {
    let (machine, mut reader) = opened();
    let mut writer = process(&machine);
    writer
        .vault
        .write(&Draft {
            id: Some(id(5)),
            ..draft("entirely different")
        })
        .expect("written");
    assert_eq!(found(&mut reader.vault, "entirely"), [id(5)]);
    assert!(found(&mut reader.vault, "number5").is_empty());
}

#[test]
fn a_private_folder_deleted_under_an_open_vault_does_no_harm() {
    let (machine, mut process) = opened();
    let before = found(&mut process.vault, "memory");
    for path in machine
        .files()
        .into_keys()
        .filter(|path| path.starts_with(".inkvault/"))
    {
        machine.remove(&path);
    }
    assert_eq!(found(&mut process.vault, "memory"), before);
    process
        .vault
        .write(&draft("written after"))
        .expect("written");
    assert_eq!(
        found(&mut common::process(&machine).vault, "written").len(),
        1
    );
}

#[test]
fn a_damaged_or_foreign_snapshot_is_built_anew() {
    let (machine, mut one) = opened();
    one.vault.rebuild_index().expect("rebuilt");
    let good = machine
        .bytes(".inkvault/index.snapshot")
        .expect("a snapshot");
    let before = found(&mut one.vault, "memory");
    let mut flipped = good.clone();
    if let Some(byte) = flipped.last_mut() {
        *byte ^= 1;
    }
    for bad in [
        &b""[..],
        b"inkvidx\x01",
        &good[..good.len() / 2],
        &flipped,
        b"\xff".repeat(100).as_slice(),
    ] {
        machine.put(".inkvault/index.snapshot", bad);
        assert_eq!(found(&mut process(&machine).vault, "memory"), before);
    }
}

#[test]
fn a_feed_that_was_cut_or_replaced_loses_no_news() {
    let (machine, mut reader) = opened();
    let mut writer = process(&machine);
    writer.vault.write(&draft("one")).expect("written");
    found(&mut reader.vault, "one");
    writer.vault.write(&draft("two")).expect("written");
    let feed = machine.bytes(".inkvault/feed.jsonl").expect("a feed");
    let last_line = feed
        .split_inclusive(|byte| *byte == b'\n')
        .next_back()
        .expect("a line")
        .to_vec();
    machine.advance(Duration::from_millis(50));
    machine.put(".inkvault/feed.jsonl", &last_line);
    assert_eq!(found(&mut reader.vault, "two").len(), 1);
    machine.put(".inkvault/feed.jsonl", b"not json\n");
    machine.put(
        "memory/late.md",
        note("m-20261002-eeeeee", "late", "a late note"),
    );
    assert_eq!(found(&mut reader.vault, "late"), ["m-20261002-eeeeee"]);
    machine.remove(".inkvault/feed.jsonl");
    writer.vault.write(&draft("three")).expect("written");
    assert_eq!(found(&mut reader.vault, "three").len(), 1);
}

/// The file of a hit is read anyway: what it says by now counts at once.
#[test]
fn a_hit_that_was_edited_in_place_is_not_shown_as_it_was() {
    let (machine, mut process) = opened();
    let path = format!("memory/{}.md", id(3));
    machine.put(&path, note(&id(3), "note 3", "other words now"));
    assert!(found(&mut process.vault, "number3").is_empty());
    assert_eq!(found(&mut process.vault, "words"), [id(3)]);
    machine.put(&path, note(&id(3), "note 3", "and others again"));
    assert_eq!(
        process.vault.get(&id(3)).expect("there").body,
        "and others again"
    );
    machine.remove(&path);
    assert!(process.vault.get(&id(3)).is_err());
}

/// Between a process's last look and its change, someone else adds a file.
#[test]
fn a_file_added_in_the_middle_of_a_write_is_seen() {
    let (machine, mut reader) = opened();
    let mut writer = process(&machine);
    writer.vault.overview().expect("opened");
    writer.environment.reset_calls();
    writer
        .vault
        .write(&draft("how many calls"))
        .expect("written");
    let calls = writer.environment.calls();
    for at_call in 1..=calls {
        let machine = machine.fork();
        machine.advance(Duration::from_millis(100));
        let mut writer = process(&machine);
        writer.vault.overview().expect("opened");
        writer.environment.reset_calls();
        // The write dies in the middle; what comes in between is a file.
        let injection = Injection {
            at_call,
            what: Plan::Crash,
        };
        writer.environment.plan(injection);
        let _ = writer.vault.write(&draft("interrupted"));
        machine.advance(Duration::from_millis(100));
        machine.put(
            "memory/between.md",
            note("m-20261002-ffffff", "b", "in between"),
        );
        let mut next = process(&machine);
        next.vault.overview().expect("opened");
        assert_eq!(
            found(&mut next.vault, "between"),
            ["m-20261002-ffffff"],
            "{at_call}"
        );
        next.vault.write(&draft("the next one")).expect("written");
        assert_eq!(
            found(&mut next.vault, "between"),
            ["m-20261002-ffffff"],
            "{at_call}"
        );
    }
    assert!(found(&mut reader.vault, "many").len() == 1 && calls > 20);
}

#[test]
fn verify_looks_before_it_compares() {
    let (machine, mut process) = opened();
    machine.advance(Duration::from_secs(60));
    let path = format!("memory/{}.md", id(3));
    machine.put(&path, note(&id(3), "note 3", "edited by hand"));
    machine.advance(Duration::from_secs(60));
    let faults = process.vault.verify(false).expect("verified").faults;
    assert!(faults.is_empty(), "{faults:?}");
    let mtime = machine.stat(&path).expect("a file").mtime;
    machine.put(&path, note(&id(3), "note 3", "edited by HAND"));
    machine.set_mtime(&path, mtime);
    let faults = process.vault.verify(false).expect("verified").faults;
    assert!(faults.len() == 1 && faults[0].path == path, "{faults:?}");
    assert_eq!(
        process.vault.get(&id(3)).expect("there").body,
        "edited by HAND"
    );
}

/// A change that names a file or a memory that moved by hand meanwhile.
#[test]
fn a_change_finds_what_was_moved_by_hand() {
    let (machine, mut process) = opened();
    let (a, b) = (
        format!("memory/{}.md", id(1)),
        format!("memory/{}.md", id(2)),
    );
    for (path, n) in [(&a, 1), (&b, 2)] {
        machine.put(path, note(&id(n), "moved", &"word ".repeat(n)));
    }
    process.vault.sync().expect("synced");
    machine.rename(&a, "memory/aside.md");
    machine.rename(&b, &a);
    machine.rename("memory/aside.md", &b);
    let change = |n: usize, body: &str| Draft {
        id: Some(id(n)),
        ..draft(body)
    };
    let changed = process
        .vault
        .write(&change(1, "first after the swap"))
        .expect("changed");
    assert_eq!(changed.memory.path.as_str(), b);
    process
        .vault
        .write(&change(2, "second after the swap"))
        .expect("changed");

    let at = |overwrite| Draft {
        path: Some("memory/x.md".into()),
        overwrite,
        ..draft("at x")
    };
    machine.put("memory/x.md", note("m-20261002-aaaaaa", "x", "by hand"));
    let updated = process.vault.write(&at(true)).expect("overwritten");
    assert_eq!(updated.memory.metadata.id, "m-20261002-aaaaaa");
    machine.remove("memory/x.md");
    assert!(process.vault.write(&at(false)).expect("written").created);
    machine.remove("memory/x.md");
    assert!(process.vault.write(&at(true)).expect("written").created);
}
