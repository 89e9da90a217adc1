//! What a command changed, committed to git (simple memory design §三.8): after
//! each change, with the message and the files of its receipt and nothing
//! else. What keeps a change from being committed is a note in the receipt;
//! the memory stays written.

use std::path::Path;

use inkvault::Vault;
use inkvault::capture::Proposal;
use inkvault::git::{self, ChangedFile, Repository};
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
        let files = files(&self.changed_paths, &self.revisions_before);
        if !files.is_empty() {
            self.notes.extend(commit(&self.commit_message, &files));
        }
    }
}

impl Changed for StagingReceipt {
    fn commit(&mut self, commit: &mut dyn FnMut(&str, &[ChangedFile]) -> Vec<String>) {
        let files = files(&self.changed_paths, &self.revisions_before);
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

fn files(paths: &[String], revisions: &[String]) -> Vec<ChangedFile> {
    let files = paths.iter().zip(revisions);
    files
        .map(|(path, before)| ChangedFile {
            path: path.clone(),
            before: Some(before.clone()).filter(|before| !before.is_empty()),
        })
        .collect()
}

/// Commits what a call changed, where the vault is kept under git. `asked` is
/// what the command line says.
pub(crate) fn commit(vault: &mut Vault, asked: Option<bool>, changed: &mut impl Changed) {
    let wish = match Wish::of(vault, asked) {
        Ok(wish) => wish,
        Err(error) => {
            let why = format!("not committed to git: {error}");
            changed.commit(&mut |_, _| vec![why.clone()]);
            return;
        }
    };
    if !wish.is_wanted {
        return;
    }
    let directory = vault.directory().to_owned();
    let repository = wish.repository(&directory);
    changed.commit(&mut |message, files| match &repository {
        Ok(Some(repository)) => repository.commit(message, files).warnings,
        Ok(None) => vec![no_repository()],
        Err(error) => vec![format!("not committed to git: {error}")],
    });
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
    let repository = match wish.repository(&directory) {
        Ok(Some(repository)) => Ok(repository),
        Ok(None) => Repository::create(&directory).map(|(repository, is_new)| {
            made.made.extend(is_new.then(|| ".git".to_owned()));
            repository
        }),
        Err(error) => Err(error),
    };
    let repository = match repository {
        Ok(repository) => repository,
        Err(error) => return Ok(vec![format!("not kept under git: {error}")]),
    };
    let is_file = |path: &&String| directory.join(path).is_file();
    let files: Vec<_> = made.made.iter().filter(is_file).collect();
    let files: Vec<_> = files
        .into_iter()
        .map(|path| ChangedFile {
            path: path.clone(),
            before: None,
        })
        .collect();
    if files.is_empty() {
        return Ok(Vec::new());
    }
    Ok(repository.commit(&made.commit_message, &files).warnings)
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

fn no_repository() -> String {
    "not committed: there is no git repository here; `inkvault init` makes one, the setting `git: false` ends this note".to_owned()
}
