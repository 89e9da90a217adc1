//! The properties of the dsh-memory format: what was written is read back,
//! edits touch nothing else, and no bytes make it panic.

mod common;

use common::dsh::{edited, field, moment, read, with};
use inkvault_guest::Error;
use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{DshMemory, Format, Parsed, Setting};
use inkvault_guest::memory::{Delivery, Field, Metadata, Status};
use inkvault_guest::timestamp::Timestamp;
use proptest::prelude::*;

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
        let first = DshMemory.create(&metadata, &body, 0);
        let text = String::from_utf8(first).expect("text");
        let memory = read(&text);
        let tags = &memory.metadata.tags;
        prop_assert!(tags.contains(&metadata.kind));
        let expected = Metadata { tags: tags.clone(), ..metadata.clone() };
        prop_assert_eq!(&memory.metadata, &expected, "{}", text);
        let again = DshMemory.create(&memory.metadata, &memory.body, 0);
        prop_assert_eq!(String::from_utf8(again).expect("text"), text);
    }

    #[test]
    fn a_plain_text_is_read_back_as_the_summary(body in tricky()) {
        let metadata = Metadata { id: "mem_x".into(), title: "title".into(), ..Metadata::blank("task", moment()) };
        let plain = body.replace(['#', '`', '~'], "");
        let memory = read(&String::from_utf8(DshMemory.create(&metadata, &plain, 0)).expect("text"));
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
