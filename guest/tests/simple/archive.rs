//! Forgetting and what brings a note back: restoring, undoing, rolling back.

use std::time::Duration;

use inkvault_guest::Error;
use inkvault_guest::memory::{Status, fingerprint};
use inkvault_guest::vault::{Change, Draft, Earlier, UndoTarget, Vault};

use serde_json::json;

use crate::common::{found, text_at};
use crate::{change, note, open, put, root, shown};

/// Where notes lie, and where they go when they are forgotten.
const PLACES: [(&str, &str); 8] = [
    ("common/踩坑-a", "archive/踩坑-a"),
    ("common/sub/踩坑-a", "archive/sub/踩坑-a"),
    (
        "common/projects/p/踩坑-a",
        "archive/common/projects/p/踩坑-a",
    ),
    ("projects/app/踩坑-a", "archive/projects/app/踩坑-a"),
    ("projects/app/sub/a", "archive/projects/app/sub/a"),
    ("references/踩坑-a", "archive/references/踩坑-a"),
    ("踩坑-a", "archive/踩坑-a"),
    ("ideas/deep/a", "archive/ideas/deep/a"),
];

const TEXT: &str = "\u{feff}## 2026-08-18 踩坑-a\r\n\r\nalpha\r\n\r\n";

fn path(id: &str) -> String {
    format!("{id}.md")
}

fn restore(vault: &mut Vault, id: &str) -> inkvault_guest::Result<String> {
    let receipt = vault.change_status(id, &Change::Restore, None, "");
    receipt.map(|receipt| receipt.memory.metadata.id)
}

#[test]
fn what_is_forgotten_goes_to_the_archive_and_comes_back_as_it_was() {
    type Back = fn(&mut Vault, &str, &str) -> inkvault_guest::Result<String>;
    let ways: [Back; 5] = [
        |vault, _, away| restore(vault, away),
        |vault, home, _| restore(vault, home),
        |vault, home, _| undo(vault, home),
        |vault, _, away| undo(vault, away),
        |vault, home, _| {
            let earlier = Earlier {
                path: &path(home),
                content: TEXT.as_bytes(),
            };
            let receipt = vault.roll_back(home, earlier, None, "");
            receipt.map(|receipt| receipt.memory.metadata.id)
        },
    ];
    for (home, away) in PLACES {
        let (machine, mut vault) = root();
        put(&machine, &[(&path(home), TEXT)]);
        let scope = vault.get(home).expect("there").metadata.scope;
        let receipt = vault.forget(home, None, "why not").expect("forgotten");
        let metadata = &receipt.memory.metadata;
        assert_eq!((&*metadata.id, metadata.status), (away, Status::Archived));
        assert_eq!(metadata.scope, scope, "it is still known whose it was");
        assert!(receipt.commit_message.starts_with("mem: 遗忘 "));
        assert_eq!(text_at(&machine, &path(away)), TEXT);
        assert_eq!(machine.bytes(&path(home)), None);
        assert_eq!(found(&mut vault, "alpha"), [away]);
        for back in ways {
            let machine = machine.fork();
            let id = back(&mut open(&machine), home, away).expect(home);
            assert_eq!(id, home);
            assert_eq!(text_at(&machine, &path(home)), TEXT);
            assert_eq!(machine.bytes(&path(away)), None, "{home}");
            assert_eq!(found(&mut open(&machine), "alpha"), [home]);
            let status = open(&machine).get(home).expect("there").metadata.status;
            assert_eq!(status, Status::Active);
        }
    }
}

fn undo(vault: &mut Vault, id: &str) -> inkvault_guest::Result<String> {
    let receipt = vault.undo(&UndoTarget::LastOf(id.into()));
    receipt.map(|receipt| receipt.memory.metadata.id)
}

/// The feed is private: a clone of the repository knows places alone. What
/// lay loose then comes back among what is common.
#[test]
fn a_clone_brings_notes_back_by_their_place() {
    for (home, away) in PLACES {
        let (machine, mut vault) = root();
        put(&machine, &[(&path(away), TEXT)]);
        let back = match home {
            "踩坑-a" => "common/踩坑-a",
            "ideas/deep/a" => "common/ideas/deep/a",
            home => home,
        };
        assert_eq!(restore(&mut vault, away).expect(away), back);
        assert_eq!(text_at(&machine, &path(back)), TEXT);
    }
}

#[test]
fn names_that_are_taken_in_the_archive_get_a_number() {
    let (machine, mut vault) = root();
    let id = "common/踩坑-a";
    for (n, away) in ["archive/踩坑-a", "archive/踩坑-a-2", "archive/踩坑-a-3"]
        .iter()
        .enumerate()
    {
        vault
            .write(&note("踩坑", "a", &format!("text{n}")))
            .expect("written");
        let receipt = vault.forget(id, None, "").expect("forgotten");
        assert_eq!(receipt.memory.metadata.id, *away);
    }
    // By the old id the last one comes back, under its own name.
    assert_eq!(restore(&mut vault, id).expect("restored"), id);
    assert_eq!(
        text_at(&machine, "common/踩坑-a.md"),
        "## 2026-10-19 踩坑-a\n\ntext2\n"
    );
    let before = shown(&machine);
    let refused = restore(&mut vault, "archive/踩坑-a");
    assert!(
        matches!(refused, Err(Error::AlreadyExists(_))),
        "{refused:?}"
    );
    assert_eq!(shown(&machine), before, "nothing is lost");
    for n in 0..3 {
        assert_eq!(found(&mut vault, &format!("text{n}")).len(), 1);
    }
    vault.forget(id, None, "").expect("out of the way");
    assert_eq!(restore(&mut vault, "archive/踩坑-a").expect("restored"), id);
    assert!(text_at(&machine, "common/踩坑-a.md").contains("text0"));
}

/// To archive a note and to forget it is the same.
#[test]
fn archiving_puts_a_note_where_forgetting_puts_it() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            ("common/踩坑-a.md", TEXT),
            ("archive/踩坑-a.md", "an older one"),
        ],
    );
    let archived = vault.change_status("common/踩坑-a", &Change::Archive, None, "");
    let archived = archived.expect("archived");
    assert_eq!(archived.memory.metadata.id, "archive/踩坑-a-2");
    assert_eq!(text_at(&machine, "archive/踩坑-a-2.md"), TEXT);
    assert_eq!(text_at(&machine, "archive/踩坑-a.md"), "an older one");
    assert_eq!(
        restore(&mut vault, "common/踩坑-a").expect("restored"),
        "common/踩坑-a"
    );
    assert_eq!(text_at(&machine, "common/踩坑-a.md"), TEXT);
}

/// What anybody can leave in the private folder moves and makes no file that
/// is none of a note or the pool.
#[test]
fn an_interrupted_change_that_leaves_the_notes_is_not_finished() {
    let staged = ".inkvault/staging/1-0.0123456789abcdef";
    let create = |target: &str| json!({"deed": "create", "staged": staged, "target": target, "revision": "0"});
    let moved = |from: &str, to: &str| json!({"deed": "move", "from": from, "to": to, "expected": fingerprint(b"theirs")});
    for deed in [
        create(".git/hooks/post-merge"),
        create(".git/踩坑-x.md"),
        create("README.md"),
        create("common/.hidden.md"),
        create("common/x.txt"),
        create("a/b/c/d/e/f/g/h/i/too-deep.md"),
        moved(".git/config", "common/踩坑-x.md"),
        moved("common/踩坑-a.md", ".git/踩坑-a.md"),
        moved("common/踩坑-a.md", "plain.txt"),
    ] {
        let (machine, mut vault) = root();
        put(
            &machine,
            &[(".git/config", "theirs"), ("common/踩坑-a.md", "theirs")],
        );
        machine.remove("README.md");
        vault
            .write(&note("踩坑", "b", "makes the lock"))
            .expect("written");
        machine.put(staged, "evil");
        let step = json!([{"id": "", "status_before": "", "status_after": "", "deed": deed}]);
        let intent =
            json!({"position": 2, "operation": "x", "id": "", "steps": step, "journal": []});
        machine.put(".inkvault/intent.x.json", intent.to_string());
        machine.rename(".inkvault/lock/free", ".inkvault/lock/left-x");
        let before = shown(&machine);
        let receipt = open(&machine)
            .write(&note("踩坑", "c", "next"))
            .expect("written");
        let mut after = shown(&machine);
        after.remove(receipt.memory.path.as_str());
        assert_eq!(after, before, "{deed}");
        assert!(
            receipt.notes[0].contains("was not finished"),
            "{deed}: {receipt:?}"
        );
    }
}

#[test]
fn what_was_put_away_already_cannot_be_forgotten() {
    let (machine, mut vault) = root();
    put(&machine, &[("archive/踩坑-a.md", "x")]);
    let before = shown(&machine);
    for refused in [
        vault.forget("archive/踩坑-a", None, "").map(drop),
        vault.forget("common/踩坑-a", None, "").map(drop),
        restore(&mut vault, "common/踩坑-a").map(drop),
        restore(&mut vault, "common/nothing").map(drop),
    ] {
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_) | Error::NotFound(_))),
            "{refused:?}"
        );
    }
    put(&machine, &[("common/踩坑-b.md", "x")]);
    let active = restore(&mut vault, "common/踩坑-b");
    assert!(
        matches!(active, Err(Error::InvalidArgument(_))),
        "{active:?}"
    );
    machine.remove("common/踩坑-b.md");
    assert_eq!(shown(&machine), before);
}

#[test]
fn only_the_revision_that_was_named_is_forgotten() {
    let (machine, mut vault) = root();
    put(&machine, &[("common/踩坑-a.md", "x")]);
    let revision = vault.get("common/踩坑-a").expect("there").revision;
    put(&machine, &[("common/踩坑-a.md", "a person's edit")]);
    let stale = vault.forget("common/踩坑-a", Some(&revision), "");
    assert!(
        matches!(stale, Err(Error::RevisionConflict(_))),
        "{stale:?}"
    );
    assert_eq!(text_at(&machine, "common/踩坑-a.md"), "a person's edit");
}

#[test]
fn a_new_note_that_is_undone_is_put_away() {
    let (machine, mut vault) = root();
    put(&machine, &[("archive/踩坑-a.md", "an older one")]);
    let written = vault.write(&note("踩坑", "a", "alpha")).expect("written");
    let text = text_at(&machine, "common/踩坑-a.md");
    let undone = vault.undo(&UndoTarget::Position(written.feed_position));
    let undone = undone.expect("undone");
    assert_eq!(undone.memory.metadata.id, "archive/踩坑-a-2");
    assert_eq!(text_at(&machine, "archive/踩坑-a-2.md"), text);
    assert_eq!(text_at(&machine, "archive/踩坑-a.md"), "an older one");
    let again = vault.undo(&UndoTarget::Position(undone.feed_position));
    assert_eq!(again.expect("undone").memory.metadata.id, "common/踩坑-a");
    assert_eq!(text_at(&machine, "common/踩坑-a.md"), text);
}

#[test]
fn a_promotion_is_undone_with_its_place_and_its_bytes() {
    let (machine, mut vault) = root();
    put(&machine, &[("projects/app/踩坑-a.md", TEXT)]);
    let promoted = vault.change_status("projects/app/踩坑-a", &Change::Promote, None, "");
    let promoted = promoted.expect("promoted");
    assert_eq!(promoted.memory.metadata.id, "common/踩坑-a");
    assert_eq!(promoted.commit_message, "mem: 升格 踩坑-a");
    assert_eq!(text_at(&machine, "common/踩坑-a.md"), TEXT);
    let idle = vault.change_status("common/踩坑-a", &Change::Promote, None, "");
    assert_eq!(idle.expect("idle").changed_paths, [""; 0]);
    assert_eq!(
        undo(&mut vault, "common/踩坑-a").expect("undone"),
        "projects/app/踩坑-a"
    );
    assert_eq!(text_at(&machine, "projects/app/踩坑-a.md"), TEXT);
    assert_eq!(machine.bytes("common/踩坑-a.md"), None);
}

/// Undoing a change after a person edited the file would lose their edit.
#[test]
fn nothing_is_undone_over_a_persons_edit() {
    let (machine, mut vault) = root();
    vault.write(&note("踩坑", "a", "alpha")).expect("written");
    vault.forget("common/踩坑-a", None, "").expect("forgotten");
    put(&machine, &[("archive/踩坑-a.md", "by hand")]);
    let refused = undo(&mut vault, "common/踩坑-a");
    assert!(
        matches!(refused, Err(Error::RevisionConflict(_))),
        "{refused:?}"
    );
    assert_eq!(text_at(&machine, "archive/踩坑-a.md"), "by hand");
}

/// The host has the bytes from git; the place is part of what they were.
#[test]
fn a_note_is_rolled_back_to_a_commit_wherever_it_went_since() {
    let (machine, mut vault) = root();
    put(&machine, &[("projects/app/踩坑-a.md", TEXT)]);
    let title = Draft {
        title: Some("b".into()),
        scope: Some(String::new()),
        ..change("projects/app/踩坑-a")
    };
    vault.write(&title).expect("moved");
    machine.advance(Duration::from_secs(60));
    let earlier = Earlier {
        path: "projects/app/踩坑-a.md",
        content: TEXT.as_bytes(),
    };
    let back = vault
        .roll_back("common/踩坑-b", earlier, None, "")
        .expect("rolled back");
    assert_eq!(back.memory.metadata.id, "projects/app/踩坑-a");
    assert_eq!(machine.bytes("common/踩坑-b.md"), None);
    assert_eq!(text_at(&machine, "projects/app/踩坑-a.md"), TEXT);
    // One that a person removed comes back, too.
    machine.remove("projects/app/踩坑-a.md");
    let back = vault.roll_back("projects/app/踩坑-a", earlier, None, "");
    assert!(back.expect("brought back").created);
    assert_eq!(text_at(&machine, "projects/app/踩坑-a.md"), TEXT);
    let nowhere = Earlier {
        path: ".git/config",
        content: b"x",
    };
    let refused = vault.roll_back("projects/app/踩坑-a", nowhere, None, "");
    assert!(
        matches!(refused, Err(Error::InvalidArgument(_))),
        "{refused:?}"
    );
}

/// What lies as deep as is read goes one level deeper in the archive, and is
/// read there, too; beyond that nothing is moved.
#[test]
fn the_deepest_note_is_put_away_and_comes_back() {
    let deep = format!("projects/p/{}踩坑-a", "x/".repeat(7));
    let (machine, mut vault) = root();
    put(&machine, &[(&format!("{deep}.md"), "deep")]);
    let away = vault.forget(&deep, None, "").expect("forgotten");
    let id = away.memory.metadata.id;
    assert_eq!(
        found(&mut open(&machine), "deep"),
        std::slice::from_ref(&id)
    );
    assert_eq!(restore(&mut vault, &id).expect("restored"), deep);
    let deeper = format!("projects/p/{}踩坑-a", "x/".repeat(8));
    put(&machine, &[(&format!("{deeper}.md"), "deeper")]);
    assert!(found(&mut open(&machine), "deeper").is_empty());
}

#[test]
fn a_rollback_goes_to_no_place_that_is_hidden() {
    let (machine, mut vault) = root();
    put(&machine, &[("common/踩坑-a.md", TEXT)]);
    let before = shown(&machine);
    for place in [
        ".hidden/q.md.tmp-1",
        ".git/refs/heads/x.md.tmp-1-a",
        ".inkvault/x.md",
        "common/踩坑-a.md.tmp-1-a",
        "staging.md",
        "common/.x.md",
    ] {
        let earlier = Earlier {
            path: place,
            content: TEXT.as_bytes(),
        };
        let refused = vault.roll_back("common/踩坑-a", earlier, None, "");
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{place}: {refused:?}"
        );
    }
    assert_eq!(shown(&machine), before);
}

/// By an id that it had before, a memory is found where it is now; never
/// another one that came to its place.
#[test]
fn an_id_from_before_means_that_memory_and_no_other() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            ("projects/app/踩坑-a.md", TEXT),
            ("踩坑-w.md", "loose"),
            ("common/踩坑-w.md", "w"),
        ],
    );
    let promoted = vault.change_status("projects/app/踩坑-a", &Change::Promote, None, "");
    promoted.expect("promoted");
    let earlier = Earlier {
        path: "projects/app/踩坑-a.md",
        content: TEXT.as_bytes(),
    };
    vault
        .roll_back("projects/app/踩坑-a", earlier, None, "")
        .expect("rolled back");
    assert_eq!(machine.bytes("common/踩坑-a.md"), None, "moved, not copied");

    vault.forget("common/踩坑-w", None, "").expect("forgotten");
    machine.remove("archive/踩坑-w.md");
    machine.advance(Duration::from_secs(60));
    vault.sync().expect("seen");
    vault.forget("踩坑-w", None, "").expect("forgotten");
    let gone = restore(&mut vault, "common/踩坑-w");
    assert!(matches!(gone, Err(Error::NotFound(_))), "{gone:?}");
    assert_eq!(restore(&mut vault, "踩坑-w").expect("restored"), "踩坑-w");
}

/// Every id that is listed can be asked for, also one that reads like another
/// way to name something else.
#[test]
fn an_id_means_itself_before_it_means_another() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            ("common/踩坑-a.md", "one"),
            ("common/踩坑-a.md.md", "two"),
            ("project/x/踩坑-q.md", "three"),
            ("projects/x/踩坑-q.md", "four"),
        ],
    );
    for (id, text) in [
        ("common/踩坑-a", "one"),
        ("common/踩坑-a.md", "two"),
        ("project/x/踩坑-q", "three"),
        ("projects/x/踩坑-q", "four"),
    ] {
        assert_eq!(vault.get(id).expect("a note").body, text, "{id}");
    }
    vault
        .forget("project/x/踩坑-q", None, "")
        .expect("forgotten");
    assert_eq!(text_at(&machine, "projects/x/踩坑-q.md"), "four");
    let by_another_name = vault.get("project/x/踩坑-q").expect("a note");
    assert_eq!(by_another_name.body, "four");
}

#[test]
fn a_long_name_that_is_taken_in_the_archive_gets_a_number_all_the_same() {
    let name = format!("踩坑-{}", "x".repeat(245));
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            (&format!("common/{name}.md"), "new"),
            (&format!("archive/{name}.md"), "old"),
        ],
    );
    let away = vault
        .forget(&format!("common/{name}"), None, "")
        .expect("forgotten");
    assert_eq!(text_at(&machine, away.memory.path.as_str()), "new");
    assert_eq!(text_at(&machine, &format!("archive/{name}.md")), "old");
}
