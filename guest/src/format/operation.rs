//! What happens to memories, and how a journal tells of it.

use crate::memory::Memory;
use crate::timestamp::Timestamp;

/// What happened to a memory or the vault, for journal and feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A memory was made.
    Create,
    /// A memory was changed.
    Update,
    /// A pending memory or one in conflict became active.
    Confirm,
    /// A pending memory was moved to the trash.
    Reject,
    /// A memory was taken out of force.
    Archive,
    /// A memory came back to where it was before.
    Restore,
    /// A memory was marked as out of date.
    Stale,
    /// A memory was marked as replaced.
    Supersede,
    /// Two memories were marked as contradicting each other.
    Conflict,
    /// A memory's text was folded into another.
    Merge,
    /// A memory was kept in view.
    Pin,
    /// A memory was no longer kept in view.
    Unpin,
    /// A memory went from a project to the whole vault.
    Promote,
    /// A memory reaches agents in another way.
    Deliver,
    /// A memory was moved to the trash.
    Forget,
    /// A change was undone.
    Undo,
    /// A memory became what it was at an earlier time.
    RollBack,
    /// An entry was added to the staging pool.
    Stage,
    /// An entry was removed from the staging pool.
    Unstage,
    /// Of several files that claim an id one was chosen to keep it.
    KeepDuplicate,
    /// A bad file was moved out of the way.
    Quarantine,
    /// The index was built anew.
    Rebuild,
    /// The vault was made.
    Init,
}

impl Operation {
    /// Its name in the feed.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::Confirm => "confirm",
            Operation::Reject => "reject",
            Operation::Archive => "archive",
            Operation::Restore => "restore",
            Operation::Stale => "stale",
            Operation::Supersede => "supersede",
            Operation::Conflict => "conflict",
            Operation::Merge => "merge",
            Operation::Pin => "pin",
            Operation::Unpin => "unpin",
            Operation::Promote => "promote",
            Operation::Deliver => "deliver",
            Operation::Forget => "forget",
            Operation::Undo => "undo",
            Operation::RollBack => "roll-back",
            Operation::Stage => "stage",
            Operation::Unstage => "unstage",
            Operation::KeepDuplicate => "keep-duplicate",
            Operation::Quarantine => "quarantine",
            Operation::Rebuild => "rebuild",
            Operation::Init => "init",
        }
    }
}

/// One event to be told in the journal.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// When.
    pub time: Timestamp,
    /// What.
    pub operation: Operation,
    /// To which memory; empty for the vault as a whole.
    pub id: &'a str,
    /// In which file.
    pub path: &'a str,
    /// Why, or anything else worth keeping; empty where there is nothing.
    pub detail: &'a str,
    /// The memory before the change.
    pub before: Option<&'a Memory>,
    /// The memory after the change.
    pub after: Option<&'a Memory>,
}

/// Where a format's journal lies.
#[derive(Clone, Copy, Debug)]
pub enum JournalFiles {
    /// In one file.
    One(&'static str),
    /// In the files of a directory whose names say so, the newest last by
    /// name.
    Many {
        /// The directory.
        directory: &'static str,
        /// Whether a name in it is that of a journal file.
        is_journal: fn(&str) -> bool,
    },
}

/// What a line of a journal says.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalRecord {
    /// When.
    pub time: Timestamp,
    /// What was done, in the journal's own word.
    pub operation: String,
    /// To which memory; empty where it was the vault as a whole.
    pub id: String,
    /// In which file; empty where the line names none.
    pub path: String,
    /// Anything else the line says; empty where there is nothing.
    pub detail: String,
}
