//! `verify`: everything read, each fault reported with what would mend it.

use super::dangling::Mentions;
use super::misplaced::Misplaced;
use super::overview::{bad_files, duplicates};
use super::rebuild::SHOWN_HELD_EVERY;
use crate::change::Changer;
use crate::environment::{self, Environment, VaultPath};
use crate::error::Result;
use crate::format::Exported;
use crate::vault::Vault;
use crate::vault::grounds;
use crate::vault::refresh::Look;
use crate::vault::state::State;

/// How much a fault matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something was assumed, or derived data is off.
    Warning,
    /// A memory cannot be used.
    Error,
}

/// A fault that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The file or folder.
    pub path: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is wrong and what was assumed.
    pub message: String,
    /// What would mend it.
    pub mend: String,
    /// Whether it was mended now.
    pub fixed: bool,
}

/// What `verify` found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verification {
    /// Files that were read.
    pub checked: u32,
    /// The faults, by path.
    pub faults: Vec<Fault>,
}

/// What reading everything found.
struct Checked {
    verification: Verification,
    /// Told apart, since whether they were moved is part of the fault.
    misplaced: Vec<Misplaced>,
}

impl Vault {
    /// Reads every file and reports each fault, and what refers to memories
    /// that are not there. With `fix`, moves bad files and what other programs
    /// left beside memories to quarantine where the format has one, moves
    /// memories to where they belong, finishes interrupted changes, removes
    /// other leftovers and writes derived data anew; no memory's text is
    /// touched.
    ///
    /// # Errors
    /// Those of opening the vault; with `fix`, also [`crate::Error::ReadOnly`] and
    /// [`crate::Error::Busy`].
    pub fn verify(&mut self, fix: bool) -> Result<Verification> {
        let (environment, state) = self.open()?;
        if !fix {
            let checked = state.check(environment, &mut || Ok(()))?;
            return Ok(checked.unmended());
        }
        let (mut changer, mut finished) = state.begin_change(environment)?;
        let found = changer
            .finish_inherited(&grounds::of(state.format))
            .and_then(|notes| {
                finished.extend(notes);
                // It tells of what was finished; the check looks at all files.
                let _ = state.hear(environment)?;
                state.check(environment, &mut || changer.keep())
            });
        let mended = found.and_then(|found| state.mend(environment, &mut changer, found));
        let ended = changer.end();
        let mut verification = mended?;
        ended?;
        let intent = state.private.path().as_str().to_owned();
        verification
            .faults
            .extend(finished.into_iter().map(|note| Fault {
                path: intent.clone(),
                severity: Severity::Warning,
                message: note,
                mend: String::new(),
                fixed: true,
            }));
        verification.sort();
        Ok(verification)
    }
}

impl Checked {
    fn unmended(self) -> Verification {
        let mut verification = self.verification;
        let faults = self.misplaced.iter().map(Misplaced::fault);
        verification.faults.extend(faults);
        verification.sort();
        verification
    }
}

impl Verification {
    fn sort(&mut self) {
        self.faults.sort_by(|a, b| a.path.cmp(&b.path));
    }

    pub(super) fn report(&mut self, path: &str, severity: Severity, message: String, mend: &str) {
        let (path, mend) = (path.to_owned(), mend.to_owned());
        self.faults.push(Fault {
            path,
            severity,
            message,
            mend,
            fixed: false,
        });
    }
}

impl State {
    /// Reads everything. `keep` is called now and then, for a caller that holds
    /// the lock and has to show it.
    fn check(
        &mut self,
        environment: &dyn Environment,
        keep: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Checked> {
        let mut verification = Verification::default();
        self.refresh(environment, Look::Files)?;
        keep()?;
        let known = self.known_checksums();
        let format = self.format;
        let mut mentions = Vec::new();
        let mut misplaced = Vec::new();
        self.rebuild(environment, &mut |_, _, Exported { memory, .. }| {
            verification.checked += 1;
            if verification.checked.is_multiple_of(SHOWN_HELD_EVERY) {
                keep()?;
            }
            mentions.extend(Mentions::of(memory, format));
            misplaced.extend(Misplaced::of(memory, format));
            for repair in &memory.repairs {
                let mend = "edit the frontmatter, or leave it: the file stays as it is";
                verification.report(
                    memory.path.as_str(),
                    Severity::Warning,
                    repair.clone(),
                    mend,
                );
            }
            Ok(())
        })?;
        verification.checked += self.skipped.len() as u32;
        for (path, checksum) in self.known_checksums() {
            if known
                .get(&path)
                .is_some_and(|(before, settled)| *settled && *before != checksum.0)
            {
                let message = "its content changed while its size and time stayed the same; the index has it now".into();
                verification.report(&path, Severity::Note, message, "nothing to do");
            }
        }
        self.report_bad_files(&mut verification);
        keep()?;
        self.report_doubts(environment, &mut verification);
        self.report_dangling(environment, &mentions, &mut verification);
        self.report_one_sided(&mentions, &mut verification);
        self.report_leftovers(environment, &mut verification)?;
        self.report_export(environment, &mut verification);
        Ok(Checked {
            verification,
            misplaced,
        })
    }

    fn known_checksums(&self) -> std::collections::BTreeMap<String, (u64, bool)> {
        let files = self.index.files();
        files
            .map(|(_, file)| {
                (
                    file.path.to_string(),
                    (file.mark.checksum, file.mark.settled),
                )
            })
            .collect()
    }

    fn report_bad_files(&self, verification: &mut Verification) {
        let quarantine = self.format.capabilities().quarantine;
        for bad in bad_files(self) {
            let readable = self
                .skipped
                .get(&bad.path)
                .is_some_and(|file| file.mark.size > 0);
            let mend = match quarantine {
                Some(_) if readable => {
                    "correct the file, or run `verify --fix` to move it to quarantine"
                }
                Some(_) => {
                    "correct its permissions, or remove it where it is a link that leads nowhere"
                }
                None => "correct the file",
            };
            verification.report(&bad.path, Severity::Error, bad.reason, mend);
        }
        for duplicate in duplicates(self) {
            let first = duplicate.paths.first().cloned().unwrap_or_default();
            for path in duplicate.paths.iter().skip(1) {
                let message = format!(
                    "its id `{}` is that of {first}, which is used instead",
                    duplicate.id
                );
                verification.report(
                    path,
                    Severity::Error,
                    message,
                    "decide which of them keeps the id (`inkvault duplicates keep`), or give one another",
                );
            }
        }
    }

    /// Files that were passed over and look as if they should not have been.
    fn report_doubts(&self, environment: &dyn Environment, verification: &mut Verification) {
        let passed_over = self.skipped.iter().filter(|(_, file)| file.fault.is_none());
        for (path, file) in passed_over {
            let Ok(path) = VaultPath::parse(path) else {
                continue;
            };
            let Ok(bytes) = environment::read_expecting(environment, &path, file.mark.size) else {
                continue;
            };
            if let Some(why) = self.format.doubt(&path, &bytes) {
                verification.report(
                    path.as_str(),
                    Severity::Warning,
                    format!("{why}; it was passed over as somebody's note"),
                    "restore the frontmatter, from `---` to `---` with an `id`, or leave it",
                );
            }
        }
    }

    /// The index file of other tools: where there is one, it must cover what
    /// is there (contract §4: as many entries, none newer than it).
    fn report_export(&self, environment: &dyn Environment, verification: &mut Verification) {
        let Some(path) = self.format.checked_export() else {
            return;
        };
        let Ok((bytes, _)) = environment::read_file(environment, &path) else {
            return;
        };
        let documents = || self.index.documents().map(|(_, document)| document);
        let newest = documents()
            .map(|document| document.mark.mtime / 1_000_000)
            .max()
            .unwrap_or_default();
        let setting = self.setting(environment);
        let memories = self.index.len();
        if let Some(why) = self.format.export_fault(&bytes, memories, newest, &setting) {
            verification.report(
                path.as_str(),
                Severity::Note,
                format!("{why}; only other tools read it"),
                "run `rebuild` to write it anew",
            );
        }
    }

    fn mend(
        &mut self,
        environment: &dyn Environment,
        changer: &mut Changer<'_>,
        checked: Checked,
    ) -> Result<Verification> {
        let mut verification = checked.verification;
        let cleared = self.clear_leftovers(environment, changer)?;
        let moved = self.move_misplaced(environment, changer, &checked.misplaced);
        let rebuilt = self.rebuild_index(environment, changer)?;
        let exported = |path: &VaultPath| rebuilt.exported.iter().any(|new| new == path.as_str());
        for fault in &mut verification.faults {
            let path = VaultPath::parse(&fault.path)?;
            let is_moved =
                || !self.skipped.contains_key(&fault.path) && environment.stat(&path).is_err();
            fault.fixed = (fault.severity == Severity::Error && is_moved())
                || cleared.contains(&path)
                || exported(&path);
        }
        verification.faults.extend(moved);
        Ok(verification)
    }
}
