//! The three formats through one trait: where memories lie, which kinds and
//! statuses there are, and where changes lead (design §3, §8).

mod common;

use inkvault_guest::Error;
use inkvault_guest::environment::{Entry, FileKind, VaultPath};
use inkvault_guest::format::{
    DshMemory, FORMATS, Format, Ids, Inkvault, Kinds, Listing, Parsed, Simple, detect,
};
use inkvault_guest::memory::{Memory, Metadata, Status};
use inkvault_guest::timestamp::Timestamp;

fn moment() -> Timestamp {
    Timestamp::parse("2026-10-17T07:59:57.013Z").expect("a date")
}

fn read(format: &dyn Format, path: &str, text: &str) -> Memory {
    let path = VaultPath::parse(path).expect("a path");
    match format.parse(&path, text.as_bytes(), moment()) {
        Parsed::Memory(memory) => *memory,
        other => panic!("{path}: {other:?}"),
    }
}

fn dsh(kind: &str, status: &str) -> Memory {
    let text = format!(
        "---\nid: mem_20261017t075957_b1c8069b\ntype: {kind}\nstatus: {status}\ntitle: 事实: 来源?\n---\n\n# x\n"
    );
    read(&DshMemory, "Decisions/x.md", &text)
}

/// Where a memory lies once it has a status.
fn lead(format: &dyn Format, memory: &Memory, status: Status) -> String {
    let metadata = Metadata {
        status,
        ..memory.metadata.clone()
    };
    let place = format.place(&metadata, Some(&memory.path));
    place.as_str().to_owned()
}

#[test]
fn kind_and_status_decide_where_a_dsh_memory_lies() {
    for (kind, status, directory) in [
        ("profile", "active", "Profile"),
        ("preference", "active", "Preferences"),
        ("project", "active", "Projects"),
        ("project-state", "active", "Projects/State"),
        ("decision", "active", "Decisions"),
        ("knowledge", "active", "Knowledge"),
        ("experience", "active", "Experiences"),
        ("task", "active", "Tasks"),
        ("task", "stale", "Tasks"),
        ("task", "pending", "Inbox"),
        ("task", "conflict", "Conflicts"),
        ("task", "archived", "Archive"),
        ("task", "superseded", "Archive"),
        ("unheard-of", "active", "Knowledge"),
        ("task", "unheard-of", "Inbox"),
    ] {
        let place = DshMemory.place(&dsh(kind, status).metadata, None);
        assert_eq!(
            place.as_str(),
            format!("{directory}/事实 来源-mem_20261017t075957_b1c8069b.md"),
            "{kind} {status}"
        );
    }
}

#[test]
fn a_status_change_moves_a_dsh_memory_and_keeps_its_name() {
    let memory = dsh("decision", "active");
    assert_eq!(lead(&DshMemory, &memory, Status::Archived), "Archive/x.md");
    assert_eq!(lead(&DshMemory, &memory, Status::Stale), "Decisions/x.md");
    assert_eq!(
        lead(&DshMemory, &memory, Status::Conflict),
        "Conflicts/x.md"
    );
}

#[test]
fn an_edit_of_a_dsh_memory_changes_its_status_and_nothing_else() {
    let text = "---\nid: mem_a\ntype: task # mine\nstatus: active\ntitle: t\ncreated_at: 2026-10-17\nupdated_at: 2026-10-17\nown: |\n  kept\n---\n\n# t\n\n## Own section\n\nkept\n";
    let memory = read(&DshMemory, "Tasks/t-mem_a.md", text);
    let archived = Metadata {
        status: Status::Archived,
        ..memory.metadata.clone()
    };
    let edited = DshMemory
        .edit(text.as_bytes(), &memory, &archived, None, &[])
        .expect("edited");
    let edited = String::from_utf8(edited).expect("text");
    assert_eq!(edited, text.replace("status: active", "status: archived"));
}

#[test]
fn an_inkvault_memory_stays_where_it_is() {
    let text = "---\nid: m-20261017-aaaaaa\n---\n\nx";
    let memory = read(&Inkvault, "memory/by-hand.md", text);
    for status in Status::ALL {
        assert_eq!(lead(&Inkvault, &memory, status), "memory/by-hand.md");
    }
    assert_eq!(
        Inkvault.place(&memory.metadata, None).as_str(),
        "memory/m-20261017-aaaaaa.md"
    );
}

#[test]
fn scope_and_name_decide_where_a_simple_note_lies() {
    let note = read(
        &Simple,
        "projects/dsh/踩坑-锁.md",
        "## 2026-08-18 踩坑-锁\n\ntext",
    );
    assert_eq!(note.metadata.id, "projects/dsh/踩坑-锁");
    assert_eq!(
        (note.metadata.kind.as_str(), note.metadata.title.as_str()),
        ("踩坑", "锁")
    );
    assert_eq!(note.metadata.scope.as_deref(), Some("dsh"));
    assert_eq!(
        Simple.place(&note.metadata, None).as_str(),
        "projects/dsh/踩坑-锁.md"
    );
    assert_eq!(
        lead(&Simple, &note, Status::Archived),
        "archive/projects/dsh/踩坑-锁.md"
    );
    let everywhere = Metadata {
        scope: None,
        ..note.metadata.clone()
    };
    let promoted = Simple.place(&everywhere, Some(&note.path));
    assert_eq!(promoted.as_str(), "common/踩坑-锁.md");
    let archived = read(&Simple, "archive/projects/dsh/踩坑-锁.md", "text");
    assert_eq!(
        lead(&Simple, &archived, Status::Active),
        "projects/dsh/踩坑-锁.md"
    );
    for name in ["README.md", "staging.md"] {
        assert!(
            !Simple.is_note(&VaultPath::parse(name).expect("a path")),
            "{name}"
        );
    }
    assert!(Simple.is_note(&VaultPath::parse("loose.md").expect("a path")));
}

/// Whatever place a caller names, the note is read back as what it is.
#[test]
fn a_simple_note_can_be_put_wherever_it_stays_what_it_is() {
    let takes = |path: &str, scope: Option<&str>, status| {
        let metadata = Metadata {
            status,
            scope: scope.map(str::to_owned),
            ..Metadata::blank("踩坑", Timestamp::default())
        };
        let path = VaultPath::parse(path).expect("a path");
        Simple.check_place(&path, &metadata).is_ok()
    };
    let deep = |levels| format!("common/{}踩坑-a.md", "x/".repeat(levels));
    for (path, scope, status) in [
        ("common/踩坑-a.md", None, Status::Active),
        ("references/sub/踩坑-a.md", None, Status::Active),
        ("踩坑-a.md", None, Status::Active),
        ("projects/app/踩坑-a.md", Some("app"), Status::Active),
        (
            "archive/projects/app/踩坑-a.md",
            Some("app"),
            Status::Archived,
        ),
        (&deep(8), None, Status::Active),
    ] {
        assert!(takes(path, scope, status), "{path}");
    }
    for (path, scope, status) in [
        ("common/踩坑-a.md", Some("app"), Status::Active),
        ("projects/app/踩坑-a.md", None, Status::Active),
        ("projects/app/踩坑-a.md", Some("other"), Status::Active),
        ("archive/踩坑-a.md", None, Status::Active),
        ("common/踩坑-a.md", None, Status::Archived),
        ("staging.md", None, Status::Active),
        (".git/踩坑-a.md", None, Status::Active),
        ("common/踩坑-a.txt", None, Status::Active),
        (&deep(9), None, Status::Active),
    ] {
        assert!(!takes(path, scope, status), "{path}");
    }
}

#[test]
fn an_edit_of_a_simple_note_keeps_the_indentation_of_its_first_line() {
    let expected = "## 1970-01-01 踩坑-锁\n\n    code\nmore\n";
    let note = read(&Simple, "common/踩坑-锁.md", expected);
    let edited = Simple.edit(
        expected.as_bytes(),
        &note,
        &note.metadata,
        Some("\tother\n"),
        &["body"],
    );
    assert_eq!(
        edited.expect("an edit"),
        "## 1970-01-01 踩坑-锁\n\n\tother\n".as_bytes()
    );
}

/// What is tested on every layout is tested on every format.
#[test]
fn every_format_has_a_layout() {
    let layouts = common::LAYOUTS.map(|layout| layout.name);
    assert_eq!(layouts, FORMATS.map(Format::name));
}

#[test]
fn new_ids_are_ids() {
    let formats: [&dyn Format; 3] = [&Inkvault, &DshMemory, &Simple];
    for format in formats {
        let id = format.new_id(moment(), "seed");
        assert!(format.is_id(&id), "{}: {id}", format.name());
        let differs = id != format.new_id(moment(), "other seed");
        assert_eq!(differs, format.capabilities().ids == Ids::Drawn);
        let (Kinds::Closed(kinds) | Kinds::Open(kinds)) = format.capabilities().kinds;
        assert!(!kinds.is_empty() && !format.capabilities().statuses.is_empty());
        assert!(!format.places().is_empty() && format.private_folder().starts_with('.'));
    }
    assert!(
        DshMemory
            .new_id(moment(), "s")
            .starts_with("mem_20261017t075957_")
    );
}

#[test]
fn formats_are_told_apart_by_what_lies_in_the_directory() {
    let listing = |names: &[&str], configs: &[(&str, &str)]| Listing {
        entries: names
            .iter()
            .map(|name| Entry {
                name: (*name).into(),
                kind: FileKind::Directory,
            })
            .collect(),
        configs: configs
            .iter()
            .map(|(folder, text)| ((*folder).into(), text.as_bytes().into()))
            .collect(),
        telltales: Vec::new(),
        pages: Vec::new(),
    };
    let name = |listing: Listing| detect(&listing).map(|format| format.map(|format| format.name()));
    assert_eq!(name(listing(&[".git", "src"], &[])), Ok(None));
    let holding = |names: &[&str]| Listing {
        telltales: vec![("memory".into(), listing(names, &[]).entries)],
        ..listing(&["memory"], &[])
    };
    assert_eq!(name(holding(&[])), Ok(None));
    assert_eq!(name(holding(&["notes.md", "m-1.md"])), Ok(None));
    assert_eq!(
        name(holding(&["m-20261017-aaaaaa.md", ".inkvault"])),
        Ok(None),
        "a vault called `memory` does not make its parent one"
    );
    assert_eq!(
        name(holding(&["m-20261017-aaaaaa.md"])),
        Ok(Some("inkvault"))
    );
    assert_eq!(
        name(listing(&["memory", ".inkvault"], &[])),
        Ok(Some("inkvault"))
    );
    let named = |format: &'static str| [(".inkvault", format)];
    assert_eq!(
        name(listing(&[".inkvault"], &named("{\"format\":\"inkvault\"}"))),
        Ok(Some("inkvault"))
    );
    assert!(matches!(
        name(listing(&[".inkvault"], &named("{\"format\":\"x\"}"))),
        Err(Error::Refused(_))
    ));
    assert_eq!(
        name(listing(&[".dsh-memory", "memory"], &[])),
        Ok(Some("dsh-memory"))
    );
    let with_pool = |names: &[&str]| {
        let mut listing = listing(names, &[]);
        listing.entries.push(Entry {
            name: "staging.md".into(),
            kind: FileKind::File,
        });
        listing
    };
    let with_notes = |names: &[&str], note: &str| Listing {
        telltales: vec![("common".into(), listing(&[note], &[]).entries)],
        ..listing(names, &[])
    };
    let with_page = |text: &str| Listing {
        pages: vec![("staging.md".into(), text.into())],
        ..with_pool(&[])
    };
    for (simple, expected) in [
        (
            listing(&[".inkvault"], &named("{\"format\":\"simple\"}")),
            true,
        ),
        (with_notes(&["common", "projects"], "踩坑-a.md"), true),
        (
            with_notes(&["common", "projects", ".inkvault"], "踩坑-a.md"),
            true,
        ),
        (with_notes(&["common", "projects"], "main.rs"), false),
        (with_notes(&["common"], "踩坑-a.md"), false),
        (listing(&["common", "projects"], &[]), false),
        (with_pool(&["common"]), true),
        (with_pool(&["projects"]), true),
        (with_pool(&["archive"]), true),
        (with_pool(&["src"]), false),
        (with_page("# 升格暂存池\n"), true),
        (with_page("# Staging pool\n\n- x"), true),
        (with_page("# Staging environment\n"), false),
        (listing(&["common"], &[]), false),
        (listing(&["common", "references", "archive"], &[]), false),
    ] {
        assert_eq!(name(simple), Ok(expected.then_some("simple")));
    }
}
