//! Commits in all kinds of repositories and states of them: where they are
//! found, which cannot be used, and what keeps a commit from being made.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use inkvault::git::{ChangedFile, Error, Repository};
use inkvault_tests::WorkTree;
use inkvault_tests::work_tree::{refusal, state};

const NOTE: &str = "# 端口占用\n\n先看 lsof，再杀进程。\n";
const MESSAGE: &str = "mem: 记 踩坑-测试端口占用";

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
            .commit(MESSAGE, &[work_tree.created_in("vault", "b.md")])
            .commit
            .is_some()
    );
    assert_eq!(work_tree.done(), ["A vault/b.md"]);
    assert_eq!(work_tree.status(), [""; 0]);
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
    let outcome = repository.commit(MESSAGE, &[ChangedFile::made(&place, "b.md").unwrap()]);
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
    let outcome = repository.commit(MESSAGE, &[outer.created_in("vault", "c.md")]);
    assert_eq!(outcome.warnings, [""; 0]);
    let outcome = outer.commit(MESSAGE, &[outer.created("vault/c.md")]);
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
            let mut tries = (0..30).map(|_| work_tree.commit(&path, &[work_tree.created(&path)]));
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
