//! What each of several processes does to a vault they share: writes memories
//! of its own, and adds lines to memories that all of them change, each time
//! only if the memory still is as it was read.

use std::collections::BTreeSet;

use inkvault::vault::Draft;
use inkvault::{Error, Vault, types};
use serde_json::Value;

use crate::folder::{Folder, draft};
use crate::{command, note};

/// How many memories all of them change.
pub const SHARED: usize = 8;

/// What a writer was told it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// A memory was made.
    Created {
        /// Its id.
        id: String,
    },
    /// A line was added to a shared memory.
    Added {
        /// The memory.
        id: String,
        /// The revision it was based on.
        revision: String,
        /// The line.
        line: String,
    },
}

/// A way to read and change a vault.
pub trait Access {
    /// Writes a new memory and returns its id.
    fn create(&mut self, text: &str) -> String;

    /// A memory's text and revision.
    fn read(&mut self, id: &str) -> (String, String);

    /// Changes a memory if it still is at a revision; false where it is not.
    fn replace(&mut self, id: &str, revision: &str, text: &str) -> bool;
}

/// Takes part with `writes` writes, half of them to shared memories, and tells
/// of each as soon as it was acknowledged.
pub fn take_part(access: &mut dyn Access, word: &str, writes: usize, mut tell: impl FnMut(Done)) {
    for number in 0..writes {
        if number % 2 == 0 {
            let id = access.create(&format!("{word} wrote number{number}"));
            tell(Done::Created { id });
        } else {
            let line = format!("{word}x{number}");
            let id = note::id(number / 2 % SHARED);
            let revision = add_line(access, &id, &line);
            tell(Done::Added { id, revision, line });
        }
    }
}

/// Reads and changes until nobody was faster; the revision that was based on.
fn add_line(access: &mut dyn Access, id: &str, line: &str) -> String {
    loop {
        let (text, revision) = access.read(id);
        if access.replace(id, &revision, &format!("{text}\n{line}")) {
            return revision;
        }
    }
}

/// Checks that all that was told to be done is there, and that no two changes
/// were based on one revision.
///
/// # Panics
///
/// Where it is not so.
pub fn check(vault: &mut Vault, done: &[Done]) {
    let mut bases = BTreeSet::new();
    for done in done {
        match done {
            Done::Created { id } => {
                vault.get(id).expect("a memory that was made");
            }
            Done::Added { id, revision, line } => {
                assert!(
                    bases.insert((id, revision)),
                    "two changes of {id} at {revision}"
                );
                let body = vault.get(id).expect("a shared memory").body;
                assert!(body.lines().any(|there| there == line), "{id} lost {line}");
            }
        }
    }
}

impl Access for Vault {
    fn create(&mut self, text: &str) -> String {
        self.write(&draft(text)).expect("written").metadata.id
    }

    fn read(&mut self, id: &str) -> (String, String) {
        let memory = self.get(id).expect("a memory");
        (memory.body, memory.metadata.revision)
    }

    fn replace(&mut self, id: &str, revision: &str, text: &str) -> bool {
        let changed = Draft {
            id: Some(id.to_owned()),
            revision: Some(revision.to_owned()),
            ..draft(text)
        };
        match self.write(&changed) {
            Ok(_) => true,
            Err(Error::Memory(types::Error::RevisionConflict(_))) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Each call is a process of its own.
impl Access for &Folder {
    fn create(&mut self, text: &str) -> String {
        let receipt = answer(self, &["write", text]).expect("written");
        string(&receipt["metadata"]["id"])
    }

    fn read(&mut self, id: &str) -> (String, String) {
        let memory = answer(self, &["show", id]).expect("a memory");
        let revision = string(&memory["metadata"]["revision"]);
        (string(&memory["body"]), revision)
    }

    fn replace(&mut self, id: &str, revision: &str, text: &str) -> bool {
        let arguments = ["write", "--id", id, "--revision", revision, text];
        answer(self, &arguments).is_some()
    }
}

/// What the command answers; none where somebody else was faster.
fn answer(folder: &Folder, arguments: &[&str]) -> Option<Value> {
    let output = command::inkvault(folder)
        .arg("--json")
        .args(arguments)
        .output();
    let output = output.expect("the command runs");
    match output.status.code() {
        Some(0) => Some(serde_json::from_slice(&output.stdout).expect("JSON")),
        Some(4) => None,
        _ => panic!("{arguments:?}: {output:?}"),
    }
}

fn string(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
