//! From a vault of one format to a new vault of another.
//!
//! The vault that is read stays as it is. Each of its memories is written to
//! the new one as a new memory, with an id of the new format and the old id as
//! an alias, so that it is found by either; what it was stands in its field
//! `converted-from`. When all are there, those that refer to others are given
//! the new ids of those: first pass, second pass. Whatever is not the same
//! afterwards is named in the [`Report`].
//!
//! In the format `simple` a memory is known by its place, and has no other
//! names: all places are planned first, and there is no second pass. What waits
//! to be confirmed goes to its staging pool, and comes from there.
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
//! let report = convert::convert(&mut source, pair, Some(&mut target), 0, &mut |_, _| ())?;
//! println!("{} of {} memories", report.converted, report.memories);
//! # Ok(())
//! # }
//! ```
//!
//! All that is particular to a format stands in the tables of [`Pair`].

mod file_names;
mod mapping;
mod names;
mod original;
mod places;
mod pool;
mod report;
mod tables;
mod text;

use std::collections::BTreeMap;
use std::fs;

pub use report::{Affected, Field, Finding, Renamed, Report, Skipped};
pub use tables::{BodyLimit, FileNames, Frame, PAIRS, Pair, Pool, Shape, Step, targets};

use crate::curation::{BrowseOptions, Link};
use crate::error::{Error, Result};
use crate::open::Vault;
use crate::types::{Error as Refusal, Memory, Metadata};
use crate::upkeep::{InitOptions, StagingDraft, Summary};
use crate::vault::Draft;
use mapping::{Aside, Form};
use names::Names;
use places::{Place, Places};
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
/// becomes a vault; without a target, only says what would be done. Days are
/// told as they are where the clocks are `utc_offset_minutes` ahead of UTC.
/// `progress` is told how many steps of how many are done.
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
    utc_offset_minutes: i16,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Report, Stopped> {
    let mut conversion = Conversion {
        source,
        target,
        pair,
        utc_offset_minutes,
        report: Report::new(pair.from.name, pair.to.name),
        places: Places::default(),
        names: Names::default(),
        referring: Vec::new(),
        linking: Vec::new(),
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
    utc_offset_minutes: i16,
    report: Report,
    places: Places,
    names: Names,
    referring: Vec<Referring>,
    /// Old ids, with the references in the texts of these memories.
    linking: Vec<(String, Vec<Link>)>,
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
        let entries = self.entries()?;
        self.make_target(summary.language)?;
        self.names = Names::of(&memories);
        let referring = memories.iter().filter(|memory| self.is_to_refer(memory));
        let steps = memories.len() + entries.len() + referring.count();
        memories.sort_by(|a, b| (&a.created, &a.id).cmp(&(&b.created, &b.id)));
        self.places = Places::plan(self.pair, &memories);
        let mut done = 0..;
        for memory in &memories {
            progress(done.next().unwrap_or(steps), steps);
            self.carry(memory)?;
        }
        for entry in &entries {
            progress(done.next().unwrap_or(steps), steps);
            self.carry_entry(entry)?;
        }
        for referring in std::mem::take(&mut self.referring) {
            progress(done.next().unwrap_or(steps), steps);
            self.refer(&referring)?;
        }
        self.note_links();
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

    /// What waits in the staging pool, where the format has one.
    fn entries(&mut self) -> Result<Vec<Memory>> {
        let Pair { from, to, .. } = self.pair;
        let Some(pool) = &from.pool else {
            return Ok(Vec::new());
        };
        let entries = match settled(self.source.staging_browse(), is_unreadable)? {
            Ok(entries) => entries,
            Err(reason) => {
                self.skip("", pool.file, reason);
                Vec::new()
            }
        };
        self.report.memories += u32::try_from(entries.len()).unwrap_or(u32::MAX);
        let entries = entries.into_iter();
        Ok(entries
            .map(|entry| pool::as_memory(from, pool, to, entry))
            .collect())
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
        let links = self.links(&memory)?;
        let put = self.put(memory, &file.unwrap_or_default())?;
        if put.is_ok() && !links.is_empty() {
            self.linking.push((listed.id.clone(), links));
        }
        Ok(put)
    }

    /// Writes an entry of the staging pool, or says why it is not.
    fn carry_entry(&mut self, entry: &Memory) -> Result<()> {
        if let Err(reason) = self.put(entry.clone(), "")? {
            self.skip(&entry.metadata.id, &entry.metadata.path, reason);
        }
        Ok(())
    }

    /// Writes a memory, of which this is the file, in the other format's terms.
    fn put(&mut self, memory: Memory, file: &str) -> Result<Result<(), String>> {
        let aside = Aside {
            file,
            place: self.places.of(&memory.metadata.id),
            utc_offset_minutes: self.utc_offset_minutes,
        };
        let mapped = match mapping::map(self.pair, &memory, aside) {
            Ok(mapped) => mapped,
            Err(reason) => return Ok(Err(reason)),
        };
        let id = match settled(self.write_form(&memory, &mapped.form), is_unfit)? {
            Ok(id) => id,
            Err(reason) => return Ok(Err(reason)),
        };
        for remark in mapped.remarks {
            self.report.add(&memory.metadata.id, remark);
        }
        self.took(memory.metadata, mapped.form, id);
        Ok(Ok(()))
    }

    /// Writes what a memory becomes and gives its name; none in a dry run.
    fn write_form(&mut self, memory: &Memory, form: &Form) -> Result<Option<String>> {
        match form {
            Form::Memory(draft) => self.write(&memory.metadata.id, draft),
            Form::Entry(entry) => self.stage(entry),
        }
    }

    /// Puts an entry into the staging pool and gives its name; none in a dry
    /// run.
    fn stage(&mut self, entry: &StagingDraft) -> Result<Option<String>> {
        let (Some(target), Some(pool)) = (&mut self.target, &self.pair.to.pool) else {
            return Ok(None);
        };
        let receipt = target.staging_add(entry)?;
        Ok(Some(pool::id(pool, receipt.entry.number)))
    }

    /// Remembers what a memory is called now; in a dry run, as before, where
    /// its name is not known.
    fn took(&mut self, memory: Metadata, form: Form, id: Option<String>) {
        self.report.converted += 1;
        if let Some(new) = &id {
            self.report.ids.push(Renamed {
                old: memory.id.clone(),
                new: new.clone(),
            });
        }
        let known = || match &form {
            Form::Memory(_) => self.places.of(&memory.id).map(Place::id),
            Form::Entry(_) => self.pair.to.pool.as_ref().map(|pool| pool.file.to_owned()),
        };
        let id = id.or_else(known).unwrap_or_else(|| memory.id.clone());
        self.names.rename(&memory.id, &id);
        if let Form::Memory(draft) = form
            && self.is_to_refer(&memory)
        {
            self.referring.push(Referring {
                memory,
                id,
                aliases: draft.aliases,
                updated: draft.updated,
            });
        }
    }

    /// Whether a memory refers to others where the new format can tell it.
    fn is_to_refer(&self, memory: &Metadata) -> bool {
        self.pair.to.holds(Field::Supersedes) && self.names.refers(memory)
    }

    /// The references in a memory's text, where the new format has no names by
    /// which they would all lead on.
    fn links(&mut self, memory: &Memory) -> Result<Vec<Link>> {
        if self.pair.to.holds(Field::Aliases) || !self.names.may_be_in(&memory.body) {
            return Ok(Vec::new());
        }
        let id = &memory.metadata.id;
        let links = settled(self.source.links(id), is_unreadable)?;
        let mut links = links.unwrap_or_default();
        links.retain(|link| link.source == *id);
        Ok(links)
    }

    /// Notes the references in texts that led to memories and do no more.
    fn note_links(&mut self) {
        for (id, links) in std::mem::take(&mut self.linking) {
            let broken = links.iter().filter(|link| {
                let target = link.target.as_deref();
                target.is_some_and(|target| !self.names.leads(&link.text, target))
            });
            let broken: Vec<_> = broken.map(|link| &*link.text).collect();
            if !broken.is_empty() {
                let what = "in its text, by names that nothing has any more";
                let remark = Remark::new(Fate::Lost, Field::References, what);
                self.report.add(&id, remark.detailed(broken.join(", ")));
            }
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
