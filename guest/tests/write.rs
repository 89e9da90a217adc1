//! `write`: new memories, changes of them, what is refused, and what stands in the
//! files afterwards.

mod common;

use std::collections::BTreeMap;

use common::{draft, id, note, text_at, vault};
use inkvault_guest::Error;
use inkvault_guest::memory::{Source, Status, fingerprint};
use inkvault_guest::vault::{DirectiveOptions, Draft, Vault};

#[test]
fn a_new_memory_has_the_contracts_form() {
    let (machine, mut vault) = vault();
    let receipt = vault
        .write(&Draft {
            kind: Some("preference".into()),
            tags: Some(vec![
                "preference".into(),
                "language".into(),
                "language".into(),
                " ".into(),
            ]),
            confidence: Some(0.8),
            source: Some(Source::Capture),
            ..draft("用户偏好：回答用中文\n\n正文 Markdown。\n")
        })
        .expect("written");
    let id = receipt.memory.metadata.id.clone();
    assert!(
        receipt.created && id.starts_with("m-20261019-") && id.len() == 17,
        "{id}"
    );
    let path = format!("memory/{id}.md");
    assert_eq!(receipt.changed_paths.join(" "), path);
    let hash = fingerprint("用户偏好：回答用中文\n\n正文 Markdown。".as_bytes());
    assert_eq!(
        text_at(&machine, &path),
        format!(
            "---\nid: {id}\ntitle: 用户偏好：回答用中文\nkind: preference\nstatus: active\n\
             created: 2026-10-19T10:00:00.123Z\nupdated: 2026-10-19T10:00:00.123Z\ntags: [preference, language]\n\
             confidence: 0.8\nsource: capture\nhash: {hash}\norigin: ''\ndelivery: recall\n---\n\n\
             用户偏好：回答用中文\n\n正文 Markdown。"
        )
    );
    assert_eq!(
        receipt.memory.revision,
        fingerprint(&machine.bytes(&path).expect("a file"))
    );
    let journal = text_at(&machine, ".inkvault/journal.jsonl");
    let line: serde_json::Value =
        serde_json::from_str(journal.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (line["op"].as_str(), line["id"].as_str()),
        (Some("write"), Some(id.as_str()))
    );
    assert_eq!(
        (line["path"].as_str(), line["ts"].as_i64()),
        (Some(path.as_str()), Some(1_792_404_000_123))
    );
}

#[test]
fn an_update_touches_only_what_changes() {
    let (machine, mut vault) = vault();
    let path = format!("memory/{}.md", id(1));
    let by_hand = "\u{feff}---\r\n# kept\r\nid: ".to_owned()
        + &id(1)
        + "\r\ntitle: \"Quoted: by hand\"   # why\r\nmine: [a,  b]\r\nkind: fact\r\ntags:\r\n  - one\r\n  - two\r\nupdated: 2020-01-01\r\nnested:\r\n  k: v\r\n---\r\n\r\nbody\r\nline\r\n";
    machine.put(&path, &by_hand);
    let change = Draft {
        id: Some(id(1)),
        tags: Some(vec!["one".into(), "three".into()]),
        ..Draft::default()
    };
    let receipt = vault.write(&change).expect("updated");
    assert!(!receipt.created);
    let after = text_at(&machine, &path);
    let kept = |line: &&str| {
        !["updated", "hash", "created", "  - "]
            .iter()
            .any(|key| line.starts_with(key))
    };
    let lines = |text: &str| {
        text.split("\r\n")
            .filter(kept)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&after), lines(&by_hand), "{after}");
    assert!(
        after.contains("tags:\r\n  - one\r\n  - three\r\n"),
        "{after}"
    );
    assert!(
        after.contains("\r\nupdated: 2026-10-19T10:00:00.123Z\r\n"),
        "{after}"
    );
    assert!(
        after.contains(&format!("hash: {}", fingerprint(b"body\r\nline\r\n"))),
        "{after}"
    );
}

#[test]
fn compare_and_swap() {
    let (_, mut vault) = vault();
    let first = vault.write(&draft("one")).expect("written").memory;
    let update = |revision: &str, body: &str| Draft {
        id: Some(first.metadata.id.clone()),
        revision: Some(revision.to_owned()),
        ..draft(body)
    };
    let second = vault
        .write(&update(&first.revision, "two"))
        .expect("updated")
        .memory;
    assert_ne!(second.revision, first.revision);
    let refused = vault.write(&update(&first.revision, "three"));
    assert!(
        matches!(&refused, Err(Error::RevisionConflict(why)) if why.contains(&second.revision)),
        "{refused:?}"
    );
    assert_eq!(vault.get(&first.metadata.id).expect("there").body, "two");
}

#[test]
fn what_write_refuses() {
    let (machine, mut vault) = vault();
    let before = machine.files();
    let long = "字".repeat(20_001);
    let invalid = |error: &Error| matches!(error, Error::InvalidArgument(_));
    let unsupported = |error: &Error| matches!(error, Error::Unsupported(_));
    let not_found = |error: &Error| matches!(error, Error::NotFound(_));
    let x = || draft("x");
    let at = |path: &str| Draft {
        path: Some(path.into()),
        ..x()
    };
    for (refused, is_expected, names) in [
        (
            draft(&long),
            &invalid as &dyn Fn(&Error) -> bool,
            "body: it has 20001",
        ),
        (draft(" \n "), &invalid, "body"),
        (Draft::default(), &invalid, "body"),
        (
            Draft {
                kind: Some("mood".into()),
                ..x()
            },
            &invalid,
            "preference",
        ),
        (
            Draft {
                confidence: Some(f64::NAN),
                ..x()
            },
            &invalid,
            "confidence",
        ),
        (
            Draft {
                importance: Some(101),
                ..x()
            },
            &invalid,
            "importance",
        ),
        (
            Draft {
                created: Some("soon".into()),
                ..x()
            },
            &invalid,
            "created",
        ),
        (
            Draft {
                status: Some(Status::Stale),
                ..x()
            },
            &unsupported,
            "status",
        ),
        (
            Draft {
                status: Some(Status::Conflict),
                ..x()
            },
            &unsupported,
            "status",
        ),
        (
            Draft {
                scope: Some("p".into()),
                ..x()
            },
            &unsupported,
            "scope",
        ),
        (
            Draft {
                id: Some(id(9)),
                ..x()
            },
            &not_found,
            "m-20261001-000009",
        ),
        (
            Draft {
                id: Some("../x".into()),
                ..x()
            },
            &not_found,
            "../x",
        ),
        (at("../x.md"), &invalid, "../x.md"),
        (at("/etc/x.md"), &invalid, "/etc/x.md"),
        (at("other/x.md"), &invalid, "other/x.md"),
        (at("memory/deep/x.md"), &invalid, "memory/deep/x.md"),
        (at("memory/x.txt"), &invalid, "memory/x.txt"),
    ] {
        let error = vault.write(&refused).expect_err(names);
        assert!(
            is_expected(&error) && error.to_string().contains(names),
            "{error:?}"
        );
    }
    let memories = |files: BTreeMap<String, Vec<u8>>| {
        files
            .into_iter()
            .filter(|(path, _)| path.starts_with("memory/"))
            .collect::<Vec<_>>()
    };
    assert_eq!(memories(machine.files()), memories(before));
    let longest = vault
        .write(&draft(&"字".repeat(20_000)))
        .expect("the limit itself");
    assert_eq!(longest.memory.body.chars().count(), 20_000);
}

#[test]
fn a_chosen_path_is_kept_and_not_overwritten_unasked() {
    let (machine, mut vault) = vault();
    let at = |body: &str, overwrite: bool| Draft {
        path: Some("memory/mine.md".into()),
        overwrite,
        ..draft(body)
    };
    let first = vault.write(&at("first", false)).expect("written").memory;
    assert_eq!(first.path.as_str(), "memory/mine.md");
    assert!(matches!(
        vault.write(&at("second", false)),
        Err(Error::AlreadyExists(_))
    ));
    let second = vault.write(&at("second", true)).expect("overwritten");
    assert_eq!(
        (second.created, second.memory.metadata.id),
        (false, first.metadata.id)
    );
    machine.put("memory/plain.md", "no memory of ours");
    let foreign = Draft {
        path: Some("memory/plain.md".into()),
        overwrite: true,
        ..draft("x")
    };
    assert!(matches!(
        vault.write(&foreign),
        Err(Error::AlreadyExists(_))
    ));
    assert_eq!(text_at(&machine, "memory/plain.md"), "no memory of ours");
}

/// What a draft names is written even where the file's unusable value was
/// read as just that; what it does not name stays as it is.
#[test]
fn a_value_that_is_given_replaces_an_unusable_one() {
    let (machine, mut vault) = vault();
    let path = format!("memory/{}.md", id(1));
    let broken = note(&id(1), "t", "text")
        .replace("status: active", "status: actve")
        .replace("kind: fact", "kind: bogus")
        .replace("delivery: recall", "delivery: prompt");
    machine.put(&path, &broken);
    let count = |vault: &mut Vault| {
        vault
            .render_directives(&DirectiveOptions::default())
            .expect("directives")
            .count
    };
    let other = Draft {
        id: Some(id(1)),
        tags: Some(vec!["t".into()]),
        ..Draft::default()
    };
    vault.write(&other).expect("updated");
    assert!(text_at(&machine, &path).contains("status: actve\n"));
    assert_eq!(count(&mut vault), 0);
    let given = Draft {
        id: Some(id(1)),
        status: Some(Status::Active),
        kind: Some("fact".into()),
        ..Draft::default()
    };
    vault.write(&given).expect("updated");
    let text = text_at(&machine, &path);
    assert!(
        text.contains("status: active\n") && text.contains("kind: fact\n"),
        "{text}"
    );
    assert_eq!(count(&mut vault), 1);
}

#[test]
fn a_note_without_dates_gets_its_files_own() {
    let (machine, mut vault) = vault();
    let path = format!("memory/{}.md", id(1));
    machine.put(&path, format!("---\nid: {}\n---\n\ntext", id(1)));
    machine.set_mtime(&path, 1_577_836_800_000_000_000);
    vault.sync().expect("synced");
    let change = Draft {
        id: Some(id(1)),
        tags: Some(vec!["t".into()]),
        ..Draft::default()
    };
    vault.write(&change).expect("updated");
    let text = text_at(&machine, &path);
    assert!(
        text.contains("created: 2020-01-01T00:00:00.000Z\n"),
        "{text}"
    );
    assert!(
        text.contains("updated: 2026-10-19T10:00:00.123Z\n"),
        "{text}"
    );
}

#[test]
fn a_revision_has_its_shape_and_its_memory() {
    let (_, mut vault) = vault();
    let id = vault
        .write(&draft("one"))
        .expect("written")
        .memory
        .metadata
        .id;
    for (id, revision) in [(Some(id), "zzz"), (None, "0123456789abcdef")] {
        let refused = Draft {
            id,
            revision: Some(revision.into()),
            ..draft("two")
        };
        assert!(
            matches!(vault.write(&refused), Err(Error::InvalidArgument(_))),
            "{revision}"
        );
    }
}

#[test]
fn line_ends_at_the_end_do_not_count() {
    let (_, mut vault) = vault();
    let most = format!("{}\n", "字".repeat(20_000));
    assert!(vault.write(&draft(&most)).is_ok());
}

#[test]
fn a_memory_from_elsewhere_keeps_its_dates_and_what_it_was() {
    let (machine, mut vault) = vault();
    let was = "dsh-memory project-state stale mem_20261017t075957_b1c8069b";
    let imported = Draft {
        created: Some("2020-01-02".into()),
        updated: Some("2021-03-04T05:06:07.089Z".into()),
        converted_from: Some(was.into()),
        ..draft("text")
    };
    let metadata = vault.write(&imported).expect("written").memory.metadata;
    assert_eq!(metadata.created.to_string(), "2020-01-02T00:00:00.000Z");
    assert_eq!(metadata.updated.to_string(), "2021-03-04T05:06:07.089Z");
    let path = format!("memory/{}.md", metadata.id);
    let key = format!("delivery: recall\nconverted_from: {was}\n---\n");
    assert!(text_at(&machine, &path).contains(&key));

    let related = Draft {
        id: Some(metadata.id.clone()),
        updated: imported.updated.clone(),
        supersedes: Some(vec![id(1)]),
        ..Draft::default()
    };
    let after = vault.write(&related).expect("updated").memory.metadata;
    assert_eq!(after.updated, metadata.updated, "given once more");
    assert_eq!(after.converted_from, was, "kept");
    let change = Draft {
        id: Some(metadata.id),
        ..draft("another text")
    };
    let after = vault.write(&change).expect("updated").memory.metadata;
    assert_eq!(after.updated.to_string(), "2026-10-19T10:00:00.123Z");
    assert_eq!(after.converted_from, was, "kept");
}

#[test]
fn nothing_is_changed_before_it_is_created() {
    let (_, mut vault) = vault();
    let told = |created: &str, updated: &str, vault: &mut Vault| {
        let draft = Draft {
            created: Some(created.into()),
            updated: Some(updated.into()),
            ..draft("text")
        };
        vault.write(&draft).map_err(|error| error.to_string())
    };
    let early = told("2020-01-02", "2020-01-01", &mut vault).expect_err("too early");
    assert!(early.starts_with("updated: 2020-01-01T"), "{early}");
    let unclear = told("2020-01-02", "soon", &mut vault).expect_err("no date");
    assert!(unclear.starts_with("updated: `soon`"), "{unclear}");
    assert!(told("2020-01-02", "2020-01-02", &mut vault).is_ok());
}
