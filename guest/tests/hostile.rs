//! Bad input and bad places: a typed error or the contract's tolerant answer,
//! never a panic, nothing lost, and the vault usable afterwards. On every
//! format, but for what only one has.

mod common;

use std::collections::BTreeMap;
use std::rc::Rc;

use common::{
    LAYOUTS, Layout, draft, fill, found, id, machine, note, on_every_layout, on_layouts_with,
    process,
};
use inkvault_guest::Error;
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::fingerprint;
use inkvault_guest::vault::{
    DirectiveOptions, Draft, RecallRequest, SearchOptions, Severity, Vault,
};
use proptest::prelude::*;

fn vault_on(machine: &Machine) -> Vault {
    Vault::new(Box::new(machine.process()))
}

#[test]
fn a_directory_that_is_no_vault() {
    on_every_layout(|layout| {
        let machine = Machine::new();
        machine.put("notes.md", "mine");
        let mut vault = layout.open(&machine);
        for error in [
            vault
                .search("x", &SearchOptions::default())
                .map(drop)
                .expect_err("no vault"),
            vault.write(&draft("x")).map(drop).expect_err("no vault"),
            vault.overview().map(drop).expect_err("no vault"),
            vault.rebuild_index().map(drop).expect_err("no vault"),
            vault.verify(true).map(drop).expect_err("no vault"),
        ] {
            assert!(
                matches!(&error, Error::NotFound(why) if why.contains("init")),
                "{error:?}"
            );
        }
        assert_eq!(machine.files().len(), 1, "nothing was made");
        let made = vault.init(layout.name, Some("zh")).expect("a vault");
        assert!(
            !made.existed && made.made.contains(&layout.directory.to_owned()),
            "{made:?}"
        );
        vault.write(&draft("x1")).expect("written");
        let again = vault.init(layout.name, None).expect("still a vault");
        assert!(again.existed && again.made.is_empty(), "{again:?}");
        assert_eq!(found(&mut vault, "x1").len(), 1);
        assert_eq!(vault.overview().expect("an overview").language, "zh");
    });
}

#[test]
fn a_vault_of_another_product_or_format_is_left_alone() {
    for (path, content) in [
        (".inkvault/config.json", r#"{"format": "other"}"#),
        (".inkvault/config.json", r#"{"product": "other"}"#),
        (".dsh-memory/config.json", r#"{"product": "other"}"#),
    ] {
        let machine = Machine::new();
        machine.put(path, content);
        let before = machine.files();
        let mut vault = vault_on(&machine);
        for error in [
            vault
                .init("inkvault", None)
                .map(drop)
                .expect_err("not ours"),
            vault.overview().map(drop).expect_err("not ours"),
        ] {
            let is_refused = matches!(error, Error::Refused(_));
            assert!(is_refused, "{path} {content}: {error:?}");
        }
        assert_eq!(machine.files(), before);
    }
    let mut vault = vault_on(&Machine::new());
    assert!(matches!(
        vault.init("sqlite", None),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(
        vault.init("inkvault", Some("fr")),
        Err(Error::InvalidArgument(_))
    ));
}

#[test]
fn a_read_only_vault_still_searches() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        layout.fill(&machine, 5);
        layout.lose_config(&machine);
        machine.set_read_only(true);
        let before = machine.files();
        let mut vault = layout.open(&machine);
        assert_eq!(found(&mut vault, "number3"), [layout.id(3)]);
        assert!(vault.overview().expect("an overview").read_only);
        assert!(
            vault
                .render_directives(&DirectiveOptions::default())
                .expect("directives")
                .text
                .is_none()
        );
        for error in [
            vault.write(&draft("x")).map(drop).expect_err("read-only"),
            vault
                .init(layout.name, None)
                .map(drop)
                .expect_err("read-only"),
            vault.rebuild_index().map(drop).expect_err("read-only"),
            vault.verify(true).map(drop).expect_err("read-only"),
        ] {
            assert_eq!(error, Error::ReadOnly);
        }
        assert!(vault.verify(false).is_ok());
        assert_eq!(machine.files(), before);
    });
}

#[test]
fn a_full_disk_refuses_and_loses_nothing() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        layout.fill(&machine, 20);
        let mut vault = layout.open(&machine);
        vault.write(&draft("before")).expect("written");
        machine.set_capacity(Some(0));
        let before = machine.files();
        let error = vault
            .write(&draft("does not fit"))
            .map(drop)
            .expect_err("full");
        assert!(
            matches!(&error, Error::Io(why) if why.contains("no space")),
            "{error:?}"
        );
        let mut fresh = layout.open(&machine);
        assert_eq!(
            found(&mut fresh, "before").len(),
            1,
            "a full disk still searches"
        );
        let memories = |files: BTreeMap<String, Vec<u8>>| {
            let files = files.into_iter();
            files
                .filter(|(path, _)| layout.shows(path))
                .collect::<Vec<_>>()
        };
        assert_eq!(memories(machine.files()), memories(before));
        machine.set_capacity(None);
        vault.write(&draft("fits now")).expect("written");
        assert_eq!(found(&mut fresh, "fits").len(), 1);
    });
}

#[test]
fn bad_files_do_not_block_good_ones_and_go_to_quarantine_only_when_asked() {
    on_layouts_with(
        |layout| layout.frontmatter,
        |layout| {
            let machine = layout.machine();
            layout.fill(&machine, 3);
            let head = |n| format!("---\nid: {}\n", layout.id(n));
            let not_utf8 = [head(700).as_bytes(), b"---\n\n\xff\xfe"].concat();
            let huge = format!(
                "{}x: {}\n---\n\nhuge frontmatter",
                head(701),
                "y".repeat(1 << 20)
            );
            let nul = layout.note(&layout.id(702), "nul", "nul \0 inside");
            machine.put(&layout.file("not-utf8.md"), &not_utf8);
            machine.put(&layout.file("huge.md"), &huge);
            machine.put(&layout.file("nul.md"), &nul);
            machine.put(&layout.file("no-id.md"), "---\ntitle: no id\n---\n\ntext");
            machine.put(&layout.file("bad-id.md"), "---\nid: ../7\n---\n\ntext");
            machine.put(&layout.file("plain.md"), "a plain note of mine");
            machine.put(&layout.file("empty.md"), "");
            machine.put(&layout.file("notes.txt"), "not Markdown");
            let mut vault = layout.open(&machine);
            assert_eq!(found(&mut vault, "number1"), [layout.id(1)]);
            assert_eq!(found(&mut vault, "huge"), [layout.id(701)]);
            assert_eq!(found(&mut vault, "inside"), [layout.id(702)]);
            let overview = vault.overview().expect("an overview");
            let bad: Vec<_> = overview
                .bad_files
                .iter()
                .map(|bad| bad.path.as_str())
                .collect();
            assert_eq!(
                bad,
                ["bad-id.md", "no-id.md", "not-utf8.md"].map(|name| layout.file(name))
            );
            assert_eq!((overview.memories, overview.ignored), (5, 2));
            assert!(
                machine.bytes(&layout.file("not-utf8.md")).is_some(),
                "reading moves nothing"
            );
            let verification = vault.verify(false).expect("verified");
            let errors = verification
                .faults
                .iter()
                .filter(|fault| fault.severity == Severity::Error);
            assert_eq!(
                errors.map(|fault| fault.path.as_str()).collect::<Vec<_>>(),
                bad
            );
            let fixed = vault.verify(true).expect("verified").faults;
            let mut errors = fixed
                .iter()
                .filter(|fault| fault.severity == Severity::Error);
            let Some(quarantine) = layout.quarantine else {
                assert!(errors.all(|fault| !fault.fixed), "{fixed:?}");
                assert!(bad.iter().all(|path| machine.bytes(path).is_some()));
                return;
            };
            assert!(errors.all(|fault| fault.fixed), "{fixed:?}");
            let set_aside = format!("{quarantine}/not-utf8.md");
            assert_eq!(machine.bytes(&set_aside), Some(not_utf8.clone()));
            assert!(machine.bytes(&layout.file("plain.md")).is_some());
            assert!(machine.bytes(&layout.file("empty.md")).is_some());
            machine.put(&layout.file("not-utf8.md"), &not_utf8);
            let report = vault.rebuild_index().expect("rebuilt");
            assert_eq!(
                report.quarantined.len(),
                1,
                "a second file of that name has room too: {report:?}"
            );
            assert_eq!(machine.bytes(&set_aside), Some(not_utf8));
            let files = machine.files();
            let quarantined = files.keys().filter(|path| layout.is_quarantined(path));
            assert_eq!(quarantined.count(), 4);
        },
    );
}

#[test]
fn two_files_with_one_id_are_reported_and_kept() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = layout.machine();
        machine.put(
            &layout.file("b.md"),
            layout.note(&layout.id(1), "second", "the second file"),
        );
        machine.put(
            &layout.file("a.md"),
            layout.note(&layout.id(1), "first", "the first file"),
        );
        let mut vault = layout.open(&machine);
        let memory = vault.get(&layout.id(1)).expect("there");
        assert_eq!(layout.text(&memory), "the first file");
        assert!(found(&mut vault, "second").is_empty());
        let overview = vault.overview().expect("an overview");
        assert_eq!(
            overview.duplicates[0].paths,
            [layout.file("a.md"), layout.file("b.md")]
        );
        assert_eq!(overview.memories, 1);
        machine.remove(&layout.file("a.md"));
        assert_eq!(
            found(&mut vault, "second"),
            [layout.id(1)],
            "the other one is used once the first is gone"
        );
    });
}

#[test]
fn queries_of_any_size() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        layout.fill(&machine, 50);
        let mut vault = layout.open(&machine);
        for empty in ["", " ", "...", "\0", "😀", "a"] {
            assert!(found(&mut vault, empty).is_empty(), "{empty:?}");
            let request = RecallRequest {
                query: Some(empty.into()),
                ..RecallRequest::default()
            };
            assert_eq!(vault.recall(&request).expect("recalled").text, None);
        }
        let million: String = (0..1_000_000)
            .map(|n| format!("word{n} "))
            .collect::<String>()
            + "number7";
        assert_eq!(found(&mut vault, &million), [layout.id(7)]);
        let repeated = "number7 ".repeat(100_000);
        assert_eq!(found(&mut vault, &repeated), [layout.id(7)]);
    });
}

#[test]
fn an_index_file_of_other_tools_is_written_and_checked() {
    let machine = machine();
    fill(&machine, 3);
    let mut vault = vault_on(&machine);
    vault.rebuild_index().expect("rebuilt");
    let bytes = machine.bytes(".inkvault/index.json").expect("an index");
    let index: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(
        (index["version"].as_u64(), index["search"]["N"].as_u64()),
        (Some(1), Some(3))
    );
    let entry = &index["entries"][1];
    assert_eq!(
        entry["path"].as_str(),
        Some(format!("memory/{}.md", id(1)).as_str())
    );
    assert_eq!(
        entry["meta"]["hash"].as_str(),
        Some(fingerprint(entry["body"].as_str().expect("a body").as_bytes()).as_str())
    );
    assert_eq!(index["search"]["df"]["memory"].as_u64(), Some(3));
    assert_eq!(
        index["search"]["postings"]["number2"][id(2)].as_u64(),
        Some(1)
    );
    assert!(index["builtAt"].as_f64() >= entry["mtimeMs"].as_f64());
    assert!(vault.verify(false).expect("verified").faults.is_empty());
    vault.write(&draft("one more")).expect("written");
    let faults = vault.verify(false).expect("verified").faults;
    assert!(
        faults.len() == 1 && faults[0].path == ".inkvault/index.json",
        "{faults:?}"
    );
}

/// Journal or snapshot cannot be written or read at all: a note, and
/// everything goes on.
#[test]
fn a_broken_private_file_stops_nothing() {
    on_every_layout(|layout| {
        let names = layout.journal.into_iter();
        for name in names.chain(["index.snapshot", "index.json"]) {
            let machine = layout.machine();
            layout.fill(&machine, 3);
            let path = layout.private(name);
            if machine.bytes(&path).is_some() {
                machine.remove(&path);
            }
            machine.create_directories(&path);
            let mut vault = layout.open(&machine);
            assert_eq!(found(&mut vault, "number1"), [layout.id(1)], "{name}");
            for n in 0..3 {
                let written = vault.write(&draft(&format!("round {n}")));
                written.unwrap_or_else(|error| panic!("{name}: {error}"));
                let mut other = layout.open(&machine);
                assert_eq!(found(&mut other, "round").len(), 2 * n + 1, "{name}");
                other
                    .write(&draft(&format!("another round {n}")))
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                assert_eq!(found(&mut vault, "round").len(), 2 * n + 2, "{name}");
            }
            vault
                .rebuild_index()
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            vault
                .verify(true)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    });
}

/// Without the feed nobody knows a change's position: everything can be read,
/// and the error says what lets it be changed again.
#[test]
fn a_broken_feed_stops_changes_until_it_is_moved_away() {
    let machine = machine();
    fill(&machine, 3);
    let feed = ".inkvault/feed.jsonl";
    machine.create_directories(feed);
    let mut vault = vault_on(&machine);
    assert_eq!(found(&mut vault, "number1"), [id(1)]);
    let answers = [
        vault.write(&draft("mine")).map(drop),
        vault.rebuild_index().map(drop),
        vault.verify(true).map(drop),
    ];
    for answer in answers {
        let is_clear =
            matches!(&answer, Err(Error::Io(text)) if text.contains(feed) && text.contains("move"));
        assert!(is_clear, "{answer:?}");
    }
    assert_eq!(vault.overview().expect("an overview").memories, 3);
    machine.rename(feed, ".inkvault/broken");
    vault.write(&draft("mine")).expect("written");
}

/// A damaged frontmatter makes a memory somebody's note; `verify` says so.
#[test]
fn a_memory_that_lost_its_frontmatter_is_told() {
    let machine = machine();
    let whole = note(&id(1), "t", "the text");
    for (path, text) in [
        (
            format!("memory/{}.md", id(1)),
            whole.replacen("---\n", "", 1),
        ),
        (format!("memory/{}.md", id(2)), String::new()),
        ("memory/open.md".into(), "---\ntitle: never closed".into()),
        ("memory/bare.md".into(), format!("\nid: {}\ntext", id(3))),
        ("memory/mine.md".into(), "a note of mine".into()),
    ] {
        machine.put(&path, text);
    }
    let verification = vault_on(&machine).verify(false).expect("verified");
    let told: Vec<_> = verification
        .faults
        .iter()
        .map(|fault| fault.path.clone())
        .collect();
    let ids = [1, 2].map(|n| format!("memory/{}.md", id(n)));
    assert_eq!(told, ["memory/bare.md", &ids[0], &ids[1], "memory/open.md"]);
}

#[test]
fn a_memory_too_large_to_be_read_again_is_not_written() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        let mut vault = layout.open(&machine);
        let huge = Draft {
            evidence: Some("x".repeat(17 << 20)),
            ..draft("small")
        };
        let refused = vault.write(&huge);
        assert!(
            matches!(
                refused,
                Err(Error::InvalidArgument(_) | Error::Unsupported(_))
            ),
            "{refused:?}"
        );
        assert_eq!(vault.overview().expect("an overview").memories, 0);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A file of arbitrary bytes beside good ones.
    #[test]
    fn any_file_is_tolerated(bytes in any::<Vec<u8>>(), tail in any::<String>()) {
        for layout in LAYOUTS {
            let machine = layout.machine();
            let [a, b, c] = ["a.md", "b.md", "c.md"].map(|name| layout.file(name));
            let head = |n| format!("---\nid: {}\n", layout.id(n));
            machine.put(&a, &bytes);
            machine.put(&b, [head(700).as_bytes(), &bytes, b"\n---\n", tail.as_bytes()].concat());
            machine.put(&c, format!("{}{tail}\n---\n\n{tail}", head(702)));
            machine.put(&layout.file("good.md"), layout.note(&layout.id(701), "good", "undisturbed"));
            let mut vault = layout.open(&machine);
            let good = layout.id_in(701, &layout.file("good.md"));
            prop_assert_eq!(found(&mut vault, "undisturbed"), [good]);
            let before = machine.files();
            vault.verify(false).expect("verified");
            prop_assert_eq!(machine.bytes(&c), before.get(&c).cloned());
        }
    }

    /// Feed, intent, snapshot and configuration of arbitrary bytes.
    #[test]
    fn any_private_file_is_tolerated(bytes in any::<Vec<u8>>(), line in any::<String>(), seq in any::<u64>()) {
        for layout in LAYOUTS {
            let machine = layout.machine();
            layout.fill(&machine, 3);
            let mut open = process(&machine);
            prop_assert_eq!(found(&mut open.vault, "number1"), [layout.id(1)]);
            let news = format!("\n{{\"seq\":{seq},\"op\":\"x\",\"id\":\"\",\"files\":[{{\"path\":{line:?}}}],\"dirs\":[]}}\n");
            machine.put(&layout.private("feed.jsonl"), [bytes.as_slice(), news.as_bytes()].concat());
            machine.put(&layout.private("index.snapshot"), &bytes);
            machine.put(&layout.private("intent.0.json"), &bytes);
            prop_assert_eq!(found(&mut open.vault, "number1"), [layout.id(1)]);
            let mut fresh = Vault::new(Box::new(Rc::new(machine.process())));
            prop_assert_eq!(found(&mut fresh, "number1"), [layout.id(1)]);
            fresh.write(&draft("goes on")).expect("written");
            prop_assert_eq!(found(&mut open.vault, "goes").len(), 1);
        }
    }
}
