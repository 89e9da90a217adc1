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
    map(pair, &Memory { metadata, body }, "")
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
    let draft = to_dsh(memory, "text").draft;
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
    assert_eq!(there.draft.status, Some(Status::Archived));
    assert_eq!(there.draft.kind.as_deref(), Some("project"));
    let changes = said(&there, Fate::Mapped, Field::Status);
    assert_eq!(changes, ["stale becomes archived"]);

    let returning = |kind: &str, status| Metadata {
        kind: kind.to_owned(),
        status,
        converted_from: there.draft.converted_from.clone().expect("an original"),
        ..sample::metadata("m-1")
    };
    let back = to_dsh(returning("project", Status::Archived), "text").draft;
    assert_eq!(back.kind.as_deref(), Some("project-state"));
    assert_eq!(back.status, Some(Status::Stale));
    let changed = to_dsh(returning("task", Status::Active), "text").draft;
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
    assert_eq!(there.draft.status, Some(Status::Pending));
    assert!(said(&there, Fate::Mapped, Field::Status).is_empty());
    let alone = to_inkvault(dsh("task", Status::Conflict), "text");
    assert_eq!(alone.draft.status, Some(Status::Pending));
    assert_eq!(said(&alone, Fate::Mapped, Field::Status).len(), 1);
    let conflict = Metadata {
        status: Status::Conflict,
        ..sample::metadata("m-1")
    };
    assert_eq!(
        to_dsh(conflict, "text").draft.status,
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
    assert_eq!(to_dsh(unclear, "text").draft.status, Some(Status::Pending));
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
        (mapped.draft.confidence, said)
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
    let title = mapped.draft.title.clone().expect("a title");
    assert_eq!(title.chars().count(), 120);
    let aliases = mapped.draft.aliases.clone().expect("aliases");
    assert_eq!(aliases, ["mem_1".to_owned(), long.title]);
    assert_eq!(mapped.draft.tags.as_ref().map(Vec::len), Some(12));
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
    assert_eq!(mapped.draft.body.as_deref(), Some("Release day"));
}

#[test]
fn tags_are_spelled_as_the_format_has_them() {
    let memory = Metadata {
        tags: ["Dark Mode", "#ui", "ui", "#"].map(str::to_owned).into(),
        ..sample::metadata("m-1")
    };
    let there = to_dsh(memory, "text").draft.tags.expect("tags");
    assert_eq!(there, ["dark-mode", "ui"]);
    let back = Metadata {
        tags: ["dark-mode", "task"].map(str::to_owned).into(),
        ..dsh("task", Status::Active)
    };
    let back = to_inkvault(back, "text").draft.tags.expect("tags");
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
    assert_eq!(mapped.draft.source, Some(Source::Imported));
}

#[test]
fn keys_of_a_persons_own_are_named() {
    let memory = Memory {
        metadata: sample::metadata("m-1"),
        body: "text".into(),
    };
    let file = "---\nid: m-1\nrating: 5\n---\n\ntext";
    let mapped = map(pair("inkvault", "dsh-memory"), &memory, file).expect("carried over");
    assert_eq!(said(&mapped, Fate::Lost, Field::OtherKeys), ["rating"]);
}
