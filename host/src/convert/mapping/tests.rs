//! What becomes of single memories.

use super::*;
use crate::convert::sample;

fn pair(from: &str, to: &str) -> &'static Pair {
    Pair::named(from, to).expect("a pair")
}

fn to_dsh(metadata: Metadata, body: &str) -> Mapped {
    mapped(pair("inkvault", "dsh-memory"), metadata, body).expect("carried over")
}

fn to_inkvault(metadata: Metadata, body: &str) -> Mapped {
    mapped(pair("dsh-memory", "inkvault"), metadata, body).expect("carried over")
}

fn mapped(pair: &Pair, metadata: Metadata, body: &str) -> Result<Mapped, String> {
    let body = body.to_owned();
    map(pair, &Memory { metadata, body }, Aside::default())
}

/// The memory it becomes.
fn drafted(mapped: &Mapped) -> Draft {
    match &mapped.form {
        Form::Memory(draft) => (**draft).clone(),
        Form::Entry(entry) => panic!("an entry: {entry:?}"),
    }
}

/// What is said of a field.
fn said(mapped: &Mapped, fate: Fate, field: Field) -> Vec<&str> {
    let remarks = mapped.remarks.iter();
    let of_field = remarks.filter(|remark| (remark.fate, remark.field) == (fate, field));
    of_field.map(|remark| remark.what.as_str()).collect()
}

fn dsh(kind: &str, status: Status) -> Metadata {
    Metadata {
        kind: kind.to_owned(),
        status,
        confidence: 0.6,
        ..sample::metadata("mem_1")
    }
}

#[test]
fn a_plain_memory_is_carried_with_its_id() {
    let memory = Metadata {
        aliases: vec!["other".into()],
        importance: Some(7),
        ..sample::metadata("m-1")
    };
    let draft = drafted(&to_dsh(memory, "text"));
    assert_eq!(draft.kind.as_deref(), Some("knowledge"));
    assert_eq!(draft.status, Some(Status::Active));
    assert_eq!(draft.aliases, Some(vec!["other".into(), "m-1".into()]));
    assert_eq!(draft.importance, Some(7));
    assert_eq!(draft.source, None);
    assert_eq!(
        draft.converted_from.as_deref(),
        Some("inkvault fact active m-1")
    );
}

#[test]
fn what_is_out_of_date_is_archived_and_comes_back() {
    let there = to_inkvault(dsh("project-state", Status::Stale), "text");
    assert_eq!(drafted(&there).status, Some(Status::Archived));
    assert_eq!(drafted(&there).kind.as_deref(), Some("project"));
    let changes = said(&there, Fate::Mapped, Field::Status);
    assert_eq!(changes, ["stale becomes archived"]);

    let returning = |kind: &str, status| Metadata {
        kind: kind.to_owned(),
        status,
        converted_from: drafted(&there).converted_from.clone().expect("an original"),
        ..sample::metadata("m-1")
    };
    let back = drafted(&to_dsh(returning("project", Status::Archived), "text"));
    assert_eq!(back.kind.as_deref(), Some("project-state"));
    assert_eq!(back.status, Some(Status::Stale));
    let changed = drafted(&to_dsh(returning("task", Status::Active), "text"));
    assert_eq!(changed.kind.as_deref(), Some("task"), "changed meanwhile");
    assert_eq!(changed.status, Some(Status::Active), "changed meanwhile");
}

#[test]
fn a_conflict_is_written_as_pending_where_its_partners_tell_it() {
    let conflict = Metadata {
        conflicts_with: vec!["mem_2".into()],
        ..dsh("task", Status::Conflict)
    };
    let there = to_inkvault(conflict, "text");
    assert_eq!(drafted(&there).status, Some(Status::Pending));
    assert!(said(&there, Fate::Mapped, Field::Status).is_empty());
    let alone = to_inkvault(dsh("task", Status::Conflict), "text");
    assert_eq!(drafted(&alone).status, Some(Status::Pending));
    assert_eq!(said(&alone, Fate::Mapped, Field::Status).len(), 1);
    let conflict = Metadata {
        status: Status::Conflict,
        ..sample::metadata("m-1")
    };
    assert_eq!(
        drafted(&to_dsh(conflict, "text")).status,
        Some(Status::Conflict)
    );
}

/// The engine reads it as active and keeps it out of the directives.
#[test]
fn a_status_that_was_none_has_to_be_confirmed() {
    let unclear = Metadata {
        repairs: vec!["status: `actve` is none of its values, the default counts".into()],
        delivery: Delivery::Prompt,
        ..sample::metadata("m-1")
    };
    assert_eq!(
        drafted(&to_dsh(unclear, "text")).status,
        Some(Status::Pending)
    );
}

#[test]
fn confidence_takes_the_steps_there_are() {
    let step = |confidence| {
        let memory = Metadata {
            confidence,
            ..sample::metadata("m-1")
        };
        let mapped = to_dsh(memory, "text");
        let said = said(&mapped, Fate::Mapped, Field::Confidence).join("; ");
        (drafted(&mapped).confidence, said)
    };
    let unsure =
        "becomes low (0.3); too unsure to be recalled in dsh-memory, sure enough in inkvault";
    assert_eq!(step(0.5), (Some(0.3), unsure.to_owned()));
    assert_eq!(step(0.7), (Some(0.6), "becomes medium (0.6)".to_owned()));
    assert_eq!(step(0.9), (Some(0.9), String::new()));
}

#[test]
fn what_does_not_fit_is_named() {
    let long = Metadata {
        title: "字".repeat(121),
        tags: (1..=14).map(|n| format!("t{n}")).collect(),
        ..dsh("task", Status::Active)
    };
    let mapped = to_inkvault(long.clone(), "text");
    let title = drafted(&mapped).title.clone().expect("a title");
    assert_eq!(title.chars().count(), 120);
    let aliases = drafted(&mapped).aliases.clone().expect("aliases");
    assert_eq!(aliases, ["mem_1".to_owned(), long.title]);
    assert_eq!(drafted(&mapped).tags.as_ref().map(Vec::len), Some(12));
    assert_eq!(
        said(&mapped, Fate::Lost, Field::Tags),
        ["those beyond the first 12"]
    );
    let beyond = mapped
        .remarks
        .iter()
        .find(|remark| remark.field == Field::Tags);
    assert_eq!(beyond.expect("a remark").detail, "t13, t14");
}

#[test]
fn a_text_that_is_too_long_is_not_cut() {
    let pair = pair("inkvault", "dsh-memory");
    let memory = || sample::metadata("m-1");
    let reason = mapped(pair, memory(), &"字".repeat(20_001)).expect_err("too long");
    assert_eq!(
        reason,
        "its text has 20001 characters, 20000 fit into one memory: split it"
    );
    assert!(mapped(pair, memory(), &"字".repeat(20_000)).is_ok());
}

#[test]
fn the_title_stands_in_for_a_text_that_is_missing() {
    let empty = "## 核心内容\n\n## 来源与依据\n\n（暂无可追溯来源）";
    let mapped = to_inkvault(dsh("task", Status::Active), empty);
    assert_eq!(drafted(&mapped).body.as_deref(), Some("Release day"));
}

#[test]
fn tags_are_spelled_as_the_format_has_them() {
    let memory = Metadata {
        tags: ["Dark Mode", "#ui", "ui", "#"].map(str::to_owned).into(),
        ..sample::metadata("m-1")
    };
    let there = drafted(&to_dsh(memory, "text")).tags.expect("tags");
    assert_eq!(there, ["dark-mode", "ui"]);
    let back = Metadata {
        tags: ["dark-mode", "task"].map(str::to_owned).into(),
        ..dsh("task", Status::Active)
    };
    let back = drafted(&to_inkvault(back, "text")).tags.expect("tags");
    assert_eq!(back, ["dark-mode"]);
}

#[test]
fn what_stands_in_added_keys_is_named() {
    let memory = Metadata {
        pinned: true,
        evidence: "said so".into(),
        ..dsh("task", Status::Active)
    };
    let mapped = to_inkvault(memory, "text");
    let kept = mapped.remarks.iter();
    let kept = kept.filter(|remark| remark.fate == Fate::Kept);
    let fields: Vec<_> = kept.map(|remark| remark.field.name()).collect();
    assert_eq!(fields, ["pinned", "aliases", "evidence", "converted-from"]);
    assert_eq!(drafted(&mapped).source, Some(Source::Imported));
}

#[test]
fn keys_of_a_persons_own_are_named() {
    let memory = Memory {
        metadata: sample::metadata("m-1"),
        body: "text".into(),
    };
    let file = "---\nid: m-1\nrating: 5\n---\n\ntext";
    let aside = Aside {
        file,
        ..Aside::default()
    };
    let mapped = map(pair("inkvault", "dsh-memory"), &memory, aside).expect("carried over");
    assert_eq!(said(&mapped, Fate::Lost, Field::OtherKeys), ["rating"]);
}

/// A memory that was converted from a note or an entry of a pool.
fn from_simple(original: &str) -> Metadata {
    Metadata {
        kind: "reference".to_owned(),
        converted_from: format!("simple {original}"),
        ..sample::metadata("m-1")
    }
}

fn placed(memory: &Metadata) -> String {
    let pair = pair("inkvault", "simple");
    let names = pair.to.file_names.as_ref().expect("names of files");
    place(pair, names, memory).expect("a note").id()
}

#[test]
fn a_note_comes_back_to_its_place() {
    for (original, id) in [
        (
            "踩坑 active projects/app/踩坑-x",
            "projects/app/踩坑-Release-day",
        ),
        (
            "踩坑 active references/踩坑-x",
            "references/踩坑-Release-day",
        ),
        ("踩坑 active 踩坑-x", "踩坑-Release-day"),
        (
            "流程 active common/sub/流程-x",
            "common/sub/流程-Release-day",
        ),
        ("决策 active common/决策-x", "common/踩坑-Release-day"),
        ("- active x", "踩坑-Release-day"),
        (
            "- pending staging.md#1 app",
            "projects/app/踩坑-Release-day",
        ),
        ("- pending staging.md#1", "common/踩坑-Release-day"),
    ] {
        assert_eq!(placed(&from_simple(original)), id, "{original}");
    }
}

#[test]
fn a_category_that_cannot_be_written_is_not_brought_back() {
    let memory = Metadata {
        kind: "fact".to_owned(),
        ..from_simple("node.js active common/node.js-x")
    };
    assert_eq!(placed(&memory), "common/背景-Release-day");
}

#[test]
fn a_note_that_was_put_away_meanwhile_lies_with_its_project() {
    let mut memory = from_simple("踩坑 active projects/app/sub/踩坑-x");
    memory.status = Status::Archived;
    assert_eq!(placed(&memory), "archive/projects/app/踩坑-Release-day");
    let mut memory = from_simple("踩坑 archived archive/踩坑-x");
    memory.status = Status::Active;
    assert_eq!(placed(&memory), "common/踩坑-Release-day");
}

#[test]
fn what_a_note_was_before_is_no_loss_when_it_comes_back() {
    let memory = Metadata {
        tags: ["复盘", "My App", "mine"].map(str::to_owned).into(),
        aliases: ["projects/My App/复盘-x", "复盘-x", "mine"]
            .map(str::to_owned)
            .into(),
        kind: "fact".to_owned(),
        ..from_simple("复盘 active projects/My App/复盘-x")
    };
    let pair = pair("inkvault", "simple");
    let names = pair.to.file_names.as_ref().expect("names of files");
    let place = place(pair, names, &memory).expect("a note");
    let aside = Aside {
        place: Some(&place),
        ..Aside::default()
    };
    let body = "text".to_owned();
    let metadata = memory;
    let mapped = map(pair, &Memory { metadata, body }, aside).expect("carried over");
    let lost = mapped.remarks.iter();
    let lost = lost.filter(|remark| remark.fate == Fate::Lost && remark.detail == "mine");
    let lost: Vec<_> = lost.map(|remark| remark.field).collect();
    assert_eq!(lost, [Field::Tags, Field::Aliases]);
    assert_eq!(drafted(&mapped).scope.as_deref(), Some("My App"));
    assert_eq!(drafted(&mapped).kind.as_deref(), Some("复盘"));
}

#[test]
fn what_it_was_in_a_third_format_is_lost() {
    let there = to_dsh(from_simple("踩坑 active common/踩坑-x"), "text");
    let lost = there.remarks.iter();
    let mut lost = lost.filter(|remark| remark.field == Field::ConvertedFrom);
    let lost = lost.find(|remark| remark.fate == Fate::Lost);
    assert_eq!(
        lost.expect("a remark").detail,
        "simple 踩坑 active common/踩坑-x"
    );
}

#[test]
fn a_day_alone_is_the_same_day_everywhere() {
    let offset = |created: &str| {
        let metadata = Metadata {
            created: created.to_owned(),
            ..sample::metadata("m-1")
        };
        let aside = Aside {
            utc_offset_minutes: -300,
            ..Aside::default()
        };
        let body = "text".to_owned();
        let mapped = map(
            pair("inkvault", "simple"),
            &Memory { metadata, body },
            aside,
        );
        drafted(&mapped.expect("carried over")).utc_offset_minutes
    };
    assert_eq!(offset("2026-08-18T00:00:00.000Z"), 0);
    assert_eq!(offset("2026-08-18T00:00:00.001Z"), -300);
}

/// The entry that a pending memory becomes.
fn entry(title: &str, body: &str) -> Result<String, String> {
    let metadata = Metadata {
        title: title.to_owned(),
        status: Status::Pending,
        ..sample::metadata("m-1")
    };
    let mapped = mapped(pair("inkvault", "simple"), metadata, body)?;
    match mapped.form {
        Form::Entry(entry) => Ok(entry.text),
        Form::Memory(draft) => panic!("a memory: {draft:?}"),
    }
}

#[test]
fn a_note_is_never_made_of_a_status_that_was_none() {
    let unclear = Metadata {
        repairs: vec!["status: `actve` is none of its values, the default counts".into()],
        ..sample::metadata("m-1")
    };
    let mapped = mapped(pair("inkvault", "simple"), unclear, "text").expect("carried over");
    assert!(matches!(mapped.form, Form::Entry(_)), "{:?}", mapped.form);
}

#[test]
fn what_waits_is_one_line() {
    for (title, body, line) in [
        (
            "Release day",
            "Tuesdays\n\n- never\tlater\n",
            "Release day: Tuesdays - never later",
        ),
        (
            "On Tuesdays",
            "On Tuesdays we release.",
            "On Tuesdays we release.",
        ),
        ("Release day", "# Release day\n\ntext", "# Release day text"),
        ("Release day", " \n", "Release day"),
    ] {
        assert_eq!(entry(title, body).as_deref(), Ok(line));
    }
    let fits = "字".repeat(500);
    assert_eq!(entry("字", &fits).as_deref(), Ok(&*fits));
    let reason = entry("字", &"字".repeat(501)).expect_err("too long");
    assert!(reason.contains("501 characters, 500 fit"), "{reason}");
}
