//! What a command changed, committed to git (simple memory design §三.8): after
//! each change, with the message and the files of its receipt and nothing
//! else. What keeps a change from being committed is a note in the receipt;
//! the memory stays written.

use std::path::Path;

use inkvault::Vault;
use inkvault::capture::Proposal;
use inkvault::git::{self, ChangedFile, Repository, Turn};
use inkvault::types::Receipt;
use inkvault::upkeep::{Initialised, StagingReceipt};
use serde_json::Value;

/// The formats whose vaults are kept under git unless somebody says otherwise.
const BY_DEFAULT: [&str; 1] = ["simple"];

/// What a call changed.
pub(crate) trait Changed {
    /// Commits each change in it, and notes what that said.
    fn commit(&mut self, commit: &mut dyn FnMut(&str, &[ChangedFile]) -> Vec<String>);
}

impl Changed for Receipt {
    fn commit(&mut self, commit: &mut dyn FnMut(&str, &[ChangedFile]) -> Vec<String>) {
        let files = files(
            &self.changed_paths,
            &self.revisions_before,
            &self.revisions_after,
        );
        if !files.is_empty() {
            self.notes.extend(commit(&self.commit_message, &files));
        }
    }
}

impl Changed for StagingReceipt {
    fn commit(&mut self, commit: &mut dyn FnMut(&str, &[ChangedFile]) -> Vec<String>) {
        let files = files(
            &self.changed_paths,
            &self.revisions_before,
            &self.revisions_after,
        );
        self.notes.extend(commit(&self.commit_message, &files));
    }
}

impl Changed for Proposal {
    fn commit(&mut self, commit: &mut dyn FnMut(&str, &[ChangedFile]) -> Vec<String>) {
        for receipt in &mut self.filed {
            receipt.commit(commit);
        }
    }
}

fn files(paths: &[String], before: &[String], after: &[String]) -> Vec<ChangedFile> {
    let there = |revision: &String| Some(revision.clone()).filter(|revision| !revision.is_empty());
    let files = paths.iter().zip(before.iter().zip(after));
    files
        .map(|(path, (before, after))| ChangedFile {
            path: path.clone(),
            before: there(before),
            after: there(after),
        })
        .collect()
}

/// How the changes of a call are kept. Made before the call, so that it and
/// its commit are one turn.
pub(crate) enum Keeping {
    /// They are not.
    Off,
    /// In a repository.
    In(Repository, Turn),
    /// Not as they should be; the text says why.
    Hindered(String),
}

impl Keeping {
    /// How a vault's changes are kept; `asked` is what the command line says.
    pub(crate) fn of(vault: &mut Vault, asked: Option<bool>) -> Self {
        // What is no vault yet, or no more, says so when it is called.
        let Ok(wish) = Wish::of(vault, asked) else {
            return Self::Off;
        };
        if !wish.is_wanted {
            return Self::Off;
        }
        match wish.repository(vault.directory()) {
            Ok(Some(repository)) => {
                let turn = repository.turn();
                Self::In(repository, turn)
            }
            Ok(None) => Self::Hindered(NO_REPOSITORY.to_owned()),
            Err(error) => Self::Hindered(format!("not committed to git: {error}")),
        }
    }

    /// Commits what a call changed.
    pub(crate) fn commit(self, changed: &mut impl Changed) {
        match self {
            Self::Off => {}
            Self::In(repository, _turn) => {
                changed.commit(&mut |message, files| repository.commit(message, files).warnings);
            }
            Self::Hindered(why) => changed.commit(&mut |_, _| vec![why.clone()]),
        }
    }
}

/// Makes the repository of a new vault and commits what the vault was made of;
/// what is to be said of it.
pub(crate) fn begin(
    vault: &mut Vault,
    asked: Option<bool>,
    made: &mut Initialised,
) -> Result<Vec<String>, inkvault::Error> {
    let wish = Wish::of(vault, asked)?;
    if !wish.is_wanted {
        return Ok(Vec::new());
    }
    let directory = vault.directory().to_owned();
    Ok(match start(&wish, &directory, made) {
        Ok(notes) => notes,
        Err(error) => vec![format!("not kept under git: {error}")],
    })
}

fn start(wish: &Wish, vault: &Path, made: &mut Initialised) -> git::Result<Vec<String>> {
    let (repository, is_new) = match wish.repository(vault)? {
        Some(repository) => (repository, false),
        None => Repository::create(vault)?,
    };
    made.made.extend(is_new.then(|| ".git".to_owned()));
    let _turn = repository.turn();
    // A folder that was made with a `.gitignore` of its own stays out of git.
    let keeps_out = |path: &String| {
        let folder = path.rsplit_once('/').map(|(folder, _)| folder);
        folder.is_some_and(|folder| made.made.contains(&format!("{folder}/.gitignore")))
    };
    let files = made.made.iter().filter(|path| !keeps_out(path));
    let files: Vec<_> = files
        .filter_map(|path| ChangedFile::made(vault, path).ok())
        .collect();
    let mut notes = match files.as_slice() {
        [] => Vec::new(),
        files => repository.commit(&made.commit_message, files).warnings,
    };
    if is_new {
        notes.extend(left_out(repository.unknown()?));
    }
    Ok(notes)
}

/// What a person should know whose files were there before the repository.
fn left_out(files: usize) -> Option<String> {
    let what = match files {
        0 => return None,
        1 => "1 file that was here before is".to_owned(),
        files => format!("{files} files that were here before are"),
    };
    Some(format!(
        "{what} not in git yet, and changes of such files are not committed: `git add --all && git commit` takes them in"
    ))
}

/// The repository that keeps a vault, for looking at earlier versions.
///
/// # Errors
/// Those of finding it; also where there is none.
pub(crate) fn repository(vault: &Path) -> Result<Repository, String> {
    let own = Repository::at(vault).and_then(|own| match own {
        Some(own) => Ok(Some(own)),
        None => Repository::around(vault),
    });
    own.map_err(|error| error.to_string())?
        .ok_or_else(|| "this vault is in no git repository: `git init` makes one, `--git` then commits each change".to_owned())
}

/// Whether changes are to be committed.
struct Wish {
    is_wanted: bool,
    /// Somebody said so; else the format does.
    is_explicit: bool,
}

impl Wish {
    fn of(vault: &mut Vault, asked: Option<bool>) -> Result<Self, inkvault::Error> {
        if let Some(is_wanted) = asked {
            let is_explicit = true;
            return Ok(Self {
                is_wanted,
                is_explicit,
            });
        }
        let configured = vault.settings()?;
        let settings: Value = serde_json::from_str(&configured.settings).unwrap_or_default();
        let set = settings.get("git").and_then(Value::as_bool);
        Ok(Self {
            is_wanted: set.unwrap_or(BY_DEFAULT.contains(&configured.format.as_str())),
            is_explicit: set.is_some(),
        })
    }

    /// The vault's own repository; one that it only lies in is somebody
    /// else's, unless changes are to be committed there.
    fn repository(&self, vault: &Path) -> git::Result<Option<Repository>> {
        match Repository::at(vault)? {
            Some(own) => Ok(Some(own)),
            None if self.is_explicit => Repository::around(vault),
            None => Ok(None),
        }
    }
}

const NO_REPOSITORY: &str = "not committed: there is no git repository here; `inkvault init` makes one, the setting `git: false` ends this note";
