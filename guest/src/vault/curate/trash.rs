//! The trash: where forgotten memories lie, each under its id and the time.

use super::returning::Returning;
use crate::change::feed;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Format, Ids, Operation, Parsed};
use crate::memory::{Memory, Metadata, Status};
use crate::timestamp::Timestamp;
use crate::vault::changing::{
    Holder, Original, Receipt, check_revision, numbered, require_no_link,
};
use crate::vault::refresh::assumed_time;
use crate::vault::state::State;

/// Where a memory goes when it is forgotten: to the trash, in a format without
/// one to the archive.
///
/// # Errors
/// [`Error::InvalidArgument`] where it is there already.
pub(super) fn place_for(memory: &Memory, format: &dyn Format, now: Timestamp) -> Result<VaultPath> {
    let metadata = &memory.metadata;
    let path = match format.capabilities().trash {
        Some(trash) => VaultPath::known(trash).join(&name(&metadata.id, now)),
        None => {
            let archived = Metadata {
                status: Status::Archived,
                ..metadata.clone()
            };
            format.place(&archived, Some(&memory.path))
        }
    };
    if path == memory.path {
        return Err(Error::InvalidArgument(format!(
            "{path} was put away already: there is nothing to forget"
        )));
    }
    Ok(path)
}

/// The name of a memory's file in the trash (contract §4, `archiveEntry`).
fn name(id: &str, now: Timestamp) -> String {
    format!("{id}-{}.md", now.millis())
}

/// The id and the milliseconds that the name of a file in the trash says; none
/// where it is none of ours.
pub(in crate::vault) fn read_name(file: &VaultPath) -> Option<(&str, i64)> {
    let (id, millis) = file.markdown_stem()?.rsplit_once('-')?;
    let is_time = millis.bytes().all(|byte| byte.is_ascii_digit());
    Some((id, millis.parse().ok().filter(|_| is_time)?))
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
        let environment = holder.environment;
        let original = self.find_in_trash(environment, id)?;
        check_revision(&original.memory, revision)?;
        let mut returning = [Returning {
            path: self.place_back(environment, &original.memory)?,
            then: original.clone(),
            now: original,
        }];
        let notes = self.reconcile(environment, &mut returning)?;
        let [returning] = returning;
        let written = returning.written(Operation::Restore, reason.to_owned());
        let mut receipt = self.put(holder, written, Vec::new())?;
        receipt.notes.extend(notes);
        Ok(receipt)
    }

    /// Whether a file lies directly in the trash.
    pub(super) fn is_in_trash(&self, path: &VaultPath) -> bool {
        let trash = self.format.capabilities().trash.map(VaultPath::known);
        trash == Some(path.parent()) && self.format.is_note(path)
    }

    /// The memory that was forgotten last under an id, if there is one and its
    /// file is still that memory.
    pub(super) fn look_in_trash(
        &self,
        environment: &dyn Environment,
        id: &str,
    ) -> Result<Option<Original>> {
        if !self.format.is_id(id) {
            return Ok(None);
        }
        match self.find_in_trash(environment, id) {
            Ok(original) => Ok(Some(original)),
            Err(Error::Io(why)) => Err(Error::Io(why)),
            Err(_) => Ok(None),
        }
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
        let files = entries.iter().map(|entry| trash.join(&entry.name));
        let of_id = files.filter_map(|file| {
            let (_, time) = read_name(&file).filter(|(of, _)| *of == id)?;
            Some((time, file))
        });
        let Some((_, path)) = of_id.max() else {
            return Err(self.unknown(id));
        };
        require_no_link(environment, &path)?;
        let (bytes, seen) = environment::read_file(environment, &path)?;
        match self.format.parse(&path, &bytes, assumed_time(seen.mtime)) {
            Parsed::Memory(memory) if memory.metadata.id == id => Ok(Original {
                memory: *memory,
                bytes,
            }),
            _ => Err(Error::Corrupt(format!(
                "{path} is not the memory `{id}` any more: look at it, and move it back by hand"
            ))),
        }
    }

    /// Where a memory in the trash can come back to: where it lay before, or
    /// else where a memory of its kind belongs.
    fn place_back(&self, environment: &dyn Environment, memory: &Memory) -> Result<VaultPath> {
        let usual = self.format.place(&memory.metadata, None);
        let former = self.former_place(environment, &memory.path)?;
        for place in former.iter().chain([&usual]) {
            if is_free(environment, place)? {
                return Ok(place.clone());
            }
        }
        Err(Error::AlreadyExists(format!(
            "{usual} is there already and is another memory: move it away, then restore `{}` again",
            memory.metadata.id
        )))
    }

    /// The present id of a memory that had another one before it was moved, in
    /// a format where ids are places; as far as the feed tells.
    pub(super) fn known_as(
        &self,
        environment: &dyn Environment,
        id: &str,
    ) -> Result<Option<String>> {
        if self.format.capabilities().ids == Ids::Drawn {
            return Ok(None);
        }
        let history = feed::history(environment, &self.private.feed())?;
        let files: Vec<_> = history.iter().flat_map(|change| &change.files).collect();
        let Some(mut at) = files.iter().rposition(|file| file.id_before == id) else {
            return Ok(None);
        };
        let mut present = &files[at].id;
        while let Some(step) = files.iter().skip(at + 1).position(|file| {
            file.id_before == *present || (file.id == *present && !file.id_before.is_empty())
        }) {
            at += 1 + step;
            if files[at].id_before != *present {
                // Another memory came to that place since.
                return Ok(None);
            }
            present = &files[at].id;
        }
        Ok(self
            .index
            .find(present)
            .map(|(_, document)| document.id.to_string()))
    }

    /// Where a memory comes back to that is known by its place: where it lay
    /// before, if that is known and free. None where its place follows from
    /// what it says.
    pub(super) fn place_taken_back(
        &self,
        environment: &dyn Environment,
        memory: &Memory,
    ) -> Result<Option<VaultPath>> {
        if self.format.capabilities().ids == Ids::Drawn {
            return Ok(None);
        }
        let former = self.former_place(environment, &memory.path)?;
        match former {
            Some(former) if is_free(environment, &former)? => Ok(Some(former)),
            _ => Ok(None),
        }
    }

    /// Where a memory goes when the change that made it is undone.
    pub(super) fn place_to_put_away(
        &self,
        environment: &dyn Environment,
        memory: &Memory,
    ) -> Result<VaultPath> {
        let path = place_for(memory, self.format, environment.now())?;
        match self.format.capabilities().trash {
            None if !is_free(environment, &path)? => numbered(environment, &path),
            _ => Ok(path),
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
        Ok(former.filter(|former| self.keeps(former)))
    }
}

fn is_free(environment: &dyn Environment, path: &VaultPath) -> Result<bool> {
    match environment.stat(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_the_trash_is_an_id_and_digits() {
        let read =
            |name: &str| read_name(&VaultPath::known(name)).map(|(id, at)| (id.to_owned(), at));
        assert_eq!(read(".trash/m-1-ab-17.md"), Some(("m-1-ab".into(), 17)));
        for name in [
            "m-1-ab.md",
            "m-1-ab-.md",
            "m-1-ab-+17.md",
            "m-1-ab-17",
            "m-1-ab-17.txt",
            "m-1-ab-99999999999999999999.md",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
    }
}
