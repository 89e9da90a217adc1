//! `rebuild-index`: the index anew, bad files out of the way, the files of
//! other tools written.

use super::export::Exporting;
use super::overview::bad_files;
use crate::change::{Action, Changer, JournalLine, Planned, Proposal};
use crate::environment::{self, Environment, VaultPath};
use crate::error::Result;
use crate::format::{Event, Operation, Parsed};
use crate::index::Standing;
use crate::memory::fingerprint;
use crate::vault::Vault;
use crate::vault::changing::Holder;
use crate::vault::state::State;

/// After so many memories the lock is shown to be held.
pub(super) const SHOWN_HELD_EVERY: u32 = 1_000;

/// What a rebuild did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RebuildReport {
    /// Memories in the new index.
    pub memories: u32,
    /// Bad files that were moved: their new paths.
    pub quarantined: Vec<String>,
    /// Files written for other tools.
    pub exported: Vec<String>,
    /// What could not be done.
    pub notes: Vec<String>,
}

impl Vault {
    /// Builds the index anew from the files, moves bad files to quarantine
    /// where the format has one, and writes the files that other tools read
    /// (contract §4, `rebuildIndex`).
    ///
    /// # Errors
    /// [`crate::Error::ReadOnly`], [`crate::Error::Busy`], [`crate::Error::Io`]; the memories are
    /// as before.
    pub fn rebuild_index(&mut self) -> Result<RebuildReport> {
        let environment = self.environment.as_ref();
        // What an open vault knows is thrown away, so a closed one stays so
        // until the rebuild has filled it.
        let mut state = match self.state.take() {
            Some(state) => state,
            None => State::recognise(environment, &self.overlay)?,
        };
        let (mut changer, notes) = state.take_lock(environment)?;
        let rebuilt = state.rebuild_index(environment, &mut changer);
        let ended = changer.end();
        let mut report = rebuilt?;
        ended?;
        report.notes.splice(0..0, notes);
        self.state = Some(state);
        Ok(report)
    }
}

impl State {
    /// The rebuild, under the lock.
    pub(super) fn rebuild_index(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
    ) -> Result<RebuildReport> {
        // All files are looked at anyway.
        let _ = self.hear(environment)?;
        let mut report = RebuildReport::default();
        for exported in self.rebuild_exporting(environment, changer)? {
            match exported {
                Ok(path) => report
                    .exported
                    .extend(path.map(|path| path.as_str().to_owned())),
                // A full disk must not keep a person from rebuilding.
                Err(error) => report.notes.push(format!(
                    "an index file for other tools was not written: {error}"
                )),
            }
        }
        for bad in bad_files(self) {
            match self.quarantine(environment, changer, &bad.path, &bad.reason) {
                Ok(Some(path)) => report.quarantined.push(path),
                Ok(None) => {}
                Err(error) => report.notes.push(format!(
                    "{} could not be moved to quarantine: {error}",
                    bad.path
                )),
            }
        }
        self.notes.clear();
        self.save_snapshot(environment);
        report.memories = self.index.len() as u32;
        self.record(environment, changer, &report);
        report.notes.extend(self.notes.iter().cloned());
        Ok(report)
    }

    /// Builds the index anew and writes the files of other tools on the way:
    /// each that was written, or why it was not.
    fn rebuild_exporting(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
    ) -> Result<Vec<Result<Option<VaultPath>>>> {
        let setting = self.setting(environment);
        let begin = |export| Exporting::begin(environment, &self.private, export);
        let exports = self.format.exports(&setting).into_iter();
        let mut exporting: Vec<_> = exports.map(begin).collect();
        let mut seen = 0;
        self.rebuild(environment, &mut |index, number, exported| {
            seen += 1;
            if u32::is_multiple_of(seen, SHOWN_HELD_EVERY) {
                changer.keep()?;
            }
            let document = index.document(number);
            if document.is_some_and(|document| document.standing == Standing::Live) {
                for begun in &mut exporting {
                    if let Ok(export) = begun
                        && let Err(error) = export.memory(exported)
                    {
                        *begun = Err(error);
                    }
                }
            }
            Ok(())
        })?;
        changer.keep()?;
        let finish = |export: Exporting<'_>| export.finish(&self.index, changer);
        let exporting = exporting.into_iter();
        Ok(exporting.map(|begun| begun.and_then(finish)).collect())
    }

    /// Moves a bad file to quarantine, where the format has one and the file
    /// can be read and is bad; returns its new place.
    pub(super) fn quarantine(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        path: &str,
        reason: &str,
    ) -> Result<Option<String>> {
        if self.format.capabilities().quarantine.is_none() {
            return Ok(None);
        }
        let from = VaultPath::parse(path)?;
        let (bytes, _) = environment::read_file(environment, &from)?;
        // One that could not be read a moment ago may be a good memory.
        if !matches!(
            self.format.parse(&from, &bytes, environment.now()),
            Parsed::Bad(_)
        ) {
            return Ok(None);
        }
        self.set_aside(environment, changer, &from, &bytes, reason)
    }

    /// Moves a file of these bytes to quarantine, where the format has one;
    /// returns its new place.
    pub(super) fn set_aside(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        from: &VaultPath,
        bytes: &[u8],
        reason: &str,
    ) -> Result<Option<String>> {
        let Some(folder) = self.format.capabilities().quarantine else {
            return Ok(None);
        };
        // A link would lead nowhere from its new place.
        if environment.is_link(from)? {
            return Ok(None);
        }
        let folder = VaultPath::known(folder);
        let time = environment.now();
        let mut to = folder.join(from.name());
        if environment.stat(&to).is_ok() {
            let stem = from.markdown_stem().unwrap_or(from.name());
            to = folder.join(&format!("{stem}-{}.md", time.millis()));
        }
        let event = Event {
            time,
            operation: Operation::Quarantine,
            id: "",
            path: to.as_str(),
            detail: reason,
            before: None,
            after: None,
        };
        let moved = Planned {
            id: String::new(),
            id_before: String::new(),
            status_before: String::new(),
            status_after: String::new(),
            action: Action::Move {
                from: from.clone(),
                to: to.clone(),
                expected: fingerprint(bytes),
            },
        };
        let proposal = Proposal {
            steps: vec![moved],
            operation: Operation::Quarantine.name(),
            id: String::new(),
            journal: self
                .format
                .journal_line(&event)
                .map(JournalLine::new)
                .into_iter()
                .collect(),
        };
        let mut holder = Holder {
            environment,
            changer,
        };
        self.commit(&mut holder, proposal, &[])?;
        Ok(Some(to.as_str().to_owned()))
    }

    /// The journal line of a rebuild; failing to write it is a note.
    fn record(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        report: &RebuildReport,
    ) {
        let detail = format!(
            "{} memories, {} quarantined",
            report.memories,
            report.quarantined.len()
        );
        let event = Event {
            time: environment.now(),
            operation: Operation::Rebuild,
            id: "",
            path: "",
            detail: &detail,
            before: None,
            after: None,
        };
        let line = self.format.journal_line(&event).map(JournalLine::new);
        let lines = line.into_iter().collect();
        if let Err(error) = changer.record(Operation::Rebuild.name(), lines) {
            self.note(format!("the journal line could not be written: {error}"));
        }
    }
}
