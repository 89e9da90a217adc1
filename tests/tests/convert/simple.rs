//! To the format `simple` and from it: plain notes, a staging pool, and no
//! frontmatter (simple memory design §二, §三.2, §三.6).

use std::collections::BTreeMap;

use inkvault::Vault;
use inkvault::convert::{Affected, Finding, Report, convert};
use inkvault::types::{Delivery, Metadata, Source, Status};
use inkvault::upkeep::{InitOptions, StagingDraft};
use inkvault::vault::Draft;
use inkvault_tests::Folder;
use inkvault_tests::shown::{json, run, settled};
use insta::assert_snapshot;

use super::{converted, dsh_file, dsh_vault, grown, pair, told, with_various};

/// A vault of the format with these files, and these lines in its pool.
fn simple_vault(files: &[(&str, &str)], entries: &str) -> Folder {
    let folder = Folder::empty();
    let made = folder.open().init("simple", &InitOptions::default());
    made.expect("a vault");
    for (path, text) in files {
        folder.put(path, text);
    }
    let pool = folder.text("staging.md") + entries;
    folder.put("staging.md", pool);
    folder
}

/// A vault of the format `inkvault` with these memories.
fn inkvault_with(drafts: &[Draft]) -> Folder {
    let folder = Folder::vault();
    let mut vault = folder.open();
    for draft in drafts {
        vault.write(draft).expect("written");
    }
    folder
}

fn titled(title: &str, body: &str) -> Draft {
    Draft {
        title: Some(title.to_owned()),
        body: Some(body.to_owned()),
        ..Draft::default()
    }
}

/// What a finding says of each memory.
fn details(findings: &[Finding], field: &str) -> Vec<String> {
    let findings = findings.iter();
    let of_field = findings.filter(|finding| finding.field.name() == field);
    let memories = of_field.flat_map(|finding| &finding.memories);
    memories
        .map(|Affected { detail, .. }| detail.clone())
        .collect()
}

/// The notes of a vault, and its pool without dates.
fn contents(folder: &Folder) -> BTreeMap<String, String> {
    let files = folder.files().into_iter().map(|(path, bytes)| {
        let path = path.strip_prefix(folder.path()).expect("a file of it");
        let name = path.to_string_lossy().replace('\\', "/");
        (name, String::from_utf8_lossy(&bytes).into_owned())
    });
    let is_note = |path: &String| {
        let is_page = path == "README.md" || path == "staging.md";
        path.ends_with(".md") && !path.starts_with('.') && !is_page
    };
    let mut contents: BTreeMap<_, _> = files.filter(|(path, _)| is_note(path)).collect();
    let entries = folder.open().staging_browse().expect("a pool");
    for entry in entries {
        let entry_of = format!("{} {:?}", entry.number, entry.scope);
        contents.insert(entry_of, entry.text);
    }
    contents
}

#[test]
fn what_simple_cannot_hold_is_told() {
    let folder = grown();
    let target = Folder::empty();
    let into = target.path().display().to_string();
    let output = run(&folder, &["convert", ".", &into, "--to", "simple"]);
    assert_eq!(output.status.code(), Some(1), "something was left out");
    let shown = String::from_utf8(output.stdout)
        .expect("text")
        .replace(&into, "/new");
    assert_snapshot!(settled(&folder, &shown), @r"
    converted   6 of 7 memories
    from        /notes (dsh-memory)
    to          /new (simple)
    left alone  1 file without frontmatter

    The same in other terms
    1  kind        experience becomes 踩坑                                         mem_5
    1  kind        knowledge becomes 背景                                          mem_7
    1  kind        profile becomes 背景                                            mem_2
    1  kind        project-state becomes 背景                                      mem_1
    2  status      conflict becomes an entry of staging.md                         mem_3, mem_4
    1  status      stale becomes archived                                          mem_1
    1  status      superseded becomes archived                                     mem_7
    1  title       spelled as a part of a file name                                mem_1
    2  title       stands before the text                                          mem_3, mem_4
    6  text        the headings of dsh-memory are taken off                        mem_1, mem_2, mem_3, …
    6  tags        the tag of the kind is left out: the kind says it               mem_1, mem_2, mem_3, …
    1  confidence  too unsure to be recalled in dsh-memory, sure enough in simple  mem_2
      and 1 more; --json has all of it

    Not carried over
    2  kind            an entry has none                                mem_3, mem_4
    1  title           cut to 48 characters                             mem_5
    2  created         an entry has the day it was added                mem_3, mem_4
    4  created         the time of the day                              mem_1, mem_2, mem_5, …
    6  updated                                                          mem_1, mem_2, mem_3, …
    1  tags                                                             mem_5
    4  confidence                                                       mem_1, mem_2, mem_5, …
    1  pinned                                                           mem_2
    1  evidence                                                         mem_7
    1  superseded-by                                                    mem_7
    2  conflicts-with                                                   mem_3, mem_4
    1  references      in its text, by names that nothing has any more  mem_4
      and 1 more; --json has all of it

    Left out
      Tasks/h.md: its frontmatter has no `id`: give it one like `mem_20261017t075957_b1c8069b`
      mem_6, Knowledge/f.md: its text has 60003 bytes, 2048 fit into one memory: split it
    ");
}

#[test]
fn memories_become_notes_and_what_waits_goes_to_the_pool() {
    let (target, report) = converted(&grown(), "simple");
    let long = "长".repeat(48);
    let note = |name: &str, text: &str| format!("## 2026-10-17 {name}\n\n{text}\n");
    let expected = [
        ("archive/背景-Old.md".to_owned(), note("背景-Old", "text")),
        (
            "archive/背景-Where-it-stands.md".to_owned(),
            note("背景-Where-it-stands", "Half done."),
        ),
        (
            "common/背景-我是谁.md".to_owned(),
            note("背景-我是谁", "住在杭州。"),
        ),
        (
            format!("common/踩坑-{long}.md"),
            note(&format!("踩坑-{long}"), "text"),
        ),
        (
            "1 None".to_owned(),
            "On Tuesdays: We release on Tuesdays.".to_owned(),
        ),
        (
            "2 None".to_owned(),
            "On Fridays: See [[On Tuesdays]] and [[mem_3]].".to_owned(),
        ),
    ];
    assert_eq!(contents(&target), BTreeMap::from(expected));
    let names: BTreeMap<_, _> = report.ids.into_iter().map(|id| (id.old, id.new)).collect();
    assert_eq!(names["mem_2"], "common/背景-我是谁");
    assert_eq!(names["mem_4"], "staging.md#2");
    let faults = target.open().verify(false).expect("verified").faults;
    assert_eq!(faults, []);
}

#[test]
fn a_dry_run_foresees_the_report() {
    for folder in [grown(), with_various()] {
        let mut from = folder.open();
        let pair = pair(&mut from, "simple");
        let dry = convert(&mut from, pair, None, 0, &mut |_, _| ()).expect("a report");
        let (_, done) = converted(&folder, "simple");
        assert_eq!(
            dry,
            Report {
                ids: Vec::new(),
                ..done
            }
        );
    }
}

#[test]
fn only_the_time_of_the_day_is_lost_of_a_memory_that_has_nothing_but_defaults() {
    let (_, report) = converted(&inkvault_with(&[titled("plain", "text")]), "simple");
    assert_eq!(told(&report.lost), ["created the time of the day: 1"]);
    assert_eq!(told(&report.mapped), ["kind fact becomes 背景: 1"]);
    assert!(report.kept.is_empty());
}

#[test]
fn every_field_without_a_place_is_told() {
    let rich = Draft {
        tags: Some(vec!["t1".into(), "t2".into()]),
        aliases: Some(vec!["other".into()]),
        confidence: Some(0.9),
        importance: Some(70),
        pinned: Some(true),
        delivery: Some(Delivery::Prompt),
        source: Some(Source::Capture),
        origin: Some("session-1".into()),
        evidence: Some("said so".into()),
        supersedes: Some(vec!["m-20200101-gone00".into()]),
        superseded_by: Some("m-20200101-gone01".into()),
        conflicts_with: Some(vec!["m-20200101-gone02".into()]),
        converted_from: Some("from my notes".into()),
        created: Some("2026-10-17".into()),
        updated: Some("2026-10-18".into()),
        ..titled("rich", "text")
    };
    let (target, report) = converted(&inkvault_with(&[rich]), "simple");
    assert_eq!(
        told(&report.lost),
        [
            "updated : 1",
            "tags : 1",
            "aliases : 1",
            "confidence : 1",
            "importance : 1",
            "pinned : 1",
            "delivery no longer a standing directive: 1",
            "source capture: 1",
            "origin : 1",
            "evidence : 1",
            "supersedes : 1",
            "superseded-by : 1",
            "conflicts-with : 1",
            "converted-from : 1",
        ]
    );
    assert_eq!(details(&report.lost, "tags"), ["t1, t2"]);
    assert_eq!(details(&report.lost, "evidence"), ["said so"]);
    assert_eq!(
        details(&report.lost, "updated"),
        ["2026-10-18T00:00:00.000Z"]
    );
    let text = target.text("common/背景-rich.md");
    assert_eq!(text, "## 2026-10-17 背景-rich\n\ntext\n");
}

#[test]
fn titles_that_come_out_alike_are_numbered() {
    let folder = inkvault_with(&[titled("Day: one", "a"), titled("Day one!", "b")]);
    let (target, report) = converted(&folder, "simple");
    let notes: Vec<_> = contents(&target).into_keys().collect();
    assert_eq!(
        notes,
        ["common/背景-Day-one-2.md", "common/背景-Day-one.md"]
    );
    assert_eq!(
        told(&report.mapped)[1..],
        [
            "title numbered: another note there has the same name: 1",
            "title spelled as a part of a file name: 2",
        ]
    );
    let mut titles = details(&report.mapped, "title");
    titles.sort();
    titles.dedup();
    let old = |title: &str| titles.iter().any(|told| told.starts_with(title));
    assert!(
        old("Day: one becomes ") && old("Day one! becomes "),
        "{titles:?}"
    );
}

#[test]
fn a_text_that_is_longer_than_a_note_is_left_out_whole() {
    let fits = "字".repeat(682) + "ab";
    let folder = inkvault_with(&[titled("fits", &fits), titled("long", &(fits.clone() + "c"))]);
    let (target, report) = converted(&folder, "simple");
    assert!(target.text("common/背景-fits.md").ends_with(&(fits + "\n")));
    let reasons = report.skipped.iter().map(|skipped| &*skipped.reason);
    assert!(reasons.eq(["its text has 2049 bytes, 2048 fit into one memory: split it"]));
}

fn waiting(title: &str, body: &str) -> Draft {
    Draft {
        status: Some(Status::Pending),
        ..titled(title, body)
    }
}

/// The engine takes an entry of 500 characters and no longer one.
#[test]
fn an_entry_that_is_too_long_is_left_out_whole() {
    let fits = "x".repeat(497);
    let long = fits.clone() + "x";
    let folder = inkvault_with(&[waiting("a", &fits), waiting("b", &long)]);
    let (target, report) = converted(&folder, "simple");
    let entries = target.open().staging_browse().expect("a pool");
    let texts: Vec<_> = entries.into_iter().map(|entry| entry.text).collect();
    assert_eq!(texts, [format!("a: {fits}")]);
    let reasons: Vec<_> = report
        .skipped
        .iter()
        .map(|skipped| &*skipped.reason)
        .collect();
    assert_eq!(
        reasons,
        [
            "on one line it has 501 characters, 500 fit into an entry of staging.md: shorten it, or confirm it first"
        ]
    );
    let too_long = StagingDraft {
        text: format!("b: {long}"),
        scope: None,
        utc_offset_minutes: 0,
    };
    target.open().staging_add(&too_long).expect_err("too long");
}

#[test]
fn an_entry_that_the_pool_refuses_is_left_out() {
    let token = Draft {
        allow_secrets: true,
        ..waiting("token", "ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    };
    let (target, report) = converted(&inkvault_with(&[token]), "simple");
    assert_eq!(report.converted, 0);
    assert!(report.skipped[0].reason.contains("credential"));
    assert!(contents(&target).is_empty());
}

#[test]
fn the_day_is_the_one_on_the_persons_calendar() {
    let late = Draft {
        created: Some("2026-10-17T23:30:00.000Z".into()),
        ..titled("late", "text")
    };
    let folder = inkvault_with(&[late]);
    let target = Folder::empty();
    let mut from = folder.open();
    let pair = pair(&mut from, "simple");
    let report = convert(
        &mut from,
        pair,
        Some(&mut target.open()),
        480,
        &mut |_, _| (),
    );
    report.expect("converted");
    let text = target.text("common/背景-late.md");
    assert!(text.starts_with("## 2026-10-18 "), "{text}");
}

#[test]
fn references_in_texts_that_lead_nowhere_any_more_are_told() {
    let keys = "type: decision\nstatus: active\nconfidence: medium";
    let text = "See [[On Tuesdays]], [[mem_2]], [[short]] and [[决策-short]].";
    let folder = dsh_vault(&[
        ("Decisions/a.md", dsh_file("mem_1", keys, "first", text)),
        (
            "Decisions/b.md",
            dsh_file("mem_2", keys, "On Tuesdays", "b"),
        ),
        ("Decisions/c.md", dsh_file("mem_3", keys, "short", "c")),
    ]);
    let (_, report) = converted(&folder, "simple");
    assert_eq!(
        details(&report.lost, "references"),
        ["[[On Tuesdays]], [[mem_2]]"]
    );
}

const PORT: &str = "## 2026-08-18 踩坑-端口\n\n8080 被占用，见 [[复盘-发布]]。\n";

/// Notes in every place, and a pool.
fn notes() -> Folder {
    simple_vault(
        &[
            ("projects/My App/踩坑-端口.md", PORT),
            (
                "common/复盘-发布.md",
                "## 2026-08-17 复盘-发布\n\n周二发布。\n",
            ),
            (
                "common/sub/流程-a--b.md",
                "## 2026-08-16 流程-a--b\n\n    cargo test\n\n# b\n",
            ),
            (
                "references/背景-资料.md",
                "## 2026-08-15 背景-资料\n\n资料。\n",
            ),
            ("决策-loose.md", "## 2026-08-14 决策-loose\n\nloose\n"),
            ("archive/决策-旧.md", "## 2026-08-13 决策-旧\n\n旧。\n"),
            (
                "archive/projects/My App/偏好-旧.md",
                "## 2026-08-12 偏好-旧\n\n旧。\n",
            ),
        ],
        "- 2026-08-19 [来源：My App] 端口要先查\n- 2026-08-20 一句话\n",
    )
}

fn shown(vault: &Folder, id: &str) -> serde_json::Value {
    json(vault, &["show", id])["metadata"].clone()
}

#[test]
fn notes_become_memories() {
    let (target, report) = converted(&notes(), "inkvault");
    assert_eq!((report.memories, report.converted), (9, 9));
    let stands = |id: &str| {
        let memory = shown(&target, id);
        let word = |key: &str| memory[key].as_str().unwrap_or_default().to_owned();
        let tags = memory["tags"].as_array().expect("tags");
        let tags: Vec<_> = tags.iter().filter_map(|tag| tag.as_str()).collect();
        let day = word("created").replace("T00:00:00.000Z", "");
        [
            word("kind"),
            word("status"),
            word("title"),
            tags.join(","),
            day,
        ]
        .join(" ")
    };
    for (id, expected) in [
        (
            "projects/My App/踩坑-端口",
            "reference active 端口 My App 2026-08-18",
        ),
        ("common/复盘-发布", "fact active 发布 复盘 2026-08-17"),
        ("common/sub/流程-a--b", "reference active a--b  2026-08-16"),
        ("references/背景-资料", "fact active 资料  2026-08-15"),
        ("决策-loose", "decision active loose  2026-08-14"),
        ("archive/决策-旧", "decision archived 旧  2026-08-13"),
        ("偏好-旧", "preference archived 旧 My App 2026-08-12"),
    ] {
        assert_eq!(stands(id), expected, "{id}");
    }
    let port = shown(&target, "projects/My App/踩坑-端口");
    assert_eq!(
        port["converted_from"],
        "simple 踩坑 active projects/My App/踩坑-端口"
    );
    let links = json(&target, &["links", "projects/My App/踩坑-端口"]);
    assert_eq!(links[0]["target"], shown(&target, "common/复盘-发布")["id"]);
}

#[test]
fn the_kinds_of_dsh_memory_are_its_own() {
    let (target, _) = converted(&notes(), "dsh-memory");
    for (id, kind) in [
        ("projects/My App/踩坑-端口", "experience"),
        ("common/sub/流程-a--b", "experience"),
        ("references/背景-资料", "knowledge"),
        ("common/复盘-发布", "knowledge"),
        ("archive/决策-旧", "decision"),
        ("偏好-旧", "preference"),
    ] {
        assert_eq!(shown(&target, id)["kind"], kind, "{id}");
    }
    let port = shown(&target, "projects/My App/踩坑-端口");
    assert_eq!(port["tags"], serde_json::json!(["my-app", "experience"]));
    assert_eq!(port["confidence"], 0.6, "sure enough to be recalled");
}

#[test]
fn what_waits_in_the_pool_is_pending() {
    let (target, _) = converted(&notes(), "inkvault");
    let pending = json(&target, &["list", "--status", "pending"]);
    let memories = pending["memories"].as_array().expect("memories");
    let told = memories.iter().map(|memory| {
        let word = |key: &str| memory[key].as_str().unwrap_or_default().to_owned();
        (word("title"), word("converted_from"), word("created"))
    });
    let mut told: Vec<_> = told.collect();
    told.sort();
    let expected = [
        (
            "一句话",
            "simple - pending staging.md#2",
            "2026-08-20T00:00:00.000Z",
        ),
        (
            "端口要先查",
            "simple - pending staging.md#1 My App",
            "2026-08-19T00:00:00.000Z",
        ),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(told, expected);
    let tagged = memories
        .iter()
        .filter(|memory| memory["tags"][0] == "My App");
    assert_eq!(tagged.count(), 1);
    assert!(
        memories
            .iter()
            .all(|memory| memory["aliases"] == serde_json::json!([]))
    );
}

#[test]
fn a_memory_root_is_only_read() {
    let (folder, target) = (notes(), Folder::empty());
    let before = folder.files();
    let into = target.path().display().to_string();
    let output = run(&folder, &["convert", ".", &into, "--to", "dsh-memory"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(folder.files(), before);
}

#[test]
fn what_becomes_of_notes_is_told() {
    let (_, report) = converted(&notes(), "inkvault");
    assert_eq!(
        told(&report.mapped),
        [
            "kind none becomes fact: 2",
            "kind 偏好 becomes preference: 1",
            "kind 决策 becomes decision: 2",
            "kind 复盘 becomes fact: 1",
            "kind 流程 becomes reference: 1",
            "kind 背景 becomes fact: 1",
            "kind 踩坑 becomes reference: 1",
            "status references/ is only searched; recalled like any other in inkvault: 1",
            "tags the category is one of them: 1",
            "scope becomes a tag: 3",
        ]
    );
    assert_eq!(told(&report.lost), [""; 0]);
}

#[test]
fn the_frontmatter_of_a_note_is_told_and_its_tags_are_carried() {
    let text = "---\nmine: 5\ntags: [own]\naliases: [other name]\n---\n\nSomebody's.";
    let folder = simple_vault(&[("common/my notes.md", text)], "");
    let (target, report) = converted(&folder, "inkvault");
    assert_eq!(told(&report.lost), ["other-keys mine: 1"]);
    assert_eq!(
        told(&report.mapped),
        [
            "kind none becomes fact: 1",
            "created no day stands in it: the time of its file: 1"
        ]
    );
    let memory = json(&target, &["show", "my notes"]);
    assert_eq!(memory["body"], "Somebody's.");
    assert_eq!(memory["metadata"]["tags"][0], "own");
    assert_eq!(memory["metadata"]["aliases"][0], "other name");
    assert_eq!(
        memory["metadata"]["converted_from"],
        "simple - active common/my notes"
    );
    let (back, report) = converted(&target, "simple");
    assert!(back.at("common/背景-my-notes.md").exists());
    assert_eq!(
        details(&report.mapped, "title"),
        ["my notes becomes my-notes"]
    );
}

#[test]
fn notes_come_back_byte_for_byte_to_where_they_were() {
    for between in ["inkvault", "dsh-memory"] {
        let folder = notes();
        let (there, _) = converted(&folder, between);
        let (back, report) = converted(&there, "simple");
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        assert_eq!(contents(&back), contents(&folder), "by way of {between}");
        for field in [
            "title",
            "aliases",
            "tags",
            "kind",
            "references",
            "converted-from",
        ] {
            assert_eq!(
                details(&report.lost, field),
                [""; 0],
                "{field} of {between}"
            );
        }
    }
}

#[test]
fn the_day_does_not_move_on_the_way_there_and_back() {
    let folder = notes();
    let over = |source: &Folder, to: &str| {
        let target = Folder::empty();
        let mut from = source.open();
        let pair = pair(&mut from, to);
        let report = convert(
            &mut from,
            pair,
            Some(&mut target.open()),
            -480,
            &mut |_, _| (),
        );
        report.expect("converted");
        target
    };
    let back = over(&over(&folder, "inkvault"), "simple");
    assert_eq!(contents(&back), contents(&folder));
}

/// Nothing is in force afterwards that was not before, and no text is another.
#[test]
fn five_hundred_memories_become_notes_with_their_texts() {
    let folder = with_various();
    let (target, report) = converted(&folder, "simple");
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    assert_eq!(report.converted, report.memories);
    let (mut before, mut after) = (folder.open(), target.open());
    let mut notes = 0;
    for id in &report.ids {
        let was = before.get(&id.old).expect("a memory");
        if id.new.starts_with("staging.md#") {
            let waits = matches!(was.metadata.status, Status::Pending | Status::Conflict);
            assert!(waits, "{}", id.old);
            continue;
        }
        notes += 1;
        let is = after.get(&id.new).expect("a note");
        assert_eq!(is.body, was.body, "{}", id.old);
        assert_eq!(is.metadata.created[..10], was.metadata.created[..10]);
        let was_active = was.metadata.status == Status::Active;
        assert_eq!(
            is.metadata.status == Status::Active,
            was_active,
            "{}",
            id.old
        );
    }
    let entries = after.staging_browse().expect("a pool").len();
    assert_eq!(notes + entries, report.ids.len());
    assert!(notes > 0 && entries > 0);
}

#[test]
fn what_simple_cannot_hold_is_a_default_after_the_way_back() {
    let rich = Draft {
        kind: Some("preference".into()),
        tags: Some(vec!["t1".into()]),
        confidence: Some(0.9),
        importance: Some(70),
        pinned: Some(true),
        delivery: Some(Delivery::Prompt),
        evidence: Some("said so".into()),
        ..titled("rich", "text")
    };
    let (there, _) = converted(&inkvault_with(&[rich]), "simple");
    let (back, _) = converted(&there, "inkvault");
    let mut vault: Vault = back.open();
    let memory = vault
        .get("common/偏好-rich")
        .expect("found by its name between");
    let Metadata {
        kind,
        title,
        tags,
        confidence,
        importance,
        pinned,
        delivery,
        evidence,
        ..
    } = memory.metadata;
    assert_eq!(
        (&*kind, &*title, &*memory.body),
        ("preference", "rich", "text")
    );
    assert_eq!((tags.len(), confidence, importance), (0, 0.5, None));
    assert_eq!(
        (pinned, delivery, &*evidence),
        (false, Delivery::Recall, "")
    );
}
