//! What others do to the files of an open vault is seen by the next search,
//! with real files, real clocks and the real component (design §6; in memory,
//! with clocks that a test moves: `guest/tests/freshness.rs`).

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use inkvault::vault::Draft;
use inkvault_tests::note::{id, note, numbered};
use inkvault_tests::{Folder, draft, found};

const ROUNDS: usize = 50;

/// Nothing is waited for: most rounds fall into one tick of the file system's
/// clock.
#[test]
fn a_file_added_renamed_or_removed_is_seen_by_the_next_search() {
    let folder = Folder::filled(10);
    let mut vault = folder.open();
    for round in 0..ROUNDS {
        let (word, known) = (format!("round{round}"), id(1_000 + round));
        let (added, renamed) = ("memory/added.md", "memory/renamed.md");
        folder.put(added, note(&known, "by hand", &word));
        assert_eq!(found(&mut vault, &word), [known.as_str()], "added");
        fs::rename(folder.at(added), folder.at(renamed)).expect("renamed");
        assert_eq!(found(&mut vault, &word), [known.as_str()], "renamed");
        let path = vault.get(&known).expect("a memory").metadata.path;
        assert_eq!(path, renamed);
        fs::remove_file(folder.at(renamed)).expect("removed");
        assert!(
            found(&mut vault, &word).is_empty(),
            "removed, round {round}"
        );
    }
}

/// The vault's own write moves the directory's time; what others did just
/// before or after must not hide behind it.
#[test]
fn a_file_changed_right_around_the_vaults_own_write_is_seen() {
    let folder = Folder::filled(10);
    let mut vault = folder.open();
    for round in 0..ROUNDS {
        let (before, after) = (format!("before{round}"), format!("after{round}"));
        folder.put(
            &format!("memory/{before}.md"),
            note(&id(1_000 + round), "b", &before),
        );
        vault
            .write(&draft(&format!("own{round}")))
            .expect("written");
        folder.put(
            &format!("memory/{after}.md"),
            note(&id(2_000 + round), "a", &after),
        );
        assert_eq!(found(&mut vault, &after), [id(2_000 + round)]);
        assert_eq!(found(&mut vault, &before), [id(1_000 + round)]);
        assert_eq!(found(&mut vault, &format!("own{round}")).len(), 1);

        vault
            .write(&draft(&format!("again{round}")))
            .expect("written");
        fs::remove_file(folder.at(&format!("memory/{after}.md"))).expect("removed");
        assert!(found(&mut vault, &after).is_empty(), "round {round}");
    }
}

/// An edit in place of the same size leaves no trace in the directory.
#[test]
fn an_edit_in_place_is_seen_after_a_sync_and_by_itself_after_two_seconds() {
    let folder = Folder::filled(10);
    let path = format!("memory/{}.md", id(7));
    let edited = |word: &str| numbered(7).replace("number7", word);
    let mut vault = folder.open();
    assert_eq!(found(&mut vault, "number7"), [id(7)]);

    folder.put(&path, edited("manual7"));
    let report = vault.sync().expect("synced");
    assert_eq!((report.added, report.changed, report.removed), (0, 1, 0));
    assert_eq!(found(&mut vault, "manual7"), [id(7)]);

    folder.put(&path, edited("marvel7"));
    sleep(Duration::from_millis(2_100));
    assert_eq!(found(&mut vault, "marvel7"), [id(7)]);
    assert!(found(&mut vault, "number7 manual7").is_empty());
}

/// Another instance has its own memory and its own view of the disk.
#[test]
fn a_write_of_another_instance_is_seen_by_the_next_search() {
    let folder = Folder::filled(10);
    let (mut one, mut two) = (folder.open(), folder.open());
    for round in 0..ROUNDS {
        let (before, after) = (format!("before{round}"), format!("after{round}"));
        let new = Draft {
            title: Some("a title".to_owned()),
            ..draft(&before)
        };
        let known = one.write(&new).expect("written").metadata.id;
        assert_eq!(found(&mut two, &before), [known.as_str()]);
        let update = Draft {
            id: Some(known.clone()),
            ..draft(&after)
        };
        two.write(&update).expect("changed");
        assert_eq!(found(&mut one, &after), [known]);
        assert!(found(&mut one, &before).is_empty());
    }
}

#[test]
fn without_its_private_folder_a_vault_finds_the_same() {
    let folder = Folder::filled(50);
    let mut vault = folder.open();
    vault
        .write(&draft("one more about topic3"))
        .expect("written");
    let options = Default::default();
    let hits = vault.search("topic3 memory", &options).expect("hits");
    assert!(!hits.is_empty());

    fs::remove_dir_all(folder.at(".inkvault")).expect("removed");
    assert_eq!(vault.search("topic3 memory", &options).expect("hits"), hits);
    let mut anew = folder.open();
    assert_eq!(anew.search("topic3 memory", &options).expect("hits"), hits);
    vault.write(&draft("and it still writes")).expect("written");
    assert_eq!(found(&mut anew, "writes").len(), 1);
}
