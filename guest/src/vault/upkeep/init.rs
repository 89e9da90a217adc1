//! `init`: a new vault, or a vault made complete.

use std::fmt::Display;

use crate::change::{JournalLine, PrivateFolder};
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{self, Event, Format, Language, Listing, Operation, Skeleton};
use crate::vault::Vault;
use crate::vault::state::look_at_top;

/// What was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Initialised {
    /// The vault's format.
    pub format: String,
    /// What was missing and is there now.
    pub made: Vec<String>,
    /// Whether it was a vault before.
    pub existed: bool,
    /// A message to commit it with.
    pub commit_message: String,
}

impl Vault {
    /// Makes the directory a vault, or completes one; what is there stays.
    /// Before the directory becomes a vault, it is proved that it can be
    /// written: a small file is made, read back and removed.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown format or language,
    /// [`Error::Unsupported`], [`Error::Refused`] where the directory belongs
    /// to another product, is a vault of another format, or is one that must
    /// not be changed, whatever is made; [`Error::ReadOnly`], [`Error::Io`].
    pub fn init(&mut self, format: &str, language: Option<&str>) -> Result<Initialised> {
        let wanted = format::named(format)?;
        let language = match language {
            None => Language::default(),
            Some(code) => Language::of_code(code).ok_or_else(|| {
                Error::InvalidArgument(format!("language: `{code}` is neither `en` nor `zh`"))
            })?,
        };
        let environment = self.environment.as_ref();
        if environment.is_read_only() {
            return Err(Error::ReadOnly);
        }
        let listing = look_at_top(environment)?;
        let existing = format::detect(&listing)?;
        if let Some(existing) = existing.filter(|existing| existing.name() != wanted.name()) {
            return Err(Error::Refused(format!(
                "this directory is a vault of format `{}` already: choose another directory",
                existing.name()
            )));
        }
        let skeleton = wanted.skeleton(language, environment.now());
        if let Some(why) = lasting_obstacle(wanted, listing, &skeleton) {
            return Err(Error::Refused(why));
        }
        let made = make(environment, wanted, &skeleton)?;
        if existing.is_none() {
            record(environment, wanted);
        }
        self.state = None;
        Ok(Initialised {
            format: wanted.name().to_owned(),
            made,
            existed: existing.is_some(),
            commit_message: "mem: init".to_owned(),
        })
    }
}

/// Why the vault must not be changed even once it is complete, if so: what is
/// missing now may be all that is in the way.
fn lasting_obstacle(
    format: &dyn Format,
    mut listing: Listing,
    skeleton: &[Skeleton],
) -> Option<String> {
    let folder = format.private_folder();
    let config = PrivateFolder::new(folder).config();
    let is_there = listing.configs.iter().any(|(name, _)| name == folder);
    let made = skeleton.iter().find_map(|part| match part {
        Skeleton::File(path, content) if *path == config => Some(content),
        _ => None,
    });
    if let Some(content) = made.filter(|_| !is_there) {
        let content = content.clone().into_bytes();
        listing.configs.push((folder.to_owned(), content));
    }
    format.obstacle(&listing)
}

/// Makes what is missing and tells what that was: the directories, then, if
/// they can be written, the files.
fn make(
    environment: &dyn Environment,
    format: &dyn Format,
    skeleton: &[Skeleton],
) -> Result<Vec<String>> {
    let private = PrivateFolder::new(format.private_folder());
    let mut made = Vec::new();
    for part in skeleton {
        if let Skeleton::Directory(path) = part
            && make_directory(environment, path)?
        {
            made.push(path.as_str().to_owned());
        }
    }
    probe(environment, &folder_for_probes(&private, skeleton))?;
    for part in skeleton {
        if let Skeleton::File(path, content) = part
            && make_file(environment, &private, path, content)?
        {
            made.push(path.as_str().to_owned());
        }
    }
    Ok(made)
}

/// The quarantine folder where the format has one, else the private folder.
fn folder_for_probes(private: &PrivateFolder, skeleton: &[Skeleton]) -> VaultPath {
    let quarantine = Skeleton::Directory(private.quarantine());
    if skeleton.contains(&quarantine) {
        private.quarantine()
    } else {
        private.path().clone()
    }
}

/// Proves that a directory can be written: a small file is made, read back
/// and removed.
///
/// # Errors
/// [`Error::Io`], which says what to do.
fn probe(environment: &dyn Environment, folder: &VaultPath) -> Result<()> {
    let file = folder.join(&format!("probe.{:016x}", environment.random()));
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

fn unusable(why: &dyn Display) -> Error {
    Error::Io(format!(
        "{why}: a vault needs a directory that keeps what is written; check its permissions, \
         free space and what else uses it, or choose another, then `init` again"
    ))
}

fn make_directory(environment: &dyn Environment, path: &VaultPath) -> Result<bool> {
    if environment::is_there(environment, path)? {
        return Ok(false);
    }
    environment::create_directories(environment, path)?;
    Ok(true)
}

/// Makes a file, whole or not at all: half a configuration would be in the
/// way of everybody.
fn make_file(
    environment: &dyn Environment,
    private: &PrivateFolder,
    path: &VaultPath,
    content: &str,
) -> Result<bool> {
    if environment::is_there(environment, path)? {
        return Ok(false);
    }
    private.prepare_staging(environment)?;
    let staged = private.staged(path.name(), environment.random());
    environment::write_synced(environment, &staged, content.as_bytes())?;
    let made = place(environment, &staged, path);
    // What stays behind is swept up with other leftovers.
    let _ = environment.unlink(&staged);
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

/// The journal's first line, where the format has one; a vault without it is
/// as good.
fn record(environment: &dyn Environment, format: &dyn Format) {
    let event = Event {
        time: environment.now(),
        operation: Operation::Init,
        id: "",
        path: format.private_folder(),
        detail: "",
        before: None,
        after: None,
    };
    if let Some(line) = format.journal_line(&event).map(JournalLine::new) {
        let _ = line.append(environment);
    }
}
