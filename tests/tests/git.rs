//! Commits: just the files of a change, whatever a person is at in the same
//! repository. What they did is asked of the real `git`.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::thread;
use std::time::{Duration, SystemTime};

use inkvault::git::{ChangedFile, Error, Outcome, Repository};
use inkvault_tests::WorkTree;

const NOTE: &str = "# 端口占用\n\n先看 lsof，再杀进程。\n";
const MESSAGE: &str = "mem: 记 踩坑-测试端口占用";

/// The only warning of a commit that was not made.
fn refusal(outcome: Outcome) -> String {
    assert_eq!(outcome.commit, None);
    let [warning] = outcome.warnings.try_into().expect("one warning");
    assert!(warning.starts_with("not committed to git: "), "{warning}");
    warning
}

/// Has a person do what a warning says, in backticks.
fn obey(work_tree: &WorkTree, warning: &str) {
    let line = warning.split('`').find(|part| part.starts_with("git add"));
    let line = line
        .expect("a command")
        .replace("git commit", "git commit -m mine");
    work_tree.shell(&line);
}

/// What must be as it was when no commit was made.
fn state(work_tree: &WorkTree) -> (String, Vec<u8>, Vec<String>) {
    let index = fs::read(work_tree.at(".git/index")).expect("an index");
    (work_tree.head(), index, work_tree.status())
}

fn created(path: &str) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        before: None,
    }
}

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
fn the_first_commit_has_no_parent_and_leaves_what_else_is_staged() {
    let work_tree = WorkTree::unborn();
    let change = work_tree.write("a.md", "a\n");
    work_tree.committed(MESSAGE, &[change]);
    assert_eq!(
        work_tree.git(&["log", "--format=%P%s"]),
        format!("{MESSAGE}\n")
    );
    assert_eq!(work_tree.git(&["branch", "--show-current"]), "main\n");
    work_tree.assert_sound();

    let work_tree = WorkTree::unborn();
    work_tree.put("b.md", "b\n");
    work_tree.git(&["add", "b.md"]);
    let change = work_tree.write("a.md", "a\n");
    let outcome = work_tree.commit(MESSAGE, &[change]);
    assert_eq!(outcome.commit, Some(work_tree.head()));
    assert!(
        outcome.warnings[0].starts_with("`b.md` is staged"),
        "{outcome:?}"
    );
    assert_eq!(work_tree.done(), ["A a.md"]);
    assert_eq!(work_tree.status(), ["A  b.md"]);
}

#[test]
fn a_detached_head_gets_no_commit() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.git(&["checkout", "--quiet", "--detach"]);
    let change = work_tree.write("a.md", "changed\n");
    let before = state(&work_tree);
    let warning = refusal(work_tree.commit(MESSAGE, &[change]));
    assert!(warning.contains("git switch"), "{warning}");
    assert_eq!(state(&work_tree), before);
    assert!(!work_tree.at(".git/index.lock").exists());
}

/// Two branches that changed the same line; the other is `side`.
fn diverged() -> WorkTree {
    let work_tree = WorkTree::with(&[("a.md", "a\n"), ("b.md", "b\n")]);
    work_tree.git(&["checkout", "--quiet", "-b", "side"]);
    work_tree.put("a.md", "theirs\n");
    work_tree.git(&["commit", "--quiet", "--all", "--message=theirs"]);
    work_tree.git(&["checkout", "--quiet", "main"]);
    work_tree.put("a.md", "ours\n");
    work_tree.git(&["commit", "--quiet", "--all", "--message=ours"]);
    work_tree
}

#[test]
fn what_a_person_has_under_way_is_not_disturbed() {
    for (command, name) in [
        (["merge", "side"], "a merge"),
        (["rebase", "side"], "a rebase"),
        (["cherry-pick", "side"], "a cherry-pick"),
        (["revert", "HEAD~1"], "a revert"),
    ] {
        let work_tree = diverged();
        assert!(!work_tree.try_git(&command).status.success(), "{name}");
        let change = work_tree.write("b.md", "changed\n");
        let before = state(&work_tree);
        let warning = refusal(work_tree.commit(MESSAGE, &[change]));
        assert!(warning.contains(name), "{warning}");
        assert_eq!(state(&work_tree), before, "{name}");
    }
}

#[test]
fn conflicts_without_a_merge_get_no_commit() {
    let work_tree = diverged();
    work_tree.put("a.md", "stashed\n");
    work_tree.git(&["stash", "--quiet"]);
    work_tree.put("a.md", "another\n");
    work_tree.git(&["commit", "--quiet", "--all", "--message=another"]);
    assert!(!work_tree.try_git(&["stash", "pop"]).status.success());
    let change = work_tree.write("b.md", "changed\n");
    let before = state(&work_tree);
    let warning = refusal(work_tree.commit(MESSAGE, &[change]));
    assert!(warning.contains("conflicts"), "{warning}");
    assert_eq!(state(&work_tree), before);
}

#[test]
fn a_lock_of_another_git_is_waited_for() {
    for lock in [".git/index.lock", ".git/refs/heads/main.lock"] {
        let work_tree = WorkTree::with(&[("a.md", "a\n")]);
        let change = work_tree.write("a.md", "changed\n");
        work_tree.put(lock, "");
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(200));
                fs::remove_file(work_tree.at(lock)).unwrap();
            });
            work_tree.committed(MESSAGE, std::slice::from_ref(&change));
        });
        assert_eq!(work_tree.status(), [""; 0]);
        work_tree.assert_sound();
    }
}

#[test]
fn a_lock_that_stays_leaves_everything_as_it_was() {
    for lock in [".git/index.lock", ".git/refs/heads/main.lock"] {
        let work_tree = WorkTree::with(&[("a.md", "a\n")]);
        let change = work_tree.write("a.md", "changed\n");
        let before = state(&work_tree);
        work_tree.put(lock, "");
        let warning = refusal(work_tree.commit(MESSAGE, &[change]));
        assert!(warning.contains("another git is at work"), "{warning}");
        assert!(warning.contains(lock), "{warning}");
        fs::remove_file(work_tree.at(lock)).expect("the lock of the other");
        assert!(!work_tree.at(".git/index.lock").exists(), "{lock}");
        assert_eq!(state(&work_tree), before, "{lock}");
        assert_eq!(work_tree.text("a.md"), "changed\n");
    }
}

/// Everything is in the end in the history, though all move the branch at
/// once: some as `git commit` does, under the lock on the index, one as
/// `git update-ref` does, without it.
#[test]
fn nothing_is_lost_between_many_that_commit_at_once() {
    const COMMITTERS: usize = 4;
    const EACH: usize = 5;
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    let commit = |committer: usize| {
        for number in 0..EACH {
            let path = format!("{committer}-{number}.md");
            work_tree.put(&path, NOTE);
            // On a busy machine one try may not be enough.
            let mut tries = (0..30).map(|_| work_tree.commit(&path, &[created(&path)]));
            let outcome = tries.find(|outcome| outcome.commit.is_some());
            assert_eq!(outcome.expect("a commit").warnings, [""; 0]);
        }
    };
    let move_on = || {
        let mut moved = 0;
        while moved < EACH {
            let tip = work_tree.head();
            let tree = format!("{tip}^{{tree}}");
            let next = work_tree.git(&["commit-tree", "-p", &tip, "-m", "moved", &tree]);
            let update = ["update-ref", "refs/heads/main", next.trim(), &tip];
            moved += usize::from(work_tree.try_git(&update).status.success());
        }
    };
    thread::scope(|scope| {
        for committer in 0..COMMITTERS {
            scope.spawn(move || commit(committer));
        }
        scope.spawn(move_on);
    });
    let count = work_tree.git(&["rev-list", "--count", "HEAD"]);
    assert_eq!(count.trim(), (1 + COMMITTERS * EACH + EACH).to_string());
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
fn a_vault_in_a_subfolder_commits_to_the_repository_around_it() {
    let work_tree = WorkTree::with(&[("src/main.rs", "main\n"), ("笔记 vault/a.md", "a\n")]);
    let vault = work_tree.at("笔记 vault");
    assert!(Repository::at(&vault).unwrap().is_none());
    let repository = Repository::around(&vault).unwrap().unwrap();
    assert_eq!(
        repository.work_tree(),
        work_tree.path().canonicalize().unwrap()
    );
    work_tree.put("a.md", "not this one\n");
    let edited = work_tree.write("笔记 vault/a.md", "changed\n");
    let edited = ChangedFile {
        path: "a.md".to_owned(),
        ..edited
    };
    let outcome = repository.commit(MESSAGE, &[edited]);
    assert_eq!(outcome.warnings, [""; 0]);
    assert_eq!(work_tree.done(), ["M 笔记 vault/a.md"]);
    assert_eq!(work_tree.status(), ["?? a.md"]);
}

#[test]
fn a_vault_is_reached_by_a_symbolic_link() {
    let work_tree = WorkTree::with(&[("vault/a.md", "a\n")]);
    let links = WorkTree::outside();
    for (target, link) in [("", "tree"), ("vault", "vault")] {
        symlink(work_tree.at(target), links.at(link)).unwrap();
    }
    let change = work_tree.write("vault/a.md", "changed\n");
    let repository = Repository::at(&links.at("tree")).unwrap().unwrap();
    assert!(repository.commit(MESSAGE, &[change]).commit.is_some());
    work_tree.put("vault/b.md", "b\n");
    let repository = Repository::around(&links.at("vault")).unwrap().unwrap();
    assert!(
        repository
            .commit(MESSAGE, &[created("b.md")])
            .commit
            .is_some()
    );
    assert_eq!(work_tree.done(), ["A vault/b.md"]);
    assert_eq!(work_tree.status(), [""; 0]);
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
    let changes = [work_tree.write("a.md", "a\n"), created("never.md")];
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
    work_tree.committed(MESSAGE, &[created("link.md")]);
    assert_eq!(work_tree.git(&["show", "HEAD:link.md"]), "a.md");
    assert!(
        work_tree
            .git(&["ls-tree", "HEAD", "link.md"])
            .starts_with("120000 ")
    );
    assert_eq!(work_tree.status(), [""; 0]);

    let removed = work_tree.remove("link.md");
    symlink("../a.md", work_tree.at("moved.md")).unwrap();
    work_tree.committed(MESSAGE, &[removed, created("moved.md")]);
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
    let changes = [created("linked/b.md"), created("inner/a.md"), change];
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
fn a_linked_work_tree_has_its_own_branch() {
    let main = WorkTree::with(&[("a.md", "a\n")]);
    let before = main.head();
    let linked = WorkTree::outside();
    let place = linked.at("vault");
    main.git(&[
        "worktree",
        "add",
        "--quiet",
        "-b",
        "notes",
        place.to_str().unwrap(),
    ]);
    fs::write(place.join("b.md"), "b\n").unwrap();
    let repository = Repository::at(&place).unwrap().unwrap();
    let outcome = repository.commit(MESSAGE, &[created("b.md")]);
    assert_eq!(outcome.warnings, [""; 0]);
    assert_eq!(main.head(), before);
    assert_eq!(
        main.git(&["rev-parse", "notes"]).trim(),
        outcome.commit.unwrap()
    );
    let status = main.git(&["-C", place.to_str().unwrap(), "status", "--porcelain"]);
    assert_eq!(status, "");
    main.assert_sound();
}

#[test]
fn a_linked_work_tree_without_its_repository_is_told() {
    let work_tree = WorkTree::outside();
    work_tree.put(".git", "gitdir: /nonexistent/repository\n");
    let error = Repository::at(work_tree.path()).unwrap_err();
    assert!(matches!(error, Error::Unusable { .. }), "{error}");
}

#[test]
fn a_submodule_s_file_is_left_to_the_submodule() {
    let inner = WorkTree::with(&[("a.md", "a\n")]);
    let outer = WorkTree::with(&[("b.md", "b\n")]);
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner.path().to_str().unwrap(),
        "vault",
    ]);
    outer.git(&["commit", "--quiet", "--message=submodule"]);
    let repository = Repository::at(&outer.at("vault")).unwrap().unwrap();
    fs::write(outer.at("vault/c.md"), "c\n").unwrap();
    let outcome = repository.commit(MESSAGE, &[created("c.md")]);
    assert_eq!(outcome.warnings, [""; 0]);
    let outcome = outer.commit(MESSAGE, &[created("vault/c.md")]);
    assert_eq!(outcome.commit, None);
    assert_eq!(
        outcome.warnings,
        ["`vault/c.md` is not committed: it lies in a repository of its own"]
    );
}

#[test]
fn repositories_that_cannot_be_used_say_why() {
    let bare = WorkTree::outside();
    bare.git(&["init", "--quiet", "--bare"]);
    let error = Repository::at(bare.path()).unwrap_err();
    assert!(matches!(error, Error::Bare { .. }), "{error}");

    for format in ["--object-format=sha256", "--ref-format=reftable"] {
        let other = WorkTree::outside();
        // Older ones do not know reftables.
        if other.try_git(&["init", "--quiet", format]).status.success() {
            let error = Repository::at(other.path()).unwrap_err();
            assert!(matches!(error, Error::Unusable { .. }), "{error}");
        }
    }

    let elsewhere = WorkTree::unborn();
    elsewhere.git(&["config", "core.worktree", env!("CARGO_MANIFEST_DIR")]);
    let error = Repository::at(elsewhere.path()).unwrap_err();
    assert!(matches!(error, Error::Elsewhere { .. }), "{error}");

    let missing = Repository::around(Path::new("/nonexistent")).unwrap_err();
    assert!(matches!(missing, Error::Disk { .. }), "{missing}");
}

/// Only root can give a folder away; for others there is nothing to see.
#[test]
fn a_repository_of_another_user_is_not_trusted() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    let given = work_tree.command_succeeds("chown", &["-R", "12345", "."]);
    if given {
        let error = Repository::at(work_tree.path()).unwrap_err();
        assert!(matches!(error, Error::Untrusted { .. }), "{error}");
        assert!(error.to_string().contains("safe.directory"), "{error}");
    }
}

#[test]
fn an_index_that_git_alone_can_read_is_left_as_it_is() {
    let work_tree = WorkTree::with(&[("a.md", "a\n")]);
    work_tree.git(&["update-index", "--split-index"]);
    let change = work_tree.write("a.md", "changed\n");
    let before = state(&work_tree);
    refusal(work_tree.commit(MESSAGE, &[change]));
    assert_eq!(state(&work_tree), before);
    assert!(!work_tree.at(".git/index.lock").exists());
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
    let first = work_tree.write("a.md", "b\n");
    let second = work_tree.write("a.md", "c\n");
    work_tree.committed(MESSAGE, &[first, second]);
    assert_eq!(work_tree.git(&["show", "HEAD:a.md"]), "c\n");
    for path in [
        "",
        "/a.md",
        "../a.md",
        "a//b.md",
        "a/.git/config",
        "./a.md",
        "a\0",
    ] {
        let warning = refusal(work_tree.commit(MESSAGE, &[created(path)]));
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

#[test]
fn a_repository_is_made_once() {
    let outside = WorkTree::outside();
    assert!(Repository::at(outside.path()).unwrap().is_none());
    assert!(Repository::around(outside.path()).unwrap().is_none());
    let (repository, made) = Repository::create(outside.path()).unwrap();
    assert!(made);
    assert_eq!(outside.git(&["symbolic-ref", "HEAD"]), "refs/heads/main\n");
    let change = outside.write("a.md", "a\n");
    let outcome = repository.commit(MESSAGE, &[change]);
    assert_eq!(outcome.warnings, [""; 0]);
    let (_, made) = Repository::create(outside.path()).unwrap();
    assert!(!made);
    assert_eq!(outcome.commit, Some(outside.head()));
    outside.assert_sound();
}
