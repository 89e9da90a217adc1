//! Writing the file that other tools of a format read, piece by piece.

use crate::change::{Changer, PrivateFolder};
use crate::environment::{self, Environment, IoErrorKind, Open, OpenFile, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Export, Exported, TermView, TermVisitor};
use crate::index::{Index, Standing};

/// Bytes gathered before they are written.
const BUFFER: usize = 256 * 1024;

/// An export under way: its format, and the staged file it goes to.
pub(super) struct Exporting<'e> {
    environment: &'e dyn Environment,
    export: Box<dyn Export>,
    staged: VaultPath,
    file: Box<dyn OpenFile + 'e>,
    buffer: String,
    offset: u64,
}

impl<'e> Exporting<'e> {
    /// Begins an export into a staged file.
    pub(super) fn begin(
        environment: &'e dyn Environment,
        private: &PrivateFolder,
        export: Box<dyn Export>,
    ) -> Result<Self> {
        private.prepare_staging(environment)?;
        let staged = private.staged(export.path().name(), environment.random());
        let file = environment.open(&staged, Open::CreateNew)?;
        let mut exporting = Exporting {
            environment,
            export,
            staged,
            file,
            buffer: String::new(),
            offset: 0,
        };
        exporting.piece(|export, sink| export.begin(sink))?;
        Ok(exporting)
    }

    /// Adds a memory.
    pub(super) fn memory(&mut self, exported: Exported<'_>) -> Result<()> {
        self.piece(|export, sink| export.memory(exported, sink))
    }

    /// Ends the export and puts the file in its place; returns that, or none
    /// where the file that is there already is spared.
    pub(super) fn finish(
        mut self,
        index: &Index,
        changer: &Changer<'_>,
    ) -> Result<Option<VaultPath>> {
        let now = self.environment.now();
        self.piece(|export, sink| export.end(now, &Terms(index), sink))?;
        self.write_out()?;
        self.file.sync()?;
        let target = self.export.path();
        if self.export.spares_unchanged() && self.is_unchanged(&target)? {
            self.environment.unlink(&self.staged)?;
            return Ok(None);
        }
        changer.place_derived(&self.staged, &target)?;
        Ok(Some(target))
    }

    fn is_unchanged(&self, target: &VaultPath) -> Result<bool> {
        let there = match environment::read_file(self.environment, target) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let (written, _) = environment::read_file(self.environment, &self.staged)?;
        Ok(there == written)
    }

    fn piece(
        &mut self,
        write: impl FnOnce(&mut dyn Export, &mut dyn FnMut(&str) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let Exporting {
            export,
            buffer,
            file,
            offset,
            ..
        } = self;
        write(export.as_mut(), &mut |text| {
            buffer.push_str(text);
            if buffer.len() < BUFFER {
                return Ok(());
            }
            *offset = write_all(file.as_ref(), buffer, *offset)?;
            buffer.clear();
            Ok(())
        })
    }

    fn write_out(&mut self) -> Result<()> {
        self.offset = write_all(self.file.as_ref(), &self.buffer, self.offset)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Writes at an offset and returns the one after.
fn write_all(file: &dyn OpenFile, text: &str, offset: u64) -> Result<u64> {
    let mut rest = text.as_bytes();
    let mut offset = offset;
    while !rest.is_empty() {
        let taken = file.write(rest, offset)?;
        if taken == 0 {
            return Err(Error::Io(
                "the index file could not be written: the host took nothing".into(),
            ));
        }
        rest = rest.get(taken..).unwrap_or_default();
        offset += taken as u64;
    }
    Ok(offset)
}

/// The index as an export sees it.
struct Terms<'i>(&'i Index);

impl TermView for Terms<'_> {
    fn documents(&self) -> usize {
        self.0.len()
    }

    fn mean_length(&self) -> f64 {
        self.0.mean_length()
    }

    fn each_document(&self, visit: &mut dyn FnMut(&str, u32) -> Result<()>) -> Result<()> {
        let documents = self
            .0
            .documents()
            .filter(|(_, document)| document.standing == Standing::Live);
        let mut lengths: Vec<_> = documents
            .map(|(_, document)| (&*document.id, document.length()))
            .collect();
        lengths.sort_unstable();
        lengths
            .into_iter()
            .try_for_each(|(id, length)| visit(id, length))
    }

    fn each_term(&self, visit: &mut TermVisitor<'_>) -> Result<()> {
        self.0.each_term(visit)
    }
}
