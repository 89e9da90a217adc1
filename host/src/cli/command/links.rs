//! `inkvault links`.

use std::collections::BTreeMap;

use inkvault::curation::Link;

use crate::cli::args::LinksArgs;
use crate::cli::failure::Failure;
use crate::cli::output::style::{self, styled};
use crate::cli::output::table::{Column, Table};
use crate::cli::output::text::{counted, one_line};
use crate::cli::session::Session;

/// Titles by the ids of their memories.
type Titles = BTreeMap<String, String>;

/// Shows what a memory refers to, and what refers to it.
pub(crate) fn links(session: &mut Session, args: &LinksArgs) -> Result<(), Failure> {
    let links = session.call("looking for references", |vault| vault.links(&args.id))?;
    if session.is_json() {
        return session.answer(&links, |_, _| String::new());
    }
    // It may have been asked for by an id that was merged into it.
    let memory = session
        .call("reading", |vault| vault.get(&args.id))?
        .metadata;
    let mut titles = titles(session, &links)?;
    titles.insert(memory.id.clone(), memory.title);
    session.part(|width| view(&memory.id, &links, &titles, width))
}

/// Titles of the memories at the other ends. One that cannot be read any more
/// has none.
fn titles(session: &mut Session, links: &[Link]) -> Result<Titles, Failure> {
    let mut titles = Titles::new();
    for id in links.iter().flat_map(ends) {
        if !titles.contains_key(id) {
            let read = session.call("reading", |vault| Ok(vault.get(id).ok()))?;
            let title = read.map(|memory| memory.metadata.title);
            titles.insert(id.clone(), title.unwrap_or_default());
        }
    }
    Ok(titles)
}

fn ends(link: &Link) -> impl Iterator<Item = &String> {
    [Some(&link.source), link.target.as_ref()]
        .into_iter()
        .flatten()
}

fn view(id: &str, links: &[Link], titles: &Titles, width: Option<usize>) -> String {
    let title = titles.get(id).map(|title| one_line(title));
    let title = styled(style::STRONG, &title.unwrap_or_default());
    if links.is_empty() {
        return format!("{title}\nIt refers to no memory, and none refers to it.\n");
    }
    let mut table = Table::new([
        Column::new("", style::FAINT),
        Column::new("id", style::ID),
        Column::new("title", style::STRONG).flexible(),
        Column::new("as", style::PLAIN).flexible(),
    ]);
    for link in links {
        table.row(row(id, link, titles));
    }
    format!("{title}\n{}{}", table.render(width), dangling(links))
}

/// The memory at the other end; a reference to nothing names none.
fn row(id: &str, link: &Link, titles: &Titles) -> [String; 4] {
    let (direction, other) = if link.source == id {
        ("to", link.target.as_deref())
    } else {
        ("from", Some(link.source.as_str()))
    };
    let title = other.map_or("nothing of that name", |other| {
        titles.get(other).map_or("", String::as_str)
    });
    [direction, other.unwrap_or("–"), title, &link.text].map(str::to_owned)
}

fn dangling(links: &[Link]) -> String {
    let dangling = links.iter().filter(|link| link.target.is_none()).count();
    if dangling == 0 {
        return String::new();
    }
    let told = counted(dangling as u64, "reference leads", "references lead");
    format!("{}\n", styled(style::WARNING, &format!("{told} nowhere.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(source: &str, target: Option<&str>, text: &str) -> Link {
        Link {
            source: source.to_owned(),
            target: target.map(str::to_owned),
            text: text.to_owned(),
        }
    }

    fn titles() -> Titles {
        let titles = [("m-1", "Release day"), ("m-2", "Hotfixes"), ("m-3", "发版")];
        let owned = |(id, title): (&str, &str)| (id.to_owned(), title.to_owned());
        titles.map(owned).into()
    }

    fn shown(links: &[Link]) -> String {
        let view = view("m-1", links, &titles(), Some(60));
        anstream::adapter::strip_str(&view).to_string()
    }

    #[test]
    fn references_are_told_by_their_direction() {
        let links = [
            link("m-1", Some("m-2"), "[[Hotfixes]]"),
            link("m-1", None, "[[Old plan]]"),
            link("m-3", Some("m-1"), "m-1"),
        ];
        assert_eq!(
            shown(&links),
            "Release day\n\
             \x20     id   title                 as\n\
             to    m-2  Hotfixes              [[Hotfixes]]\n\
             to    –    nothing of that name  [[Old plan]]\n\
             from  m-3  发版                  m-1\n\
             1 reference leads nowhere.\n"
        );
    }

    #[test]
    fn a_memory_may_stand_alone() {
        assert_eq!(
            shown(&[]),
            "Release day\nIt refers to no memory, and none refers to it.\n"
        );
    }
}
