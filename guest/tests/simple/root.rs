//! Making a memory root, its language, and what `overview` tells of it.

use inkvault_guest::Error;
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::{Delivery, Status};
use inkvault_guest::vault::{
    CaptureRequest, Change, Count, DirectiveOptions, Draft, IndexOptions, JournalOptions, Overview,
    StagingDraft,
};

use crate::common::{Layout, draft, text_at};
use crate::{note, open, put, root, shown};

#[test]
fn a_root_speaks_chinese_unless_it_is_told_to_speak_english() {
    for (asked, language, readme, message) in [
        (None, "zh", "# 记忆根", "mem: 初始化"),
        (Some("zh"), "zh", "# 记忆根", "mem: 初始化"),
        (Some("en"), "en", "# Memory root", "mem: init"),
    ] {
        let machine = Machine::new();
        let mut vault = open(&machine);
        let made = vault.init("simple", asked).expect("a vault");
        assert_eq!(made.commit_message, message);
        assert!(text_at(&machine, "README.md").starts_with(readme));
        assert_eq!(machine.stat(".inkvault").is_some(), language == "en");
        for mut vault in [vault, open(&machine)] {
            assert_eq!(vault.overview().expect("an overview").language, language);
        }
        let written = open(&machine).write(&note("踩坑", "端口", "x"));
        let verb = if language == "en" { "write" } else { "记" };
        assert_eq!(
            written.expect("written").commit_message,
            format!("mem: {verb} 踩坑-端口")
        );
        let again = open(&machine).init("simple", None).expect("complete");
        assert_eq!(again.made, [""; 0], "{language}");
        assert_eq!(
            open(&machine).overview().expect("an overview").language,
            language
        );
    }
}

#[test]
fn init_completes_a_root_and_leaves_what_is_there() {
    let machine = Machine::new();
    put(
        &machine,
        &[
            ("README.md", "mine"),
            ("common/踩坑-a.md", "x"),
            ("staging.md", "mine, too"),
        ],
    );
    let made = open(&machine).init("simple", None).expect("complete");
    assert!(made.existed);
    assert_eq!(made.made, ["references", "archive", "projects"]);
    assert_eq!(text_at(&machine, "README.md"), "mine");
    assert_eq!(text_at(&machine, "staging.md"), "mine, too");
}

fn overview(machine: &Machine) -> Overview {
    open(machine).overview().expect("an overview")
}

#[test]
fn the_pool_and_the_projects_are_counted() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[
            ("common/踩坑-a.md", "x"),
            ("projects/app/踩坑-b.md", "x"),
            ("projects/app/sub/c.md", "x"),
            ("projects/lib/决策-d.md", "x"),
            ("archive/projects/app/踩坑-e.md", "x"),
            ("references/f.md", "x"),
            ("g.md", "x"),
        ],
    );
    assert!(overview(&machine).notes.is_empty());
    let entry = StagingDraft {
        text: "一".into(),
        ..StagingDraft::default()
    };
    vault.staging_add(&entry).expect("staged");
    let overview = overview(&machine);
    let counts = |counts: Vec<Count>| -> Vec<(String, u32)> {
        let counts = counts.into_iter();
        counts.map(|count| (count.name, count.count)).collect()
    };
    let named = |names: &[(&str, u32)]| -> Vec<(String, u32)> {
        let names = names.iter();
        names
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    };
    assert_eq!((overview.memories, overview.staged), (7, 1));
    assert_eq!(counts(overview.scopes), named(&[("app", 2), ("lib", 1)]));
    assert_eq!(
        counts(overview.statuses),
        named(&[("active", 6), ("archived", 1)])
    );
    assert_eq!(counts(overview.kinds), named(&[("决策", 1), ("踩坑", 3)]));
    assert_eq!(overview.trash, None);
    assert!(
        overview.notes.len() == 1 && overview.notes[0].contains("staging.md"),
        "{:?}",
        overview.notes
    );
}

/// `common/` has 120, of which the first are the oldest, `projects/app` 80;
/// what is put away or looked up does not count.
#[test]
fn more_than_two_hundred_active_notes_are_told_and_nothing_is_done() {
    let (machine, _) = root();
    for n in 0..120 {
        let text = format!("## 2026-01-{:02} 踩坑-{n:03}\n\nx\n", 1 + n / 12);
        machine.put(&format!("common/踩坑-{n:03}.md"), text);
    }
    for n in 0..80 {
        machine.put(&format!("projects/app/决策-{n:03}.md"), "x");
    }
    for n in 0..50 {
        machine.put(&format!("archive/旧-{n}.md"), "x");
        machine.put(&format!("references/参-{n}.md"), "x");
    }
    put(&machine, &[]);
    // These two were saved years ago.
    machine.set_mtime("common/踩坑-007.md", 1_000_000_000_000_000_000);
    machine.set_mtime("projects/app/决策-005.md", 1_100_000_000_000_000_000);
    assert_eq!(
        overview(&machine).notes,
        [""; 0],
        "200 are as many as can be"
    );
    put(&machine, &[("loose.md", "x")]);
    let before = shown(&machine);
    let notes = overview(&machine).notes;
    let [told] = &notes[..] else {
        panic!("one note: {notes:?}");
    };
    assert!(told.starts_with("201 active memories"), "{told}");
    assert!(
        told.contains("common 踩坑 (120), projects/app 决策 (80), . (1)"),
        "{told}"
    );
    // Its heading is younger than its file.
    assert!(
        told.contains("longest: projects/app/决策-005, common/踩坑-007"),
        "{told}"
    );
    assert_eq!(shown(&machine), before, "a person decides");
}

#[test]
fn what_the_format_lacks_is_unsupported() {
    let (machine, mut vault) = root();
    put(
        &machine,
        &[("common/踩坑-a.md", "x"), ("common/踩坑-b.md", "x")],
    );
    let (a, b) = ("common/踩坑-a", "common/踩坑-b".to_owned());
    let before = shown(&machine);
    let changes = [
        Change::Confirm,
        Change::Reject,
        Change::Stale,
        Change::Pin,
        Change::Deliver(Delivery::Prompt),
        Change::MergeInto(b.clone()),
        Change::SupersedeBy(b.clone()),
        Change::ConflictWith(b),
    ];
    let drafts = [
        Draft {
            tags: Some(vec![]),
            ..draft("x")
        },
        Draft {
            status: Some(Status::Pending),
            ..draft("x")
        },
        Draft {
            delivery: Some(Delivery::Prompt),
            ..draft("x")
        },
        Draft {
            confidence: Some(0.5),
            ..draft("x")
        },
    ];
    let changed = changes
        .iter()
        .map(|change| vault.change_status(a, change, None, "").map(drop));
    let changed: Vec<_> = changed.collect();
    let written = drafts.iter().map(|draft| vault.write(draft).map(drop));
    let written: Vec<_> = written.collect();
    let journal = vault.journal(&JournalOptions::default()).map(drop);
    for refused in changed.into_iter().chain(written).chain([journal]) {
        assert!(matches!(refused, Err(Error::Unsupported(_))), "{refused:?}");
    }
    let directives = vault.render_directives(&DirectiveOptions::default());
    assert_eq!(directives.expect("directives").text, None);
    assert_eq!(shown(&machine), before);
}

/// The pool and the list of names are this format's alone.
#[test]
fn other_formats_have_no_pool_and_no_list_of_names() {
    for layout in [Layout::INKVAULT, Layout::DSH_MEMORY] {
        let machine = layout.machine();
        let mut vault = layout.open(&machine);
        let index = IndexOptions {
            scope: Some("app".into()),
            ..IndexOptions::default()
        };
        for refused in [
            vault.render_index(&index).map(drop),
            vault.staging_browse().map(drop),
            vault
                .staging_add(&StagingDraft {
                    text: "x".into(),
                    ..StagingDraft::default()
                })
                .map(drop),
            vault.staging_drop(1, "x").map(drop),
            vault.staging_promote(1, "x", &draft("x")).map(drop),
        ] {
            assert!(matches!(refused, Err(Error::Unsupported(_))), "{refused:?}");
        }
    }
}

/// Nothing can wait to be confirmed but in the pool.
#[test]
fn what_is_said_in_passing_is_not_filed() {
    let (machine, mut vault) = root();
    let before = shown(&machine);
    let request = CaptureRequest {
        user_text: "记住：我喜欢用 Rust。".into(),
        ..CaptureRequest::default()
    };
    let filed = vault.propose(&request);
    assert!(matches!(filed, Err(Error::Unsupported(_))), "{filed:?}");
    assert_eq!(shown(&machine), before);
}

#[test]
fn what_cannot_be_read_of_the_root_is_told() {
    let (machine, mut vault) = root();
    put(&machine, &[("common/踩坑-a.md", "x"), ("staging.md", "x")]);
    vault
        .write(&draft("makes the private folder"))
        .expect("written");
    assert!(vault.overview().expect("an overview").notes.is_empty());
    machine.put("staging.md", b"- 2026-08-18 latin \xe9\n");
    machine.put(".inkvault/config.json", "{broken");
    let notes = open(&machine)
        .overview()
        .expect("an overview")
        .notes
        .join("\n");
    assert!(notes.contains("staging.md is not UTF-8"), "{notes}");
    assert!(notes.contains("config.json is no JSON"), "{notes}");
}
