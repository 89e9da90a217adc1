//! The single steps of a change: doing one, and finishing one that may have
//! been done already.
//!
//! Before a file is overwritten or leaves its place with other bytes, what it
//! holds gets a name in `undo/`: as a second name of the same file where that
//! is possible, so that whatever another program still saves into it is kept,
//! too.

use serde::{Deserialize, Serialize};

use super::files::{
    create, found_at, ignore_missing, is_gone, put_away, relocate, replace, require,
};
use super::{Action, Planned};
use crate::environment::{self, Environment, VaultPath};
use crate::error::Result;
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

fn lost(target: &VaultPath) -> Option<String> {
    Some(format!(
        "{target} is as before: the new content of an interrupted change is gone"
    ))
}

fn left_unless(done: bool, path: &VaultPath) -> Option<String> {
    (!done).then(|| format!("{path} was changed by another program since, and is left as it is"))
}
