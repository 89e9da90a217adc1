//! Memories whose files do not lie where the format puts what they say of
//! themselves: moved or edited by hand. What they say counts; the files follow
//! it with their next change, or here.

use std::collections::BTreeSet;

use super::overview::duplicates;
use super::verify::{Fault, Severity};
use crate::change::Changer;
use crate::environment::{Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Format, Operation};
use crate::memory::Memory;
use crate::vault::changing::{Holder, Original, Written, require_no_link};
use crate::vault::state::State;

/// A memory's file that lies somewhere else than it belongs.
pub(super) struct Misplaced {
    id: String,
    path: VaultPath,
    place: VaultPath,
}

impl Misplaced {
    /// Whether a memory's file is one. A status or a kind that had to be
    /// assumed says nothing about where it belongs.
    pub(super) fn of(memory: &Memory, format: &dyn Format) -> Option<Self> {
        let place = format.place(&memory.metadata, Some(&memory.path));
        let is_guessed = memory.assumed.status || memory.assumed.kind;
        let is_misplaced = place != memory.path && !is_guessed;
        is_misplaced.then(|| Misplaced {
            id: memory.metadata.id.clone(),
            path: memory.path.clone(),
            place,
        })
    }

    /// The fault of a file that nobody has tried to move.
    pub(super) fn fault(&self) -> Fault {
        Fault {
            path: self.path.as_str().to_owned(),
            severity: Severity::Warning,
            message: format!(
                "by what its frontmatter says it belongs at {}; what it says counts",
                self.place
            ),
            mend: "`verify --fix` moves it there; so does its next change".to_owned(),
            fixed: false,
        }
    }

    /// The fault of a file that was moved, or could not be.
    fn fault_after(&self, moved: Result<()>) -> Fault {
        let fault = self.fault();
        match moved {
            Ok(()) => Fault {
                fixed: true,
                ..fault
            },
            Err(error) => Fault {
                mend: format!("it stays where it is: {error}"),
                ..fault
            },
        }
    }
}

impl State {
    /// Moves files to where they belong, bytes unchanged, each as a change of
    /// its own; tells what came of it.
    pub(super) fn move_misplaced(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        misplaced: &[Misplaced],
    ) -> Vec<Fault> {
        if misplaced.is_empty() {
            return Vec::new();
        }
        let duplicates = duplicates(self).into_iter();
        let contested: BTreeSet<_> = duplicates.map(|duplicate| duplicate.id).collect();
        let mut holder = Holder {
            environment,
            changer,
        };
        let mut faults = Vec::new();
        for file in misplaced {
            let moved = if contested.contains(&file.id) {
                Err(is_contested(&file.id))
            } else {
                self.move_to_place(&mut holder, file)
            };
            faults.push(file.fault_after(moved));
        }
        faults
    }

    fn move_to_place(&mut self, holder: &mut Holder<'_, '_>, file: &Misplaced) -> Result<()> {
        let original = self.read_claimant(holder.environment, &file.path, &file.id)?;
        require_no_link(holder.environment, &file.path)?;
        // What can only be read is not moved either.
        let Original { memory, bytes } = &original;
        self.format
            .edit(bytes, memory, &memory.metadata, None, &[])?;
        let moved = Written {
            operation: Operation::Update,
            detail: format!("moved from {} to where it belongs", file.path),
            original: Some(original),
            content: None,
            path: file.place.clone(),
        };
        self.put(holder, moved, Vec::new()).map(drop)
    }
}

/// Which file an id means may depend on where its files lie.
fn is_contested(id: &str) -> Error {
    Error::InvalidArgument(format!(
        "several files claim the id `{id}`: decide which of them keeps it (`inkvault duplicates keep`)"
    ))
}
