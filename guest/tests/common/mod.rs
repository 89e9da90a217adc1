//! What several test files need: vaults in memory and drafts for them.

#![allow(dead_code, unused_imports, reason = "each test file uses its part")]

mod layout;

use std::rc::Rc;

pub(crate) use layout::{LAYOUTS, Layout, on_every_layout};

use inkvault_guest::environment::{Faulty, Machine};
use inkvault_guest::vault::{Draft, SearchOptions, Vault};

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
