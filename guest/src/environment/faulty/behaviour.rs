//! What every environment must do, asserted the same way on each of them.
//!
//! A check gets an environment whose vault is empty.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::{
    APPEND_LIMIT, Environment, FileKind, IoErrorKind, IoResult, Open, READ_LIMIT, VaultPath,
};

/// Longer than two mtimes of any kernel are apart.
const TICK: Duration = Duration::from_millis(25);

/// A named check.
pub(in super::super) type Check = (&'static str, fn(&dyn Environment));

/// All checks, each for an empty vault.
pub(in super::super) const CHECKS: &[Check] = &[
    (
        "a_new_file_is_written_and_read",
        a_new_file_is_written_and_read,
    ),
    ("a_new_file_must_not_exist", a_new_file_must_not_exist),
    ("what_is_missing_is_not_found", what_is_missing_is_not_found),
    (
        "a_missing_parent_is_not_found",
        a_missing_parent_is_not_found,
    ),
    ("a_file_is_no_directory", a_file_is_no_directory),
    (
        "a_read_has_an_offset_and_a_limit",
        a_read_has_an_offset_and_a_limit,
    ),
    ("an_append_finds_the_end", an_append_finds_the_end),
    ("an_append_has_a_limit", an_append_has_a_limit),
    (
        "a_handle_does_what_it_was_opened_for",
        a_handle_does_what_it_was_opened_for,
    ),
    ("a_rename_replaces_a_file", a_rename_replaces_a_file),
    ("a_rename_moves_a_directory", a_rename_moves_a_directory),
    ("a_rename_that_cannot_be", a_rename_that_cannot_be),
    ("a_link_is_a_second_name", a_link_is_a_second_name),
    ("an_unlinked_file_stays_open", an_unlinked_file_stays_open),
    (
        "a_directory_is_removed_when_empty",
        a_directory_is_removed_when_empty,
    ),
    ("a_listing_has_every_name", a_listing_has_every_name),
    ("names_are_exact", names_are_exact),
    ("everything_syncs", everything_syncs),
    (
        "changed_names_change_the_directory_mtime",
        changed_names_change_the_directory_mtime,
    ),
    (
        "changed_content_changes_the_file_mtime",
        changed_content_changes_the_file_mtime,
    ),
    ("clocks_and_random_numbers", clocks_and_random_numbers),
];

/// What a vault that may only be read must do. It holds `a.md` with `text`
/// and an empty directory `memory`.
pub(in super::super) fn check_read_only(env: &dyn Environment) {
    assert!(env.is_read_only());
    assert_eq!(content(env, "a.md"), b"text");
    assert_eq!(env.list(&VaultPath::root()).expect("a listing").len(), 2);
    for answer in [
        env.open(&at("b.md"), Open::CreateNew).map(drop),
        env.open(&at("a.md"), Open::Append).map(drop),
        env.create_directory(&at("new")),
        env.rename(&at("a.md"), &at("b.md")),
        env.link(&at("a.md"), &at("b.md")),
        env.unlink(&at("a.md")),
        env.remove_directory(&at("memory")),
    ] {
        assert_eq!(kind(answer), IoErrorKind::ReadOnly);
    }
    assert_eq!(content(env, "a.md"), b"text");
}

fn at(path: &str) -> VaultPath {
    VaultPath::parse(path).expect("a path")
}

fn write(env: &dyn Environment, path: &str, bytes: &[u8]) {
    let file = env.open(&at(path), Open::CreateNew).expect("a new file");
    assert_eq!(file.write(bytes, 0).expect("written"), bytes.len());
}

fn append(env: &dyn Environment, path: &str, bytes: &[u8]) {
    let file = env.open(&at(path), Open::Append).expect("opened");
    file.append(bytes).expect("appended");
}

fn content(env: &dyn Environment, path: &str) -> Vec<u8> {
    let file = env.open(&at(path), Open::Read).expect("opened");
    file.read(READ_LIMIT, 0).expect("content")
}

fn exists(env: &dyn Environment, path: &str) -> bool {
    env.stat(&at(path)).is_ok()
}

fn mtime(env: &dyn Environment, path: &VaultPath) -> u64 {
    env.stat(path).expect("a stat").mtime
}

fn kind<T>(answer: IoResult<T>) -> IoErrorKind {
    answer.map(drop).expect_err("a failure").kind
}

fn a_new_file_is_written_and_read(env: &dyn Environment) {
    let file = env.open(&at("a.md"), Open::CreateNew).expect("a new file");
    assert_eq!(file.write(b"two", 4).expect("written"), 3);
    assert_eq!(file.write(b"one ", 0).expect("written"), 4);
    let stat = file.stat().expect("a stat");
    assert_eq!((stat.kind, stat.size), (FileKind::File, 7));
    drop(file);
    assert_eq!(content(env, "a.md"), b"one two");
    assert_eq!(env.stat(&at("a.md")), Ok(stat));
}

fn a_new_file_must_not_exist(env: &dyn Environment) {
    write(env, "a.md", b"text");
    env.create_directory(&at("memory")).expect("made");
    assert_eq!(
        kind(env.open(&at("a.md"), Open::CreateNew)),
        IoErrorKind::AlreadyExists
    );
    assert_eq!(
        kind(env.open(&at("memory"), Open::CreateNew)),
        IoErrorKind::AlreadyExists
    );
    assert_eq!(
        kind(env.create_directory(&at("memory"))),
        IoErrorKind::AlreadyExists
    );
    assert_eq!(
        kind(env.create_directory(&at("a.md"))),
        IoErrorKind::AlreadyExists
    );
    assert_eq!(content(env, "a.md"), b"text");
}

fn what_is_missing_is_not_found(env: &dyn Environment) {
    let gone = at("gone");
    for answer in [
        env.open(&gone, Open::Read).map(drop),
        env.stat(&gone).map(drop),
        env.list(&gone).map(drop),
        env.rename(&gone, &at("b.md")),
        env.link(&gone, &at("b.md")),
        env.unlink(&gone),
        env.remove_directory(&gone),
    ] {
        assert_eq!(kind(answer), IoErrorKind::NotFound);
    }
}

fn a_missing_parent_is_not_found(env: &dyn Environment) {
    write(env, "a.md", b"text");
    let below = at("gone/b.md");
    for answer in [
        env.open(&below, Open::Read).map(drop),
        env.open(&below, Open::CreateNew).map(drop),
        env.open(&below, Open::Append).map(drop),
        env.create_directory(&below),
        env.rename(&at("a.md"), &below),
        env.link(&at("a.md"), &below),
    ] {
        assert_eq!(kind(answer), IoErrorKind::NotFound);
    }
    assert!(exists(env, "a.md") && !exists(env, "gone"));
}

fn a_file_is_no_directory(env: &dyn Environment) {
    write(env, "a.md", b"text");
    let below = at("a.md/b.md");
    for answer in [
        env.open(&below, Open::Read).map(drop),
        env.open(&below, Open::CreateNew).map(drop),
        env.stat(&below).map(drop),
        env.list(&at("a.md")).map(drop),
        env.create_directory(&below),
        env.unlink(&below),
        env.remove_directory(&at("a.md")),
    ] {
        assert_eq!(kind(answer), IoErrorKind::NotDirectory);
    }
    env.create_directory(&at("memory")).expect("made");
    assert_eq!(
        kind(env.open(&at("memory"), Open::Append)),
        IoErrorKind::IsDirectory
    );
    assert_eq!(kind(env.unlink(&at("memory"))), IoErrorKind::IsDirectory);
    let directory = env.open(&at("memory"), Open::Read).expect("opened");
    assert_eq!(directory.stat().expect("a stat").kind, FileKind::Directory);
    assert_eq!(kind(directory.read(1, 0)), IoErrorKind::IsDirectory);
}

fn a_read_has_an_offset_and_a_limit(env: &dyn Environment) {
    let bytes: Vec<u8> = (0..=255).cycle().take(READ_LIMIT + 10).collect();
    write(env, "a.md", &bytes);
    let file = env.open(&at("a.md"), Open::Read).expect("opened");
    assert_eq!(file.read(3, 5).expect("read"), [5, 6, 7]);
    assert_eq!(
        file.read(READ_LIMIT + 10, 0).expect("read"),
        bytes[..READ_LIMIT]
    );
    assert_eq!(
        file.read(100, READ_LIMIT as u64).expect("read"),
        bytes[READ_LIMIT..]
    );
    assert_eq!(file.read(100, bytes.len() as u64).expect("read"), b"");
    assert_eq!(file.read(100, 1 << 40).expect("read"), b"");
    assert_eq!(file.read(0, 0).expect("read"), b"");
}

fn an_append_finds_the_end(env: &dyn Environment) {
    let one = env.open(&at("feed"), Open::Append).expect("opened");
    let other = env.open(&at("feed"), Open::Append).expect("opened");
    one.append(b"1\n").expect("appended");
    other.append(b"2\n").expect("appended");
    one.append(b"3\n").expect("appended");
    assert_eq!(content(env, "feed"), b"1\n2\n3\n");
    assert_eq!(one.stat().expect("a stat").size, 6);
}

fn an_append_has_a_limit(env: &dyn Environment) {
    let file = env.open(&at("feed"), Open::Append).expect("opened");
    file.append(&[b'x'; APPEND_LIMIT]).expect("appended");
    assert_eq!(
        kind(file.append(&[b'x'; APPEND_LIMIT + 1])),
        IoErrorKind::Failed
    );
    assert_eq!(content(env, "feed").len(), APPEND_LIMIT);
}

fn a_handle_does_what_it_was_opened_for(env: &dyn Environment) {
    let new = env.open(&at("a.md"), Open::CreateNew).expect("opened");
    let append = env.open(&at("a.md"), Open::Append).expect("opened");
    let read = env.open(&at("a.md"), Open::Read).expect("opened");
    for answer in [
        new.append(b"x"),
        new.read(1, 0).map(drop),
        append.write(b"x", 0).map(drop),
        append.read(1, 0).map(drop),
        read.append(b"x"),
        read.write(b"x", 0).map(drop),
    ] {
        assert_eq!(kind(answer), IoErrorKind::Failed);
    }
    assert_eq!(content(env, "a.md"), b"");
}

fn a_rename_replaces_a_file(env: &dyn Environment) {
    write(env, "old", b"old text");
    write(env, "new", b"new text");
    let open = env.open(&at("old"), Open::Read).expect("opened");
    env.rename(&at("new"), &at("old")).expect("renamed");
    assert_eq!(content(env, "old"), b"new text");
    assert!(!exists(env, "new"));
    assert_eq!(open.read(100, 0).expect("read"), b"old text");
    env.rename(&at("old"), &at("old")).expect("nothing to do");
    assert_eq!(content(env, "old"), b"new text");
}

fn a_rename_moves_a_directory(env: &dyn Environment) {
    env.create_directory(&at("lock.1")).expect("made");
    write(env, "lock.1/free", b"");
    env.rename(&at("lock.1"), &at("lock")).expect("renamed");
    assert!(exists(env, "lock/free") && !exists(env, "lock.1"));
    env.create_directory(&at("empty")).expect("made");
    env.rename(&at("lock"), &at("empty"))
        .expect("an empty directory is replaced");
    assert!(exists(env, "empty/free") && !exists(env, "lock"));
}

fn a_rename_that_cannot_be(env: &dyn Environment) {
    for directory in ["one", "two"] {
        env.create_directory(&at(directory)).expect("made");
        write(env, &format!("{directory}/file"), b"");
    }
    write(env, "a.md", b"text");
    for (from, to, expected) in [
        ("one", "two", IoErrorKind::NotEmpty),
        ("a.md", "one", IoErrorKind::IsDirectory),
        ("one", "a.md", IoErrorKind::NotDirectory),
        ("one", "one/inside", IoErrorKind::InvalidName),
    ] {
        assert_eq!(
            kind(env.rename(&at(from), &at(to))),
            expected,
            "{from} to {to}"
        );
        assert!(exists(env, from), "{from}");
    }
    assert_eq!(content(env, "a.md"), b"text");
}

fn a_link_is_a_second_name(env: &dyn Environment) {
    write(env, "a", b"one");
    write(env, "b", b"other");
    env.create_directory(&at("directory")).expect("made");
    assert_eq!(
        kind(env.link(&at("a"), &at("b"))),
        IoErrorKind::AlreadyExists
    );
    assert_eq!(
        kind(env.link(&at("directory"), &at("c"))),
        IoErrorKind::Unsupported
    );
    env.link(&at("a"), &at("c")).expect("linked");
    append(env, "c", b" two");
    assert_eq!(content(env, "a"), b"one two");
    env.rename(&at("a"), &at("c"))
        .expect("two names of one file: nothing to do");
    assert!(exists(env, "a") && exists(env, "c"));
    env.unlink(&at("a")).expect("unlinked");
    assert_eq!(content(env, "c"), b"one two");
}

fn an_unlinked_file_stays_open(env: &dyn Environment) {
    write(env, "a.md", b"text");
    let file = env.open(&at("a.md"), Open::Read).expect("opened");
    env.unlink(&at("a.md")).expect("unlinked");
    assert!(!exists(env, "a.md"));
    assert_eq!(file.read(100, 0).expect("read"), b"text");
    assert_eq!(file.stat().expect("a stat").size, 4);
    write(env, "a.md", b"another");
    assert_eq!(file.read(100, 0).expect("read"), b"text");
}

fn a_directory_is_removed_when_empty(env: &dyn Environment) {
    env.create_directory(&at("memory")).expect("made");
    write(env, "memory/a.md", b"");
    assert_eq!(
        kind(env.remove_directory(&at("memory"))),
        IoErrorKind::NotEmpty
    );
    env.unlink(&at("memory/a.md")).expect("unlinked");
    env.remove_directory(&at("memory")).expect("removed");
    assert!(!exists(env, "memory"));
}

fn a_listing_has_every_name(env: &dyn Environment) {
    assert_eq!(env.list(&VaultPath::root()), Ok(Vec::new()));
    env.create_directory(&at("memory")).expect("made");
    write(env, "memory/记忆.md", b"");
    write(env, ".hidden", b"");
    let listed = |path: &VaultPath| -> BTreeSet<_> {
        let entries = env.list(path).expect("a listing").into_iter();
        entries
            .map(|entry| (entry.name, entry.kind == FileKind::Directory))
            .collect()
    };
    let root = [("memory".to_owned(), true), (".hidden".to_owned(), false)];
    assert_eq!(listed(&VaultPath::root()), BTreeSet::from(root));
    assert_eq!(
        listed(&at("memory")),
        BTreeSet::from([("记忆.md".to_owned(), false)])
    );
}

fn names_are_exact(env: &dyn Environment) {
    let longest = "x".repeat(255);
    let too_long = VaultPath::root().join(&"x".repeat(256));
    write(env, &longest, b"");
    assert!(exists(env, &longest));
    assert_eq!(
        kind(env.open(&too_long, Open::CreateNew)),
        IoErrorKind::InvalidName
    );
    assert_eq!(
        kind(env.create_directory(&too_long)),
        IoErrorKind::InvalidName
    );
    assert_eq!(
        kind(env.rename(&at(&longest), &too_long)),
        IoErrorKind::InvalidName
    );
    assert!(exists(env, &longest));
}

fn everything_syncs(env: &dyn Environment) {
    env.create_directory(&at("memory")).expect("made");
    let new = env
        .open(&at("memory/a.md"), Open::CreateNew)
        .expect("opened");
    new.sync().expect("a new file syncs");
    env.open(&at("memory/a.md"), Open::Append)
        .expect("opened")
        .sync()
        .expect("an appended file syncs");
    env.open(&at("memory/a.md"), Open::Read)
        .expect("opened")
        .sync()
        .expect("a read file syncs");
    env.open(&at("memory"), Open::Read)
        .expect("opened")
        .sync()
        .expect("a directory syncs");
    env.open(&VaultPath::root(), Open::Read)
        .expect("opened")
        .sync()
        .expect("the vault syncs");
}

fn changed_names_change_the_directory_mtime(env: &dyn Environment) {
    env.create_directory(&at("one")).expect("made");
    env.create_directory(&at("two")).expect("made");
    let changed = |change: &dyn Fn()| {
        let before = [
            mtime(env, &at("one")),
            mtime(env, &at("two")),
            mtime(env, &VaultPath::root()),
        ];
        env.sleep(TICK);
        change();
        let after = [
            mtime(env, &at("one")),
            mtime(env, &at("two")),
            mtime(env, &VaultPath::root()),
        ];
        std::array::from_fn(|index| after[index] > before[index])
    };
    let (one, two) = (at("one/a.md"), at("two/a.md"));
    assert_eq!(
        changed(&|| write(env, "one/a.md", b"")),
        [true, false, false]
    );
    assert_eq!(
        changed(&|| append(env, "one/a.md", b"text")),
        [false, false, false]
    );
    assert_eq!(
        changed(&|| append(env, "two/b.md", b"text")),
        [false, true, false]
    );
    assert_eq!(
        changed(&|| env.rename(&one, &two).expect("renamed")),
        [true, true, false]
    );
    assert_eq!(
        changed(&|| env.link(&two, &one).expect("linked")),
        [true, false, false]
    );
    assert_eq!(
        changed(&|| env.unlink(&two).expect("unlinked")),
        [false, true, false]
    );
    assert_eq!(
        changed(&|| env.create_directory(&at("three")).expect("made")),
        [false, false, true]
    );
    let unchanged = changed(&|| drop(content(env, "one/a.md")));
    assert_eq!(unchanged, [false, false, false]);
}

fn changed_content_changes_the_file_mtime(env: &dyn Environment) {
    write(env, "a.md", b"text");
    let written = mtime(env, &at("a.md"));
    env.sleep(TICK);
    env.rename(&at("a.md"), &at("b.md")).expect("renamed");
    assert_eq!(mtime(env, &at("b.md")), written, "a rename keeps it");
    append(env, "b.md", b" more");
    assert!(mtime(env, &at("b.md")) > written);
}

fn clocks_and_random_numbers(env: &dyn Environment) {
    let (now, elapsed) = (env.now(), env.elapsed());
    env.sleep(TICK);
    assert!(env.elapsed() >= elapsed + TICK);
    assert!(env.now() > now);
    write(env, "a.md", b"");
    let apart = mtime(env, &at("a.md")) / 1_000_000;
    assert!(
        env.now().millis().abs_diff(apart as i64) < 60_000,
        "one clock for files and program"
    );
    let numbers: BTreeSet<_> = (0..100).map(|_| env.random()).collect();
    assert_eq!(numbers.len(), 100);
}
