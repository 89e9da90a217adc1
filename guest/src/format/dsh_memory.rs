//! The `dsh-memory` format, as far as its paths, kinds, statuses and moves
//! (dsh-memory format §2, §3.1). It is recognised and cannot be opened.

use std::borrow::Cow;

use serde_json::json;

use super::{
    BodyLimit, Capabilities, Claim, Event, Export, Format, Holds, JournalFiles, JournalRecord,
    Kinds, Language, Listing, Operation, Parsed, Place, Setting, Skeleton, document_of,
    journal_text, utf8,
};
use crate::document::{self, Document, Edit, Value};
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Area, Assumptions, Field, Memory, Metadata, Status, fingerprint};
use crate::text::characters;
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;

const PRODUCT: &str = "dsh-longterm-memory";
const KEYS: [&str; 7] = [
    "id",
    "type",
    "status",
    "title",
    "created_at",
    "updated_at",
    "pinned",
];

/// Each kind with the directory of its active memories.
const DIRECTORIES: [(&str, &str); 8] = [
    ("knowledge", "Knowledge"),
    ("profile", "Profile"),
    ("preference", "Preferences"),
    ("project", "Projects"),
    ("project-state", "Projects/State"),
    ("decision", "Decisions"),
    ("experience", "Experiences"),
    ("task", "Tasks"),
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
        converted_from: false,
        scope: false,
    },
    title_limit: 300,
    tag_limit: 100,
    body_limit: BodyLimit::Characters(20_000),
    quarantine: None,
    trash: Some(".dsh-memory/trash"),
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
        match config
            .as_ref()
            .and_then(|config| config.get("product"))
            .and_then(serde_json::Value::as_str)
        {
            Some(PRODUCT) | None => Claim::Sure,
            Some(other) => Claim::Foreign(format!(
                "`.dsh-memory/config.json` belongs to the product `{other}`: choose another directory"
            )),
        }
    }

    fn skeleton(&self, _language: Language, _now: Timestamp) -> Vec<Skeleton> {
        let places = self.places().iter().map(|place| place.directory);
        let others = [
            ".obsidian",
            "Index",
            "History",
            ".dsh-memory",
            ".dsh-memory/journal",
            ".dsh-memory/quarantine",
        ];
        places
            .chain(others)
            .map(|directory| Skeleton::Directory(VaultPath::known(directory)))
            .collect()
    }

    fn places(&self) -> &'static [Place] {
        const fn active(directory: &'static str) -> Place {
            Place {
                directory,
                area: Area::Active,
                depth: 0,
            }
        }
        const PLACES: [Place; 11] = [
            active("Profile"),
            active("Preferences"),
            active("Projects"),
            active("Projects/State"),
            active("Decisions"),
            active("Knowledge"),
            active("Experiences"),
            active("Tasks"),
            active("Inbox"),
            active("Conflicts"),
            Place {
                directory: "Archive",
                area: Area::Cold,
                depth: 0,
            },
        ];
        &PLACES
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
        let value = |key| {
            document
                .get(key)
                .and_then(|field| field.value.text())
                .unwrap_or_default()
        };
        let id = value("id");
        if !self.is_id(id) {
            return Parsed::Bad("its frontmatter has no usable `id`".into());
        }
        let mut repairs = document.issues().to_vec();
        let kind = DIRECTORIES
            .iter()
            .map(|(kind, _)| *kind)
            .find(|kind| *kind == value("type"));
        if kind.is_none() {
            repairs.push("type: none of its values, `knowledge` counts".into());
        }
        let status = Status::named(value("status"));
        if status.is_none() {
            repairs.push("status: none of its values, `pending` counts".into());
        }
        let created = Timestamp::parse(value("created_at"));
        let metadata = Metadata {
            title: characters::cut(
                &characters::one_line(value("title")),
                CAPABILITIES.title_limit,
            )
            .to_owned(),
            id: id.to_owned(),
            confidence: 0.6,
            status: status.unwrap_or(Status::Pending),
            created: created.unwrap_or(assumed),
            updated: Timestamp::parse(value("updated_at")).unwrap_or(assumed),
            pinned: value("pinned") == "true",
            ..Metadata::blank(kind.unwrap_or("knowledge"), assumed)
        };
        Parsed::Memory(Box::new(Memory {
            metadata,
            body: document.body().to_owned(),
            path: path.clone(),
            revision: fingerprint(bytes),
            bytes: bytes.len() as u64,
            repairs,
            assumed: Assumptions {
                created: created.is_none(),
                updated: false,
                status: false,
            },
        }))
    }

    fn fields<'m>(&self, memory: &'m Memory) -> Vec<(Field, Cow<'m, str>)> {
        vec![
            (Field::Title, Cow::Borrowed(memory.metadata.title.as_str())),
            (Field::Body, Cow::Borrowed(memory.body.as_str())),
        ]
    }

    fn weighing(&self) -> Weighing {
        Weighing::Logarithmic([8.0, 6.0, 6.0, 3.0, 1.0])
    }

    fn tokenizer(&self) -> Tokenizer {
        Tokenizer::UnigramsAndBigrams
    }

    fn is_id(&self, text: &str) -> bool {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        !text.is_empty() && text.len() <= 120 && text.bytes().all(safe)
    }

    fn new_id(&self, now: Timestamp, seed: &str) -> String {
        let moment = now.to_string();
        let compact: String = moment
            .chars()
            .take(19)
            .filter(|character| !matches!(character, '-' | ':'))
            .collect();
        let hash = fingerprint(format!("{seed}{}", now.millis()).as_bytes());
        format!(
            "mem_{}_{}",
            compact.to_lowercase(),
            hash.get(..8).unwrap_or_default()
        )
    }

    fn place(&self, metadata: &Metadata, current: Option<&VaultPath>) -> VaultPath {
        let directory = directory(&metadata.kind, metadata.status);
        match current {
            Some(current) => directory.join(current.name()),
            None => directory.join(&file_name(metadata)),
        }
    }

    fn check_place(&self, path: &VaultPath) -> Result<()> {
        Err(Error::InvalidArgument(format!(
            "path `{path}`: type and status decide where a memory lies"
        )))
    }

    fn create(&self, metadata: &Metadata, body: &str) -> Vec<u8> {
        let present: Vec<_> = entries(metadata)
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .collect();
        document::compose(&present, body).into_bytes()
    }

    fn edit(
        &self,
        bytes: &[u8],
        before: &Memory,
        after: &Metadata,
        body: Option<&str>,
        _given: &[&str],
    ) -> Result<Vec<u8>> {
        let document = document_of(bytes, &before.path)?;
        let mut edits = Vec::new();
        for ((key, old), (_, new)) in entries(&before.metadata).into_iter().zip(entries(after)) {
            match new {
                Some(value) if old.as_ref() != Some(&value) => edits.push(Edit::Set(key, value)),
                None if old.is_some() => edits.push(Edit::Remove(key)),
                _ => {}
            }
        }
        edits.extend(body.map(Edit::Body));
        Ok(document.edit(&edits, &KEYS).into_bytes())
    }

    fn journal_line(&self, event: &Event<'_>) -> Option<(VaultPath, String)> {
        let operation = match event.operation {
            Operation::Create => "create",
            Operation::Forget => "delete",
            Operation::Confirm => "confirm",
            Operation::Reject => "reject",
            Operation::Archive => "archive",
            Operation::Stale => "stale",
            Operation::Supersede => "supersede",
            Operation::Conflict => "conflict",
            Operation::Merge => "merge",
            Operation::Rebuild => "index-rebuild",
            Operation::Init => "init",
            Operation::Quarantine => return None,
            Operation::Update
            | Operation::Restore
            | Operation::Pin
            | Operation::Unpin
            | Operation::Promote
            | Operation::Deliver
            | Operation::Undo => "update",
        };
        let id = if event.id.is_empty() { "*" } else { event.id };
        let line = json!({ "at": event.time.to_string(), "op": operation, "id": id, "reason": event.detail });
        let month = event.time.to_string().chars().take(7).collect::<String>();
        Some((
            VaultPath::known(format!(".dsh-memory/journal/{month}.jsonl")),
            line.to_string(),
        ))
    }

    fn journal_files(&self) -> Option<JournalFiles> {
        Some(JournalFiles::Many {
            directory: ".dsh-memory/journal",
            is_journal: is_journal_name,
        })
    }

    fn journal_record(&self, line: &str) -> Option<JournalRecord> {
        read_journal(line)
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
}

/// Whether a name is that of a month's journal: `2026-10.jsonl` (§2).
fn is_journal_name(name: &str) -> bool {
    let month = name.strip_suffix(".jsonl").unwrap_or_default();
    month.len() == 7 && Timestamp::parse(&format!("{month}-01")).is_some()
}

/// Reads `{at, op, id, before?, after?, reason?, source?}`; the id `*` is the
/// vault (§7).
fn read_journal(line: &str) -> Option<JournalRecord> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let text = |key| journal_text(&line, key);
    let operation = Some(text("op")).filter(|operation| !operation.is_empty());
    let labelled = [
        ("", "reason"),
        ("before: ", "before"),
        ("after: ", "after"),
        ("source: ", "source"),
    ];
    let details = labelled.map(|(label, key)| (label, text(key)));
    let details: Vec<_> = details
        .iter()
        .filter(|(_, detail)| !detail.is_empty())
        .map(|(label, detail)| format!("{label}{detail}"))
        .collect();
    Some(JournalRecord {
        time: Timestamp::parse(&text("at"))?,
        operation: operation?,
        id: Some(text("id")).filter(|id| id != "*").unwrap_or_default(),
        path: String::new(),
        detail: details.join("; "),
    })
}

/// The directory of a memory: its status decides, then its kind (§2).
fn directory(kind: &str, status: Status) -> VaultPath {
    let by_kind = DIRECTORIES
        .iter()
        .find(|(name, _)| *name == kind)
        .map_or("Knowledge", |(_, directory)| directory);
    VaultPath::known(match status {
        Status::Active | Status::Stale => by_kind,
        Status::Pending => "Inbox",
        Status::Conflict => "Conflicts",
        Status::Archived | Status::Superseded => "Archive",
    })
}

/// Title and id, at most 200 bytes, for life.
fn file_name(metadata: &Metadata) -> String {
    let unsafe_in_names = |character: char| {
        character.is_control()
            || matches!(
                character,
                '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '#' | '^' | '[' | ']'
            )
    };
    let title: String = metadata
        .title
        .chars()
        .map(|character| {
            if unsafe_in_names(character) {
                ' '
            } else {
                character
            }
        })
        .collect();
    let title = characters::one_line(&title);
    let room = 200usize.saturating_sub(metadata.id.len() + "-.md".len());
    let end = (0..=room.min(title.len()))
        .rev()
        .find(|end| title.is_char_boundary(*end))
        .unwrap_or(0);
    let title = title
        .get(..end)
        .unwrap_or_default()
        .trim_matches(['.', ' ']);
    if title.is_empty() {
        format!("{}.md", metadata.id)
    } else {
        format!("{title}-{}.md", metadata.id)
    }
}

fn entries(metadata: &Metadata) -> [(&'static str, Option<Value>); KEYS.len()] {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let values = [
        text(&metadata.id),
        text(&metadata.kind),
        text(metadata.status.name()),
        text(&metadata.title),
        Some(Value::Plain(metadata.created.to_string())),
        Some(Value::Plain(metadata.updated.to_string())),
        metadata.pinned.then(|| Value::Plain("true".into())),
    ];
    let mut keys = KEYS.into_iter();
    values.map(|value| (keys.next().unwrap_or_default(), value))
}
