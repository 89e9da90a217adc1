//! What `verify` tells of references that lead nowhere, of what crashes and
//! other programs left behind, and of files that lie where they do not belong.

mod common;

use std::time::Duration;

use common::{
    Layout, draft, found, id, machine, note, on_every_layout, on_layouts_with, process, text_at,
};
use inkvault_guest::environment::Machine;
use inkvault_guest::vault::{Fault, Severity, UndoTarget, Vault};

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

/// A machine with memory 0 at a path, long settled.
fn stray(layout: Layout, path: &str) -> Machine {
    let machine = layout.machine();
    let note = layout.note(&layout.id(0), "Stray", "lost its way");
    machine.put(path, note);
    machine.advance(Duration::from_secs(60));
    machine
}

/// Whatever its name, a file that lies in its directory is at its place, and
/// in a format that knows one directory nothing is ever misplaced.
#[test]
fn a_file_in_its_directory_is_at_its_place() {
    on_every_layout(|layout| {
        let machine = stray(layout, &layout.file("by hand.md"));
        assert_eq!(verify(&machine, true), []);
        assert!(machine.bytes(&layout.file("by hand.md")).is_some());
    });
}

#[test]
fn a_misplaced_file_is_told_and_moved_with_its_bytes() {
    on_every_layout(|layout| {
        let Some(elsewhere) = layout.elsewhere else {
            return;
        };
        let (path, place) = (format!("{elsewhere}/stray.md"), layout.file("stray.md"));
        let machine = stray(layout, &path);
        let text = text_at(&machine, &path);
        let [fault] = &verify(&machine, false)[..] else {
            panic!("one fault");
        };
        assert_eq!(
            (fault.path.as_str(), fault.severity),
            (&*path, Severity::Warning)
        );
        assert!(fault.message.contains(&place) && !fault.fixed, "{fault:?}");
        assert_eq!(text_at(&machine, &path), text, "looking moves nothing");

        let lines = layout.journal(&machine).len();
        let faults = verify(&machine, true);
        assert!(faults.len() == 1 && faults[0].fixed, "{faults:?}");
        assert_eq!(machine.bytes(&path), None);
        assert_eq!(text_at(&machine, &place), text);
        let told = &layout.journal(&machine)[lines];
        assert!(told.to_string().contains(&path), "{told}");
        assert_eq!(verify(&machine, false), []);

        let mut vault = layout.open(&machine);
        assert_eq!(found(&mut vault, "lost"), [layout.id(0)]);
        let undone = vault.undo(&UndoTarget::LastOf(layout.id(0)));
        assert_eq!(undone.expect("undone").memory.path.as_str(), path);
    });
}

#[test]
fn a_misplaced_file_stays_where_its_place_is_taken() {
    on_every_layout(|layout| {
        let Some(elsewhere) = layout.elsewhere else {
            return;
        };
        let (path, place) = (format!("{elsewhere}/stray.md"), layout.file("stray.md"));
        for other in ["mine".to_owned(), layout.note(&layout.id(1), "Other", "x")] {
            let machine = stray(layout, &path);
            machine.put(&place, &other);
            let faults = verify(&machine, true);
            assert!(
                faults.len() == 1
                    && !faults[0].fixed
                    && faults[0].mend.contains("is there already"),
                "{faults:?}"
            );
            assert!(machine.bytes(&path).is_some());
            assert_eq!(text_at(&machine, &place), other);
        }
    });
}

/// Which of them an id means can depend on where they lie.
#[test]
fn a_misplaced_file_whose_id_others_claim_stays() {
    on_every_layout(|layout| {
        let Some(elsewhere) = layout.elsewhere else {
            return;
        };
        let path = format!("{elsewhere}/stray.md");
        let machine = stray(layout, &path);
        machine.put(&layout.path(0), layout.note(&layout.id(0), "Other", "x"));
        let faults = verify(&machine, true);
        assert!(
            faults.len() == 2
                && faults
                    .iter()
                    .all(|fault| !fault.fixed && fault.mend.contains("duplicates keep")),
            "{faults:?}"
        );
        assert!(machine.bytes(&path).is_some());
    });
}

/// What says nothing usable of its status says nothing of its place.
#[test]
fn a_file_with_an_unusable_status_stays() {
    on_layouts_with(
        |layout| layout.frontmatter,
        |layout| {
            let machine = stray(layout, &layout.path(0));
            let text = text_at(&machine, &layout.path(0));
            machine.put(
                &layout.path(0),
                text.replace("status: active", "status: actve"),
            );
            let faults = verify(&machine, true);
            assert!(
                faults.len() == 1 && faults[0].message.starts_with("status"),
                "{faults:?}"
            );
            assert!(machine.bytes(&layout.path(0)).is_some());
        },
    );
}

/// Files that no change staged are told as what they are, and stay.
#[test]
fn a_foreign_file_in_staging_is_told_and_stays() {
    on_every_layout(|layout| {
        let machine = layout.machine();
        let mut vault = layout.open(&machine);
        vault.write(&draft("makes the lock")).expect("written");
        let foreign = layout.private("staging/notes.md");
        let ours = layout.private("staging/1-0.0123456789abcdef");
        machine.put(&foreign, "somebody's own");
        machine.put(&ours, "staged and not used");
        let faults = vault.verify(false).expect("verified").faults;
        let mend = |path: &str| {
            let fault = faults.iter().find(|fault| fault.path == path);
            fault.expect("told").mend.clone()
        };
        assert!(mend(&ours).contains("--fix") && !mend(&foreign).contains("--fix"));
        let faults = vault.verify(true).expect("mended").faults;
        assert!(faults.iter().all(|fault| !fault.fixed), "{faults:?}");
        assert!(machine.bytes(&foreign).is_some() && machine.bytes(&ours).is_none());
    });
}
