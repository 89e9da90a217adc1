//! The draft of a memory: what a caller gives, checked against what the
//! vault's format can hold, and laid over what is there. Nothing here touches
//! a file.

use foldhash::{HashSet, HashSetExt};

use crate::error::{Error, Result};
use crate::format::{BodyLimit, Capabilities, Format, Kinds};
use crate::memory::{Delivery, Metadata, Source, Status};
use crate::text::{characters, secrets};
use crate::timestamp::Timestamp;

/// What to write; see `wit/vault.wit`. An absent field keeps its value in an
/// update and takes its default in a new memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The memory to update; none for a new one.
    pub id: Option<String>,
    /// The revision the update is based on.
    pub revision: Option<String>,
    /// One line.
    pub title: Option<String>,
    /// The text.
    pub body: Option<String>,
    /// One of the format's kinds.
    pub kind: Option<String>,
    /// Where it stands in its life.
    pub status: Option<Status>,
    /// Creation time of an imported memory.
    pub created: Option<String>,
    /// Time of the last change, of an imported memory.
    pub updated: Option<String>,
    /// Topics.
    pub tags: Option<Vec<String>>,
    /// Other names.
    pub aliases: Option<Vec<String>>,
    /// From 0 to 1.
    pub confidence: Option<f64>,
    /// From 0 to 100.
    pub importance: Option<u8>,
    /// Kept in view.
    pub pinned: Option<bool>,
    /// How it reaches an agent.
    pub delivery: Option<Delivery>,
    /// How it came to be.
    pub source: Option<Source>,
    /// The conversation it comes from.
    pub origin: Option<String>,
    /// What supports it.
    pub evidence: Option<String>,
    /// Ids it replaces.
    pub supersedes: Option<Vec<String>>,
    /// The id that replaced it.
    pub superseded_by: Option<String>,
    /// Ids it contradicts.
    pub conflicts_with: Option<Vec<String>>,
    /// What it was in the vault it was converted from.
    pub converted_from: Option<String>,
    /// The project.
    pub scope: Option<String>,
    /// Where to put a new memory.
    pub path: Option<String>,
    /// Update what is at `path` instead of refusing.
    pub overwrite: bool,
    /// Store what looks like a credential.
    pub allow_secrets: bool,
    /// The host's offset from UTC.
    pub utc_offset_minutes: i16,
}

/// Checks what can be checked of a draft without the vault: that the format
/// can hold what it gives, and that numbers and texts are within limits.
pub(super) fn check(draft: &Draft, capabilities: &Capabilities) -> Result<()> {
    check_secrets(draft)?;
    check_revision(draft)?;
    let holds = &capabilities.holds;
    let given = [
        ("tags", draft.tags.is_some(), holds.tags),
        ("aliases", draft.aliases.is_some(), holds.aliases),
        ("confidence", draft.confidence.is_some(), holds.confidence),
        ("importance", draft.importance.is_some(), holds.importance),
        ("pinned", draft.pinned.is_some(), holds.pinned),
        ("delivery", draft.delivery.is_some(), holds.delivery),
        ("source", draft.source.is_some(), holds.source),
        ("origin", draft.origin.is_some(), holds.origin),
        ("evidence", draft.evidence.is_some(), holds.evidence),
        ("supersedes", draft.supersedes.is_some(), holds.relations),
        (
            "superseded_by",
            draft.superseded_by.is_some(),
            holds.relations,
        ),
        (
            "conflicts_with",
            draft.conflicts_with.is_some(),
            holds.relations,
        ),
        (
            "converted_from",
            draft.converted_from.is_some(),
            holds.converted_from,
        ),
        ("scope", draft.scope.is_some(), holds.scope),
    ];
    if let Some((name, ..)) = given.into_iter().find(|(_, given, holds)| *given && !holds) {
        return Err(Error::Unsupported(format!(
            "{name}: a vault of this format cannot hold it"
        )));
    }
    check_kind(draft.kind.as_deref(), capabilities.kinds)?;
    if let Some(status) = draft
        .status
        .filter(|status| !capabilities.has_status(*status))
    {
        return Err(Error::Unsupported(format!(
            "status: a memory of this format cannot be written as `{status}`"
        )));
    }
    if draft
        .confidence
        .is_some_and(|confidence| !(0.0..=1.0).contains(&confidence))
    {
        return Err(Error::InvalidArgument(
            "confidence: give a number from 0 to 1".into(),
        ));
    }
    if draft.importance.is_some_and(|importance| importance > 100) {
        return Err(Error::InvalidArgument(
            "importance: give a number from 0 to 100".into(),
        ));
    }
    draft
        .body
        .as_deref()
        .map_or(Ok(()), |body| check_body(body, capabilities.body_limit))
}

/// A revision goes with a memory and has the shape of one.
fn check_revision(draft: &Draft) -> Result<()> {
    let Some(revision) = &draft.revision else {
        return Ok(());
    };
    if draft.id.is_none() && draft.path.is_none() {
        return Err(Error::InvalidArgument(
            "revision: a new memory has none; name the memory by its id".into(),
        ));
    }
    if revision.len() == 16 && revision.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    let shown = characters::cut(revision, 40);
    Err(Error::InvalidArgument(format!(
        "revision: `{shown}` is none; it has 16 hexadecimal digits, take it from the memory as read"
    )))
}

/// No credential is stored unless that is asked for (design §8).
fn check_secrets(draft: &Draft) -> Result<()> {
    if draft.allow_secrets {
        return Ok(());
    }
    let lists = [&draft.tags, &draft.aliases]
        .into_iter()
        .flatten()
        .flatten();
    let texts = [&draft.title, &draft.body, &draft.evidence, &draft.origin];
    let mut given = texts.into_iter().flatten().chain(lists);
    if let Some(secret) = given.find_map(|text| secrets::find(text)) {
        return Err(Error::Refused(format!(
            "the text looks like it holds a credential ({}): leave that out, or allow secrets to store it",
            secret.kind
        )));
    }
    Ok(())
}

fn check_kind(kind: Option<&str>, kinds: Kinds) -> Result<()> {
    match (kind, kinds) {
        (Some(kind), Kinds::Closed(kinds)) if !kinds.contains(&kind) => {
            Err(Error::InvalidArgument(format!(
                "kind: `{}` is unknown, use one of {}",
                characters::cut(kind, 40),
                kinds.join(", ")
            )))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_body(body: &str, limit: BodyLimit) -> Result<()> {
    // Line ends at the end are not kept and do not count.
    let body = body.trim_end_matches(['\n', '\r']);
    let (length, most, unit) = match limit {
        BodyLimit::Characters(most) => (characters::count(body), most, "characters"),
        BodyLimit::Bytes(most) => (body.trim().len(), most, "bytes"),
    };
    if length > most {
        return Err(Error::InvalidArgument(format!(
            "body: it has {length} {unit}, at most {most} are kept in one memory: split it"
        )));
    }
    if body.trim().is_empty() {
        return Err(Error::InvalidArgument(
            "body: a memory needs a text: give one".into(),
        ));
    }
    Ok(())
}

impl Draft {
    /// The keys that it gives a value.
    pub(super) fn given(&self) -> Vec<&'static str> {
        let keys = [
            ("title", self.title.is_some()),
            ("kind", self.kind.is_some()),
            ("status", self.status.is_some()),
            ("tags", self.tags.is_some()),
            ("aliases", self.aliases.is_some()),
            ("confidence", self.confidence.is_some()),
            ("importance", self.importance.is_some()),
            ("pinned", self.pinned.is_some()),
            ("delivery", self.delivery.is_some()),
            ("source", self.source.is_some()),
            ("origin", self.origin.is_some()),
            ("evidence", self.evidence.is_some()),
            ("supersedes", self.supersedes.is_some()),
            ("superseded_by", self.superseded_by.is_some()),
            ("conflicts_with", self.conflicts_with.is_some()),
            ("converted_from", self.converted_from.is_some()),
        ];
        let given = keys.into_iter().filter(|(_, given)| *given);
        given.map(|(key, _)| key).collect()
    }
}

/// A new memory before its draft.
pub(super) fn blank(format: &dyn Format, body: &str, now: Timestamp) -> Metadata {
    let capabilities = format.capabilities();
    let (Kinds::Closed(kinds) | Kinds::Open(kinds)) = capabilities.kinds;
    Metadata {
        title: characters::cut(&format.title_of(body), capabilities.title_limit).to_owned(),
        confidence: capabilities.default_confidence,
        ..Metadata::blank(kinds.first().copied().unwrap_or_default(), now)
    }
}

/// Whether a new memory has to be called by its id.
pub(super) fn title_is_missing(draft: &Draft, format: &dyn Format, body: &str) -> bool {
    let given = draft
        .title
        .as_deref()
        .map(characters::one_line)
        .unwrap_or_default();
    given.is_empty() && format.title_of(body).is_empty()
}

/// Lays what a draft gives over what was there.
pub(super) fn apply(
    draft: &Draft,
    metadata: &mut Metadata,
    capabilities: &Capabilities,
    repairs: &mut Vec<String>,
) -> Result<()> {
    if let Some(title) = draft
        .title
        .as_deref()
        .map(characters::one_line)
        .filter(|title| !title.is_empty())
    {
        let kept = characters::cut(&title, capabilities.title_limit).trim_end();
        if kept.len() < title.len() {
            repairs.push(format!(
                "title: longer than {} characters, cut",
                capabilities.title_limit
            ));
        }
        metadata.title = kept.to_owned();
    }
    if let Some(tags) = &draft.tags {
        metadata.tags = distinct(tags);
        if metadata.tags.len() > capabilities.tag_limit {
            repairs.push(format!(
                "tags: the first {} of {} are kept",
                capabilities.tag_limit,
                metadata.tags.len()
            ));
            metadata.tags.truncate(capabilities.tag_limit);
        }
    }
    set(&mut metadata.kind, draft.kind.as_ref());
    set(&mut metadata.status, draft.status.as_ref());
    set(&mut metadata.confidence, draft.confidence.as_ref());
    set(&mut metadata.pinned, draft.pinned.as_ref());
    set(&mut metadata.delivery, draft.delivery.as_ref());
    set(&mut metadata.source, draft.source.as_ref());
    set(&mut metadata.evidence, draft.evidence.as_ref());
    metadata.importance = draft.importance.or(metadata.importance);
    if let Some(scope) = &draft.scope {
        metadata.scope = Some(scope.clone()).filter(|scope| !scope.is_empty());
    }
    set(
        &mut metadata.origin,
        draft.origin.as_deref().map(characters::one_line).as_ref(),
    );
    set(
        &mut metadata.superseded_by,
        draft
            .superseded_by
            .as_deref()
            .map(characters::one_line)
            .as_ref(),
    );
    set(
        &mut metadata.aliases,
        draft.aliases.as_deref().map(distinct).as_ref(),
    );
    set(
        &mut metadata.supersedes,
        draft.supersedes.as_deref().map(distinct).as_ref(),
    );
    set(
        &mut metadata.conflicts_with,
        draft.conflicts_with.as_deref().map(distinct).as_ref(),
    );
    set(
        &mut metadata.converted_from,
        draft
            .converted_from
            .as_deref()
            .map(characters::one_line)
            .as_ref(),
    );
    Ok(())
}

fn set<T: Clone>(place: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        place.clone_from(value);
    }
}

/// Each once, on one line, none empty, in order.
fn distinct(items: &[String]) -> Vec<String> {
    let mut seen = HashSet::new();
    let items = items.iter().map(|item| characters::one_line(item));
    let fresh = items.filter(|item| !item.is_empty() && seen.insert(item.clone()));
    fresh.collect()
}

/// When a new memory was first written: `now`, unless the draft says.
pub(super) fn created(draft: &Draft, now: Timestamp) -> Result<Timestamp> {
    let given = draft.created.as_deref();
    given.map_or(Ok(now), |text| parse_date("created", text))
}

/// When a memory that was first written at `created` is last changed: `now`,
/// unless the draft says.
pub(super) fn updated(draft: &Draft, created: Timestamp, now: Timestamp) -> Result<Timestamp> {
    let Some(text) = &draft.updated else {
        return Ok(now);
    };
    let updated = parse_date("updated", text)?;
    if updated < created {
        return Err(Error::InvalidArgument(format!(
            "updated: {updated} lies before the memory was created, {created}"
        )));
    }
    Ok(updated)
}

fn parse_date(field: &str, text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::InvalidArgument(format!(
            "{field}: `{}` is no date such as 2026-10-19T10:00:00Z",
            characters::cut(text, 40)
        ))
    })
}
