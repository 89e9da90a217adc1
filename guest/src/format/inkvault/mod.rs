//! The `inkvault` format (inkvault contract §0 to §4): one file a memory in
//! `memory/`, its status in the frontmatter.

mod export;
mod frontmatter;

use std::borrow::Cow;

use serde_json::json;

use super::{
    BodyLimit, Capabilities, Claim, Event, Export, Format, Holds, Ids, JournalFiles, JournalRecord,
    Kinds, Language, Listing, Operation, Parsed, Place, Setting, Skeleton, document_of,
    journal_text, utf8,
};
use crate::document::Document;
use crate::environment::{Entry, VaultPath};
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Area, Field, Memory, Metadata, Status, fingerprint};
use crate::text::characters;
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;

/// Longest title in characters (contract §0.1).
const TITLE_LIMIT: usize = 120;

const JOURNAL: &str = ".inkvault/journal.jsonl";

static CAPABILITIES: Capabilities = Capabilities {
    kinds: Kinds::Closed(&[
        "fact",
        "preference",
        "decision",
        "project",
        "reference",
        "task",
    ]),
    statuses: &[
        Status::Active,
        Status::Pending,
        Status::Superseded,
        Status::Archived,
    ],
    holds: Holds {
        tags: true,
        aliases: true,
        confidence: true,
        importance: true,
        pinned: true,
        delivery: true,
        source: true,
        origin: true,
        evidence: true,
        relations: true,
        converted_from: true,
        scope: false,
    },
    ids: Ids::Drawn,
    searches_cold: false,
    title_limit: TITLE_LIMIT,
    tag_limit: 12,
    body_limit: BodyLimit::Characters(20_000),
    most_active: None,
    quarantine: Some(".inkvault/quarantine"),
    trash: Some(".trash"),
    default_confidence: 0.5,
    confirmed_confidence: 0.0,
    least_confidence: 0.0,
    pinned_is_directive: false,
};

/// The `inkvault` format.
#[derive(Clone, Copy, Debug)]
pub struct Inkvault;

impl Format for Inkvault {
    fn name(&self) -> &'static str {
        "inkvault"
    }

    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn private_folder(&self) -> &'static str {
        ".inkvault"
    }

    fn telltale(&self, _listing: &Listing) -> Option<&'static str> {
        Some("memory")
    }

    fn detect(&self, listing: &Listing) -> Claim {
        let memory = listing.has_directory("memory");
        if !listing.has_directory(self.private_folder()) {
            let is_memory = |entry: &Entry| entry.name.strip_suffix(".md").is_some_and(is_entry_id);
            let is_vault = |entry: &Entry| entry.name == self.private_folder();
            let likely = listing.holds("memory", is_memory) && !listing.holds("memory", is_vault);
            return if likely { Claim::Likely } else { Claim::None };
        }
        let Some(config) = listing.config(self.private_folder()) else {
            return if memory { Claim::Sure } else { Claim::None };
        };
        match config.get("format").and_then(serde_json::Value::as_str) {
            Some("inkvault") => Claim::Sure,
            Some("simple") => Claim::None,
            named => Claim::Foreign(format!(
                "`.inkvault/config.json` names {} as the vault's format, which this program does not know: \
                 open the vault with the program that made it, or correct `format`",
                named.map_or("nothing".to_owned(), |name| format!("`{name}`"))
            )),
        }
    }

    fn skeleton(&self, language: Language, _now: Timestamp) -> Vec<Skeleton> {
        let config = json!({
            "format": self.name(),
            "schemaVersion": 1,
            "settings": { "language": language.code() },
        });
        let directories = ["memory", ".inkvault", ".inkvault/quarantine", ".trash"];
        let mut parts: Vec<_> = directories
            .map(|directory| Skeleton::Directory(VaultPath::known(directory)))
            .into();
        parts.push(Skeleton::File(
            VaultPath::known(".inkvault/config.json"),
            format!("{config:#}\n"),
        ));
        parts
    }

    fn places(&self) -> &'static [Place] {
        &[Place {
            directory: "memory",
            area: Area::Active,
            depth: 0,
        }]
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
        match frontmatter::read_id(&document) {
            Ok(id) => Parsed::Memory(Box::new(frontmatter::read(
                id, &document, path, bytes, assumed,
            ))),
            Err(why) => Parsed::Bad(why),
        }
    }

    fn fields<'m>(&self, memory: &'m Memory) -> Vec<(Field, Cow<'m, str>)> {
        vec![
            (Field::Title, Cow::Borrowed(memory.metadata.title.as_str())),
            (Field::Tags, Cow::Owned(memory.metadata.tags.join("\n"))),
            (Field::Body, Cow::Borrowed(memory.body.as_str())),
        ]
    }

    fn weighing(&self) -> Weighing {
        Weighing::Saturating([1.0; Field::COUNT])
    }

    fn tokenizer(&self) -> Tokenizer {
        Tokenizer::Bigrams
    }

    fn is_id(&self, text: &str) -> bool {
        is_entry_id(text)
    }

    fn new_id(&self, now: Timestamp, seed: &str) -> String {
        entry_id(now, seed)
    }

    fn place(&self, metadata: &Metadata, current: Option<&VaultPath>) -> VaultPath {
        let new = || VaultPath::known(format!("memory/{}.md", metadata.id));
        current.cloned().unwrap_or_else(new)
    }

    fn check_place(&self, path: &VaultPath, _metadata: &Metadata) -> Result<()> {
        if path.parent().as_str() == "memory" && self.is_note(path) {
            return Ok(());
        }
        Err(Error::InvalidArgument(format!(
            "path `{path}`: a memory is a `.md` file directly in `memory/`"
        )))
    }

    fn create(&self, metadata: &Metadata, body: &str, _utc_offset_minutes: i16) -> Vec<u8> {
        frontmatter::compose(metadata, body)
    }

    fn edit(
        &self,
        bytes: &[u8],
        before: &Memory,
        after: &Metadata,
        body: Option<&str>,
        given: &[&str],
    ) -> Result<Vec<u8>> {
        frontmatter::edit(
            &document_of(bytes, &before.path)?,
            before,
            after,
            body,
            given,
        )
    }

    fn journal_line(&self, event: &Event<'_>) -> Option<(VaultPath, String)> {
        let (operation, detail) = match event.operation {
            Operation::Forget => ("archive", event.detail.to_owned()),
            Operation::Quarantine => ("quarantine", event.detail.to_owned()),
            Operation::Rebuild => ("rebuild", event.detail.to_owned()),
            Operation::Init => return None,
            Operation::Create | Operation::Update => ("write", event.detail.to_owned()),
            Operation::Reject => ("archive", told(event)),
            _ => ("write", told(event)),
        };
        let mut line = json!({ "ts": event.time.millis(), "op": operation });
        for (key, value) in [
            ("id", event.id),
            ("path", event.path),
            ("detail", detail.as_str()),
        ] {
            if !value.is_empty() {
                line[key] = value.into();
            }
        }
        Some((VaultPath::known(JOURNAL), line.to_string()))
    }

    fn journal_files(&self) -> Option<JournalFiles> {
        Some(JournalFiles::One(JOURNAL))
    }

    fn journal_record(&self, line: &str) -> Option<JournalRecord> {
        read_journal(line)
    }

    fn exports(&self, _setting: &Setting) -> Vec<Box<dyn Export>> {
        vec![Box::new(export::IndexFile::default())]
    }

    fn checked_export(&self) -> Option<VaultPath> {
        Some(export::path())
    }

    fn doubt(&self, path: &VaultPath, bytes: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(bytes);
        let first_lines = || text.lines().take(20);
        if path.markdown_stem().is_some_and(is_entry_id) {
            Some("its name is a memory's id, but it has no frontmatter".into())
        } else if text.starts_with("---") {
            Some("it begins like a frontmatter that is never closed".into())
        } else if first_lines().any(|line| line.strip_prefix("id: ").is_some_and(is_entry_id)) {
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
        _setting: &Setting,
    ) -> Option<String> {
        export::fault(bytes, memories, newest)
    }
}

/// What happened, for which the journal of the contract has no word of its
/// own, and why.
fn told(event: &Event<'_>) -> String {
    let name = event.operation.name();
    match event.detail {
        "" => name.to_owned(),
        why => format!("{name}: {why}"),
    }
}

/// Reads `{ts, op, id?, path?, detail?}` (contract §4).
fn read_journal(line: &str) -> Option<JournalRecord> {
    let line: serde_json::Value = serde_json::from_str(line).ok()?;
    let time = Timestamp::from_millis(line.get("ts")?.as_f64()? as i64);
    let text = |key| journal_text(&line, key);
    let operation = Some(text("op")).filter(|operation| !operation.is_empty());
    Some(JournalRecord {
        time,
        operation: operation?,
        id: text("id"),
        path: text("path"),
        detail: text("detail"),
    })
}

/// Whether a text has the shape `m-` date `-` six of a-z and 0-9 (contract
/// §0.1).
fn is_entry_id(text: &str) -> bool {
    let Some((date, tail)) = text
        .strip_prefix("m-")
        .and_then(|rest| rest.split_once('-'))
    else {
        return false;
    };
    date.len() == 8
        && date.bytes().all(|byte| byte.is_ascii_digit())
        && tail.len() == 6
        && tail
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
}

/// An id for a memory made at `now`: UTC date and the first six digits of the
/// hash of the seed followed by the milliseconds since 1970 (contract §1,
/// `makeEntryId`).
pub fn entry_id(now: Timestamp, seed: &str) -> String {
    let hash = fingerprint(format!("{seed}{}", now.millis()).as_bytes());
    format!(
        "m-{}-{}",
        now.compact_date(),
        hash.get(..6).unwrap_or_default()
    )
}

/// A title made from a text: its first line that is not blank, without the
/// Markdown marks `#`, `-`, `>` before it, at most 120 characters (contract
/// §1, `titleFromBody`). Empty where there is no such line.
pub fn title_from_body(body: &str) -> String {
    let mut lines = body
        .lines()
        .map(|line| line.trim().trim_start_matches(['#', '-', '>', ' ', '\t']));
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    characters::cut(&characters::one_line(line), TITLE_LIMIT)
        .trim_end()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_one_shape() {
        assert!(is_entry_id("m-20261019-ab12cd"));
        for text in [
            "",
            "m-",
            "m-2026101-ab12cd",
            "m-20261019-AB12CD",
            "m-20261019-ab12c",
            "m-20261019-ab12cdé",
            "../x",
            "m-２0261019-ab12cd",
        ] {
            assert!(!is_entry_id(text), "{text}");
        }
    }
}
