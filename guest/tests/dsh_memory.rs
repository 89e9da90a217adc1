//! The dsh-memory format on files as programs and people leave them: what is
//! read, what is written, and what stays as it stands (dsh-memory format §3,
//! §4).

mod common;

use common::dsh::{EXAMPLE, edited, field, moment, parsed, read, with};
use inkvault_guest::Error;
use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{DshMemory, Format, Parsed};
use inkvault_guest::memory::{Delivery, Field, Metadata, Status};
use inkvault_guest::timestamp::Timestamp;

/// A file as Obsidian and its user leave it.
const BY_HAND: &str = "\u{FEFF}---\r\n# mine\r\nid: mem_x\r\nown:\r\n  nested: true\r\ntype: 决定\r\nstatus: done\r\ncreated_at: 2026-10-17\r\nupdated_at: 2026-10-17 03:12\r\ntags: \"#Foo, Bar baz，qux\" # topics\r\n---\r\n\r\n前导段落。\r\n\r\n## 我的\r\n\r\n原样。\r\n";

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
    let written = DshMemory.create(&memory.metadata, &memory.body, 0);
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
    let written = DshMemory.create(&metadata, "# T: 1\r\n\r\nSay it.\r\n", 0);
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
            "importance: `999` is none of its values, 100 counts",
        ),
        (
            "importance: -5",
            "importance: `-5` is none of its values, 0 counts",
        ),
        ("importance: high", "importance: `high` is none"),
        ("importance: NaN", "importance: `NaN` is none"),
        ("confidence: 0.7", "confidence: a number, read as `medium`"),
        ("confidence: 7", "confidence: `7` is none"),
        ("pinned: yes", "pinned: `yes` is none"),
        ("delivery: always", "delivery: `always` is none"),
        (
            "schema_version: 1.5",
            "schema_version: 1.5 is a later version",
        ),
        ("schema_version: v2", "schema_version: `v2` is none"),
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
    assert!(doubt("x", "---\ntitle: never closed\n"));
    assert!(doubt("x", "\u{feff}---\r\ntitle: never closed\r\n"));
    for rule in [
        "---\n\na note: below a rule\n",
        "--- a: b ---\n\ntext\n",
        "---\na note: x\n",
    ] {
        assert!(!doubt("x", rule), "{rule}");
    }
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
fn an_agent_is_told_what_is_said_and_not_what_orders_the_file() {
    let said = "长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。\n\n\
                ## 附加说明（可选，用户可自行添加任意 ## 小节）\n\n内容会原样保留。";
    assert_eq!(DshMemory.said(&read(EXAMPLE)), said);
    assert_eq!(DshMemory.said(&read(&with(""))), "text");
}

#[test]
fn ids_of_any_safe_shape_are_accepted_and_only_usual_ones_looked_for() {
    for (id, accepted, looked_for) in [
        ("mem_20261017t075957_b1c8069b", true, true),
        ("mem_20261017t075957_b1c8069", true, false),
        ("mem_2026101７t075957_b1c8069b", false, false),
        ("release", true, false),
        ("a/b", false, false),
        ("", false, false),
    ] {
        assert_eq!(DshMemory.is_id(id), accepted, "{id}");
        assert_eq!(DshMemory.looks_like_id(id), looked_for, "{id}");
    }
}
