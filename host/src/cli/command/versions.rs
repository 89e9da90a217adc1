//! `inkvault history`, `diff` and `rollback`: earlier versions of a memory, as
//! git keeps them.

use inkvault::git::{Deed, Repository, Version};
use inkvault::types::Error as Refusal;

use super::curation::receipt_view;
use crate::cli::args::{DiffArgs, HistoryArgs, RollbackArgs};
use crate::cli::failure::Failure;
use crate::cli::output::json::{ToJson, record};
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::session::Session;

/// How many versions are shown where the command does not say.
const SHOWN: u16 = 20;

/// Characters of a commit's id that a person is shown.
const SHORT: usize = 10;

/// Lists the versions of a memory.
pub(crate) fn history(session: &mut Session, args: &HistoryArgs) -> Result<(), Failure> {
    let repository = session.repository()?;
    let path = path_of(session, &repository, &args.id)?;
    let versions = repository.history(&path, usize::from(args.limit.unwrap_or(SHOWN)))?;
    session.answer(&versions, |versions, width| view(versions, &path, width))
}

/// Shows how a memory differs from an earlier version.
pub(crate) fn diff(session: &mut Session, args: &DiffArgs) -> Result<(), Failure> {
    let repository = session.repository()?;
    let path = path_of(session, &repository, &args.id)?;
    let from = args.from.as_deref().unwrap_or("HEAD");
    let text = repository.diff(&path, from, args.to.as_deref())?;
    session.answer(&Difference { path, text }, |difference, _| {
        difference.text.clone()
    })
}

/// Makes a memory what it was.
pub(crate) fn roll_back(session: &mut Session, args: &RollbackArgs) -> Result<(), Failure> {
    let repository = session.repository()?;
    let path = path_of(session, &repository, &args.id)?;
    let earlier = repository.content(&path, &args.to)?;
    let revision = args.revision.as_deref();
    let reason = args.reason.as_deref().unwrap_or_default();
    let receipt = session.change("changing", |vault| {
        vault.roll_back(&args.id, &earlier.path, &earlier.bytes, revision, reason)
    })?;
    session.answer(&receipt, |receipt, _| {
        receipt_view(receipt, "rolled back", true)
    })
}

/// How a file differs from what it was.
struct Difference {
    path: String,
    text: String,
}

record!(Difference { path, text });

/// Where a memory's file lies, or did when git last had it.
fn path_of(session: &mut Session, repository: &Repository, id: &str) -> Result<String, Failure> {
    let found = session.call("reading", |vault| match vault.get(id) {
        Err(inkvault::Error::Memory(Refusal::NotFound(why))) => Ok(Err(why)),
        read => read.map(Ok),
    })?;
    match found {
        Ok(memory) => Ok(memory.metadata.path),
        Err(why) => match removed(session, repository, id)? {
            Some(path) => Ok(path),
            None => Err(inkvault::Error::Memory(Refusal::NotFound(why)).into()),
        },
    }
}

/// The file of an id that git removed last.
fn removed(
    session: &mut Session,
    repository: &Repository,
    id: &str,
) -> Result<Option<String>, Failure> {
    let settings = session.call("reading", inkvault::Vault::settings)?;
    let is_its = |path: &str| match settings.format.as_str() {
        "simple" => path.strip_suffix(".md") == Some(id),
        _ => is_file_of(path, id),
    };
    Ok(repository.removed(is_its)?)
}

/// Whether a file is called by an id that was drawn: by the name, or at the
/// name's end.
fn is_file_of(path: &str, id: &str) -> bool {
    let Some(path) = path.strip_suffix(".md") else {
        return false;
    };
    let name = path.rsplit('/').next().unwrap_or(path);
    let ends_so = name
        .strip_suffix(id)
        .is_some_and(|rest| rest.ends_with('-'));
    name == id || ends_so
}

fn view(versions: &[Version], path: &str, width: Option<usize>) -> String {
    if versions.is_empty() {
        return format!("{path} was never committed.\n");
    }
    let mut table = Table::new([
        Column::new("version", style::ID),
        Column::new("time", style::FAINT),
        Column::new("what", style::PLAIN),
        Column::new("message", style::STRONG).flexible(),
    ]);
    for version in versions {
        let id: String = version.id.chars().take(SHORT).collect();
        table.row([
            id,
            version.time.clone(),
            deed(&version.deed).to_owned(),
            version.message.clone(),
        ]);
        if let Deed::Moved { from } = &version.deed {
            table.below(style::FAINT, &format!("{from} → {}", version.path));
        }
    }
    table.render(width)
}

fn deed(deed: &Deed) -> &'static str {
    match deed {
        Deed::Added => "added",
        Deed::Changed => "changed",
        Deed::Moved { .. } => "moved",
        Deed::Removed => "removed",
    }
}

impl ToJson for Deed {
    fn to_json(&self) -> serde_json::Value {
        deed(self).into()
    }
}

impl ToJson for Version {
    fn to_json(&self) -> serde_json::Value {
        let from = match &self.deed {
            Deed::Moved { from } => Some(from.clone()),
            _ => None,
        };
        serde_json::json!({
            "id": self.id,
            "time": self.time,
            "author": self.author,
            "message": self.message,
            "path": self.path,
            "from": from,
            "deed": self.deed.to_json(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_id() {
        for (path, id, is_its) in [
            ("memory/m-1.md", "m-1", true),
            ("Decisions/Plan-mem_1.md", "mem_1", true),
            ("Decisions/Planmem_1.md", "mem_1", false),
            ("memory/m-1.txt", "m-1", false),
            ("memory/m-12.md", "m-1", false),
        ] {
            assert_eq!(is_file_of(path, id), is_its, "{path} {id}");
        }
    }
}
