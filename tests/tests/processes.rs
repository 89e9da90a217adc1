//! Several processes on one vault: nothing is lost, nothing is seen late, and
//! a process that is killed leaves nothing that stops the others (design §7).

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use inkvault::upkeep::Severity;
use inkvault_tests::command::inkvault;
use inkvault_tests::sharing::{self, Done, SHARED, take_part};
use inkvault_tests::{Folder, draft, found};
use serde_json::Value;

/// Each format with its private folder.
const FORMATS: [(&str, &str); 3] = [
    ("inkvault", ".inkvault"),
    ("dsh-memory", ".dsh-memory"),
    ("simple", ".inkvault"),
];
const PROCESSES: usize = 8;
const WRITES: usize = 200;
/// Writes of each of two threads.
const OF_A_THREAD: usize = 50;

/// The ids a search by the command, a process of its own, finds.
fn ids(folder: &Folder, query: &str) -> BTreeSet<String> {
    let arguments = ["--json", "search", query, "--limit", "10000"];
    let output = inkvault(folder).args(arguments).output().expect("it runs");
    let hits: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let hits = hits.as_array().expect("hits").iter();
    let ids = hits.map(|hit| hit["metadata"]["id"].as_str().expect("an id").to_owned());
    ids.collect()
}

/// The positions of the feed's lines.
fn positions(folder: &Folder, private: &str) -> Vec<u64> {
    let feed = folder.text(&format!("{private}/feed.jsonl"));
    let lines = feed.lines().map(|line| {
        let line: Value = serde_json::from_str(line).expect("a line of the feed");
        line["seq"].as_u64().expect("a position")
    });
    lines.collect()
}

/// A process that takes part.
struct Writer {
    child: Child,
    told: Lines<BufReader<ChildStdout>>,
}

impl Writer {
    fn start(folder: &Folder, word: &str, writes: usize) -> Self {
        let child = Command::new(env!("CARGO_BIN_EXE_inkvault-writes"))
            .arg(folder.path())
            .args([word, &writes.to_string()])
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.expect("a writer");
        let told = BufReader::new(child.stdout.take().expect("its output")).lines();
        Self { child, told }
    }

    /// Waits for its end and gives what it was told it did.
    fn finish(mut self) -> Vec<Done> {
        let done = self.told.by_ref().map_while(Result::ok);
        let done = done.filter_map(|line| read(&line)).collect();
        assert!(self.child.wait().expect("ended").success());
        done
    }

    /// Kills it a while after its first write was acknowledged, and gives what
    /// was.
    fn kill_after(mut self, while_writing: Duration) -> Vec<Done> {
        let first = self.told.next().expect("a first write").expect("a line");
        thread::sleep(while_writing);
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
        let rest = self.told.map_while(Result::ok);
        let told = [first].into_iter().chain(rest);
        told.filter_map(|line| read(&line)).collect()
    }
}

/// A whole line of acknowledgement.
fn read(line: &str) -> Option<Done> {
    let parts: Vec<_> = line.split(' ').map(str::to_owned).collect();
    match parts.as_slice() {
        [kind, id, end] if kind == "created" && end == "." => {
            Some(Done::Created { id: id.clone() })
        }
        [kind, id, revision, line, end] if kind == "added" && end == "." => Some(Done::Added {
            id: id.clone(),
            revision: revision.clone(),
            line: line.clone(),
        }),
        _ => None,
    }
}

/// Nothing of what was acknowledged is lost, and everybody sees all of it.
fn check_all(folder: &Folder, private: &str, mut open: inkvault::Vault, done: &[Done]) {
    assert_eq!(done.len(), PROCESSES * WRITES);
    let created: BTreeSet<_> = done
        .iter()
        .filter_map(|done| match done {
            Done::Created { id } => Some(id.clone()),
            Done::Added { .. } => None,
        })
        .collect();
    assert_eq!(created.len(), done.len() / 2, "every id is given once");
    sharing::check(&mut open, done);
    assert_eq!(ids(folder, "wrote"), created, "the next process");
    let options = inkvault::vault::SearchOptions {
        limit: Some(10_000),
        ..Default::default()
    };
    let hits = open
        .search("wrote", &options)
        .expect("a search")
        .into_iter();
    let seen: BTreeSet<_> = hits.map(|hit| hit.metadata.id).collect();
    assert_eq!(seen, created, "an instance that was open all the time");
    let told = positions(folder, private);
    let gapless = told.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    assert!(gapless && told.last() == Some(&(done.len() as u64)));
    let faults = open.verify(false).expect("verified").faults;
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn eight_processes_that_stay_open_lose_nothing() {
    for (format, private) in FORMATS {
        let folder = Folder::filled_as(format, SHARED);
        let open = folder.open();
        let start = |n| Writer::start(&folder, &format!("writer{n}"), WRITES);
        let writers: Vec<_> = (0..PROCESSES).map(start).collect();
        // Read side by side: one that is not read would wait.
        let done: Vec<_> = thread::scope(|scope| {
            let writers = writers.into_iter();
            let readers: Vec<_> = writers
                .map(|writer| scope.spawn(|| writer.finish()))
                .collect();
            let done = readers
                .into_iter()
                .map(|reader| reader.join().expect("a writer"));
            done.flatten().collect()
        });
        check_all(&folder, private, open, &done);
    }
}

#[test]
fn eight_writers_with_a_process_for_each_call_lose_nothing() {
    for (format, private) in FORMATS {
        let folder = Folder::filled_as(format, SHARED);
        let open = folder.open();
        let done: Vec<_> = thread::scope(|scope| {
            let folder = &folder;
            let write = |n| {
                move || {
                    let mut done = Vec::new();
                    let mut access = folder;
                    take_part(&mut access, &format!("writer{n}"), WRITES, |told| {
                        done.push(told)
                    });
                    done
                }
            };
            let writers: Vec<_> = (0..PROCESSES).map(|n| scope.spawn(write(n))).collect();
            let done = writers
                .into_iter()
                .map(|writer| writer.join().expect("a writer"));
            done.flatten().collect()
        });
        check_all(&folder, private, open, &done);
    }
}

#[test]
fn two_threads_of_one_process_lose_nothing() {
    let folder = Folder::vault();
    thread::scope(|scope| {
        for writer in 0..2 {
            let mut vault = folder.open();
            scope.spawn(move || {
                for number in 0..OF_A_THREAD {
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
    assert_eq!(found(&mut folder.open(), "wrote").len(), 2 * OF_A_THREAD);
    let expected: Vec<_> = (1..=2 * OF_A_THREAD as u64).collect();
    assert_eq!(positions(&folder, ".inkvault"), expected);
}

/// A ninth process is killed while the eight write: its lock is taken away, and
/// the others go on.
#[test]
fn eight_processes_go_on_when_another_one_is_killed() {
    const WRITES_OF_EACH: usize = 40;
    for (format, _) in FORMATS {
        let folder = Folder::filled_as(format, SHARED);
        let mut open = folder.open();
        let start = |n| Writer::start(&folder, &format!("writer{n}"), WRITES_OF_EACH);
        let writers: Vec<_> = (0..PROCESSES).map(start).collect();
        let victim = Writer::start(&folder, "victim", usize::MAX);
        let (mut done, of_the_victim): (Vec<_>, _) = thread::scope(|scope| {
            let writers = writers.into_iter();
            let readers: Vec<_> = writers
                .map(|writer| scope.spawn(|| writer.finish()))
                .collect();
            let killed = victim.kill_after(Duration::from_millis(150));
            let done = readers
                .into_iter()
                .map(|reader| reader.join().expect("a writer"));
            (done.flatten().collect(), killed)
        });
        assert_eq!(done.len(), PROCESSES * WRITES_OF_EACH);
        let victims = found(&mut open, "victim").len();
        assert!(victims <= of_the_victim.len() + 1, "{victims}");
        done.extend(of_the_victim);
        sharing::check(&mut open, &done);
        sharing::check(&mut folder.open(), &done);
        open.verify(true).expect("mended");
        let left = open.verify(false).expect("verified");
        assert!(left.faults.is_empty(), "{left:?}");
    }
}

/// The moments differ from round to round and from run to run. Most of them
/// fall into a write, since the process does nothing else: its lock is then
/// taken away, and what it had begun is finished. Another process goes on
/// writing all the while.
#[test]
fn after_a_kill_the_next_writer_goes_on_and_nothing_acknowledged_is_lost() {
    const ROUNDS: usize = 21;
    thread::scope(|scope| {
        // Each round on a vault of its own: most of its time is waiting.
        let rounds: Vec<_> = (0..ROUNDS)
            .map(|round| scope.spawn(move || kill(round)))
            .collect();
        for round in rounds {
            round.join().expect("a round");
        }
    });
}

fn kill(round: usize) {
    let (format, _) = FORMATS[round % FORMATS.len()];
    let folder = Folder::filled_as(format, SHARED);
    let mut open = folder.open();
    let other = Writer::start(&folder, "other", 6);
    let victim = Writer::start(&folder, "victim", usize::MAX);
    let mut done = victim.kill_after(Duration::from_millis(7 * round as u64));
    let acknowledged = done.len();

    let began = Instant::now();
    let next = folder.open().write(&draft("the next writer goes on"));
    let next = next.expect("written").metadata.id;
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{took:?}");
    done.extend(other.finish());
    for vault in [&mut open, &mut folder.open()] {
        sharing::check(vault, &done);
        assert_eq!(found(vault, "next goes on"), std::slice::from_ref(&next));
        // At most the one that was being written when the process died.
        let victims = found(vault, "victim").len();
        assert!(victims <= acknowledged + 1, "{victims} of {acknowledged}");
    }
    let mended = open.verify(true).expect("verified");
    let is_grave = mended
        .faults
        .iter()
        .any(|fault| fault.severity == Severity::Error);
    assert!(!is_grave, "{mended:?}");
    let left = open.verify(false).expect("verified");
    assert!(left.faults.is_empty(), "{left:?}");
}
