//! The simple format (simple memory design): plain notes in a memory root that
//! a person keeps, reads and puts under git.

#[path = "../common/mod.rs"]
mod common;

mod archive;
mod listing;
mod names;
mod notes;
mod person;
mod pool;
mod properties;
mod root;
mod searching;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{Layout, draft};
use inkvault_guest::environment::Machine;
use inkvault_guest::vault::{Draft, Vault};

/// A machine with a memory root as `init` makes it, on 2026-10-19.
fn root() -> (Machine, Vault) {
    let machine = Layout::SIMPLE.machine();
    let vault = open(&machine);
    (machine, vault)
}

fn open(machine: &Machine) -> Vault {
    Layout::SIMPLE.open(machine)
}

/// Puts files on a machine, long settled.
fn put(machine: &Machine, files: &[(&str, &str)]) {
    for (path, text) in files {
        machine.put(path, text);
    }
    machine.advance(Duration::from_secs(60));
}

/// A draft of a note.
fn note(kind: &str, title: &str, body: &str) -> Draft {
    Draft {
        kind: Some(kind.into()),
        title: Some(title.into()),
        ..draft(body)
    }
}

/// A draft that changes the note with this id.
fn change(id: &str) -> Draft {
    Draft {
        id: Some(id.into()),
        ..Draft::default()
    }
}

/// All files but the private ones.
fn shown(machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    let mut files = machine.files();
    files.retain(|path, _| !path.starts_with(".inkvault/"));
    files
}
