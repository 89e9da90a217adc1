use std::thread;
use std::time::Duration;

use super::super::{
    Environment, IoErrorKind, IoResult, Open, VaultPath, append_line, read_file, write_new,
};
use super::*;
use crate::timestamp::Timestamp;

fn at(path: &str) -> VaultPath {
    VaultPath::parse(path).expect("a path")
}

fn kind<T>(answer: IoResult<T>) -> IoErrorKind {
    answer.map(drop).expect_err("a failure").kind
}

fn planned(machine: &Machine, at_call: u64, what: Plan) -> Faulty {
    let process = machine.process();
    process.plan(Injection { at_call, what });
    process
}

#[test]
fn behaves_like_a_file_system() {
    for (name, check) in behaviour::CHECKS {
        println!("{name}");
        check(&Machine::new().process());
    }
}

#[test]
fn a_read_only_machine_changes_nothing() {
    let machine = Machine::new();
    machine.put("a.md", "text");
    machine.create_directories("memory");
    machine.set_read_only(true);
    behaviour::check_read_only(&machine.process());
}

#[test]
fn every_call_is_counted() {
    let machine = Machine::new();
    machine.put("a.md", "text");
    machine.put("memory/b.md", "text");
    let process = machine.process();
    let count = |call: &dyn Fn()| {
        process.reset_calls();
        call();
        process.calls()
    };
    let (a, b) = (at("a.md"), at("b.md"));
    assert_eq!(count(&|| drop(process.open(&a, Open::Read))), 1);
    assert_eq!(count(&|| drop(process.open(&at("gone"), Open::Read))), 1);
    assert_eq!(count(&|| drop(process.stat(&a))), 1);
    assert_eq!(count(&|| drop(process.list(&VaultPath::root()))), 5);
    assert_eq!(count(&|| drop(process.list(&at("gone")))), 1);
    assert_eq!(count(&|| drop(process.list(&a))), 2);
    assert_eq!(count(&|| drop(process.create_directory(&at("d")))), 1);
    assert_eq!(count(&|| drop(process.remove_directory(&at("d")))), 1);
    assert_eq!(count(&|| drop(process.rename(&a, &b))), 1);
    assert_eq!(count(&|| drop(process.link(&b, &a))), 1);
    assert_eq!(count(&|| drop(process.unlink(&b))), 1);
    let read = process.open(&a, Open::Read).expect("opened");
    assert_eq!(count(&|| drop(read.read(10, 0))), 1);
    assert_eq!(count(&|| drop(read.stat())), 1);
    assert_eq!(count(&|| drop(read.sync())), 1);
    let append = process.open(&a, Open::Append).expect("opened");
    assert_eq!(count(&|| drop(append.append(b"x"))), 2);
    let new = process.open(&at("new"), Open::CreateNew).expect("opened");
    assert_eq!(count(&|| drop(new.write(b"x", 0))), 1);
    let uncounted = count(&|| {
        let _ = (
            process.is_read_only(),
            process.now(),
            process.elapsed(),
            process.random(),
        );
        process.sleep(Duration::from_secs(1));
    });
    assert_eq!(uncounted, 0);
}

#[test]
fn the_trace_names_the_calls() {
    let process = Machine::new().process();
    append_line(&process, &at("feed"), "line").expect("appended");
    assert_eq!(process.trace(), ["open feed", "append feed", "append feed"]);
}

#[test]
fn a_crash_ends_the_process_before_the_call_happens() {
    for crash in 1..=5 {
        let machine = Machine::new();
        machine.put("a.md", "old");
        let process = planned(&machine, crash, Plan::Crash);
        let replaced = write_new(&process, &at("new"), b"new text")
            .and_then(|_| process.rename(&at("new"), &at("a.md")));
        assert_eq!(kind(replaced), IoErrorKind::Failed);
        assert!(process.has_crashed());
        assert_eq!(kind(process.stat(&at("a.md"))), IoErrorKind::Failed);
        assert_eq!(machine.bytes("a.md").as_deref(), Some(&b"old"[..]));
        let left_over = [
            None,
            Some(""),
            Some("new text"),
            Some("new text"),
            Some("new text"),
        ];
        let expected = left_over[crash as usize - 1].map(|text| text.as_bytes().to_vec());
        assert_eq!(machine.bytes("new"), expected, "at {crash}");
        machine
            .process()
            .stat(&at("a.md"))
            .expect("other processes live on");
    }
}

#[test]
fn a_handle_of_a_crashed_process_is_dead() {
    let machine = Machine::new();
    machine.put("a.md", "text");
    let process = planned(&machine, 2, Plan::Crash);
    let file = process.open(&at("a.md"), Open::Read).expect("opened");
    assert_eq!(kind(process.unlink(&at("a.md"))), IoErrorKind::Failed);
    assert_eq!(kind(file.read(10, 0)), IoErrorKind::Failed);
}

#[test]
fn a_failing_call_does_nothing_and_later_ones_work() {
    let machine = Machine::new();
    let process = planned(&machine, 1, Plan::Fail(IoErrorKind::CrossDevice));
    assert_eq!(
        kind(process.create_directory(&at("d"))),
        IoErrorKind::CrossDevice
    );
    assert_eq!(machine.stat("d"), None);
    process.create_directory(&at("d")).expect("made");
}

#[test]
fn a_failure_hits_any_call_of_a_listing() {
    let machine = Machine::new();
    machine.put("a.md", "");
    machine.put("b.md", "");
    for at_call in 1..=5 {
        let process = planned(&machine, at_call, Plan::Fail(IoErrorKind::Failed));
        assert_eq!(
            kind(process.list(&VaultPath::root())),
            IoErrorKind::Failed,
            "{at_call}"
        );
    }
}

#[test]
fn a_short_append_leaves_half_a_line() {
    for (at_call, expected) in [
        (2, "one\ntwo and more\n"),
        (3, "one\ntwo an"),
        (4, "one\ntwo and more\n"),
    ] {
        let machine = Machine::new();
        machine.put("feed", "one\n");
        let process = planned(&machine, at_call, Plan::ShortWrite);
        let appended = append_line(&process, &at("feed"), "two and more");
        assert_eq!(appended.is_err(), at_call == 3);
        assert_eq!(machine.bytes("feed").as_deref(), Some(expected.as_bytes()));
    }
}

#[test]
fn a_full_disk_takes_what_fits() {
    let machine = Machine::new();
    machine.put("a.md", "1234");
    machine.set_capacity(Some(10));
    let process = machine.process();
    let file = process.open(&at("b.md"), Open::CreateNew).expect("opened");
    assert_eq!(file.write(b"123456789", 0).expect("in part"), 6);
    assert_eq!(kind(file.write(b"789", 6)), IoErrorKind::NoSpace);
    assert_eq!(file.write(b"abc", 0).expect("no more room is needed"), 3);
    assert_eq!(
        kind(append_line(&process, &at("a.md"), "x")),
        IoErrorKind::NoSpace
    );
    process.unlink(&at("a.md")).expect("unlinked");
    assert_eq!(file.write(b"789", 6).expect("there is room again"), 3);
    let open = process.open(&at("b.md"), Open::Read).expect("opened");
    process.unlink(&at("b.md")).expect("unlinked");
    assert_eq!(
        kind(append_line(&process, &at("c.md"), "xy")),
        IoErrorKind::NoSpace
    );
    drop((open, file));
    append_line(&process, &at("c.md"), "y").expect("a closed file without a name takes no room");
}

#[test]
fn links_can_be_turned_off() {
    let machine = Machine::new();
    machine.put("a.md", "");
    machine.set_hard_links(false);
    assert_eq!(
        kind(machine.process().link(&at("a.md"), &at("b.md"))),
        IoErrorKind::Unsupported
    );
}

#[test]
fn a_fork_goes_its_own_way() {
    let machine = Machine::new();
    machine.put("memory/a.md", "text");
    let process = machine.process();
    let open = process
        .open(&at("memory/a.md"), Open::Read)
        .expect("opened");
    machine.remove("memory/a.md");
    let fork = machine.fork();
    fork.set_capacity(Some(4));
    append_line(&fork.process(), &at("c.md"), "abc").expect("nothing is open in a fork");
    let fork = machine.fork();
    fork.put("memory/b.md", "fork");
    fork.advance(Duration::from_secs(5));
    assert_eq!(machine.files().len(), 0);
    assert_eq!(
        fork.files().into_keys().collect::<Vec<_>>(),
        ["memory/b.md"]
    );
    assert_eq!(open.read(10, 0).expect("still open here"), b"text");
    assert_eq!(
        fork.process().random(),
        machine.process().random(),
        "forks draw alike"
    );
    assert_eq!(machine.process().elapsed(), Duration::ZERO);
}

#[test]
fn time_stands_still_until_told() {
    let machine = Machine::new();
    let process = machine.process();
    assert_eq!(process.now().to_string(), "2026-10-19T10:00:00.000Z");
    process.sleep(Duration::from_millis(1500));
    machine.advance(Duration::from_millis(503));
    assert_eq!(process.now().to_string(), "2026-10-19T10:00:02.003Z");
    assert_eq!(process.elapsed(), Duration::from_millis(2003));
    machine.put("a.md", "");
    let stat = machine.stat("a.md").expect("a stat");
    assert_eq!(
        stat.mtime,
        (process.now().millis() as u64 - 3) * 1_000_000,
        "mtimes are coarse"
    );
    machine.set_now(Timestamp::from_millis(0));
    assert_eq!(
        (process.now().millis(), process.elapsed()),
        (0, Duration::from_millis(2003))
    );
}

#[test]
fn other_programs_write_in_place() {
    let machine = Machine::new();
    machine.put("memory/a.md", "text");
    let before = (machine.stat("memory"), machine.stat("memory/a.md"));
    machine.advance(Duration::from_secs(1));
    machine.put("memory/a.md", "changed");
    assert_eq!(machine.stat("memory"), before.0);
    assert_ne!(machine.stat("memory/a.md"), before.1);
    machine.rename("memory/a.md", "b.md");
    machine.set_mtime("b.md", 7);
    assert_eq!(
        machine.stat("b.md").map(|stat| (stat.size, stat.mtime)),
        Some((7, 7))
    );
    machine.remove("memory");
    let (bytes, _) = read_file(&machine.process(), &at("b.md")).expect("read");
    assert_eq!(bytes, b"changed");
}

#[test]
#[should_panic = "`gone`: no such file or directory"]
fn a_wrong_test_is_told() {
    Machine::new().remove("gone");
}

#[test]
fn processes_draw_different_numbers_the_same_in_every_run() {
    let draw = || {
        let machine = Machine::new();
        [machine.process().random(), machine.process().random()]
    };
    assert_eq!(draw(), draw());
    assert_ne!(draw()[0], draw()[1]);
}

#[test]
fn threads_share_a_machine() {
    let machine = Machine::new();
    thread::scope(|scope| {
        for number in 0..8 {
            let process = machine.process();
            scope.spawn(move || {
                for line in 0..100 {
                    append_line(&process, &at("feed"), &format!("{number} {line}"))
                        .expect("appended");
                }
            });
        }
    });
    let feed = String::from_utf8(machine.bytes("feed").expect("the feed")).expect("text");
    assert_eq!(feed.lines().count(), 800);
    assert!(feed.lines().all(|line| line.split(' ').count() == 2));
}
