//! Reading a memory's file: tolerant, with a repair for every value that was
//! not usable (dsh-memory format §3.1, §4).

use super::frontmatter::{Confidence, distinct, later_version, tags, with_category};
use super::places::{DIRECTORIES, title_in_name};
use super::sections::Layout;
use super::{CAPABILITIES, SCHEMA_VERSION};
use crate::document::{Document, LineEnding};
use crate::environment::VaultPath;
use crate::format::title_from_body;
use crate::memory::{Assumptions, Delivery, Memory, Metadata, Status, fingerprint};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// The key of the sessions that a memory comes from.
const SESSIONS: &str = "source_sessions";

/// What a text is split at where a list belongs.
const COMMAS: [char; 3] = [',', '，', '、'];

/// The memory in a document that has a usable `id`.
pub(super) fn read(
    id: String,
    document: &Document<'_>,
    path: &VaultPath,
    bytes: &[u8],
    assumed: Timestamp,
) -> Memory {
    let text = LineEnding::Lf.apply(document.body());
    let layout = Layout::of_file(&text);
    let mut reader = Reader::of(document);
    reader.repairs.extend_from_slice(document.issues());
    reader.schema_version();
    let kind_said = reader.kind();
    let kind = kind_said.unwrap_or(DIRECTORIES[0].0);
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
        origin: reader.origin(),
        evidence: reader.evidence(&layout),
        supersedes: reader.list("supersedes"),
        superseded_by: reader.text("superseded_by").unwrap_or_default(),
        conflicts_with: reader.list("conflicts_with"),
        converted_from: reader.text("converted_from").unwrap_or_default(),
        id,
        ..Metadata::blank(kind, assumed)
    };
    reader.repairs.extend(layout.repairs());
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
            kind: kind_said.is_none(),
        },
    }
}

/// The sessions that a memory comes from, its origin first.
pub(super) fn sessions(document: &Document<'_>) -> Vec<String> {
    Reader::of(document).list(SESSIONS)
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

    fn kind(&mut self) -> Option<&'static str> {
        let known = DIRECTORIES.map(|(kind, _)| kind);
        let named = |name: &str| known.into_iter().find(|kind| *kind == name);
        self.required("type", named, known[0])
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
        let Some(text) = self.text("confidence") else {
            return Confidence::Medium;
        };
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
        // What nobody can read is not put before an agent unasked.
        let level = self.choice("confidence", named, Confidence::Low.name());
        level.unwrap_or(Confidence::Low)
    }

    fn importance(&mut self) -> Option<u8> {
        let text = self.text("importance")?;
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let Some(number) = number else {
            self.unusable("importance", &text, "nothing");
            return None;
        };
        let counts = number.round().clamp(0.0, 100.0) as u8;
        if f64::from(counts) != number {
            self.unusable("importance", &text, &counts.to_string());
        }
        Some(counts)
    }

    fn origin(&mut self) -> String {
        self.list(SESSIONS).into_iter().next().unwrap_or_default()
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
        let Some(text) = self.text("schema_version") else {
            return;
        };
        if let Some(version) = later_version(self.document) {
            let what = format!("{version} is a later version: the memory can be read, not changed");
            self.repair("schema_version", what);
        } else if text.parse::<f64>().is_err() {
            self.unusable("schema_version", &text, &SCHEMA_VERSION.to_string());
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
