//! The single steps of a change: doing one, and finishing one that may have
//! been done already.
//!
//! Before a file is overwritten or leaves its place with other bytes, what it
//! holds gets a name in `undo/`: as a second name of the same file where that
//! is possible, so that whatever another program still saves into it is kept,
//! too.

use serde::{Deserialize, Serialize};

use super::{Action, Planned};
use crate::environment::{self, Environment, IoError, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::memory::fingerprint;

/// One step, as the intent keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The memory whose file it is; empty for none.
    pub id: String,
    /// The id that it takes from the memory; empty where there is none.
    #[serde(default)]
    pub id_before: String,
    /// The status that it ends; empty where there is none.
    pub status_before: String,
    /// The status that it begins; empty where there is none.
    pub status_after: String,
    /// What is done to the file.
    pub deed: Deed,
}

/// What a step does to a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "deed", rename_all = "kebab-case")]
pub enum Deed {
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
        /// Where the bytes before are kept.
        kept: VaultPath,
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
    /// Staged content becomes a new file, and the old one goes.
    Rewrite {
        /// Where the content waits.
        staged: VaultPath,
        /// The old file.
        from: VaultPath,
        /// The new file.
        to: VaultPath,
        /// Revision the old file has.
        expected: String,
        /// Revision of the content.
        revision: String,
        /// Where the old file is kept.
        kept: VaultPath,
    },
}

/// The step for a plan, with the content to stage.
pub(super) fn describe(
    planned: Planned,
    staged: VaultPath,
    kept: &dyn Fn(u64, &str) -> VaultPath,
) -> (Step, Option<Vec<u8>>) {
    let (deed, content) = match planned.action {
        Action::Create { target, content } => {
            let revision = fingerprint(&content);
            let deed = Deed::Create {
                staged,
                target,
                revision,
            };
            (deed, Some(content))
        }
        Action::Replace {
            target,
            content,
            expected,
            size,
        } => {
            let deed = Deed::Replace {
                staged,
                target,
                revision: fingerprint(&content),
                kept: kept(size, &expected),
                expected,
            };
            (deed, Some(content))
        }
        Action::Move { from, to, expected } => (Deed::Move { from, to, expected }, None),
        Action::Rewrite {
            from,
            to,
            content,
            expected,
            size,
        } => {
            let deed = Deed::Rewrite {
                staged,
                from,
                to,
                revision: fingerprint(&content),
                kept: kept(size, &expected),
                expected,
            };
            (deed, Some(content))
        }
    };
    let step = Step {
        id: planned.id,
        id_before: planned.id_before,
        status_before: planned.status_before,
        status_after: planned.status_after,
        deed,
    };
    (step, content)
}

impl Step {
    /// Where its content waits and where that goes, if it has any.
    pub(super) fn staged(&self) -> Option<(&VaultPath, &VaultPath)> {
        match &self.deed {
            Deed::Create { staged, target, .. } | Deed::Replace { staged, target, .. } => {
                Some((staged, target))
            }
            Deed::Rewrite { staged, to, .. } => Some((staged, to)),
            Deed::Move { .. } => None,
        }
    }

    /// Where the bytes before are kept, if it takes any away.
    pub(super) fn kept(&self) -> Option<&VaultPath> {
        match &self.deed {
            Deed::Replace { kept, .. } | Deed::Rewrite { kept, .. } => Some(kept),
            Deed::Create { .. } | Deed::Move { .. } => None,
        }
    }

    /// Its file's place before, if it had another one, and afterwards.
    pub(super) fn places(&self) -> (Option<&VaultPath>, &VaultPath) {
        match &self.deed {
            Deed::Create { target, .. } | Deed::Replace { target, .. } => (None, target),
            Deed::Move { from, to, .. } | Deed::Rewrite { from, to, .. } => (Some(from), to),
        }
    }

    /// Its file's revision before, empty where there was none, and afterwards.
    pub(super) fn revisions(&self) -> (&str, &str) {
        match &self.deed {
            Deed::Create { revision, .. } => ("", revision),
            Deed::Replace {
                expected, revision, ..
            }
            | Deed::Rewrite {
                expected, revision, ..
            } => (expected, revision),
            Deed::Move { expected, .. } => (expected, expected),
        }
    }

    /// Does it for the first time.
    pub(super) fn apply(&self, environment: &dyn Environment) -> Result<()> {
        match &self.deed {
            Deed::Create { staged, target, .. } => create(environment, staged, target),
            Deed::Replace {
                staged,
                target,
                expected,
                kept,
                ..
            } => replace(environment, staged, target, expected, kept),
            Deed::Move { from, to, expected } => {
                require(environment, from, expected)?;
                relocate(environment, from, to)
            }
            Deed::Rewrite {
                staged,
                from,
                to,
                expected,
                kept,
                ..
            } => {
                require(environment, from, expected)?;
                environment::create_directories(environment, &to.parent())?;
                create(environment, staged, to)?;
                // Whatever is there by now is kept.
                put_away(environment, from, kept).inspect_err(|_| {
                    let _ = environment.unlink(to);
                })
            }
        }
    }

    /// Takes it back, right after it was done.
    pub(super) fn revert(&self, environment: &dyn Environment) -> Result<()> {
        let (_, target) = self.places();
        let (_, revision) = self.revisions();
        require(environment, target, revision)?;
        if let Some((staged, target)) = self.staged() {
            // For the next holder, should the rest not work.
            let _ = environment.link(target, staged);
        }
        match &self.deed {
            Deed::Create { target, .. } => Ok(environment.unlink(target)?),
            Deed::Replace { target, kept, .. } => Ok(environment.rename(kept, target)?),
            Deed::Move { from, to, .. } => relocate(environment, to, from),
            Deed::Rewrite { from, to, kept, .. } => {
                relocate(environment, kept, from)?;
                Ok(environment.unlink(to)?)
            }
        }
    }

    /// Does what is left of it; says so where a file is neither as it was nor
    /// as it should be, and leaves that file alone.
    pub(super) fn finish(&self, environment: &dyn Environment) -> Result<Option<String>> {
        let note = match &self.deed {
            Deed::Create {
                staged,
                target,
                revision,
            } => finish_create(environment, staged, target, revision)?,
            Deed::Replace {
                staged,
                target,
                expected,
                revision,
                kept,
            } => finish_replace(environment, staged, target, [expected, revision], kept)?,
            Deed::Move { from, to, expected } => finish_move(environment, from, to, expected)?,
            Deed::Rewrite {
                staged,
                from,
                to,
                expected,
                revision,
                kept,
            } => finish_rewrite(environment, staged, [from, to], [expected, revision], kept)?,
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
    Err(changed(path))
}

fn changed(path: &VaultPath) -> Error {
    Error::RevisionConflict(format!(
        "{path} was changed by another program meanwhile: read it again and repeat the change"
    ))
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

/// How the bytes of a file are kept.
enum Keeping {
    /// Under another name of the same file.
    Linked,
    /// In a copy, where there are no hard links.
    Copied,
    /// There is no file.
    Missing,
}

/// Puts staged content in the place of a file that is as expected. Where its
/// bytes are kept under another name, that is what is looked at: nothing that
/// is saved into the file from here on can be lost.
fn replace(
    environment: &dyn Environment,
    staged: &VaultPath,
    target: &VaultPath,
    expected: &str,
    kept: &VaultPath,
) -> Result<()> {
    let looked_at = match keep(environment, target, kept, expected)? {
        Keeping::Linked => kept,
        Keeping::Copied => target,
        Keeping::Missing => return Err(changed(target)),
    };
    let replaced = match environment::read_file(environment, looked_at) {
        Ok((bytes, seen)) if fingerprint(&bytes) == expected => {
            put_in_place(environment, staged, target, &seen)
        }
        Ok(_) => Err(changed(target)),
        Err(error) => Err(error.into()),
    };
    replaced.inspect_err(|_| {
        // Where nothing was overwritten, nothing has to be kept.
        if is_at(environment, target, expected) {
            let _ = environment.unlink(kept);
        }
    })
}

/// The last look and the rename: a save that put another file there shows in
/// its time or size.
fn put_in_place(
    environment: &dyn Environment,
    staged: &VaultPath,
    target: &VaultPath,
    seen: &Stat,
) -> Result<()> {
    if !is_same_file(&environment.stat(target)?, seen) {
        return Err(changed(target));
    }
    Ok(environment.rename(staged, target)?)
}

/// Whether two looks saw one file with one content, as far as looks tell.
fn is_same_file(one: &Stat, other: &Stat) -> bool {
    (one.size, one.mtime) == (other.size, other.mtime)
}

/// Whether a file is at a revision, as far as can be told now.
fn is_at(environment: &dyn Environment, path: &VaultPath, revision: &str) -> bool {
    revision_at(environment, path).is_ok_and(|found| found.as_deref() == Some(revision))
}

/// Keeps the bytes of a file that is to be at a revision.
fn keep(
    environment: &dyn Environment,
    target: &VaultPath,
    kept: &VaultPath,
    expected: &str,
) -> Result<Keeping> {
    let link = || environment.link(target, kept);
    let mut linked = link();
    if is(&linked, IoErrorKind::NotFound) {
        environment::create_directories(environment, &kept.parent())?;
        linked = link();
    }
    if is(&linked, IoErrorKind::AlreadyExists) {
        make_way(environment, target, kept, expected)?;
        linked = link();
    }
    match linked {
        Ok(()) => Ok(Keeping::Linked),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(Keeping::Missing),
        Err(error) if cannot_link(&error) => copy(environment, target, kept, expected),
        Err(error) => Err(error.into()),
    }
}

/// A file of that name is kept already: by a change at this position that was
/// never made, or by one that somebody else is making right now. It may go
/// only where its bytes are still those of the target.
fn make_way(
    environment: &dyn Environment,
    target: &VaultPath,
    kept: &VaultPath,
    expected: &str,
) -> Result<()> {
    if !is_at(environment, target, expected) {
        return Err(changed(target));
    }
    if is_at(environment, kept, expected) {
        return ignore_missing(environment.unlink(kept));
    }
    // What another program saved into it late stays, under its own revision.
    let found = found_at(environment, kept)?.unwrap_or_default();
    let aside = kept.parent().join(&kept.name().replace(expected, &found));
    ignore_missing(environment.rename(kept, &aside))
}

fn copy(
    environment: &dyn Environment,
    target: &VaultPath,
    kept: &VaultPath,
    expected: &str,
) -> Result<Keeping> {
    environment::create_directories(environment, &kept.parent())?;
    let bytes = match environment::read_file(environment, target) {
        Ok((bytes, _)) => bytes,
        Err(error) if error.kind == IoErrorKind::NotFound => return Ok(Keeping::Missing),
        Err(error) => return Err(error.into()),
    };
    let mut written = environment::write_new(environment, kept, &bytes);
    if written
        .as_ref()
        .is_err_and(|error| error.kind == IoErrorKind::AlreadyExists)
    {
        make_way(environment, target, kept, expected)?;
        written = environment::write_new(environment, kept, &bytes);
    }
    written?;
    Ok(Keeping::Copied)
}

/// Moves a file to where the bytes of earlier times are kept.
fn put_away(environment: &dyn Environment, from: &VaultPath, kept: &VaultPath) -> Result<()> {
    let mut moved = environment.rename(from, kept);
    if is(&moved, IoErrorKind::NotFound) {
        environment::create_directories(environment, &kept.parent())?;
        moved = environment.rename(from, kept);
    }
    ignore_missing(moved)
}

/// Moves a file to where nothing may be; the old name goes last, and only if
/// it still is that file.
fn relocate(environment: &dyn Environment, from: &VaultPath, to: &VaultPath) -> Result<()> {
    environment::create_directories(environment, &to.parent())?;
    match environment.link(from, to) {
        Ok(()) => {}
        Err(error) if error.kind == IoErrorKind::AlreadyExists => return Err(exists(to)),
        Err(error) if cannot_link(&error) => return rename_to_free(environment, from, to),
        Err(error) => return Err(error.into()),
    }
    leave(environment, from, to).inspect_err(|_| {
        // Not moved after all; without the old name the new one is all there is.
        if environment.stat(from).is_ok() {
            let _ = environment.unlink(to);
        }
    })
}

/// Removes the old name of a file that has a new one.
fn leave(environment: &dyn Environment, from: &VaultPath, to: &VaultPath) -> Result<()> {
    let moved = environment.stat(to)?;
    match environment.stat(from) {
        Ok(there) if is_same_file(&there, &moved) => ignore_missing(environment.unlink(from)),
        Ok(_) => Err(changed(from)),
        Err(error) => ignore_missing(Err(error)),
    }
}

fn rename_to_free(environment: &dyn Environment, from: &VaultPath, to: &VaultPath) -> Result<()> {
    match environment.stat(to) {
        Ok(_) => Err(exists(to)),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(environment.rename(from, to)?),
        Err(error) => Err(error.into()),
    }
}

fn finish_create(
    environment: &dyn Environment,
    staged: &VaultPath,
    target: &VaultPath,
    revision: &str,
) -> Result<Option<String>> {
    match found_at(environment, target)? {
        None if is_gone(environment, staged)? => Ok(lost(target)),
        None => create(environment, staged, target).map(|()| None),
        Some(found) => Ok(left_unless(found == *revision, target)),
    }
}

fn finish_replace(
    environment: &dyn Environment,
    staged: &VaultPath,
    target: &VaultPath,
    [expected, revision]: [&str; 2],
    kept: &VaultPath,
) -> Result<Option<String>> {
    let found = found_at(environment, target)?;
    if found.as_deref() == Some(revision) {
        return Ok(None);
    }
    if found.as_deref() == Some(expected) && !is_gone(environment, staged)? {
        return replace(environment, staged, target, expected, kept).map(|()| None);
    }
    if found.is_some() && found == found_at(environment, kept)? {
        // It stays as it is, so its bytes need no other name.
        ignore_missing(environment.unlink(kept))?;
    }
    Ok(if found.as_deref() == Some(expected) {
        lost(target)
    } else {
        left_unless(false, target)
    })
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

fn finish_rewrite(
    environment: &dyn Environment,
    staged: &VaultPath,
    [from, to]: [&VaultPath; 2],
    [expected, revision]: [&str; 2],
    kept: &VaultPath,
) -> Result<Option<String>> {
    let old = found_at(environment, from)?;
    let new = found_at(environment, to)?;
    let is_new = new.as_deref() == Some(revision);
    match old.as_deref() {
        None => Ok(left_unless(is_new, to)),
        Some(old) if old != expected => Ok(left_unless(false, from)),
        Some(_) if is_new => put_away(environment, from, kept).map(|()| None),
        Some(_) if new.is_some() => Ok(left_unless(false, to)),
        Some(_) if is_gone(environment, staged)? => Ok(lost(from)),
        Some(_) => {
            create(environment, staged, to)?;
            put_away(environment, from, kept).map(|()| None)
        }
    }
}

fn is(result: &std::result::Result<(), IoError>, kind: IoErrorKind) -> bool {
    result.as_ref().is_err_and(|error| error.kind == kind)
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
