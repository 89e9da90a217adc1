//! The layouts a vault can have.
//!
//! A [`Format`] is pure: functions over values that describe where memories
//! lie, how a file reads and how it is written. It does no input or output
//! and knows neither the index nor the lock; the vault alone acts. A notion
//! that one format has and another lacks stands in its [`Capabilities`].

mod dsh_memory;
mod inkvault;
mod simple;

use std::borrow::Cow;
use std::ops::Range;

pub use dsh_memory::{DshMemory, checksum};
pub use inkvault::{Inkvault, entry_id, title_from_body};
pub use simple::Simple;

use crate::document::{self, Document};
use crate::environment::{Entry, FileKind, VaultPath};
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Area, Field, Memory, Metadata, Status};
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

/// The names a memory's kind can have.
#[derive(Clone, Copy, Debug)]
pub enum Kinds {
    /// These and no others; the first is the default.
    Closed(&'static [&'static str]),
    /// Any name the format's rules allow; these are suggested, the first is
    /// the default.
    Open(&'static [&'static str]),
}

/// How long a text may be.
#[derive(Clone, Copy, Debug)]
pub enum BodyLimit {
    /// So many characters.
    Characters(usize),
    /// So many bytes of UTF-8, blanks around the text not counted.
    Bytes(usize),
}

/// How memories come by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// One is drawn when a memory is written, and kept for its life.
    Drawn,
    /// A memory is known by the place of its file: it has another id when it
    /// is moved or renamed, and what it is called decides its place.
    Places,
}

/// The optional values a format can hold, one flag each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// Topics.
    pub tags: bool,
    /// Other names.
    pub aliases: bool,
    /// How sure it is.
    pub confidence: bool,
    /// How much it matters.
    pub importance: bool,
    /// Kept in view.
    pub pinned: bool,
    /// Standing directives.
    pub delivery: bool,
    /// How it came to be.
    pub source: bool,
    /// The conversation it came from.
    pub origin: bool,
    /// What supports it.
    pub evidence: bool,
    /// What it replaces, what replaced it, what it contradicts.
    pub relations: bool,
    /// What it was in the vault it was converted from.
    pub converted_from: bool,
    /// Projects.
    pub scope: bool,
}

/// What a format can hold.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The kinds.
    pub kinds: Kinds,
    /// The statuses a memory can be given.
    pub statuses: &'static [Status],
    /// The optional values.
    pub holds: Holds,
    /// How memories come by their ids.
    pub ids: Ids,
    /// What lies in cold areas, and what is archived, is found by a search
    /// that does not ask for it, after all that is active.
    pub searches_cold: bool,
    /// Longest title in characters.
    pub title_limit: usize,
    /// Most tags.
    pub tag_limit: usize,
    /// Longest text.
    pub body_limit: BodyLimit,
    /// How many active memories there should be at most, if the format says.
    pub most_active: Option<usize>,
    /// Where bad files are moved by `rebuild-index` and `verify`, if at all.
    pub quarantine: Option<&'static str>,
    /// Where forgotten memories are moved; none where they are archived.
    pub trash: Option<&'static str>,
    /// How sure a new memory is of which nobody says it.
    pub default_confidence: f64,
    /// How sure a memory is at least once a person confirmed it.
    pub confirmed_confidence: f64,
    /// How sure a memory must be to be recalled and to be a directive.
    pub least_confidence: f64,
    /// A pinned memory is a directive, whatever its delivery.
    pub pinned_is_directive: bool,
}

/// A directory that holds memories.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The directory; empty for the vault itself.
    pub directory: &'static str,
    /// Which part of the vault it is.
    pub area: Area,
    /// How many levels of directories below it are read too.
    pub depth: u8,
}

/// What `init` makes where it is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Skeleton {
    /// A directory.
    Directory(VaultPath),
    /// A file with its content.
    File(VaultPath, String),
}

/// The top of a directory, for telling formats apart.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The names in it.
    pub entries: Vec<Entry>,
    /// The `config.json` of each private folder in it, by the folder's name.
    pub configs: Vec<(String, Vec<u8>)>,
    /// The names in each telltale directory, by the directory.
    pub telltales: Vec<(String, Vec<Entry>)>,
    /// The content of each telltale page, by its name.
    pub pages: Vec<(String, Vec<u8>)>,
}

impl Listing {
    /// Whether there is a directory of that name.
    pub fn has_directory(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name == name && entry.kind == FileKind::Directory)
    }

    /// Whether a telltale directory holds an entry of which that is true.
    pub fn holds(&self, directory: &str, is_sign: impl Fn(&Entry) -> bool) -> bool {
        let mut known = self.telltales.iter().filter(|(name, _)| name == directory);
        known.any(|(_, entries)| entries.iter().any(&is_sign))
    }

    /// The content of a telltale page.
    pub fn page(&self, name: &str) -> Option<&[u8]> {
        let mut pages = self.pages.iter();
        pages
            .find(|(known, _)| known == name)
            .map(|(_, page)| &**page)
    }

    /// Whether there is a file of that name.
    pub fn has_file(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.name == name && entry.kind == FileKind::File)
    }

    /// The configuration in a private folder, as far as it is JSON.
    pub fn config(&self, folder: &str) -> Option<serde_json::Value> {
        let (_, bytes) = self.configs.iter().find(|(name, _)| name == folder)?;
        serde_json::from_slice(bytes).ok()
    }
}

/// How surely a directory is a vault of a format.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// It is not.
    None,
    /// Its directories look like it.
    Likely,
    /// Its private folder says so.
    Sure,
    /// Its private folder belongs to another product; the text says which.
    Foreign(String),
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

/// What happened to a memory or the vault, for journal and feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A memory was made.
    Create,
    /// A memory was changed.
    Update,
    /// A pending memory or one in conflict became active.
    Confirm,
    /// A pending memory was moved to the trash.
    Reject,
    /// A memory was taken out of force.
    Archive,
    /// A memory came back to where it was before.
    Restore,
    /// A memory was marked as out of date.
    Stale,
    /// A memory was marked as replaced.
    Supersede,
    /// Two memories were marked as contradicting each other.
    Conflict,
    /// A memory's text was folded into another.
    Merge,
    /// A memory was kept in view.
    Pin,
    /// A memory was no longer kept in view.
    Unpin,
    /// A memory went from a project to the whole vault.
    Promote,
    /// A memory reaches agents in another way.
    Deliver,
    /// A memory was moved to the trash.
    Forget,
    /// A change was undone.
    Undo,
    /// A memory became what it was at an earlier time.
    RollBack,
    /// An entry was added to the staging pool.
    Stage,
    /// An entry was removed from the staging pool.
    Unstage,
    /// Of several files that claim an id one was chosen to keep it.
    KeepDuplicate,
    /// A bad file was moved out of the way.
    Quarantine,
    /// The index was built anew.
    Rebuild,
    /// The vault was made.
    Init,
}

impl Operation {
    /// Its name in the feed.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Create => "create",
            Operation::Update => "update",
            Operation::Confirm => "confirm",
            Operation::Reject => "reject",
            Operation::Archive => "archive",
            Operation::Restore => "restore",
            Operation::Stale => "stale",
            Operation::Supersede => "supersede",
            Operation::Conflict => "conflict",
            Operation::Merge => "merge",
            Operation::Pin => "pin",
            Operation::Unpin => "unpin",
            Operation::Promote => "promote",
            Operation::Deliver => "deliver",
            Operation::Forget => "forget",
            Operation::Undo => "undo",
            Operation::RollBack => "roll-back",
            Operation::Stage => "stage",
            Operation::Unstage => "unstage",
            Operation::KeepDuplicate => "keep-duplicate",
            Operation::Quarantine => "quarantine",
            Operation::Rebuild => "rebuild",
            Operation::Init => "init",
        }
    }
}

/// One event to be told in the journal.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// When.
    pub time: Timestamp,
    /// What.
    pub operation: Operation,
    /// To which memory; empty for the vault as a whole.
    pub id: &'a str,
    /// In which file.
    pub path: &'a str,
    /// Why, or anything else worth keeping; empty where there is nothing.
    pub detail: &'a str,
    /// The memory before the change.
    pub before: Option<&'a Memory>,
    /// The memory after the change.
    pub after: Option<&'a Memory>,
}

/// What a format is told of the vault it describes.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Language of generated text.
    pub language: Language,
    /// Where the vault lies on the host, as far as anybody said.
    pub vault_path: Option<String>,
}

/// Where a format's journal lies.
#[derive(Clone, Copy, Debug)]
pub enum JournalFiles {
    /// In one file.
    One(&'static str),
    /// In the files of a directory whose names say so, the newest last by
    /// name.
    Many {
        /// The directory.
        directory: &'static str,
        /// Whether a name in it is that of a journal file.
        is_journal: fn(&str) -> bool,
    },
}

/// What a line of a journal says.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalRecord {
    /// When.
    pub time: Timestamp,
    /// What was done, in the journal's own word.
    pub operation: String,
    /// To which memory; empty where it was the vault as a whole.
    pub id: String,
    /// In which file; empty where the line names none.
    pub path: String,
    /// Anything else the line says; empty where there is nothing.
    pub detail: String,
}

/// An entry of a staging pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Its day, `2026-08-18`.
    pub date: String,
    /// The project it comes from.
    pub scope: Option<String>,
    /// What it says.
    pub text: String,
    /// Where it stands in the file, line end included.
    pub part: Range<usize>,
}

/// A file of candidates that a person goes through now and then.
pub trait Pool {
    /// The file.
    fn file(&self) -> VaultPath;

    /// The entries in its text, in its order.
    fn entries(&self, text: &str) -> Vec<Staged>;

    /// The text with an entry added, or that of a new file with it.
    fn add(&self, text: Option<&str>, entry: &Staged, language: Language) -> String;
}

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
    /// [`Error::InvalidArgument`] for what is no name of a project.
    fn directories(&self, scope: &str) -> Result<[VaultPath; 2]>;

    /// Whether a file is listed.
    fn is_listed(&self, path: &VaultPath) -> bool;

    /// The text, of at most so many characters.
    fn render(&self, listed: &Listed, language: Language, most: usize) -> NameList;
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

/// All formats.
pub const FORMATS: [&dyn Format; 3] = [&Inkvault, &DshMemory, &Simple];

/// The format of a name.
///
/// # Errors
/// [`Error::InvalidArgument`] for an unknown name.
pub fn named(name: &str) -> Result<&'static dyn Format> {
    let mut formats = FORMATS.into_iter();
    formats.find(|format| format.name() == name).ok_or_else(|| {
        let known = FORMATS.map(Format::name);
        Error::InvalidArgument(format!(
            "format `{name}` is unknown: use {}",
            known.join(", ")
        ))
    })
}

/// Tells which format a directory has; none where it is no vault.
///
/// # Errors
/// [`Error::Refused`] where a private folder belongs to another product.
pub fn detect(listing: &Listing) -> Result<Option<&'static dyn Format>> {
    let claims: Vec<_> = FORMATS
        .iter()
        .map(|format| (format.detect(listing), *format))
        .collect();
    if let Some((Claim::Foreign(why), _)) = claims
        .iter()
        .find(|(claim, _)| matches!(claim, Claim::Foreign(_)))
    {
        return Err(Error::Refused(why.clone()));
    }
    let best = claims
        .into_iter()
        .filter(|(claim, _)| *claim != Claim::None)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    Ok(best.map(|(_, format)| format))
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
