//! What memories refer to, and what refers to them.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{id, machine, note, process};
use inkvault_guest::Error;
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan};
use inkvault_guest::vault::{Link, Vault};
use proptest::prelude::*;

/// A memory's file with aliases.
fn aliased(id: &str, title: &str, aliases: &str, body: &str) -> String {
    note(id, title, body).replace("tags: []", &format!("tags: []\naliases: [{aliases}]"))
}

/// A machine with these memories, numbered from 0: title and text.
fn memories(texts: &[(&str, &str)]) -> Machine {
    let machine = machine();
    for (n, (title, body)) in texts.iter().enumerate() {
        machine.put(&format!("memory/{}.md", id(n)), note(&id(n), title, body));
    }
    machine
}

fn vault_on(machine: &Machine) -> Vault {
    Vault::new(Box::new(machine.process()))
}

fn links(machine: &Machine, id: &str) -> Vec<Link> {
    vault_on(machine).links(id).expect("links")
}

fn link(source: usize, target: Option<usize>, text: &str) -> Link {
    Link {
        source: id(source),
        target: target.map(id),
        text: text.to_owned(),
    }
}

/// Where the first reference of memory 0 leads to.
fn target(machine: &Machine) -> Option<String> {
    links(machine, &id(0)).into_iter().next()?.target
}

#[test]
fn references_from_it_then_to_it() {
    let to_plan = format!("{} and [[Release plan#Risks|risks]]", id(1));
    let machine = memories(&[
        ("Third", &to_plan),
        (
            "Release plan",
            &format!("[[nowhere]], then {}\n\n`[[Third]]`", id(2)),
        ),
        (
            "Other",
            "[[release plan]] is another case; ![[Release plan]]",
        ),
    ]);
    assert_eq!(
        links(&machine, &id(1)),
        [
            link(1, None, "[[nowhere]]"),
            link(1, Some(2), &id(2)),
            link(0, Some(1), &id(1)),
            link(0, Some(1), "[[Release plan#Risks|risks]]"),
            link(2, Some(1), "![[Release plan]]"),
        ]
    );
}

#[test]
fn an_unknown_memory_has_no_links() {
    let machine = memories(&[("t", &id(7))]);
    let error = vault_on(&machine).links(&id(7)).expect_err("unknown");
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    let error = vault_on(&machine).links("../x").expect_err("no id");
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
}

#[test]
fn a_reference_to_itself_is_listed_once() {
    let machine = memories(&[("Self", &format!("[[Self]] {}", id(0)))]);
    assert_eq!(
        links(&machine, &id(0)),
        [link(0, Some(0), "[[Self]]"), link(0, Some(0), &id(0))]
    );
}

/// Id before file name before title before alias.
#[test]
fn a_name_has_one_meaning() {
    let machine = memories(&[("From", "[[One]]")]);
    assert_eq!(target(&machine), None);
    machine.put("memory/a.md", aliased(&id(1), "A", "One", ""));
    assert_eq!(target(&machine), Some(id(1)), "an alias");
    machine.put("memory/b.md", note(&id(2), "One", ""));
    assert_eq!(target(&machine), Some(id(2)), "a title");
    machine.put("memory/one.md", note(&id(3), "C", ""));
    assert_eq!(target(&machine), Some(id(3)), "a file in another case");
    machine.put("memory/One.md", note(&id(4), "D", ""));
    assert_eq!(target(&machine), Some(id(4)), "a file");
    machine.put(
        &format!("memory/{}.md", id(0)),
        note(&id(0), "From", &format!("[[{}]]", id(6))),
    );
    machine.put(
        &format!("memory/{}.md", id(6)),
        note(&id(5), "named like another", ""),
    );
    machine.put("memory/six.md", note(&id(6), "Six", ""));
    assert_eq!(target(&machine), Some(id(6)), "an id");
}

#[test]
fn files_are_named_as_in_obsidian() {
    for name in [
        "memory/Plan B",
        "memory/Plan B.md",
        "Plan B",
        "./Plan B",
        "../memory/Plan B",
        "plan b",
        "MEMORY/PLAN B",
        "Plan B#Costs",
    ] {
        let machine = memories(&[("From", &format!("[[{name}]]"))]);
        machine.put("memory/Plan B.md", note(&id(1), "x", ""));
        assert_eq!(target(&machine), Some(id(1)), "{name}");
        assert_eq!(links(&machine, &id(1)).len(), 1, "{name}");
    }
    for name in ["Plan", "notes/Plan B", "../../memory/Plan B", "/etc/passwd"] {
        let machine = memories(&[("From", &format!("[[{name}]]"))]);
        machine.put("memory/Plan B.md", note(&id(1), "x", ""));
        assert_eq!(target(&machine), None, "{name}");
    }
}

#[test]
fn names_are_compared_in_one_normal_form() {
    let (composed, decomposed) = ("Caf\u{e9}", "Cafe\u{301}");
    for (title, name) in [(composed, decomposed), (decomposed, composed)] {
        let machine = memories(&[("From", &format!("[[{name}]]")), (title, "")]);
        assert_eq!(target(&machine), Some(id(1)), "{name}");
        assert_eq!(links(&machine, &id(1)).len(), 1, "{name}");
    }
}

#[test]
fn chinese_titles_and_ids_among_chinese() {
    let machine = memories(&[
        (
            "发布计划",
            &format!("参见{}的说明，和[[用户偏好：回答用中文|偏好]]。", id(1)),
        ),
        ("用户偏好：回答用中文", "按[[发布计划]]进行"),
    ]);
    assert_eq!(
        links(&machine, &id(1)),
        [
            link(1, Some(0), "[[发布计划]]"),
            link(0, Some(1), &id(1)),
            link(0, Some(1), "[[用户偏好：回答用中文|偏好]]"),
        ]
    );
}

/// A title without a word to search for is found in every file.
#[test]
fn a_name_without_words_is_found_too() {
    let machine = memories(&[("C", ""), ("From", "[[C]] and [[😀]]"), ("😀", "")]);
    assert_eq!(links(&machine, &id(0)), [link(1, Some(0), "[[C]]")]);
    assert_eq!(links(&machine, &id(2)), [link(1, Some(2), "[[😀]]")]);
}

#[test]
fn a_memory_answers_to_the_id_it_took_over() {
    let machine = memories(&[("From", &id(9))]);
    machine.put("memory/a.md", aliased(&id(1), "A", &id(9), ""));
    assert_eq!(links(&machine, &id(9)), [link(0, Some(1), &id(9))]);
}

/// Of two files with one id only the first is a memory.
#[test]
fn a_shadowed_file_refers_to_nothing() {
    let machine = memories(&[("Target", "")]);
    for (file, text) in [("a", "[[Target]]"), ("b", "![[Target]]")] {
        machine.put(&format!("memory/{file}.md"), note(&id(1), file, text));
    }
    assert_eq!(links(&machine, &id(0)), [link(1, Some(0), "[[Target]]")]);
}

#[test]
fn links_follow_what_others_change() {
    let machine = memories(&[("Target", ""), ("From", "[[Target]]")]);
    let mut vault = vault_on(&machine);
    assert_eq!(vault.links(&id(0)).expect("links").len(), 1);
    machine.advance(Duration::from_secs(3));
    machine.put("memory/new.md", note(&id(2), "New", "[[Target]]"));
    assert_eq!(vault.links(&id(0)).expect("links").len(), 2);
    // In place, and so soon that no pass sees it: reading it does.
    let from = format!("memory/{}.md", id(1));
    machine.put(&from, note(&id(1), "From", "no longer"));
    let left = vault.links(&id(0)).expect("links");
    assert_eq!(left, [link(2, Some(0), "[[Target]]")]);
}

#[test]
fn a_file_that_cannot_be_read_is_left_out() {
    let machine = memories(&[("Target", ""), ("A", "[[Target]]"), ("B", "[[Target]]")]);
    machine.advance(Duration::from_secs(60));
    let mut process = process(&machine);
    assert_eq!(process.vault.links(&id(0)).expect("links").len(), 2);
    let mut failing_at = |n: usize| {
        process.environment.reset_calls();
        let _ = process.vault.links(&id(0)).expect("links");
        let trace = process.environment.trace();
        let opening = |call: &String| call.starts_with("open") && call.contains(&id(n));
        let call = trace.iter().position(opening).expect("an open") as u64 + 1;
        process.environment.reset_calls();
        process.environment.plan(Injection {
            at_call: call,
            what: Plan::Fail(IoErrorKind::NotPermitted),
        });
        process.vault.links(&id(0))
    };
    let left = failing_at(1).expect("links");
    assert_eq!(left, [link(2, Some(0), "[[Target]]")]);
    let error = failing_at(0).expect_err("the memory itself");
    assert!(matches!(error, Error::Io(_)), "{error:?}");
}

/// A name as people give them, or one that is hard to find.
fn name() -> impl Strategy<Value = String> {
    let words = vec![
        "plan", "Plan", "release", "发布", "计划", "发", "C", "C#", "é", "e\u{301}", "x_y", "v1.0",
        "😀", "ＡＢ", "ΟΔΟΣ", "[x]", "it's", "-", "a.md", "memory/0",
    ];
    prop::collection::vec(prop::sample::select(words), 1..3).prop_map(|words| words.join(" "))
}

/// A reference to a name, or to the memory of a number.
fn reference() -> impl Strategy<Value = String> {
    prop_oneof![
        name().prop_map(|name| format!("[[{name}]]")),
        name().prop_map(|name| format!("![[{name}#Part|shown]]")),
        (0usize..6).prop_map(id),
        (0usize..6).prop_map(|n| format!("[[memory/{}]]", id(n))),
        name(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The references to a memory are those from all others that lead to it:
    /// the index leaves no file out that matters.
    #[test]
    fn links_to_a_memory_are_links_from_others(
        notes in prop::collection::vec((name(), prop::option::of(name()), prop::collection::vec(reference(), 0..5)), 1..6),
    ) {
        let machine = machine();
        for (n, (title, alias, references)) in notes.iter().enumerate() {
            let (title, alias) = (format!("{title:?}"), format!("{:?}", alias.as_deref().unwrap_or_default()));
            let text = aliased(&id(n), &title, &alias, &references.join(" and "));
            machine.put(&format!("memory/{}.md", id(n)), text);
        }
        let mut vault = vault_on(&machine);
        let all: BTreeMap<String, Vec<Link>> = (0..notes.len())
            .map(|n| (id(n), vault.links(&id(n)).expect("links")))
            .collect();
        let from = |id: &String| -> Vec<Link> {
            let links = all[id].iter().filter(|link| link.source == *id);
            links.cloned().collect()
        };
        for (id, links) in &all {
            let mut expected = from(id);
            for other in all.keys().filter(|other| *other != id) {
                expected.extend(from(other).into_iter().filter(|link| link.target.as_ref() == Some(id)));
            }
            prop_assert_eq!(links, &expected);
        }
    }

    /// Whatever a text holds, its links can be asked for.
    #[test]
    fn any_text_has_links(text in any::<String>(), title in any::<String>()) {
        let machine = memories(&[("Target", "[[x]]"), (&title, &text)]);
        let mut vault = vault_on(&machine);
        let _ = vault.links(&id(0)).expect("links");
        let _ = vault.links(&id(1)).expect("links");
        vault.verify(false).expect("verified");
    }
}
