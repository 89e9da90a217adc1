//! From a vault of one format to a new vault of another.
//!
//! The vault that is read stays as it is. Each of its memories is written to
//! the new one as a new memory, with an id of the new format and the old id as
//! an alias, so that it is found by either; what it was stands in its field
//! `converted-from`. When all are there, those that refer to others are given
//! the new ids of those: first pass, second pass. Whatever is not the same
//! afterwards is named in the [`Report`].
//!
//! ```no_run
//! use inkvault::{Vault, convert};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut source = Vault::builder().read_only(true).open("notes")?;
//! let format = source.overview()?.format;
//! let pair = convert::Pair::named(&format, "dsh-memory").ok_or("no such conversion")?;
//! std::fs::create_dir("notes-dsh")?;
//! let mut target = Vault::open("notes-dsh")?;
//! let report = convert::convert(&mut source, pair, Some(&mut target), &mut |_, _| ())?;
//! println!("{} of {} memories", report.converted, report.memories);
//! # Ok(())
//! # }
//! ```
//!
//! All that is particular to a format stands in the tables of [`Pair`].

mod mapping;
mod names;
mod original;
mod report;
mod tables;
mod text;

use std::collections::BTreeMap;
use std::fs;

pub use report::{Affected, Field, Finding, Renamed, Report, Skipped};
pub use tables::{Frame, PAIRS, Pair, Shape, Step, targets};

use crate::curation::BrowseOptions;
use crate::error::{Error, Result};
use crate::open::Vault;
use crate::types::{Error as Refusal, Metadata};
use crate::upkeep::{InitOptions, Summary};
use crate::vault::Draft;
use names::Names;
use report::{Fate, Remark};

/// How many memories are listed at once.
const PAGE: u32 = 500;

/// How often the list is read because the vault was changed meanwhile.
const READINGS: usize = 3;

/// A conversion that could not go on. What was written stays.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct Stopped {
    /// What was done up to then.
    pub report: Box<Report>,
    /// Why it could not go on.
    pub source: Error,
}

/// Writes all memories of `source` into `target`, an empty directory, which
/// becomes a vault; without a target, only says what would be done. `progress`
/// is told how many steps of how many are done.
///
/// A memory that cannot be carried over is named in the report, and the others
/// go on.
///
/// # Errors
///
/// [`Stopped`] where one of the vaults cannot be used any more.
pub fn convert(
    source: &mut Vault,
    pair: &Pair,
    target: Option<&mut Vault>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, Stopped> {
    let mut conversion = Conversion {
        source,
        target,
        pair,
        report: Report::new(pair.from.name, pair.to.name),
        names: Names::default(),
        referring: Vec::new(),
    };
    match conversion.run(progress) {
        Ok(()) => Ok(conversion.report),
        Err(source) => Err(Stopped {
            report: Box::new(conversion.report),
            source,
        }),
    }
}

struct Conversion<'c> {
    source: &'c mut Vault,
    target: Option<&'c mut Vault>,
    pair: &'c Pair,
    report: Report,
    names: Names,
    referring: Vec<Referring>,
}

/// A memory that refers to others, as it was, and what was written of it.
struct Referring {
    memory: Metadata,
    id: String,
    aliases: Option<Vec<String>>,
    updated: Option<String>,
}

impl Conversion<'_> {
    fn run(&mut self, progress: &mut dyn FnMut(usize, usize)) -> Result<()> {
        let summary = self.source.overview()?;
        let mut memories = self.list()?;
        self.note_what_is_left(&summary, memories.len());
        self.make_target(summary.language)?;
        self.names = Names::of(&memories);
        let referring = memories.iter().filter(|memory| self.names.refers(memory));
        let steps = memories.len() + referring.count();
        memories.sort_by(|a, b| (&a.created, &a.id).cmp(&(&b.created, &b.id)));
        let mut done = 0..;
        for memory in &memories {
            progress(done.next().unwrap_or(steps), steps);
            self.carry(memory)?;
        }
        for referring in std::mem::take(&mut self.referring) {
            progress(done.next().unwrap_or(steps), steps);
            self.refer(&referring)?;
        }
        Ok(())
    }

    fn make_target(&mut self, language: String) -> Result<()> {
        let Some(target) = &mut self.target else {
            return Ok(());
        };
        let options = InitOptions {
            language: Some(language),
            ..InitOptions::default()
        };
        target.init(self.pair.to.name, &options)?;
        Ok(())
    }

    /// All memories, by id. Read again where somebody changed the vault
    /// between two pages; what still is not there cannot be read.
    fn list(&mut self) -> Result<Vec<Metadata>> {
        let mut known = BTreeMap::new();
        for _ in 0..READINGS {
            self.report.memories = self.read_pages(&mut known)?;
            if known.len() >= self.report.memories as usize {
                break;
            }
        }
        Ok(known.into_values().collect())
    }

    /// Adds all memories to those that are known, and gives their number.
    fn read_pages(&mut self, known: &mut BTreeMap<String, Metadata>) -> Result<u32> {
        let mut options = BrowseOptions {
            limit: Some(PAGE),
            ..BrowseOptions::default()
        };
        loop {
            let page = self.source.browse(&options)?;
            let memories = page.memories.into_iter();
            known.extend(memories.map(|memory| (memory.id.clone(), memory)));
            options.offset = options.offset.saturating_add(PAGE);
            if options.offset >= page.total {
                return Ok(page.total);
            }
        }
    }

    /// Names what is no memory that can be read.
    fn note_what_is_left(&mut self, summary: &Summary, listed: usize) {
        self.report.ignored = summary.ignored;
        for bad in &summary.bad_files {
            self.skip("", &bad.path, bad.reason.clone());
        }
        for duplicate in &summary.duplicates {
            for path in duplicate.paths.iter().skip(1) {
                let reason = "another file has the same id: give it one of its own";
                self.skip(&duplicate.id, path, reason.to_owned());
            }
        }
        for _ in listed..self.report.memories as usize {
            let reason = "a file could not be read: `inkvault verify` says which and why";
            self.skip("", "", reason.to_owned());
        }
    }

    /// First pass: writes a memory, or says why it is not.
    fn carry(&mut self, listed: &Metadata) -> Result<()> {
        if let Err(reason) = self.carried(listed)? {
            self.skip(&listed.id, &listed.path, reason);
        }
        Ok(())
    }

    fn carried(&mut self, listed: &Metadata) -> Result<Result<(), String>> {
        let memory = match settled(self.source.get(&listed.id), is_unreadable)? {
            Ok(memory) => memory,
            Err(reason) => return Ok(Err(reason)),
        };
        // Whatever is not text is told by the engine.
        let file = fs::read_to_string(self.source.directory().join(&listed.path));
        let mapped = match mapping::map(self.pair, &memory, &file.unwrap_or_default()) {
            Ok(mapped) => mapped,
            Err(reason) => return Ok(Err(reason)),
        };
        let id = match settled(self.write(&listed.id, &mapped.draft), is_unfit)? {
            Ok(id) => id,
            Err(reason) => return Ok(Err(reason)),
        };
        for remark in mapped.remarks {
            self.report.add(&listed.id, remark);
        }
        self.took(memory.metadata, mapped.draft, id);
        Ok(Ok(()))
    }

    /// Remembers what a memory is called now; in a dry run, as before.
    fn took(&mut self, memory: Metadata, draft: Draft, id: Option<String>) {
        self.report.converted += 1;
        if let Some(new) = &id {
            self.report.ids.push(Renamed {
                old: memory.id.clone(),
                new: new.clone(),
            });
        }
        let id = id.unwrap_or_else(|| memory.id.clone());
        self.names.rename(&memory.id, &id);
        if self.names.refers(&memory) {
            self.referring.push(Referring {
                memory,
                id,
                aliases: draft.aliases,
                updated: draft.updated,
            });
        }
    }

    /// Second pass: has a memory refer to others by their new ids.
    fn refer(&mut self, referring: &Referring) -> Result<()> {
        let memory = &referring.memory;
        for name in self.names.left_behind(memory) {
            let what = "to a memory that was not carried over";
            let remark = Remark::new(Fate::Lost, Field::References, what);
            self.report.add(&memory.id, remark.detailed(name));
        }
        let draft = Draft {
            id: Some(referring.id.clone()),
            updated: referring.updated.clone(),
            aliases: self.names.aliases(memory, referring.aliases.as_deref()),
            ..self.names.relations(memory)
        };
        if let Err(reason) = settled(self.write(&memory.id, &draft), is_unfit)? {
            let remark = Remark::new(Fate::Lost, Field::References, "all of them");
            self.report.add(&memory.id, remark.detailed(reason));
        }
        Ok(())
    }

    /// Writes a memory and gives its id; none in a dry run. What the engine
    /// did otherwise than it was told is named.
    fn write(&mut self, old: &str, draft: &Draft) -> Result<Option<String>> {
        let Some(target) = &mut self.target else {
            return Ok(None);
        };
        let receipt = target.write(draft)?;
        for repair in receipt.repairs {
            let remark = Remark::new(Fate::Lost, Field::Repairs, "in writing");
            self.report.add(old, remark.detailed(repair));
        }
        Ok(Some(receipt.metadata.id))
    }

    fn skip(&mut self, id: &str, path: &str, reason: String) {
        self.report.skipped.push(Skipped {
            id: id.to_owned(),
            path: path.to_owned(),
            reason,
        });
    }
}

/// Tells a refusal that is about one memory, so that others can go on, from
/// what ends a conversion.
fn settled<T>(outcome: Result<T>, is_about_one: fn(&Refusal) -> bool) -> Result<Result<T, String>> {
    match outcome {
        Ok(done) => Ok(Ok(done)),
        Err(Error::Memory(refusal)) if is_about_one(&refusal) => Ok(Err(refusal.text().to_owned())),
        Err(error) => Err(error),
    }
}

/// Whether a memory has gone, or its file is damaged.
fn is_unreadable(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::NotFound(_) | Refusal::Corrupt(_))
}

/// Whether a memory does not fit the format.
fn is_unfit(refusal: &Refusal) -> bool {
    matches!(
        refusal,
        Refusal::InvalidArgument(_)
            | Refusal::AlreadyExists(_)
            | Refusal::Unsupported(_)
            | Refusal::Refused(_)
    )
}

/// Records for the tests.
#[cfg(test)]
mod sample {
    use crate::types::{Delivery, Metadata, Source, Status};

    /// An active fact of a vault of the format `inkvault`.
    pub(super) fn metadata(id: &str) -> Metadata {
        Metadata {
            id: id.to_owned(),
            title: "Release day".to_owned(),
            kind: "fact".to_owned(),
            status: Status::Active,
            created: "2026-10-19T10:00:00.000Z".to_owned(),
            updated: "2026-10-19T10:00:00.000Z".to_owned(),
            tags: Vec::new(),
            aliases: Vec::new(),
            confidence: 0.5,
            importance: None,
            pinned: false,
            delivery: Delivery::Recall,
            source: Source::Manual,
            origin: String::new(),
            evidence: String::new(),
            supersedes: Vec::new(),
            superseded_by: String::new(),
            conflicts_with: Vec::new(),
            converted_from: String::new(),
            scope: None,
            path: format!("memory/{id}.md"),
            revision: "0123456789abcdef".to_owned(),
            hash: "0123456789abcdef".to_owned(),
            bytes: 300,
            repairs: Vec::new(),
        }
    }
}
