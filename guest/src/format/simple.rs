//! The `simple` format, as far as its paths, kinds, statuses and moves
//! (simple memory design §二, §三). It is recognised and cannot be opened.

use std::borrow::Cow;

use super::{
    BodyLimit, Capabilities, Claim, Event, Export, Format, Holds, JournalFiles, JournalRecord,
    Kinds, Language, Listing, Parsed, Place, Setting, Skeleton, utf8,
};
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::index::Weighing;
use crate::memory::{Area, Assumptions, Field, Memory, Metadata, Status, fingerprint};
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;

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
    title_limit: 48,
    tag_limit: 0,
    body_limit: BodyLimit::Bytes(2048),
    quarantine: None,
    trash: None,
    default_confidence: 0.5,
    confirmed_confidence: 0.0,
    least_confidence: 0.0,
    pinned_is_directive: false,
};

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

    fn private_folder(&self) -> &'static str {
        ".inkvault"
    }

    fn detect(&self, listing: &Listing) -> Claim {
        let named = listing.config(self.private_folder());
        match named
            .as_ref()
            .and_then(|config| config.get("format"))
            .and_then(serde_json::Value::as_str)
        {
            Some("simple") => return Claim::Sure,
            Some(_) => return Claim::None,
            None => {}
        }
        let looks_like = listing.has_directory("common")
            && (listing.has_directory("projects")
                || listing
                    .entries
                    .iter()
                    .any(|entry| entry.name == "staging.md"));
        if looks_like {
            Claim::Likely
        } else {
            Claim::None
        }
    }

    fn skeleton(&self, _language: Language, _now: Timestamp) -> Vec<Skeleton> {
        let directories = ["common", "projects", "references", "archive"];
        let mut parts: Vec<_> = directories
            .map(|directory| Skeleton::Directory(VaultPath::known(directory)))
            .into();
        parts.push(Skeleton::File(
            VaultPath::known("staging.md"),
            String::new(),
        ));
        parts
    }

    fn places(&self) -> &'static [Place] {
        &[
            Place {
                directory: "common",
                area: Area::Active,
                depth: 0,
            },
            Place {
                directory: "projects",
                area: Area::Active,
                depth: 1,
            },
            Place {
                directory: "references",
                area: Area::Cold,
                depth: 1,
            },
            Place {
                directory: "archive",
                area: Area::Cold,
                depth: 2,
            },
            Place {
                directory: "",
                area: Area::Active,
                depth: 0,
            },
        ]
    }

    fn is_note(&self, path: &VaultPath) -> bool {
        let of_the_vault =
            path.parent().is_root() && matches!(path.name(), "README.md" | "staging.md");
        !of_the_vault
            && path
                .markdown_stem()
                .is_some_and(|stem| !stem.starts_with('.'))
    }

    fn parse(&self, path: &VaultPath, bytes: &[u8], assumed: Timestamp) -> Parsed {
        let text = match utf8(bytes) {
            Ok(text) => text,
            Err(why) => return Parsed::Bad(why),
        };
        let id = path.as_str().trim_end_matches(".md");
        let name = path.markdown_stem().unwrap_or_default();
        let (kind, title) = name.split_once('-').unwrap_or(("背景", name));
        let archived = path.as_str().starts_with("archive/");
        let metadata = Metadata {
            id: id.to_owned(),
            title: title.to_owned(),
            status: if archived {
                Status::Archived
            } else {
                Status::Active
            },
            scope: project_of(path),
            ..Metadata::blank(kind, assumed)
        };
        Parsed::Memory(Box::new(Memory {
            metadata,
            body: text.to_owned(),
            path: path.clone(),
            revision: fingerprint(bytes),
            bytes: bytes.len() as u64,
            repairs: Vec::new(),
            assumed: Assumptions {
                created: true,
                updated: false,
                status: false,
                kind: false,
            },
        }))
    }

    fn fields<'m>(&self, memory: &'m Memory) -> Vec<(Field, Cow<'m, str>)> {
        vec![
            (Field::Title, Cow::Borrowed(memory.metadata.title.as_str())),
            (Field::Tags, Cow::Borrowed(memory.metadata.kind.as_str())),
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
        VaultPath::parse(text).is_ok_and(|path| path.as_str() == text)
    }

    fn new_id(&self, now: Timestamp, seed: &str) -> String {
        format!(
            "common/{}",
            fingerprint(format!("{seed}{}", now.millis()).as_bytes())
        )
    }

    fn place(&self, metadata: &Metadata, current: Option<&VaultPath>) -> VaultPath {
        let archived = metadata.status == Status::Archived;
        let directory = match (&metadata.scope, archived) {
            (Some(project), false) => VaultPath::known("projects").join(project),
            (Some(project), true) => VaultPath::known("archive/projects").join(project),
            (None, false) => VaultPath::known("common"),
            (None, true) => VaultPath::known("archive"),
        };
        match current {
            Some(current) => directory.join(current.name()),
            None => directory.join(&format!("{}-{}.md", metadata.kind, metadata.title)),
        }
    }

    fn check_place(&self, path: &VaultPath) -> Result<()> {
        let fits = path.as_str().starts_with("common/") || project_of(path).is_some();
        if fits && self.is_note(path) {
            return Ok(());
        }
        Err(Error::InvalidArgument(format!(
            "path `{path}`: a note lies in `common/` or `projects/<name>/`"
        )))
    }

    fn create(&self, metadata: &Metadata, body: &str) -> Vec<u8> {
        let date = metadata.created.local_date(0);
        format!(
            "## {date} {}-{}\n\n{}\n",
            metadata.kind,
            metadata.title,
            body.trim()
        )
        .into_bytes()
    }

    fn edit(
        &self,
        bytes: &[u8],
        before: &Memory,
        after: &Metadata,
        body: Option<&str>,
        _given: &[&str],
    ) -> Result<Vec<u8>> {
        if *after != before.metadata {
            return Err(Error::Unsupported(
                "a note of a simple vault holds nothing but its text".into(),
            ));
        }
        Ok(body.map_or_else(|| bytes.to_vec(), |body| body.as_bytes().to_vec()))
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
}

/// The project of a path below `projects/` or `archive/projects/`.
fn project_of(path: &VaultPath) -> Option<String> {
    let path = path.as_str();
    let rest = path
        .strip_prefix("archive/")
        .unwrap_or(path)
        .strip_prefix("projects/")?;
    rest.split_once('/').map(|(project, _)| project.to_owned())
}
