//! What every changing call shares: the lock around it, reading a memory for
//! a change, and the receipt.

use std::borrow::Cow;

use super::Vault;
use super::commit_message::commit_message;
use super::grounds;
use super::refresh::{FILE_LIMIT, Look, assumed_time};
use super::state::State;
use crate::change::{Action, Changer, JournalLine, Planned, Proposal};
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Event, Format, Ids, Operation, Parsed};
use crate::memory::{Memory, Metadata, Status};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// How many files of one name are put away.
const NUMBERS: usize = 1_000;
/// Bytes of a name that a number and an ending can follow.
const NUMBERED_NAME: usize = 240;

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
    /// The revision each of them had before, empty where it was not there.
    pub revisions_before: Vec<String>,
    /// The revision each of them has now, empty where it is not there.
    pub revisions_after: Vec<String>,
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

/// The holder of the lock, and the files it may change.
pub(super) struct Holder<'c, 'e> {
    pub(super) environment: &'c dyn Environment,
    pub(super) changer: &'c mut Changer<'e>,
}

/// A memory as read for a change, with the bytes of its file.
#[derive(Clone, Debug)]
pub(super) struct Original {
    pub(super) memory: Memory,
    pub(super) bytes: Vec<u8>,
}

/// One memory's file in a change.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// What happens to the memory.
    pub(super) operation: Operation,
    /// Why, for the journal; empty where there is nothing to say.
    pub(super) detail: String,
    /// The memory as it is; none for a new one.
    pub(super) original: Option<Original>,
    /// The file's new content; none where its bytes stay.
    pub(super) content: Option<Vec<u8>>,
    /// The file's place afterwards.
    pub(super) path: VaultPath,
}

/// What a changing call answers.
pub(super) trait Answer {
    /// Where it tells what did not work without harm.
    fn notes(&mut self) -> &mut Vec<String>;
}

impl Answer for Receipt {
    fn notes(&mut self) -> &mut Vec<String> {
        &mut self.notes
    }
}

impl Vault {
    /// Makes a change under the lock.
    pub(super) fn changing<A: Answer>(
        &mut self,
        make: impl FnOnce(&mut State, &mut Holder<'_, '_>) -> Result<A>,
    ) -> Result<A> {
        let (environment, state) = self.open()?;
        if environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let (mut changer, notes) = state.begin_change(environment)?;
        let made = make(
            state,
            &mut Holder {
                environment,
                changer: &mut changer,
            },
        );
        if made.is_ok() {
            state.save_if_due(environment, &mut changer);
        }
        let ended = changer.end();
        let mut answer = made?;
        answer.notes().splice(0..0, notes);
        if let Err(error) = ended {
            answer.notes().push(format!(
                "the lock could not be given back ({error}); others wait 10 seconds for it"
            ));
        }
        Ok(answer)
    }
}

impl State {
    /// A memory's file as it is now, under the lock.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Unsupported`] where the file is a
    /// symbolic link, [`Error::Io`].
    pub(super) fn read_for_change(
        &mut self,
        environment: &dyn Environment,
        id: &str,
    ) -> Result<Original> {
        let original = match self.read_file_of(environment, id)? {
            Some(original) => original,
            None => {
                // Moved by hand, perhaps: look where it is now.
                self.distrust();
                self.refresh_for_change(environment, Look::Directories)?;
                let read = self.read_file_of(environment, id)?;
                read.ok_or_else(|| self.unknown(id))?
            }
        };
        require_no_link(environment, &original.memory.path)?;
        Ok(original)
    }

    /// One of the files that claim an id, as it is now, under the lock.
    ///
    /// # Errors
    /// [`Error::RevisionConflict`] where it claims it no longer,
    /// [`Error::Io`].
    pub(super) fn read_claimant(
        &self,
        environment: &dyn Environment,
        path: &VaultPath,
        id: &str,
    ) -> Result<Original> {
        let original = self.read_at(environment, path, id)?;
        original.ok_or_else(|| {
            Error::RevisionConflict(format!(
                "{path} was changed by another program meanwhile: look at it, and try again"
            ))
        })
    }

    /// A memory and the bytes of its file; none where the index knows of none,
    /// or the file is not there or is not that memory's any more.
    pub(super) fn read_file_of(
        &self,
        environment: &dyn Environment,
        id: &str,
    ) -> Result<Option<Original>> {
        match self.index.find(id) {
            Some((_, document)) => self.read_at(environment, &document.path(), id),
            None => Ok(None),
        }
    }

    /// The memory of an id in the file at a path, with the bytes; none where
    /// the file is not there or is not that memory's.
    fn read_at(
        &self,
        environment: &dyn Environment,
        path: &VaultPath,
        id: &str,
    ) -> Result<Option<Original>> {
        let (bytes, seen) = match environment::read_file(environment, path) {
            Ok(read) => read,
            Err(error) if error.kind == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        match self.format.parse(path, &bytes, assumed_time(seen.mtime)) {
            Parsed::Memory(memory) if memory.metadata.id == id => Ok(Some(Original {
                memory: *memory,
                bytes,
            })),
            _ => Ok(None),
        }
    }

    /// Writes or moves the files of memories, all of them or none; those that
    /// are as they should be already are left alone. The change is about the
    /// first one, and so is the receipt.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where a memory would not read back;
    /// otherwise those of [`Changer::commit`].
    pub(super) fn put(
        &mut self,
        holder: &mut Holder<'_, '_>,
        file: Written,
        others: Vec<Written>,
    ) -> Result<Receipt> {
        self.put_besides(holder, file, others, Vec::new())
    }

    /// Like [`Self::put`], together with steps for files that are no
    /// memories'.
    pub(super) fn put_besides(
        &mut self,
        holder: &mut Holder<'_, '_>,
        file: Written,
        others: Vec<Written>,
        besides: Vec<Planned>,
    ) -> Result<Receipt> {
        let now = holder.environment.now();
        let operation = file.operation;
        let is_new = file.original.is_none();
        let memory = self.read_back(&file, now)?;
        let mut proposal = Proposal {
            steps: Vec::new(),
            operation: operation.name(),
            id: memory.metadata.id.clone(),
            journal: Vec::new(),
        };
        let mut moved = Vec::new();
        moved.extend(self.propose(file, &memory, now, &mut proposal));
        for other in others {
            let memory = self.read_back(&other, now)?;
            moved.extend(self.propose(other, &memory, now, &mut proposal));
        }
        proposal.steps.extend(besides);
        if proposal.steps.is_empty() {
            return Ok(self.idle(memory, operation));
        }
        let Files {
            paths,
            before,
            after,
        } = touched(&proposal);
        let committed = self.commit(holder, proposal, &moved)?;
        Ok(Receipt {
            changed_paths: paths,
            revisions_before: before,
            revisions_after: after,
            commit_message: self.commit_message(operation, &memory),
            created: is_new,
            similar: Vec::new(),
            repairs: Vec::new(),
            notes: committed.notes,
            feed_position: committed.position,
            memory,
        })
    }

    /// Files that are to move under the names they have, those under new ones
    /// whose names are taken where they go: a person can have called several
    /// files alike, as long as they lay apart.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where a memory would not read back,
    /// [`Error::Io`].
    pub(super) fn with_free_names(
        &self,
        environment: &dyn Environment,
        mut files: Vec<Written>,
    ) -> Result<Vec<Written>> {
        for at in 0..files.len() {
            let (before, rest) = files.split_at_mut(at);
            let Some(file) = rest.first_mut().filter(|file| file.keeps_its_name()) else {
                continue;
            };
            let is_taken = before.iter().any(|other| other.path == file.path)
                || environment::is_there(environment, &file.path)?;
            if is_taken {
                file.path = self.free_place(environment, file)?;
            }
        }
        Ok(files)
    }

    /// A place for a file whose name is taken where it is to go. One that is
    /// known by its place keeps its name, unless it is put away.
    fn free_place(&self, environment: &dyn Environment, file: &Written) -> Result<VaultPath> {
        let after = self.read_back(file, environment.now())?;
        match self.format.capabilities().ids {
            Ids::Drawn => Ok(self.format.place(&after.metadata, None)),
            Ids::Places if after.metadata.status == Status::Archived => {
                numbered(environment, &file.path)
            }
            Ids::Places => Ok(file.path.clone()),
        }
    }

    /// Adds a memory's file to a proposal, and its line in the journal; its
    /// new place and its bytes where these stay.
    fn propose(
        &self,
        file: Written,
        after: &Memory,
        now: Timestamp,
        proposal: &mut Proposal,
    ) -> Option<(VaultPath, Vec<u8>)> {
        let file = file.without_what_stays();
        if file.is_idle() {
            return None;
        }
        let line = self.journal_line(&file, after, now).map(JournalLine::new);
        proposal.journal.extend(line);
        let moved = file.moved();
        proposal.steps.push(file.planned(after));
        moved
    }

    /// The receipt of a change that changes nothing.
    pub(super) fn idle(&self, memory: Memory, operation: Operation) -> Receipt {
        Receipt {
            created: false,
            changed_paths: Vec::new(),
            revisions_before: Vec::new(),
            revisions_after: Vec::new(),
            commit_message: String::new(),
            similar: Vec::new(),
            repairs: Vec::new(),
            notes: vec![format!(
                "`{}` is so already: `{}` changed nothing",
                memory.metadata.id,
                operation.name()
            )],
            feed_position: self.feed.position(),
            memory,
        }
    }

    /// The message to commit an operation on a memory with.
    pub(super) fn commit_message(&self, operation: Operation, memory: &Memory) -> String {
        commit_message(
            operation,
            self.format.called(memory),
            self.settings.language,
        )
    }

    fn journal_line(
        &self,
        file: &Written,
        after: &Memory,
        now: Timestamp,
    ) -> Option<(VaultPath, String)> {
        self.format.journal_line(&Event {
            time: now,
            operation: file.operation,
            id: &after.metadata.id,
            path: file.path.as_str(),
            detail: &file.detail,
            before: file.original.as_ref().map(|original| &original.memory),
            after: Some(after),
        })
    }

    /// The memory that a file will hold, read back before it is written.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] where it is too large or would not read as
    /// a memory.
    fn read_back(&self, file: &Written, now: Timestamp) -> Result<Memory> {
        let path = &file.path;
        if !grounds::is_file(self.format, path) {
            return Err(Error::InvalidArgument(format!(
                "{path} is no place where memories are read: it lies too deep, or is hidden"
            )));
        }
        let original = file.original.as_ref().map(|original| &original.bytes);
        let content = file.content.as_ref().or(original);
        let content = content.map(Vec::as_slice).unwrap_or_default();
        if content.len() as u64 > FILE_LIMIT {
            return Err(Error::InvalidArgument(format!(
                "the memory would take {} bytes, more than a file may have ({FILE_LIMIT}): shorten its fields",
                content.len()
            )));
        }
        match self.format.parse(path, content, now) {
            Parsed::Memory(memory) => Ok(*memory),
            _ => Err(Error::InvalidArgument(format!(
                "{path}: the memory could not be read back as written"
            ))),
        }
    }

    /// The id that a caller means by a text: that very id where there is one.
    ///
    /// # Errors
    /// Those of [`Format::read_id`].
    pub(super) fn read_id<'t>(&self, text: &'t str) -> Result<Cow<'t, str>> {
        if self.index.answering_to(text).is_some() {
            return Ok(Cow::Borrowed(text));
        }
        self.format.read_id(text)
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

impl Written {
    /// The same without content that is what the file holds already.
    fn without_what_stays(mut self) -> Self {
        let held = self.original.as_ref().map(|original| &original.bytes);
        if self.content.as_ref() == held {
            self.content = None;
        }
        self
    }

    /// Whether the file is moved under the name that it has.
    fn keeps_its_name(&self) -> bool {
        let from = self.original.as_ref().map(|original| &original.memory.path);
        from.is_some_and(|from| *from != self.path && from.name() == self.path.name())
    }

    /// Whether nothing happens to the file.
    fn is_idle(&self) -> bool {
        let original = self.original.as_ref();
        let stays = original.is_some_and(|original| original.memory.path == self.path);
        stays && self.content.is_none()
    }

    /// Its new place and its bytes, where they stay.
    fn moved(&self) -> Option<(VaultPath, Vec<u8>)> {
        let original = self.original.as_ref();
        let original = original.filter(|_| self.content.is_none())?;
        Some((self.path.clone(), original.bytes.clone()))
    }

    /// The step that makes the file what it is to be.
    fn planned(self, after: &Memory) -> Planned {
        let target = self.path;
        let before = self.original.map(|original| original.memory);
        let moved = before.as_ref().is_some_and(|before| before.path != target);
        let id_before = before
            .as_ref()
            .map(|before| before.metadata.id.clone())
            .filter(|id| *id != after.metadata.id);
        let statuses = before
            .as_ref()
            .map(|before| [before, after].map(told_status));
        let [status_before, status_after] = match statuses {
            Some([before, after]) if before != after => [before, after].map(Status::name),
            _ => ["", ""],
        };
        let action = match (before, self.content) {
            (None, content) => Action::Create {
                target,
                content: content.unwrap_or_default(),
            },
            (Some(before), Some(content)) if moved => Action::Rewrite {
                from: before.path,
                to: target,
                content,
                expected: before.revision,
                size: before.bytes,
            },
            (Some(before), Some(content)) => Action::Replace {
                target,
                content,
                expected: before.revision,
                size: before.bytes,
            },
            (Some(before), None) => Action::Move {
                from: before.path,
                to: target,
                expected: before.revision,
            },
        };
        Planned {
            id: after.metadata.id.clone(),
            id_before: id_before.unwrap_or_default(),
            status_before: status_before.to_owned(),
            status_after: status_after.to_owned(),
            action,
        }
    }
}

/// A memory's status for the feed. One that had to be assumed must not become
/// a real one by way of the archive: a person confirms it.
fn told_status(memory: &Memory) -> Status {
    if memory.assumed.status {
        Status::Pending
    } else {
        memory.metadata.status
    }
}

/// The files that a change touches, each once, with the revisions that they
/// have before and afterwards; empty where one is not there.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    pub(super) paths: Vec<String>,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

/// What a change touches.
pub(super) fn touched(proposal: &Proposal) -> Files {
    let mut files = Files::default();
    for touched in proposal.places() {
        let path = touched.path.as_str();
        match files.paths.iter().position(|known| known == path) {
            // Left by one memory and taken by another.
            Some(at) => files.after[at] = touched.after,
            None => {
                files.paths.push(path.to_owned());
                files.before.push(touched.before);
                files.after.push(touched.after);
            }
        }
    }
    files
}

/// The first of `x-2.md`, `x-3.md` and so on that is free.
///
/// # Errors
/// [`Error::AlreadyExists`] where none of many is, [`Error::Io`].
pub(super) fn numbered(environment: &dyn Environment, path: &VaultPath) -> Result<VaultPath> {
    let stem = path.markdown_stem().unwrap_or(path.name());
    let stem = characters::cut_bytes(stem, NUMBERED_NAME);
    for number in 2..=NUMBERS {
        let place = path.parent().join(&format!("{stem}-{number}.md"));
        if !environment::is_there(environment, &place)? {
            return Ok(place);
        }
    }
    Err(Error::AlreadyExists(format!(
        "{path} and {NUMBERS} files of that name with a number are there already: move some of them away"
    )))
}

/// A file that is to change must be no symbolic link: the change would take
/// the place of the link, not of what it leads to.
///
/// # Errors
/// [`Error::Unsupported`], [`Error::Io`].
pub(super) fn require_no_link(environment: &dyn Environment, path: &VaultPath) -> Result<()> {
    if environment.is_link(path)? {
        return Err(Error::Unsupported(format!(
            "{path} is a symbolic link, which a change would replace: change the file it leads to"
        )));
    }
    Ok(())
}

/// Compare-and-swap: the caller's revision, if given, must be the current.
pub(super) fn check_revision(memory: &Memory, wanted: Option<&str>) -> Result<()> {
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

/// Where a memory's file goes that is changed: it stays where a person put it
/// until what decides its place changes.
pub(super) fn place_after(format: &dyn Format, before: &Memory, after: &Metadata) -> VaultPath {
    let names_it = format.capabilities().ids == Ids::Places;
    let deciding = |metadata: &Metadata| {
        let Metadata { kind, scope, .. } = metadata;
        let title = names_it.then(|| metadata.title.clone());
        (kind.clone(), metadata.status, scope.clone(), title)
    };
    if deciding(&before.metadata) == deciding(after) {
        return before.path.clone();
    }
    format.place(after, Some(&before.path))
}
