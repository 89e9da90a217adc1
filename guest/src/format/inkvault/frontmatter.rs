//! Reading and writing the frontmatter of a memory file (contract §0.4, §1).

use std::fmt::Display;

use super::{CAPABILITIES, TITLE_LIMIT, is_entry_id, title_from_body};
use crate::document::{self, Document, Edit, Style, Value};
use crate::environment::VaultPath;
use crate::error::Result;
use crate::format::Kinds;
use crate::memory::{Assumptions, Delivery, Memory, Metadata, Source, Status, fingerprint};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// The order of the keys in a new file: those of contract §0.1, then those
/// this implementation adds.
const KEYS: [&str; 20] = [
    "id",
    "title",
    "kind",
    "status",
    "created",
    "updated",
    "tags",
    "confidence",
    "source",
    "hash",
    "origin",
    "delivery",
    "pinned",
    "importance",
    "aliases",
    "evidence",
    "supersedes",
    "superseded_by",
    "conflicts_with",
    "converted_from",
];

/// The id of a document, or why it has no usable one.
pub(super) fn read_id(document: &Document<'_>) -> std::result::Result<String, String> {
    let Some(field) = document.get("id") else {
        return Err("its frontmatter has no `id`: give it one like `m-20261019-ab12cd`".into());
    };
    let id = field.value.text().unwrap_or_default();
    if is_entry_id(id) {
        return Ok(id.to_owned());
    }
    let shown = characters::cut(id, 40);
    Err(format!(
        "its `id` is `{shown}`, which is not of the form `m-20261019-ab12cd`"
    ))
}

/// Reads a memory, with a repair for each value that was not usable
/// (contract §1, `coerceEntry`).
pub(super) fn read(
    id: String,
    document: &Document<'_>,
    path: &VaultPath,
    bytes: &[u8],
    assumed: Timestamp,
) -> Memory {
    let body = document.body().to_owned();
    let mut reader = Reader {
        document,
        repairs: document.issues().to_vec(),
    };
    reader.note_styles();
    let title = reader.title(&body, &id);
    let kind = reader.kind();
    let (status, status_assumed) = reader.status();
    let created = reader.date("created");
    let updated = reader.date("updated");
    let metadata = Metadata {
        id,
        title,
        kind,
        status,
        created: created.unwrap_or(assumed),
        updated: updated.unwrap_or(assumed),
        tags: reader.tags(),
        aliases: reader.list("aliases"),
        confidence: reader.number("confidence", 0.0, 1.0).unwrap_or(0.5),
        importance: reader
            .number("importance", 0.0, 100.0)
            .map(|number| number.round() as u8),
        pinned: reader.flag("pinned"),
        delivery: reader.delivery(),
        source: reader.source(),
        origin: reader.text("origin").unwrap_or_default(),
        evidence: reader.text("evidence").unwrap_or_default(),
        supersedes: reader.list("supersedes"),
        superseded_by: reader.text("superseded_by").unwrap_or_default(),
        conflicts_with: reader.list("conflicts_with"),
        converted_from: reader.text("converted_from").unwrap_or_default(),
        scope: None,
    };
    Memory {
        metadata,
        body,
        path: path.clone(),
        revision: fingerprint(bytes),
        bytes: bytes.len() as u64,
        repairs: reader.repairs,
        assumed: Assumptions {
            created: created.is_none(),
            updated: updated.is_none(),
            status: status_assumed,
            // It decides no place.
            kind: false,
        },
    }
}

/// The bytes of a new file. Its last byte is the body's: the contract's
/// files do not end in a line end.
pub(super) fn compose(metadata: &Metadata, body: &str) -> Vec<u8> {
    let body = body.trim_end_matches(['\n', '\r']);
    let entries = entries(metadata, &fingerprint(body.as_bytes()));
    let present: Vec<_> = entries
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .collect();
    document::compose(&present, body).into_bytes()
}

/// The bytes of a changed file: keys whose values differ, keys that were given
/// where something else is stored, dates that had to be assumed, and `hash`
/// where it is not the body's.
pub(super) fn edit(
    document: &Document<'_>,
    before: &Memory,
    after: &Metadata,
    body: Option<&str>,
    given: &[&str],
) -> Result<Vec<u8>> {
    let body = body.map(|body| body.trim_end_matches(['\n', '\r']));
    let rewritten = body.map(|body| document.edit(&[Edit::Body(body)], &KEYS));
    let rewritten = rewritten.as_deref().map(Document::parse);
    // The body takes on the file's line ends, and the hash is that of the result.
    let document = rewritten.as_ref().unwrap_or(document);
    let hash = fingerprint(document.body().as_bytes());
    let stored = |key| document.get(key).map(|field| &field.value);
    let stored_hash = stored("hash").and_then(Value::text).unwrap_or_default();
    let assumed = |key| match key {
        "created" => before.assumed.created,
        "updated" => before.assumed.updated,
        _ => given.contains(&key),
    };
    let old = entries(&before.metadata, stored_hash);
    let mut edits = Vec::new();
    for ((key, old), (_, new)) in old.into_iter().zip(entries(after, &hash)) {
        match new {
            Some(new) if old.as_ref() != Some(&new) => edits.push(Edit::Set(key, new)),
            Some(new)
                if assumed(key) && !stored(key).is_some_and(|stored| stored.same_as(&new)) =>
            {
                edits.push(Edit::Set(key, new));
            }
            None if old.is_some() => edits.push(Edit::Remove(key)),
            _ => {}
        }
    }
    Ok(document.edit(&edits, &KEYS).into_bytes())
}

/// The value of each key in the order of [`KEYS`]; none where the key is not
/// written. Added keys are written only where they say something.
fn entries(metadata: &Metadata, hash: &str) -> [(&'static str, Option<Value>); KEYS.len()] {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let plain = |value: &dyn Display| Some(Value::Plain(value.to_string()));
    let said = |text: &str| (!text.is_empty()).then(|| Value::Text(text.to_owned()));
    let named = |list: &[String]| (!list.is_empty()).then(|| Value::List(list.to_vec()));
    let values = [
        text(&metadata.id),
        text(&metadata.title),
        text(&metadata.kind),
        text(stored_status(metadata.status).name()),
        plain(&metadata.created),
        plain(&metadata.updated),
        Some(Value::List(metadata.tags.clone())),
        plain(&metadata.confidence),
        text(source_name(metadata.source)),
        text(hash),
        text(&metadata.origin),
        text(metadata.delivery.name()),
        metadata.pinned.then(|| Value::Plain("true".into())),
        metadata
            .importance
            .map(|importance| Value::Plain(importance.to_string())),
        named(&metadata.aliases),
        said(&metadata.evidence),
        named(&metadata.supersedes),
        said(&metadata.superseded_by),
        named(&metadata.conflicts_with),
        said(&metadata.converted_from),
    ];
    let mut keys = KEYS.into_iter();
    values.map(|value| (keys.next().unwrap_or_default(), value))
}

/// A conflict is stored as `pending`: a reader that does not know the added
/// key `conflicts_with` must not take the memory for active.
pub(super) fn stored_status(status: Status) -> Status {
    if status == Status::Conflict {
        Status::Pending
    } else {
        status
    }
}

pub(super) fn source_name(source: Source) -> &'static str {
    match source {
        Source::Capture => "capture",
        Source::Manual => "manual",
        Source::Imported => "import",
    }
}

struct Reader<'d, 't> {
    document: &'d Document<'t>,
    repairs: Vec<String>,
}

impl Reader<'_, '_> {
    /// Values of several lines are read and noted (contract §1).
    fn note_styles(&mut self) {
        for field in self.document.fields() {
            if KEYS.contains(&field.key.as_ref())
                && matches!(field.style, Style::BlockList | Style::BlockScalar)
            {
                self.repairs
                    .push(format!("{}: a value of several lines was read", field.key));
            }
        }
    }

    /// The text of a key; none where it is absent or empty.
    fn text(&mut self, key: &str) -> Option<String> {
        let field = self.document.get(key)?;
        let text = match field.value.text() {
            Some(text) => text.to_owned(),
            None => field.value.list().join(", "),
        };
        (!text.is_empty()).then_some(text)
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        let Some(field) = self.document.get(key) else {
            return Vec::new();
        };
        let items = match field.value.text() {
            None => field.value.list(),
            Some("") => return Vec::new(),
            Some(text) => {
                self.repairs.push(format!(
                    "{key}: a text stands where a list belongs; it was split at commas"
                ));
                text.split([',', '，']).map(str::trim).collect()
            }
        };
        let mut kept: Vec<String> = Vec::new();
        for item in &items {
            if !item.trim().is_empty() && !kept.iter().any(|kept| kept == item) {
                kept.push((*item).to_owned());
            }
        }
        if kept.len() < items.len() {
            self.repairs
                .push(format!("{key}: empty and repeated items were left out"));
        }
        kept
    }

    fn tags(&mut self) -> Vec<String> {
        let mut tags = self.list("tags");
        let limit = CAPABILITIES.tag_limit;
        if tags.len() > limit {
            self.repairs.push(format!(
                "tags: {} of them, the first {limit} count",
                tags.len()
            ));
            tags.truncate(limit);
        }
        tags
    }

    fn title(&mut self, body: &str, id: &str) -> String {
        let given = self
            .text("title")
            .map(|title| characters::one_line(&title))
            .unwrap_or_default();
        if given.is_empty() {
            let made = title_from_body(body);
            return if made.is_empty() { id.to_owned() } else { made };
        }
        let kept = characters::cut(&given, TITLE_LIMIT);
        if kept.len() < given.len() {
            self.repairs
                .push(format!("title: longer than {TITLE_LIMIT} characters, cut"));
        }
        kept.to_owned()
    }

    fn kind(&mut self) -> String {
        let Kinds::Closed(kinds) = CAPABILITIES.kinds else {
            return String::new();
        };
        let default = kinds.first().copied().unwrap_or_default();
        self.choice("kind", default, |name| {
            kinds.iter().copied().find(|kind| *kind == name)
        })
        .0
        .to_owned()
    }

    fn status(&mut self) -> (Status, bool) {
        let storable = |name: &str| {
            Status::named(name).filter(|status| CAPABILITIES.statuses.contains(status))
        };
        let (status, assumed) = self.choice("status", Status::Active, storable);
        let contradicted =
            status == Status::Pending && self.document.get("conflicts_with").is_some();
        if contradicted && !self.list("conflicts_with").is_empty() {
            return (Status::Conflict, false);
        }
        (status, assumed)
    }

    fn delivery(&mut self) -> Delivery {
        self.choice("delivery", Delivery::Recall, Delivery::named).0
    }

    fn source(&mut self) -> Source {
        let known = [Source::Capture, Source::Manual, Source::Imported];
        self.choice("source", Source::Manual, |name| {
            known
                .into_iter()
                .find(|source| source_name(*source) == name)
        })
        .0
    }

    /// One of several names; where something else stands there, the default
    /// and true.
    fn choice<T: Copy>(
        &mut self,
        key: &str,
        default: T,
        named: impl Fn(&str) -> Option<T>,
    ) -> (T, bool) {
        let Some(text) = self.text(key) else {
            return (default, false);
        };
        if let Some(value) = named(&text) {
            return (value, false);
        }
        let shown = characters::cut(&text, 40);
        self.repairs.push(format!(
            "{key}: `{shown}` is none of its values, the default counts"
        ));
        (default, true)
    }

    fn number(&mut self, key: &str, least: f64, most: f64) -> Option<f64> {
        let text = self.text(key)?;
        let number = text
            .parse::<f64>()
            .ok()
            .filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let shown = characters::cut(&text, 40);
            self.repairs.push(format!(
                "{key}: `{shown}` is no number from {least} to {most}, the default counts"
            ));
        }
        number
    }

    fn flag(&mut self, key: &str) -> bool {
        let named = |name: &str| match name {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        self.choice(key, false, named).0
    }

    fn date(&mut self, key: &str) -> Option<Timestamp> {
        let text = self.text(key);
        let date = text.as_deref().and_then(Timestamp::parse);
        if date.is_none() {
            let what = if text.is_some() {
                "no date stands there"
            } else {
                "missing"
            };
            self.repairs
                .push(format!("{key}: {what}; the file's own time counts"));
        }
        date
    }
}
