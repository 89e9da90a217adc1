//! Files that claim one id: which of them keeps it is a person's decision
//! (dsh-memory format §9).

use super::{Change, recorded};
use crate::environment::{self, Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::Operation;
use crate::memory::{Memory, Metadata, Status};
use crate::text::characters;
use crate::vault::Vault;
use crate::vault::changing::{Holder, Receipt, Written, require_no_link};
use crate::vault::refresh::Look;
use crate::vault::state::State;

/// Most paths that an error names.
const SHOWN: usize = 5;

/// What becomes of the other files that claim an id.
#[derive(Default)]
struct Copies {
    /// The new id of each.
    ids: Vec<String>,
    /// Their files, in the same order.
    files: Vec<Written>,
}

impl Vault {
    /// Keeps the file at `path` as it is, of all that claim an id. Each of
    /// the others gets an id of its own, is archived, and goes where the
    /// format keeps archived memories. The receipt is that of the memory which
    /// keeps the id; its notes name the new ids.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where the file does not claim the id or is
    /// the only one that does, [`Error::NotFound`] where none does,
    /// [`Error::Unsupported`] where the format has no archive or one of the
    /// others is a symbolic link, [`Error::RevisionConflict`],
    /// [`Error::Busy`], [`Error::ReadOnly`], [`Error::Io`]; the vault is as
    /// before.
    pub fn keep_duplicate(&mut self, id: &str, path: &str, reason: &str) -> Result<Receipt> {
        if self.environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let path = VaultPath::parse(path)?;
        Change::Archive.check(self.open()?.1.format.capabilities())?;
        self.changing(|state, holder| state.keep_duplicate(holder, id, &path, reason))
    }
}

impl State {
    fn keep_duplicate(
        &mut self,
        holder: &mut Holder<'_, '_>,
        id: &str,
        path: &VaultPath,
        reason: &str,
    ) -> Result<Receipt> {
        let environment = holder.environment;
        // Any file can have come to claim the id, by an edit in place too.
        self.refresh(environment, Look::Files)?;
        let others = self.other_claimants(id, path)?;
        let kept = self.read_claimant(environment, path, id)?.memory;
        let mut copies = Copies::default();
        for other in &others {
            self.archive_copy(environment, other, &kept, reason, &mut copies)?;
        }
        let told = copies.told(&others);
        let mut files = copies.files.into_iter();
        let first = files.next().ok_or_else(|| alone(id, path))?;
        let put = self.put(holder, first, files.collect())?;
        Ok(Receipt {
            commit_message: self.commit_message(Operation::KeepDuplicate, &kept),
            memory: kept,
            notes: [put.notes, told].concat(),
            ..put
        })
    }

    /// The files that claim an id beside the one at `path`.
    fn other_claimants(&self, id: &str, path: &VaultPath) -> Result<Vec<VaultPath>> {
        let files = self.index.files().map(|(_, document)| document);
        let claiming = files.filter(|document| *document.id == *id);
        let mut paths: Vec<_> = claiming.map(|document| document.path()).collect();
        paths.sort_unstable();
        match paths.iter().position(|claimant| claimant == path) {
            _ if paths.is_empty() => Err(self.unknown(id)),
            None => Err(no_claimant(id, path, &paths)),
            Some(_) if paths.len() == 1 => Err(alone(id, path)),
            Some(at) => {
                paths.remove(at);
                Ok(paths)
            }
        }
    }

    /// Adds what becomes of one of the other files.
    fn archive_copy(
        &self,
        environment: &dyn Environment,
        path: &VaultPath,
        kept: &Memory,
        reason: &str,
        copies: &mut Copies,
    ) -> Result<()> {
        let original = self.read_claimant(environment, path, &kept.metadata.id)?;
        require_no_link(environment, path)?;
        let before = &original.memory;
        let after = Metadata {
            id: self.free_id(environment, &copies.ids)?,
            status: Status::Archived,
            updated: environment.now().max(before.metadata.created),
            // Who contradicts the id contradicts the memory that keeps it.
            conflicts_with: Vec::new(),
            ..before.metadata.clone()
        };
        let content = self
            .format
            .edit(&original.bytes, before, &after, None, &[])?;
        let place = self.place_of_copy(environment, path, &after, kept, &copies.files)?;
        copies.ids.push(after.id);
        copies.files.push(Written {
            operation: Operation::Archive,
            detail: detail(kept, reason),
            original: Some(original),
            content: Some(content),
            path: place,
        });
        Ok(())
    }

    /// Where a copy goes: under its own name where that is free and not also
    /// the kept file's, for which a link would take it; else under a new one.
    fn place_of_copy(
        &self,
        environment: &dyn Environment,
        path: &VaultPath,
        after: &Metadata,
        kept: &Memory,
        copies: &[Written],
    ) -> Result<VaultPath> {
        let place = self.format.place(after, Some(path));
        let is_taken = place.name() == kept.path.name()
            || copies.iter().any(|copy| copy.path == place)
            || (place != *path && environment::is_there(environment, &place)?);
        Ok(if is_taken {
            self.format.place(after, None)
        } else {
            place
        })
    }
}

impl Copies {
    /// What a person should know of each: where it was, and what it is now.
    fn told(&self, from: &[VaultPath]) -> Vec<String> {
        let ids = self.ids.iter().zip(&self.files);
        let told = from.iter().zip(ids);
        told.map(|(from, (id, file))| format!("{from} is archived as `{id}`: {}", file.path))
            .collect()
    }
}

/// Why a copy was archived, for the journal.
fn detail(kept: &Memory, reason: &str) -> String {
    let why = format!("{} keeps the id {}", kept.path, kept.metadata.id);
    match recorded(reason).as_str() {
        "" => why,
        reason => format!("{why}: {reason}"),
    }
}

fn no_claimant(id: &str, path: &VaultPath, claimants: &[VaultPath]) -> Error {
    let shown = claimants.iter().take(SHOWN).map(VaultPath::as_str);
    Error::InvalidArgument(format!(
        "path: {path} does not claim the id `{}`: name one of {}",
        characters::cut(id, 80),
        shown.collect::<Vec<_>>().join(", ")
    ))
}

fn alone(id: &str, path: &VaultPath) -> Error {
    Error::InvalidArgument(format!(
        "{path} is the only file that claims the id `{}`: there is nothing to decide",
        characters::cut(id, 80)
    ))
}
