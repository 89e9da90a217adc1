//! The single operations on files that steps are made of.
//!
//! Each looks as late as it can whether a file still is what it was taken
//! for, and keeps what it takes away.

use crate::environment::{self, Environment, IoError, IoErrorKind, Stat, VaultPath};
use crate::error::{Error, Result};
use crate::memory::fingerprint;

/// A file must still be at a revision.
pub(super) fn require(
    environment: &dyn Environment,
    path: &VaultPath,
    expected: &str,
) -> Result<()> {
    if revision_at(environment, path)?.as_deref() == Some(expected) {
        return Ok(());
    }
    Err(changed(path))
}

pub(super) fn changed(path: &VaultPath) -> Error {
    Error::RevisionConflict(format!(
        "{path} was changed by another program meanwhile: read it again and repeat the change"
    ))
}

/// The revision of a file, none where there is no file.
pub(super) fn revision_at(
    environment: &dyn Environment,
    path: &VaultPath,
) -> Result<Option<String>> {
    match environment::read_file(environment, path) {
        Ok((bytes, _)) => Ok(Some(fingerprint(&bytes))),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Like [`revision_at`]; what stands there and cannot be read for what it is,
/// a directory or a link that leaves, is of no revision.
pub(super) fn found_at(environment: &dyn Environment, path: &VaultPath) -> Result<Option<String>> {
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
pub(super) fn create(
    environment: &dyn Environment,
    staged: &VaultPath,
    target: &VaultPath,
) -> Result<()> {
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
pub(super) fn replace(
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
pub(super) fn put_away(
    environment: &dyn Environment,
    from: &VaultPath,
    kept: &VaultPath,
) -> Result<()> {
    let mut moved = environment.rename(from, kept);
    if is(&moved, IoErrorKind::NotFound) {
        environment::create_directories(environment, &kept.parent())?;
        moved = environment.rename(from, kept);
    }
    ignore_missing(moved)
}

/// Moves a file to where nothing may be; the old name goes last, and only if
/// it still is that file.
pub(super) fn relocate(
    environment: &dyn Environment,
    from: &VaultPath,
    to: &VaultPath,
) -> Result<()> {
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

pub(super) fn is_gone(environment: &dyn Environment, path: &VaultPath) -> Result<bool> {
    match environment.stat(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind == IoErrorKind::NotFound => Ok(true),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn ignore_missing(result: std::result::Result<(), IoError>) -> Result<()> {
    match result {
        Err(error) if error.kind != IoErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
