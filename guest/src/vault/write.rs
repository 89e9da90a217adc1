//! `write`: a new memory, or a change of one.

use super::Vault;
use super::changing::{Holder, Receipt, SimilarMemory, Written, check_revision, place_after};
use super::draft::{self, Draft};
use super::refresh::Look;
use super::state::State;
use crate::environment::{Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::Operation;

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
        if self.environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        draft::check(draft, self.open()?.1.format.capabilities())?;
        self.changing(|state, holder| state.write(holder, draft))
    }
}

impl State {
    fn write(&mut self, holder: &mut Holder<'_, '_>, draft: &Draft) -> Result<Receipt> {
        let id = match (&draft.id, &draft.path) {
            (Some(id), _) => Some(id.clone()),
            (None, Some(path)) => self.id_to_overwrite(
                holder.environment,
                &VaultPath::parse(path)?,
                draft.overwrite,
            )?,
            (None, None) => None,
        };
        match id {
            Some(id) => self.update(holder, &id, draft),
            None => self.create(holder, draft),
        }
    }

    /// The memory at a place a new one is to take, where that was asked for.
    fn id_to_overwrite(
        &mut self,
        environment: &dyn Environment,
        path: &VaultPath,
        overwrite: bool,
    ) -> Result<Option<String>> {
        self.format.check_place(path)?;
        self.refresh_for_change(environment, Look::Directories)?;
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

    fn create(&mut self, holder: &mut Holder<'_, '_>, draft: &Draft) -> Result<Receipt> {
        let environment = holder.environment;
        let body = draft
            .body
            .as_deref()
            .unwrap_or_default()
            .trim_end_matches(['\n', '\r']);
        if body.trim().is_empty() {
            return Err(Error::InvalidArgument(
                "body: a new memory needs a text: give one".into(),
            ));
        }
        let now = environment.now();
        let mut repairs = Vec::new();
        let mut metadata = draft::blank(self.format, body, now);
        draft::apply(
            draft,
            &mut metadata,
            self.format.capabilities(),
            &mut repairs,
        )?;
        metadata.created = draft::created(draft, now)?;
        metadata.updated = draft::updated(draft, metadata.created, now)?;
        let similar = self.similar(body, "");
        for _ in 0..DRAWS {
            metadata.id = self.free_id(environment, &[])?;
            if draft::title_is_missing(draft, self.format, body) {
                metadata.title = metadata.id.clone();
            }
            let path = match &draft.path {
                Some(path) => VaultPath::parse(path)?,
                None => self.format.place(&metadata, None),
            };
            let written = Written {
                operation: Operation::Create,
                detail: String::new(),
                original: None,
                content: Some(self.format.create(&metadata, body)),
                path,
            };
            match self.put(holder, written, Vec::new()) {
                Err(Error::AlreadyExists(_)) if draft.path.is_none() => {}
                put => {
                    return Ok(Receipt {
                        similar,
                        repairs,
                        ..put?
                    });
                }
            }
        }
        Err(no_free_id())
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

    fn update(&mut self, holder: &mut Holder<'_, '_>, id: &str, draft: &Draft) -> Result<Receipt> {
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
            operation: Operation::Update,
            detail: String::new(),
            content: Some(content),
            path: place_after(self.format, before, &after),
            original: Some(original),
        };
        let mut files = self.with_free_names(holder.environment, vec![written])?;
        let written = files.remove(0);
        let put = self.put(holder, written, files)?;
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

fn no_free_id() -> Error {
    Error::AlreadyExists(format!("no free id was found in {DRAWS} tries: try again"))
}
