//! Reading and writing the frontmatter of a memory (dsh-memory format §3.1),
//! tolerant as §4 says.

use super::places::{DIRECTORIES, title_in_name};
use super::sections::{EVIDENCE, Layout};
use super::{CAPABILITIES, SCHEMA_VERSION, arrangement};
use crate::document::{Document, Edit, LineEnding, Value};
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::format::title_from_body;
use crate::memory::{Assumptions, Delivery, Memory, Metadata, Status, fingerprint};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// The order of the keys in a new file: that of the specification's example,
/// then the one this implementation adds.
const KEYS: [&str; 18] = [
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
];

/// Keys that are called otherwise in a draft.
const RENAMED: [(&str, &str); 2] = [("kind", "type"), ("origin", "source_sessions")];

/// What a text is split at where a list belongs.
const COMMAS: [char; 3] = [',', '，', '、'];

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
    const ALL: [Confidence; 3] = [Confidence::Low, Confidence::Medium, Confidence::High];

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
    fn number(self) -> f64 {
        match self {
            Confidence::Low => 0.3,
            Confidence::Medium => 0.6,
            Confidence::High => 0.9,
        }
    }
}

/// Reads a memory, with a repair for each value that was not usable. The
/// document has a usable `id`.
pub(super) fn read(
    id: String,
    document: &Document<'_>,
    path: &VaultPath,
    bytes: &[u8],
    assumed: Timestamp,
) -> Memory {
    let text = LineEnding::Lf.apply(document.body());
    let layout = Layout::of_file(&text);
    let mut reader = Reader {
        document,
        repairs: document.issues().to_vec(),
    };
    reader.schema_version();
    let kind = reader.kind();
    let status = reader.status();
    let created = reader.date("created_at");
    let updated = reader.date("updated_at");
    let metadata = Metadata {
        title: reader.title(&layout, path, &id),
        tags: reader.tags(kind),
        aliases: reader.list("aliases"),
        status: status.unwrap_or(Status::Pending),
        created: created.unwrap_or(assumed),
        updated: updated.unwrap_or(assumed),
        confidence: reader.confidence().number(),
        importance: reader.importance(),
        pinned: reader.pinned(),
        delivery: reader.delivery(),
        origin: reader
            .list("source_sessions")
            .into_iter()
            .next()
            .unwrap_or_default(),
        evidence: reader.evidence(&layout),
        supersedes: reader.list("supersedes"),
        superseded_by: reader.text("superseded_by").unwrap_or_default(),
        conflicts_with: reader.list("conflicts_with"),
        id,
        ..Metadata::blank(kind, assumed)
    };
    let faults = layout
        .sections
        .iter()
        .filter_map(|section| section.fault.clone());
    reader.repairs.extend(faults);
    Memory {
        metadata,
        body: layout.body().to_owned(),
        path: path.clone(),
        revision: fingerprint(bytes),
        bytes: bytes.len() as u64,
        repairs: reader.repairs,
        assumed: Assumptions {
            created: created.is_none(),
            updated: updated.is_none(),
            status: status.is_none(),
        },
    }
}

/// The bytes of a new file.
pub(super) fn compose(metadata: &Metadata, body: &str) -> Vec<u8> {
    let body = arrangement::compose(&metadata.title, body, &metadata.evidence);
    let entries = KEYS.into_iter().zip(values(metadata, &[]));
    let edits = entries.filter_map(|(key, value)| Some(Edit::Set(key, value?)));
    let edits: Vec<_> = edits.chain([Edit::Body(&body)]).collect();
    Document::parse("---\n---\n\n")
        .edit(&edits, &KEYS)
        .into_bytes()
}

/// The bytes of a changed file: the parts of the body that change, the keys
/// whose values do, those that were given where something else is stored, and
/// dates that had to be assumed.
///
/// # Errors
/// [`Error::Unsupported`] where the file has a later `schema_version`.
pub(super) fn edit(
    text: &str,
    before: &Memory,
    after: &Metadata,
    body: Option<&str>,
    given: &[&str],
) -> Result<Vec<u8>> {
    let version = schema_version(&Document::parse(text));
    if let Some(version) = version.filter(|version| *version > SCHEMA_VERSION) {
        return Err(Error::Unsupported(format!(
            "{}: its `schema_version` is {version}, of which this program knows only {SCHEMA_VERSION}: \
             change it with the program that wrote it",
            before.path
        )));
    }
    let given: Vec<_> = given.iter().map(|name| key_of(name)).collect();
    let mut after = after.clone();
    keep_one_category(&mut after, &before.metadata, &given);
    let text = with_body(text, before, &mut after, body, &given);
    let document = Document::parse(&text);
    Ok(document
        .edit(&changes(&document, before, &after, &given), &KEYS)
        .into_bytes())
}

/// Makes the changes of the body, part by part. Evidence that a new body
/// brings along is taken over, unless other evidence was given.
fn with_body(
    text: &str,
    before: &Memory,
    after: &mut Metadata,
    body: Option<&str>,
    given: &[&str],
) -> String {
    let mut text = text.to_owned();
    let old = &before.metadata;
    let mut is_told = after.evidence != old.evidence || given.contains(&"evidence");
    if after.title != old.title {
        text = rewritten(&text, |text| arrangement::with_title(text, &after.title));
    }
    if let Some(body) = body {
        text = rewritten(&text, |text| {
            arrangement::with_body(text, body, &after.title)
        });
        if let Some(brought) = brought_evidence(&before.body, body).filter(|_| !is_told) {
            is_told = true;
            if !brought.is_empty() {
                after.evidence = brought;
            }
        }
    }
    if is_told {
        text = rewritten(&text, |text| {
            arrangement::with_evidence(text, &after.evidence)
        });
    }
    text
}

/// What stands in the evidence section of a new body, if it has one that is
/// not as it was.
fn brought_evidence(old: &str, new: &str) -> Option<String> {
    let new = LineEnding::Lf.apply(new);
    let layout = Layout::of_body(&new);
    layout.section(EVIDENCE)?;
    let brought = layout.evidence();
    (brought != Layout::of_body(old).evidence()).then(|| brought.to_owned())
}

/// A file with one change made to all that follows its frontmatter.
fn rewritten(text: &str, change: impl FnOnce(&str) -> String) -> String {
    let document = Document::parse(text);
    let body = change(&LineEnding::Lf.apply(document.body()));
    document.edit(&[Edit::Body(&body)], &KEYS)
}

/// What is to be changed in the frontmatter.
fn changes(
    document: &Document<'_>,
    before: &Memory,
    after: &Metadata,
    given: &[&str],
) -> Vec<Edit<'static>> {
    let sessions = Reader::of(document).list("source_sessions");
    let others = sessions.get(1..).unwrap_or_default();
    let old = values(&before.metadata, others);
    let new = values(after, others);
    let is_due = |key| match key {
        "created_at" => before.assumed.created,
        "updated_at" => before.assumed.updated,
        _ => given.contains(&key),
    };
    let stands = |key, value: &Value| {
        document
            .get(key)
            .is_some_and(|field| field.value.same_as(value))
    };
    let mut edits = Vec::new();
    for (key, (old, new)) in KEYS.into_iter().zip(old.into_iter().zip(new)) {
        match new {
            Some(new) if old.as_ref() != Some(&new) => edits.push(Edit::Set(key, new)),
            Some(new) if is_due(key) && !stands(key, &new) => edits.push(Edit::Set(key, new)),
            None if old.is_some() => edits.push(Edit::Remove(key)),
            _ => {}
        }
    }
    edits
}

/// A memory whose kind changed is no longer of the old category, unless its
/// tags were given.
fn keep_one_category(after: &mut Metadata, before: &Metadata, given: &[&str]) {
    if after.kind != before.kind && !given.contains(&"tags") {
        after.tags.retain(|tag| *tag != before.kind);
    }
}

/// The value of each key in the order of [`KEYS`]; none where the key is not
/// written: empty texts and lists are not (§3.1). `sessions` are the sessions
/// it comes from besides its origin.
fn values(metadata: &Metadata, sessions: &[String]) -> [Option<Value>; KEYS.len()] {
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
    ]
}

/// The key that a name of a draft stands for.
fn key_of(name: &str) -> &str {
    let renamed = RENAMED.iter().find(|(known, _)| *known == name);
    renamed.map_or(name, |(_, key)| key)
}

/// Tags in lower case, without `#`, with `-` for blanks, each once (§3.1).
fn tags<S: AsRef<str>>(tags: &[S]) -> Vec<String> {
    let tag = |tag: &S| {
        let plain = tag.as_ref().replace('#', "").to_lowercase();
        plain.split_whitespace().collect::<Vec<_>>().join("-")
    };
    let tags: Vec<_> = tags.iter().map(tag).collect();
    distinct(tags.iter().map(String::as_str))
}

/// Tags with that of the memory's category among them.
fn with_category(mut tags: Vec<String>, kind: &str) -> Vec<String> {
    if !tags.iter().any(|tag| tag == kind) {
        tags.push(kind.to_owned());
    }
    tags
}

/// Each once, none empty, in order.
fn distinct<'i>(items: impl Iterator<Item = &'i str>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in items.map(str::trim).filter(|item| !item.is_empty()) {
        if !kept.iter().any(|kept| kept == item) {
            kept.push(item.to_owned());
        }
    }
    kept
}

/// The version that a file says it is of.
fn schema_version(document: &Document<'_>) -> Option<u64> {
    let version = document.get("schema_version")?.value.text()?;
    version.parse().ok()
}

/// Reads values and notes what was wrong with them.
struct Reader<'d, 't> {
    document: &'d Document<'t>,
    repairs: Vec<String>,
}

impl<'d, 't> Reader<'d, 't> {
    fn of(document: &'d Document<'t>) -> Self {
        Reader {
            document,
            repairs: Vec::new(),
        }
    }

    fn repair(&mut self, key: &str, what: impl AsRef<str>) {
        self.repairs.push(format!("{key}: {}", what.as_ref()));
    }

    /// The text of a key; none where it is absent or blank.
    fn text(&self, key: &str) -> Option<String> {
        let field = self.document.get(key)?;
        let text = match field.value.text() {
            Some(text) => text.to_owned(),
            None => field.value.list().join(", "),
        };
        (!text.trim().is_empty()).then_some(text)
    }

    /// A list, each item once; a text is split where `ends` says.
    fn list_split(&mut self, key: &str, ends: impl Fn(char) -> bool) -> Vec<String> {
        let Some(field) = self.document.get(key) else {
            return Vec::new();
        };
        match field.value.text() {
            None => distinct(field.value.list().into_iter()),
            Some(text) if text.trim().is_empty() => Vec::new(),
            Some(text) => {
                self.repair(key, "a text stands where a list belongs; it was split");
                distinct(text.split(ends))
            }
        }
    }

    fn list(&mut self, key: &str) -> Vec<String> {
        self.list_split(key, |c| COMMAS.contains(&c))
    }

    fn tags(&mut self, kind: &str) -> Vec<String> {
        let ends_tag = |c: char| COMMAS.contains(&c) || c.is_whitespace();
        let mut tags = tags(&self.list_split("tags", ends_tag));
        let is_there = tags.iter().any(|tag| tag == kind);
        let limit = CAPABILITIES.tag_limit - usize::from(!is_there);
        if tags.len() > limit {
            self.repair(
                "tags",
                format!("{} of them, the first {limit} count", tags.len()),
            );
            tags.truncate(limit);
        }
        with_category(tags, kind)
    }

    /// The title that stands there, else the H1, the name of the file, the
    /// first line of the text, or the id.
    fn title(&mut self, layout: &Layout<'_>, path: &VaultPath, id: &str) -> String {
        let given = self.text("title").unwrap_or_default();
        let heading = layout.title.as_ref().map_or("", |heading| heading.name);
        let first_line = title_from_body(layout.body());
        let sources = [
            (given.as_str(), ""),
            (heading, "the heading counts"),
            (title_in_name(path, id), "the name of the file counts"),
            (&first_line, "the first line counts"),
            (id, "the id counts"),
        ];
        let mut titles = sources
            .into_iter()
            .map(|(text, note)| (characters::one_line(text), note));
        let (title, note) = titles
            .find(|(title, _)| !title.is_empty())
            .unwrap_or_default();
        if !note.is_empty() {
            self.repair("title", format!("missing; {note}"));
        }
        let limit = CAPABILITIES.title_limit;
        let kept = characters::cut(&title, limit).trim_end();
        if kept.len() < title.len() {
            self.repair("title", format!("longer than {limit} characters, cut"));
        }
        kept.to_owned()
    }

    fn kind(&mut self) -> &'static str {
        let known = DIRECTORIES.map(|(kind, _)| kind);
        let named = |name: &str| known.into_iter().find(|kind| *kind == name);
        let kind = self.required("type", named, known[0]);
        kind.unwrap_or(known[0])
    }

    /// What is no status is never taken for `active` (§4).
    fn status(&mut self) -> Option<Status> {
        self.required("status", Status::named, Status::Pending.name())
    }

    fn delivery(&mut self) -> Delivery {
        let delivery = self.choice("delivery", Delivery::named, Delivery::Recall.name());
        delivery.unwrap_or_default()
    }

    fn pinned(&mut self) -> bool {
        let named = |name: &str| match name {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        self.choice("pinned", named, "false").unwrap_or_default()
    }

    fn confidence(&mut self) -> Confidence {
        let text = self.text("confidence").unwrap_or_default();
        let number = text.parse::<f64>().ok();
        if let Some(number) = number.filter(|number| (0.0..=1.0).contains(number)) {
            let level = Confidence::of(number);
            self.repair(
                "confidence",
                format!("a number, read as `{}`", level.name()),
            );
            return level;
        }
        let named = |name: &str| {
            let mut levels = Confidence::ALL.into_iter();
            levels.find(|level| level.name().eq_ignore_ascii_case(name))
        };
        let level = self.choice("confidence", named, Confidence::Medium.name());
        level.unwrap_or(Confidence::Medium)
    }

    fn importance(&mut self) -> Option<u8> {
        let text = self.text("importance")?;
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let Some(number) = number else {
            self.unusable("importance", &text, "nothing");
            return None;
        };
        let clipped = number.round().clamp(0.0, 100.0);
        if clipped != number {
            let clipped = clipped as u8;
            self.repair("importance", format!("not from 0 to 100, {clipped} counts"));
        }
        Some(clipped as u8)
    }

    /// What stands in the frontmatter, else what stands in its section.
    fn evidence(&self, layout: &Layout<'_>) -> String {
        let given = self.text("evidence");
        let given = given.as_deref().unwrap_or(layout.evidence());
        given.trim_end_matches(['\n', '\r']).to_owned()
    }

    fn date(&mut self, key: &str) -> Option<Timestamp> {
        let text = self.text(key);
        let date = text.as_deref().and_then(Timestamp::parse);
        if date.is_none() {
            let what = text.map_or("missing", |_| "no date stands there");
            self.repair(key, format!("{what}; the file's own time counts"));
        }
        date
    }

    fn schema_version(&mut self) {
        let version = schema_version(self.document);
        if let Some(version) = version.filter(|version| *version > SCHEMA_VERSION) {
            let what = format!("{version} is a later version: the memory can be read, not changed");
            self.repair("schema_version", what);
        }
    }

    /// One of several names, which should stand there.
    fn required<T>(
        &mut self,
        key: &str,
        named: impl Fn(&str) -> Option<T>,
        default: &str,
    ) -> Option<T> {
        if self.text(key).is_none() {
            self.repair(key, format!("missing, `{default}` counts"));
        }
        self.choice(key, named, default)
    }

    /// One of several names; none where there is nothing or something else.
    fn choice<T>(
        &mut self,
        key: &str,
        named: impl Fn(&str) -> Option<T>,
        default: &str,
    ) -> Option<T> {
        let text = self.text(key)?;
        let value = named(text.trim());
        if value.is_none() {
            self.unusable(key, &text, &format!("`{default}`"));
        }
        value
    }

    fn unusable(&mut self, key: &str, text: &str, counts: &str) {
        let shown = characters::cut(text, 40);
        self.repair(
            key,
            format!("`{shown}` is none of its values, {counts} counts"),
        );
    }
}
