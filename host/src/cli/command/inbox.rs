//! `inkvault inbox`: what waits for a person, by numbers that last.
//!
//! Memories are numbered oldest first: what comes in takes the next number and
//! moves none. Numbers are looked up as ids before the first change.

use std::ops::RangeInclusive;

use inkvault::curation::{BrowseOptions, Change};
use inkvault::types::{Error as Refusal, Memory, Metadata, Status};

use super::capture::kind;
use super::curation::{Act, each};
use crate::cli::args::{Care, Decision, InboxArgs, Picked};
use crate::cli::failure::Failure;
use crate::cli::output::json::{ToJson, record};
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::output::text::{counted, day};
use crate::cli::session::Session;

/// How many are shown where the command does not say.
const SHOWN: usize = 20;

/// The memories with the numbers from 1 on, and how many wait in all.
struct Inbox {
    memories: Vec<Memory>,
    total: u32,
}

record!(Inbox { memories, total });

/// Shows what waits, or decides on some of it.
pub(crate) fn inbox(session: &mut Session, args: &InboxArgs) -> Result<(), Failure> {
    match (&args.decision, args.limit) {
        (None, limit) => show(session, limit.unwrap_or(SHOWN)),
        (Some(_), Some(_)) => Err(Failure::Usage(
            "--limit is for looking; leave it out to confirm or reject".to_owned(),
        )),
        (Some(Decision::Confirm(picked)), None) => decide(session, picked, Change::Confirm),
        (Some(Decision::Reject(picked)), None) => decide(session, picked, Change::Reject),
    }
}

fn show(session: &mut Session, limit: usize) -> Result<(), Failure> {
    let waiting = waiting(session)?;
    let shown = waiting.iter().take(limit);
    let memories = shown
        .map(|memory| read(session, memory))
        .collect::<Result<_, _>>()?;
    let inbox = Inbox {
        memories,
        total: u32::try_from(waiting.len()).unwrap_or(u32::MAX),
    };
    session.answer(&inbox, view)?;
    session.remark(|_| advice(&inbox));
    Ok(())
}

/// The memory with its text. One that went away in the meantime keeps its
/// number, without a text.
fn read(session: &mut Session, waiting: &Metadata) -> Result<Memory, Failure> {
    let read = session.call("reading", |vault| match vault.get(&waiting.id) {
        Err(inkvault::Error::Memory(Refusal::NotFound(_))) => Ok(None),
        read => read.map(Some),
    })?;
    Ok(read.unwrap_or_else(|| Memory {
        metadata: waiting.clone(),
        body: String::new(),
    }))
}

/// All that wait, in the order of their numbers.
fn waiting(session: &mut Session) -> Result<Vec<Metadata>, Failure> {
    let options = BrowseOptions {
        statuses: vec![Status::Pending, Status::Conflict],
        limit: Some(u32::MAX),
        ..BrowseOptions::default()
    };
    let page = session.call("looking for what waits", |vault| vault.browse(&options))?;
    Ok(numbered(page.memories))
}

/// Oldest first; of the same age by id.
fn numbered(mut waiting: Vec<Metadata>) -> Vec<Metadata> {
    waiting.sort_by(|a, b| (&a.created, &a.id).cmp(&(&b.created, &b.id)));
    waiting
}

fn decide(session: &mut Session, picked: &Picked, change: Change) -> Result<(), Failure> {
    let waiting = waiting(session)?;
    let ids = chosen(&waiting, &picked.numbers).map_err(Failure::Usage)?;
    let care = Care {
        reason: picked.reason.clone(),
        revision: None,
    };
    each(session, &ids, &Act::Change(change), &care)?;
    if ids.len() < waiting.len() {
        session.remark(|_| "\nThe numbers have moved: see `inkvault inbox`.\n".to_owned());
    }
    Ok(())
}

/// The ids with these numbers, each once, in the order they were given.
fn chosen(waiting: &[Metadata], numbers: &[RangeInclusive<usize>]) -> Result<Vec<String>, String> {
    let beyond = numbers.iter().find(|range| *range.end() > waiting.len());
    if let Some(range) = beyond {
        let (number, count) = (
            range.end(),
            counted(waiting.len() as u64, "memory", "memories"),
        );
        return Err(format!(
            "the inbox holds {count} and has no number {number}; nothing was changed, look again with `inkvault inbox`"
        ));
    }
    let mut ids: Vec<String> = Vec::new();
    for memory in numbers
        .iter()
        .cloned()
        .flatten()
        .map(|number| &waiting[number - 1])
    {
        if !ids.contains(&memory.id) {
            ids.push(memory.id.clone());
        }
    }
    Ok(ids)
}

fn view(inbox: &Inbox, width: Option<usize>) -> String {
    if inbox.total == 0 {
        return "Nothing waits for you.\n".to_owned();
    }
    let mut table = Table::new([
        Column::new("#", style::STRONG).right(),
        Column::new("kind", style::PLAIN),
        Column::new("sure", style::SCORE).right(),
        Column::new("date", style::FAINT),
        Column::new("title", style::STRONG).flexible(),
    ]);
    for (place, Memory { metadata, body }) in inbox.memories.iter().enumerate() {
        table.row([
            (place + 1).to_string(),
            kind(&metadata.kind, metadata.delivery),
            format!("{:.2}", metadata.confidence),
            day(&metadata.created).to_owned(),
            metadata.title.clone(),
        ]);
        table.below(style::ID, &metadata.id);
        table.below(style::WARNING, &contradiction(metadata));
        table.below(style::FAINT, first_line(body, &metadata.title));
    }
    table.render(width)
}

fn contradiction(memory: &Metadata) -> String {
    match (memory.status, memory.conflicts_with.as_slice()) {
        (Status::Conflict, []) => "in conflict".to_owned(),
        (Status::Conflict, others) => format!("contradicts {}", others.join(", ")),
        _ => String::new(),
    }
}

/// The first line of the text that says more than the title.
fn first_line<'a>(body: &'a str, title: &str) -> &'a str {
    let lines = body.lines().map(str::trim);
    let mut lines = lines.filter(|line| !line.starts_with('#'));
    let says_more = |line: &&str| {
        let line = line.trim_start_matches(['#', '-', '>', ' ']);
        !line.is_empty() && line != title
    };
    lines.find(says_more).unwrap_or_default()
}

/// How to go on from here.
fn advice(inbox: &Inbox) -> String {
    let shown = inbox.memories.len();
    if shown == 0 {
        return String::new();
    }
    let rest = if shown < inbox.total as usize {
        format!(
            "{shown} of {}; see more with --limit {}. ",
            inbox.total, inbox.total
        )
    } else {
        String::new()
    };
    format!("\n{rest}Go on with `inkvault inbox confirm 1` or `inkvault inbox reject 1`.\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::sample;
    use inkvault::types::Delivery;

    fn pending(id: &str, created: &str) -> Metadata {
        Metadata {
            status: Status::Pending,
            created: created.to_owned(),
            ..sample::metadata(id, "Release day")
        }
    }

    fn three() -> Vec<Metadata> {
        numbered(vec![
            pending("m-3", "2026-10-19T10:00:00.001Z"),
            pending("m-2", "2026-10-19T10:00:00.000Z"),
            pending("m-1", "2026-10-19T10:00:00.000Z"),
        ])
    }

    #[test]
    fn what_comes_in_moves_no_number() {
        let ids = |waiting: &[Metadata]| {
            let ids = waiting.iter().map(|memory| memory.id.clone());
            ids.collect::<Vec<_>>()
        };
        let before = three();
        assert_eq!(ids(&before), ["m-1", "m-2", "m-3"]);
        let mut after = before.clone();
        after.insert(0, pending("m-0", "2026-10-19T10:00:00.002Z"));
        assert_eq!(ids(&numbered(after)), ["m-1", "m-2", "m-3", "m-0"]);
    }

    #[test]
    fn numbers_are_looked_up_once_and_in_their_order() {
        let chosen = |numbers: &[RangeInclusive<usize>]| chosen(&three(), numbers);
        assert_eq!(chosen(&[3..=3, 1..=3]).unwrap(), ["m-3", "m-1", "m-2"]);
        let beyond = chosen(&[1..=1, 2..=4]).unwrap_err();
        assert!(
            beyond.starts_with("the inbox holds 3 memories and has no number 4;"),
            "{beyond}"
        );
        assert!(chosen(&[1..=usize::MAX]).is_err());
    }

    #[test]
    fn a_line_of_the_text_says_more_than_the_title() {
        assert_eq!(first_line("Tabs", "Tabs"), "");
        assert_eq!(
            first_line("# Tabs\n\n over spaces\nmore", "Tabs"),
            "over spaces"
        );
        assert_eq!(first_line("- a list", "Tabs"), "- a list");
        assert_eq!(first_line("", "Tabs"), "");
    }

    #[test]
    fn an_inbox_fits_its_terminal() {
        let directive = Metadata {
            delivery: Delivery::Prompt,
            title: "以后都用中文回答，不要用英文。".to_owned(),
            ..pending("m-1", "2026-10-19T10:00:00.000Z")
        };
        let contradicting = Metadata {
            status: Status::Conflict,
            conflicts_with: vec!["m-9".to_owned()],
            ..pending("m-2", "2026-10-20T10:00:00.000Z")
        };
        let memories = [directive, contradicting].map(|metadata| Memory {
            metadata,
            body: "Releases are on Tuesdays.".to_owned(),
        });
        let inbox = Inbox {
            memories: memories.into(),
            total: 2,
        };
        let shown = anstream::adapter::strip_str(&view(&inbox, Some(56))).to_string();
        let expected = [
            "#  kind                  sure  date        title",
            "1  decision (directive)  0.50  2026-10-19  以后都用中文…",
            "   m-1  Releases are on Tuesdays.",
            "2  decision              0.50  2026-10-20  Release day",
            "   m-2  contradicts m-9  Releases are on Tuesdays.",
        ];
        assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    }
}
