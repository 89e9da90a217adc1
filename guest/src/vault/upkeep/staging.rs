//! The staging pool: what may be of use beyond its project, one entry a line,
//! until a person goes through it (simple memory design §三.6).

use crate::change::{Action, Planned, Proposal};
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Format, Operation, Pool, Staged};
use crate::memory::fingerprint;
use crate::text::{characters, secrets};
use crate::vault::changing::{Answer, Holder, Receipt, require_no_link, touched};
use crate::vault::commit_message::commit_message;
use crate::vault::state::State;
use crate::vault::write::Writing;
use crate::vault::{Draft, Vault};

/// Longest entry in characters.
const ENTRY: usize = 500;

/// What to put into the pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StagingDraft {
    /// One line.
    pub text: String,
    /// The project it comes from.
    pub scope: Option<String>,
    /// The host's offset from UTC.
    pub utc_offset_minutes: i16,
}

/// An entry of the pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedEntry {
    /// Its number, from 1, in the file's order.
    pub number: u32,
    /// Its day, `2026-08-18`.
    pub date: String,
    /// The project it comes from.
    pub scope: Option<String>,
    /// What it says.
    pub text: String,
}

/// What a call did to the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct StagingReceipt {
    /// The entry that was added or removed.
    pub entry: StagedEntry,
    /// The files that were changed.
    pub changed_paths: Vec<String>,
    /// The revision each of them had before, empty where it was not there.
    pub revisions_before: Vec<String>,
    /// The revision each of them has now.
    pub revisions_after: Vec<String>,
    /// A message to commit them with.
    pub commit_message: String,
    /// What did not work without harm.
    pub notes: Vec<String>,
    /// Position of the change in the feed.
    pub feed_position: u64,
}

impl Answer for StagingReceipt {
    fn notes(&mut self) -> &mut Vec<String> {
        &mut self.notes
    }
}

/// The pool's file as it is.
struct PoolFile {
    path: VaultPath,
    /// None where it is not there.
    text: Option<String>,
    entries: Vec<Staged>,
}

impl Vault {
    /// Adds an entry to the end of the pool.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the format has no pool,
    /// [`Error::InvalidArgument`] for a text that is no line or too long, and
    /// for what is no name of a project, [`Error::Refused`] for what looks
    /// like a credential; those of changing.
    pub fn staging_add(&mut self, draft: &StagingDraft) -> Result<StagingReceipt> {
        self.changing(|state, holder| state.stage(holder, draft))
    }

    /// The entries of the pool, in the file's order.
    ///
    /// # Errors
    /// [`Error::Unsupported`] where the format has no pool; those of reading
    /// its file.
    pub fn staging_browse(&mut self) -> Result<Vec<StagedEntry>> {
        self.recognised(|environment, state| {
            let file = PoolFile::read(environment, state.pool()?)?;
            Ok(file.numbered().collect())
        })
    }

    /// Removes an entry. `text` is what it says, so that no other one goes
    /// where the file was changed meanwhile.
    ///
    /// # Errors
    /// [`Error::Unsupported`], [`Error::NotFound`] for a number that is none,
    /// [`Error::RevisionConflict`] where the entry says something else; those
    /// of changing.
    pub fn staging_drop(&mut self, number: u32, text: &str) -> Result<StagingReceipt> {
        self.changing(|state, holder| {
            let file = PoolFile::read(holder.environment, state.pool()?)?;
            let entry = file.find(number, text)?;
            let content = file.without(number);
            state.rewrite_pool(holder, file, content, entry, Operation::Unstage)
        })
    }

    /// Writes a note that an entry became, and removes the entry: both or
    /// neither. The note belongs to no project; without a text of its own it
    /// says what the entry says.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] also for a draft of a project, or with an
    /// id or a path; those of [`Self::staging_drop`] and of [`Self::write`].
    pub fn staging_promote(&mut self, number: u32, text: &str, draft: &Draft) -> Result<Receipt> {
        let is_of_project = draft.scope.as_ref().is_some_and(|scope| !scope.is_empty());
        if draft.id.is_some() || draft.path.is_some() || is_of_project {
            return Err(Error::InvalidArgument(
                "draft: what is promoted becomes a new note of no project: leave out id, path and scope"
                    .into(),
            ));
        }
        let draft = Draft {
            body: draft.body.clone().or_else(|| Some(text.to_owned())),
            ..draft.clone()
        };
        self.check_draft(&draft)?;
        self.changing(|state, holder| {
            let file = PoolFile::read(holder.environment, state.pool()?)?;
            file.find(number, text)?;
            require_no_link(holder.environment, &file.path)?;
            let content = file.without(number);
            let writing = Writing {
                draft: &draft,
                operation: Some(Operation::Promote),
                besides: vec![file.planned(content)],
            };
            state.write(holder, &writing)
        })
    }
}

impl State {
    fn stage(
        &mut self,
        holder: &mut Holder<'_, '_>,
        draft: &StagingDraft,
    ) -> Result<StagingReceipt> {
        let pool = self.pool()?;
        let environment = holder.environment;
        let entry = Staged {
            date: environment.now().local_date(draft.utc_offset_minutes),
            scope: draft.scope.clone().filter(|scope| !scope.is_empty()),
            text: characters::one_line(&draft.text),
            part: 0..0,
        };
        check_entry(&entry, self.format)?;
        let file = PoolFile::read(environment, pool)?;
        let content = pool.add(file.text.as_deref(), &entry, self.settings.language);
        let entries = pool.entries(&content);
        let number = entries.len() as u32;
        let entry = StagedEntry::of(number, &entry);
        // What does not read back as it was given would come out of the pool
        // as something else.
        if entries
            .last()
            .map(|read| StagedEntry::of(number, read))
            .as_ref()
            != Some(&entry)
        {
            return Err(Error::InvalidArgument(
                "text: it would not read back as it is: begin it with a word".into(),
            ));
        }
        self.rewrite_pool(holder, file, content, entry, Operation::Stage)
    }

    fn rewrite_pool(
        &mut self,
        holder: &mut Holder<'_, '_>,
        file: PoolFile,
        content: String,
        entry: StagedEntry,
        operation: Operation,
    ) -> Result<StagingReceipt> {
        if file.text.is_some() {
            require_no_link(holder.environment, &file.path)?;
        }
        let proposal = Proposal {
            steps: vec![file.planned(content)],
            operation: operation.name(),
            id: String::new(),
            journal: Vec::new(),
        };
        let files = touched(&proposal);
        let committed = self.commit(holder, proposal, &[])?;
        let name = characters::cut(&entry.text, 60);
        Ok(StagingReceipt {
            changed_paths: files.paths,
            revisions_before: files.before,
            revisions_after: files.after,
            commit_message: commit_message(operation, name, self.settings.language),
            notes: committed.notes,
            feed_position: committed.position,
            entry,
        })
    }

    fn pool(&self) -> Result<&'static dyn Pool> {
        self.format.pool().ok_or_else(|| {
            Error::Unsupported(format!(
                "a vault of format `{}` has no staging pool: file what is to be confirmed as pending",
                self.format.name()
            ))
        })
    }

    /// How many entries the pool has; 0 where there is none.
    ///
    /// # Errors
    /// Those of reading its file.
    pub(super) fn staged(&self, environment: &dyn Environment) -> Result<usize> {
        match self.format.pool() {
            Some(pool) => Ok(PoolFile::read(environment, pool)?.entries.len()),
            None => Ok(0),
        }
    }
}

impl PoolFile {
    fn read(environment: &dyn Environment, pool: &dyn Pool) -> Result<Self> {
        let path = pool.file();
        let text =
            match environment::read_file(environment, &path) {
                Ok((bytes, _)) => Some(String::from_utf8(bytes).map_err(|_| {
                    Error::Corrupt(format!("{path} is not UTF-8: save it as UTF-8"))
                })?),
                Err(error) if error.kind == IoErrorKind::NotFound => None,
                Err(error) => return Err(error.into()),
            };
        let entries = pool.entries(text.as_deref().unwrap_or_default());
        Ok(PoolFile {
            path,
            text,
            entries,
        })
    }

    fn numbered(&self) -> impl Iterator<Item = StagedEntry> {
        let numbers = 1..;
        let entries = numbers.zip(&self.entries);
        entries.map(|(number, entry)| StagedEntry::of(number, entry))
    }

    /// The entry of a number, which must say `text`.
    fn find(&self, number: u32, text: &str) -> Result<StagedEntry> {
        let Some(entry) = self.numbered().find(|entry| entry.number == number) else {
            return Err(Error::NotFound(format!(
                "{} has no entry {number}: it has {}",
                self.path,
                self.entries.len()
            )));
        };
        if entry.text == text {
            return Ok(entry);
        }
        Err(Error::RevisionConflict(format!(
            "entry {number} of {} says `{}` by now: list the pool again",
            self.path,
            characters::cut(&characters::one_line(&entry.text), 60)
        )))
    }

    /// The text without an entry.
    fn without(&self, number: u32) -> String {
        let mut text = self.text.clone().unwrap_or_default();
        let at = (number as usize).checked_sub(1);
        if let Some(entry) = at.and_then(|at| self.entries.get(at)) {
            text.replace_range(entry.part.clone(), "");
        }
        text
    }

    /// The step that gives the file another content.
    fn planned(&self, content: String) -> Planned {
        let (target, content) = (self.path.clone(), content.into_bytes());
        Planned::of_file(match &self.text {
            None => Action::Create { target, content },
            Some(text) => Action::Replace {
                target,
                content,
                expected: fingerprint(text.as_bytes()),
                size: text.len() as u64,
            },
        })
    }
}

impl StagedEntry {
    fn of(number: u32, entry: &Staged) -> Self {
        StagedEntry {
            number,
            date: entry.date.clone(),
            scope: entry.scope.clone(),
            text: entry.text.clone(),
        }
    }
}

fn check_entry(entry: &Staged, format: &dyn Format) -> Result<()> {
    let length = characters::count(&entry.text);
    if !(1..=ENTRY).contains(&length) {
        return Err(Error::InvalidArgument(format!(
            "text: an entry is one line of 1 to {ENTRY} characters, this one has {length}"
        )));
    }
    if let Some(secret) = secrets::find(&entry.text) {
        return Err(Error::Refused(format!(
            "text: it looks like it holds a credential ({}): leave that out",
            secret.kind
        )));
    }
    entry
        .scope
        .as_deref()
        .map_or(Ok(()), |scope| format.check_scope(scope))
}
