//! Files for other tools, derived from the memories and written piece by
//! piece.

use super::Language;
use crate::environment::VaultPath;
use crate::error::Result;
use crate::memory::Memory;
use crate::timestamp::Timestamp;

/// What a format is told of the vault it describes.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Language of generated text.
    pub language: Language,
    /// Where the vault lies on the host, as far as anybody said.
    pub vault_path: Option<String>,
}

/// A memory's file, as an export sees it.
#[derive(Clone, Copy, Debug)]
pub struct Exported<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// The bytes of its file.
    pub bytes: &'a [u8],
    /// The file's time in milliseconds since 1970.
    pub mtime: f64,
}

/// The vault's terms, as an export sees them.
pub trait TermView {
    /// How many memories there are.
    fn documents(&self) -> usize;
    /// Mean length in tokens.
    fn mean_length(&self) -> f64;
    /// Every memory's id and length in tokens, by id.
    fn each_document(&self, visit: &mut dyn FnMut(&str, u32) -> Result<()>) -> Result<()>;
    /// Every term with the ids of its memories and its count in each, by
    /// term, then by id.
    fn each_term(&self, visit: &mut TermVisitor<'_>) -> Result<()>;
}

/// Is shown a term with the ids of its memories and its count in each.
pub type TermVisitor<'a> = dyn FnMut(&str, &[(&str, u32)]) -> Result<()> + 'a;

/// Takes the pieces of a text that is too long to hold at once.
pub type Sink<'a> = dyn FnMut(&str) -> Result<()> + 'a;

/// A file for other tools of the format, written piece by piece.
pub trait Export {
    /// Where it goes.
    fn path(&self) -> VaultPath;

    /// Whether a file that would be the same is left alone, its time too.
    fn spares_unchanged(&self) -> bool {
        false
    }

    /// What stands before the memories.
    ///
    /// # Errors
    /// Those of the sink; also below.
    fn begin(&mut self, sink: &mut Sink<'_>) -> Result<()>;

    /// One memory.
    ///
    /// # Errors
    /// Those of the sink.
    fn memory(&mut self, exported: Exported<'_>, sink: &mut Sink<'_>) -> Result<()>;

    /// What stands after them.
    ///
    /// # Errors
    /// Those of the sink.
    fn end(&mut self, now: Timestamp, terms: &dyn TermView, sink: &mut Sink<'_>) -> Result<()>;
}
