use proptest::prelude::*;

use super::super::{Faulty, Injection, Machine, Plan};
use super::*;

const CHUNK: usize = READ_LIMIT;

fn at(path: &str) -> VaultPath {
    VaultPath::parse(path).expect("a path")
}

fn process_with(bytes: impl AsRef<[u8]>) -> Faulty {
    let machine = Machine::new();
    machine.put("a.jsonl", bytes);
    machine.process()
}

/// The lines of a file, read in pieces of that size.
fn read(bytes: &[u8], longest: usize, piece_size: u64) -> Vec<Vec<u8>> {
    let process = process_with(bytes);
    let mut lines = lines_backwards(&process, &at("a.jsonl"), longest).expect("opened");
    lines.piece_size = piece_size;
    lines.map(|line| line.expect("a line")).collect()
}

/// The same, the simple way.
fn expected(bytes: &[u8], longest: usize) -> Vec<Vec<u8>> {
    let lines = bytes.split(|byte| *byte == b'\n').rev();
    let wanted = lines.filter(|line| !line.is_empty() && line.len() <= longest);
    wanted.map(<[u8]>::to_vec).collect()
}

proptest! {
    #[test]
    fn lines_are_those_between_line_ends(
        bytes in prop::collection::vec(prop::sample::select(b"ab\r\n\n\xff".to_vec()), 0..60),
        longest in 0_usize..12,
        piece_size in 1_u64..20,
    ) {
        prop_assert_eq!(read(&bytes, longest, piece_size), expected(&bytes, longest));
    }
}

#[test]
fn reading_costs_two_calls_and_one_for_each_64_kib_that_is_asked_for() {
    let line = format!("{}\n", "x".repeat(99));
    for (lines, asked, calls) in [
        (0, 1, 2),
        (1, 1, 3),
        (10_000, 1, 3),
        (10_000, 50, 3),
        (10_000, 655, 3),
        (10_000, 656, 4),
        (10_000, 10_000, 2 + 1_000_000_u64.div_ceil(CHUNK as u64)),
    ] {
        let process = process_with(line.repeat(lines));
        let read = lines_backwards(&process, &at("a.jsonl"), 1000).expect("opened");
        let given = read.take(asked).filter(Result::is_ok).count();
        assert_eq!(
            (given, process.calls()),
            (asked.min(lines), calls),
            "{asked} of {lines}"
        );
    }
}

#[test]
fn a_line_that_is_too_long_is_not_held() {
    let long = "x".repeat(5 * CHUNK);
    let process = process_with(format!("first\n{long}\nlast"));
    let mut lines = lines_backwards(&process, &at("a.jsonl"), 2 * CHUNK).expect("opened");
    assert_eq!(lines.next(), Some(Ok(b"last".to_vec())));
    let mut held = 0;
    while lines.unread > 0 {
        lines.read_on().expect("read");
        held = held.max(lines.rest.as_ref().map_or(0, Vec::len));
        if lines.piece.contains(&b'\n') {
            break;
        }
    }
    assert!((CHUNK..=2 * CHUNK).contains(&held), "{held}");
    assert_eq!(lines.next(), Some(Ok(b"first".to_vec())));
    assert_eq!(lines.next(), None);
}

#[test]
fn what_is_appended_later_is_not_seen_and_what_was_cut_is_no_line() {
    let process = process_with("one\ntwo\n");
    let machine = process.machine().clone();
    let lines = lines_backwards(&process, &at("a.jsonl"), 100).expect("opened");
    machine.put("a.jsonl", "one\ntwo\nthree\n");
    let seen: Vec<_> = lines.map(|line| line.expect("a line")).collect();
    assert_eq!(seen, [b"two", b"one"]);

    let mut lines = lines_backwards(&process, &at("a.jsonl"), 100).expect("opened");
    lines.piece_size = 3;
    assert_eq!(lines.next(), Some(Ok(b"three".to_vec())));
    machine.put("a.jsonl", "on");
    let seen: Vec<_> = lines.map(|line| line.expect("a line")).collect();
    assert_eq!(seen, [b"on"]);
}

#[test]
fn faults_are_told_once() {
    let process = process_with("one\ntwo\n");
    process.plan(Injection {
        at_call: 3,
        what: Plan::Fail(IoErrorKind::Failed),
    });
    let mut lines = lines_backwards(&process, &at("a.jsonl"), 100).expect("opened");
    assert!(lines.next().is_some_and(|line| line.is_err()));
    assert_eq!(lines.next(), None);

    process.machine().create_directories("folder");
    for (path, kind) in [
        ("folder", IoErrorKind::IsDirectory),
        ("none", IoErrorKind::NotFound),
    ] {
        let opened = lines_backwards(&process, &at(path), 100);
        assert_eq!(opened.err().map(|error| error.kind), Some(kind));
    }
}
