//! The staging pool: candidates in lines of `staging.md`, among which a person
//! writes whatever they like.

use inkvault_guest::environment::Machine;
use inkvault_guest::vault::{Draft, StagedEntry, StagingDraft, UndoTarget, Vault};
use inkvault_guest::{Error, Result};

use crate::common::{found, text_at};
use crate::{note, open, put, root, shown};

const POOL: &str = "staging.md";

fn entry(text: &str, scope: Option<&str>) -> StagingDraft {
    StagingDraft {
        text: text.into(),
        scope: scope.map(str::to_owned),
        utc_offset_minutes: 0,
    }
}

fn texts(vault: &mut Vault) -> Vec<String> {
    let entries = vault.staging_browse().expect("the pool").into_iter();
    entries.map(|entry| entry.text).collect()
}

/// A vault with a pool of that content, and one note.
fn with_pool(text: &str) -> (Machine, Vault) {
    let (machine, vault) = root();
    put(&machine, &[(POOL, text), ("common/踩坑-a.md", "x")]);
    (machine, vault)
}

#[test]
fn an_entry_is_added_at_the_end_and_all_else_stays() {
    let line = "- 2026-10-19 [来源：app] 新的\n";
    for (before, after) in [
        ("", line.to_owned()),
        ("# 池", format!("# 池\n{line}")),
        ("# 池\n\n", format!("# 池\n\n{line}")),
        (
            "# 池\r\n- 2026-01-01 旧\r\n",
            format!("# 池\r\n- 2026-01-01 旧\r\n{}", line.replace('\n', "\r\n")),
        ),
        (
            "- 2026-01-01 a\n  b",
            format!("- 2026-01-01 a\n  b\n{line}"),
        ),
        (
            "- 2026-01-01 a\n\n## 备注\n手写",
            format!("- 2026-01-01 a\n\n## 备注\n手写\n{line}"),
        ),
    ] {
        let (machine, mut vault) = with_pool(before);
        let receipt = vault
            .staging_add(&entry("新的", Some("app")))
            .expect("staged");
        assert_eq!(text_at(&machine, POOL), after);
        assert_eq!(receipt.changed_paths, [POOL]);
        assert_eq!(receipt.commit_message, "mem: 入池 新的");
        let entries = vault.staging_browse().expect("the pool");
        assert_eq!(entries.last(), Some(&receipt.entry));
        let StagedEntry {
            number,
            date,
            scope,
            text,
        } = receipt.entry;
        assert_eq!(number as usize, entries.len());
        assert_eq!(
            (&*date, scope.as_deref(), &*text),
            ("2026-10-19", Some("app"), "新的")
        );
        let dropped = vault.staging_drop(number, "新的").expect("dropped");
        assert_eq!(dropped.commit_message, "mem: 出池 新的");
        assert!(text_at(&machine, POOL).starts_with(before));
        assert_eq!(texts(&mut vault).len() + 1, entries.len());
    }
}

#[test]
fn a_pool_that_is_not_there_is_empty_and_made_when_it_is_needed() {
    let (machine, mut vault) = with_pool("");
    machine.remove(POOL);
    assert_eq!(texts(&mut vault), [""; 0]);
    assert_eq!(vault.overview().expect("an overview").staged, 0);
    let nothing = vault.staging_drop(1, "x");
    assert!(matches!(nothing, Err(Error::NotFound(_))), "{nothing:?}");
    let receipt = vault
        .staging_add(&entry("one\ntwo  three", None))
        .expect("staged");
    assert_eq!(receipt.revisions_before, [""]);
    assert_eq!(texts(&mut vault), ["one two three"], "on one line");
    assert!(text_at(&machine, POOL).starts_with("# 升格暂存池\n"));
}

#[test]
fn the_date_of_an_entry_is_that_of_the_place() {
    // 2026-10-19T10:00:00.123Z
    for (offset, day) in [(14 * 60, "2026-10-20"), (-11 * 60, "2026-10-18")] {
        let (_, mut vault) = root();
        let local = StagingDraft {
            utc_offset_minutes: offset,
            ..entry("x", None)
        };
        assert_eq!(vault.staging_add(&local).expect("staged").entry.date, day);
    }
}

#[test]
fn what_is_no_entry_or_would_read_as_another_is_refused() {
    let (machine, mut vault) = with_pool("# 池\n");
    let before = shown(&machine);
    let invalid = |text: &str, scope| (entry(text, scope), false);
    for (draft, is_secret) in [
        invalid("", None),
        invalid(" \n ", None),
        invalid(&"字".repeat(501), None),
        invalid("[来源：lib] 别的项目", None),
        invalid("[from: lib] another project", None),
        invalid("x", Some("../x")),
        invalid("x", Some("a]b")),
        invalid("x", Some("a\nb")),
        (entry("password = hunter2hunter2", None), true),
    ] {
        let refused = vault.staging_add(&draft);
        let is_as_expected = match &refused {
            Err(Error::Refused(_)) => is_secret,
            Err(Error::InvalidArgument(_)) => !is_secret,
            _ => false,
        };
        assert!(is_as_expected, "{draft:?}: {refused:?}");
    }
    assert_eq!(shown(&machine), before);
    for text in [
        &*"字".repeat(500),
        "[x] y",
        "[来源] z",
        "- 2026-01-01 date",
        "# heading",
        "  a",
    ] {
        let receipt = vault.staging_add(&entry(text, None)).expect(text);
        assert_eq!(receipt.entry.text, text.trim());
        assert_eq!(texts(&mut vault).last(), Some(&text.trim().to_owned()));
    }
    let sourced = entry("[来源：lib] 仍是原文", Some("app"));
    let receipt = vault.staging_add(&sourced).expect("staged");
    assert_eq!(receipt.entry.scope.as_deref(), Some("app"));
}

const THREE: &str = "# 池\r\n\r\n- 2026-08-18 one\r\n  goes on\r\n手写\r\n- 2026-08-19 [from: app] two\r\n\r\n- 2026-08-20 [来源：库] three";

#[test]
fn an_entry_goes_with_its_indented_lines_and_nothing_else() {
    let (machine, mut vault) = with_pool(THREE);
    let entries = vault.staging_browse().expect("the pool");
    let told: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry.number,
                &*entry.date,
                entry.scope.as_deref(),
                &*entry.text,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (1, "2026-08-18", None, "one\ngoes on"),
            (2, "2026-08-19", Some("app"), "two"),
            (3, "2026-08-20", Some("库"), "three"),
        ]
    );
    vault.staging_drop(1, "one\ngoes on").expect("dropped");
    let rest = THREE.replace("- 2026-08-18 one\r\n  goes on\r\n", "");
    assert_eq!(text_at(&machine, POOL), rest);
    vault.staging_drop(2, "three").expect("dropped");
    assert_eq!(
        text_at(&machine, POOL),
        rest.replace("- 2026-08-20 [来源：库] three", "")
    );
}

/// Somebody drops the first entry, or edits it, right before any call of a
/// change to the second: the wrong one is never touched, and no edit is lost.
#[test]
fn an_entry_that_changed_meanwhile_is_left_alone() {
    type Make = fn(&mut Vault) -> Result<()>;
    let makes: [Make; 2] = [
        |vault| vault.staging_drop(2, "two").map(drop),
        |vault| {
            vault
                .staging_promote(2, "two", &note("踩坑", "二", "distilled"))
                .map(drop)
        },
    ];
    let edits = [
        THREE.replace("- 2026-08-18 one\r\n  goes on\r\n", ""),
        THREE.replace("two", "two, edited"),
        THREE.replace("three", "three, edited"),
    ];
    for make in makes {
        let (machine, mut vault) = with_pool(THREE);
        vault
            .staging_add(&entry("makes the lock", None))
            .expect("staged");
        put(&machine, &[(POOL, THREE)]);
        let calls = {
            let mut process = crate::common::process(&machine.fork());
            make(&mut process.vault).expect("undisturbed");
            process.environment.calls()
        };
        for (at_call, edit) in
            (1..=calls).flat_map(|at_call| edits.iter().map(move |edit| (at_call, edit)))
        {
            let machine = machine.fork();
            let mut process = crate::common::process(&machine);
            let text = edit.clone();
            process.environment.meanwhile(at_call, move |machine| {
                // Not once the change has happened.
                if text_at(machine, POOL) == THREE {
                    machine.put(POOL, text);
                    machine.put("edited", "");
                }
            });
            let made = make(&mut process.vault);
            let point = format!("call {at_call} of {calls}, {edit:?}: {made:?}");
            let pool = text_at(&machine, POOL);
            let is_promoted = machine.bytes("common/踩坑-二.md").is_some();
            match &made {
                Ok(()) => {
                    // Right between the last look and the rename an edit can
                    // be lost (design §7); its bytes are kept.
                    let lost = edit.contains("edited") && !pool.contains("edited");
                    let kept = machine.files().into_values();
                    let mut kept = kept.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                    assert!(
                        !lost
                            || machine.bytes("edited").is_none()
                            || kept.any(|text| text == *edit),
                        "{point}"
                    );
                    assert!(!pool.contains("] two\r"), "{point}");
                }
                Err(error) => {
                    assert!(
                        matches!(error, Error::RevisionConflict(_) | Error::NotFound(_)),
                        "{point}"
                    );
                    assert_eq!(pool, *edit, "{point}");
                    assert!(!is_promoted, "{point}");
                }
            }
        }
    }
}

#[test]
fn a_promoted_entry_becomes_a_note_and_goes() {
    let (machine, mut vault) = with_pool(THREE);
    let distilled = note("踩坑", "二", "distilled");
    let receipt = vault
        .staging_promote(2, "two", &distilled)
        .expect("promoted");
    assert!(receipt.created);
    assert_eq!(receipt.memory.metadata.id, "common/踩坑-二");
    assert_eq!(receipt.commit_message, "mem: 升格 踩坑-二");
    assert_eq!(receipt.changed_paths, ["common/踩坑-二.md", POOL]);
    let note = text_at(&machine, "common/踩坑-二.md");
    assert_eq!(note, "## 2026-10-19 踩坑-二\n\ndistilled\n");
    let rest = THREE.replace("- 2026-08-19 [from: app] two\r\n", "");
    assert_eq!(text_at(&machine, POOL), rest);
    assert_eq!(found(&mut open(&machine), "distilled"), ["common/踩坑-二"]);

    let undone = vault.undo(&UndoTarget::Position(receipt.feed_position));
    assert_eq!(
        undone.expect("undone").memory.metadata.id,
        "archive/踩坑-二"
    );
    assert_eq!(text_at(&machine, POOL), THREE);
    assert_eq!(text_at(&machine, "archive/踩坑-二.md"), note);
    assert_eq!(machine.bytes("common/踩坑-二.md"), None);
}

#[test]
fn an_entry_without_a_text_of_its_own_is_promoted_as_it_is() {
    let (machine, mut vault) = with_pool(THREE);
    vault
        .staging_promote(1, "one\ngoes on", &Draft::default())
        .expect("promoted");
    assert_eq!(
        text_at(&machine, "common/背景-one.md"),
        "## 2026-10-19 背景-one\n\none\ngoes on\n"
    );
}

/// Note and pool both, or neither.
#[test]
fn what_cannot_be_promoted_stays_in_the_pool() {
    let (machine, mut vault) = with_pool(THREE);
    let before = shown(&machine);
    let of_project = Draft {
        scope: Some("app".into()),
        ..note("踩坑", "二", "x")
    };
    let of_id = Draft {
        id: Some("common/踩坑-a".into()),
        ..note("踩坑", "a", "x")
    };
    let elsewhere = Draft {
        path: Some("references/踩坑-二.md".into()),
        ..note("踩坑", "二", "x")
    };
    let good = note("踩坑", "二", "x");
    let promote = |vault: &mut Vault, number, text: &str, draft: &Draft| {
        vault
            .staging_promote(number, text, draft)
            .expect_err("refused")
    };
    for (number, text, draft, expected) in [
        (2, "two", &of_project, "draft"),
        (2, "two", &of_id, "draft"),
        (2, "two", &elsewhere, "draft"),
        (2, "two", &note("踩坑", "a", "x"), "common/踩坑-a.md"),
        (2, "two", &note("a b", "x", "x"), "kind"),
        (2, "two", &note("踩坑", "二", &"字".repeat(700)), "body"),
        (2, "one\ngoes on", &good, "entry 2"),
        (0, "one\ngoes on", &good, "staging.md"),
        (4, "two", &good, "staging.md"),
    ] {
        let error = promote(&mut vault, number, text, draft).to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    assert_eq!(shown(&machine), before);
    let asked = Draft {
        overwrite: true,
        ..note("踩坑", "a", "anew")
    };
    let receipt = vault
        .staging_promote(2, "two", &asked)
        .expect("overwritten");
    assert!(!receipt.created);
    assert!(text_at(&machine, "common/踩坑-a.md").ends_with("\nanew\n"));
    vault
        .undo(&UndoTarget::LastOf("common/踩坑-a".into()))
        .expect("undone");
    assert_eq!(shown(&machine), before);
}

/// A promotion is not undone in part where the pool went on.
#[test]
fn undoing_a_promotion_leaves_what_came_to_the_pool_since() {
    let (machine, mut vault) = with_pool(THREE);
    let receipt = vault.staging_promote(2, "two", &note("踩坑", "二", "x"));
    let position = receipt.expect("promoted").feed_position;
    let staged = vault.staging_add(&entry("later", None)).expect("staged");
    let of_the_pool = vault.undo(&UndoTarget::Position(staged.feed_position));
    assert!(
        matches!(&of_the_pool, Err(Error::Unsupported(why)) if why.contains("staging pool")),
        "{of_the_pool:?}"
    );
    let pool = machine.bytes(POOL).expect("a pool");
    machine.remove(POOL);
    let gone = vault.undo(&UndoTarget::Position(position));
    assert!(matches!(gone, Err(Error::RevisionConflict(_))), "{gone:?}");
    machine.put(POOL, pool);
    vault.undo(&UndoTarget::Position(position)).expect("undone");
    assert!(machine.bytes("common/踩坑-二.md").is_none());
    assert_eq!(texts(&mut vault), ["one\ngoes on", "three", "later", "two"]);
}

#[test]
fn a_pool_that_cannot_be_read_stops_nothing_else() {
    let (machine, mut vault) = with_pool("");
    machine.put(POOL, b"- 2026-08-18 latin \xe9\n");
    let before = machine.bytes(POOL);
    for refused in [
        vault.staging_browse().map(drop),
        vault.staging_add(&entry("x", None)).map(drop),
        vault.staging_drop(1, "x").map(drop),
    ] {
        assert!(matches!(refused, Err(Error::Corrupt(_))), "{refused:?}");
    }
    assert_eq!(machine.bytes(POOL), before);
    assert_eq!(vault.overview().expect("an overview").staged, 0);
    vault.write(&note("踩坑", "b", "x")).expect("written");
}
