//! `write`: a new memory, or a change of one.

use super::Vault;
use super::state::State;
use crate::change::{Changer, Committed, Planned, Proposal};
use crate::environment::{self, Environment, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::format::{BodyLimit, Capabilities, Event, Kinds, Operation, Parsed, title_from_body};
use crate::memory::{Delivery, Memory, Metadata, Source, Status};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// How often a new id is drawn when the one before was taken.
const DRAWS: usize = 16;
/// Overlap from which a memory is named as similar.
const SIMILAR_FROM: f64 = 0.5;
/// How many similar memories are named.
const SIMILAR_MOST: usize = 5;

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

/// An existing memory that says much the same.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarMemory {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Overlap coefficient, 0 to 1.
    pub overlap: f64,
}

/// What a changing call did; see `wit/types.wit`.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// The memory after the change.
    pub memory: Memory,
    /// Whether it is new.
    pub created: bool,
    /// The files of the vault that were changed.
    pub changed_paths: Vec<String>,
    /// A message to commit them with.
    pub commit_message: String,
    /// Memories that say much the same.
    pub similar: Vec<SimilarMemory>,
    /// What was assumed in place of unusable input.
    pub repairs: Vec<String>,
    /// What did not work without harm.
    pub notes: Vec<String>,
    /// Position of the change in the feed.
    pub feed_position: u64,
}

impl Vault {
    /// Creates a memory, or changes the one named by `draft.id`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], [`Error::NotFound`] for an unknown id,
    /// [`Error::RevisionConflict`], [`Error::AlreadyExists`],
    /// [`Error::Unsupported`], [`Error::Busy`], [`Error::ReadOnly`],
    /// [`Error::Io`]; the vault is as before.
    pub fn write(&mut self, draft: &Draft) -> Result<Receipt> {
        let (environment, state) = self.open()?;
        if environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        check(draft, state.format.capabilities())?;
        let (mut changer, notes) = state.begin_change(environment)?;
        let written = state.write(environment, &mut changer, draft);
        if written.is_ok() {
            state.save_if_due(environment, &mut changer);
        }
        let ended = changer.end();
        let mut receipt = written?;
        receipt.notes.splice(0..0, notes);
        if let Err(error) = ended {
            receipt.notes.push(format!(
                "the lock could not be given back ({error}); others wait 10 seconds for it"
            ));
        }
        Ok(receipt)
    }
}

impl State {
    fn write(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        draft: &Draft,
    ) -> Result<Receipt> {
        let id = match (&draft.id, &draft.path) {
            (Some(id), _) => Some(id.clone()),
            (None, Some(path)) => {
                self.id_to_overwrite(&VaultPath::parse(path)?, draft.overwrite)?
            }
            (None, None) => None,
        };
        match id {
            Some(id) => self.update(environment, changer, &id, draft),
            None => self.create(environment, changer, draft),
        }
    }

    /// The memory at a place a new one is to take, where that was asked for.
    fn id_to_overwrite(&self, path: &VaultPath, overwrite: bool) -> Result<Option<String>> {
        self.format.check_place(path)?;
        let there = self
            .index
            .at_path(path.as_str())
            .map(|(_, document)| document.id.to_string());
        match there {
            Some(_) if !overwrite => Err(Error::AlreadyExists(format!(
                "{path} is there already: choose another path, or ask to overwrite it"
            ))),
            there => Ok(there),
        }
    }

    fn create(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        draft: &Draft,
    ) -> Result<Receipt> {
        let body = draft
            .body
            .as_deref()
            .unwrap_or_default()
            .trim_end_matches(['\n', '\r']);
        if body.trim().is_empty() {
            return Err(Error::InvalidArgument(
                "body: a new memory needs a text".into(),
            ));
        }
        let now = environment.now();
        let mut repairs = Vec::new();
        let mut metadata = blank(self.format.capabilities(), body, now);
        apply(
            draft,
            &mut metadata,
            self.format.capabilities(),
            &mut repairs,
        )?;
        if let Some(created) = &draft.created {
            metadata.created = parse_date(created)?;
        }
        let similar = self.similar(body, "");
        for _ in 0..DRAWS {
            metadata.id = self
                .format
                .new_id(now, &format!("{:016x}", environment.random()));
            if self.index.find(&metadata.id).is_some() {
                continue;
            }
            if title_is_missing(draft, body) {
                metadata.title = metadata.id.clone();
            }
            let path = match &draft.path {
                Some(path) => VaultPath::parse(path)?,
                None => self.format.place(&metadata),
            };
            let content = self.format.create(&metadata, body);
            let planned = Planned::Create {
                target: path.clone(),
                content: content.clone(),
            };
            let written = Written {
                operation: Operation::Create,
                path,
                content,
                before: None,
            };
            match self.put(environment, changer, planned, &metadata, written) {
                Err(Error::AlreadyExists(_)) if draft.path.is_none() => {}
                put => {
                    let (memory, committed) = put?;
                    return Ok(receipt(memory, true, committed, similar, repairs));
                }
            }
        }
        Err(Error::AlreadyExists(format!(
            "no free id was found in {DRAWS} tries: write again"
        )))
    }

    fn update(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        id: &str,
        draft: &Draft,
    ) -> Result<Receipt> {
        if draft.created.is_some() {
            return Err(Error::InvalidArgument(
                "created: the creation time of a memory does not change".into(),
            ));
        }
        let (before, bytes, seen) = self.read_for_change(environment, id)?;
        if let Some(path) = draft
            .path
            .as_deref()
            .filter(|path| *path != before.path.as_str())
        {
            return Err(Error::InvalidArgument(format!(
                "path: `{id}` lies at {}, not at {path}",
                before.path
            )));
        }
        check_revision(&before, draft.revision.as_deref())?;
        let mut repairs = Vec::new();
        let mut after = before.metadata.clone();
        apply(draft, &mut after, self.format.capabilities(), &mut repairs)?;
        after.updated = environment.now().max(after.created);
        let body = draft.body.as_deref();
        let content = self.format.edit(&bytes, &before, &after, body)?;
        let similar = self.similar(body.unwrap_or(&before.body), id);
        let planned = Planned::Replace {
            target: before.path.clone(),
            content: content.clone(),
            expected: before.revision.clone(),
            seen,
        };
        let written = Written {
            operation: Operation::Update,
            path: before.path.clone(),
            content,
            before: Some(&before),
        };
        let (memory, committed) = self.put(environment, changer, planned, &after, written)?;
        Ok(receipt(memory, false, committed, similar, repairs))
    }

    /// A memory's file as it is now, under the lock.
    fn read_for_change(
        &mut self,
        environment: &dyn Environment,
        id: &str,
    ) -> Result<(Memory, Vec<u8>, Stat)> {
        let path = self
            .index
            .find(id)
            .map(|(_, document)| document.path())
            .ok_or_else(|| self.unknown(id))?;
        let (bytes, seen) = match environment::read_file(environment, &path) {
            Ok(read) => read,
            Err(error) if error.kind == IoErrorKind::NotFound => return Err(self.unknown(id)),
            Err(error) => return Err(error.into()),
        };
        match self.format.parse(&path, &bytes, environment.now()) {
            Parsed::Memory(memory) if memory.metadata.id == id => Ok((*memory, bytes, seen)),
            _ => Err(Error::Corrupt(format!(
                "{path} no longer holds `{id}`: run verify to see what is wrong with it"
            ))),
        }
    }

    /// Makes one memory's file what it is to be.
    fn put(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        planned: Planned,
        metadata: &Metadata,
        written: Written<'_>,
    ) -> Result<(Memory, Committed)> {
        let Written {
            operation,
            path,
            content,
            before,
        } = written;
        let now = environment.now();
        let Parsed::Memory(after) = self.format.parse(&path, &content, now) else {
            return Err(Error::InvalidArgument(format!(
                "{path}: the memory could not be read back as written"
            )));
        };
        let event = Event {
            time: now,
            operation,
            id: &metadata.id,
            path: path.as_str(),
            detail: "",
            before: before.map(|memory| &memory.metadata),
            after: Some(&after.metadata),
        };
        let proposal = Proposal {
            steps: vec![planned],
            operation: operation.name(),
            id: metadata.id.clone(),
            journal: self.format.journal_line(&event),
            before: before
                .map(|memory| memory.revision.clone())
                .unwrap_or_default(),
            after: after.revision.clone(),
        };
        let committed = self.commit(environment, changer, proposal, &[(path, content)])?;
        Ok((*after, committed))
    }

    /// Memories whose text shares most terms with a text.
    fn similar(&self, text: &str, but: &str) -> Vec<SimilarMemory> {
        let similar = self
            .index
            .similar(text, SIMILAR_FROM, SIMILAR_MOST + 1)
            .into_iter();
        let described = similar.filter_map(|similar| {
            let document = self.index.document(similar.document)?;
            let (id, title) = (document.id.to_string(), document.title.to_string());
            (id != but).then_some(SimilarMemory {
                id,
                title,
                overlap: similar.overlap,
            })
        });
        described.take(SIMILAR_MOST).collect()
    }

    /// The error for an id that no memory has.
    pub(super) fn unknown(&self, id: &str) -> Error {
        let shown = characters::cut(id, 80);
        Error::NotFound(if self.format.is_id(id) {
            format!("no memory has the id `{shown}`: search for it, or list what is there")
        } else {
            format!(
                "`{shown}` is no id of this vault; ids look like `{}`",
                self.format.new_id(Timestamp::default(), "")
            )
        })
    }
}

/// What [`State::put`] makes of a file.
struct Written<'m> {
    operation: Operation,
    path: VaultPath,
    content: Vec<u8>,
    before: Option<&'m Memory>,
}

fn receipt(
    memory: Memory,
    created: bool,
    committed: Committed,
    similar: Vec<SimilarMemory>,
    repairs: Vec<String>,
) -> Receipt {
    let verb = if created { "write" } else { "update" };
    Receipt {
        changed_paths: vec![memory.path.as_str().to_owned()],
        commit_message: format!("mem: {verb} {}", memory.metadata.title),
        created,
        similar,
        repairs,
        notes: committed.notes,
        feed_position: committed.position,
        memory,
    }
}

/// Compare-and-swap: the caller's revision, if given, must be the current.
fn check_revision(memory: &Memory, wanted: Option<&str>) -> Result<()> {
    match wanted {
        Some(wanted) if wanted != memory.revision => Err(Error::RevisionConflict(format!(
            "`{}` is at revision {}, not {}: read it again and repeat the change",
            memory.metadata.id,
            memory.revision,
            characters::cut(wanted, 40)
        ))),
        _ => Ok(()),
    }
}

/// Checks what can be checked of a draft without the vault: that the format
/// can hold what it gives, and that numbers and texts are within limits.
fn check(draft: &Draft, capabilities: &Capabilities) -> Result<()> {
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
        .filter(|status| !capabilities.statuses.contains(status))
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

fn check_body(body: &str, limit: BodyLimit) -> Result<()> {
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
        return Err(Error::InvalidArgument("body: a memory needs a text".into()));
    }
    Ok(())
}

/// A new memory before its draft.
fn blank(capabilities: &Capabilities, body: &str, now: Timestamp) -> Metadata {
    let (Kinds::Closed(kinds) | Kinds::Open(kinds)) = capabilities.kinds;
    Metadata {
        id: String::new(),
        title: title_from_body(body),
        kind: kinds.first().copied().unwrap_or_default().to_owned(),
        status: Status::Active,
        created: now,
        updated: now,
        tags: Vec::new(),
        aliases: Vec::new(),
        confidence: 0.5,
        importance: None,
        pinned: false,
        delivery: Delivery::Recall,
        source: Source::Manual,
        origin: String::new(),
        evidence: String::new(),
        supersedes: Vec::new(),
        superseded_by: String::new(),
        conflicts_with: Vec::new(),
        scope: None,
    }
}

/// Whether a new memory has to be called by its id.
fn title_is_missing(draft: &Draft, body: &str) -> bool {
    let given = draft
        .title
        .as_deref()
        .map(characters::one_line)
        .unwrap_or_default();
    given.is_empty() && title_from_body(body).is_empty()
}

/// Lays what a draft gives over what was there.
fn apply(
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
    metadata.scope = draft.scope.clone().or_else(|| metadata.scope.take());
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
    Ok(())
}

fn set<T: Clone>(place: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        place.clone_from(value);
    }
}

/// Each once, on one line, none empty, in order.
fn distinct(items: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    for item in items.iter().map(|item| characters::one_line(item)) {
        if !item.is_empty() && !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

fn parse_date(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::InvalidArgument(format!(
            "created: `{}` is no date such as 2026-10-19T10:00:00Z",
            characters::cut(text, 40)
        ))
    })
}
