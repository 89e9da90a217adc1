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
    BodyLimit, Capabilities, Claim, Format, Holds, Ids, Kinds, Language, Listed, Listing,
    NameIndex, NameList, Parsed, Place, Pool, Skeleton, Staged, utf8,
};
use crate::environment::{Entry, VaultPath};
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
    place(names::COMMON, Area::Active, DEPTH),
    place(names::PROJECTS, Area::Active, DEPTH),
    place(names::REFERENCES, Area::Cold, DEPTH),
    // What lies deepest elsewhere lies a level deeper here.
    place(names::ARCHIVE, Area::Cold, DEPTH + 1),
    place("", Area::Active, DEPTH),
];

const fn place(directory: &'static str, area: Area, depth: u8) -> Place {
    Place {
        directory,
        area,
        depth,
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

    /// Where there is no pool, a note tells such a directory from any other of
    /// that name.
    fn telltale(&self, listing: &Listing) -> Option<&'static str> {
        let is_asked = !listing.has_file(staging::FILE) && listing.has_directory(names::PROJECTS);
        is_asked.then_some(names::COMMON)
    }

    /// Git keeps no empty directories: a clone may have no more than the pool.
    fn telltale_page(&self, listing: &Listing) -> Option<&'static str> {
        let mut directories = names::DIRECTORIES.into_iter();
        let is_asked = !directories.any(|directory| listing.has_directory(directory));
        is_asked.then_some(staging::FILE)
    }

    /// By the configuration, where there is one; else by the pool, with one of
    /// the directories or with the heading that `init` gives it; without a
    /// pool by notes in `common/` beside `projects/`.
    fn detect(&self, listing: &Listing) -> Claim {
        if let Some(config) = listing.config(PRIVATE) {
            let named = config.get("format").and_then(serde_json::Value::as_str);
            return match named {
                Some("simple") => Claim::Sure,
                _ => Claim::None,
            };
        }
        let has = |directory: &str| listing.has_directory(directory);
        let has_any = names::DIRECTORIES.into_iter().any(has);
        let has_pool = listing.has_file(staging::FILE)
            && (has_any || listing.page(staging::FILE).is_some_and(staging::is_ours));
        let is_named = |entry: &Entry| names::has_category(&entry.name);
        let has_notes = has(names::PROJECTS) && listing.holds(names::COMMON, is_named);
        if has_pool || has_notes {
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
            && (path.name().eq_ignore_ascii_case(staging::FILE) || names::is_readme(path.name()));
        path.markdown_stem().is_some() && !is_hidden && !is_page
    }

    fn parse(&self, path: &VaultPath, bytes: &[u8], assumed: Timestamp) -> Parsed {
        let text = match utf8(bytes) {
            Ok(text) => text,
            Err(why) => return Parsed::Bad(why),
        };
        let stem = path.markdown_stem().unwrap_or(path.name());
        let note = note::Note::read(text);
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
            tags: note::listed(text, "tags"),
            aliases: note::listed(text, "aliases"),
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
        let tags = [std::slice::from_ref(&metadata.kind), &metadata.tags].concat();
        vec![
            (Field::Title, Cow::Borrowed(metadata.title.as_str())),
            (Field::Aliases, Cow::Owned(metadata.aliases.join("\n"))),
            (Field::Tags, Cow::Owned(tags.join("\n"))),
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

    fn check_name(&self, metadata: &Metadata) -> Result<()> {
        names::check(metadata)
    }

    fn check_scope(&self, scope: &str) -> Result<()> {
        names::check_project(scope)
    }

    /// Wherever it is read back as what it is: its project and whether it was
    /// put away follow from its place.
    fn check_place(&self, path: &VaultPath, metadata: &Metadata) -> Result<()> {
        let (scope, status) = (metadata.scope.as_deref(), metadata.status);
        let agrees = names::project_of(path) == scope
            && names::is_archived(path) == (status == Status::Archived);
        if agrees && self.is_note(path) && is_read(path) {
            return Ok(());
        }
        let of = scope.map_or("of no project".to_owned(), |project| {
            format!("of project `{project}`")
        });
        let home = names::new_place(metadata).parent();
        Err(Error::InvalidArgument(format!(
            "path: `{path}` is no place for a note {of} with status `{status}`, which lies in `{home}/`: name a place there, or leave the path out"
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
        let body = body.filter(|body| note::kept(body) != before.body);
        let edited = note::Note::read(text).edit(text, [stem, &renamed], body);
        Ok(edited.into_bytes())
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

    fn render(&self, listed: &Listed, language: Language, most: usize) -> NameList {
        index_text::render(listed, language, most)
    }
}

/// Whether a file is not too deep below a place to be found.
fn is_read(path: &VaultPath) -> bool {
    let levels = |place: &Place| {
        let below = match place.directory {
            "" => path.as_str(),
            directory => names::below(path.as_str(), directory)?,
        };
        Some(below.matches('/').count())
    };
    let mut places = PLACES.iter();
    places.any(|place| levels(place).is_some_and(|levels| levels <= usize::from(place.depth)))
}

/// The id of a note: its path without `.md`.
fn id_at(path: &VaultPath) -> String {
    let path = path.as_str();
    path.strip_suffix(".md").unwrap_or(path).to_owned()
}
