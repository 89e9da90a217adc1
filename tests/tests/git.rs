//! Commits: just the files of a change, whatever a person has done to these and
//! others. What became of them is asked of the real `git`.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::thread;
use std::time::{Duration, SystemTime};

use inkvault::git::{ChangedFile, Outcome, Repository};
use inkvault_guest::memory::fingerprint;
use inkvault_tests::WorkTree;
use inkvault_tests::work_tree::{obey, refusal, state};

const NOTE: &str = "# 端口占用\n\n先看 lsof，再杀进程。\n";
const MESSAGE: &str = "mem: 记 踩坑-测试端口占用";

#[test]
fn a_change_is_committed_with_its_message_and_no_more() {
    let work_tree = WorkTree::with(&[("README.md", "read\n"), ("common/a.md", "a\n")]);
    let parent = work_tree.head();
    let made = work_tree.write("common/踩坑-测试 端口.md", NOTE);
    let edited = work_tree.write("common/a.md", "b\n");
    let id = work_tree.committed(MESSAGE, &[made, edited]);
    let shown = work_tree.git(&[
        "show",
        "-s",
        "--format=%H %P|%an <%ae>|%cn <%ce>|%B",
        "HEAD",
    ]);
    let person = "Person <person@example.org>";
    assert_eq!(
        shown,
        format!("{id} {parent}|{person}|{person}|{MESSAGE}\n\n")
    );
    assert_eq!(
        work_tree.done(),
        ["M common/a.md", "A common/踩坑-测试 端口.md"]
    );
    assert_eq!(
        work_tree.git(&["show", "HEAD:common/踩坑-测试 端口.md"]),
        NOTE
    );
    // By time and size alone, without a look into the files.
    work_tree.git(&["diff-files", "--exit-code"]);
    assert_eq!(work_tree.status(), [""; 0]);
    let reflog = work_tree.git(&["reflog", "-1", "--format=%gs"]);
    assert_eq!(reflog, format!("commit: {MESSAGE}\n"));
    work_tree.assert_sound();
}

#[test]
fn what_else_is_staged_stays_staged_and_is_told() {
    let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
    work_tree.put("b.md", "staged\n");
    work_tree.put("new.md", "staged too\n");
    work_tree.git(&["add", "b.md", "new.md"]);
    work_tree.git(&["rm", "--quiet", "c.md"]);
    let change = work_tree.write("a.md", "changed\n");
    let outcome = work_tree.commit(MESSAGE, &[change]);
    assert_eq!(outcome.commit, Some(work_tree.head()));
    assert_eq!(
        outcome.warnings,
        ["`b.md`, `c.md` and `new.md` are staged by somebody else and left out of the commit"]
    );
    assert_eq!(work_tree.done(), ["M a.md"]);
    assert_eq!(work_tree.status(), ["M  b.md", "D  c.md", "A  new.md"]);
    assert_eq!(work_tree.git(&["show", ":b.md"]), "staged\n");
    work_tree.assert_sound();
}

#[test]
fn edits_and_untracked_files_of_a_person_stay_as_they_are() {
    let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
    work_tree.put("b.md", "edited\n");
    work_tree.put("draft.md", "not yet\n");
    fs::remove_file(work_tree.at("c.md")).unwrap();
    let change = work_tree.write("a.md", "changed\n");
    work_tree.committed(MESSAGE, &[change]);
    assert_eq!(work_tree.done(), ["M a.md"]);
    assert_eq!(work_tree.status(), [" M b.md", " D c.md", "?? draft.md"]);
    assert_eq!(work_tree.text("b.md"), "edited\n");
}

#[test]
fn an_edit_of_the_same_file_is_not_swept_in() {
    let work_tree = WorkTree::with(&[("common/a 甲.md", "a\n"), ("common/b.md", "b\n")]);
    work_tree.put("common/a 甲.md", "my own edit\n");
    let changes = [
        work_tree.write("common/b.md", "changed\n"),
        work_tree.write("common/a 甲.md", "my own edit\nchanged\n"),
    ];
    let before = state(&work_tree);
    let warning = refusal(work_tree.commit(MESSAGE, &changes));
    let told = "`common/a 甲.md` was not as last committed before this change";
    assert!(warning.contains(told), "{warning}");
    assert_eq!(state(&work_tree), before);
    assert_eq!(work_tree.text("common/a 甲.md"), "my own edit\nchanged\n");
    obey(&work_tree, &warning);
    assert_eq!(work_tree.status(), [""; 0]);
    assert_eq!(work_tree.done(), ["M common/a 甲.md", "M common/b.md"]);
}

#[test]
fn a_person_s_untracked_file_is_not_swept_in() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.put("draft.md", "not yet\n");
    let change = work_tree.write("draft.md", "not yet\nchanged\n");
    let before = state(&work_tree);
    let warning = refusal(work_tree.commit(MESSAGE, &[change]));
    assert!(warning.contains("`draft.md`"), "{warning}");
    assert_eq!(state(&work_tree), before);
    obey(&work_tree, &warning);
    assert_eq!(work_tree.status(), [""; 0]);
}

#[test]
fn an_untracked_file_that_moved_is_not_swept_in() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.put("draft.md", "not yet\n");
    let changes = [
        work_tree.remove("draft.md"),
        work_tree.write("archive/draft.md", "not yet\n"),
    ];
    let warning = refusal(work_tree.commit(MESSAGE, &changes));
    assert!(warning.contains("`draft.md`"), "{warning}");
    assert_eq!(work_tree.status(), ["?? archive/draft.md"]);
    obey(&work_tree, &warning);
    assert_eq!(work_tree.done(), ["A archive/draft.md"]);
}

#[test]
fn an_untracked_file_that_is_gone_hinders_no_commit() {
    let work_tree = WorkTree::with(&[(".gitignore", "/trash/\n"), ("a.md", "a\n")]);
    work_tree.put("draft.md", "not yet\n");
    let changes = [
        work_tree.remove("draft.md"),
        work_tree.write("trash/draft.md", "not yet\n"),
        work_tree.write("a.md", "changed\n"),
    ];
    let outcome = work_tree.commit(MESSAGE, &changes);
    assert_eq!(outcome.commit, Some(work_tree.head()));
    let note = "`trash/draft.md` is not committed: git ignores it";
    assert_eq!(outcome.warnings, [note]);
    assert_eq!(work_tree.done(), ["M a.md"]);
    let nothing = work_tree.commit(MESSAGE, &changes[..2]);
    assert_eq!(
        (nothing.commit, nothing.warnings),
        (None, vec![note.to_owned()])
    );
}

#[test]
fn a_file_that_a_person_removed_without_a_commit_is_not_brought_back() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    fs::remove_file(work_tree.at("a.md")).unwrap();
    let change = work_tree.write("a.md", "another\n");
    let before = state(&work_tree);
    refusal(work_tree.commit(MESSAGE, &[change]));
    assert_eq!(state(&work_tree), before);
}

#[test]
fn another_version_that_is_staged_is_kept() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.put("a.md", "staged\n");
    work_tree.git(&["add", "a.md"]);
    work_tree.put("a.md", "a\n");
    let change = work_tree.write("a.md", "a\nchanged\n");
    let before = state(&work_tree);
    let warning = refusal(work_tree.commit(MESSAGE, &[change]));
    assert!(
        warning.contains("`a.md` was staged in another version"),
        "{warning}"
    );
    assert_eq!(state(&work_tree), before);
    assert_eq!(work_tree.git(&["show", ":a.md"]), "staged\n");
    obey(&work_tree, &warning);
    assert_eq!(work_tree.status(), [""; 0]);
}

#[test]
fn a_staged_removal_is_kept() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.git(&["rm", "--quiet", "--cached", "a.md"]);
    let change = work_tree.write("a.md", "changed\n");
    let before = state(&work_tree);
    refusal(work_tree.commit(MESSAGE, &[change]));
    assert_eq!(state(&work_tree), before);
}

#[test]
fn what_was_staged_as_it_is_on_disk_is_committed() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    let changes = [
        work_tree.write("a.md", "changed\n"),
        work_tree.write("new.md", "new\n"),
    ];
    work_tree.git(&["add", "--all"]);
    work_tree.committed(MESSAGE, &changes);
    assert_eq!(work_tree.status(), [""; 0]);
}

#[test]
fn a_file_that_moved_is_one_move_to_git() {
    let work_tree = WorkTree::with(&[("projects/p/流程.md", NOTE), ("a.md", "a\n")]);
    let changes = [
        work_tree.remove("projects/p/流程.md"),
        work_tree.write("archive/projects/p/流程.md", NOTE),
    ];
    work_tree.committed("mem: 归档 流程", &changes);
    let shown = work_tree.git(&["show", "--format=", "--name-status", "-M"]);
    assert_eq!(
        shown,
        "R100\tprojects/p/流程.md\tarchive/projects/p/流程.md\n"
    );
    assert_eq!(
        work_tree.git(&["ls-tree", "-r", "--name-only", "HEAD"]),
        "a.md\narchive/projects/p/流程.md\n"
    );
    assert_eq!(work_tree.status(), [""; 0]);
    work_tree.assert_sound();
}

#[test]
fn a_file_that_was_removed_is_removed_with_its_folder() {
    let work_tree = WorkTree::with(&[("only/a.md", "a\n")]);
    let change = work_tree.remove("only/a.md");
    work_tree.committed(MESSAGE, &[change]);
    assert_eq!(work_tree.done(), ["D only/a.md"]);
    assert_eq!(work_tree.git(&["ls-tree", "HEAD"]), "");
    assert_eq!(work_tree.status(), [""; 0]);
    work_tree.assert_sound();
}

#[test]
fn an_ignored_file_is_left_out_with_a_note() {
    let work_tree = WorkTree::with(&[(".gitignore", "private/\n*.tmp\n"), ("a.md", "a\n")]);
    let ignored = work_tree.write("private/b.md", "b\n");
    let outcome = work_tree.commit(MESSAGE, std::slice::from_ref(&ignored));
    assert_eq!(outcome.commit, None);
    let note = "`private/b.md` is not committed: git ignores it";
    assert_eq!(outcome.warnings, [note]);

    let change = work_tree.write("a.md", "changed\n");
    let outcome = work_tree.commit(MESSAGE, &[ignored, change]);
    assert_eq!(outcome.commit, Some(work_tree.head()));
    assert_eq!(outcome.warnings, [note]);
    assert_eq!(work_tree.done(), ["M a.md"]);
    assert_eq!(work_tree.status(), [""; 0]);
}

#[test]
fn an_ignored_file_that_git_has_is_committed() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.put(".gitignore", "*\n");
    let change = work_tree.write("a.md", "changed\n");
    work_tree.committed(MESSAGE, &[change]);
    assert_eq!(work_tree.done(), ["M a.md"]);
}

#[test]
fn a_file_that_leaves_what_git_ignores_is_committed() {
    let work_tree = WorkTree::with(&[(".gitignore", "/trash/\n")]);
    work_tree.put("trash/a.md", "a\n");
    let changes = [
        work_tree.remove("trash/a.md"),
        work_tree.write("a.md", "a\n"),
    ];
    work_tree.committed("mem: restore a", &changes);
    assert_eq!(work_tree.done(), ["A a.md"]);
}

#[test]
fn who_commits_has_a_name_without_settings_too() {
    let work_tree = WorkTree::unborn();
    work_tree.git(&["config", "--unset", "user.name"]);
    work_tree.git(&["config", "--unset", "user.email"]);
    let change = work_tree.write("a.md", "a\n");
    work_tree.committed(MESSAGE, &[change]);
    let who = work_tree.git(&["log", "--format=%an <%ae> %cn <%ce>"]);
    assert_eq!(
        who,
        "inkvault <inkvault@localhost> inkvault <inkvault@localhost>\n"
    );
}

#[test]
fn what_is_as_it_was_is_not_committed() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    let before = state(&work_tree);
    let changes = [
        work_tree.write("a.md", "a\n"),
        work_tree.created("never.md"),
    ];
    assert_eq!(work_tree.commit(MESSAGE, &changes), Outcome::default());
    assert_eq!(work_tree.commit(MESSAGE, &[]), Outcome::default());
    assert_eq!(state(&work_tree), before);
}

#[test]
fn a_file_stays_executable() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    fs::set_permissions(work_tree.at("a.md"), fs::Permissions::from_mode(0o755)).unwrap();
    work_tree.git(&["commit", "--quiet", "--all", "--message=executable"]);
    let change = work_tree.write("a.md", "changed\n");
    work_tree.committed(MESSAGE, &[change]);
    assert!(work_tree.git(&["ls-tree", "HEAD"]).starts_with("100755 "));
}

#[test]
fn a_symbolic_link_is_committed_as_one() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    symlink("a.md", work_tree.at("link.md")).unwrap();
    work_tree.committed(MESSAGE, &[work_tree.created("link.md")]);
    assert_eq!(work_tree.git(&["show", "HEAD:link.md"]), "a.md");
    assert!(
        work_tree
            .git(&["ls-tree", "HEAD", "link.md"])
            .starts_with("120000 ")
    );
    assert_eq!(work_tree.status(), [""; 0]);

    let removed = work_tree.remove("link.md");
    symlink("../a.md", work_tree.at("moved.md")).unwrap();
    work_tree.committed(MESSAGE, &[removed, work_tree.created("moved.md")]);
    assert_eq!(work_tree.done(), ["D link.md", "A moved.md"]);
    work_tree.assert_sound();
}

#[test]
fn what_git_cannot_have_is_left_out_with_a_note() {
    let work_tree = WorkTree::with(&[("real/a.md", "a\n")]);
    symlink("real", work_tree.at("linked")).unwrap();
    work_tree.git(&["init", "--quiet", "inner"]);
    work_tree.put("inner/a.md", "a\n");
    let change = work_tree.write("real/a.md", "changed\n");
    let changes = [
        work_tree.created("linked/b.md"),
        work_tree.created("inner/a.md"),
        change,
    ];
    let outcome = work_tree.commit(MESSAGE, &changes);
    assert_eq!(
        outcome.warnings,
        [
            "`linked/b.md` is not committed: it lies behind a symbolic link",
            "`inner/a.md` is not committed: it lies in a repository of its own",
        ]
    );
    assert_eq!(work_tree.done(), ["M real/a.md"]);
}

#[test]
fn line_ends_that_git_converts_are_no_edit() {
    let work_tree = WorkTree::with(&[("a.md", "a\nb\n")]);
    work_tree.git(&["config", "core.autocrlf", "true"]);
    work_tree.put("a.md", "a\r\nb\r\n");
    let change = work_tree.write("a.md", "a\r\nb\r\nc\r\n");
    work_tree.committed(MESSAGE, &[change]);
    assert_eq!(
        work_tree.git(&["cat-file", "blob", "HEAD:a.md"]),
        "a\nb\nc\n"
    );
    assert_eq!(work_tree.status(), [""; 0]);
}

#[test]
fn line_ends_that_a_person_converted_are_an_edit() {
    let work_tree = WorkTree::with(&[("a.md", "a\nb\n")]);
    work_tree.put("a.md", "a\r\nb\r\n");
    let change = work_tree.write("a.md", "a\r\nb\r\nc\r\n");
    refusal(work_tree.commit(MESSAGE, &[change]));
}

/// As git-crypt has it: without its filter, what is to be secret would be
/// committed as it is.
#[test]
fn a_file_with_a_filter_of_git_s_is_left_to_git() {
    let work_tree = WorkTree::with(&[(
        ".gitattributes",
        "secret.md filter=git-crypt\nwide.md working-tree-encoding=UTF-16\n",
    )]);
    for (path, filter) in [("secret.md", "git-crypt"), ("wide.md", "UTF-16")] {
        let change = work_tree.write(path, "password\n");
        let warning = refusal(work_tree.commit(MESSAGE, &[change]));
        assert!(
            warning.contains(&format!("`{path}` has git's filter `{filter}`")),
            "{warning}"
        );
    }
    let objects = work_tree.git(&["cat-file", "--batch-check", "--batch-all-objects"]);
    let blobs = objects.lines().filter(|object| object.contains("blob"));
    assert_eq!(blobs.count(), 1, "{objects}");
}

#[test]
fn a_file_that_is_to_be_added_later_is_left_alone() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    let change = work_tree.write("later.md", "later\n");
    work_tree.git(&["add", "--intent-to-add", "later.md"]);
    let before = state(&work_tree);
    refusal(work_tree.commit(MESSAGE, &[change]));
    assert_eq!(state(&work_tree), before);
}

#[test]
fn a_file_in_place_of_a_folder_takes_nothing_else_along() {
    let work_tree = WorkTree::with(&[("a/b.md", "b\n")]);
    fs::remove_dir_all(work_tree.at("a")).unwrap();
    let change = work_tree.write("a", "a\n");
    let before = state(&work_tree);
    refusal(work_tree.commit(MESSAGE, &[change]));
    assert_eq!(state(&work_tree), before);
    assert!(!work_tree.at(".git/index.lock").exists());
}

#[test]
fn a_path_counts_once_and_must_be_one_in_the_vault() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    let change = work_tree.write("a.md", "b\n");
    work_tree.committed(MESSAGE, &[change.clone(), change]);
    assert_eq!(work_tree.git(&["show", "HEAD:a.md"]), "b\n");
    for path in [
        "",
        "/a.md",
        "../a.md",
        "a//b.md",
        "a/.git/config",
        "./a.md",
        "a\0",
    ] {
        let warning = refusal(work_tree.commit(MESSAGE, &[work_tree.created(path)]));
        assert!(
            warning.contains("no path in the vault"),
            "{path}: {warning}"
        );
    }
}

/// A file that was edited at the very moment when the index was written is
/// told from an unchanged one only by being newer than the index. A newer
/// index would hide the edit for ever.
#[test]
fn an_edit_as_old_as_the_index_is_still_seen() {
    let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "1\n")]);
    work_tree.git(&["config", "core.trustCtime", "false"]);
    work_tree.git(&["config", "core.checkStat", "minimal"]);
    let moment = SystemTime::now() - Duration::from_secs(60);
    let date = |path: &str| {
        let file = File::options().append(true).open(work_tree.at(path));
        file.unwrap().set_modified(moment).unwrap();
    };
    date("b.md");
    work_tree.git(&["update-index", "--refresh"]);
    work_tree.put("b.md", "2\n");
    date("b.md");
    date(".git/index");
    let change = work_tree.write("a.md", "changed\n");
    work_tree.committed(MESSAGE, &[change]);
    assert_eq!(work_tree.status(), [" M b.md"]);
}

/// What a person, or another program, makes of a file between the change and
/// its commit is theirs to commit.
#[test]
fn an_edit_after_the_change_is_not_swept_in() {
    for edit in [Some("private\n"), None] {
        let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
        let before = work_tree.head();
        let changes = [
            work_tree.write("a.md", "ours\n"),
            work_tree.write("b.md", "ours\n"),
        ];
        match edit {
            Some(text) => work_tree.put("a.md", format!("ours\n{text}")),
            None => fs::remove_file(work_tree.at("a.md")).expect("removed"),
        }
        let warning = refusal(work_tree.commit(MESSAGE, &changes));
        assert!(
            warning.contains("`a.md` was changed by somebody else"),
            "{warning}"
        );
        assert_eq!(work_tree.head(), before);
        work_tree.assert_sound();
    }
}

/// Of several programs each commits its own change, whoever comes first.
#[test]
fn changes_of_one_file_take_turns() {
    const EACH: usize = 10;
    let work_tree = WorkTree::with(&[("a.md", "0\n")]);
    let path = work_tree.path().to_owned();
    thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for number in 0..EACH {
                    let repository = Repository::at(path).expect("good").expect("there");
                    let _turn = repository.turn();
                    let file = path.join("a.md");
                    let revision = |bytes: &[u8]| Some(fingerprint(bytes));
                    let before = revision(&fs::read(&file).expect("a file"));
                    let text = format!("{writer} {number}\n");
                    fs::write(&file, &text).expect("written");
                    let change = ChangedFile {
                        path: "a.md".to_owned(),
                        before,
                        after: revision(text.as_bytes()),
                    };
                    let outcome = repository.commit(&text, &[change]);
                    assert_eq!(outcome.warnings, [""; 0]);
                }
            });
        }
    });
    let commits = work_tree.git(&["rev-list", "--count", "HEAD"]);
    assert_eq!(commits.trim(), (4 * EACH + 1).to_string());
}
