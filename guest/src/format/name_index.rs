//! The list of file names for the start of a conversation, in formats whose
//! names say something.

use super::Language;
use crate::environment::VaultPath;
use crate::error::Result;

/// The file names that are shown at the start of a conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listed {
    /// The project at hand.
    pub project: String,
    /// The names of its notes.
    pub of_project: Vec<String>,
    /// The names of its own documents, which lie outside the vault.
    pub documents: Vec<String>,
    /// The names of the notes of no project.
    pub common: Vec<String>,
    /// The names of the notes in the vault itself.
    pub loose: Vec<String>,
    /// How many entries the staging pool has.
    pub staged: usize,
}

/// A list of file names as a text.
#[derive(Clone, Debug, PartialEq)]
pub struct NameList {
    /// The text; none where it would list nothing.
    pub text: Option<String>,
    /// How many names it has.
    pub entries: usize,
    /// Names left out for the length.
    pub omitted: usize,
}

/// How a format lists file names for the start of a conversation.
pub trait NameIndex {
    /// The directory of a project's notes, and that of the notes of no
    /// project.
    ///
    /// # Errors
    /// [`crate::Error::InvalidArgument`] for what is no name of a project.
    fn directories(&self, scope: &str) -> Result<[VaultPath; 2]>;

    /// Whether a file is listed.
    fn is_listed(&self, path: &VaultPath) -> bool;

    /// The text, of at most so many characters.
    fn render(&self, listed: &Listed, language: Language, most: usize) -> NameList;
}
