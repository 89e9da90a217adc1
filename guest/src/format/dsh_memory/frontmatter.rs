//! The frontmatter of a memory (dsh-memory format §3.1): its keys, and the
//! rules that their values keep to, read or written.

use foldhash::{HashSet, HashSetExt};

use super::SCHEMA_VERSION;
use crate::document::{Document, Value};
use crate::memory::{Delivery, Metadata};

/// The order of the keys in a new file: that of the specification's example,
/// then those this implementation adds.
pub(super) const KEYS: [&str; 19] = [
    "id",
    "type",
    "status",
    "title",
    "created_at",
    "updated_at",
    "tags",
    "confidence",
    "importance",
    "pinned",
    "source_sessions",
    "aliases",
    "supersedes",
    "superseded_by",
    "conflicts_with",
    "evidence",
    "schema_version",
    "delivery",
    "converted_from",
];

/// Keys that are called otherwise in a draft.
const RENAMED: [(&str, &str); 2] = [("kind", "type"), ("origin", "source_sessions")];

/// How sure a memory is: the three words of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Confidence {
    /// Never put before an agent unasked.
    Low,
    /// Where nothing is said.
    Medium,
    /// Beyond doubt.
    High,
}

impl Confidence {
    /// All three.
    pub(super) const ALL: [Confidence; 3] = [Confidence::Low, Confidence::Medium, Confidence::High];

    /// Of a number from 0 to 1 (design §8).
    pub(super) fn of(number: f64) -> Self {
        match number {
            number if number < 0.6 => Confidence::Low,
            number if number < 0.85 => Confidence::Medium,
            _ => Confidence::High,
        }
    }

    /// Its word in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }

    /// The number it stands for.
    pub(super) fn number(self) -> f64 {
        match self {
            Confidence::Low => 0.3,
            Confidence::Medium => 0.6,
            Confidence::High => 0.9,
        }
    }
}

/// The value of each key in the order of [`KEYS`]; none where the key is not
/// written: empty texts and lists are not (§3.1). `sessions` are the sessions
/// it comes from besides its origin.
pub(super) fn values(metadata: &Metadata, sessions: &[String]) -> [Option<Value>; KEYS.len()] {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let plain = |text: &str| Some(Value::Plain(text.to_owned()));
    let said = |text: &str| (!text.trim().is_empty()).then(|| Value::Text(text.to_owned()));
    let named = |list: Vec<String>| (!list.is_empty()).then_some(Value::BlockList(list));
    let importance = metadata.importance.map(|importance| importance.to_string());
    let is_prompt = metadata.delivery == Delivery::Prompt;
    let origin = [metadata.origin.clone()];
    let sessions = distinct(origin.iter().chain(sessions).map(String::as_str));
    [
        text(&metadata.id),
        text(&metadata.kind),
        text(metadata.status.name()),
        text(&metadata.title),
        plain(&metadata.created.to_string()),
        plain(&metadata.updated.to_string()),
        named(with_category(tags(&metadata.tags), &metadata.kind)),
        text(Confidence::of(metadata.confidence).name()),
        importance.map(Value::Plain),
        plain(if metadata.pinned { "true" } else { "false" }),
        named(sessions),
        named(metadata.aliases.clone()),
        named(metadata.supersedes.clone()),
        said(&metadata.superseded_by),
        named(metadata.conflicts_with.clone()),
        said(&metadata.evidence),
        plain(&SCHEMA_VERSION.to_string()),
        is_prompt.then(|| Value::Text(metadata.delivery.name().to_owned())),
        said(&metadata.converted_from),
    ]
}

/// The key that a name of a draft stands for.
pub(super) fn key_of(name: &str) -> &str {
    let renamed = RENAMED.iter().find(|(known, _)| *known == name);
    renamed.map_or(name, |(_, key)| key)
}

/// Tags in lower case, without `#`, with `-` for blanks, each once (§3.1).
pub(super) fn tags<S: AsRef<str>>(tags: &[S]) -> Vec<String> {
    let tag = |tag: &S| {
        let plain = tag.as_ref().replace('#', "").to_lowercase();
        plain.split_whitespace().collect::<Vec<_>>().join("-")
    };
    let tags: Vec<_> = tags.iter().map(tag).collect();
    distinct(tags.iter().map(String::as_str))
}

/// Tags with that of the memory's category among them.
pub(super) fn with_category(mut tags: Vec<String>, kind: &str) -> Vec<String> {
    if !tags.iter().any(|tag| tag == kind) {
        tags.push(kind.to_owned());
    }
    tags
}

/// Each once, none empty, in order.
pub(super) fn distinct<'i>(items: impl Iterator<Item = &'i str>) -> Vec<String> {
    let mut seen = HashSet::new();
    let items = items.map(str::trim).filter(|item| !item.is_empty());
    let fresh = items.filter(|item| seen.insert(*item));
    fresh.map(str::to_owned).collect()
}

/// The version that a file says it is of, where that is later than what is
/// known.
pub(super) fn later_version(document: &Document<'_>) -> Option<f64> {
    let version = document.get("schema_version")?.value.text()?;
    let version = version.parse::<f64>().ok();
    version.filter(|version| *version > SCHEMA_VERSION as f64)
}
