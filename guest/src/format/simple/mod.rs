//! The `simple` format (simple memory design): plain notes without
//! frontmatter. Category and topic are in the file's name, project and status
//! in its directory, the date in its first line.

mod index_text;
mod names;
mod note;
mod skeleton;
mod staging;

use std::borrow::Cow;

use super::{
    BodyLimit, Capabilities, Claim, Event, Export, Format, Holds, Ids, JournalFiles, JournalRecord,
    Kinds, Language, Listed, Listing, NameIndex, NameList, Parsed, Place, Pool, Setting, Skeleton,
    Staged, utf8,
};
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Area, Assumptions, Field, Memory, Metadata, Status, fingerprint};
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;

const PRIVATE: &str = ".inkvault";

/// The language of a vault that names none: that of the design's own words.
const LANGUAGE: Language = Language::Chinese;

/// How many levels of directories are read below each place.
const DEPTH: u8 = 8;

static CAPABILITIES: Capabilities = Capabilities {
    kinds: Kinds::Open(&["背景", "踩坑", "流程", "决策", "偏好"]),
    statuses: &[Status::Active, Status::Archived],
    holds: Holds {
        tags: false,
        aliases: false,
        confidence: false,
        importance: false,
        pinned: false,
        delivery: false,
        source: false,
        origin: false,
        evidence: false,
        relations: false,
        converted_from: false,
        scope: true,
    },
    ids: Ids::Places,
    searches_cold: true,
    title_limit: usize::MAX,
    tag_limit: 0,
    body_limit: BodyLimit::Bytes(2048),
    most_active: Some(200),
    quarantine: None,
    trash: None,
    default_confidence: 0.5,
    confirmed_confidence: 0.0,
    least_confidence: 0.0,
    pinned_is_directive: false,
};

static PLACES: [Place; 5] = [
    place(names::COMMON, Area::Active),
    place(names::PROJECTS, Area::Active),
    place(names::REFERENCES, Area::Cold),
    place(names::ARCHIVE, Area::Cold),
    place("", Area::Active),
];

const fn place(directory: &'static str, area: Area) -> Place {
    Place {
        directory,
        area,
        depth: DEPTH,
    }
}

/// The `simple` format.
#[derive(Clone, Copy, Debug)]
pub struct Simple;

impl Format for Simple {
    fn name(&self) -> &'static str {
        "simple"
    }

    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn language(&self) -> Language {
        LANGUAGE
    }

    fn private_folder(&self) -> &'static str {
        PRIVATE
    }

    fn private_skeleton(&self) -> Vec<Skeleton> {
        skeleton::private(LANGUAGE)
    }

    /// By the configuration, where there is one; else by the directories that
    /// git keeps, which are those with a file in them.
    fn detect(&self, listing: &Listing) -> Claim {
        if let Some(config) = listing.config(PRIVATE) {
            let named = config.get("format").and_then(serde_json::Value::as_str);
            return match named {
                Some("simple") => Claim::Sure,
                _ => Claim::None,
            };
        }
        let has_pool = listing.has_file(staging::FILE);
        let has = |directory| listing.has_directory(directory);
        let has_notes = has(names::COMMON) && has(names::PROJECTS);
        let has_any = has(names::COMMON) || has(names::PROJECTS);
        if has_notes || (has_pool && has_any) {
            Claim::Likely
        } else {
            Claim::None
        }
    }

    fn skeleton(&self, language: Language, _now: Timestamp) -> Vec<Skeleton> {
        skeleton::skeleton(language)
    }

    fn places(&self) -> &'static [Place] {
        &PLACES
    }

    fn is_note(&self, path: &VaultPath) -> bool {
        let is_hidden = path.as_str().split('/').any(|part| part.starts_with('.'));
        let is_page = path.parent().is_root()
            && (path.name() == staging::FILE || names::is_readme(path.name()));
        path.markdown_stem().is_some() && !is_hidden && !is_page
    }

    fn parse(&self, path: &VaultPath, bytes: &[u8], assumed: Timestamp) -> Parsed {
        let text = match utf8(bytes) {
            Ok(text) => text,
            Err(why) => return Parsed::Bad(why),
        };
        let stem = path.markdown_stem().unwrap_or(path.name());
        let note = note::Note::read(text, stem);
        let (kind, title) = names::parts(stem);
        let created = note.date.unwrap_or(assumed);
        let metadata = Metadata {
            id: id_at(path),
            title: title.to_owned(),
            status: match names::is_archived(path) {
                true => Status::Archived,
                false => Status::Active,
            },
            updated: assumed.max(created),
            scope: names::project_of(path).map(str::to_owned),
            ..Metadata::blank(kind, created)
        };
        Parsed::Memory(Box::new(Memory {
            metadata,
            body: note.body(text).to_owned(),
            path: path.clone(),
            revision: fingerprint(bytes),
            bytes: bytes.len() as u64,
            repairs: Vec::new(),
            assumed: Assumptions {
                created: note.date.is_none(),
                updated: true,
                status: false,
                kind: kind.is_empty(),
            },
        }))
    }

    fn fields<'m>(&self, memory: &'m Memory) -> Vec<(Field, Cow<'m, str>)> {
        let Memory { metadata, body, .. } = memory;
        vec![
            (Field::Title, Cow::Borrowed(metadata.title.as_str())),
            (Field::Tags, Cow::Borrowed(metadata.kind.as_str())),
            (Field::Body, Cow::Borrowed(body.as_str())),
        ]
    }

    fn title_of(&self, body: &str) -> String {
        names::topic_of(body)
    }

    fn called<'m>(&self, memory: &'m Memory) -> &'m str {
        memory.path.markdown_stem().unwrap_or(memory.path.name())
    }

    fn weighing(&self) -> Weighing {
        Weighing::Saturating([1.0; Field::COUNT])
    }

    fn tokenizer(&self) -> Tokenizer {
        Tokenizer::Bigrams
    }

    /// A path without `.md`; also with it, and with `project/` for
    /// `projects/`.
    fn read_id<'t>(&self, text: &'t str) -> Result<Cow<'t, str>> {
        let path = VaultPath::parse(text)?;
        let id = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
        let id = match id.strip_prefix("project/") {
            Some(rest) => format!("{}/{rest}", names::PROJECTS),
            None => id.to_owned(),
        };
        Ok(if id == text {
            Cow::Borrowed(text)
        } else {
            Cow::Owned(id)
        })
    }

    fn is_id(&self, text: &str) -> bool {
        let path = VaultPath::parse(&format!("{text}.md"));
        path.is_ok_and(|path| id_at(&path) == text && self.is_note(&path))
    }

    /// The parts of a path are set apart by slashes and can be of any script.
    fn ends_word(&self, c: char) -> bool {
        !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/'))
    }

    /// A path below one of the places whose name has a category: any other
    /// could be that of somebody's source file.
    fn looks_like_id(&self, word: &str) -> bool {
        let name = word.rsplit('/').next().unwrap_or(word);
        let of_a_place = |place: &Place| {
            let rest = word.strip_prefix(place.directory);
            !place.directory.is_empty() && rest.is_some_and(|rest| rest.starts_with('/'))
        };
        self.places().iter().any(of_a_place) && names::has_category(name) && self.is_id(word)
    }

    fn new_id(&self, _now: Timestamp, _seed: &str) -> String {
        format!("{}/踩坑-测试端口占用", names::COMMON)
    }

    fn place(&self, metadata: &Metadata, current: Option<&VaultPath>) -> VaultPath {
        match current {
            Some(current) => names::place(metadata, current),
            None => names::new_place(metadata),
        }
    }

    fn check(&self, metadata: &Metadata) -> Result<()> {
        names::check(metadata)
    }

    /// Name, project and status leave one place.
    fn check_place(&self, path: &VaultPath, metadata: &Metadata) -> Result<()> {
        let place = names::new_place(metadata);
        if *path == place {
            return Ok(());
        }
        let whose = match (&metadata.scope, metadata.status) {
            (_, Status::Archived) => "that is put away".to_owned(),
            (Some(project), _) => format!("of project `{project}`"),
            (None, _) => "of no project (one of a project needs its name as scope)".to_owned(),
        };
        Err(Error::InvalidArgument(format!(
            "path: `{path}`: a note of that name {whose} lies at `{place}`: leave the path out"
        )))
    }

    fn named_by(&self, path: &VaultPath) -> Option<(String, String)> {
        let (kind, title) = names::parts(path.markdown_stem()?);
        Some((kind.to_owned(), title.to_owned()))
    }

    fn create(&self, metadata: &Metadata, body: &str, utc_offset_minutes: i16) -> Vec<u8> {
        note::compose(metadata, body, utc_offset_minutes).into_bytes()
    }

    fn edit(
        &self,
        bytes: &[u8],
        before: &Memory,
        after: &Metadata,
        body: Option<&str>,
        _given: &[&str],
    ) -> Result<Vec<u8>> {
        let path = &before.path;
        let text = utf8(bytes).map_err(|why| Error::Corrupt(format!("{path}: {why}")))?;
        let stem = path.markdown_stem().unwrap_or(path.name());
        let renamed = names::stem(&after.kind, &after.title);
        let renamed = (renamed != stem).then_some(renamed.as_str());
        let body = body.filter(|body| body.trim() != before.body.trim());
        let edited = note::Note::read(text, stem).edit(text, renamed, body);
        Ok(edited.into_bytes())
    }

    fn journal_line(&self, _event: &Event<'_>) -> Option<(VaultPath, String)> {
        None
    }

    fn journal_files(&self) -> Option<JournalFiles> {
        None
    }

    fn journal_record(&self, _line: &str) -> Option<JournalRecord> {
        None
    }

    fn exports(&self, _setting: &Setting) -> Vec<Box<dyn Export>> {
        Vec::new()
    }

    fn checked_export(&self) -> Option<VaultPath> {
        None
    }

    fn doubt(&self, _path: &VaultPath, _bytes: &[u8]) -> Option<String> {
        None
    }

    fn export_fault(
        &self,
        _bytes: &[u8],
        _memories: usize,
        _newest: u64,
        _setting: &Setting,
    ) -> Option<String> {
        None
    }

    fn pool(&self) -> Option<&'static dyn Pool> {
        Some(&Simple)
    }

    fn name_index(&self) -> Option<&'static dyn NameIndex> {
        Some(&Simple)
    }
}

impl Pool for Simple {
    fn file(&self) -> VaultPath {
        VaultPath::known(staging::FILE)
    }

    fn entries(&self, text: &str) -> Vec<Staged> {
        staging::entries(text)
    }

    fn add(&self, text: Option<&str>, entry: &Staged, language: Language) -> String {
        staging::add(text, entry, language)
    }

    fn check_scope(&self, scope: &str) -> Result<()> {
        names::check_project(scope)
    }
}

impl NameIndex for Simple {
    fn directories(&self, scope: &str) -> Result<[VaultPath; 2]> {
        names::check_project(scope)?;
        Ok([
            VaultPath::known(names::PROJECTS).join(scope),
            VaultPath::known(names::COMMON),
        ])
    }

    fn is_listed(&self, path: &VaultPath) -> bool {
        self.is_note(path) && !names::is_readme(path.name())
    }

    fn render(&self, listed: &Listed, language: Language, most: Option<usize>) -> NameList {
        index_text::render(listed, language, most)
    }
}

/// The id of a note: its path without `.md`.
fn id_at(path: &VaultPath) -> String {
    let path = path.as_str();
    path.strip_suffix(".md").unwrap_or(path).to_owned()
}
