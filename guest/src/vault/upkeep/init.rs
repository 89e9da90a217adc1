//! `init`: a new vault, or a vault made complete.

use crate::change::JournalLine;
use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{self, Event, Format, Language, Operation, Skeleton};
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
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an unknown format or language,
    /// [`Error::Unsupported`], [`Error::Refused`] where the directory belongs
    /// to another product or is a vault of another format,
    /// [`Error::ReadOnly`], [`Error::Io`].
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
        let existing = format::detect(&look_at_top(environment)?)?;
        if let Some(existing) = existing.filter(|existing| existing.name() != wanted.name()) {
            return Err(Error::Refused(format!(
                "this directory is a vault of format `{}` already: choose another directory",
                existing.name()
            )));
        }
        let made = make(environment, wanted, language)?;
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

/// Makes what is missing and tells what that was.
fn make(
    environment: &dyn Environment,
    format: &dyn Format,
    language: Language,
) -> Result<Vec<String>> {
    let mut made = Vec::new();
    for part in format.skeleton(language, environment.now()) {
        let (path, missing) = match &part {
            Skeleton::Directory(path) => (path, make_directory(environment, path)?),
            Skeleton::File(path, content) => (path, make_file(environment, path, content)?),
        };
        if missing {
            made.push(path.as_str().to_owned());
        }
    }
    Ok(made)
}

fn make_directory(environment: &dyn Environment, path: &VaultPath) -> Result<bool> {
    match environment.stat(path) {
        Ok(_) => Ok(false),
        Err(error) if error.kind == IoErrorKind::NotFound => {
            environment::create_directories(environment, path)?;
            Ok(true)
        }
        Err(error) => Err(error.into()),
    }
}

fn make_file(environment: &dyn Environment, path: &VaultPath, content: &str) -> Result<bool> {
    match environment::write_new(environment, path, content.as_bytes()) {
        Ok(_) => Ok(true),
        Err(error) if error.kind == IoErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.into()),
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
