//! What writing, changing, moving and overwriting a note does to its file.

use inkvault_guest::Error;
use inkvault_guest::vault::{Change, Draft, UndoTarget};

use crate::common::{found, text_at};
use crate::{change, note, open, put, root, shown};

const PATH: &str = "common/踩坑-端口.md";
const ID: &str = "common/踩坑-端口";

fn with_body(id: &str, body: &str) -> Draft {
    Draft {
        body: Some(body.into()),
        ..change(id)
    }
}

#[test]
fn a_change_of_the_text_keeps_what_a_person_put_around_it() {
    for (before, after) in [
        (
            "## 2026-08-18 踩坑-端口\n\nold\n",
            "## 2026-08-18 踩坑-端口\n\na\nb\n",
        ),
        (
            "\u{feff}## 2026-08-18 踩坑-端口\r\n\r\nold\r\nlines\r\n\r\n\r\n",
            "\u{feff}## 2026-08-18 踩坑-端口\r\n\r\na\r\nb\r\n\r\n\r\n",
        ),
        (
            "##\u{20}2026-08-18  踩坑-端口  \n\n\n\nold",
            "##\u{20}2026-08-18  踩坑-端口  \n\n\n\na\nb",
        ),
        ("no heading\nat all\n\n", "a\nb\n\n"),
        ("\n\n  \nblank lines first\n", "\n\n  \na\nb\n"),
        // What `get` answers is what is replaced.
        ("## 2026-08-18 另一个\n\nold\n", "a\nb\n"),
        ("", "a\nb"),
    ] {
        let (machine, mut vault) = root();
        put(&machine, &[(PATH, before)]);
        let receipt = vault.write(&with_body(ID, "a\nb\n")).expect("changed");
        assert_eq!(text_at(&machine, PATH), after, "{before:?}");
        assert_eq!(receipt.memory.body.replace("\r\n", "\n"), "a\nb");
        assert_eq!(receipt.changed_paths, [PATH]);
        assert_eq!(receipt.commit_message, "mem: 改 踩坑-端口");
        vault.undo(&UndoTarget::LastOf(ID.into())).expect("undone");
        assert_eq!(text_at(&machine, PATH), before);
    }
}

/// Reading a note and writing its text back changes nothing.
#[test]
fn a_text_that_is_given_back_as_it_was_read_changes_nothing() {
    for text in [
        "## 2026-08-18 踩坑-端口\n\n    indented code\n\nand text\n\n",
        "## 2026-08-18 踩坑-端口\r\n\r\none\r\ntwo\r\n",
        "\tindented\nwithout a heading",
        "## 2026-08-18 踩坑-端口\n",
    ] {
        let (machine, mut vault) = root();
        put(&machine, &[(PATH, text)]);
        let body = vault.get(ID).expect("there").body;
        if body.is_empty() {
            continue;
        }
        let receipt = vault.write(&with_body(ID, &body)).expect("nothing to do");
        assert_eq!(text_at(&machine, PATH), text);
        assert_eq!(receipt.changed_paths, [""; 0], "{text:?}");
    }
}

#[test]
fn the_date_is_that_of_the_place_and_stays() {
    // 2026-10-19T10:00:00.123Z
    for (offset, day) in [
        (0, "2026-10-19"),
        (14 * 60, "2026-10-20"),
        (-11 * 60, "2026-10-18"),
    ] {
        let (machine, mut vault) = root();
        let local = Draft {
            utc_offset_minutes: offset,
            ..note("踩坑", "端口", "x")
        };
        vault.write(&local).expect("written");
        let file = format!("## {day} 踩坑-端口\n\nx\n");
        assert_eq!(text_at(&machine, PATH), file);
        machine.advance(std::time::Duration::from_secs(10 * 86_400));
        vault.write(&with_body(ID, "y")).expect("changed");
        assert_eq!(text_at(&machine, PATH), file.replace("\nx\n", "\ny\n"));
        let created = vault.get(ID).expect("there").metadata.created;
        assert!(created.to_string().starts_with(day));
    }
}

#[test]
fn a_name_that_is_taken_is_overwritten_only_when_asked() {
    let (machine, mut vault) = root();
    let before = "\u{feff}mine, without a heading\r\n";
    put(&machine, &[(PATH, before)]);
    let revision = vault.get(ID).expect("there").revision;
    let new = note("踩坑", "端口", "new");
    assert!(matches!(vault.write(&new), Err(Error::AlreadyExists(_))));
    assert_eq!(text_at(&machine, PATH), before);
    let overwriting = |revision: Option<&str>| Draft {
        overwrite: true,
        path: revision.map(|_| PATH.to_owned()),
        revision: revision.map(str::to_owned),
        ..new.clone()
    };
    let stale = vault.write(&overwriting(Some("0123456789abcdef")));
    assert!(
        matches!(stale, Err(Error::RevisionConflict(_))),
        "{stale:?}"
    );
    let receipt = vault
        .write(&overwriting(Some(&revision)))
        .expect("overwritten");
    assert!(!receipt.created);
    assert_eq!(receipt.revisions_before, [revision]);
    assert_eq!(text_at(&machine, PATH), "## 2026-10-19 踩坑-端口\n\nnew\n");
    let undone = vault.undo(&UndoTarget::Position(receipt.feed_position));
    assert_eq!(undone.expect("undone").memory.metadata.id, ID);
    assert_eq!(text_at(&machine, PATH), before);
}

/// What is no note, and what is none of ours, is never overwritten.
#[test]
fn a_place_that_something_else_takes_is_not_overwritten() {
    let (machine, mut vault) = root();
    machine.put(PATH, b"\xff not UTF-8");
    machine.put("common/决策-目录.md/inner.txt", "a directory of that name");
    for (kind, title) in [("踩坑", "端口"), ("决策", "目录")] {
        let asked = Draft {
            overwrite: true,
            ..note(kind, title, "new")
        };
        let refused = vault.write(&asked);
        assert!(
            matches!(refused, Err(Error::AlreadyExists(_))),
            "{refused:?}"
        );
    }
    assert_eq!(machine.bytes(PATH), Some(b"\xff not UTF-8".to_vec()));
}

/// A change of name, category or project moves the file; its heading follows
/// where it has one, and all else stays.
#[test]
fn a_note_moves_when_what_decides_its_place_changes() {
    const TEXT: &str = "\u{feff}## 2026-08-18 踩坑-端口\r\n\r\ntext\r\n\r\n";
    let title = |title: &str| Draft {
        title: Some(title.into()),
        ..Draft::default()
    };
    let kind = |kind: &str| Draft {
        kind: Some(kind.into()),
        ..Draft::default()
    };
    let scope = |scope: &str| Draft {
        scope: Some(scope.into()),
        ..Draft::default()
    };
    for (from, draft, to) in [
        ("common/踩坑-端口", title("占用"), "common/踩坑-占用"),
        ("common/踩坑-端口", kind("流程"), "common/流程-端口"),
        ("common/踩坑-端口", scope("app"), "projects/app/踩坑-端口"),
        ("projects/app/踩坑-端口", scope(""), "common/踩坑-端口"),
        (
            "projects/app/踩坑-端口",
            scope("lib"),
            "projects/lib/踩坑-端口",
        ),
        (
            "projects/app/sub/踩坑-端口",
            title("占用"),
            "projects/app/sub/踩坑-占用",
        ),
        ("common/sub/踩坑-端口", kind("流程"), "common/sub/流程-端口"),
        ("踩坑-端口", title("占用"), "踩坑-占用"),
        ("ideas/踩坑-端口", scope("app"), "projects/app/踩坑-端口"),
        (
            "references/踩坑-端口",
            title("占用"),
            "references/踩坑-占用",
        ),
        ("archive/踩坑-端口", title("占用"), "archive/踩坑-占用"),
        (
            "archive/projects/app/踩坑-端口",
            scope("lib"),
            "archive/projects/lib/踩坑-端口",
        ),
    ] {
        let (machine, mut vault) = root();
        let [old, new] = [from, to].map(|id| format!("{id}.md"));
        put(&machine, &[(&old, TEXT)]);
        let moved = vault.write(&Draft {
            id: Some(from.into()),
            ..draft
        });
        let receipt = moved.expect(to);
        assert_eq!(receipt.memory.metadata.id, to);
        assert_eq!(machine.bytes(&old), None, "{to}");
        let name = to.rsplit('/').next().expect("a name");
        assert_eq!(text_at(&machine, &new), TEXT.replace("踩坑-端口", name));
        assert_eq!(found(&mut vault, "text"), [to]);
        assert_eq!(found(&mut open(&machine), "text"), [to]);
        let mut paths = receipt.changed_paths;
        paths.sort();
        let mut both = [old.clone(), new];
        both.sort();
        assert_eq!(paths, both);
        for id in [from, to] {
            let machine = machine.fork();
            let undone = open(&machine).undo(&UndoTarget::LastOf(id.into()));
            assert_eq!(undone.expect("undone").memory.metadata.id, from);
            assert_eq!(text_at(&machine, &old), TEXT);
        }
    }
}

#[test]
fn a_note_does_not_move_onto_another() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            (PATH, "one"),
            ("common/踩坑-占用.md", "two"),
            ("projects/app/踩坑-端口.md", "three"),
        ],
    );
    let before = shown(&machine);
    let title = Draft {
        title: Some("占用".into()),
        ..change(ID)
    };
    let scope = Draft {
        scope: Some("app".into()),
        ..change(ID)
    };
    let promoted = vault.change_status("projects/app/踩坑-端口", &Change::Promote, None, "");
    for refused in [vault.write(&title), vault.write(&scope), promoted] {
        assert!(
            matches!(refused, Err(Error::AlreadyExists(_))),
            "{refused:?}"
        );
    }
    assert_eq!(shown(&machine), before);
}

/// Names of a person's own need not be ones that a new note could have.
#[test]
fn a_name_that_breaks_the_rules_is_kept() {
    let (machine, mut vault) = root();
    let path = "projects/app/My notes (old) v1.0.md";
    put(&machine, &[(path, "text\n")]);
    let id = "projects/app/My notes (old) v1.0";
    vault.write(&with_body(id, "changed")).expect("changed");
    assert_eq!(text_at(&machine, path), "changed\n");
    let promoted = vault.change_status(id, &Change::Promote, None, "");
    let path = promoted.expect("promoted").memory.path;
    assert_eq!(path.as_str(), "common/My notes (old) v1.0.md");
    let forgotten = vault.forget("common/My notes (old) v1.0", None, "");
    let path = forgotten.expect("forgotten").memory.path;
    assert_eq!(path.as_str(), "archive/My notes (old) v1.0.md");
}

#[test]
fn a_note_of_a_new_project_is_seen_at_once_by_all() {
    let (machine, mut vault) = root();
    let mut reader = open(&machine);
    found(&mut reader, "x");
    machine.advance(std::time::Duration::from_secs(60));
    found(&mut reader, "x");
    let first = Draft {
        scope: Some("新项目".into()),
        ..note("踩坑", "a", "alpha")
    };
    let receipt = vault.write(&first).expect("written");
    assert_eq!(receipt.memory.metadata.scope.as_deref(), Some("新项目"));
    for vault in [&mut vault, &mut reader] {
        assert_eq!(found(vault, "alpha"), ["projects/新项目/踩坑-a"]);
    }
    let second = Draft {
        scope: Some("新项目".into()),
        ..note("踩坑", "b", "beta")
    };
    vault.write(&second).expect("written");
    assert_eq!(found(&mut reader, "beta"), ["projects/新项目/踩坑-b"]);
}

/// A text of 2,048 bytes is kept, also where blanks are around it; a person's
/// longer one can be moved as it is.
#[test]
fn a_text_has_at_most_two_kilobytes() {
    let (machine, mut vault) = root();
    let most = "字".repeat(682) + "ab";
    assert_eq!(most.len(), 2_048);
    vault
        .write(&note("踩坑", "a", &format!(" \n{most}\n\n ")))
        .expect("fits");
    for (draft, fits) in [
        (note("踩坑", "b", &format!("{most}c")), false),
        (with_body("common/踩坑-a", &format!("{most}c")), false),
        (with_body("common/踩坑-a", &most.replace("ab", "cd")), true),
    ] {
        let written = vault.write(&draft);
        assert_eq!(written.is_ok(), fits, "{written:?}");
        assert!(fits || matches!(written, Err(Error::InvalidArgument(_))));
    }
    let long = "长".repeat(2_000);
    put(&machine, &[("common/踩坑-long.md", &long)]);
    let moved = Draft {
        title: Some("longer".into()),
        ..change("common/踩坑-long")
    };
    vault.write(&moved).expect("moved");
    assert_eq!(text_at(&machine, "common/踩坑-longer.md"), long);
}

#[test]
fn a_reference_to_a_note_is_found_by_its_path_or_its_name() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            (PATH, "the port"),
            (
                "common/流程-a.md",
                "see [[踩坑-端口]] and [[common/踩坑-端口|it]]",
            ),
            (
                "common/流程-b.md",
                "同 common/踩坑-端口，另见 common/踩坑-端口.md",
            ),
            (
                "common/流程-c.md",
                "`common/踩坑-端口` is an example, src/common/踩坑-端口 a file",
            ),
            (
                "common/流程-d.md",
                "projects/app/main.rs is none, nor is common/lib",
            ),
        ],
    );
    let links = vault.links(ID).expect("links");
    let seen: Vec<_> = links
        .iter()
        .map(|link| (link.source.as_str(), link.text.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            ("common/流程-a", "[[踩坑-端口]]"),
            ("common/流程-a", "[[common/踩坑-端口|it]]"),
            ("common/流程-b", ID),
            ("common/流程-b", ID),
        ]
    );
    assert_eq!(vault.verify(false).expect("verified").faults, []);
    vault.forget(ID, None, "").expect("forgotten");
    let faults = vault.verify(false).expect("verified").faults;
    let told: Vec<_> = faults.iter().map(|fault| fault.path.as_str()).collect();
    assert!(told.contains(&"common/流程-b.md"), "{faults:?}");
    assert!(!told.contains(&"common/流程-d.md"), "{faults:?}");
}

/// A frontmatter and a heading under which a note was called before are the
/// person's; an edit of the text leaves them.
#[test]
fn what_stands_above_the_text_stays() {
    for (above, body) in [
        ("---\ntags: [kestrel]\naliases: [bird]\n---\n", "old"),
        (
            "---\ntags: [kestrel]\naliases: [bird]\n---\n\n## 2026-08-18 踩坑-端口\n\n",
            "old",
        ),
        ("## 2026-01-05 踩坑-旧名\n\n", "old"),
    ] {
        let (machine, mut vault) = root();
        put(&machine, &[(PATH, &format!("{above}{body}\n"))]);
        assert_eq!(vault.get(ID).expect("a note").body, body);
        vault.write(&with_body(ID, "new")).expect("changed");
        assert_eq!(text_at(&machine, PATH), format!("{above}new\n"));
        if above.contains("kestrel") {
            assert_eq!(found(&mut vault, "kestrel"), [ID]);
            assert_eq!(vault.get(ID).expect("a note").metadata.aliases, ["bird"]);
        }
    }
}

/// What `get` gives is taken back as what it was, indentation and all.
#[test]
fn an_indented_text_that_is_written_back_changes_nothing() {
    let (machine, mut vault) = root();
    let text = "## 2026-08-18 踩坑-端口\n\n    code line\nplain\n";
    put(&machine, &[(PATH, text)]);
    let body = vault.get(ID).expect("a note").body;
    let receipt = vault.write(&with_body(ID, &body)).expect("taken");
    assert!(receipt.changed_paths.is_empty());
    assert_eq!(text_at(&machine, PATH), text);
}

/// A project is checked where it changes, a name where it does.
#[test]
fn a_persons_name_moves_to_another_project_as_it_is() {
    let (machine, mut vault) = root();
    put(&machine, &[("projects/app/sub/nodash.md", "x")]);
    let moved = Draft {
        scope: Some("other".into()),
        ..change("projects/app/sub/nodash")
    };
    let receipt = vault.write(&moved).expect("moved");
    assert_eq!(receipt.memory.metadata.id, "projects/other/nodash");
    let refused = vault.write(&Draft {
        scope: Some("../x".into()),
        ..change("projects/other/nodash")
    });
    assert!(
        matches!(refused, Err(Error::InvalidArgument(_))),
        "{refused:?}"
    );
}
