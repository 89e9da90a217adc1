//! `journal`: the newest lines of the history that pass, whatever stands
//! between them, without reading the rest.

mod common;

use std::time::Duration;

use common::{draft, machine, process, vault};
use inkvault_guest::Error;
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan};
use inkvault_guest::format::{DshMemory, Format, Inkvault, JournalRecord, Simple};
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{Draft, JournalEntry, JournalOptions, Vault};

const JOURNAL: &str = ".inkvault/journal.jsonl";

fn journal(machine: &Machine, options: &JournalOptions) -> Vec<JournalEntry> {
    let vault = Vault::new(Box::new(machine.process()));
    vault.journal(options).expect("a journal")
}

fn limited(limit: u32) -> JournalOptions {
    JournalOptions {
        limit: Some(limit),
        ..JournalOptions::default()
    }
}

/// The details of the lines that pass: in these tests, their numbers.
fn details(machine: &Machine, options: &JournalOptions) -> Vec<String> {
    let entries = journal(machine, options).into_iter();
    entries.map(|entry| entry.record.detail).collect()
}

/// A line that was written at `ts`, with its number for a detail.
fn line(number: usize, ts: i64, operation: &str, id: &str) -> String {
    format!(r#"{{"ts":{ts},"op":"{operation}","id":"{id}","detail":"{number}"}}"#)
}

fn lines(numbers: std::ops::Range<usize>) -> String {
    let lines = numbers.map(|number| line(number, number as i64, "write", "") + "\n");
    lines.collect()
}

#[test]
fn what_was_done_is_told_oldest_first() {
    let (machine, mut vault) = vault();
    assert_eq!(vault.journal(&limited(9)), Ok(Vec::new()), "nothing yet");
    let first = vault.write(&draft("one")).expect("written").memory;
    machine.advance(Duration::from_secs(5));
    let second = vault.write(&draft("two")).expect("written").memory;
    let update = Draft {
        id: Some(first.metadata.id.clone()),
        ..draft("one, changed")
    };
    vault.write(&update).expect("updated");
    vault.rebuild_index().expect("rebuilt");

    let entries = vault.journal(&JournalOptions::default()).expect("entries");
    let told: Vec<_> = entries
        .iter()
        .map(|entry| (entry.record.operation.as_str(), entry.record.id.as_str()))
        .collect();
    let (first, second) = (first.metadata.id.as_str(), second.metadata.id.as_str());
    assert_eq!(
        told,
        [
            ("write", first),
            ("write", second),
            ("write", first),
            ("rebuild", "")
        ]
    );
    assert_eq!(entries[0].record.path, format!("memory/{first}.md"));
    assert_eq!(
        entries[0].record.time.to_string(),
        "2026-10-19T10:00:00.123Z"
    );
    let stored = common::text_at(&machine, JOURNAL);
    let raw: Vec<_> = entries.iter().map(|entry| entry.raw.as_str()).collect();
    assert_eq!(raw, stored.lines().collect::<Vec<_>>());
    assert_eq!(
        journal(&machine, &JournalOptions::default()),
        entries,
        "a new instance says the same"
    );
}

#[test]
fn lines_are_filtered_before_they_are_counted() {
    let machine = machine();
    let text: String = (0..200)
        .map(|n| {
            let operation = if n % 2 == 0 { "write" } else { "archive" };
            line(n, 1_000 * n as i64, operation, &format!("id{}", n % 10)) + "\n"
        })
        .collect();
    machine.put(JOURNAL, text);
    let with = |change: &dyn Fn(&mut JournalOptions)| {
        let mut options = JournalOptions::default();
        change(&mut options);
        details(&machine, &options)
    };
    assert_eq!(
        with(&|_| {}),
        (150..200).map(|n| n.to_string()).collect::<Vec<_>>()
    );
    assert_eq!(with(&|options| options.limit = Some(2)), ["198", "199"]);
    assert!(with(&|options| options.limit = Some(0)).is_empty());
    assert_eq!(with(&|options| options.limit = Some(u32::MAX)).len(), 200);
    assert_eq!(with(&|options| options.id = Some("id7".into())).len(), 20);
    assert!(with(&|options| options.id = Some("id".into())).is_empty());
    assert_eq!(
        with(&|options| options.operation = Some("archive".into()))[0],
        "101"
    );
    assert_eq!(
        with(&|options| options.since = Some("1970-01-01T00:03:18Z".into())),
        ["198", "199"]
    );
    let both = with(&|options| {
        options.id = Some("id4".into());
        options.since = Some("1970-01-01T00:03:00Z".into());
    });
    assert_eq!(both, ["184", "194"]);
}

#[test]
fn a_clock_that_was_set_back_hides_nothing() {
    let machine = machine();
    let times = [1_000, 9_000, 500, 9_500, 100];
    let text: String = (0..)
        .zip(times)
        .map(|(n, ts)| line(n, ts, "write", "") + "\n")
        .collect();
    machine.put(JOURNAL, text);
    let since = JournalOptions {
        since: Some("1970-01-01T00:00:09.000Z".into()),
        ..JournalOptions::default()
    };
    assert_eq!(details(&machine, &since), ["1", "3"]);
}

#[test]
fn damaged_lines_are_passed_over() {
    let machine = machine();
    let garbage: [&[u8]; 12] = [
        b"{\"ts\":1,\"op\":\"wri",
        b"not JSON",
        b"\xff\xfe{\"ts\":1,\"op\":\"write\"}",
        b"",
        b"null",
        b"[1]",
        b"{\"op\":\"write\",\"id\":\"x\"}",
        b"{\"ts\":\"1\",\"op\":\"write\"}",
        b"{\"ts\":1}",
        b"{\"ts\":1,\"op\":7}",
        b"{\"at\":\"2026-10-17T07:59:20.630Z\",\"op\":\"init\",\"id\":\"*\"}",
        b"\0\0\0\0",
    ];
    let mut bytes = Vec::new();
    for (n, garbage) in garbage.into_iter().enumerate() {
        bytes.extend_from_slice(
            &[garbage, b"\n", line(n, 7, "write", "").as_bytes(), b"\r\n"].concat(),
        );
    }
    bytes.extend_from_slice(br#"{"ts":8,"op":"write","id":"to"#);
    machine.put(JOURNAL, bytes);
    let expected: Vec<_> = (0..garbage.len()).map(|n| n.to_string()).collect();
    assert_eq!(details(&machine, &JournalOptions::default()), expected);
    assert!(
        journal(&machine, &limited(1))[0].raw.ends_with('}'),
        "a line end is not part of a line"
    );
    machine.put(
        JOURNAL,
        r#"{"ts":9e2,"op":"x","id":7,"path":null,"detail":{"a":1},"more":true}"#,
    );
    let odd = journal(&machine, &limited(1)).remove(0).record;
    assert_eq!(
        (odd.time.millis(), odd.id, odd.detail),
        (900, String::new(), String::new())
    );
}

#[test]
fn a_line_of_more_than_a_mebibyte_is_passed_over() {
    let machine = machine();
    let long = |length: usize| {
        let frame = line(0, 1, "write", "").len();
        line(0, 1, "write", &"x".repeat(length - frame)) + "\n"
    };
    machine.put(
        JOURNAL,
        lines(1..2) + &long(1 << 20) + &lines(2..3) + &long((1 << 20) + 1) + &lines(3..4),
    );
    assert_eq!(details(&machine, &limited(9)), ["1", "0", "2", "3"]);
}

/// 200,000 lines; a vault that is not open is recognised and no more.
#[test]
fn a_long_journal_is_not_read_for_its_end() {
    let machine = machine();
    common::fill(&machine, 100);
    machine.put(JOURNAL, lines(0..200_000));
    let mut process = process(&machine);
    let newest = process
        .vault
        .journal(&JournalOptions::default())
        .expect("entries");
    assert_eq!(
        newest.last().map(|entry| entry.record.detail.as_str()),
        Some("199999")
    );
    let calls = process.environment.calls();
    assert!(calls < 20, "{:#?}", process.environment.trace());
    process.vault.overview().expect("opened");
    process.environment.reset_calls();
    process.vault.journal(&limited(1_000)).expect("entries");
    assert_eq!(process.environment.calls(), 3);
}

#[test]
fn what_cannot_be_answered_says_why() {
    let (machine, vault) = vault();
    for unusable in ["yesterday", "", "2026-02-30"] {
        let options = JournalOptions {
            since: Some(unusable.into()),
            ..JournalOptions::default()
        };
        let error = vault.journal(&options).expect_err("no date");
        assert!(
            matches!(&error, Error::InvalidArgument(why) if why.starts_with("since")),
            "{error:?}"
        );
    }
    let nowhere = Vault::new(Box::new(Machine::new().process()));
    assert!(matches!(
        nowhere.journal(&limited(1)),
        Err(Error::NotFound(_))
    ));

    machine.put(JOURNAL, lines(0..3));
    let mut faulty = process(&machine);
    faulty.vault.overview().expect("opened");
    faulty.environment.reset_calls();
    faulty.environment.plan(Injection {
        at_call: 3,
        what: Plan::Fail(IoErrorKind::Failed),
    });
    assert!(matches!(
        faulty.vault.journal(&limited(9)),
        Err(Error::Io(_))
    ));
    assert_eq!(
        faulty
            .vault
            .journal(&limited(9))
            .map(|entries| entries.len()),
        Ok(3)
    );
    machine.set_read_only(true);
    assert_eq!(details(&machine, &limited(9)).len(), 3);
}

#[test]
fn each_format_reads_its_own_lines() {
    let inkvault = r#"{"ts":1792404000000,"op":"archive","id":"m-20261019-ab12cd","path":".trash/x.md","detail":"old"}"#;
    let dsh = r#"{"at":"2026-10-17T07:59:20.630Z","op":"update","id":"mem_1","before":"[a] b","after":"[a] c","reason":"用户编辑","source":"session-1"}"#;
    let whole = r#"{"at":"2026-10-17T07:59:20.630Z","op":"init","id":"*","reason":"首次"}"#;
    let record = |time: &str, [operation, id, path, detail]: [&str; 4]| JournalRecord {
        time: Timestamp::parse(time).expect("a date"),
        operation: operation.into(),
        id: id.into(),
        path: path.into(),
        detail: detail.into(),
    };
    assert_eq!(
        Inkvault.journal_record(inkvault),
        Some(record(
            "2026-10-19T10:00:00Z",
            ["archive", "m-20261019-ab12cd", ".trash/x.md", "old"]
        ))
    );
    let detail = "用户编辑; before: [a] b; after: [a] c; source: session-1";
    assert_eq!(
        DshMemory.journal_record(dsh),
        Some(record(
            "2026-10-17T07:59:20.630Z",
            ["update", "mem_1", "", detail]
        ))
    );
    assert_eq!(
        DshMemory.journal_record(whole),
        Some(record("2026-10-17T07:59:20.630Z", ["init", "", "", "首次"]))
    );
    let foreign = [
        Inkvault.journal_record(dsh),
        DshMemory.journal_record(inkvault),
        DshMemory.journal_record(r#"{"at":"x","op":"init"}"#),
        Simple.journal_record(inkvault),
    ];
    assert_eq!(foreign, [None, None, None, None]);
}
