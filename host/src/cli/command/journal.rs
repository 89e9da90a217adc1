//! `inkvault journal`: what was done, and what is being done.

use std::thread;
use std::time::Duration;

use inkvault::upkeep::{JournalEntry, JournalOptions};

use crate::cli::args::JournalArgs;
use crate::cli::failure::Failure;
use crate::cli::output::json::ToJson as _;
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::output::text::second;
use crate::cli::session::Session;

/// How many lines are shown where the command does not say.
const SHOWN: u32 = 50;

/// How long to wait before looking for new lines again.
const PAUSE: Duration = Duration::from_millis(500);

/// How many lines are looked at while following: more than are written in a
/// pause.
const LOOKED_AT: u32 = 1_000;

/// Shows the journal.
pub(crate) fn journal(session: &mut Session, args: &JournalArgs) -> Result<(), Failure> {
    let options = JournalOptions {
        id: args.id.clone(),
        operation: args.op.clone(),
        since: args.since.map(|since| since.to_string()),
        limit: Some(args.limit.unwrap_or(SHOWN)),
    };
    if args.follow {
        return follow(session, options);
    }
    let entries = session.call("reading the journal", |vault| vault.journal(&options))?;
    session.answer(&entries, |entries, width| view(entries, width))
}

/// Prints the newest lines and then each new one, until interrupted or until
/// nobody reads any more.
fn follow(session: &mut Session, mut options: JournalOptions) -> Result<(), Failure> {
    let first = options.limit.unwrap_or(SHOWN);
    options.limit = Some(first.max(LOOKED_AT));
    let look = |session: &mut Session| {
        session.call("reading the journal", |vault| vault.journal(&options))
    };
    let mut seen = look(session)?;
    let skipped = seen.len().saturating_sub(first as usize);
    if session.is_json() {
        session.part(|_| lines(&seen[skipped..]))?;
    } else {
        session.part(|width| table(&seen[skipped..]).render(width))?;
    }
    loop {
        thread::sleep(PAUSE);
        let found = look(session)?;
        let new = new(&seen, &found);
        if !new.is_empty() && session.is_json() {
            session.part(|_| lines(new))?;
        } else if !new.is_empty() {
            session.part(|width| table(new).render_rows(width))?;
        }
        seen = found;
    }
}

/// The lines that were not there at the look before. Both looks show the end
/// of one file that only grows, so what they have in common is the end of the
/// one and the beginning of the other.
fn new<'a>(seen: &[JournalEntry], found: &'a [JournalEntry]) -> &'a [JournalEntry] {
    let longest = seen.len().min(found.len());
    let is_common = |length: &usize| seen[seen.len() - length..] == found[..*length];
    let common = (0..=longest).rev().find(is_common);
    &found[common.unwrap_or(0)..]
}

/// One record a line.
fn lines(entries: &[JournalEntry]) -> String {
    let lines = entries.iter().map(|entry| format!("{}\n", entry.to_json()));
    lines.collect()
}

fn view(entries: &[JournalEntry], width: Option<usize>) -> String {
    if entries.is_empty() {
        return "Nothing was done.\n".to_owned();
    }
    table(entries).render(width)
}

/// The columns are as wide as what is usual in them, so that lines which are
/// printed later are aligned with those before.
fn table(entries: &[JournalEntry]) -> Table {
    let mut table = Table::new([
        Column::new("time (UTC)", style::FAINT).at_least(19),
        Column::new("operation", style::STRONG),
        Column::new("id", style::ID).at_least(17),
        Column::new("path", style::PLAIN).at_least(27).flexible(),
        Column::new("detail", style::FAINT).flexible(),
    ]);
    for entry in entries {
        table.row([
            second(&entry.time),
            entry.operation.clone(),
            entry.id.clone(),
            entry.path.clone(),
            entry.detail.clone(),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(second: u8) -> JournalEntry {
        JournalEntry {
            time: format!("2026-10-19T10:00:{second:02}.000Z"),
            operation: "write".to_owned(),
            id: "m-20261019-ab12cd".to_owned(),
            path: "memory/m-20261019-ab12cd.md".to_owned(),
            detail: String::new(),
            raw: format!("{{\"ts\":{second}}}"),
        }
    }

    fn entries(seconds: &[u8]) -> Vec<JournalEntry> {
        seconds.iter().copied().map(entry).collect()
    }

    #[test]
    fn only_what_was_not_there_before_is_new() {
        let new = |seen: &[u8], found: &[u8]| {
            let (seen, found) = (entries(seen), entries(found));
            new(&seen, &found).to_vec()
        };
        assert_eq!(new(&[], &[1, 2]), entries(&[1, 2]));
        assert_eq!(new(&[1, 2], &[1, 2]), []);
        assert_eq!(new(&[1, 2], &[1, 2, 3]), entries(&[3]));
        assert_eq!(new(&[1, 2, 3], &[2, 3, 4, 5]), entries(&[4, 5]));
        assert_eq!(new(&[1, 1], &[1, 1, 1]), entries(&[1]));
        assert_eq!(
            new(&[1, 2], &[5, 6]),
            entries(&[5, 6]),
            "more than is looked at"
        );
        assert_eq!(new(&[1, 2], &[]), [], "the journal was removed");
    }

    #[test]
    fn lines_that_come_later_are_aligned() {
        let first = table(&entries(&[1])).render(Some(80));
        let quarantined = JournalEntry {
            operation: "undo".to_owned(),
            id: String::new(),
            detail: "why".to_owned(),
            ..entry(2)
        };
        let later = table(&[quarantined]).render_rows(Some(80));
        let shown = anstream::adapter::strip_str(&format!("{first}{later}")).to_string();
        let expected = [
            "time (UTC)           operation  id                 path                   detail",
            "2026-10-19 10:00:01  write      m-20261019-ab12cd  memory/m-20261019-ab…",
            "2026-10-19 10:00:02  undo                          memory/m-20261019-ab…  why",
        ];
        assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_line_of_json_is_one_line() {
        let lines = lines(&entries(&[1, 2]));
        assert_eq!(lines.lines().count(), 2);
        assert!(lines.starts_with(r#"{"time":"2026-10-19T10:00:01.000Z","operation":"write""#));
    }
}
