//! The one way anything on disk changes.
//!
//! A [`Changer`] holds the lock. It stages new content in the private folder,
//! writes the intent, then makes each step visible by a rename or link, tells
//! the feed and the journal, and drops the intent and the lock. Whatever
//! moment a process dies at, the next holder finishes what the intent says or
//! finds nothing to do; no step needs another's memory. It knows paths, bytes
//! and revisions, and neither formats nor the index.

pub mod feed;
mod files;
mod intent;
mod journal;
mod lock;
mod private;
mod recovery;
mod steps;
pub mod undo;

use std::collections::BTreeMap;

use feed::{Announcement, DirectoryTimes};
pub use intent::Intent;
pub use journal::JournalLine;
pub use lock::give_up;
pub use private::{PrivateFolder, is_staged};
pub use recovery::{Grounds, REFUSED};

use crate::environment::{self, Environment, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::memory::fingerprint;
use lock::{Inheritance, Lock};
use steps::Step;

/// One file's part in a change, before its content is staged.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The memory whose file it is; empty for none.
    pub id: String,
    /// The id that the change takes from it; empty where it keeps its own.
    pub id_before: String,
    /// The status that it ends; empty where the memory keeps its own.
    pub status_before: String,
    /// The status that it begins; empty where the memory keeps its own.
    pub status_after: String,
    /// What is to be done to the file.
    pub action: Action,
}

impl Planned {
    /// A part for a file that is no memory's.
    pub fn of_file(action: Action) -> Self {
        Planned {
            id: String::new(),
            id_before: String::new(),
            status_before: String::new(),
            status_after: String::new(),
            action,
        }
    }
}

/// What is to be done to a file.
#[derive(Clone, Debug)]
pub enum Action {
    /// A new file; nothing may be there.
    Create {
        /// The file.
        target: VaultPath,
        /// Its content.
        content: Vec<u8>,
    },
    /// New content for a file at the revision `expected`.
    Replace {
        /// The file.
        target: VaultPath,
        /// Its new content.
        content: Vec<u8>,
        /// The revision it is to have.
        expected: String,
        /// Its size before, in bytes.
        size: u64,
    },
    /// The same bytes at another place, where nothing may be.
    Move {
        /// The file.
        from: VaultPath,
        /// Its new place.
        to: VaultPath,
        /// The revision it is to have.
        expected: String,
    },
    /// New content at another place, where nothing may be; the file at the
    /// old place goes.
    Rewrite {
        /// The old file.
        from: VaultPath,
        /// The new file.
        to: VaultPath,
        /// Its content.
        content: Vec<u8>,
        /// The revision the old file is to have.
        expected: String,
        /// The old file's size in bytes.
        size: u64,
    },
}

/// A whole change: all of its steps or none.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The steps, in order.
    pub steps: Vec<Planned>,
    /// What it is, for the feed.
    pub operation: &'static str,
    /// The memory it is about; empty for none.
    pub id: String,
    /// The lines for the journal.
    pub journal: Vec<JournalLine>,
}

/// A file that a change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched<'p> {
    /// The file.
    pub path: &'p VaultPath,
    /// Its revision before; empty where it is not there.
    pub before: String,
    /// Its revision afterwards; empty where it is not there.
    pub after: String,
}

impl Proposal {
    /// The files with new content.
    pub fn contents(&self) -> impl Iterator<Item = (&VaultPath, &[u8])> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Create { target, content }
            | Action::Replace {
                target, content, ..
            } => Some((target, content.as_slice())),
            Action::Rewrite { to, content, .. } => Some((to, content.as_slice())),
            Action::Move { .. } => None,
        })
    }

    /// The files as a person knows them, old places first, each with the
    /// revision it is to have before the change and the one it has afterwards;
    /// empty where it is not there.
    pub fn places(&self) -> impl Iterator<Item = Touched<'_>> {
        let steps = self.steps.iter();
        let touched = |path, before: &'_ str, after: String| Touched {
            path,
            before: before.to_owned(),
            after,
        };
        let places = steps.map(move |step| match &step.action {
            Action::Create { target, content } => {
                [None, Some(touched(target, "", fingerprint(content)))]
            }
            Action::Replace {
                target,
                content,
                expected,
                ..
            } => [None, Some(touched(target, expected, fingerprint(content)))],
            Action::Move { from, to, expected } => [
                Some(touched(from, expected, String::new())),
                Some(touched(to, "", expected.clone())),
            ],
            Action::Rewrite {
                from,
                to,
                content,
                expected,
                ..
            } => [
                Some(touched(from, expected, String::new())),
                Some(touched(to, "", fingerprint(content))),
            ],
        });
        places.flatten().flatten()
    }

    /// The files that leave their places.
    pub fn sources(&self) -> impl Iterator<Item = &VaultPath> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Move { from, .. } | Action::Rewrite { from, .. } => Some(from),
            Action::Create { .. } | Action::Replace { .. } => None,
        })
    }
}

/// What a change left behind.
#[derive(Clone, Debug, Default)]
pub struct Committed {
    /// Its position in the feed.
    pub position: u64,
    /// Size and time of each file with new content.
    pub files: BTreeMap<VaultPath, Stat>,
    /// Times of the directories it touched.
    pub directories: Vec<DirectoryTimes>,
    /// What did not work without harm to the change.
    pub notes: Vec<String>,
}

/// The holder of the lock.
pub struct Changer<'e> {
    environment: &'e dyn Environment,
    private: PrivateFolder,
    lock: Lock<'e>,
    /// An intent of this holder that must be left to the next one.
    unfinished: bool,
}

impl<'e> Changer<'e> {
    /// Waits for the lock, and finishes what a holder before left undone;
    /// the notes say what that was. `signature`, letters and digits, begins
    /// the name under which the lock is held; what is finished stays within
    /// `grounds`.
    ///
    /// # Errors
    /// [`Error::ReadOnly`], [`Error::Busy`] after 15 seconds, [`Error::Io`].
    pub fn begin(
        environment: &'e dyn Environment,
        private: &PrivateFolder,
        signature: &str,
        grounds: &Grounds,
    ) -> Result<(Self, Vec<String>)> {
        if environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let token = format!("{signature}{:016x}", environment.random());
        let (lock, inheritance) = Lock::acquire(environment, private, &token)?;
        let mut changer = Changer {
            environment,
            private: private.clone(),
            lock,
            unfinished: false,
        };
        if inheritance == Inheritance::Nothing {
            return Ok((changer, Vec::new()));
        }
        match changer.finish_inherited(grounds) {
            Ok(notes) => Ok((changer, notes)),
            Err(error) => {
                changer.lock.leave()?;
                Err(error)
            }
        }
    }

    /// Makes a change. `feed` is the feed as known under the lock.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], [`Error::RevisionConflict`], [`Error::Io`]:
    /// nothing has changed, unless the text says that the next change makes
    /// this one. [`Error::Busy`] where the lock was taken away: then the one
    /// that took it may have made the change.
    pub fn commit(&mut self, proposal: Proposal, feed: &mut feed::Cursor) -> Result<Committed> {
        if self.unfinished {
            return Err(Error::Busy(
                "the change before has to be finished first: try again".into(),
            ));
        }
        let mut committed = Committed::default();
        let intent = self.stage(proposal, feed.position() + 1, &mut committed)?;
        if let Err(error) = self
            .write_intent(&intent)
            .and_then(|()| self.lock.advance())
        {
            return Err(self.abandon(&intent, error));
        }
        // Asked as late as can be: what others did until now must show.
        let before = intent
            .directories()
            .into_iter()
            .map(|path| (self.time_of(&path), path))
            .collect();
        self.apply(&intent)?;
        self.conclude(&intent, feed, before, &mut committed);
        undo::sweep_if_due(self.environment, &self.private, &intent);
        Ok(committed)
    }

    /// Does the steps. Before each the lock is shown to be held: whoever took
    /// it away is doing them already.
    fn apply(&mut self, intent: &Intent) -> Result<()> {
        for (at, step) in intent.steps.iter().enumerate() {
            if at > 0
                && let Err(error) = self.lock.advance()
            {
                return Err(self.stop(error));
            }
            if let Err(error) = step.apply(self.environment) {
                return Err(self.take_back(intent, at, error));
            }
        }
        Ok(())
    }

    /// Tells the journal of something that changes no file of the vault, and
    /// sees to it that a line which a crash cut off is written by the next
    /// holder.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn record(&mut self, operation: &str, lines: Vec<JournalLine>) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let intent = Intent {
            position: 0,
            operation: operation.to_owned(),
            id: String::new(),
            steps: Vec::new(),
            journal: lines,
        };
        self.write_intent(&intent)?;
        let recorded = journal::append(self.environment, &intent.journal);
        if recorded.is_ok() {
            self.drop_intent();
        } else {
            self.unfinished = true;
        }
        Ok(recorded?)
    }

    /// Shows that the lock is still held, in work that takes long.
    ///
    /// # Errors
    /// [`Error::Busy`] where it was taken away, [`Error::Io`].
    pub fn keep(&mut self) -> Result<()> {
        self.lock.advance()
    }

    /// Gives the lock back; what could not be finished is left for the next
    /// holder.
    pub fn end(self) -> Result<()> {
        if self.unfinished {
            self.lock.leave()
        } else {
            self.lock.release()
        }
    }

    /// Replaces the private file `name`, which only lock holders write.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Busy`] where the lock was taken away.
    pub fn replace_private(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let target = self.private.file(name);
        let staged = self.private.staged(name, self.environment.random());
        self.private.prepare_staging(self.environment)?;
        environment::write_new(self.environment, &staged, content)?;
        self.lock.advance()?;
        self.environment.rename(&staged, &target)?;
        Ok(())
    }

    /// Puts a staged file of derived data in its place.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn place_derived(&self, staged: &VaultPath, target: &VaultPath) -> Result<()> {
        let place = || self.environment.rename(staged, target);
        match place() {
            Err(error) if error.kind == IoErrorKind::NotFound => {
                environment::create_directories(self.environment, &target.parent())?;
                Ok(place()?)
            }
            placed => Ok(placed?),
        }
    }

    /// Writes new content beside the others and describes the steps.
    fn stage(
        &self,
        proposal: Proposal,
        position: u64,
        committed: &mut Committed,
    ) -> Result<Intent> {
        let mut steps = Vec::new();
        for (at, planned) in proposal.steps.into_iter().enumerate() {
            let staged = self
                .private
                .staged(&format!("{position}-{at}"), self.environment.random());
            let kept = |size, revision: &str| self.private.kept(position, at, size, revision);
            let (step, content) = steps::describe(planned, staged, &kept);
            if let (Some((staged, target)), Some(content)) = (step.staged(), content) {
                let stat = self
                    .stage_file(staged, &content)
                    .inspect_err(|_| discard(self.environment, &steps))?;
                committed.files.insert(target.clone(), stat);
            }
            steps.push(step);
        }
        Ok(Intent {
            position,
            operation: proposal.operation.to_owned(),
            id: proposal.id,
            steps,
            journal: proposal.journal,
        })
    }

    fn stage_file(&self, staged: &VaultPath, content: &[u8]) -> Result<Stat> {
        match environment::write_new(self.environment, staged, content) {
            Err(error) if error.kind == IoErrorKind::NotFound => {
                self.private.prepare_staging(self.environment)?;
                Ok(environment::write_new(self.environment, staged, content)?)
            }
            written => Ok(written?),
        }
    }

    fn write_intent(&self, intent: &Intent) -> Result<()> {
        let path = self.private.intent(self.lock.token());
        environment::write_synced(self.environment, &path, intent.to_json().as_bytes())?;
        Ok(())
    }

    /// The change is visible: makes it last and tells of it. Nothing here
    /// can undo it, so failures are notes.
    fn conclude(
        &mut self,
        intent: &Intent,
        feed: &mut feed::Cursor,
        before: Vec<(u64, VaultPath)>,
        committed: &mut Committed,
    ) {
        for (before, path) in before {
            let after = self.time_of(&path);
            if let Err(error) = environment::sync_directory(self.environment, &path) {
                committed.notes.push(format!(
                    "{error}; the change is made but may not survive a power failure"
                ));
            }
            committed.directories.push(DirectoryTimes {
                path,
                before,
                after,
            });
        }
        committed.position = intent.position;
        let announcement = Announcement::of(intent, &committed.directories);
        let told = feed.announce(self.environment, &self.private.feed(), &announcement);
        let recorded = journal::append(self.environment, &intent.journal);
        for failed in [told.err(), recorded.err()].into_iter().flatten() {
            committed
                .notes
                .push(format!("{failed}; the next change writes what is missing"));
            self.unfinished = true;
        }
        if !self.unfinished {
            self.drop_intent();
        }
    }

    /// A directory's time; 0 where it cannot be asked, which is nobody's.
    fn time_of(&self, directory: &VaultPath) -> u64 {
        self.environment
            .stat(directory)
            .map_or(0, |stat| stat.mtime)
    }

    /// A step failed: takes back the `done` ones before it, so that all is as
    /// it was, and gives the error to answer. Where that fails, too, the next
    /// holder does the whole change.
    fn take_back(&mut self, intent: &Intent, done: usize, error: Error) -> Error {
        if let Err(lost) = self.lock.advance() {
            return self.stop(lost);
        }
        let mut steps = intent.steps.iter().take(done).rev();
        if steps
            .try_for_each(|step| step.revert(self.environment))
            .is_ok()
        {
            return self.abandon(intent, error);
        }
        self.unfinished = true;
        will_be_made(&error)
    }

    /// The lock cannot be shown to be held: everything is left as it is, and
    /// is another holder's from now on.
    fn stop(&mut self, error: Error) -> Error {
        self.unfinished = true;
        match error {
            Error::Busy(why) => Error::Busy(format!(
                "{why}; it may also have made the change: read the memory again first"
            )),
            error => will_be_made(&error),
        }
    }

    /// Nothing is visible: takes back what was staged, and gives the error to
    /// answer. The intent goes first, since it needs what is staged.
    fn abandon(&mut self, intent: &Intent, error: Error) -> Error {
        self.drop_intent();
        if self.unfinished {
            return will_be_made(&error);
        }
        discard(self.environment, &intent.steps);
        error
    }

    fn drop_intent(&mut self) {
        let path = self.private.intent(self.lock.token());
        let dropped = self.environment.unlink(&path);
        let gone = dropped.map_or_else(|error| error.kind == IoErrorKind::NotFound, |()| true);
        self.unfinished = !gone;
    }
}

/// Takes back staged content; what cannot be removed is swept up later.
fn discard(environment: &dyn Environment, steps: &[Step]) {
    for (staged, _) in steps.iter().filter_map(Step::staged) {
        let _ = environment.unlink(staged);
    }
}

/// The error of a change that could not be made now and not be taken back.
fn will_be_made(error: &Error) -> Error {
    Error::Io(format!(
        "{error}; it could not be taken back either: the next change of the vault makes it first"
    ))
}
