//! The trash: where forgotten memories lie, each under its id and the time.

use crate::change::feed;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Operation, Parsed};
use crate::timestamp::Timestamp;
use crate::vault::changing::{Holder, Original, Receipt, Written, check_revision};
use crate::vault::state::State;

/// The name of a memory's file in the trash (contract §4, `archiveEntry`).
pub(super) fn name(id: &str, now: Timestamp) -> String {
    format!("{id}-{}.md", now.millis())
}

/// The time in a name, if it is that of a memory.
fn time_of(name: &str, id: &str) -> Option<i64> {
    let rest = name.strip_prefix(id)?.strip_prefix('-')?;
    rest.strip_suffix(".md")?.parse().ok()
}

impl State {
    /// Brings the memory that was forgotten last under an id back, as it was.
    pub(super) fn restore_from_trash(
        &mut self,
        holder: &mut Holder<'_, '_>,
        id: &str,
        revision: Option<&str>,
        reason: &str,
    ) -> Result<Receipt> {
        let original = self.find_in_trash(holder.environment, id)?;
        check_revision(&original.memory, revision)?;
        let former = self.former_place(holder.environment, &original.memory.path)?;
        let new = || self.format.place(&original.memory.metadata, None);
        let written = Written {
            operation: Operation::Restore,
            detail: reason.to_owned(),
            content: None,
            path: former.unwrap_or_else(new),
            original: Some(original),
        };
        self.put(holder, written, Vec::new())
    }

    fn find_in_trash(&self, environment: &dyn Environment, id: &str) -> Result<Original> {
        let Some(trash) = self.format.capabilities().trash.map(VaultPath::known) else {
            return Err(self.unknown(id));
        };
        let entries = match environment.list(&trash) {
            Ok(entries) => entries,
            Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let named = entries
            .iter()
            .filter_map(|entry| Some((time_of(&entry.name, id)?, &entry.name)));
        let Some((_, name)) = named.max() else {
            return Err(self.unknown(id));
        };
        let path = trash.join(name);
        let (bytes, _) = environment::read_file(environment, &path)?;
        match self.format.parse(&path, &bytes, environment.now()) {
            Parsed::Memory(memory) if memory.metadata.id == id => Ok(Original {
                memory: *memory,
                bytes,
            }),
            _ => Err(Error::Corrupt(format!(
                "{path} is not the memory `{id}` any more: look at it, and move it back by hand"
            ))),
        }
    }

    /// Where a file lay before it came to the trash, as far as the feed tells.
    fn former_place(
        &self,
        environment: &dyn Environment,
        path: &VaultPath,
    ) -> Result<Option<VaultPath>> {
        let history = feed::history(environment, &self.private.feed())?;
        let mut files = history.iter().rev().flat_map(|change| &change.files);
        let moved = files.find(|file| file.path == path.as_str() && !file.from.is_empty());
        let former = moved.and_then(|file| VaultPath::parse(&file.from).ok());
        Ok(former.filter(|former| self.watch.covers(former)))
    }
}
