//! What several test files need: vaults in memory and drafts for them.

#![allow(dead_code, unused_imports, reason = "each test file uses its part")]

mod layout;

pub(crate) mod dsh;

use std::path::PathBuf;
use std::rc::Rc;

pub(crate) use layout::{LAYOUTS, Layout, on_every_layout, on_layouts_with};

use inkvault_guest::environment::{Faulty, Machine};
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

/// A machine with an empty `inkvault` vault, at a fixed time.
pub(crate) fn machine() -> Machine {
    Layout::INKVAULT.machine()
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

/// The file of an `inkvault` memory as a person or another program would
/// write it.
pub(crate) fn note(id: &str, title: &str, body: &str) -> String {
    Layout::INKVAULT.note(id, title, body)
}

/// The number `n` as an id of `inkvault`.
pub(crate) fn id(n: usize) -> String {
    Layout::INKVAULT.id(n)
}

/// Puts `count` memories into an `inkvault` vault, all of them long settled.
pub(crate) fn fill(machine: &Machine, count: usize) {
    Layout::INKVAULT.fill(machine, count);
}

/// A machine with an empty `inkvault` vault, and the vault.
pub(crate) fn vault() -> (Machine, Vault) {
    let machine = machine();
    let vault = Vault::new(Box::new(machine.process()));
    (machine, vault)
}

/// The text of a file on a machine.
pub(crate) fn text_at(machine: &Machine, path: &str) -> String {
    String::from_utf8(machine.bytes(path).expect("a file")).expect("text")
}
