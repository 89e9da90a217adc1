//! The `dsh-memory` format (dsh-memory format §1 to §8): an Obsidian vault
//! with a directory for each type of memory.

mod arrangement;
mod frontmatter;
mod index_check;
mod index_file;
mod index_pages;
mod journal;
mod places;
mod reading;
mod sections;
mod skeleton;
mod writing;

use std::borrow::Cow;

use serde_json::Value;

pub use index_file::checksum;

use super::{
    BodyLimit, Capabilities, Claim, Event, Export, Format, Holds, Ids, JournalFiles, JournalRecord,
    Kinds, Language, Listing, Parsed, Place, Setting, Skeleton, title_from_body, utf8,
};
use crate::document::Document;
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Field, Memory, Metadata, Status, fingerprint};
use crate::text::characters;
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;
use frontmatter::Confidence;
use index_pages::{IndexPage, Order};
use sections::Layout;

/// Whose vaults these are (§8).
const PRODUCT: &str = "dsh-longterm-memory";

/// The version of configurations and memories that is known (§3.1, §8).
const SCHEMA_VERSION: u64 = 1;

/// What a term counts in title, aliases, tags, summary and other text (§5).
const FIELD_WEIGHTS: [f64; Field::COUNT] = [8.0, 6.0, 6.0, 3.0, 1.0];

/// What a memory matters where it does not say so: neither more nor less.
const ORDINARY_IMPORTANCE: u8 = 50;

/// How far importance moves a memory, up or down: enough to decide between
/// memories that fit about equally well, too little to put one before another
/// that fits better by a whole field.
const IMPORTANCE_SWAY: f64 = 0.15;
/// What is kept in view is found a little earlier.
const PINNED_PRIOR: f64 = 1.1;
/// What is beyond doubt comes before what is not; what is doubtful stays
/// behind, but can be found.
const HIGH_PRIOR: f64 = 1.1;
const LOW_PRIOR: f64 = 0.8;

/// The kinds of capture with the types they become (design §8).
const CAPTURED: [(&str, &str); 6] = [
    ("preference", "preference"),
    ("fact", "knowledge"),
    ("decision", "decision"),
    ("project", "project"),
    ("reference", "experience"),
    ("task", "task"),
];

static CAPABILITIES: Capabilities = Capabilities {
    kinds: Kinds::Closed(&[
        "knowledge",
        "profile",
        "preference",
        "project",
        "project-state",
        "decision",
        "experience",
        "task",
    ]),
    statuses: &Status::ALL,
    holds: Holds {
        tags: true,
        aliases: true,
        confidence: true,
        importance: true,
        pinned: true,
        delivery: true,
        source: false,
        origin: true,
        evidence: true,
        relations: true,
        converted_from: true,
        scope: false,
    },
    ids: Ids::Drawn,
    searches_cold: false,
    title_limit: 300,
    tag_limit: 100,
    body_limit: BodyLimit::Characters(20_000),
    most_active: None,
    quarantine: None,
    trash: Some(".dsh-memory/trash"),
    default_confidence: 0.6,
    confirmed_confidence: 0.6,
    least_confidence: 0.6,
    pinned_is_directive: true,
};

/// The `dsh-memory` format.
#[derive(Clone, Copy, Debug)]
pub struct DshMemory;

impl Format for DshMemory {
    fn name(&self) -> &'static str {
        "dsh-memory"
    }

    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn private_folder(&self) -> &'static str {
        ".dsh-memory"
    }

    fn detect(&self, listing: &Listing) -> Claim {
        if !listing.has_directory(self.private_folder()) {
            return Claim::None;
        }
        let config = listing.config(self.private_folder());
        match config.as_ref().and_then(product) {
            Some(PRODUCT) | None => Claim::Sure,
            Some(other) => Claim::Foreign(format!(
                "`.dsh-memory/config.json` belongs to the product `{}`: choose another directory",
                characters::cut(other, 40)
            )),
        }
    }

    fn obstacle(&self, listing: &Listing) -> Option<String> {
        let folder = self.private_folder();
        if !listing.configs.iter().any(|(name, _)| name == folder) {
            return Some(
                "`.dsh-memory/config.json` is missing: the vault can only be read until `init` completes it"
                    .into(),
            );
        }
        let config = listing.config(folder);
        if config.as_ref().and_then(product).is_none() {
            return Some(
                "`.dsh-memory/config.json` is broken: the vault can only be read until you correct it, \
                 or move it away and let `init` make a new one"
                    .into(),
            );
        }
        let version = config
            .as_ref()
            .and_then(|config| config.get("schemaVersion")?.as_f64());
        let later = version.filter(|version| *version > SCHEMA_VERSION as f64)?;
        Some(format!(
            "`.dsh-memory/config.json` has `schemaVersion` {later}, of which this program knows only {SCHEMA_VERSION}: \
             the vault can only be read; change it with the program that wrote it"
        ))
    }

    fn skeleton(&self, language: Language, now: Timestamp) -> Vec<Skeleton> {
        skeleton::skeleton(language, now)
    }

    fn places(&self) -> &'static [Place] {
        &places::PLACES
    }

    fn parse(&self, path: &VaultPath, bytes: &[u8], assumed: Timestamp) -> Parsed {
        let text = match utf8(bytes) {
            Ok(text) => text,
            Err(why) => return Parsed::Bad(why),
        };
        let document = Document::parse(text);
        if !document.has_frontmatter() {
            return Parsed::Ignored;
        }
        match self.read_id(&document) {
            Ok(id) => {
                let memory = reading::read(id, &document, path, bytes, assumed);
                Parsed::Memory(Box::new(memory))
            }
            Err(why) => Parsed::Bad(why),
        }
    }

    fn fields<'m>(&self, memory: &'m Memory) -> Vec<(Field, Cow<'m, str>)> {
        fields(memory)
    }

    fn said<'m>(&self, memory: &'m Memory) -> Cow<'m, str> {
        Cow::Owned(Layout::of_body(&memory.body).said())
    }

    fn title_of(&self, body: &str) -> String {
        title_from_body(&Layout::of_body(body).said())
    }

    fn weighing(&self) -> Weighing {
        Weighing::Logarithmic(FIELD_WEIGHTS)
    }

    fn prior(&self, metadata: &Metadata) -> f64 {
        let importance = metadata.importance.unwrap_or(ORDINARY_IMPORTANCE);
        let ordinary = f64::from(ORDINARY_IMPORTANCE);
        let sway = (f64::from(importance) - ordinary) / ordinary * IMPORTANCE_SWAY;
        let pinned = if metadata.pinned { PINNED_PRIOR } else { 1.0 };
        let sureness = match Confidence::of(metadata.confidence) {
            Confidence::Low => LOW_PRIOR,
            Confidence::Medium => 1.0,
            Confidence::High => HIGH_PRIOR,
        };
        (1.0 + sway) * pinned * sureness
    }

    fn captured_kind<'k>(&self, kind: &'k str, rule: &str) -> &'k str {
        if (kind, rule) == ("fact", "personal-fact") {
            return "profile";
        }
        let known = CAPTURED.iter().find(|(captured, _)| *captured == kind);
        known.map_or(kind, |(_, kind)| kind)
    }

    fn tokenizer(&self) -> Tokenizer {
        Tokenizer::UnigramsAndBigrams
    }

    fn is_id(&self, text: &str) -> bool {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        !text.is_empty() && text.len() <= 120 && text.bytes().all(safe)
    }

    fn looks_like_id(&self, word: &str) -> bool {
        is_own_id(word)
    }

    fn new_id(&self, now: Timestamp, seed: &str) -> String {
        let moment = now.to_string();
        let to_seconds = moment.chars().take("2026-10-17T07:59:57".len());
        let compact: String = to_seconds.filter(|c| !matches!(c, '-' | ':')).collect();
        let hash = fingerprint(format!("{seed}{}", now.millis()).as_bytes());
        let hash = hash.get(..8).unwrap_or_default();
        format!("mem_{}_{hash}", compact.to_lowercase())
    }

    fn place(&self, metadata: &Metadata, current: Option<&VaultPath>) -> VaultPath {
        let directory = places::directory(&metadata.kind, metadata.status);
        match current {
            Some(current) => directory.join(current.name()),
            None => directory.join(&places::file_name(metadata)),
        }
    }

    fn check_place(&self, path: &VaultPath, _metadata: &Metadata) -> Result<()> {
        Err(Error::InvalidArgument(format!(
            "path `{path}`: type and status decide where a memory lies in this format; leave it out"
        )))
    }

    fn create(&self, metadata: &Metadata, body: &str, _utc_offset_minutes: i16) -> Vec<u8> {
        writing::compose(metadata, body)
    }

    fn edit(
        &self,
        bytes: &[u8],
        before: &Memory,
        after: &Metadata,
        body: Option<&str>,
        given: &[&str],
    ) -> Result<Vec<u8>> {
        let text = utf8(bytes).map_err(|why| Error::Corrupt(format!("{}: {why}", before.path)))?;
        writing::edit(text, before, after, body, given)
    }

    fn fold(&self, target: &Memory, source: &Memory) -> String {
        arrangement::fold(target, source)
    }

    fn journal_line(&self, event: &Event<'_>) -> Option<(VaultPath, String)> {
        journal::line(event)
    }

    fn journal_files(&self) -> Option<JournalFiles> {
        Some(JournalFiles::Many {
            directory: ".dsh-memory/journal",
            is_journal: journal::is_name,
        })
    }

    fn journal_record(&self, line: &str) -> Option<JournalRecord> {
        journal::record(line)
    }

    fn exports(&self, setting: &Setting) -> Vec<Box<dyn Export>> {
        let index = index_file::IndexFile::of(setting.vault_path.as_deref());
        let by = |order| IndexPage::new(order, setting.language);
        vec![
            Box::new(index),
            Box::new(by(Order::Type)),
            Box::new(by(Order::Tag)),
        ]
    }

    fn checked_export(&self) -> Option<VaultPath> {
        Some(index_file::path())
    }

    fn exports_vault_path(&self) -> bool {
        true
    }

    fn exported_vault_path(&self, bytes: &[u8]) -> Option<String> {
        index_check::vault_path(bytes)
    }

    fn doubt(&self, path: &VaultPath, bytes: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(bytes);
        let named_by_id = |stem: &str| stem.rsplit('-').next().is_some_and(is_own_id);
        let first_lines = || text.lines().take(20);
        if path.markdown_stem().is_some_and(named_by_id) {
            Some("its name ends with a memory's id, but it has no frontmatter".into())
        } else if begins_frontmatter(&text) {
            Some("it begins like a frontmatter that is never closed".into())
        } else if first_lines().any(|line| line.strip_prefix("id: ").is_some_and(is_own_id)) {
            Some("it has a memory's `id`, but no frontmatter around it".into())
        } else {
            None
        }
    }

    fn export_fault(
        &self,
        bytes: &[u8],
        memories: usize,
        newest: u64,
        setting: &Setting,
    ) -> Option<String> {
        index_check::fault(bytes, memories, newest, setting.vault_path.as_deref())
    }
}

impl DshMemory {
    /// The id of a document, or why it has no usable one.
    fn read_id(&self, document: &Document<'_>) -> std::result::Result<String, String> {
        const EXAMPLE: &str = "mem_20261017t075957_b1c8069b";
        let Some(field) = document.get("id") else {
            return Err(format!(
                "its frontmatter has no `id`: give it one like `{EXAMPLE}`"
            ));
        };
        let id = field.value.text().unwrap_or_default();
        if self.is_id(id) {
            return Ok(id.to_owned());
        }
        let shown = characters::cut(id, 40);
        Err(format!(
            "its `id` is `{shown}`: give it one of letters, digits, `_` and `-`, like `{EXAMPLE}`"
        ))
    }
}

/// The product that a configuration names.
fn product(config: &Value) -> Option<&str> {
    config.get("product")?.as_str()
}

/// The parts of a memory that are searched and weighed (§5).
fn fields(memory: &Memory) -> Vec<(Field, Cow<'_, str>)> {
    let metadata = &memory.metadata;
    let layout = Layout::of_body(&memory.body);
    vec![
        (Field::Title, Cow::Borrowed(metadata.title.as_str())),
        (Field::Aliases, Cow::Owned(metadata.aliases.join("\n"))),
        (Field::Tags, Cow::Owned(metadata.tags.join("\n"))),
        (Field::Summary, Cow::Borrowed(layout.summary())),
        (Field::Body, Cow::Owned(layout.rest())),
    ]
}

/// Whether a text begins as a frontmatter does, with a key below the marks; a
/// note can begin with a line across the page, too.
fn begins_frontmatter(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{FEFF}').lines();
    let is_marked = lines.next().is_some_and(|line| line.trim_end() == "---");
    let key = lines.next().and_then(|line| line.split_once(':'));
    is_marked && key.is_some_and(|(key, _)| !key.is_empty() && !key.contains(' '))
}

/// Whether a text has the shape of the ids that this program and the format's
/// own give (§3.1). Other ids are accepted, but not looked for.
fn is_own_id(text: &str) -> bool {
    let Some((time, hash)) = text
        .strip_prefix("mem_")
        .and_then(|rest| rest.split_once('_'))
    else {
        return false;
    };
    let is_time = |(at, byte): (usize, u8)| {
        if at == 8 {
            byte == b't'
        } else {
            byte.is_ascii_digit()
        }
    };
    time.len() == 15
        && time.bytes().enumerate().all(is_time)
        && hash.len() == 8
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}
