//! The single steps of a change: doing one, and finishing one that may have
//! been done already.

use serde::{Deserialize, Serialize};

use super::Planned;
use crate::environment::{self, Environment, IoError, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::memory::fingerprint;

/// One step, as the intent keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    /// Staged content becomes a new file.
    Create {
        /// Where the content waits.
        staged: VaultPath,
        /// The file.
        target: VaultPath,
        /// Revision of the content.
        revision: String,
    },
    /// Staged content takes the place of a file.
    Replace {
        /// Where the content waits.
        staged: VaultPath,
        /// The file.
        target: VaultPath,
        /// Revision the file has before.
        expected: String,
        /// Revision of the content.
        revision: String,
    },
    /// A file goes to another place.
    Move {
        /// Its place before.
        from: VaultPath,
        /// Its place afterwards.
        to: VaultPath,
        /// Its revision.
        expected: String,
    },
}

/// The step for a plan, with the content to stage.
pub(super) fn describe(planned: Planned, place: &dyn Fn() -> VaultPath) -> (Step, Option<Vec<u8>>) {
    match planned {
        Planned::Create { target, content } => {
            let (staged, revision) = (place(), fingerprint(&content));
            (
                Step::Create {
                    staged,
                    target,
                    revision,
                },
                Some(content),
            )
        }
        Planned::Replace {
            target,
            content,
            expected,
        } => {
            let (staged, revision) = (place(), fingerprint(&content));
            (
                Step::Replace {
                    staged,
                    target,
                    expected,
                    revision,
                },
                Some(content),
            )
        }
        Planned::Move { from, to, expected } => (Step::Move { from, to, expected }, None),
    }
}

impl Step {
    /// Where its content waits and where that goes, if it has any.
    pub(super) fn staged(&self) -> Option<(&VaultPath, &VaultPath)> {
        match self {
            Step::Create { staged, target, .. } | Step::Replace { staged, target, .. } => {
                Some((staged, target))
            }
            Step::Move { .. } => None,
        }
    }

    /// The files it changes.
    pub(super) fn touched(&self) -> Vec<&VaultPath> {
        match self {
            Step::Create { target, .. } | Step::Replace { target, .. } => vec![target],
            Step::Move { from, to, .. } => vec![from, to],
        }
    }

    /// Does it for the first time.
    pub(super) fn apply(&self, environment: &dyn Environment) -> Result<()> {
        match self {
            Step::Create { staged, target, .. } => create(environment, staged, target),
            Step::Replace {
                staged,
                target,
                expected,
                ..
            } => {
                require(environment, target, expected)?;
                Ok(environment.rename(staged, target)?)
            }
            Step::Move { from, to, expected } => {
                require(environment, from, expected)?;
                relocate(environment, from, to)
            }
        }
    }

    /// Does what is left of it; says so where a file is neither as it was nor
    /// as it should be, and leaves that file alone.
    pub(super) fn finish(&self, environment: &dyn Environment) -> Result<Option<String>> {
        let note = match self {
            Step::Create {
                staged,
                target,
                revision,
            } => match found_at(environment, target)? {
                None if is_gone(environment, staged)? => lost(target),
                None => create(environment, staged, target).map(|()| None)?,
                Some(found) => left_unless(found == *revision, target),
            },
            Step::Replace {
                staged,
                target,
                expected,
                revision,
            } => match found_at(environment, target)? {
                Some(found) if found == *expected && is_gone(environment, staged)? => lost(target),
                Some(found) if found == *expected => {
                    environment.rename(staged, target).map(|()| None)?
                }
                found => left_unless(found.as_ref() == Some(revision), target),
            },
            Step::Move { from, to, expected } => finish_move(environment, from, to, expected)?,
        };
        if let Some((staged, _)) = self.staged() {
            ignore_missing(environment.unlink(staged))?;
        }
        Ok(note)
    }
}

/// A file must still be at a revision.
fn require(environment: &dyn Environment, path: &VaultPath, expected: &str) -> Result<()> {
    if revision_at(environment, path)?.as_deref() == Some(expected) {
        return Ok(());
    }
    Err(Error::RevisionConflict(format!(
        "{path} was changed by another program meanwhile: read it again and repeat the change"
    )))
}

/// The revision of a file, none where there is no file.
fn revision_at(environment: &dyn Environment, path: &VaultPath) -> Result<Option<String>> {
    match environment::read_file(environment, path) {
        Ok((bytes, _)) => Ok(Some(fingerprint(&bytes))),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Like [`revision_at`]; what stands there and cannot be read for what it is,
/// a directory or a link that leaves, is of no revision.
fn found_at(environment: &dyn Environment, path: &VaultPath) -> Result<Option<String>> {
    match environment::read_file(environment, path) {
        Err(error)
            if matches!(
                error.kind,
                IoErrorKind::IsDirectory | IoErrorKind::NotPermitted
            ) =>
        {
            Ok(Some(String::new()))
        }
        _ => revision_at(environment, path),
    }
}

/// Makes a staged file visible where nothing may be.
fn create(environment: &dyn Environment, staged: &VaultPath, target: &VaultPath) -> Result<()> {
    match environment.link(staged, target) {
        Ok(()) => {}
        Err(error) if error.kind == IoErrorKind::NotFound => {
            environment::create_directories(environment, &target.parent())?;
            environment.link(staged, target)?;
        }
        Err(error) if error.kind == IoErrorKind::AlreadyExists => return Err(exists(target)),
        Err(error) if cannot_link(&error) => return rename_to_free(environment, staged, target),
        Err(error) => return Err(error.into()),
    }
    // What stays behind here is swept up later.
    let _ = environment.unlink(staged);
    Ok(())
}

/// Moves a file to where nothing may be; the old name goes last.
fn relocate(environment: &dyn Environment, from: &VaultPath, to: &VaultPath) -> Result<()> {
    environment::create_directories(environment, &to.parent())?;
    match environment.link(from, to) {
        Ok(()) => environment.unlink(from).map_err(|error| {
            // Not moved after all; a copy that stays behind harms nobody.
            let _ = environment.unlink(to);
            error.into()
        }),
        Err(error) if error.kind == IoErrorKind::AlreadyExists => Err(exists(to)),
        Err(error) if cannot_link(&error) => rename_to_free(environment, from, to),
        Err(error) => Err(error.into()),
    }
}

fn rename_to_free(environment: &dyn Environment, from: &VaultPath, to: &VaultPath) -> Result<()> {
    match environment.stat(to) {
        Ok(_) => Err(exists(to)),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(environment.rename(from, to)?),
        Err(error) => Err(error.into()),
    }
}

fn finish_move(
    environment: &dyn Environment,
    from: &VaultPath,
    to: &VaultPath,
    expected: &str,
) -> Result<Option<String>> {
    let old = found_at(environment, from)?;
    let new = found_at(environment, to)?;
    let is_expected = |found: &Option<String>| found.as_deref() == Some(expected);
    match (is_expected(&old), is_expected(&new)) {
        (true, true) => {
            environment.unlink(from)?;
            Ok(None)
        }
        (true, false) if new.is_none() => {
            relocate(environment, from, to)?;
            Ok(None)
        }
        (false, true) if old.is_none() => Ok(None),
        _ => Ok(left_unless(false, from)),
    }
}

/// File systems without hard links answer in several ways.
fn cannot_link(error: &IoError) -> bool {
    matches!(
        error.kind,
        IoErrorKind::Unsupported | IoErrorKind::NotPermitted | IoErrorKind::CrossDevice
    )
}

fn exists(path: &VaultPath) -> Error {
    Error::AlreadyExists(format!(
        "{path} is there already: choose another place, or move it away"
    ))
}

fn is_gone(environment: &dyn Environment, path: &VaultPath) -> Result<bool> {
    match environment.stat(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn lost(target: &VaultPath) -> Option<String> {
    Some(format!(
        "{target} is as before: the new content of an interrupted change is gone"
    ))
}

fn left_unless(done: bool, path: &VaultPath) -> Option<String> {
    (!done).then(|| format!("{path} was changed by another program since, and is left as it is"))
}

fn ignore_missing(result: std::result::Result<(), IoError>) -> Result<()> {
    match result {
        Err(error) if error.kind != IoErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
