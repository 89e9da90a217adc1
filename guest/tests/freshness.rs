//! What others do to the files is seen: by the next call where it shows in a
//! directory or the feed, else by the next pass (design §6). On every format.

mod common;

use std::time::Duration;

use common::{Layout, Process, draft, found, on_every_layout, process};
use inkvault_guest::Error;
use inkvault_guest::environment::{Injection, Machine, Plan};
use inkvault_guest::vault::Draft;

/// The number of a memory that a person writes by hand.
const BY_HAND: usize = 700;

fn opened(layout: Layout) -> (Machine, Process) {
    let machine = layout.machine();
    layout.fill(&machine, 20);
    let mut process = process(&machine);
    process.vault.overview().expect("opened");
    (machine, process)
}

#[test]
fn a_file_added_renamed_or_removed_by_hand_is_seen_by_the_next_search() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        machine.put(
            &layout.file("new.md"),
            layout.note(&layout.id(BY_HAND), "new", "a handmade note"),
        );
        let by_hand = |name: &str| layout.id_in(BY_HAND, &layout.file(name));
        assert_eq!(found(&mut process.vault, "handmade"), [by_hand("new.md")]);
        machine.rename(&layout.file("new.md"), &layout.file("other.md"));
        assert_eq!(found(&mut process.vault, "handmade"), [by_hand("other.md")]);
        assert_eq!(
            process
                .vault
                .get(&by_hand("other.md"))
                .expect("a memory")
                .path
                .as_str(),
            &layout.file("other.md")
        );
        machine.remove(&layout.file("other.md"));
        assert!(found(&mut process.vault, "handmade").is_empty());
    });
}

/// All of this happens within one tick of the file system's clock.
#[test]
fn two_changes_in_one_tick_are_both_seen() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        machine.set_granularity(Duration::from_millis(10));
        for n in 0..5 {
            machine.put(
                &layout.file(&format!("t{n}.md")),
                layout.note(&layout.id(BY_HAND + n), "tick", "within one tick"),
            );
            assert_eq!(found(&mut process.vault, "tick").len(), n + 1);
        }
    });
}

#[test]
fn an_edit_in_place_of_equal_size_is_seen_after_two_seconds_or_a_sync() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        let path = layout.path(3);
        let edited = |word: &str| {
            layout.note(
                &layout.id(3),
                "note 3",
                &format!("memory number3 about {word} and 记忆3"),
            )
        };
        machine.put(&path, edited("topia3"));
        machine.advance(Duration::from_secs(3));
        assert_eq!(found(&mut process.vault, "topia3"), [layout.id(3)]);
        machine.put(&path, edited("topib3"));
        process.vault.sync().expect("synced");
        assert_eq!(found(&mut process.vault, "topib3"), [layout.id(3)]);
        assert!(found(&mut process.vault, "topia3").is_empty());
    });
}

/// An edit right after a pass, within the same tick and of the same size,
/// hides behind equal size and time.
#[test]
fn an_edit_that_size_and_time_hide_is_seen_by_the_next_pass() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        machine.set_granularity(Duration::from_millis(4));
        let path = layout.path(3);
        machine.put(&path, layout.note(&layout.id(3), "note 3", "first words"));
        process.vault.sync().expect("synced");
        machine.put(&path, layout.note(&layout.id(3), "note 3", "other words"));
        process.vault.sync().expect("synced");
        assert_eq!(found(&mut process.vault, "other"), [layout.id(3)]);
    });
}

#[test]
fn writes_of_two_processes_are_seen_by_both() {
    on_every_layout(|layout| {
        let (machine, mut one) = opened(layout);
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
    });
}

/// The feed's word for a directory must not cover what someone else did there.
#[test]
fn a_file_added_by_hand_around_anothers_write_is_seen() {
    on_every_layout(|layout| {
        let (machine, mut reader) = opened(layout);
        let mut writer = process(&machine);
        writer.vault.overview().expect("opened");
        machine.advance(Duration::from_millis(50));
        machine.put(
            &layout.file("hand.md"),
            layout.note(&layout.id(BY_HAND), "hand", "before the write"),
        );
        machine.advance(Duration::from_millis(50));
        writer.vault.write(&draft("the write")).expect("written");
        let by_hand = |n: usize, name: &str| layout.id_in(n, &layout.file(name));
        let first = by_hand(BY_HAND, "hand.md");
        assert_eq!(found(&mut reader.vault, "before"), [first]);
        machine.advance(Duration::from_millis(50));
        writer
            .vault
            .write(&draft("another write"))
            .expect("written");
        machine.advance(Duration::from_millis(50));
        machine.put(
            &layout.file("hand2.md"),
            layout.note(&layout.id(BY_HAND + 1), "hand", "after the write"),
        );
        let second = by_hand(BY_HAND + 1, "hand2.md");
        assert_eq!(found(&mut reader.vault, "after"), [&*second]);
        assert_eq!(found(&mut writer.vault, "after"), [&*second]);
    });
}

#[test]
fn an_update_by_another_process_replaces_what_was_known() {
    on_every_layout(|layout| {
        let (machine, mut reader) = opened(layout);
        let mut writer = process(&machine);
        writer
            .vault
            .write(&Draft {
                id: Some(layout.id(5)),
                ..draft("entirely different")
            })
            .expect("written");
        assert_eq!(found(&mut reader.vault, "entirely"), [layout.id(5)]);
        assert!(found(&mut reader.vault, "number5").is_empty());
    });
}

#[test]
fn a_private_folder_deleted_under_an_open_vault_does_no_harm() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        let before = found(&mut process.vault, "memory");
        for path in machine
            .files()
            .into_keys()
            .filter(|path| path.starts_with(&layout.private("")))
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
    });
}

#[test]
fn a_damaged_or_foreign_snapshot_is_built_anew() {
    on_every_layout(|layout| {
        let (machine, mut one) = opened(layout);
        one.vault.rebuild_index().expect("rebuilt");
        let good = machine
            .bytes(&layout.private("index.snapshot"))
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
            machine.put(&layout.private("index.snapshot"), bad);
            assert_eq!(found(&mut process(&machine).vault, "memory"), before);
        }
    });
}

#[test]
fn a_feed_that_was_cut_or_replaced_loses_no_news() {
    on_every_layout(|layout| {
        let (machine, mut reader) = opened(layout);
        let mut writer = process(&machine);
        writer.vault.write(&draft("one")).expect("written");
        found(&mut reader.vault, "one");
        writer.vault.write(&draft("two")).expect("written");
        let feed = machine
            .bytes(&layout.private("feed.jsonl"))
            .expect("a feed");
        let last_line = feed
            .split_inclusive(|byte| *byte == b'\n')
            .next_back()
            .expect("a line")
            .to_vec();
        machine.advance(Duration::from_millis(50));
        machine.put(&layout.private("feed.jsonl"), &last_line);
        assert_eq!(found(&mut reader.vault, "two").len(), 1);
        machine.put(&layout.private("feed.jsonl"), b"not json\n");
        machine.put(
            &layout.file("late.md"),
            layout.note(&layout.id(BY_HAND), "late", "a late note"),
        );
        let late = layout.id_in(BY_HAND, &layout.file("late.md"));
        assert_eq!(found(&mut reader.vault, "late"), [late]);
        machine.remove(&layout.private("feed.jsonl"));
        writer.vault.write(&draft("three")).expect("written");
        assert_eq!(found(&mut reader.vault, "three").len(), 1);
    });
}

/// The file of a hit is read anyway: what it says by now counts at once.
#[test]
fn a_hit_that_was_edited_in_place_is_not_shown_as_it_was() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        let path = layout.path(3);
        machine.put(
            &path,
            layout.note(&layout.id(3), "note 3", "other words now"),
        );
        assert!(found(&mut process.vault, "number3").is_empty());
        assert_eq!(found(&mut process.vault, "words"), [layout.id(3)]);
        machine.put(
            &path,
            layout.note(&layout.id(3), "note 3", "and others again"),
        );
        let memory = process.vault.get(&layout.id(3)).expect("there");
        assert_eq!(layout.text(&memory), "and others again");
        machine.remove(&path);
        assert!(process.vault.get(&layout.id(3)).is_err());
    });
}

/// Between a process's last look and its change, someone else adds a file.
#[test]
fn a_file_added_in_the_middle_of_a_write_is_seen() {
    on_every_layout(|layout| {
        let (machine, mut reader) = opened(layout);
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
            let between = layout.file("between.md");
            let by_hand = layout.id_in(BY_HAND, &between);
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
                &between,
                layout.note(&layout.id(BY_HAND), "b", "in between"),
            );
            let mut next = process(&machine);
            next.vault.overview().expect("opened");
            assert_eq!(found(&mut next.vault, "between"), [&*by_hand], "{at_call}");
            next.vault.write(&draft("the next one")).expect("written");
            assert_eq!(found(&mut next.vault, "between"), [&*by_hand], "{at_call}");
        }
        assert!(found(&mut reader.vault, "many").len() == 1 && calls > 20);
    });
}

#[test]
fn verify_looks_before_it_compares() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        machine.advance(Duration::from_secs(60));
        let path = layout.path(3);
        machine.put(
            &path,
            layout.note(&layout.id(3), "note 3", "edited by hand"),
        );
        machine.advance(Duration::from_secs(60));
        let faults = process.vault.verify(false).expect("verified").faults;
        assert!(faults.is_empty(), "{faults:?}");
        let mtime = machine.stat(&path).expect("a file").mtime;
        machine.put(
            &path,
            layout.note(&layout.id(3), "note 3", "edited by HAND"),
        );
        machine.set_mtime(&path, mtime);
        let faults = process.vault.verify(false).expect("verified").faults;
        assert!(faults.len() == 1 && faults[0].path == path, "{faults:?}");
        let memory = process.vault.get(&layout.id(3)).expect("there");
        assert_eq!(layout.text(&memory), "edited by HAND");
    });
}

/// A change that names a file or a memory that moved by hand meanwhile.
#[test]
fn a_change_finds_what_was_moved_by_hand() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        let (a, b) = (layout.path(1), layout.path(2));
        for (path, n) in [(&a, 1), (&b, 2)] {
            machine.put(
                path,
                layout.note(&layout.id(n), "moved", &"word ".repeat(n)),
            );
        }
        process.vault.sync().expect("synced");
        machine.rename(&a, &layout.file("aside.md"));
        machine.rename(&b, &a);
        machine.rename(&layout.file("aside.md"), &b);
        let change = |n: usize, body: &str| Draft {
            id: Some(layout.id(n)),
            ..draft(body)
        };
        let changed = process
            .vault
            .write(&change(1, "first after the swap"))
            .expect("changed");
        // Each has its id with it, or has the other's now.
        let moved = layout.ids_can_be_claimed();
        assert_eq!(changed.memory.path.as_str(), if moved { &b } else { &a });
        process
            .vault
            .write(&change(2, "second after the swap"))
            .expect("changed");
    });
}

/// The same of a place that a caller asks for.
#[test]
fn a_place_that_was_taken_or_left_by_hand_is_seen() {
    on_every_layout(|layout| {
        let (machine, mut process) = opened(layout);
        let place = layout.file(layout.chosen.unwrap_or("x.md"));
        let at = |overwrite| Draft {
            path: Some(place.clone()),
            overwrite,
            ..draft("at x")
        };
        if layout.chosen.is_none() {
            let refused = process.vault.write(&at(false));
            assert!(
                matches!(refused, Err(Error::InvalidArgument(_))),
                "{refused:?}"
            );
            return;
        }
        machine.put(&place, layout.note(&layout.id(BY_HAND), "x", "by hand"));
        let updated = process.vault.write(&at(true)).expect("overwritten");
        assert_eq!(updated.memory.metadata.id, layout.id_in(BY_HAND, &place));
        machine.remove(&place);
        assert!(process.vault.write(&at(false)).expect("written").created);
        machine.remove(&place);
        assert!(process.vault.write(&at(true)).expect("written").created);
    });
}
