//! What a vault of the dsh-memory format consists of beside its memories: its
//! configuration, its pages, its journal and its index files (dsh-memory
//! format §2, §5, §7, §8).

mod common;

use common::dsh::{EXAMPLE, exported, moment, read, with};
use common::text_at;
use inkvault_guest::environment::{Machine, VaultPath};
use inkvault_guest::format::{
    DshMemory, Event, Format, Language, Listing, Operation, Setting, Skeleton,
};
use inkvault_guest::vault::{Change, Draft, Vault};

#[test]
fn a_vault_without_a_good_configuration_can_only_be_read() {
    let obstacle = |config: Option<&str>| {
        let configs = config.map(|config| (".dsh-memory".to_owned(), config.as_bytes().to_vec()));
        DshMemory.obstacle(&Listing {
            configs: configs.into_iter().collect(),
            ..Listing::default()
        })
    };
    let product = r#""product": "dsh-longterm-memory""#;
    assert_eq!(
        obstacle(Some(&format!("{{{product}, \"schemaVersion\": 1}}"))),
        None
    );
    for (config, why) in [
        (None, "missing"),
        (Some("{"), "broken"),
        (Some("{}"), "broken"),
        (
            Some(&*format!("{{{product}, \"schemaVersion\": 2}}")),
            "`schemaVersion` 2",
        ),
    ] {
        assert!(
            obstacle(config).is_some_and(|found| found.contains(why)),
            "{config:?}"
        );
    }
}

#[test]
fn a_new_vault_explains_itself_in_its_language() {
    for (language, word, settings) in [
        (Language::English, "Long-term", "{}"),
        (Language::Chinese, "长期记忆", r#"{"language":"zh"}"#),
    ] {
        let parts = DshMemory.skeleton(language, moment());
        let file = |wanted: &str| {
            let mut texts = parts.iter().filter_map(|part| match part {
                Skeleton::File(path, text) if path.as_str() == wanted => Some(text.clone()),
                _ => None,
            });
            texts.next().expect("a file")
        };
        assert!(file("README.md").contains(word) && file("Memory Home.md").contains("[["));
        let config: serde_json::Value =
            serde_json::from_str(&file(".dsh-memory/config.json")).expect("JSON");
        assert_eq!(config["settings"].to_string(), settings);
        assert_eq!(config["createdAt"], "2026-12-01T00:00:00.000Z");
        assert!(config["notes"].as_array().is_some_and(Vec::is_empty));
        let has = |wanted: &str| {
            parts.contains(&Skeleton::Directory(
                VaultPath::parse(wanted).expect("a path"),
            ))
        };
        let places = DshMemory.places().iter().map(|place| place.directory);
        assert!(places.chain([".obsidian", "Index", "History"]).all(has));
    }
}

#[test]
fn the_journal_tells_before_and_after_in_bounded_length() {
    let memory = read(EXAMPLE);
    let line = |operation, id, detail| {
        let event = Event {
            time: moment(),
            operation,
            id,
            path: "",
            detail,
            before: Some(&memory).filter(|_| !id.is_empty()),
            after: Some(&memory).filter(|_| !id.is_empty()),
        };
        let line = DshMemory.journal_line(&event)?;
        Some(line.1)
    };
    let summary = "[decision/active] 用 Markdown 作为唯一事实来源 :: 长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。";
    assert_eq!(
        line(Operation::Pin, "mem_x", "why").expect("a line"),
        format!(
            r#"{{"at":"2026-12-01T00:00:00.000Z","op":"update","id":"mem_x","before":"{summary}","after":"{summary}","reason":"why","source":"session-dd7bfd09"}}"#
        )
    );
    let gone = line(Operation::Forget, "mem_x", "").expect("a line");
    assert!(
        gone.contains(r#""op":"delete""#) && !gone.contains("after"),
        "{gone}"
    );
    let init = line(Operation::Init, "", "").expect("a line");
    assert_eq!(
        init,
        r#"{"at":"2026-12-01T00:00:00.000Z","op":"init","id":"*"}"#
    );
    assert_eq!(line(Operation::Quarantine, "", ""), None);
}

#[test]
fn the_index_file_has_every_field_of_the_example() {
    let setting = Setting {
        vault_path: Some("D:/DSH Memory".into()),
        ..Setting::default()
    };
    let files = exported(&setting, &[EXAMPLE.to_owned(), with("id: mem_y")]);
    let (path, text) = &files[0];
    assert_eq!(path, ".dsh-memory/index.json");
    let index: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(index["version"], 3);
    assert_eq!(index["builtAt"], "2026-12-01T00:00:00.000Z");
    let mut record = index["records"][0].clone();
    let terms = record["terms"].take();
    assert_eq!(
        (&terms["markdown"], &terms["decision"]),
        (&11.into(), &6.into())
    );
    let expected = serde_json::json!({
        "id": "mem_20261017t075957_b1c8069b",
        "path": "Decisions/by hand.md",
        "type": "decision",
        "status": "active",
        "title": "用 Markdown 作为唯一事实来源",
        "tags": ["architecture", "decision"],
        "aliases": ["事实来源"],
        "confidence": "high",
        "importance": 85,
        "pinned": false,
        "createdAt": "2026-10-17T07:59:57.013Z",
        "updatedAt": "2026-10-17T07:59:57.013Z",
        "preview": "长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。",
        "terms": null,
        "links": ["索引重建策略"],
        "size": EXAMPLE.len(),
        "mtimeMs": 1_760_000_000_000.5,
        "checksum": inkvault_guest::format::checksum(EXAMPLE.as_bytes()),
    });
    assert_eq!(record, expected);
    assert_eq!(index["records"][1]["importance"], 50);
    let newest = 1_760_000_000_000;
    let fault = |memories, newest, setting: &Setting| {
        DshMemory.export_fault(text.as_bytes(), memories, newest, setting)
    };
    assert_eq!(fault(2, newest, &setting), None);
    assert!(fault(3, newest, &setting).is_some());
    assert!(fault(2, u64::MAX / 2, &setting).is_some());
    let elsewhere = Setting {
        vault_path: Some("/other".into()),
        ..Setting::default()
    };
    assert!(fault(2, newest, &elsewhere).is_some_and(|why| why.contains("/other")));
    let path = DshMemory.exported_vault_path(text.as_bytes());
    assert_eq!(path.as_deref(), Some("D:/DSH Memory"));
}

#[test]
fn the_reading_indexes_list_what_is_in_force() {
    let memory = |id: &str, updated: &str, rest: &str| {
        with(&format!("id: {id}\nupdated_at: {updated}\n{rest}"))
    };
    let texts = [
        memory("mem_a", "2026-10-01", "title: a [1]|b"),
        memory("mem_b", "2026-10-03", "type: decision\ntags: [x]"),
        memory("mem_c", "2026-10-03", "tags: [x]"),
        memory("mem_d", "2026-10-04", "status: archived"),
    ];
    let setting = Setting {
        language: Language::Chinese,
        ..Setting::default()
    };
    let files = exported(&setting, &texts);
    assert_eq!(
        files[1],
        (
            "Index/按类别.md".to_owned(),
            "# 按类别\n\n由 `inkvault rebuild` 生成，在此所做的修改会丢失。\n\n有效记忆 3 条；未列出：已归档 1。\n\
             \n## 决策 (1)\n\n- [[by hand|T]] · 2026-10-03\n\
             \n## 任务 (2)\n\n- [[by hand|T]] · 2026-10-03\n- [[by hand|a 1 b]] · 2026-10-01\n"
                .to_owned()
        )
    );
    assert!(files[2].0 == "Index/按标签.md" && files[2].1.contains("\n## x (2)\n"));
    let other_way_round: Vec<_> = texts.iter().rev().cloned().collect();
    assert_eq!(exported(&setting, &other_way_round)[1..], files[1..]);
    let english = exported(&Setting::default(), &[]);
    assert_eq!(english[1].0, "Index/By type.md");
    assert!(english[1].1.contains("In force: 0. Not listed: none."));
    assert!(DshMemory.exports(&setting)[1].spares_unchanged());
}

#[test]
fn a_memory_is_written_found_and_put_away() {
    let machine = Machine::new();
    machine.set_now(moment());
    let mut vault = Vault::new(Box::new(machine.process()));
    vault.init("dsh-memory", Some("zh")).expect("a vault");
    let draft = Draft {
        body: Some("长期记忆以 Markdown 文件为核心".into()),
        title: Some("事实来源".into()),
        kind: Some("decision".into()),
        ..Draft::default()
    };
    let written = vault.write(&draft).expect("written").memory;
    let id = &written.metadata.id;
    assert_eq!(written.path.as_str(), format!("Decisions/事实来源-{id}.md"));
    assert_eq!(common::found(&mut vault, "记忆"), [id.as_str()]);
    let archived = vault
        .change_status(id, &Change::Archive, None, "旧了")
        .expect("archived");
    let path = format!("Archive/事实来源-{id}.md");
    assert_eq!(archived.memory.path.as_str(), path);
    assert!(text_at(&machine, &path).contains("\nstatus: archived\n"));
    let journal = text_at(&machine, ".dsh-memory/journal/2026-12.jsonl");
    let line = journal.lines().last().expect("a line");
    assert!(
        line.contains(r#""op":"archive""#) && line.contains("[decision/archived] 事实来源 :: 长期"),
        "{line}"
    );
    let rebuilt = vault.rebuild_index().expect("rebuilt");
    assert_eq!(
        rebuilt.exported,
        [
            ".dsh-memory/index.json",
            "Index/按类别.md",
            "Index/按标签.md"
        ]
    );
    assert!(text_at(&machine, "Index/按类别.md").contains("已归档 1"));
    assert_eq!(
        vault.rebuild_index().expect("rebuilt").exported,
        [".dsh-memory/index.json"]
    );
}
