//! Making what a vault consists of: directories and files that are missing,
//! each file whole or not at all.

use std::fmt::Display;

use crate::change::PrivateFolder;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::Skeleton;

/// Makes the directories that are missing, and tells which those are.
pub(super) fn make_directories(
    environment: &dyn Environment,
    parts: &[Skeleton],
) -> Result<Vec<VaultPath>> {
    let mut made = Vec::new();
    for part in parts {
        if let Skeleton::Directory(path) = part
            && !environment::is_there(environment, path)?
        {
            environment::create_directories(environment, path)?;
            made.push(path.clone());
        }
    }
    Ok(made)
}

/// Makes the files that are missing, and tells which those are. Content waits
/// in the private folder, or `beside` its place where that is not to be made.
pub(super) fn make_files(
    environment: &dyn Environment,
    private: &PrivateFolder,
    parts: &[Skeleton],
    beside: bool,
) -> Result<Vec<VaultPath>> {
    let mut made = Vec::new();
    for part in parts {
        if let Skeleton::File(path, content) = part
            && !environment::is_there(environment, path)?
        {
            let random = environment.random();
            let staged = if beside {
                path.parent().join(&temporary(path.name(), random))
            } else {
                private.prepare_staging(environment)?;
                private.staged(path.name(), random)
            };
            if make_file(environment, &staged, path, content)? {
                made.push(path.clone());
            }
        }
    }
    Ok(made)
}

/// Proves that a directory can be written: a small file is made, read back
/// and removed.
///
/// # Errors
/// [`Error::Io`], which says what to do.
pub(super) fn probe(environment: &dyn Environment, folder: &VaultPath) -> Result<()> {
    let file = folder.join(&temporary("probe", environment.random()));
    let written = file.as_str().as_bytes();
    let read = environment::create_directories(environment, folder)
        .and_then(|()| environment::write_synced(environment, &file, written))
        .and_then(|()| environment::read_file(environment, &file));
    // Whatever came of it; a file that was never made cannot be removed.
    let removed = environment.unlink(&file);
    let (found, _) = read.map_err(|error| unusable(&error))?;
    removed.map_err(|error| unusable(&error))?;
    if found == written {
        return Ok(());
    }
    Err(unusable(&format!(
        "{file} did not read back as it was written"
    )))
}

/// A name for a file that does not stay; what a crash leaves of it is told by
/// `verify`.
fn temporary(name: &str, random: u64) -> String {
    format!("{name}.tmp-0-{random:016x}")
}

fn unusable(why: &dyn Display) -> Error {
    Error::Io(format!(
        "{why}: a vault needs a directory that keeps what is written; check its permissions, \
         free space and what else uses it, or choose another, then `init` again"
    ))
}

/// Makes a file by way of another name: half a configuration would be in the
/// way of everybody.
fn make_file(
    environment: &dyn Environment,
    staged: &VaultPath,
    path: &VaultPath,
    content: &str,
) -> Result<bool> {
    environment::write_synced(environment, staged, content.as_bytes())?;
    let made = place(environment, staged, path);
    // What stays behind is swept up with other leftovers.
    let _ = environment.unlink(staged);
    made
}

/// Gives a staged file its place, unless another process was faster.
fn place(environment: &dyn Environment, staged: &VaultPath, path: &VaultPath) -> Result<bool> {
    match environment.link(staged, path) {
        Err(error) if error.kind == IoErrorKind::AlreadyExists => Ok(false),
        // Where there are no hard links.
        Err(_) => Ok(environment.rename(staged, path).map(|()| true)?),
        Ok(()) => Ok(true),
    }
}
