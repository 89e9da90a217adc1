use super::super::{Faulty, Injection, Machine, Plan};
use super::*;

const CHUNK: u64 = READ_LIMIT as u64;

fn at(path: &str) -> VaultPath {
    VaultPath::parse(path).expect("a path")
}

/// What a function answers on a machine, and the calls it took.
fn cost<T>(machine: &Machine, function: impl FnOnce(&Faulty) -> T) -> (T, u64) {
    let process = machine.process();
    let answer = function(&process);
    (answer, process.calls())
}

fn kind<T: std::fmt::Debug>(answer: IoResult<T>) -> IoErrorKind {
    answer.expect_err("a failure").kind
}

#[test]
fn reading_a_file_costs_three_calls_and_one_for_each_further_64_kib() {
    let limit = READ_LIMIT;
    for (size, calls) in [
        (0, 2),
        (1, 3),
        (limit - 1, 3),
        (limit, 3),
        (limit + 1, 4),
        (200_000, 6),
    ] {
        let machine = Machine::new();
        machine.put("a.md", vec![b'x'; size]);
        let (read, made) = cost(&machine, |process| read_file(process, &at("a.md")));
        let (bytes, stat) = read.expect("the file");
        assert_eq!(
            (bytes.len(), stat.size, made),
            (size, size as u64, calls),
            "{size}"
        );
    }
}

#[test]
fn reading_what_is_expected_costs_two_calls() {
    for (size, expected, calls) in [
        (10, 10, 2),
        (0, 0, 2),
        (10, 11, 3),
        (11, 10, 3),
        (0, 5, 2),
        (100, 0, 3),
        (CHUNK - 1, CHUNK - 1, 2),
        (CHUNK, CHUNK, 3),
        (CHUNK + 1, CHUNK + 1, 3),
        (200_000, 200_000, 5),
        (200_000, CHUNK, 6),
    ] {
        let machine = Machine::new();
        machine.put("a.md", vec![b'x'; size as usize]);
        let (read, made) = cost(&machine, |process| {
            read_expecting(process, &at("a.md"), expected)
        });
        assert_eq!(
            (read.expect("the file").len() as u64, made),
            (size, calls),
            "{size} {expected}"
        );
    }
}

#[test]
fn a_file_beyond_the_memory_is_its_own_failure() {
    let machine = Machine::new();
    machine.put("a.md", "text");
    for size in [u64::MAX, u64::MAX / 2] {
        assert_eq!(
            kind(read_expecting(&machine.process(), &at("a.md"), size)),
            IoErrorKind::Failed
        );
    }
}

#[test]
fn a_directory_is_no_file() {
    let machine = Machine::new();
    machine.create_directories("memory");
    let process = machine.process();
    assert_eq!(
        kind(read_file(&process, &at("memory"))),
        IoErrorKind::IsDirectory
    );
    assert_eq!(
        kind(read_expecting(&process, &at("memory"), 3)),
        IoErrorKind::IsDirectory
    );
}

#[test]
fn a_new_file_costs_four_calls() {
    let machine = Machine::new();
    let (written, calls) = cost(&machine, |process| write_new(process, &at("a.md"), b"text"));
    assert_eq!((written.expect("written").size, calls), (4, 4));
    assert_eq!(machine.bytes("a.md").as_deref(), Some(&b"text"[..]));
    let (again, calls) = cost(&machine, |process| {
        write_new(process, &at("a.md"), b"other")
    });
    assert_eq!((kind(again), calls), (IoErrorKind::AlreadyExists, 1));
    assert_eq!(machine.bytes("a.md").as_deref(), Some(&b"text"[..]));
}

#[test]
fn a_short_write_is_finished() {
    let machine = Machine::new();
    let process = machine.process();
    process.plan(Injection {
        at_call: 2,
        what: Plan::ShortWrite,
    });
    write_new(&process, &at("a.md"), b"twelve bytes").expect("written");
    assert_eq!(
        (machine.bytes("a.md"), process.calls()),
        (Some(b"twelve bytes".to_vec()), 5)
    );
}

#[test]
fn a_host_that_takes_nothing_does_not_keep_us() {
    let machine = Machine::new();
    let process = machine.process();
    process.plan(Injection {
        at_call: 2,
        what: Plan::ShortWrite,
    });
    assert_eq!(
        kind(write_new(&process, &at("a.md"), b"x")),
        IoErrorKind::Failed
    );
    assert_eq!(machine.bytes("a.md"), None);
}

#[test]
fn a_file_that_cannot_be_finished_is_removed() {
    for at_call in 2..=4 {
        let machine = Machine::new();
        let process = machine.process();
        process.plan(Injection {
            at_call,
            what: Plan::Fail(IoErrorKind::NoSpace),
        });
        assert_eq!(
            kind(write_new(&process, &at("a.md"), b"text")),
            IoErrorKind::NoSpace
        );
        assert_eq!(
            (machine.bytes("a.md"), process.calls()),
            (None, at_call + 1)
        );
    }
}

#[test]
fn a_full_disk_takes_no_new_file() {
    let machine = Machine::new();
    machine.set_capacity(Some(10));
    let written = write_new(&machine.process(), &at("a.md"), b"eleven byte");
    assert_eq!(
        (kind(written), machine.bytes("a.md")),
        (IoErrorKind::NoSpace, None)
    );
    write_new(&machine.process(), &at("a.md"), b"ten bytes!").expect("it fits");
}

#[test]
fn a_line_costs_three_calls_up_to_4096_bytes() {
    for (length, calls) in [(0, 3), (4095, 3), (4096, 5), (8191, 5), (8192, 7)] {
        let machine = Machine::new();
        let line = "x".repeat(length);
        let (added, made) = cost(&machine, |process| {
            append_line(process, &at("feed.jsonl"), &line)
        });
        added.expect("appended");
        assert_eq!(
            (machine.bytes("feed.jsonl"), made),
            (Some((line + "\n").into_bytes()), calls),
            "{length}"
        );
    }
}

#[test]
fn a_line_has_one_end() {
    let machine = Machine::new();
    let process = machine.process();
    append_line(&process, &at("feed.jsonl"), "one").expect("appended");
    append_line(&process, &at("feed.jsonl"), "two\n").expect("appended");
    assert_eq!(machine.bytes("feed.jsonl"), Some(b"one\ntwo\n".to_vec()));
}

#[test]
fn syncing_a_directory_tolerates_hosts_that_cannot_but_no_broken_disk() {
    let machine = Machine::new();
    machine.create_directories("memory");
    for (kind, fine) in [
        (IoErrorKind::Unsupported, true),
        (IoErrorKind::NotPermitted, true),
        (IoErrorKind::IsDirectory, true),
        (IoErrorKind::Failed, false),
        (IoErrorKind::NotFound, false),
    ] {
        for at_call in [1, 2] {
            let process = machine.process();
            process.plan(Injection {
                at_call,
                what: Plan::Fail(kind),
            });
            assert_eq!(
                sync_directory(&process, &at("memory")).is_ok(),
                fine,
                "{kind} at {at_call}"
            );
        }
    }
    let (synced, calls) = cost(&machine, |process| {
        sync_directory(process, &VaultPath::root())
    });
    assert_eq!((synced, calls), (Ok(()), 2));
}

#[test]
fn a_listing_is_in_the_order_of_bytes() {
    let machine = Machine::new();
    for name in ["b.md", "Z.md", "é.md", "a.md", "记.md"] {
        machine.put(name, "");
    }
    let (listed, calls) = cost(&machine, |process| list_sorted(process, &VaultPath::root()));
    let names: Vec<_> = listed
        .expect("a listing")
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["Z.md", "a.md", "b.md", "é.md", "记.md"]);
    assert_eq!(calls, 3 + 5);
}

#[test]
fn directories_are_made_with_those_above() {
    let machine = Machine::new();
    for (path, calls) in [("a", 2), ("a", 1), ("b/c/d", 6), ("b/c/e", 2)] {
        let (made, counted) = cost(&machine, |process| create_directories(process, &at(path)));
        assert_eq!((made, counted), (Ok(()), calls), "{path}");
        assert_eq!(
            machine.stat(path).map(|stat| stat.kind),
            Some(FileKind::Directory)
        );
    }
    machine.put("file", "");
    let process = machine.process();
    assert_eq!(
        kind(create_directories(&process, &at("file"))),
        IoErrorKind::AlreadyExists
    );
    assert_eq!(
        kind(create_directories(&process, &at("file/a/b"))),
        IoErrorKind::NotDirectory
    );
    assert_eq!(create_directories(&process, &VaultPath::root()), Ok(()));
}
