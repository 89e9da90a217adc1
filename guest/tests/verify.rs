//! What `verify` tells of references that lead nowhere and of what crashes
//! and other programs left behind.

mod common;

use std::time::Duration;

use common::{id, machine, note, process};
use inkvault_guest::environment::Machine;
use inkvault_guest::vault::{Fault, Severity, Vault};

const HOUR: Duration = Duration::from_secs(3_601);

fn verify(machine: &Machine, fix: bool) -> Vec<Fault> {
    let mut vault = Vault::new(Box::new(machine.process()));
    vault.verify(fix).expect("verified").faults
}

/// The path of memory `n`.
fn path(n: usize) -> String {
    format!("memory/{}.md", id(n))
}

/// A machine with one memory of this text.
fn one(body: &str) -> Machine {
    let machine = machine();
    machine.put(&path(0), note(&id(0), "One", body));
    machine
}

/// What is told of a memory with this text.
fn told(machine: &Machine) -> Vec<String> {
    let faults = verify(machine, false);
    assert!(
        faults
            .iter()
            .all(|fault| fault.severity == Severity::Note && !fault.mend.is_empty()),
        "{faults:?}"
    );
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn a_reference_that_leads_nowhere_is_told_once() {
    let machine = one(&format!("[[Nobody]] {} [[Nobody|again]] {}", id(7), id(7)));
    assert_eq!(
        told(&machine),
        [
            "`[[Nobody]]` leads to no memory, and to no file of that path".to_owned(),
            format!("`{}` is the id of no memory", id(7)),
        ]
    );
    let fault = &verify(&machine, true)[0];
    assert_eq!((fault.path.as_str(), fault.fixed), (&*path(0), false));
}

/// `write` sets relations as they are given, and a person can edit one side.
#[test]
fn a_relation_that_stands_on_one_side_is_told() {
    let machine = machine();
    let put = |n: usize, keys: &str| {
        let text = note(&id(n), &format!("note {n}"), "a text");
        machine.put(
            &path(n),
            text.replace("\n---\n\n", &format!("\n{keys}\n---\n\n")),
        );
    };
    put(0, &format!("supersedes: [{}]", id(1)));
    put(1, &format!("superseded_by: {}", id(2)));
    put(2, "pinned: true");
    put(3, &format!("conflicts_with: [{}]", id(4)));
    put(4, &format!("conflicts_with: [{}]", id(3)));
    let one_sided = |key: &str, n: usize, inverse: &str| {
        format!(
            "`{key}` names `{}`, whose `{inverse}` does not name it",
            id(n)
        )
    };
    assert_eq!(
        told(&machine),
        [
            one_sided("supersedes", 1, "superseded_by"),
            one_sided("superseded_by", 2, "supersedes"),
            "it is active although it has a `superseded_by`".into(),
            "it is active although it has a `conflicts_with`".into(),
            "it is active although it has a `conflicts_with`".into(),
        ]
    );
}

#[test]
fn what_leads_somewhere_is_not_told() {
    let body = format!(
        "[[One]] {} [[mine]] [[memory/mine]] [[Ideas/Wish|a wish]] [[./mine#x]] [[../Ideas/Wish]] \
         [[Ideas/sketch.canvas]] ![[Pasted image.png]] [[#Here]] `[[Nobody]]` [[Top]]",
        id(0)
    );
    let machine = one(&body);
    machine.put("memory/mine.md", "a note of mine");
    machine.put("Ideas/Wish.md", "elsewhere");
    machine.put("Ideas/sketch.canvas", "{}");
    machine.put("Top.md", "elsewhere");
    assert_eq!(told(&machine), [""; 0]);
}

/// However often and in however many memories, a file is asked for once.
#[test]
fn a_file_elsewhere_is_asked_for_once() {
    let machine = machine();
    for n in 0..50 {
        let body = "[[Ideas/Wish]] and [[Ideas/Wish#Part]]";
        machine.put(&path(n), note(&id(n), &format!("note {n}"), body));
    }
    let mut process = process(&machine);
    let faults = process.vault.verify(false).expect("verified").faults;
    assert_eq!(faults.len(), 2 * 50, "each as it is written");
    let trace = process.environment.trace();
    let asked = trace.iter().filter(|call| call.contains("Ideas/Wish.md"));
    assert_eq!(asked.count(), 1, "{trace:#?}");
}

#[test]
fn a_relation_without_a_memory_is_told() {
    let machine = machine();
    let with = |n: usize, status: &str, keys: &str| {
        let text = note(&id(n), &format!("note {n}"), "x");
        let text = text.replace("status: active", &format!("status: {status}"));
        machine.put(
            &path(n),
            text.replace("tags: []", &format!("tags: []\n{keys}")),
        );
    };
    let replaced = format!("supersedes: [{}]\nsuperseded_by: {}", id(7), id(8));
    with(0, "superseded", &replaced);
    with(1, "pending", &format!("conflicts_with: [{}]", id(9)));
    assert_eq!(
        told(&machine),
        [
            ("supersedes", 7),
            ("superseded_by", 8),
            ("conflicts_with", 9)
        ]
        .map(|(key, n)| format!("`{key}` names `{}`, which is no memory", id(n)))
    );
    let aliases = format!("aliases: [{}, {}, {}]", id(7), id(8), id(9));
    with(2, "active", &aliases);
    assert_eq!(told(&machine), [""; 0], "merged into another");
}

#[test]
fn a_memory_in_the_trash_is_told_as_such() {
    let machine = one(&id(7));
    let trashed = format!(".trash/{}-1792404000000.md", id(7));
    machine.put(&trashed, note(&id(7), "Gone", "x"));
    let faults = verify(&machine, false);
    assert!(
        faults.len() == 1
            && faults[0].message.contains(&trashed)
            && faults[0].mend.contains("restore"),
        "{faults:?}"
    );
}

#[test]
fn many_dangling_references_of_one_memory_are_summed_up() {
    let links: Vec<_> = (0..500).map(|n| format!("[[nobody {n}]]")).collect();
    let told = told(&one(&links.join(" ")));
    assert_eq!(told.len(), 21);
    assert_eq!(told[20], "480 more of its references lead to no memory");
}

#[test]
fn a_lock_that_was_never_put_in_place_goes_once_it_is_old() {
    let machine = one("x");
    let empty = ".inkvault/lock.0123456789abcdef";
    let whole = ".inkvault/lock.fedcba9876543210";
    let other = ".inkvault/lock.0000000000000000";
    machine.create_directories(empty);
    machine.put(&format!("{whole}/free"), "");
    machine.put(&format!("{other}/mine.md"), "somebody's");
    machine.create_directories(".inkvault/lock.mine");
    assert_eq!(verify(&machine, true), [], "they may be in the making");
    machine.advance(HOUR);
    let paths = |faults: Vec<Fault>| -> Vec<(String, bool)> {
        let faults = faults.into_iter();
        faults.map(|fault| (fault.path, fault.fixed)).collect()
    };
    let seen = [(other, false), (empty, false), (whole, false)];
    let fixed = [(other, false), (empty, true), (whole, true)];
    let owned = |list: [(&str, bool); 3]| list.map(|(path, fixed)| (path.to_owned(), fixed));
    assert_eq!(paths(verify(&machine, false)), owned(seen));
    assert_eq!(paths(verify(&machine, true)), owned(fixed));
    assert!(machine.stat(empty).is_none() && machine.stat(whole).is_none());
    assert!(machine.bytes(&format!("{other}/mine.md")).is_some());
    assert!(machine.stat(".inkvault/lock.mine").is_some());
}

#[test]
fn a_temporary_file_of_another_program_is_set_aside_once_it_is_old() {
    let machine = one("x");
    let name = format!("{}.md.tmp-4711-x9k2", id(1));
    let (left, text) = (format!("memory/{name}"), note(&id(1), "Cut short", "half"));
    machine.put(&left, &text);
    machine.put("memory/notes.tmp", "mine");
    assert_eq!(verify(&machine, true), [], "it may be in the making");
    machine.advance(HOUR);
    let seen = verify(&machine, false);
    assert!(
        seen.len() == 1 && seen[0].path == left && seen[0].severity == Severity::Note,
        "{seen:?}"
    );
    let fixed = verify(&machine, true);
    assert!(fixed.len() == 1 && fixed[0].fixed, "{fixed:?}");
    assert!(machine.bytes(&left).is_none() && machine.bytes("memory/notes.tmp").is_some());
    let kept = machine.bytes(&format!(".inkvault/quarantine/{name}"));
    assert_eq!(kept, Some(text.into_bytes()), "no byte is lost");
    let again = verify(&machine, false);
    assert_eq!(again, []);
}
