//! `inkvault duplicates`: files that claim one id, and which of them keeps it.

use inkvault::upkeep::DuplicateId;

use super::curation::receipt_view;
use crate::cli::args::{DuplicatesArgs, DuplicatesDecision};
use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::session::Session;

/// Lists them, or decides between the files of one.
pub(crate) fn duplicates(session: &mut Session, args: &DuplicatesArgs) -> Result<(), Failure> {
    let Some(DuplicatesDecision::Keep(kept)) = &args.decision else {
        let summary = session.call("looking at every file", |vault| vault.overview())?;
        return session.answer(&summary.duplicates, |duplicates, width| {
            view(duplicates, width)
        });
    };
    let reason = kept.reason.as_deref().unwrap_or_default();
    let receipt = session.change("changing", |vault| {
        vault.keep_duplicate(&kept.id, &kept.path, reason)
    })?;
    session.answer(&receipt, |receipt, _| receipt_view(receipt, "kept", true))
}

fn view(duplicates: &[DuplicateId], width: Option<usize>) -> String {
    let Some(first) = duplicates.first() else {
        return "No id is claimed by two files.\n".to_owned();
    };
    let mut table = Table::new([
        Column::new("id", style::ID),
        Column::new("use", style::FAINT),
        Column::new("file", style::STRONG).flexible(),
    ]);
    for duplicate in duplicates {
        for (number, path) in duplicate.paths.iter().enumerate() {
            let (id, used) = match number {
                0 => (duplicate.id.as_str(), "used"),
                _ => ("", "not used"),
            };
            table.row([id, used, path].map(str::to_owned));
        }
    }
    let path = first.paths.first().map_or("FILE", String::as_str);
    format!(
        "{}\nGo on with `inkvault duplicates keep {} '{path}'`: the others get ids of their own and are archived.\n",
        table.render(width),
        first.id
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_shown_and_which_is_used() {
        let duplicates = [DuplicateId {
            id: "m-1".to_owned(),
            paths: vec!["memory/a.md".to_owned(), "memory/b.md".to_owned()],
        }];
        let view = view(&duplicates, Some(60));
        assert_eq!(
            anstream::adapter::strip_str(&view).to_string(),
            "id   use       file\n\
             m-1  used      memory/a.md\n\
             \x20    not used  memory/b.md\n\
             \n\
             Go on with `inkvault duplicates keep m-1 'memory/a.md'`: the others get ids of their own and are archived.\n"
        );
    }
}
