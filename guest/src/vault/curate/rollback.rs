//! Rolling a memory back to what it was at an earlier time, of which a host
//! kept the bytes (simple memory design §三.8).

use super::recorded;
use super::returning::Returning;
use crate::environment::{Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Operation, Parsed};
use crate::text::characters;
use crate::vault::Vault;
use crate::vault::changing::{Holder, Original, Receipt, Written, check_revision};
use crate::vault::grounds;
use crate::vault::state::State;

/// A memory's file at an earlier time.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// Where it lay.
    pub path: &'a str,
    /// What it held.
    pub content: &'a [u8],
}

impl Vault {
    /// Makes a memory what it was at an earlier time, place and text. One
    /// that is not there any more comes back. With `revision`,
    /// compare-and-swap.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where the bytes are not that memory's or the
    /// place is none of a memory, [`Error::NotFound`] for what can be no id,
    /// [`Error::AlreadyExists`] where the place is taken,
    /// [`Error::RevisionConflict`], [`Error::Busy`], [`Error::ReadOnly`],
    /// [`Error::Io`]; the vault is as before.
    pub fn roll_back(
        &mut self,
        id: &str,
        earlier: Earlier<'_>,
        revision: Option<&str>,
        reason: &str,
    ) -> Result<Receipt> {
        let reason = recorded(reason);
        self.changing(|state, holder| {
            let id = state.read_id(id)?;
            state.roll_back(holder, &id, earlier, revision, &reason)
        })
    }
}

impl State {
    fn roll_back(
        &mut self,
        holder: &mut Holder<'_, '_>,
        id: &str,
        earlier: Earlier<'_>,
        revision: Option<&str>,
        reason: &str,
    ) -> Result<Receipt> {
        let environment = holder.environment;
        let then = self.earlier_memory(environment, id, earlier)?;
        let path = then.memory.path.clone();
        let there = if self.is_known(environment, id)? {
            Some(id.to_owned())
        } else {
            self.known_as(environment, id)?
        };
        let there = match there.map(|there| self.read_for_change(environment, &there)) {
            // Nowhere, or removed by hand since it was last looked for.
            None | Some(Err(Error::NotFound(_))) => None,
            Some(there) => Some(there?),
        };
        if let Some(there) = &there {
            check_revision(&there.memory, revision)?;
        }
        let now = there.clone().unwrap_or_else(|| self.nowhere(&then));
        let mut returning = [Returning { now, then, path }];
        let notes = self.reconcile(environment, &mut returning)?;
        let [returning] = returning;
        let written = Written {
            original: there,
            ..returning.written(Operation::RollBack, reason.to_owned())
        };
        let mut receipt = self.put(holder, written, Vec::new())?;
        receipt.notes.extend(notes);
        Ok(receipt)
    }

    /// A memory that is not in the vault: what it said counts for nothing.
    fn nowhere(&self, then: &Original) -> Original {
        let mut now = then.clone();
        now.memory.path = self.private.path().clone();
        now
    }

    /// The memory that the bytes of an earlier time are.
    fn earlier_memory(
        &self,
        environment: &dyn Environment,
        id: &str,
        earlier: Earlier<'_>,
    ) -> Result<Original> {
        let path = VaultPath::parse(earlier.path)?;
        if !self.format.is_id(id) {
            return Err(self.unknown(id));
        }
        if !self.format.is_note(&path) || !grounds::keeps(self.format, &path) {
            return Err(Error::InvalidArgument(format!(
                "path: {path} is no place of a memory in this vault"
            )));
        }
        match self.format.parse(&path, earlier.content, environment.now()) {
            Parsed::Memory(memory) if self.can_be(&memory, id) => Ok(Original {
                memory: *memory,
                bytes: earlier.content.to_vec(),
            }),
            _ => Err(Error::InvalidArgument(format!(
                "content: these bytes are not the memory `{}`",
                characters::cut(id, 80)
            ))),
        }
    }
}
