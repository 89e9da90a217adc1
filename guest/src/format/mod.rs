//! The layouts a vault can have.
//!
//! A [`Format`] is pure: functions over values that describe where memories
//! lie, how a file reads and how it is written. It does no input or output
//! and knows neither the index nor the lock; the vault alone acts. A notion
//! that one format has and another lacks stands in its [`Capabilities`].

mod capabilities;
mod detection;
mod dsh_memory;
mod exports;
mod inkvault;
mod name_index;
mod operation;
mod pool;
mod simple;

use std::borrow::Cow;

pub use capabilities::{BodyLimit, Capabilities, Holds, Ids, Kinds, Place};
pub use detection::{Claim, FORMATS, Listing, detect, named};
pub use dsh_memory::{DshMemory, checksum};
pub use exports::{Export, Exported, Setting, Sink, TermView, TermVisitor};
pub use inkvault::{Inkvault, entry_id, title_from_body};
pub use name_index::{Listed, NameIndex, NameList};
pub use operation::{Event, JournalFiles, JournalRecord, Operation};
pub use pool::{Pool, Staged};
pub use simple::Simple;

use crate::document::{self, Document};
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Field, Memory, Metadata};
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;

/// Language of the text a vault generates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// Its code in settings: `en` or `zh`.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    /// The language that a caller names by its code.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where there is none of that code.
    pub fn read(code: &str) -> Result<Self> {
        Self::of_code(code).ok_or_else(|| {
            Error::InvalidArgument(format!("language: `{code}` is neither `en` nor `zh`"))
        })
    }

    /// The language of that code.
    pub fn of_code(code: &str) -> Option<Self> {
        [Language::English, Language::Chinese]
            .into_iter()
            .find(|language| language.code() == code)
    }
}

/// What `init` makes where it is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skeleton {
    /// A directory.
    Directory(VaultPath),
    /// A file with its content.
    File(VaultPath, String),
}

/// What a file turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Parsed {
    /// A memory.
    Memory(Box<Memory>),
    /// Somebody's note, none of ours.
    Ignored,
    /// Meant to be a memory and unusable; the text says why.
    Bad(String),
}

/// A layout of a vault, described.
pub trait Format: Sync {
    /// Its name: `inkvault`, `dsh-memory` or `simple`.
    fn name(&self) -> &'static str;

    /// What it can hold.
    fn capabilities(&self) -> &'static Capabilities;

    /// The language of a vault that names none.
    fn language(&self) -> Language {
        Language::default()
    }

    /// The folder for what is not a memory: index, journal, lock.
    fn private_folder(&self) -> &'static str;

    /// What goes into the private folder, and the folder itself, where it is
    /// made only when it is first needed.
    fn private_skeleton(&self) -> Vec<Skeleton> {
        Vec::new()
    }

    /// A directory whose entries tell whether this is a vault where no
    /// configuration does.
    fn telltale(&self, _listing: &Listing) -> Option<&'static str> {
        None
    }

    /// A file whose content tells whether this is a vault where no
    /// configuration does.
    fn telltale_page(&self, _listing: &Listing) -> Option<&'static str> {
        None
    }

    /// Whether a directory is a vault of this format.
    fn detect(&self, listing: &Listing) -> Claim;

    /// Why a vault of this format must not be changed although it can be read,
    /// such as a configuration that is gone or of a later version.
    fn obstacle(&self, _listing: &Listing) -> Option<String> {
        None
    }

    /// What a new vault consists of, made at `now`.
    fn skeleton(&self, language: Language, now: Timestamp) -> Vec<Skeleton>;

    /// The directories that hold memories.
    fn places(&self) -> &'static [Place];

    /// Whether a file in one of the places can be a memory, by its path.
    fn is_note(&self, path: &VaultPath) -> bool {
        path.markdown_stem()
            .is_some_and(|stem| !stem.starts_with('.'))
    }

    /// Reads a file. `assumed` stands in for dates that are missing.
    fn parse(&self, path: &VaultPath, bytes: &[u8], assumed: Timestamp) -> Parsed;

    /// The parts of a memory that are searched.
    fn fields<'m>(&self, memory: &'m Memory) -> Vec<(Field, Cow<'m, str>)>;

    /// What a memory says to an agent: its text, without what only orders the
    /// file.
    fn said<'m>(&self, memory: &'m Memory) -> Cow<'m, str> {
        Cow::Borrowed(&memory.body)
    }

    /// The title of a new memory of which only the text is given; empty where
    /// the text gives none.
    fn title_of(&self, body: &str) -> String {
        title_from_body(body)
    }

    /// What a memory is called in a commit message.
    fn called<'m>(&self, memory: &'m Memory) -> &'m str {
        &memory.metadata.title
    }

    /// How the terms of a memory are weighed.
    fn weighing(&self) -> Weighing;

    /// What a memory's score is multiplied with for what it says of itself, in
    /// narrow bounds around 1.
    fn prior(&self, _metadata: &Metadata) -> f64 {
        1.0
    }

    /// The format's kind for one of the kinds of capture, which are those of
    /// `inkvault`; `rule` is what found it.
    fn captured_kind<'k>(&self, kind: &'k str, _rule: &str) -> &'k str {
        kind
    }

    /// How text is cut into terms.
    fn tokenizer(&self) -> Tokenizer;

    /// The id that a caller means by a text.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where it cannot mean any.
    fn read_id<'t>(&self, text: &'t str) -> Result<Cow<'t, str>> {
        Ok(Cow::Borrowed(text))
    }

    /// Whether this is an id of the format.
    fn is_id(&self, text: &str) -> bool;

    /// Whether a word ends at a character, in which an id could be named.
    fn ends_word(&self, c: char) -> bool {
        document::ends_word(c)
    }

    /// Whether a word of a text is meant as an id: in a format whose ids can
    /// be almost any word, one of the usual shape.
    fn looks_like_id(&self, word: &str) -> bool {
        self.is_id(word)
    }

    /// A new id; `seed` is random.
    fn new_id(&self, now: Timestamp, seed: &str) -> String;

    /// Where a memory belongs: a new one, or one that lies at `current` and is
    /// what `metadata` says now.
    fn place(&self, metadata: &Metadata, current: Option<&VaultPath>) -> VaultPath;

    /// Checks what a file is to be named by, beyond the capabilities.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], which names the field.
    fn check_name(&self, _metadata: &Metadata) -> Result<()> {
        Ok(())
    }

    /// Checks the name of a project.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`].
    fn check_scope(&self, _scope: &str) -> Result<()> {
        Ok(())
    }

    /// Checks a place that a caller asked for, for a memory of which that is
    /// known.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where the format keeps no such memories
    /// there.
    fn check_place(&self, path: &VaultPath, metadata: &Metadata) -> Result<()>;

    /// The kind and the title that a file's name says; none where it says
    /// nothing.
    fn named_by(&self, _path: &VaultPath) -> Option<(String, String)> {
        None
    }

    /// The bytes of a new file. `metadata` keeps to the capabilities; dates
    /// are those of a place so many minutes ahead of UTC where the format's
    /// are local.
    fn create(&self, metadata: &Metadata, body: &str, utc_offset_minutes: i16) -> Vec<u8>;

    /// The bytes of a changed file: what differs between `before` and
    /// `after` is changed in `bytes`, all else stays as it is. A key of
    /// `given` is written even where the file's unusable value was read as
    /// just that.
    ///
    /// # Errors
    /// [`Error::Corrupt`] where the bytes are not the file of `before`.
    fn edit(
        &self,
        bytes: &[u8],
        before: &Memory,
        after: &Metadata,
        body: Option<&str>,
        given: &[&str],
    ) -> Result<Vec<u8>>;

    /// The text of `target` with that of `source` folded into it: what stands
    /// there stays, and the new part says where it comes from.
    fn fold(&self, target: &Memory, source: &Memory) -> String {
        format!(
            "{}\n\n## {} ({})\n\n{}",
            target.body.trim_end(),
            source.metadata.title,
            source.metadata.id,
            source.body.trim()
        )
    }

    /// The journal file and the line to append to it, without line end; none
    /// for an operation that the format's journal does not know.
    fn journal_line(&self, _event: &Event<'_>) -> Option<(VaultPath, String)> {
        None
    }

    /// Where the journal lies; none where the format keeps none.
    fn journal_files(&self) -> Option<JournalFiles> {
        None
    }

    /// What a line of the journal says; none where it is damaged or not of
    /// this format.
    fn journal_record(&self, _line: &str) -> Option<JournalRecord> {
        None
    }

    /// The files that other tools, and people, read beside the memories.
    fn exports(&self, _setting: &Setting) -> Vec<Box<dyn Export>> {
        Vec::new()
    }

    /// The one of them that is checked by [`Self::export_fault`].
    fn checked_export(&self) -> Option<VaultPath> {
        None
    }

    /// Whether that one says where the vault lies on the host.
    fn exports_vault_path(&self) -> bool {
        false
    }

    /// Where the vault lies on the host, as such a file says.
    fn exported_vault_path(&self, _bytes: &[u8]) -> Option<String> {
        None
    }

    /// Why a file that was passed over as somebody's note may be a memory
    /// that lost its frontmatter.
    fn doubt(&self, _path: &VaultPath, _bytes: &[u8]) -> Option<String> {
        None
    }

    /// What is wrong with such a file, for a vault of so many memories whose
    /// newest file was changed at `newest` milliseconds since 1970.
    fn export_fault(
        &self,
        _bytes: &[u8],
        _memories: usize,
        _newest: u64,
        _setting: &Setting,
    ) -> Option<String> {
        None
    }

    /// The staging pool, where the format has one.
    fn pool(&self) -> Option<&'static dyn Pool> {
        None
    }

    /// The list of file names, where the format has one.
    fn name_index(&self) -> Option<&'static dyn NameIndex> {
        None
    }
}

/// The text of a file, or why it is none.
fn utf8(bytes: &[u8]) -> std::result::Result<&str, String> {
    std::str::from_utf8(bytes)
        .map_err(|error| format!("it is not UTF-8 (byte {})", error.valid_up_to()))
}

/// The text of a key of a journal line; empty where it holds none.
fn journal_text(line: &serde_json::Value, key: &str) -> String {
    let text = line.get(key).and_then(serde_json::Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The frontmatter and body of a file that should have them.
fn document_of<'a>(bytes: &'a [u8], path: &VaultPath) -> Result<Document<'a>> {
    let text = utf8(bytes).map_err(|why| Error::Corrupt(format!("{path}: {why}")))?;
    Ok(Document::parse(text))
}
