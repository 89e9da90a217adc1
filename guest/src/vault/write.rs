//! `write`: a new memory, or a change of one.

use super::Vault;
use super::changing::{Holder, Receipt, SimilarMemory, Written, check_revision, place_after};
use super::draft::{self, Draft};
use super::refresh::Look;
use super::state::State;
use crate::change::Planned;
use crate::environment::{Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Ids, Operation};
use crate::memory::Metadata;
use crate::text::characters;
use crate::timestamp::Timestamp;

/// How often a new id is drawn when the one before was taken.
const DRAWS: usize = 16;
/// Overlap from which a memory is named as similar.
const SIMILAR_FROM: f64 = 0.5;
/// How many similar memories are named.
const SIMILAR_MOST: usize = 5;

impl Vault {
    /// Creates a memory, or changes the one named by `draft.id`.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`], [`Error::NotFound`] for an unknown id,
    /// [`Error::RevisionConflict`], [`Error::AlreadyExists`],
    /// [`Error::Unsupported`], [`Error::Refused`] for what looks like a
    /// credential, [`Error::Busy`], [`Error::ReadOnly`], [`Error::Corrupt`],
    /// [`Error::Io`]; the vault is as before.
    pub fn write(&mut self, draft: &Draft) -> Result<Receipt> {
        self.check_draft(draft)?;
        self.changing(|state, holder| state.write(holder, &Writing::of(draft)))
    }
}

impl Vault {
    /// Checks what can be checked of a draft before the lock is taken.
    pub(super) fn check_draft(&mut self, draft: &Draft) -> Result<()> {
        if self.environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        draft::check(draft, self.open()?.1.format.capabilities())
    }
}

/// What is written, and what else belongs to it.
pub(super) struct Writing<'d> {
    pub(super) draft: &'d Draft,
    /// What it is, where it is more than a new memory or a change of one.
    pub(super) operation: Option<Operation>,
    /// Steps for files that are no memories'.
    pub(super) besides: Vec<Planned>,
}

impl<'d> Writing<'d> {
    fn of(draft: &'d Draft) -> Self {
        Writing {
            draft,
            operation: None,
            besides: Vec::new(),
        }
    }

    fn operation(&self, usual: Operation) -> Operation {
        self.operation.unwrap_or(usual)
    }
}

impl State {
    /// Creates or changes a memory.
    pub(super) fn write(
        &mut self,
        holder: &mut Holder<'_, '_>,
        writing: &Writing<'_>,
    ) -> Result<Receipt> {
        let draft = writing.draft;
        if let Some(id) = &draft.id {
            let id = self.format.read_id(id)?.into_owned();
            return self.update(holder, &id, writing);
        }
        let mut repairs = Vec::new();
        let metadata = self.new_metadata(draft, holder.environment.now(), &mut repairs)?;
        let place = self.place_asked_for(draft, &metadata)?;
        let existing = match &place {
            Some(place) => self.id_to_overwrite(holder.environment, place, draft.overwrite)?,
            None => None,
        };
        let receipt = match (existing, self.format.capabilities().ids) {
            (Some(id), Ids::Drawn) => return self.update(holder, &id, writing),
            (Some(id), Ids::Places) => self.overwrite(holder, &id, writing, &metadata)?,
            (None, _) => self.create(holder, writing, metadata, place)?,
        };
        Ok(Receipt { repairs, ..receipt })
    }

    /// What a new memory says of itself.
    fn new_metadata(
        &self,
        draft: &Draft,
        now: Timestamp,
        repairs: &mut Vec<String>,
    ) -> Result<Metadata> {
        let body = body_of(draft)?;
        let mut metadata = draft::blank(self.format, body, now);
        draft::apply(draft, &mut metadata, self.format.capabilities(), repairs)?;
        metadata.created = draft::created(draft, now)?;
        metadata.updated = draft::updated(draft, metadata.created, now)?;
        if let Some(path) = &draft.path
            && let Some((kind, title)) = self.format.named_by(&VaultPath::parse(path)?)
        {
            agree("kind", draft.kind.as_deref(), &kind, path)?;
            agree("title", draft.title.as_deref(), &title, path)?;
            (metadata.kind, metadata.title) = (kind, title);
        }
        self.format.check(&metadata)?;
        Ok(metadata)
    }

    /// The place that a new memory is to have and no other; none where one is
    /// found for it.
    fn place_asked_for(&self, draft: &Draft, metadata: &Metadata) -> Result<Option<VaultPath>> {
        let Some(path) = &draft.path else {
            let is_known_by_it = self.format.capabilities().ids == Ids::Places;
            return Ok(is_known_by_it.then(|| self.format.place(metadata, None)));
        };
        let path = VaultPath::parse(path)?;
        self.format.check_place(&path, metadata)?;
        Ok(Some(path))
    }

    /// The memory at a place a new one is to take, where that was asked for.
    fn id_to_overwrite(
        &mut self,
        environment: &dyn Environment,
        path: &VaultPath,
        overwrite: bool,
    ) -> Result<Option<String>> {
        self.refresh_for_change(environment, Look::Directories)?;
        let there = self
            .index
            .at_path(path.as_str())
            .map(|(_, document)| document.id.to_string());
        let other = match self.format.capabilities().ids {
            Ids::Drawn => "path",
            Ids::Places => "title",
        };
        match there {
            Some(_) if !overwrite => Err(Error::AlreadyExists(format!(
                "{path} is there already: choose another {other}, or ask to overwrite it"
            ))),
            there => Ok(there),
        }
    }

    fn create(
        &mut self,
        holder: &mut Holder<'_, '_>,
        writing: &Writing<'_>,
        mut metadata: Metadata,
        place: Option<VaultPath>,
    ) -> Result<Receipt> {
        let environment = holder.environment;
        let draft = writing.draft;
        let body = body_of(draft)?;
        let similar = self.similar(body, "");
        for _ in 0..DRAWS {
            if self.format.capabilities().ids == Ids::Drawn {
                metadata.id = self.free_id(environment, &[])?;
            }
            if draft::title_is_missing(draft, self.format, body) {
                metadata.title = metadata.id.clone();
            }
            let offset = draft.utc_offset_minutes;
            let usual = || self.format.place(&metadata, None);
            let written = Written {
                operation: writing.operation(Operation::Create),
                detail: String::new(),
                original: None,
                content: Some(self.format.create(&metadata, body, offset)),
                path: place.clone().unwrap_or_else(usual),
            };
            match self.put_besides(holder, written, Vec::new(), writing.besides.clone()) {
                Err(Error::AlreadyExists(_)) if place.is_none() => {}
                put => return Ok(Receipt { similar, ..put? }),
            }
        }
        Err(no_free_id())
    }

    /// Writes a memory anew that is known by its place.
    fn overwrite(
        &mut self,
        holder: &mut Holder<'_, '_>,
        id: &str,
        writing: &Writing<'_>,
        metadata: &Metadata,
    ) -> Result<Receipt> {
        let draft = writing.draft;
        let body = body_of(draft)?;
        let original = self.read_for_change(holder.environment, id)?;
        check_revision(&original.memory, draft.revision.as_deref())?;
        let content = self.format.create(metadata, body, draft.utc_offset_minutes);
        let similar = self.similar(body, id);
        let written = Written {
            operation: writing.operation(Operation::Update),
            detail: String::new(),
            content: Some(content),
            path: original.memory.path.clone(),
            original: Some(original),
        };
        let put = self.put_besides(holder, written, Vec::new(), writing.besides.clone())?;
        Ok(Receipt { similar, ..put })
    }

    /// A new id that no memory has and that is none of `taken`.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] where none was drawn in a few tries.
    pub(super) fn free_id(
        &self,
        environment: &dyn Environment,
        taken: &[String],
    ) -> Result<String> {
        let now = environment.now();
        let draw = |_| {
            let seed = format!("{:016x}", environment.random());
            self.format.new_id(now, &seed)
        };
        let is_free = |id: &String| self.index.find(id).is_none() && !taken.contains(id);
        let mut drawn = (0..DRAWS).map(draw);
        drawn.find(is_free).ok_or_else(no_free_id)
    }

    fn update(
        &mut self,
        holder: &mut Holder<'_, '_>,
        id: &str,
        writing: &Writing<'_>,
    ) -> Result<Receipt> {
        let draft = writing.draft;
        if draft.created.is_some() {
            return Err(Error::InvalidArgument(
                "created: the creation time of a memory does not change".into(),
            ));
        }
        let original = self.read_for_change(holder.environment, id)?;
        let before = &original.memory;
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
        check_revision(before, draft.revision.as_deref())?;
        let mut repairs = Vec::new();
        let mut after = before.metadata.clone();
        draft::apply(draft, &mut after, self.format.capabilities(), &mut repairs)?;
        let name = |metadata: &Metadata| {
            let Metadata {
                kind, title, scope, ..
            } = metadata;
            (kind.clone(), title.clone(), scope.clone())
        };
        if name(&before.metadata) != name(&after) {
            self.format.check(&after)?;
        }
        let now = holder.environment.now().max(after.created);
        after.updated = draft::updated(draft, after.created, now)?;
        let body = draft.body.as_deref();
        let bytes = &original.bytes;
        let content = self
            .format
            .edit(bytes, before, &after, body, &draft.given())?;
        let said = match body {
            Some(body) => body.into(),
            None => self.format.said(before),
        };
        let similar = self.similar(&said, id);
        let written = Written {
            operation: writing.operation(Operation::Update),
            detail: String::new(),
            content: Some(content),
            path: place_after(self.format, before, &after),
            original: Some(original),
        };
        let mut files = self.with_free_names(holder.environment, vec![written])?;
        let written = files.remove(0);
        let put = self.put_besides(holder, written, files, writing.besides.clone())?;
        Ok(Receipt {
            similar,
            repairs,
            ..put
        })
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
}

/// The text of a new memory.
fn body_of(draft: &Draft) -> Result<&str> {
    let body = draft.body.as_deref().unwrap_or_default();
    if body.trim().is_empty() {
        return Err(Error::InvalidArgument(
            "body: a new memory needs a text: give one".into(),
        ));
    }
    Ok(body.trim_end_matches(['\n', '\r']))
}

/// What a draft says must be what the name of its file says.
fn agree(field: &str, given: Option<&str>, named: &str, path: &str) -> Result<()> {
    match given.map(characters::one_line) {
        Some(given) if given != named => Err(Error::InvalidArgument(format!(
            "{field}: `{}` is not what the file name in `{path}` says, `{named}`: leave one of them out",
            characters::cut(&given, 60)
        ))),
        _ => Ok(()),
    }
}

fn no_free_id() -> Error {
    Error::AlreadyExists(format!("no free id was found in {DRAWS} tries: try again"))
}
