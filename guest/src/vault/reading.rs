//! Reading the memories that an answer shows, as their files are now.

use super::state::State;
use crate::environment::Environment;
use crate::error::{Error, Result};
use crate::index::{DocumentNumber, Standing};
use crate::memory::Memory;

/// How often an answer is made anew because a file changed while it was made.
const REPEATS: usize = 2;

/// What became of reading a memory's file.
pub(super) enum Reading {
    /// The memory.
    Memory(Box<Memory>),
    /// The file is gone, or no longer that memory; the index knows by now.
    Gone,
    /// It is there and cannot be read.
    Unreadable(Error),
}

/// A memory on its way into an answer.
pub(super) enum Shown {
    /// It is as it was indexed.
    Memory(Box<Memory>),
    /// It has changed since; the index knows by now, and the answer has to be
    /// made anew.
    Changed,
    /// It cannot be read and is left out; a note says so.
    Unreadable,
}

/// Makes an answer, and makes it anew while the attempt says that a file
/// changed under it, up to a few times.
pub(super) fn settled<T>(mut attempt: impl FnMut() -> Result<(T, bool)>) -> Result<T> {
    for _ in 0..REPEATS {
        let (answer, changed) = attempt()?;
        if !changed {
            return Ok(answer);
        }
    }
    Ok(attempt()?.0)
}

impl State {
    /// Reads a memory for an answer. One bad file never stops an answer.
    pub(super) fn show(
        &mut self,
        environment: &dyn Environment,
        number: DocumentNumber,
    ) -> Result<Shown> {
        let memory = match self.read(environment, number)? {
            Reading::Memory(memory) => memory,
            Reading::Gone => return Ok(Shown::Changed),
            Reading::Unreadable(error) => {
                self.note(format!("{error}; the memory is left out of answers"));
                return Ok(Shown::Unreadable);
            }
        };
        // A changed file was taken in anew, under another number.
        let document = self.index.document(number);
        let same = document.is_some_and(|document| document.standing == Standing::Live);
        Ok(if same {
            Shown::Memory(memory)
        } else {
            Shown::Changed
        })
    }
}
