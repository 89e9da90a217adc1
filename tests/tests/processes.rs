//! Several processes on one vault: nothing is lost, nothing is seen late, and
//! a process that is killed leaves nothing that stops the others (design §7).

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use inkvault::upkeep::Severity;
use inkvault_tests::command::inkvault;
use inkvault_tests::{Folder, draft, found};
use serde_json::Value;

const PROCESSES: usize = 4;
const WRITES: usize = 50;

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = inkvault(folder).arg("--json").args(arguments).output();
    let output = output.expect("the command runs");
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The ids a search by the command finds.
fn ids(folder: &Folder, query: &str) -> BTreeSet<String> {
    let hits = json(folder, &["search", query, "--limit", "1000"]);
    let hits = hits.as_array().expect("hits").iter();
    let ids = hits.map(|hit| hit["metadata"]["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

/// Writes one memory after the other, each by a process of its own, and after
/// each looks for all of them.
fn write_many(folder: &Folder, writer: usize) -> Vec<String> {
    let mut written = Vec::new();
    for number in 0..WRITES {
        let text = format!("writer{writer} wrote number{number}, as did all");
        let receipt = json(folder, &["write", &text]);
        written.push(
            receipt["metadata"]["id"]
                .as_str()
                .expect("an id")
                .to_owned(),
        );
        if number % 10 == 9 {
            let seen = ids(folder, &format!("writer{writer}"));
            assert_eq!(seen, written.iter().cloned().collect());
        }
    }
    written
}

/// The positions of the feed's lines.
fn positions(folder: &Folder) -> Vec<u64> {
    let feed = folder.text(".inkvault/feed.jsonl");
    let lines = feed.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("a line of the feed");
        line["seq"].as_u64().expect("a position")
    });
    lines.collect()
}

#[test]
fn four_processes_writing_at_once_lose_nothing() {
    let folder = Folder::vault();
    let mut open = folder.open();
    let written: Vec<_> = thread::scope(|scope| {
        let writers: Vec<_> = (0..PROCESSES)
            .map(|writer| {
                scope.spawn({
                    let folder = &folder;
                    move || write_many(folder, writer)
                })
            })
            .collect();
        let written = writers
            .into_iter()
            .map(|writer| writer.join().expect("a writer"));
        written.flatten().collect()
    });
    let distinct: BTreeSet<_> = written.iter().cloned().collect();
    let all = PROCESSES * WRITES;
    assert_eq!(distinct.len(), all, "every id is given once");
    assert_eq!(ids(&folder, "all"), distinct);
    let seen: BTreeSet<_> = found(&mut open, "all").into_iter().collect();
    assert_eq!(seen, distinct, "an instance that was open all the time");
    let expected: Vec<_> = (1..=all as u64).collect();
    assert_eq!(positions(&folder), expected, "the feed has no gap");
    assert!(open.verify(false).expect("verified").faults.is_empty());
}

#[test]
fn two_threads_of_one_process_lose_nothing() {
    let folder = Folder::vault();
    thread::scope(|scope| {
        for writer in 0..2 {
            let mut vault = folder.open();
            scope.spawn(move || {
                for number in 0..WRITES {
                    let text = format!("thread{writer} wrote number{number}");
                    vault.write(&draft(&text)).expect("written");
                    assert_eq!(
                        found(&mut vault, &format!("thread{writer}")).len(),
                        number + 1
                    );
                }
            });
        }
    });
    assert_eq!(found(&mut folder.open(), "wrote").len(), 2 * WRITES);
    let expected: Vec<_> = (1..=2 * WRITES as u64).collect();
    assert_eq!(positions(&folder), expected);
}

/// A process that writes until it is killed.
struct Writer {
    child: Child,
}

impl Writer {
    fn start(folder: &Folder, word: &str) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_inkvault-writes"))
            .arg(folder.path())
            .arg(word)
            .stdout(Stdio::piped())
            .spawn();
        Self {
            child: child.expect("a writer"),
        }
    }

    /// Kills it a while after its first write was acknowledged, and gives the
    /// ids of all that were.
    fn kill_after(mut self, while_writing: Duration) -> Vec<String> {
        let output = self.child.stdout.take().expect("its output");
        let mut acknowledged = BufReader::new(output).lines().map_while(Result::ok);
        let first = acknowledged.next().expect("a first write");
        thread::sleep(while_writing);
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
        let rest = acknowledged.filter(|line| line.ends_with(|c: char| c.is_ascii_hexdigit()));
        [first].into_iter().chain(rest).collect()
    }
}

/// The moments differ from round to round and from run to run. Most of them
/// fall into a write, since the process does nothing else: its lock is then
/// taken away, and what it had begun is finished.
#[test]
fn after_a_kill_the_next_writer_goes_on_and_nothing_acknowledged_is_lost() {
    let folder = Folder::vault();
    let mut open = folder.open();
    let mut acknowledged = BTreeSet::new();
    for (round, milliseconds) in [3, 20, 71].into_iter().enumerate() {
        let word = format!("round{round}");
        let writer = Writer::start(&folder, &word);
        let written = writer.kill_after(Duration::from_millis(milliseconds));
        acknowledged.extend(written);

        let began = Instant::now();
        let next = folder.open().write(&draft("the next writer goes on"));
        acknowledged.insert(next.expect("written").metadata.id);
        let took = began.elapsed();
        assert!(took < Duration::from_secs(15), "{took:?}");
        for vault in [&mut open, &mut folder.open()] {
            let seen = found(vault, "round0 round1 round2 next");
            let seen: BTreeSet<_> = seen.into_iter().collect();
            let lost: Vec<_> = acknowledged.difference(&seen).collect();
            assert!(lost.is_empty(), "{lost:?}");
            // At most the one that was being written when the process died.
            assert!(seen.len() <= acknowledged.len() + round + 1);
        }
    }
    let mended = open.verify(true).expect("verified");
    let grave = |severity| severity == Severity::Error;
    assert!(
        !mended.faults.iter().any(|fault| grave(fault.severity)),
        "{mended:?}"
    );
    let left = open.verify(false).expect("verified");
    assert!(left.faults.is_empty(), "{left:?}");
}
