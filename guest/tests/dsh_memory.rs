//! The dsh-memory format on files as programs and people leave them: what is
//! read, what is written, and what stays as it stands (dsh-memory format §3,
//! §4, §5, §7).

use inkvault_guest::Error;
use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{
    DshMemory, Event, Exported, Format, Language, Listing, Operation, Parsed, Setting, Skeleton,
    TermView, TermVisitor,
};
use inkvault_guest::memory::{Delivery, Field, Memory, Metadata, Status};
use inkvault_guest::timestamp::Timestamp;
use proptest::prelude::*;

/// The example of §3, whole.
const EXAMPLE: &str = "\
---
id: mem_20261017t075957_b1c8069b
type: decision
status: active
title: 用 Markdown 作为唯一事实来源
created_at: 2026-10-17T07:59:57.013Z
updated_at: 2026-10-17T07:59:57.013Z
tags:
  - architecture
  - decision
confidence: high
importance: 85
pinned: false
source_sessions:
  - session-dd7bfd09
aliases:
  - 事实来源
supersedes:
  - mem_20261001t000000_aaaaaaaa
superseded_by: mem_20261101t000000_bbbbbbbb
conflicts_with:
  - mem_20261010t000000_cccccccc
evidence: 用户在验收时明确要求。
schema_version: 1
---

# 用 Markdown 作为唯一事实来源

## 核心内容

长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。

## 附加说明（可选，用户可自行添加任意 ## 小节）

内容会原样保留。

## 来源与依据

用户在验收时明确要求。

## 相关记忆

- [[索引重建策略]]
";

/// A file as Obsidian and its user leave it.
const BY_HAND: &str = "\u{FEFF}---\r\n# mine\r\nid: mem_x\r\nown:\r\n  nested: true\r\ntype: 决定\r\nstatus: done\r\ncreated_at: 2026-10-17\r\nupdated_at: 2026-10-17 03:12\r\ntags: \"#Foo, Bar baz，qux\" # topics\r\n---\r\n\r\n前导段落。\r\n\r\n## 我的\r\n\r\n原样。\r\n";

fn moment() -> Timestamp {
    Timestamp::parse("2026-12-01").expect("a date")
}

fn parsed(text: &str) -> Parsed {
    let path = VaultPath::parse("Decisions/by hand.md").expect("a path");
    DshMemory.parse(&path, text.as_bytes(), moment())
}

fn read(text: &str) -> Memory {
    match parsed(text) {
        Parsed::Memory(memory) => *memory,
        other => panic!("no memory: {other:?} in\n{text}"),
    }
}

/// A file with these lines in its frontmatter beside those it must have.
fn with(lines: &str) -> String {
    let mut kept = String::new();
    for line in "id: mem_x\ntype: task\nstatus: active\ntitle: T\ncreated_at: 2026-10-17\nupdated_at: 2026-10-17".lines() {
        let key = line.split(':').next().unwrap_or_default();
        if !lines.lines().any(|given| given.trim_start_matches('-').starts_with(key)) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let given: String = lines
        .lines()
        .filter(|line| !line.starts_with('-'))
        .map(|line| format!("{line}\n"))
        .collect();
    format!("---\n{kept}{given}---\n\n# T\n\ntext\n")
}

fn edited(text: &str, change: impl FnOnce(&mut Metadata), body: Option<&str>) -> String {
    let before = read(text);
    let mut after = before.metadata.clone();
    change(&mut after);
    let bytes = DshMemory.edit(text.as_bytes(), &before, &after, body, &[]);
    String::from_utf8(bytes.expect("edited")).expect("text")
}

fn field(memory: &Memory, wanted: Field) -> String {
    let mut fields = DshMemory.fields(memory).into_iter();
    let found = fields.find(|(field, _)| *field == wanted);
    found.map(|(_, text)| text.into_owned()).unwrap_or_default()
}

#[test]
fn the_example_is_read_to_every_field_and_written_as_it_is() {
    let memory = read(EXAMPLE);
    let created = Timestamp::parse("2026-10-17T07:59:57.013Z").expect("a date");
    let list = |item: &str| vec![item.to_owned()];
    let expected = Metadata {
        id: "mem_20261017t075957_b1c8069b".into(),
        title: "用 Markdown 作为唯一事实来源".into(),
        tags: vec!["architecture".into(), "decision".into()],
        aliases: list("事实来源"),
        confidence: 0.9,
        importance: Some(85),
        origin: "session-dd7bfd09".into(),
        evidence: "用户在验收时明确要求。".into(),
        supersedes: list("mem_20261001t000000_aaaaaaaa"),
        superseded_by: "mem_20261101t000000_bbbbbbbb".into(),
        conflicts_with: list("mem_20261010t000000_cccccccc"),
        ..Metadata::blank("decision", created)
    };
    assert_eq!(memory.metadata, expected);
    assert_eq!(memory.repairs, Vec::<String>::new());
    let summary = "长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。";
    assert_eq!(field(&memory, Field::Summary), summary);
    assert_eq!(
        field(&memory, Field::Body),
        "附加说明（可选，用户可自行添加任意 ## 小节）\n内容会原样保留。\n用户在验收时明确要求。\n- [[索引重建策略]]"
    );
    let written = DshMemory.create(&memory.metadata, &memory.body);
    assert_eq!(String::from_utf8(written).expect("text"), EXAMPLE);
}

#[test]
fn a_new_memory_has_the_generated_sections() {
    let metadata = Metadata {
        id: "mem_x".into(),
        title: "T: 1".into(),
        tags: vec!["#Foo Bar".into()],
        delivery: Delivery::Prompt,
        confidence: 0.6,
        ..Metadata::blank("task", moment())
    };
    let written = DshMemory.create(&metadata, "# T: 1\r\n\r\nSay it.\r\n");
    assert_eq!(
        String::from_utf8(written).expect("text"),
        "---\nid: mem_x\ntype: task\nstatus: active\ntitle: 'T: 1'\n\
         created_at: 2026-12-01T00:00:00.000Z\nupdated_at: 2026-12-01T00:00:00.000Z\n\
         tags:\n  - foo-bar\n  - task\nconfidence: medium\npinned: false\nschema_version: 1\n\
         delivery: prompt\n---\n\n# T: 1\n\n## 核心内容\n\nSay it.\n\n## 来源与依据\n\n（暂无可追溯来源）\n"
    );
}

#[test]
fn what_people_write_by_hand_is_read() {
    let memory = read(BY_HAND);
    let metadata = &memory.metadata;
    assert_eq!(
        (metadata.kind.as_str(), metadata.status),
        ("knowledge", Status::Pending)
    );
    assert_eq!(metadata.tags, ["foo", "bar", "baz", "qux", "knowledge"]);
    assert_eq!(metadata.title, "by hand");
    assert_eq!(metadata.created.to_string(), "2026-10-17T00:00:00.000Z");
    assert_eq!(metadata.updated.to_string(), "2026-10-17T03:12:00.000Z");
    assert_eq!(memory.body, "前导段落。\n\n## 我的\n\n原样。");
    assert_eq!(field(&memory, Field::Summary), "前导段落。");
    assert!(memory.assumed.status && !memory.assumed.created);
}

#[test]
fn edits_of_it_touch_nothing_else() {
    let archived = edited(BY_HAND, |after| after.status = Status::Archived, None);
    assert_eq!(
        archived,
        BY_HAND.replace("status: done", "status: archived")
    );
    let tagged = edited(BY_HAND, |after| after.tags.push("新".into()), None);
    let line = "tags: \"#Foo, Bar baz，qux\" # topics\r\n";
    let items = ["foo", "bar", "baz", "qux", "knowledge", "新"].map(|tag| format!("  - {tag}\r\n"));
    assert_eq!(
        tagged,
        BY_HAND.replace(line, &format!("tags: # topics\r\n{}", items.concat()))
    );
    let said = edited(BY_HAND, |_| {}, Some("新的\n一段。"));
    assert_eq!(said, BY_HAND.replace("前导段落。", "新的\r\n一段。"));
    let named = edited(BY_HAND, |after| after.title = "名".into(), None);
    assert_eq!(
        named,
        BY_HAND.replace("created_at", "title: 名\r\ncreated_at")
    );
}

#[test]
fn every_tolerated_fault_is_told() {
    for (lines, repair) in [
        ("type: unheard-of", "type: `unheard-of` is none"),
        ("-type", "type: missing, `knowledge` counts"),
        ("status: done", "status: `done` is none"),
        ("-status", "status: missing, `pending` counts"),
        ("-created_at", "created_at: missing"),
        ("created_at: yesterday", "created_at: no date"),
        ("-updated_at", "updated_at: missing"),
        ("-title", "title: missing; the heading counts"),
        ("tags: a, b", "tags: a text stands"),
        (
            "importance: 999",
            "importance: not from 0 to 100, 100 counts",
        ),
        ("importance: -5", "importance: not from 0 to 100, 0 counts"),
        ("importance: high", "importance: `high` is none"),
        ("importance: NaN", "importance: `NaN` is none"),
        ("confidence: 0.7", "confidence: a number, read as `medium`"),
        ("confidence: 7", "confidence: `7` is none"),
        ("pinned: yes", "pinned: `yes` is none"),
        ("delivery: always", "delivery: `always` is none"),
        ("schema_version: 2", "schema_version: 2 is a later version"),
    ] {
        let memory = read(&with(lines));
        assert_eq!(memory.repairs.len(), 1, "{lines}: {:?}", memory.repairs);
        assert!(
            memory.repairs[0].starts_with(repair),
            "{lines}: {:?}",
            memory.repairs
        );
    }
    let long = read(&with(&format!("title: {}", "长".repeat(301))));
    assert_eq!(long.metadata.title, "长".repeat(300));
    assert!(long.repairs[0].starts_with("title: longer than 300"));
}

#[test]
fn what_is_accepted_needs_no_repair() {
    for lines in [
        "created_at: 2026-10-17T11:12:00+08:00",
        "confidence: High",
        "confidence:",
        "tags: [Foo, '#bar']",
        "aliases: []",
        "importance: 50",
        "pinned: true",
        "delivery: recall",
        "schema_version: 1",
    ] {
        assert_eq!(read(&with(lines)).repairs, Vec::<String>::new(), "{lines}");
    }
}

#[test]
fn a_malformed_section_is_left_out_of_the_view_only() {
    let text = format!(
        "{}\n## \n\nlost\n\n## 核心内容\n\na\n\n## 核心内容\n\nb\n",
        with("").trim_end()
    );
    let memory = read(&text);
    assert_eq!(memory.repairs.len(), 2, "{:?}", memory.repairs);
    assert_eq!(field(&memory, Field::Summary), "a");
    assert_eq!(field(&memory, Field::Body), "text");
    let archived = edited(&text, |after| after.status = Status::Archived, None);
    assert_eq!(archived, text.replace("active", "archived"));
}

#[test]
fn what_is_no_memory() {
    assert_eq!(parsed("no frontmatter at all\n"), Parsed::Ignored);
    assert_eq!(parsed("---\nnever closed\n"), Parsed::Ignored);
    for text in [
        "---\ntype: task\n---\n",
        "---\nid: ../x\n---\n",
        "---\nid: [a]\n---\n",
    ] {
        assert!(matches!(parsed(text), Parsed::Bad(_)), "{text}");
    }
    let path = VaultPath::parse("Tasks/x.md").expect("a path");
    assert!(matches!(
        DshMemory.parse(&path, b"---\nid: a\xff\n---\n", moment()),
        Parsed::Bad(_)
    ));
    let doubt = |name: &str, text: &str| {
        let path = VaultPath::parse(&format!("Tasks/{name}.md")).expect("a path");
        DshMemory.doubt(&path, text.as_bytes()).is_some()
    };
    assert!(doubt("x-mem_20261017t075957_b1c8069b", "text"));
    assert!(doubt("x", "---\nnever closed\n"));
    assert!(doubt("x", "id: mem_20261017t075957_b1c8069b\n"));
    assert!(!doubt("README", "id: anything\n"));
}

#[test]
fn titles_fill_their_gaps() {
    let bare = "---\nid: mem_x\n---\n\n";
    assert_eq!(read(&format!("{bare}# H\n")).metadata.title, "H");
    assert_eq!(read(&format!("{bare}text\n")).metadata.title, "by hand");
    let path = VaultPath::parse("Tasks/mem_x.md").expect("a path");
    let named_by_id =
        |body: &str| match DshMemory.parse(&path, format!("{bare}{body}").as_bytes(), moment()) {
            Parsed::Memory(memory) => memory.metadata.title,
            other => panic!("{other:?}"),
        };
    assert_eq!(named_by_id("- first line\nsecond"), "first line");
    assert_eq!(named_by_id(""), "mem_x");
}

#[test]
fn a_plain_text_takes_the_place_of_the_summary_only() {
    let after = edited(EXAMPLE, |_| {}, Some("新的内容。"));
    let summary = "长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。";
    assert_eq!(after, EXAMPLE.replace(summary, "新的内容。"));
    let whole = edited(EXAMPLE, |_| {}, Some("## 核心内容\n\n新的。"));
    assert!(!whole.contains("附加说明"), "{whole}");
    assert!(whole.ends_with("## 核心内容\n\n新的。\n\n## 来源与依据\n\n用户在验收时明确要求。\n\n## 相关记忆\n\n- [[索引重建策略]]\n"));
    assert_eq!(edited(EXAMPLE, |_| {}, Some(&read(EXAMPLE).body)), EXAMPLE);
}

#[test]
fn titles_and_evidence_are_changed_in_both_places() {
    let after = edited(EXAMPLE, |after| after.title = "新: 题".into(), None);
    let expected = EXAMPLE
        .replace("title: 用 Markdown 作为唯一事实来源", "title: '新: 题'")
        .replace("# 用 Markdown 作为唯一事实来源", "# 新: 题");
    assert_eq!(after, expected);
    let after = edited(EXAMPLE, |after| after.evidence = "另有依据".into(), None);
    assert_eq!(after, EXAMPLE.replace("用户在验收时明确要求。", "另有依据"));
    let none = edited(EXAMPLE, |after| after.evidence.clear(), None);
    let expected = EXAMPLE
        .replace("evidence: 用户在验收时明确要求。\n", "")
        .replace("用户在验收时明确要求。", "（暂无可追溯来源）");
    assert_eq!(none, expected);
    assert_eq!(read(&none).metadata.evidence, "");
}

#[test]
fn evidence_that_a_new_body_brings_along_is_taken_over() {
    let body = read(EXAMPLE)
        .body
        .replace("用户在验收时明确要求。", "会议纪要");
    let after = edited(EXAMPLE, |_| {}, Some(&body));
    assert_eq!(after, EXAMPLE.replace("用户在验收时明确要求。", "会议纪要"));
    let both = edited(EXAMPLE, |after| after.evidence = "邮件".into(), Some(&body));
    assert_eq!(both, EXAMPLE.replace("用户在验收时明确要求。", "邮件"));
}

#[test]
fn missing_dates_are_kept_at_the_next_write() {
    let text = with("-created_at\n-updated_at");
    let after = edited(&text, |after| after.pinned = true, None);
    for date in ["created_at", "updated_at"] {
        assert!(
            after.contains(&format!("\n{date}: 2026-12-01T00:00:00.000Z\n")),
            "{after}"
        );
    }
    assert!(read(&after).repairs.is_empty());
}

#[test]
fn single_rules_of_the_frontmatter() {
    let sessions = with("source_sessions: [a, b, c] # mine");
    let moved = edited(&sessions, |after| after.origin = "z".into(), None);
    assert_eq!(moved, sessions.replace("[a, b, c]", "[z, b, c]"));
    let freed = edited(&sessions, |after| after.origin.clear(), None);
    assert_eq!(freed, sessions.replace("[a, b, c]", "[b, c]"));
    let sure = with("confidence: 0.7");
    assert_eq!(edited(&sure, |after| after.confidence = 0.84, None), sure);
    let high = edited(&sure, |after| after.confidence = 0.85, None);
    assert_eq!(high, sure.replace("0.7", "high"));
    let prompt = edited(&with(""), |after| after.delivery = Delivery::Prompt, None);
    assert!(prompt.contains("\ndelivery: prompt\n"));
    assert_eq!(
        edited(&prompt, |after| after.delivery = Delivery::Recall, None),
        with("")
    );
    let tagged = with("tags:\n  - task\n  - x");
    let decided = edited(&tagged, |after| after.kind = "decision".into(), None);
    assert_eq!(read(&decided).metadata.tags, ["x", "decision"]);
}

#[test]
fn what_was_given_is_written_over_what_was_not_usable() {
    let text = with("status: done");
    let before = read(&text);
    let edit = |given: &[&str]| {
        let bytes = DshMemory.edit(text.as_bytes(), &before, &before.metadata, None, given);
        String::from_utf8(bytes.expect("edited")).expect("text")
    };
    assert_eq!(edit(&[]), text);
    assert_eq!(edit(&["status"]), text.replace("done", "pending"));
    assert!(edit(&["kind"]) == text);
}

#[test]
fn files_of_a_later_version_are_only_read() {
    let text = with("schema_version: 2");
    let memory = read(&text);
    let edit = DshMemory.edit(text.as_bytes(), &memory, &memory.metadata, None, &[]);
    assert!(matches!(edit, Err(Error::Unsupported(why)) if why.contains("`schema_version` is 2")));
    let gone = DshMemory.edit(b"text", &memory, &memory.metadata, None, &[]);
    assert!(matches!(gone, Err(Error::Corrupt(_))));
}

#[test]
fn a_memory_is_folded_in_after_a_persons_own_sections() {
    let target = read(EXAMPLE);
    let source = read(&with("title: 锁\nid: mem_y").replace(
        "text",
        "## 核心内容\n\n补一点。\n\n## 细节\n\n### 更细\n\n## 来源与依据\n\n别处",
    ));
    let folded = DshMemory.fold(&target, &source);
    let added = "## 补充：锁（mem_y）\n\n补一点。\n\n### 细节\n\n#### 更细\n\n";
    let expected = target
        .body
        .replace("## 来源与依据", &format!("{added}## 来源与依据"));
    assert_eq!(folded, expected);
    let written = edited(EXAMPLE, |_| {}, Some(&folded));
    assert_eq!(
        written,
        EXAMPLE.replace("## 来源与依据", &format!("{added}## 来源与依据"))
    );
    let plain = DshMemory.fold(&read(&with("")), &read(&with("id: mem_y")));
    assert_eq!(plain, "text\n\n## 补充：T（mem_y）\n\ntext");
}

#[test]
fn what_a_memory_says_of_itself_moves_its_score_in_bounds() {
    let prior = |lines: &str| DshMemory.prior(&read(&with(lines)).metadata);
    assert_eq!(prior(""), 1.0);
    assert_eq!(prior("importance: 50"), 1.0);
    assert_eq!(
        (prior("importance: 0"), prior("importance: 100")),
        (0.85, 1.15)
    );
    assert_eq!(
        (prior("pinned: true"), prior("confidence: low")),
        (1.1, 0.8)
    );
    assert!(prior("importance: 100\npinned: true\nconfidence: high") < 1.4);
}

#[test]
fn kinds_of_capture_become_types() {
    for (kind, rule, expected) in [
        ("preference", "", "preference"),
        ("fact", "fact", "knowledge"),
        ("fact", "personal-fact", "profile"),
        ("decision", "", "decision"),
        ("project", "", "project"),
        ("reference", "", "experience"),
        ("task", "", "task"),
    ] {
        assert_eq!(DshMemory.captured_kind(kind, rule), expected);
    }
}

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

/// A view of no terms: this format's exports ask for none.
struct NoTerms;

impl TermView for NoTerms {
    fn documents(&self) -> usize {
        0
    }

    fn mean_length(&self) -> f64 {
        0.0
    }

    fn each_document(
        &self,
        _visit: &mut dyn FnMut(&str, u32) -> inkvault_guest::Result<()>,
    ) -> inkvault_guest::Result<()> {
        Ok(())
    }

    fn each_term(&self, _visit: &mut TermVisitor<'_>) -> inkvault_guest::Result<()> {
        Ok(())
    }
}

/// The exported files of a vault with some memories.
fn exported(setting: &Setting, texts: &[String]) -> Vec<(String, String)> {
    let memories: Vec<_> = texts.iter().map(|text| (read(text), text)).collect();
    let exports = DshMemory.exports(setting).into_iter();
    let written = exports.map(|mut export| {
        let mut file = String::new();
        let mut sink = |piece: &str| {
            file.push_str(piece);
            Ok(())
        };
        export.begin(&mut sink).expect("begun");
        for (memory, text) in &memories {
            let exported = Exported {
                memory,
                bytes: text.as_bytes(),
                mtime: 1_760_000_000_000.5,
            };
            export.memory(exported, &mut sink).expect("written");
        }
        export.end(moment(), &NoTerms, &mut sink).expect("ended");
        (export.path().as_str().to_owned(), file)
    });
    written.collect()
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
            "# 按类别\n\n由 `inkvault rebuild` 生成，在此所做的修改会丢失。\n\n有效记忆 3 条；未列出：archived 1。\n\
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

/// Texts with all that divides and hides in Markdown.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        1 => any::<char>().prop_map(String::from),
        6 => prop::sample::select(vec![
            "\n", "\n\n", "\r\n", "\r", " ", "# ", "## ", "### ", "## 核心内容\n", "## 来源与依据\n",
            "## 相关记忆\n", "（暂无可追溯来源）", "```", "~~~~", "---", "记忆", "a", "- [[x]]", "# T",
            "\u{FEFF}", "\u{2028}", "    ", "<!--", "##", "\\",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// Words as a draft has them: one line, no blanks around.
fn word() -> impl Strategy<Value = String> {
    tricky().prop_map(|text| {
        let parts = text.split(|c: char| c.is_whitespace() || c.is_control());
        let line: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        format!("w{}", line.join(" "))
    })
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::btree_set(word(), 0..4).prop_map(|words| words.into_iter().collect())
}

fn any_metadata() -> impl Strategy<Value = Metadata> {
    let kinds = vec![
        "profile",
        "preference",
        "project",
        "project-state",
        "decision",
        "knowledge",
    ];
    let levels = prop::sample::select(vec![0.3, 0.6, 0.9]);
    (
        (
            word(),
            prop::sample::select(kinds),
            prop::sample::select(Status::ALL.to_vec()),
        ),
        (0_i64..4_000_000_000_000, 0_i64..4_000_000_000_000, levels),
        (words(), words(), words(), words()),
        (prop::option::of(0_u8..=100), any::<bool>(), any::<bool>()),
        (word(), word(), tricky()),
    )
        .prop_map(|(head, numbers, lists, flags, texts)| Metadata {
            id: "mem_20261017t075957_b1c8069b".into(),
            title: head.0,
            status: head.2,
            created: Timestamp::from_millis(numbers.0),
            updated: Timestamp::from_millis(numbers.1),
            confidence: numbers.2,
            tags: lists.0,
            aliases: lists.1,
            supersedes: lists.2,
            conflicts_with: lists.3,
            importance: flags.0,
            pinned: flags.1,
            delivery: if flags.2 {
                Delivery::Prompt
            } else {
                Delivery::Recall
            },
            origin: texts.0,
            superseded_by: texts.1,
            evidence: format!("e{}", texts.2.trim_end_matches(['\n', '\r'])),
            ..Metadata::blank(head.1, Timestamp::default())
        })
}

/// Keys and comments of a person, between those of the format.
fn own_lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop::sample::select(vec![
        "# a comment",
        "own: 1",
        "cssclasses: [a, b]",
        "other: |\n  text\n  # no comment",
        "publish:",
        "",
        "ids:\n- a\n- b",
        "'q: x': \"y\"",
        "map:\n  k: v",
    ]);
    prop::collection::vec(line.prop_map(str::to_owned), 7)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_was_created_is_read_back(metadata in any_metadata(), body in tricky()) {
        let first = DshMemory.create(&metadata, &body);
        let text = String::from_utf8(first).expect("text");
        let memory = read(&text);
        let tags = &memory.metadata.tags;
        prop_assert!(tags.contains(&metadata.kind));
        let expected = Metadata { tags: tags.clone(), ..metadata.clone() };
        prop_assert_eq!(&memory.metadata, &expected, "{}", text);
        let again = DshMemory.create(&memory.metadata, &memory.body);
        prop_assert_eq!(String::from_utf8(again).expect("text"), text);
    }

    #[test]
    fn a_plain_text_is_read_back_as_the_summary(body in tricky()) {
        let metadata = Metadata { id: "mem_x".into(), title: "title".into(), ..Metadata::blank("task", moment()) };
        let plain = body.replace('#', "").replace('`', "").replace('~', "");
        let memory = read(&String::from_utf8(DshMemory.create(&metadata, &plain)).expect("text"));
        let lines = plain.replace("\r\n", "\n").replace('\r', "\n");
        let lines: Vec<&str> = lines.split('\n').collect();
        let said = |line: &&str| !line.trim().is_empty();
        let first = lines.iter().position(said).unwrap_or(0);
        let end = lines.iter().rposition(said).map_or(first, |last| last + 1);
        prop_assert_eq!(field(&memory, Field::Summary), lines[first..end].join("\n"));
    }

    #[test]
    fn a_change_touches_its_line_and_nothing_else(
        own in own_lines(),
        body in tricky(),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
        bom in any::<bool>(),
        status in prop::sample::select(Status::ALL.to_vec()),
    ) {
        let keys = ["id: mem_x", "type: task # kind", "status: stale  # why", "title: \"T\"", "created_at: 2026-10-17", "updated_at: 2026-10-17"];
        let lines: Vec<_> = keys.iter().zip(&own).map(|(key, own)| format!("{key}\n{own}\n")).collect();
        let front = format!("{}---\n{}---\n\n", if bom { "\u{FEFF}" } else { "" }, lines.concat());
        let text = format!("{}{body}", front.replace('\n', ending));
        let after = edited(&text, |after| after.status = status, None);
        prop_assert_eq!(&after, &text.replacen("status: stale", &format!("status: {status}"), 1));
        prop_assert_eq!(read(&after).metadata.status, status);
    }

    #[test]
    fn a_plain_text_leaves_every_other_section(
        sections in prop::collection::vec(prop::sample::select(vec![
            "## a\r\nb\n", "## 来源与依据\n\nc\r\n\r\n", "## d\n```\n## e\n```\n", "## 相关记忆\n- [[f]]\n", "##\n\ng\n", "# h\n\n",
        ]), 0..5),
        lead in prop::sample::select(vec!["", "\r\nlead\r\nmore\r\n\r\n", "## 核心内容\n\nold\r\n\r\n", "## 核心内容\n"]),
    ) {
        let sections = sections.concat();
        let head = with("").replace("text\n", "");
        let text = format!("{head}{lead}{sections}");
        let after = edited(&text, |_| {}, Some("new\n\ntext"));
        if sections.starts_with("##") || sections.is_empty() {
            prop_assert!(after.starts_with(&head) && after.ends_with(&sections), "{:?}", after);
        }
        prop_assert_eq!(field(&read(&after), Field::Summary), "new\n\ntext");
        prop_assert_eq!(edited(&after, |_| {}, Some("new\n\ntext")), after);
    }

    #[test]
    fn any_body_can_replace_any_other(old in tricky(), new in tricky(), evidence in tricky()) {
        let text = format!("{}{old}", with("evidence: given"));
        let after = edited(&text, |after| after.evidence = evidence, Some(&new));
        read(&after);
        let folded = DshMemory.fold(&read(&text), &read(&after));
        prop_assert!(folded.contains("## 补充：T（mem_x）"));
        prop_assert!(read(&text).body.lines().all(|line| folded.contains(line)));
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), text in tricky()) {
        let path = VaultPath::parse("Tasks/x.md").expect("a path");
        let mut framed = b"---\nid: mem_x\n".to_vec();
        framed.extend(&bytes);
        framed.extend(b"\n---\n");
        framed.extend(text.as_bytes());
        for bytes in [&bytes, &framed] {
            DshMemory.doubt(&path, bytes);
            DshMemory.export_fault(bytes, 0, 0, &Setting::default());
            if let Parsed::Memory(memory) = DshMemory.parse(&path, bytes, moment()) {
                DshMemory.fields(&memory);
                let place = DshMemory.place(&memory.metadata, None);
                prop_assert!(place.name().len() <= 200);
                let edited = DshMemory.edit(bytes, &memory, &memory.metadata, Some(&text), &["tags"]);
                prop_assert!(edited.is_ok() || matches!(edited, Err(Error::Unsupported(_))));
            }
        }
    }
}
