//! A plain note, its path and the staging pool of the simple format: what is
//! changed is what changes.

use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{Format, Language, Parsed, Pool, Simple, Staged};
use inkvault_guest::memory::{Memory, Metadata, Status};
use inkvault_guest::timestamp::Timestamp;

/// Notes, pools and paths.
#[allow(dead_code, reason = "a fuzz target finds its own")]
pub(crate) fn good() -> Vec<Vec<u8>> {
    let texts = [
        "## 2026-08-18 踩坑-端口\n\n先看端口。\n",
        "\u{FEFF}## 2026-08-18 踩坑-端口\r\n\r\n    code\r\n\r\n",
        "\n \n## 2026-08-18 别的\nno heading of its own",
        "# 池\n\n- 2026-08-18 [来源：app] 经验\n  接着\n\n- 2026-08-19 [from: lib] x\r\n- 日期 样板",
        "archive/common/projects/app/踩坑-a",
        "projects/app/../lib//./x-y.md",
    ];
    texts.map(|text| text.as_bytes().to_vec()).into()
}

/// Any bytes are a note unless they are no text. Another text changes the
/// text alone, its own changes nothing; an entry of a pool stays as it is when
/// another comes; and wherever a note lies, it is put away into the archive
/// and taken out of it.
pub(crate) fn note(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return assert!(matches!(parse(&path(), bytes), Parsed::Bad(_)));
    };
    changing_the_text_changes_the_text(bytes, text);
    adding_an_entry_adds_an_entry(text);
    if let Ok(path) = VaultPath::parse(&format!("{text}.md")) {
        a_note_is_put_away_and_taken_out(&path);
    }
}

fn path() -> VaultPath {
    VaultPath::parse("common/踩坑-端口.md").expect("a path")
}

fn parse(path: &VaultPath, bytes: &[u8]) -> Parsed {
    Simple.parse(path, bytes, Timestamp::from_millis(0))
}

fn memory(path: &VaultPath, bytes: &[u8]) -> Memory {
    match parse(path, bytes) {
        Parsed::Memory(memory) => *memory,
        other => panic!("a text is a note: {other:?}"),
    }
}

fn changing_the_text_changes_the_text(bytes: &[u8], text: &str) {
    let before = memory(&path(), bytes);
    assert!(text.contains(&before.body));
    let edit = |body: &str| {
        let edited = Simple.edit(bytes, &before, &before.metadata, Some(body), &[]);
        edited.expect("an edit of what was read")
    };
    assert_eq!(edit(&before.body), bytes);
    let after = edit("another text");
    let after = memory(&path(), &after);
    assert_eq!(after.body, "another text");
    // A heading that was none of its own was part of the text.
    let kept = before.assumed.created || before.body.starts_with("## ");
    assert!(kept || after.metadata.created == before.metadata.created);
}

fn adding_an_entry_adds_an_entry(text: &str) {
    let known = Simple.entries(text);
    let mut end = 0;
    for entry in &known {
        assert!(entry.part.start >= end && text.get(entry.part.clone()).is_some());
        assert!(text[entry.part.clone()].starts_with(&format!("- {}", entry.date)));
        end = entry.part.end;
    }
    let new = Staged {
        date: "2026-08-20".into(),
        scope: None,
        text: "one more".into(),
        part: 0..0,
    };
    let added = Simple.add(Some(text), &new, Language::English);
    assert!(added.starts_with(text));
    let entries = Simple.entries(&added);
    assert_eq!(entries.len(), known.len() + 1);
    for (entry, before) in entries.iter().zip(&known) {
        let told = |entry: &Staged| (entry.date.clone(), entry.scope.clone(), entry.text.clone());
        assert_eq!(told(entry), told(before));
    }
    assert_eq!(entries.last().map(|entry| &*entry.text), Some("one more"));
}

fn a_note_is_put_away_and_taken_out(path: &VaultPath) {
    let note = memory(path, b"text");
    assert_eq!(format!("{}.md", note.metadata.id), path.as_str());
    assert_eq!(Simple.is_id(&note.metadata.id), Simple.is_note(path));
    if !Simple.is_note(path) {
        return;
    }
    let lead = |note: &Memory, status| {
        let metadata = Metadata {
            status,
            ..note.metadata.clone()
        };
        Simple.place(&metadata, Some(&note.path))
    };
    assert_eq!(lead(&note, note.metadata.status), *path);
    let away = memory(&lead(&note, Status::Archived), b"text");
    assert_eq!(away.metadata.status, Status::Archived);
    let out = memory(&lead(&away, Status::Active), b"text");
    assert_eq!(out.metadata.status, Status::Active);
    assert_eq!(out.metadata.scope, note.metadata.scope);
    assert_eq!(out.path.name(), path.name());
}
