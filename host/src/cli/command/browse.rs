//! `inkvault show` and `inkvault list`.

use inkvault::curation::{BrowseOptions, Page};
use inkvault::types::{Memory, Metadata};

use crate::cli::args::{ListArgs, ShowArgs};
use crate::cli::failure::Failure;
use crate::cli::output::style::{self, styled};
use crate::cli::output::table::{Column, Facts, Table};
use crate::cli::output::text::{counted, day, lines, minute, one_line};
use crate::cli::session::Session;

/// Shows a memory.
pub(crate) fn show(session: &mut Session, args: &ShowArgs) -> Result<(), Failure> {
    let memory = session.call("reading", |vault| vault.get(&args.id))?;
    session.answer(&memory, |memory, _| memory_view(memory))
}

fn memory_view(memory: &Memory) -> String {
    let title = styled(style::STRONG, &one_line(&memory.metadata.title));
    let facts = facts(&memory.metadata).render();
    let body = lines(&memory.body);
    format!("{title}\n{facts}\n{}\n", body.trim_end_matches('\n'))
}

fn facts(memory: &Metadata) -> Facts {
    let mut facts = Facts::default();
    facts.add_in(style::ID, "id", &memory.id);
    facts.add("kind", &memory.kind);
    facts.add("status", memory.status.name());
    facts.add("delivery", memory.delivery.name());
    facts.add("pinned", if memory.pinned { "yes" } else { "" });
    facts.add("tags", memory.tags.join(", "));
    facts.add("aliases", memory.aliases.join(", "));
    facts.add("confidence", memory.confidence.to_string());
    let importance = memory.importance.map(|importance| importance.to_string());
    facts.add("importance", importance.unwrap_or_default());
    facts.add("created", minute(&memory.created));
    facts.add("changed", minute(&memory.updated));
    facts.add("source", memory.source.name());
    facts.add("origin", &memory.origin);
    facts.add("evidence", &memory.evidence);
    facts.add("replaces", memory.supersedes.join(", "));
    facts.add("replaced by", &memory.superseded_by);
    facts.add("contradicts", memory.conflicts_with.join(", "));
    facts.add("converted from", &memory.converted_from);
    facts.add("project", memory.scope.as_deref().unwrap_or_default());
    facts.add("path", &memory.path);
    facts.add("revision", &memory.revision);
    facts.add("size", counted(memory.bytes, "byte", "bytes"));
    facts.each(style::WARNING, "repaired", &memory.repairs);
    facts
}

/// Lists memories.
pub(crate) fn list(session: &mut Session, args: &ListArgs) -> Result<(), Failure> {
    let options = BrowseOptions {
        statuses: args.filter.statuses.clone(),
        kinds: args.filter.kinds.clone(),
        tags: args.filter.tags.clone(),
        scope: session.project(args.filter.project.as_deref())?,
        areas: args.filter.areas.clone(),
        offset: args.offset,
        limit: args.limit,
    };
    let page = session.call("listing", |vault| vault.browse(&options))?;
    session.answer(&page, |page, width| page_view(page, args.offset, width))
}

fn page_view(page: &Page, offset: u32, width: Option<usize>) -> String {
    if page.memories.is_empty() {
        return format!("No memories here, {} in all.\n", page.total);
    }
    let mut table = Table::new([
        Column::new("id", style::ID),
        Column::new("title", style::STRONG).flexible(),
        Column::new("kind", style::PLAIN),
        Column::new("status", style::PLAIN),
        Column::new("changed", style::FAINT),
    ]);
    for memory in &page.memories {
        table.row([
            memory.id.clone(),
            memory.title.clone(),
            memory.kind.clone(),
            memory.status.to_string(),
            day(&memory.updated).to_owned(),
        ]);
    }
    table.render(width) + &footer(page, offset)
}

/// Which part of the list this was, where it was not all of it.
fn footer(page: &Page, offset: u32) -> String {
    let shown = u32::try_from(page.memories.len()).unwrap_or(u32::MAX);
    let end = offset.saturating_add(shown);
    if shown == page.total {
        return String::new();
    }
    let part = format!("{} to {end} of {}", offset.saturating_add(1), page.total);
    let next = if end < page.total {
        format!("; go on with --offset {end}")
    } else {
        String::new()
    };
    format!("{}\n", styled(style::FAINT, &format!("{part}{next}")))
}
