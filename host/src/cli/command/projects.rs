//! `inkvault projects`.

use inkvault::upkeep::Count;

use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::session::Session;

/// Lists the projects.
pub(crate) fn projects(session: &mut Session) -> Result<(), Failure> {
    let summary = session.call("looking at the vault", inkvault::Vault::overview)?;
    session.answer(&summary.scopes, |scopes, width| view(scopes, width))
}

fn view(scopes: &[Count], width: Option<usize>) -> String {
    if scopes.is_empty() {
        return "No project has a memory here.\n".to_owned();
    }
    let mut table = Table::new([
        Column::new("project", style::ID).flexible(),
        Column::new("memories", style::PLAIN).right(),
    ]);
    for scope in scopes {
        table.row([scope.name.clone(), scope.count.to_string()]);
    }
    table.render(width)
}
