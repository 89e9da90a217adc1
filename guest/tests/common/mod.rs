//! What several test files need: vaults in memory and drafts for them.

#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod dsh;

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use inkvault_guest::environment::{Faulty, Machine};
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{Draft, SearchOptions, Vault};

/// The specification's cases for a format, from the folder named by
/// `INKVAULT_VECTORS` or from `tests/vectors/`.
pub(crate) fn cases(format: &str) -> Vec<serde_json::Value> {
    let folder = std::env::var_os("INKVAULT_VECTORS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors"),
        PathBuf::from,
    );
    let file = folder.join(format!("{format}.json"));
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let vectors: serde_json::Value = serde_json::from_str(&text).expect("the vectors are JSON");
    vectors["cases"].as_array().expect("cases").clone()
}

/// A process of a machine with its own view of the vault on it.
pub(crate) struct Process {
    pub(crate) environment: Rc<Faulty>,
    pub(crate) vault: Vault,
}

/// A machine with an empty vault, at a fixed time.
pub(crate) fn machine() -> Machine {
    let machine = Machine::new();
    machine.set_now(Timestamp::parse("2026-10-19T10:00:00.123Z").expect("a date"));
    Vault::new(Box::new(machine.process()))
        .init("inkvault", None)
        .expect("a vault");
    machine
}

/// A process that has opened nothing yet.
pub(crate) fn process(machine: &Machine) -> Process {
    let environment = Rc::new(machine.process());
    let vault = Vault::new(Box::new(Rc::clone(&environment)));
    Process { environment, vault }
}

/// A draft with nothing but a text.
pub(crate) fn draft(body: &str) -> Draft {
    Draft {
        body: Some(body.to_owned()),
        ..Draft::default()
    }
}

/// The ids a search finds, best first.
pub(crate) fn found(vault: &mut Vault, query: &str) -> Vec<String> {
    let options = SearchOptions {
        limit: Some(1_000),
        ..SearchOptions::default()
    };
    let hits = vault.search(query, &options).expect("a search");
    hits.into_iter().map(|hit| hit.memory.metadata.id).collect()
}

/// The file of a memory as a person or another program would write it.
pub(crate) fn note(id: &str, title: &str, body: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: {title}\nkind: fact\nstatus: active\ncreated: 2026-10-01T00:00:00.000Z\nupdated: 2026-10-01T00:00:00.000Z\ntags: []\nconfidence: 0.5\nsource: manual\nhash: 0123456789abcdef\norigin: ''\ndelivery: recall\n---\n\n{body}"
    )
}

/// The number `n` as an id.
pub(crate) fn id(n: usize) -> String {
    format!("m-20261001-{n:06}")
}

/// Puts `count` memories on a machine, all of them long settled.
pub(crate) fn fill(machine: &Machine, count: usize) {
    for n in 0..count {
        let body = format!("memory number{n} about topic{} and 记忆{}", n % 17, n % 13);
        machine.put(
            &format!("memory/{}.md", id(n)),
            note(&id(n), &format!("note {n}"), &body),
        );
    }
    machine.advance(Duration::from_secs(60));
}

/// A machine with an empty vault, and the vault.
pub(crate) fn vault() -> (Machine, Vault) {
    let machine = machine();
    let vault = Vault::new(Box::new(machine.process()));
    (machine, vault)
}

/// The text of a file on a machine.
pub(crate) fn text_at(machine: &Machine, path: &str) -> String {
    String::from_utf8(machine.bytes(path).expect("a file")).expect("text")
}
