//! `write`: a new memory, or a change of one.

use super::Vault;
use super::draft::{self, Draft};
use super::refresh::{FILE_LIMIT, Look, assumed_time};
use super::state::State;
use crate::change::{Changer, Committed, JournalLine, Planned, Proposal};
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Event, Operation, Parsed};
use crate::memory::{Memory, Metadata};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// How often a new id is drawn when the one before was taken.
const DRAWS: usize = 16;
/// Overlap from which a memory is named as similar.
const SIMILAR_FROM: f64 = 0.5;
/// How many similar memories are named.
const SIMILAR_MOST: usize = 5;

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
    /// [`Error::Unsupported`], [`Error::Refused`] for what looks like a
    /// credential, [`Error::Busy`], [`Error::ReadOnly`], [`Error::Corrupt`],
    /// [`Error::Io`]; the vault is as before.
    pub fn write(&mut self, draft: &Draft) -> Result<Receipt> {
        let (environment, state) = self.open()?;
        if environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        draft::check(draft, state.format.capabilities())?;
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
                self.id_to_overwrite(environment, &VaultPath::parse(path)?, draft.overwrite)?
            }
            (None, None) => None,
        };
        match id {
            Some(id) => self.update(environment, changer, &id, draft),
            None => self.create(environment, changer, draft),
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
        self.refresh(environment, Look::Directories)?;
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
                "body: a new memory needs a text: give one".into(),
            ));
        }
        let now = environment.now();
        let mut repairs = Vec::new();
        let mut metadata = draft::blank(self.format.capabilities(), body, now);
        draft::apply(
            draft,
            &mut metadata,
            self.format.capabilities(),
            &mut repairs,
        )?;
        if let Some(created) = &draft.created {
            metadata.created = draft::parse_date(created)?;
        }
        let similar = self.similar(body, "");
        for _ in 0..DRAWS {
            metadata.id = self
                .format
                .new_id(now, &format!("{:016x}", environment.random()));
            if self.index.find(&metadata.id).is_some() {
                continue;
            }
            if draft::title_is_missing(draft, body) {
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
        let (before, bytes) = self.read_for_change(environment, id)?;
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
        if environment.is_link(&before.path)? {
            return Err(Error::Unsupported(format!(
                "{} is a symbolic link, which a change would replace: change the file it leads to",
                before.path
            )));
        }
        let mut repairs = Vec::new();
        let mut after = before.metadata.clone();
        draft::apply(draft, &mut after, self.format.capabilities(), &mut repairs)?;
        after.updated = environment.now().max(after.created);
        let body = draft.body.as_deref();
        let given = draft.given();
        let content = self.format.edit(&bytes, &before, &after, body, &given)?;
        let similar = self.similar(body.unwrap_or(&before.body), id);
        let planned = Planned::Replace {
            target: before.path.clone(),
            content: content.clone(),
            expected: before.revision.clone(),
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
    ) -> Result<(Memory, Vec<u8>)> {
        if let Some(read) = self.read_file_of(environment, id)? {
            return Ok(read);
        }
        // Moved by hand, perhaps: look where it is now.
        self.distrust();
        self.refresh(environment, Look::Directories)?;
        let read = self.read_file_of(environment, id)?;
        read.ok_or_else(|| self.unknown(id))
    }

    /// A memory and the bytes of its file; none where the index knows of none,
    /// or the file is not there or is not that memory's any more.
    fn read_file_of(
        &self,
        environment: &dyn Environment,
        id: &str,
    ) -> Result<Option<(Memory, Vec<u8>)>> {
        let Some((_, document)) = self.index.find(id) else {
            return Ok(None);
        };
        let path = document.path();
        let (bytes, seen) = match environment::read_file(environment, &path) {
            Ok(read) => read,
            Err(error) if error.kind == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match self.format.parse(&path, &bytes, assumed_time(seen.mtime)) {
            Parsed::Memory(memory) if memory.metadata.id == id => Ok(Some((*memory, bytes))),
            _ => Ok(None),
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
        if content.len() as u64 > FILE_LIMIT {
            return Err(Error::InvalidArgument(format!(
                "the memory would take {} bytes, more than a file may have ({FILE_LIMIT}): shorten its fields",
                content.len()
            )));
        }
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
            journal: self.format.journal_line(&event).map(JournalLine::new),
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
