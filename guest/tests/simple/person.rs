//! A root that a person has kept by hand for years: it is opened, searched and
//! written to, and nothing of theirs changes.

use std::collections::BTreeMap;
use std::time::Duration;

use inkvault_guest::environment::Machine;
use inkvault_guest::vault::{Draft, IndexOptions, StagingDraft, UndoTarget};

use crate::common::{found, text_at};
use crate::{change, note, open, put, shown};

/// A note of 5 KB.
fn long() -> String {
    let text = format!("# 很长的笔记\n\n{}\n", "长篇大论。".repeat(340));
    assert!(text.len() > 5_000);
    text
}

/// The person's files; the program has to leave them alone.
fn theirs() -> BTreeMap<String, Vec<u8>> {
    let long = long();
    let files: [(&str, &[u8]); 22] = [
        ("README.md", "# 我的记忆根\n\n别动。\n".as_bytes()),
        ("nodash.md", b"loose and nameless\n"),
        ("决策-旧.md", b"loose with a category\n"),
        (
            "staging.md",
            "# 池\n\n随手写的\n- 2026-08-18 [来源：app] 旧条目\n".as_bytes(),
        ),
        (
            "common/踩坑-端口.md",
            "## 2026-08-18 踩坑-端口\n\n先看端口。\n".as_bytes(),
        ),
        ("common/long.md", long.as_bytes()),
        (
            "common/crlf.md",
            b"\xef\xbb\xbfline one\r\nline two\r\n\r\n\r\n",
        ),
        ("common/empty.md", b""),
        ("common/blank.md", b" \n\t\n"),
        ("common/not-utf8.md", b"latin \xe9\xe8 text"),
        ("common/tools/流程-deep.md", b"nested once\n"),
        ("common/image.png", b"\x89PNG\r\n\x1a\n"),
        ("projects/app/README.md", b"about the project\n"),
        (
            "projects/app/踩坑-别名.md",
            "## 2026-01-01 另一个名字\n\n正文\n".as_bytes(),
        ),
        ("projects/app/sub/deeper/note.md", b"nested twice\n"),
        ("references/手册.md", "参考资料\n".as_bytes()),
        ("archive/旧-的.md", "早就遗忘\n".as_bytes()),
        ("ideas/wild/ones.md", b"a directory of their own\n"),
        (".git/HEAD", b"ref: refs/heads/main\n"),
        (".git/objects/ab/cdef0123", b"\x78\x01\x00history"),
        (".git/notes.md", b"not a note\n"),
        ("untracked.txt", b"not under git\n"),
    ];
    let files = files.map(|(path, bytes)| (path.to_owned(), bytes.to_vec()));
    files.into()
}

fn root_of_a_person() -> Machine {
    let machine = Machine::new();
    for (path, bytes) in theirs() {
        machine.put(&path, bytes);
    }
    machine.advance(Duration::from_secs(86_400));
    machine
}

/// Nothing of theirs has changed, and there is nothing beside it but `ours`.
fn assert_untouched(machine: &Machine, ours: &[&str], step: &str) {
    let mut files = shown(machine);
    for path in ours {
        assert!(files.remove(*path).is_some(), "{step}: no {path}");
    }
    assert!(
        files == theirs(),
        "{step}: {:?}",
        files
            .iter()
            .filter(|(path, bytes)| theirs().get(*path) != Some(bytes))
            .collect::<Vec<_>>()
    );
}

#[test]
fn whatever_is_done_beside_them_their_files_stay_as_they_are() {
    let machine = root_of_a_person();
    let times: Vec<_> = theirs()
        .into_keys()
        .map(|path| (machine.stat(&path), path))
        .collect();
    let mut vault = open(&machine);
    let overview = vault.overview().expect("an overview");
    // Without README, pool and what is no Markdown; one is not UTF-8.
    assert_eq!((overview.memories, overview.bad_files.len()), (14, 1));
    assert_eq!(overview.bad_files[0].path, "common/not-utf8.md");
    for (query, id) in [
        ("nameless", "nodash"),
        ("长篇大论", "common/long"),
        ("twice", "projects/app/sub/deeper/note"),
        ("their own", "ideas/wild/ones"),
        ("line two", "common/crlf"),
        ("参考资料", "references/手册"),
        ("早就遗忘", "archive/旧-的"),
    ] {
        assert_eq!(found(&mut vault, query)[0], id, "{query}");
    }
    let listed = vault.render_index(&IndexOptions {
        scope: Some("app".into()),
        conversation: Some("c".into()),
        ..IndexOptions::default()
    });
    let listed = listed.expect("an index").text.expect("a text");
    assert!(listed.contains("踩坑-别名.md") && listed.contains("nodash.md"));
    assert_untouched(&machine, &[], "read");

    vault.write(&note("决策", "新", "第一条")).expect("written");
    let ours = "common/决策-新.md";
    assert_untouched(&machine, &[ours], "write");
    let body = |text: &str| Draft {
        body: Some(text.into()),
        ..change("common/决策-新")
    };
    vault.write(&body("改过了")).expect("changed");
    vault
        .undo(&UndoTarget::LastOf("common/决策-新".into()))
        .expect("undone");
    assert!(text_at(&machine, ours).ends_with("\n\n第一条\n"));
    vault.forget("common/决策-新", None, "").expect("forgotten");
    assert_untouched(&machine, &["archive/决策-新.md"], "forget");
    vault
        .undo(&UndoTarget::LastOf("common/决策-新".into()))
        .expect("undone");
    vault.rebuild_index().expect("rebuilt");
    let faults = vault.verify(true).expect("verified").faults;
    assert!(
        faults.len() == 1 && faults[0].path == "common/not-utf8.md",
        "{faults:?}"
    );
    vault.sync().expect("synced");
    vault.init("simple", None).expect("complete");
    assert_untouched(&machine, &[ours], "upkeep");
    for (stat, path) in times {
        assert_eq!(machine.stat(&path), stat, "{path}");
    }
}

#[test]
fn what_is_private_stays_out_of_git() {
    let machine = root_of_a_person();
    let mut vault = open(&machine);
    found(&mut vault, "nameless");
    vault.write(&note("决策", "新", "第一条")).expect("written");
    assert_eq!(text_at(&machine, ".inkvault/.gitignore"), "*\n");
    let config: serde_json::Value =
        serde_json::from_str(&text_at(&machine, ".inkvault/config.json")).expect("JSON");
    assert_eq!(config["format"], "simple");
    // What `git clean -x` does to an open vault.
    machine.remove(".inkvault");
    vault.write(&note("决策", "二", "第二条")).expect("written");
    assert_eq!(text_at(&machine, ".inkvault/.gitignore"), "*\n");
    assert_eq!(found(&mut open(&machine), "第二条"), ["common/决策-二"]);
}

/// The pool's other lines are the person's, too.
#[test]
fn the_pool_keeps_what_else_stands_in_it() {
    let machine = root_of_a_person();
    let before = text_at(&machine, "staging.md");
    let mut vault = open(&machine);
    let entry = StagingDraft {
        text: "新条目".into(),
        ..StagingDraft::default()
    };
    vault.staging_add(&entry).expect("staged");
    let after = text_at(&machine, "staging.md");
    assert_eq!(after, format!("{before}- 2026-10-20 新条目\n"));
    vault.staging_drop(2, "新条目").expect("dropped");
    assert_untouched(&machine, &[], "staged and dropped");
}

/// A repository does not keep empty directories, and nothing private.
#[test]
fn a_clone_is_a_vault_without_what_git_leaves_out() {
    for files in [
        &[
            ("projects/app/踩坑-a.md", "alpha"),
            ("staging.md", "# 池\n"),
        ][..],
        &[("common/踩坑-a.md", "alpha"), ("staging.md", "# 池\n")],
        &[
            ("common/踩坑-a.md", "alpha"),
            ("projects/app/踩坑-b.md", "beta"),
        ],
    ] {
        let machine = Machine::new();
        put(&machine, files);
        let mut vault = open(&machine);
        assert_eq!(found(&mut vault, "alpha").len(), 1, "{files:?}");
        let listed = vault.render_index(&IndexOptions {
            scope: Some("app".into()),
            ..IndexOptions::default()
        });
        assert!(listed.expect("an index").text.is_some());
        assert_eq!(vault.verify(false).expect("verified").faults, []);
        vault.write(&note("决策", "新", "gamma")).expect("written");
        vault.forget("common/决策-新", None, "").expect("forgotten");
        assert_eq!(found(&mut vault, "gamma"), ["archive/决策-新"]);
        let mut other = open(&machine);
        assert_eq!(found(&mut other, "gamma"), ["archive/决策-新"]);
        assert_eq!(other.verify(false).expect("verified").faults, []);
        for (path, text) in files {
            assert_eq!(text_at(&machine, path), *text);
        }
    }
}
