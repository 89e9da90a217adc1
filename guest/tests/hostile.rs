//! Bad input and bad places: a typed error or the contract's tolerant answer,
//! never a panic, nothing lost, and the vault usable afterwards.

mod common;

use std::rc::Rc;

use common::{draft, fill, found, id, machine, note, process};
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
    let machine = Machine::new();
    machine.put("notes.md", "mine");
    let mut vault = vault_on(&machine);
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
    let made = vault.init("inkvault", Some("zh")).expect("a vault");
    assert!(
        !made.existed && made.made.contains(&"memory".to_owned()),
        "{made:?}"
    );
    vault.write(&draft("x1")).expect("written");
    let again = vault.init("inkvault", None).expect("still a vault");
    assert!(again.existed && again.made.is_empty(), "{again:?}");
    assert_eq!(found(&mut vault, "x1").len(), 1);
    assert_eq!(vault.overview().expect("an overview").language, "zh");
}

#[test]
fn a_vault_of_another_product_or_format_is_left_alone() {
    for (path, content, refused) in [
        (".inkvault/config.json", r#"{"format": "other"}"#, true),
        (".inkvault/config.json", r#"{"product": "other"}"#, true),
        (".dsh-memory/config.json", r#"{"product": "other"}"#, true),
        (".inkvault/config.json", r#"{"format": "simple"}"#, false),
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
            let expected = if refused {
                matches!(error, Error::Refused(_))
            } else {
                matches!(error, Error::Unsupported(_))
            };
            assert!(expected, "{path} {content}: {error:?}");
        }
        assert_eq!(machine.files(), before);
    }
    let mut vault = vault_on(&Machine::new());
    assert!(matches!(
        vault.init("sqlite", None),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(
        vault.init("simple", None),
        Err(Error::Unsupported(_))
    ));
    assert!(matches!(
        vault.init("inkvault", Some("fr")),
        Err(Error::InvalidArgument(_))
    ));
}

#[test]
fn a_read_only_vault_still_searches() {
    let machine = machine();
    fill(&machine, 5);
    machine.remove(".inkvault/config.json");
    machine.set_read_only(true);
    let before = machine.files();
    let mut vault = vault_on(&machine);
    assert_eq!(found(&mut vault, "number3"), [id(3)]);
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
            .init("inkvault", None)
            .map(drop)
            .expect_err("read-only"),
        vault.rebuild_index().map(drop).expect_err("read-only"),
        vault.verify(true).map(drop).expect_err("read-only"),
    ] {
        assert_eq!(error, Error::ReadOnly);
    }
    assert!(vault.verify(false).is_ok());
    assert_eq!(machine.files(), before);
}

#[test]
fn a_full_disk_refuses_and_loses_nothing() {
    let machine = machine();
    fill(&machine, 20);
    let mut vault = vault_on(&machine);
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
    let mut fresh = vault_on(&machine);
    assert_eq!(
        found(&mut fresh, "before").len(),
        1,
        "a full disk still searches"
    );
    let memories = |files: std::collections::BTreeMap<String, Vec<u8>>| {
        files
            .into_iter()
            .filter(|(path, _)| path.starts_with("memory/"))
            .collect::<Vec<_>>()
    };
    assert_eq!(memories(machine.files()), memories(before));
    machine.set_capacity(None);
    vault.write(&draft("fits now")).expect("written");
    assert_eq!(found(&mut fresh, "fits").len(), 1);
}

#[test]
fn bad_files_do_not_block_good_ones_and_go_to_quarantine_only_when_asked() {
    let machine = machine();
    fill(&machine, 3);
    let not_utf8 = b"---\nid: m-20261002-aaaaaa\n---\n\n\xff\xfe";
    let huge = format!(
        "---\nid: m-20261002-bbbbbb\nx: {}\n---\n\nhuge frontmatter",
        "y".repeat(1 << 20)
    );
    let nul = note("m-20261002-cccccc", "nul", "nul \0 inside");
    machine.put("memory/not-utf8.md", not_utf8);
    machine.put("memory/huge.md", &huge);
    machine.put("memory/nul.md", &nul);
    machine.put("memory/no-id.md", "---\ntitle: no id\n---\n\ntext");
    machine.put("memory/bad-id.md", "---\nid: 7\n---\n\ntext");
    machine.put("memory/plain.md", "a plain note of mine");
    machine.put("memory/empty.md", "");
    machine.put("memory/notes.txt", "not Markdown");
    let mut vault = vault_on(&machine);
    assert_eq!(found(&mut vault, "number1"), [id(1)]);
    assert_eq!(found(&mut vault, "huge"), ["m-20261002-bbbbbb"]);
    assert_eq!(found(&mut vault, "inside"), ["m-20261002-cccccc"]);
    let overview = vault.overview().expect("an overview");
    let bad: Vec<_> = overview
        .bad_files
        .iter()
        .map(|bad| bad.path.as_str())
        .collect();
    assert_eq!(
        bad,
        ["memory/bad-id.md", "memory/no-id.md", "memory/not-utf8.md"]
    );
    assert_eq!((overview.memories, overview.ignored), (5, 2));
    assert!(
        machine.bytes("memory/not-utf8.md").is_some(),
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
    let fixed = vault.verify(true).expect("verified");
    assert!(
        fixed
            .faults
            .iter()
            .filter(|fault| fault.severity == Severity::Error)
            .all(|fault| fault.fixed),
        "{fixed:?}"
    );
    assert_eq!(
        machine.bytes(".inkvault/quarantine/not-utf8.md").as_deref(),
        Some(&not_utf8[..]),
        "bytes unchanged"
    );
    assert!(
        machine.bytes("memory/plain.md").is_some() && machine.bytes("memory/empty.md").is_some()
    );
    machine.put("memory/not-utf8.md", not_utf8);
    let report = vault.rebuild_index().expect("rebuilt");
    assert_eq!(
        report.quarantined.len(),
        1,
        "a second file of that name has room too: {report:?}"
    );
    assert!(machine.bytes(".inkvault/quarantine/not-utf8.md").is_some());
    assert_eq!(
        machine
            .files()
            .keys()
            .filter(|path| path.starts_with(".inkvault/quarantine/"))
            .count(),
        4
    );
}

#[test]
fn two_files_with_one_id_are_reported_and_kept() {
    let machine = machine();
    machine.put("memory/b.md", note(&id(1), "second", "the second file"));
    machine.put("memory/a.md", note(&id(1), "first", "the first file"));
    let mut vault = vault_on(&machine);
    assert_eq!(vault.get(&id(1)).expect("there").body, "the first file");
    assert!(found(&mut vault, "second").is_empty());
    let overview = vault.overview().expect("an overview");
    assert_eq!(overview.duplicates[0].paths, ["memory/a.md", "memory/b.md"]);
    assert_eq!(overview.memories, 1);
    machine.remove("memory/a.md");
    assert_eq!(
        found(&mut vault, "second"),
        [id(1)],
        "the other one is used once the first is gone"
    );
}

#[test]
fn queries_of_any_size() {
    let machine = machine();
    fill(&machine, 50);
    let mut vault = vault_on(&machine);
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
    assert_eq!(found(&mut vault, &million), [id(7)]);
    let repeated = "number7 ".repeat(100_000);
    assert_eq!(found(&mut vault, &repeated), [id(7)]);
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
    for name in ["journal.jsonl", "index.snapshot", "index.json"] {
        let machine = machine();
        fill(&machine, 3);
        machine.create_directories(&format!(".inkvault/{name}"));
        let mut vault = vault_on(&machine);
        assert_eq!(found(&mut vault, "number1"), [id(1)], "{name}");
        for n in 0..3 {
            let written = vault.write(&draft(&format!("round {n}")));
            written.unwrap_or_else(|error| panic!("{name}: {error}"));
            let mut other = vault_on(&machine);
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
    let machine = machine();
    let mut vault = vault_on(&machine);
    let huge = Draft {
        evidence: Some("x".repeat(17 << 20)),
        ..draft("small")
    };
    assert!(matches!(vault.write(&huge), Err(Error::InvalidArgument(_))));
    assert_eq!(vault.overview().expect("an overview").memories, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// A file of arbitrary bytes beside good ones.
    #[test]
    fn any_file_is_tolerated(bytes in any::<Vec<u8>>(), tail in any::<String>()) {
        let machine = machine();
        machine.put("memory/a.md", &bytes);
        machine.put("memory/b.md", [b"---\nid: m-20261002-aaaaaa\n", bytes.as_slice(), b"\n---\n", tail.as_bytes()].concat());
        machine.put("memory/c.md", format!("---\nid: m-20261002-cccccc\n{tail}\n---\n\n{tail}"));
        machine.put("memory/good.md", note("m-20261002-bbbbbb", "good", "undisturbed"));
        let mut vault = vault_on(&machine);
        prop_assert_eq!(found(&mut vault, "undisturbed"), ["m-20261002-bbbbbb"]);
        let before = machine.files();
        vault.verify(false).expect("verified");
        prop_assert_eq!(machine.bytes("memory/c.md"), before.get("memory/c.md").cloned());
    }

    /// Feed, intent, snapshot and configuration of arbitrary bytes.
    #[test]
    fn any_private_file_is_tolerated(bytes in any::<Vec<u8>>(), line in any::<String>(), seq in any::<u64>()) {
        let machine = machine();
        fill(&machine, 3);
        let mut open = process(&machine);
        prop_assert_eq!(found(&mut open.vault, "number1"), [id(1)]);
        machine.put(".inkvault/feed.jsonl", [bytes.as_slice(), format!("\n{{\"seq\":{seq},\"op\":\"x\",\"id\":\"\",\"files\":[{{\"path\":{:?}}}],\"dirs\":[]}}\n", line).as_bytes()].concat());
        machine.put(".inkvault/index.snapshot", &bytes);
        machine.put(".inkvault/intent.0.json", &bytes);
        prop_assert_eq!(found(&mut open.vault, "number1"), [id(1)]);
        let mut fresh = Vault::new(Box::new(Rc::new(machine.process())));
        prop_assert_eq!(found(&mut fresh, "number1"), [id(1)]);
        fresh.write(&draft("goes on")).expect("written");
        prop_assert_eq!(found(&mut open.vault, "goes").len(), 1);
    }
}
