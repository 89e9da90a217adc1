//! `inkvault search`.

use inkvault::types::{Area, Status};
use inkvault::vault::{Hit, SearchOptions};

use crate::cli::args::SearchArgs;
use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::output::text::day;
use crate::cli::session::Session;

/// Finds memories by their words.
pub(crate) fn search(session: &mut Session, args: &SearchArgs) -> Result<(), Failure> {
    let options = SearchOptions {
        limit: args.limit,
        statuses: args.filter.statuses.clone(),
        kinds: args.filter.kinds.clone(),
        tags: args.filter.tags.clone(),
        scope: session.project(args.filter.project.as_deref())?,
        areas: args.filter.areas.clone(),
    };
    let query = args.query.join(" ");
    let hits = session.call("searching", |vault| vault.search(&query, &options))?;
    session.answer(&hits, |hits, width| view(hits, width))
}

fn view(hits: &[Hit], width: Option<usize>) -> String {
    if hits.is_empty() {
        return "Nothing found.\n".to_owned();
    }
    let mut table = Table::new([
        Column::new("#", style::FAINT).right(),
        Column::new("score", style::SCORE).right(),
        Column::new("title", style::STRONG).flexible(),
        Column::new("kind", style::PLAIN),
        Column::new("changed", style::FAINT),
    ]);
    for (rank, hit) in hits.iter().enumerate() {
        table.row([
            (rank + 1).to_string(),
            format!("{:.3}", hit.score),
            hit.metadata.title.clone(),
            kind(hit),
            day(&hit.metadata.updated).to_owned(),
        ]);
        table.below(style::ID, &hit.metadata.id);
        table.below(style::FAINT, &hit.snippet);
    }
    table.render(width)
}

/// The kind, and the status or the area where it is not the usual one.
fn kind(hit: &Hit) -> String {
    let kind = &hit.metadata.kind;
    match (hit.metadata.status, hit.area) {
        (Status::Active, Area::Active) => kind.clone(),
        (Status::Active, area) => format!("{kind} ({area})"),
        (status, _) => format!("{kind} ({status})"),
    }
}
