//! `init`: a new vault, or a vault made complete.

use crate::change::{JournalLine, PrivateFolder};
use crate::environment::{self, Environment, VaultPath};
use crate::error::{Error, Result};
use crate::format::{self, Event, Format, Language, Listing, Operation, Skeleton};
use crate::vault::Vault;
use crate::vault::commit_message::commit_message;
use crate::vault::skeleton;
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
            None => wanted.language(),
            Some(code) => Language::read(code)?,
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
        let parts = wanted.skeleton(language, environment.now());
        if let Some(why) = lasting_obstacle(wanted, listing, &parts) {
            return Err(Error::Refused(why));
        }
        let private = PrivateFolder::new(wanted.private_folder());
        let made = make(environment, &private, &parts)?;
        if existing.is_none() {
            record(environment, wanted);
        }
        self.state = None;
        Ok(Initialised {
            format: wanted.name().to_owned(),
            made,
            existed: existing.is_some(),
            commit_message: commit_message(Operation::Init, "", language),
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

/// Makes what is missing and tells what that was: the directories, then the
/// files, once it is proved that they can be written.
fn make(
    environment: &dyn Environment,
    private: &PrivateFolder,
    parts: &[Skeleton],
) -> Result<Vec<String>> {
    let quarantine = private.quarantine();
    let made = if parts.contains(&Skeleton::Directory(quarantine.clone())) {
        let made = skeleton::make_directories(environment, parts)?;
        skeleton::probe(environment, &quarantine)?;
        made
    } else {
        // Its directories alone can make it a vault, so the proof comes first.
        skeleton::probe(environment, &tried(environment, private)?)?;
        skeleton::make_directories(environment, parts)?
    };
    // A private folder that has nothing to say yet is not made for this.
    let beside = !environment::is_there(environment, private.path())?;
    let files = skeleton::make_files(environment, private, parts, beside)?;
    let made = made.iter().chain(&files);
    Ok(made.map(|path| path.as_str().to_owned()).collect())
}

/// A directory that is there before anything is made.
fn tried(environment: &dyn Environment, private: &PrivateFolder) -> Result<VaultPath> {
    Ok(match environment::is_there(environment, private.path())? {
        true => private.path().clone(),
        false => VaultPath::root(),
    })
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
