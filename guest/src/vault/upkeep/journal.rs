//! `journal`: the newest lines of the vault's history, read from its end.
//!
//! The journal is for people and other tools: nothing the engine does rests
//! on it, and it may hold anything. It is never cut, so that reading it costs
//! by what is asked for, not by its length.

use crate::environment::{self, Environment, IoErrorKind, VaultPath};
use crate::error::{Error, Result};
use crate::format::{Format, JournalFiles, JournalRecord};
use crate::text::characters;
use crate::timestamp::Timestamp;
use crate::vault::Vault;
use crate::vault::state::State;

/// Lines that are answered where no limit is given.
const LIMIT: u32 = 50;

/// Longest line that is read, in bytes.
const LONGEST_LINE: usize = 1024 * 1024;

/// Which part of the journal to read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalOptions {
    /// Only lines about this memory.
    pub id: Option<String>,
    /// Only lines of this operation, in the journal's own word.
    pub operation: Option<String>,
    /// Only lines since this time, RFC 3339.
    pub since: Option<String>,
    /// At most so many, the newest; none for 50.
    pub limit: Option<u32>,
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalEntry {
    /// What it says.
    pub record: JournalRecord,
    /// The line as stored.
    pub raw: String,
}

/// What a line must be to be answered.
#[derive(Default)]
struct Filter<'o> {
    id: Option<&'o str>,
    operation: Option<&'o str>,
    since: Option<Timestamp>,
}

impl Vault {
    /// Reads the journal: the newest lines that pass, oldest first. Lines
    /// that are damaged or not of the format are passed over; a journal that
    /// is not there has none.
    ///
    /// Three calls for each file of up to 64 KiB that is read, one more for
    /// each further 64 KiB, and no more than it takes to fill the limit; a
    /// journal in several files costs its listing too. The times of the lines
    /// are not relied on to be in order, since clocks are set back.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a `since` that is no date,
    /// [`Error::Unsupported`] where the format keeps no journal,
    /// [`Error::NotFound`] where there is no vault, [`Error::Io`].
    pub fn journal(&self, options: &JournalOptions) -> Result<Vec<JournalEntry>> {
        let filter = Filter::of(options)?;
        let limit = options.limit.unwrap_or(LIMIT) as usize;
        let environment = self.environment.as_ref();
        let format = self.format_of_journal()?;
        newest(environment, format, &filter, limit)
    }

    /// The vault's format; its memories need not be known.
    fn format_of_journal(&self) -> Result<&'static dyn Format> {
        match &self.state {
            Some(state) => Ok(state.format),
            None => Ok(State::recognise(self.environment.as_ref(), &self.overlay)?.format),
        }
    }
}

impl<'o> Filter<'o> {
    fn of(options: &'o JournalOptions) -> Result<Self> {
        Ok(Filter {
            id: options.id.as_deref(),
            operation: options.operation.as_deref(),
            since: options.since.as_deref().map(moment).transpose()?,
        })
    }

    fn passes(&self, record: &JournalRecord) -> bool {
        self.id.is_none_or(|id| record.id == id)
            && self.operation.is_none_or(|name| record.operation == name)
            && self.since.is_none_or(|since| record.time >= since)
    }

    /// Whether an entry passes, or there is an error to tell instead.
    fn passes_or_failed(&self, entry: &Result<JournalEntry>) -> bool {
        entry
            .as_ref()
            .map_or(true, |entry| self.passes(&entry.record))
    }
}

fn moment(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::InvalidArgument(format!(
            "since: `{}` is no date such as 2026-10-19T10:00:00Z",
            characters::cut(text, 40)
        ))
    })
}

/// The files of the journal, as far as they are there.
fn newest_first(environment: &dyn Environment, format: &dyn Format) -> Result<Vec<VaultPath>> {
    let files = format.journal_files().ok_or_else(|| {
        Error::Unsupported(format!(
            "a {} vault keeps no journal: its history in git tells what was done",
            format.name()
        ))
    })?;
    let (directory, is_journal) = match files {
        JournalFiles::One(path) => return Ok(vec![VaultPath::known(path)]),
        JournalFiles::Many {
            directory,
            is_journal,
        } => (VaultPath::known(directory), is_journal),
    };
    let entries = match environment::list_sorted(environment, &directory) {
        Ok(entries) => entries,
        Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    let journals = entries.iter().filter(|entry| is_journal(&entry.name));
    Ok(journals
        .rev()
        .map(|entry| directory.join(&entry.name))
        .collect())
}

/// The newest entries that pass, oldest first.
fn newest(
    environment: &dyn Environment,
    format: &dyn Format,
    filter: &Filter<'_>,
    limit: usize,
) -> Result<Vec<JournalEntry>> {
    let mut newest = Vec::new();
    for path in newest_first(environment, format)? {
        let wanted = limit - newest.len();
        if wanted == 0 {
            break;
        }
        for entry in entries(environment, format, &path)?
            .filter(|entry| filter.passes_or_failed(entry))
            .take(wanted)
        {
            newest.push(entry?);
        }
    }
    newest.reverse();
    Ok(newest)
}

/// The entries of a file, the newest first; none where it is not there.
fn entries<'e>(
    environment: &'e dyn Environment,
    format: &'e dyn Format,
    path: &VaultPath,
) -> Result<impl Iterator<Item = Result<JournalEntry>> + 'e> {
    let lines = match environment::lines_backwards(environment, path, LONGEST_LINE) {
        Ok(lines) => Some(lines),
        Err(error) if error.kind == IoErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    let lines = lines.into_iter().flatten();
    Ok(lines.filter_map(|line| match line {
        Ok(line) => entry(format, &line).map(Ok),
        Err(error) => Some(Err(error.into())),
    }))
}

/// A line as an entry, where it is whole and of the format.
fn entry(format: &dyn Format, line: &[u8]) -> Option<JournalEntry> {
    let raw = std::str::from_utf8(line).ok()?;
    let raw = raw.strip_suffix('\r').unwrap_or(raw);
    Some(JournalEntry {
        record: format.journal_record(raw)?,
        raw: raw.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Machine;
    use crate::format::{DshMemory, Simple};

    fn operations(machine: &Machine, limit: usize) -> Vec<String> {
        let process = machine.process();
        let newest = newest(&process, &DshMemory, &Filter::default(), limit).expect("entries");
        newest
            .into_iter()
            .map(|entry| entry.record.operation)
            .collect()
    }

    #[test]
    fn a_journal_of_months_is_read_from_the_last_one() {
        let machine = Machine::new();
        assert!(operations(&machine, 9).is_empty());
        let line = |operation: u32| {
            format!(r#"{{"at":"2026-10-17T07:59:20.630Z","op":"{operation}","id":"*"}}"#)
        };
        for (name, first) in [
            ("2026-09", 1),
            ("2026-10", 3),
            ("2025-12", 0),
            ("2026-13", 7),
            ("notes", 8),
        ] {
            let path = format!(".dsh-memory/journal/{name}.jsonl");
            machine.put(&path, format!("{}\n{}\n", line(first), line(first + 1)));
        }
        assert_eq!(operations(&machine, 9), ["0", "1", "1", "2", "3", "4"]);
        assert_eq!(operations(&machine, 3), ["2", "3", "4"]);
        let process = machine.process();
        newest(&process, &DshMemory, &Filter::default(), 2).expect("entries");
        assert_eq!(
            process.trace().last().map(String::as_str),
            Some("read .dsh-memory/journal/2026-10.jsonl")
        );
    }

    #[test]
    fn a_format_without_a_journal_says_so() {
        let answer = newest(&Machine::new().process(), &Simple, &Filter::default(), 1);
        assert!(matches!(answer, Err(Error::Unsupported(_))), "{answer:?}");
    }
}
