//! Looking back: the versions of a file, what it was, and what changed. What
//! is told is held against what the real `git` tells.

use std::fs;
use std::os::unix::fs::symlink;

use inkvault::git::{Deed, Error, Repository, Version};
use inkvault_tests::WorkTree;

/// A note of a dozen lines, one of them its own.
fn note(line: &str) -> String {
    let lines = (1..=12).map(|number| format!("第 {number} 行：端口占用\n"));
    format!("# {line}\n\n{}", lines.collect::<String>())
}

/// Commits everything there is, as a person does.
fn commit(work_tree: &WorkTree, message: &str) {
    work_tree.git(&["add", "--all"]);
    work_tree.git(&["commit", "--quiet", "--message", message]);
}

/// Moves a file as git itself does.
fn move_file(work_tree: &WorkTree, from: &str, to: &str) {
    let to_place = work_tree.at(to);
    let above = to_place.parent().expect("a directory above it");
    fs::create_dir_all(above).expect("its directory");
    work_tree.git(&["mv", from, to]);
}

fn moved(from: &str) -> Deed {
    Deed::Moved {
        from: from.to_owned(),
    }
}

/// Message, path and deed of the versions.
fn told(work_tree: &WorkTree, path: &str) -> Vec<(String, String, Deed)> {
    let versions = work_tree.repository().history(path, 100);
    let told = |version: Version| (version.message, version.path, version.deed);
    versions.expect("a history").into_iter().map(told).collect()
}

fn version(message: &str, path: &str, deed: Deed) -> (String, String, Deed) {
    (message.to_owned(), path.to_owned(), deed)
}

/// A note that was added, changed, moved as it was, and moved and edited at
/// once, with commits about other files in between.
fn travelled() -> WorkTree {
    let work_tree = WorkTree::with(&[("other.md", "other\n"), ("inbox/踩坑.md", &note("one"))]);
    work_tree.put("other.md", "changed\n");
    commit(&work_tree, "elsewhere");
    work_tree.put("inbox/踩坑.md", note("two"));
    commit(&work_tree, "mem: 改 踩坑\n\nwhy");
    move_file(&work_tree, "inbox/踩坑.md", "notes/踩坑.md");
    work_tree.put("other.md", "changed again\n");
    commit(&work_tree, "moved");
    move_file(&work_tree, "notes/踩坑.md", "archive/踩 坑.md");
    work_tree.put("archive/踩 坑.md", note("three"));
    commit(&work_tree, "moved and edited");
    work_tree.put("last.md", "last\n");
    commit(&work_tree, "last");
    work_tree
}

#[test]
fn a_file_is_followed_to_what_it_was_called_before() {
    let work_tree = travelled();
    assert_eq!(
        told(&work_tree, "archive/踩 坑.md"),
        [
            version(
                "moved and edited",
                "archive/踩 坑.md",
                moved("notes/踩坑.md")
            ),
            version("moved", "notes/踩坑.md", moved("inbox/踩坑.md")),
            version("mem: 改 踩坑", "inbox/踩坑.md", Deed::Changed),
            version("first", "inbox/踩坑.md", Deed::Added),
        ]
    );
}

#[test]
fn a_version_is_told_as_git_tells_it() {
    let work_tree = travelled();
    let versions = work_tree
        .repository()
        .history("archive/踩 坑.md", 2)
        .unwrap();
    let shown = versions.iter().map(|version| {
        format!(
            "{}|{}|{}|{}\n",
            version.id, version.time, version.author, version.message
        )
    });
    // `--follow`, in UTC.
    let log = work_tree.git(&[
        "-c",
        "log.showSignature=false",
        "log",
        "--follow",
        "-2",
        "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
        "--format=%H|%ad|%an|%s",
        "--",
        "archive/踩 坑.md",
    ]);
    assert_eq!(shown.collect::<String>(), log);
    assert_eq!(work_tree.repository().history("last.md", 0).unwrap(), []);
}

#[test]
fn a_file_of_a_few_words_is_followed_when_it_is_moved_and_edited() {
    let before = "---\nid: a\nstatus: active\n---\n\n# 缩进\n\n用空格缩进。\n";
    let work_tree = WorkTree::with(&[("a.md", before), ("b.md", "别的东西，与此无关。\n")]);
    fs::remove_file(work_tree.at("a.md")).unwrap();
    fs::remove_file(work_tree.at("b.md")).unwrap();
    work_tree.put("archive/c.md", before.replace("active", "archived"));
    commit(&work_tree, "archived");
    assert_eq!(
        told(&work_tree, "archive/c.md"),
        [
            version("archived", "archive/c.md", moved("a.md")),
            version("first", "a.md", Deed::Added),
        ]
    );
}

/// A note that is renamed and written anew in one change is one, however
/// short; what a person removes and adds in one commit may be two.
#[test]
fn a_short_note_is_followed_through_one_change() {
    for (message, deed) in [
        (
            "mem: 改 决策-b",
            Deed::Moved {
                from: "a.md".to_owned(),
            },
        ),
        ("my own", Deed::Added),
    ] {
        let work_tree = WorkTree::with(&[("a.md", "alpha\n"), ("c.md", "c\n")]);
        fs::remove_file(work_tree.at("a.md")).unwrap();
        work_tree.put("b.md", "omega\n");
        commit(&work_tree, message);
        assert_eq!(told(&work_tree, "b.md")[0], version(message, "b.md", deed));
    }
}

#[test]
fn a_new_file_is_not_taken_for_one_that_was_removed() {
    let work_tree = WorkTree::with(&[("a.md", &note("one"))]);
    fs::remove_file(work_tree.at("a.md")).unwrap();
    let lines: Vec<_> = (1..=12)
        .map(|number| format!("another line {number}"))
        .collect();
    let another = format!(
        "{}\n第 1 行：端口占用\n第 2 行：端口占用\n",
        lines.join("\n")
    );
    work_tree.put("b.md", another);
    commit(&work_tree, "another");
    assert_eq!(
        told(&work_tree, "b.md"),
        [version("another", "b.md", Deed::Added)]
    );
}

#[test]
fn of_files_of_the_same_content_the_one_of_the_same_name_was_moved() {
    let work_tree = WorkTree::with(&[
        ("one/a.md", "a\n"),
        ("one/b.md", "a\n"),
        ("one/c.md", "a\n"),
    ]);
    move_file(&work_tree, "one", "two");
    commit(&work_tree, "moved");
    for name in ["a", "b", "c"] {
        let versions = told(&work_tree, &format!("two/{name}.md"));
        assert_eq!(versions[0].2, moved(&format!("one/{name}.md")));
    }
}

#[test]
fn what_is_removed_or_was_there_twice_has_a_history() {
    let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    fs::remove_file(work_tree.at("a.md")).unwrap();
    commit(&work_tree, "removed");
    let past = [
        version("removed", "a.md", Deed::Removed),
        version("first", "a.md", Deed::Added),
    ];
    assert_eq!(told(&work_tree, "a.md"), past);
    work_tree.put("a.md", "new\n");
    commit(&work_tree, "again");
    let again = version("again", "a.md", Deed::Added);
    assert_eq!(told(&work_tree, "a.md"), [&[again][..], &past].concat());
}

#[test]
fn a_file_that_became_a_folder_is_not_the_file_in_it() {
    let work_tree = WorkTree::with(&[("a", &note("one"))]);
    work_tree.git(&["rm", "--quiet", "a"]);
    commit(&work_tree, "gone");
    work_tree.put("a/b.md", note("two"));
    commit(&work_tree, "folder");
    assert_eq!(
        told(&work_tree, "a/b.md"),
        [version("folder", "a/b.md", Deed::Added)]
    );
}

#[test]
fn a_file_without_versions_has_none() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.put("untracked.md", "a\n");
    assert_eq!(told(&work_tree, "untracked.md"), []);
    assert_eq!(told(&WorkTree::unborn(), "a.md"), []);
    let error = work_tree.repository().history("../a.md", 1).unwrap_err();
    assert!(matches!(error, Error::Path { .. }), "{error}");
}

/// `main` changes `a.md`, `side` changes `b.md` and adds `c.md`; both are
/// merged.
fn merged() -> WorkTree {
    let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    work_tree.git(&["checkout", "--quiet", "-b", "side"]);
    work_tree.put("b.md", "changed\n");
    commit(&work_tree, "b on side");
    work_tree.put("c.md", "c\n");
    commit(&work_tree, "c on side");
    work_tree.git(&["checkout", "--quiet", "main"]);
    work_tree.put("a.md", "changed\n");
    commit(&work_tree, "a on main");
    work_tree.git(&["merge", "--quiet", "--no-edit", "side"]);
    work_tree
}

#[test]
fn merges_are_passed_by_to_where_the_file_came_from() {
    let work_tree = merged();
    for (path, messages) in [
        ("a.md", vec!["a on main", "first"]),
        ("b.md", vec!["b on side", "first"]),
        ("c.md", vec!["c on side"]),
    ] {
        let versions = told(&work_tree, path);
        let found: Vec<_> = versions.iter().map(|version| version.0.as_str()).collect();
        assert_eq!(found, messages, "{path}");
        let log = work_tree.git(&["log", "--format=%s", "--", path]);
        assert_eq!(log.lines().collect::<Vec<_>>(), messages, "{path}");
    }
}

#[test]
fn a_merge_that_changed_the_file_itself_is_a_version() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.git(&["checkout", "--quiet", "-b", "side"]);
    work_tree.put("a.md", "theirs\n");
    commit(&work_tree, "theirs");
    work_tree.git(&["checkout", "--quiet", "main"]);
    work_tree.put("a.md", "ours\n");
    commit(&work_tree, "ours");
    assert!(!work_tree.try_git(&["merge", "side"]).status.success());
    work_tree.put("a.md", "both\n");
    commit(&work_tree, "both");
    let messages: Vec<_> = told(&work_tree, "a.md")
        .into_iter()
        .map(|told| told.0)
        .collect();
    assert_eq!(messages, ["both", "ours", "first"]);
}

#[test]
fn a_file_is_told_as_it_was_under_the_name_it_had() {
    let work_tree = travelled();
    work_tree.git(&["tag", "--annotate", "--message=then", "then", "HEAD~3"]);
    let short = work_tree.git(&["rev-parse", "--short", "HEAD~2"]);
    let path = "archive/踩 坑.md";
    for (revision, then, text) in [
        ("HEAD", path, "three"),
        ("HEAD~1", path, "three"),
        (short.trim(), "notes/踩坑.md", "two"),
        ("then", "inbox/踩坑.md", "two"),
        ("HEAD~4", "inbox/踩坑.md", "one"),
        ("main@{0}", path, "three"),
    ] {
        let content = work_tree.repository().content(path, revision).unwrap();
        assert_eq!(content.path, then, "{revision}");
        assert_eq!(
            String::from_utf8(content.bytes).unwrap(),
            note(text),
            "{revision}"
        );
        let id = work_tree.git(&["rev-parse", &format!("{revision}^{{commit}}")]);
        assert_eq!(content.id, id.trim());
    }
}

#[test]
fn a_file_that_is_removed_is_told_as_it_was() {
    let work_tree = travelled();
    work_tree.git(&["rm", "--quiet", "archive/踩 坑.md"]);
    commit(&work_tree, "removed");
    let content = |revision| work_tree.repository().content("archive/踩 坑.md", revision);
    assert_eq!(content("HEAD~1").unwrap().bytes, note("three").as_bytes());
    assert_eq!(content("HEAD~3").unwrap().path, "notes/踩坑.md");
    let error = content("HEAD").unwrap_err();
    assert!(matches!(error, Error::Absent { .. }), "{error}");
}

/// A name that was taken over by another file is that of the file there was.
#[test]
fn a_name_that_another_file_has_now_is_not_mixed_up() {
    let work_tree = WorkTree::with(&[("a.md", &note("first")), ("b.md", "b\n")]);
    work_tree.git(&["rm", "--quiet", "b.md"]);
    commit(&work_tree, "b is gone");
    move_file(&work_tree, "a.md", "b.md");
    commit(&work_tree, "a is b");
    let content = work_tree.repository().content("b.md", "HEAD~2").unwrap();
    assert_eq!(content.path, "a.md");
    assert_eq!(content.bytes, note("first").as_bytes());
}

#[test]
fn a_commit_beside_the_way_is_looked_at_under_the_names_there_were() {
    let work_tree = travelled();
    work_tree.git(&["checkout", "--quiet", "-b", "side", "HEAD~3"]);
    work_tree.put("inbox/踩坑.md", note("beside"));
    commit(&work_tree, "beside");
    work_tree.git(&["checkout", "--quiet", "main"]);
    let content = work_tree
        .repository()
        .content("archive/踩 坑.md", "side")
        .unwrap();
    assert_eq!(content.path, "inbox/踩坑.md");
    assert_eq!(content.bytes, note("beside").as_bytes());
}

#[test]
fn a_revision_that_names_no_commit_is_told() {
    let work_tree = travelled();
    for revision in ["nowhere", "HEAD~99", "HEAD:other.md", "", "0123456789"] {
        let error = work_tree
            .repository()
            .content("other.md", revision)
            .unwrap_err();
        assert!(
            matches!(error, Error::Revision { .. }),
            "{revision}: {error}"
        );
    }
}

#[test]
fn a_vault_in_a_subfolder_knows_its_own_names_only() {
    let work_tree = WorkTree::with(&[("outside.md", &note("out")), ("vault/a.md", &note("in"))]);
    move_file(&work_tree, "vault/a.md", "vault/b/a.md");
    commit(&work_tree, "moved");
    move_file(&work_tree, "outside.md", "vault/c.md");
    commit(&work_tree, "came in");
    let repository = Repository::around(&work_tree.at("vault")).unwrap().unwrap();
    let deeds = |path: &str| {
        let versions = repository.history(path, 9).unwrap();
        versions
            .into_iter()
            .map(|version| (version.path, version.deed))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        deeds("b/a.md"),
        [
            ("b/a.md".to_owned(), moved("a.md")),
            ("a.md".to_owned(), Deed::Added)
        ]
    );
    assert_eq!(deeds("c.md"), [("c.md".to_owned(), Deed::Added)]);
    assert_eq!(repository.content("b/a.md", "HEAD~2").unwrap().path, "a.md");
}

/// What git prints from the names on.
fn from_names_on(diff: &str) -> &str {
    let names = diff.find("--- ").expect("names");
    &diff[names..]
}

#[test]
fn a_diff_is_the_one_that_git_prints() {
    let work_tree = travelled();
    let path = "archive/踩 坑.md";
    let repository = work_tree.repository();
    let ours = repository.diff(path, "HEAD~5", Some("HEAD")).unwrap();
    let theirs = work_tree.git(&["diff", "-M", "HEAD~5", "HEAD", "--", "inbox", "archive"]);
    assert_eq!(ours, from_names_on(&theirs));
    assert!(ours.contains("\n-# one\n+# three\n"), "{ours}");

    let mut text = note("four");
    text.truncate(text.len() - 1);
    work_tree.put(path, &text);
    let ours = repository.diff(path, "HEAD", None).unwrap();
    let theirs = work_tree.git(&["diff", "HEAD", "--", path]);
    assert_eq!(ours, from_names_on(&theirs));
    assert!(ours.contains("\\ No newline at end of file"), "{ours}");
    assert!(
        ours.contains(" 踩 坑.md\t\n") || ours.contains("踩 坑.md\t\n"),
        "{ours}"
    );
}

#[test]
fn a_diff_with_nothing_on_one_side_is_the_one_that_git_prints() {
    let work_tree = travelled();
    let repository = work_tree.repository();
    let ours = repository.diff("last.md", "HEAD~1", Some("HEAD")).unwrap();
    let theirs = work_tree.git(&["diff", "HEAD~1", "HEAD", "--", "last.md"]);
    assert_eq!(ours, from_names_on(&theirs));
    fs::remove_file(work_tree.at("last.md")).unwrap();
    let ours = repository.diff("last.md", "HEAD", None).unwrap();
    let theirs = work_tree.git(&["diff", "HEAD", "--", "last.md"]);
    assert_eq!(ours, from_names_on(&theirs));
    let error = repository.diff("last.md", "HEAD~1", None).unwrap_err();
    assert!(matches!(error, Error::Absent { .. }), "{error}");
}

#[test]
fn a_diff_of_what_is_no_text_only_says_that_it_differs() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    for bytes in [&b"a\0"[..], b"\xff\xfe"] {
        work_tree.put("a.md", bytes);
        assert_eq!(
            work_tree.repository().diff("a.md", "HEAD", None).unwrap(),
            "Binary files a/a.md and b/a.md differ\n"
        );
    }
}

#[test]
fn a_diff_without_a_change_is_empty() {
    let work_tree = travelled();
    let path = "archive/踩 坑.md";
    assert_eq!(work_tree.repository().diff(path, "HEAD", None).unwrap(), "");
    assert_eq!(
        work_tree
            .repository()
            .diff(path, "HEAD~1", Some("HEAD"))
            .unwrap(),
        ""
    );
}

#[test]
fn a_diff_with_the_disk_leaves_line_ends_to_git_and_the_repository_alone() {
    let work_tree = WorkTree::with(&[("a.md", "a\nb\n")]);
    let objects = || work_tree.git(&["count-objects", "-v"]);
    let before = objects();
    work_tree.put("a.md", "a\r\nB\r\n");
    let diff = || work_tree.repository().diff("a.md", "HEAD", None).unwrap();
    assert!(diff().contains("-a\n-b\n+a\r\n+B\r\n"), "{}", diff());
    work_tree.git(&["config", "core.autocrlf", "true"]);
    assert!(diff().contains("\n a\n-b\n+B\n"), "{}", diff());
    assert_eq!(objects(), before);
}

#[test]
fn a_diff_of_a_symbolic_link_is_of_where_it_points_to() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    symlink("a.md", work_tree.at("link.md")).unwrap();
    commit(&work_tree, "linked");
    fs::remove_file(work_tree.at("link.md")).unwrap();
    symlink("b.md", work_tree.at("link.md")).unwrap();
    let ours = work_tree
        .repository()
        .diff("link.md", "HEAD", None)
        .unwrap();
    let theirs = work_tree.git(&["diff", "HEAD", "--", "link.md"]);
    assert_eq!(ours, from_names_on(&theirs));
}
