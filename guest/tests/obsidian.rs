//! A vault that a person keeps in Obsidian, made by hand from the
//! specification's own example: edited, moved about and damaged the way such
//! files are (dsh-memory format §2 to §4, §9).

mod common;

use std::time::Duration;

use common::dsh::EXAMPLE;
use common::{draft, found, process, text_at};
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::Status;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{CaptureRequest, Change, RecallRequest, SkipReason, UndoTarget, Vault};

const ID: &str = "mem_20261017t075957_b1c8069b";
const FILE: &str = "Decisions/用 Markdown 作为唯一事实来源.md";

fn machine() -> Machine {
    let machine = Machine::new();
    machine.set_now(Timestamp::parse("2026-10-19T10:00:00.123Z").expect("a date"));
    Vault::new(Box::new(machine.process()))
        .init("dsh-memory", Some("zh"))
        .expect("a vault");
    machine
}

/// The example as Obsidian and a person's other tools leave it.
fn by_hand() -> Machine {
    let machine = machine();
    machine.put(FILE, EXAMPLE);
    let windows = EXAMPLE
        .replace(ID, "mem_windows")
        .replace(
            "created_at: 2026-10-17T07:59:57.013Z",
            "created_at: 2026-10-17",
        )
        .replace(
            "tags:\n  - architecture\n  - decision",
            "tags: Architecture, #Decision",
        )
        .replace('\n', "\r\n");
    machine.put("Decisions/windows.md", format!("\u{feff}{windows}"));
    let unknown = EXAMPLE.replace(ID, "mem_unknown");
    let unknown = unknown
        .replace("status: active", "status: done")
        .replace("importance: 85", "importance: 999");
    machine.put("Tasks/unknown.md", unknown);
    machine.put(
        "Knowledge/broken.md",
        EXAMPLE.replace(&format!("id: {ID}\n"), ""),
    );
    machine.put("Knowledge/note.md", "# 只是笔记\n\n没有 frontmatter。\n");
    machine.put("Decisions/copy.md", EXAMPLE);
    machine.advance(Duration::from_secs(60));
    machine
}

#[test]
fn every_repair_bad_file_and_duplicate_is_named() {
    let machine = by_hand();
    let mut vault = process(&machine).vault;
    let overview = vault.overview().expect("an overview");
    assert_eq!((overview.memories, overview.ignored), (3, 1));
    let bad: Vec<_> = overview
        .bad_files
        .iter()
        .map(|bad| bad.path.as_str())
        .collect();
    assert_eq!(bad, ["Knowledge/broken.md"]);
    assert!(overview.bad_files[0].reason.contains("id"));
    assert_eq!(overview.duplicates.len(), 1);
    assert_eq!(overview.duplicates[0].id, ID);
    assert_eq!(overview.duplicates[0].paths, ["Decisions/copy.md", FILE]);
    let repairs: Vec<_> = overview
        .repaired_files
        .iter()
        .flat_map(|file| {
            file.repairs
                .iter()
                .map(|repair| format!("{} {repair}", file.path))
        })
        .collect();
    for (path, key) in [
        ("Decisions/windows.md", "tags:"),
        ("Tasks/unknown.md", "status:"),
        ("Tasks/unknown.md", "importance:"),
    ] {
        let named = repairs
            .iter()
            .any(|line| line.starts_with(&format!("{path} {key}")));
        assert!(named, "{path} {key} in {repairs:#?}");
    }
    let windows = vault.get("mem_windows").expect("a memory").metadata;
    assert_eq!(windows.created.to_string(), "2026-10-17T00:00:00.000Z");
    assert_eq!(windows.tags, ["architecture", "decision"]);
    let unknown = vault.get("mem_unknown").expect("a memory").metadata;
    assert_eq!(
        (unknown.status, unknown.importance),
        (Status::Pending, Some(100))
    );
    assert_eq!(found(&mut vault, "事实来源").len(), 3, "the rest works");
}

#[test]
fn a_change_of_status_alters_its_keys_and_moves_the_file() {
    let machine = machine();
    let mine = EXAMPLE.replace(
        "pinned: false",
        "pinned: false # for now\nmy_key: |\n  kept\n  as it is",
    );
    machine.put(FILE, &mine);
    machine.advance(Duration::from_secs(60));
    let mut vault = process(&machine).vault;
    let receipt = vault
        .change_status(ID, &Change::Archive, None, "out of date")
        .expect("archived");
    let place = FILE.replace("Decisions/", "Archive/");
    assert_eq!(receipt.changed_paths, [FILE, &place]);
    assert!(machine.bytes(FILE).is_none());
    let after = text_at(&machine, &place);
    let differing: Vec<_> = mine
        .lines()
        .zip(after.lines())
        .filter(|(before, after)| before != after)
        .collect();
    assert_eq!(
        differing,
        [
            ("status: active", "status: archived"),
            (
                "updated_at: 2026-10-17T07:59:57.013Z",
                "updated_at: 2026-10-19T10:01:00.123Z"
            ),
            (
                "superseded_by: mem_20261101t000000_bbbbbbbb",
                "superseded_by: mem_20261101t000000_bbbbbbbb"
            ),
        ][..2]
    );
    assert_eq!(mine.lines().count(), after.lines().count());
}

/// Every word of two characters that stands in a memory finds it.
#[test]
fn every_pair_of_characters_is_found() {
    let machine = by_hand();
    let mut vault = process(&machine).vault;
    let body = vault.get(ID).expect("a memory").body;
    let texts = ["用 Markdown 作为唯一事实来源", "事实来源", &body];
    let characters: Vec<_> = texts.join("\n").chars().collect();
    let is_han = |c: &char| ('\u{4e00}'..='\u{9fff}').contains(c);
    let mut pairs = 0;
    for pair in characters.windows(2).filter(|pair| pair.iter().all(is_han)) {
        let word: String = pair.iter().collect();
        // What the format puts into every file is no word of a memory.
        if "来源与依据核心内容相关记忆".contains(&word) && !texts[..2].concat().contains(&word)
        {
            continue;
        }
        pairs += 1;
        assert!(found(&mut vault, &word).contains(&ID.to_owned()), "{word}");
    }
    assert!(pairs > 40, "{pairs}");
}

#[test]
fn a_question_in_chinese_finds_its_memory_among_a_thousand() {
    let subjects = [
        "数据库",
        "前端",
        "发布",
        "测试",
        "日志",
        "缓存",
        "网络",
        "权限",
        "备份",
        "监控",
    ];
    let habits = [
        "每周",
        "每月",
        "每天",
        "上线前",
        "出错时",
        "周五",
        "凌晨",
        "午后",
        "节前",
        "月底",
    ];
    let deeds = [
        "检查", "清理", "更新", "回滚", "通知", "扩容", "归档", "演练", "复盘", "锁定",
    ];
    let machine = machine();
    let mut vault = process(&machine).vault;
    let mut ids = Vec::new();
    for subject in subjects {
        for habit in habits {
            for deed in deeds {
                let text = format!("团队约定：{subject}的事情在{habit}由值班人员{deed}一次。");
                let written = vault.write(&draft(&text)).expect("written");
                ids.push((subject, habit, deed, written.memory.metadata.id));
            }
        }
    }
    assert_eq!(ids.len(), 1_000);
    for (subject, habit, deed, id) in ids.iter().step_by(37) {
        let question = format!("{subject}要在{habit}{deed}吗？谁来做？");
        let request = RecallRequest {
            query: Some(question.clone()),
            ..RecallRequest::default()
        };
        let recalled = vault.recall(&request).expect("recalled");
        assert_eq!(
            recalled.items.first().map(|item| &item.id),
            Some(id),
            "{question}"
        );
    }
}

/// What a rule finds waits in the inbox; what is there already is skipped.
#[test]
fn what_is_captured_waits_in_the_inbox() {
    let machine = machine();
    let mut vault = process(&machine).vault;
    let said = |text: &str| CaptureRequest {
        user_text: text.to_owned(),
        ..CaptureRequest::default()
    };
    let proposed = vault.propose(&said("记住：周五发版。")).expect("proposed");
    let filed = &proposed.filed[0].memory;
    assert_eq!(filed.metadata.kind, "knowledge");
    assert!(filed.path.as_str().starts_with("Inbox/"), "{}", filed.path);
    let again = vault.propose(&said("记住：周五发版！")).expect("proposed");
    assert!(again.filed.is_empty());
    assert_eq!(again.skipped[0].reason, SkipReason::Duplicate);
    assert_eq!(again.skipped[0].similar[0].id, filed.metadata.id);
    let id = filed.metadata.id.clone();
    let receipt = vault
        .change_status(&id, &Change::Confirm, None, "")
        .expect("confirmed");
    assert!(receipt.memory.path.as_str().starts_with("Knowledge/"));
    assert!(receipt.memory.metadata.confidence >= 0.6);
}

/// Confirming a memory that is not sure makes it sure enough to be recalled.
#[test]
fn confirming_raises_low_to_medium() {
    let machine = machine();
    let pending = EXAMPLE
        .replace("status: active", "status: pending")
        .replace("confidence: high", "confidence: low");
    machine.put("Inbox/x.md", pending);
    machine.advance(Duration::from_secs(60));
    let mut vault = process(&machine).vault;
    let receipt = vault
        .change_status(ID, &Change::Confirm, None, "")
        .expect("confirmed");
    assert_eq!(receipt.memory.path.as_str(), "Decisions/x.md");
    assert!(text_at(&machine, "Decisions/x.md").contains("\nconfidence: medium\n"));
}

/// Relations stand on both sides, folders follow, and undoing brings back
/// every byte.
#[test]
fn related_memories_change_and_move_together() {
    let machine = machine();
    let other = EXAMPLE
        .replace(ID, "mem_other")
        .replace("# 用 Markdown 作为唯一事实来源", "# 另一条")
        .replace("title: 用 Markdown 作为唯一事实来源", "title: 另一条")
        .replace(
            "长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。",
            "索引可以随时删除。",
        );
    machine.put("Decisions/one.md", EXAMPLE);
    machine.put("Decisions/other.md", &other);
    machine.advance(Duration::from_secs(60));
    let visible = |machine: &Machine| {
        let mut files = machine.files();
        files.retain(|path, _| path.ends_with(".md") && !path.starts_with('.'));
        files
    };
    let before = visible(&machine);
    for (change, [one, two], told) in [
        (
            Change::ConflictWith("mem_other".into()),
            ["Conflicts/one.md", "Conflicts/other.md"],
            "  - mem_20261017t075957_b1c8069b\n",
        ),
        (
            Change::SupersedeBy("mem_other".into()),
            ["Archive/one.md", "Decisions/other.md"],
            "  - mem_20261017t075957_b1c8069b\n",
        ),
        (
            Change::MergeInto("mem_other".into()),
            ["Archive/one.md", "Decisions/other.md"],
            "长期记忆以 Markdown 文件为核心，索引只是可重建的辅助数据。",
        ),
    ] {
        let mut vault = process(&machine).vault;
        let receipt = vault
            .change_status(ID, &change, None, "")
            .unwrap_or_else(|error| panic!("{change:?}: {error}"));
        for path in [one, two] {
            assert!(machine.bytes(path).is_some(), "{change:?}: {path}");
        }
        let there = text_at(&machine, two);
        assert!(there.contains(told), "{change:?}: {there}");
        assert!(there.contains("索引可以随时删除。"), "the old text stays");
        let position = UndoTarget::Position(receipt.feed_position);
        vault.undo(&position).expect("undone");
        assert!(visible(&machine) == before, "{change:?} undone");
        machine.advance(Duration::from_secs(60));
    }
}

#[test]
fn files_that_a_person_called_alike_can_all_be_archived() {
    let machine = machine();
    let note = |id: &str| EXAMPLE.replace(ID, id);
    for (place, id) in [
        ("Decisions", "mem_a"),
        ("Tasks", "mem_b"),
        ("Knowledge", "mem_c"),
    ] {
        machine.put(&format!("{place}/Notes.md"), note(id));
    }
    machine.advance(Duration::from_secs(60));
    let mut vault = process(&machine).vault;
    let mut places = Vec::new();
    for id in ["mem_a", "mem_b", "mem_c"] {
        let receipt = vault.change_status(id, &Change::Archive, None, "");
        places.push(receipt.expect("archived").memory.path.as_str().to_owned());
    }
    let expected = |id: &str| format!("Archive/用 Markdown 作为唯一事实来源-{id}.md");
    assert_eq!(
        places,
        [
            "Archive/Notes.md".to_owned(),
            expected("mem_b"),
            expected("mem_c")
        ]
    );
    for path in places {
        assert!(
            text_at(&machine, &path).contains("status: archived"),
            "{path}"
        );
    }
    assert!(vault.overview().expect("an overview").duplicates.is_empty());
}

#[test]
fn two_files_called_alike_can_be_in_conflict() {
    let machine = machine();
    for (place, id) in [("Decisions", "mem_a"), ("Tasks", "mem_b")] {
        let text = EXAMPLE.replace(ID, id);
        let text = text.replace("conflicts_with:\n  - mem_20261010t000000_cccccccc\n", "");
        let text = text.replace("superseded_by: mem_20261101t000000_bbbbbbbb\n", "");
        machine.put(&format!("{place}/Notes.md"), text);
    }
    machine.advance(Duration::from_secs(60));
    let mut vault = process(&machine).vault;
    let change = Change::ConflictWith("mem_b".to_owned());
    let receipt = vault
        .change_status("mem_a", &change, None, "")
        .expect("in conflict");
    assert_eq!(receipt.memory.path.as_str(), "Conflicts/Notes.md");
    let other = vault.get("mem_b").expect("the other");
    assert!(other.path.as_str().ends_with("-mem_b.md"), "{}", other.path);
    assert!(
        other.path.as_str().starts_with("Conflicts/"),
        "{}",
        other.path
    );
}

#[test]
fn what_is_guessed_or_only_read_moves_no_file() {
    let machine = machine();
    machine.put(
        "Decisions/kind.md",
        EXAMPLE.replace("type: decision", "type: Decision"),
    );
    let later = EXAMPLE.replace(ID, "mem_later");
    let later = later.replace("schema_version: 1", "schema_version: 2");
    machine.put("Tasks/later.md", later);
    machine.advance(Duration::from_secs(60));
    let mut vault = process(&machine).vault;
    let faults = vault.verify(true).expect("verified").faults;
    assert!(machine.bytes("Decisions/kind.md").is_some());
    assert!(machine.bytes("Tasks/later.md").is_some());
    let stays = |path: &str| {
        let of_path = faults.iter().filter(|fault| fault.path == path);
        of_path
            .filter(|fault| fault.mend.contains("stays where it is"))
            .count()
    };
    assert_eq!(
        (stays("Decisions/kind.md"), stays("Tasks/later.md")),
        (0, 1)
    );
}
