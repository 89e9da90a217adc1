//! One memory in the terms of another format: a pure function from what was
//! read to what is to be written, with a remark on all that is not the same.

mod losses;
mod naming;
mod waiting;

pub(super) use naming::place;

use super::original::Original;
use super::places::Place;
use super::pool;
use super::report::{Fate, Field, Remark};
use super::tables::{Pair, Shape};
use super::text::{other_keys, repeats_title, unframed};
use crate::types::{Delivery, Memory, Metadata, Source, Status};
use crate::upkeep::StagingDraft;
use crate::vault::Draft;

/// A memory as it is to be written. What refers to other memories is as it
/// was: their new ids are not known yet.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) form: Form,
    pub(super) remarks: Vec<Remark>,
}

/// What a memory becomes.
#[derive(Debug)]
pub(super) enum Form {
    /// A memory.
    Memory(Box<Draft>),
    /// An entry of the staging pool.
    Entry(StagingDraft),
}

/// What there is to know of a memory besides what the engine says of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aside<'m> {
    /// The text of its file.
    pub(super) file: &'m str,
    /// Its new place, where that is decided beforehand.
    pub(super) place: Option<&'m Place>,
    /// How far the clocks here are ahead of UTC.
    pub(super) utc_offset_minutes: i16,
}

/// Puts a memory into the terms of another format.
///
/// # Errors
///
/// Why it cannot be carried over.
pub(super) fn map(pair: &Pair, memory: &Memory, aside: Aside<'_>) -> Result<Mapped, String> {
    let mut mapping = Mapping::of(pair, &memory.metadata);
    mapping.aside = aside;
    mapping.look_around();
    let status = mapping.status();
    let form = match pair.to.pool_for(status) {
        Some(pool) => Form::Entry(mapping.entry(pool, &memory.body)?),
        None => Form::Memory(Box::new(mapping.draft(&memory.body, status)?)),
    };
    Ok(Mapped {
        form,
        remarks: mapping.remarks,
    })
}

struct Mapping<'m> {
    pair: &'m Pair,
    from: &'static Shape,
    to: &'static Shape,
    memory: &'m Metadata,
    /// What a memory was that comes back to its format.
    original: Option<Original>,
    aside: Aside<'m>,
    remarks: Vec<Remark>,
}

impl<'m> Mapping<'m> {
    fn of(pair: &'m Pair, memory: &'m Metadata) -> Self {
        let original = Original::read(&memory.converted_from);
        Self {
            pair,
            from: pair.from,
            to: pair.to,
            memory,
            original: original.filter(|original| original.format == pair.to.name),
            aside: Aside::default(),
            remarks: Vec::new(),
        }
    }

    /// The memory as one of the other format.
    fn draft(&mut self, body: &str, status: Status) -> Result<Draft, String> {
        let title = self.title();
        let mut draft = Draft {
            body: Some(self.text(body)?),
            kind: Some(self.kind()),
            status: Some(status),
            created: Some(self.memory.created.clone()),
            updated: self.updated(),
            aliases: Some(self.aliases(&title)),
            tags: Some(self.tags()),
            confidence: self.confidence(),
            pinned: Some(self.pinned()),
            source: Some(self.source()),
            scope: self.scope(),
            title: Some(title),
            importance: self.memory.importance,
            delivery: Some(self.delivery()),
            origin: Some(self.memory.origin.clone()),
            evidence: Some(self.memory.evidence.clone()),
            converted_from: Some(self.before().to_string()),
            path: self.aside.place.map(Place::path),
            // It is in the vault already; whether it should be is not asked anew.
            allow_secrets: true,
            utc_offset_minutes: self.utc_offset_minutes(),
            ..Draft::default()
        };
        self.note_added_keys(&draft);
        self.leave_out(&mut draft);
        Ok(draft)
    }
}

impl Mapping<'_> {
    fn remark(&mut self, fate: Fate, field: Field, what: impl Into<String>) {
        self.remarks.push(Remark::new(fate, field, what));
    }

    fn remark_in(&mut self, fate: Fate, field: Field, what: impl Into<String>, detail: String) {
        let remark = Remark::new(fate, field, what);
        self.remarks.push(remark.detailed(detail));
    }

    /// Notes what is in the file and does not come through the interface.
    fn look_around(&mut self) {
        for key in other_keys(self.aside.file, self.from.keys) {
            self.remark(Fate::Lost, Field::OtherKeys, key);
        }
        if !self.memory.repairs.is_empty() {
            let repairs = self.memory.repairs.join("; ");
            let what = "what was assumed in reading is written down";
            self.remark_in(Fate::Mapped, Field::Repairs, what, repairs);
        }
        let created = &self.memory.created;
        if !self.from.keeps_times && !is_whole_day(created) {
            let what = "no day stands in it: the time of its file";
            self.remark_in(Fate::Mapped, Field::Created, what, created.clone());
        }
    }

    /// What it is now, for its way back.
    fn before(&self) -> Original {
        let format = self.from.name;
        if pool::is_entry(self.from, self.memory) {
            return Original::of_entry(format, self.memory);
        }
        Original::of(format, self.memory)
    }

    /// The kind. The original one, where what it had become is still there.
    fn kind(&mut self) -> String {
        let (kind, back) = (&self.memory.kind, self.pair.back());
        let still = |original: &&Original| {
            let had_become = back.is_some_and(|back| back.kind(&original.kind) == kind.as_str());
            had_become && self.to.takes_kind(&original.kind)
        };
        let original = self.original.as_ref().filter(still);
        let mapped = original.map_or(self.pair.kind(kind), |original| &original.kind);
        let mapped = mapped.to_owned();
        if mapped != *kind {
            let kind = if kind.is_empty() { "none" } else { kind };
            self.remark(Fate::Mapped, Field::Kind, becomes(kind, &mapped));
        }
        mapped
    }

    /// The status as it is to be written. Never one that is more in force:
    /// what merely was read as active, since something else stood there, has
    /// to be confirmed.
    fn status(&mut self) -> Status {
        let status = self.memory.status;
        if status == Status::Active && self.is_status_assumed() {
            let what = "none of its values: pending until you confirm it";
            self.remark(Fate::Mapped, Field::Status, what);
            return Status::Pending;
        }
        let back = self.pair.back();
        let still =
            |original: &&Original| back.is_some_and(|back| back.status(original.status) == status);
        let original = self.original.as_ref().filter(still);
        let mapped = original.map_or(self.pair.status(status), |original| original.status);
        if mapped != status {
            let what = becomes(status.name(), mapped.name());
            self.remark(Fate::Mapped, Field::Status, what);
        }
        self.note_searched_only(mapped);
        self.written_status(mapped)
    }

    /// Notes where a memory is recalled from now on that was not.
    fn note_searched_only(&mut self, status: Status) {
        let Some(directory) = self.from.searched_only else {
            return;
        };
        let rest = self.memory.path.strip_prefix(directory);
        if status == Status::Active && rest.is_some_and(|rest| rest.starts_with('/')) {
            let what = format!(
                "{directory}/ is only searched; recalled like any other in {}",
                self.to.name
            );
            self.remark(Fate::Mapped, Field::Status, what);
        }
    }

    fn is_status_assumed(&self) -> bool {
        let mut repairs = self.memory.repairs.iter();
        repairs.any(|repair| repair.starts_with("status:"))
    }

    /// A conflict that is told by what it contradicts is written as pending.
    fn written_status(&mut self, status: Status) -> Status {
        if self.to.statuses.contains(&status) || self.to.pool_for(status).is_some() {
            return status;
        }
        if self.memory.conflicts_with.is_empty() {
            let what = "a conflict with nothing becomes pending";
            self.remark(Fate::Mapped, Field::Status, what);
        }
        Status::Pending
    }

    /// The text, without the headings of the old format.
    fn bare(&mut self, body: &str) -> String {
        let text = match &self.from.frame {
            Some(frame) => unframed(frame, body, &self.memory.evidence),
            None => body.to_owned(),
        };
        if text != body {
            let what = format!("the headings of {} are taken off", self.from.name);
            self.remark(Fate::Mapped, Field::Text, what);
        }
        text
    }

    /// The text as the other format has it.
    fn text(&mut self, body: &str) -> Result<String, String> {
        let text = self.bare(body);
        if self.to.frame.is_some() {
            self.note_frame(&text);
        }
        if text.trim().is_empty() {
            let what = "empty: the title stands in for it";
            self.remark(Fate::Mapped, Field::Text, what);
            return Ok(self.memory.title.clone());
        }
        self.to.body_limit.check(&text)?;
        Ok(text)
    }

    fn note_frame(&mut self, text: &str) {
        let name = self.to.name;
        let what = format!("set below the headings of {name}");
        self.remark(Fate::Mapped, Field::Text, what);
        if repeats_title(text, &self.memory.title) {
            let what = "a first heading that repeats the title is the note's own heading";
            self.remark(Fate::Mapped, Field::Text, what);
        }
    }

    fn updated(&mut self) -> Option<String> {
        if !self.to.keeps_times {
            return None;
        }
        let (created, updated) = (&self.memory.created, &self.memory.updated);
        if updated < created {
            self.remark(Fate::Mapped, Field::Updated, "not before it was created");
        }
        Some(updated.max(created).clone())
    }

    /// How sure it is; where the old format did not say, the new one's default
    /// counts.
    fn confidence(&mut self) -> Option<f64> {
        let sure = self.memory.confidence;
        if !self.from.holds(Field::Confidence) || !self.to.holds(Field::Confidence) {
            self.note_recall(sure, self.to.default_confidence);
            return Some(sure).filter(|_| self.from.holds(Field::Confidence));
        }
        let step = self.to.step(sure);
        let kept = step.map_or(sure, |step| step.value);
        if let Some(step) = step.filter(|step| step.value != sure) {
            let what = format!("becomes {} ({})", step.name, step.value);
            self.remark_in(Fate::Mapped, Field::Confidence, what, sure.to_string());
        }
        self.note_recall(sure, kept);
        Some(kept)
    }

    /// Notes where a memory is recalled in only one of the vaults.
    fn note_recall(&mut self, before: f64, after: f64) {
        let was = before >= self.from.least_confidence;
        let is = after >= self.to.least_confidence;
        if was == is || self.memory.status != Status::Active {
            return;
        }
        let (recalled, not) = if is {
            (self.to.name, self.from.name)
        } else {
            (self.from.name, self.to.name)
        };
        let what = format!("too unsure to be recalled in {not}, sure enough in {recalled}");
        self.remark(Fate::Mapped, Field::Confidence, what);
    }

    /// How it reaches an agent. A directive that was not sure enough to be one
    /// is none in a format that asks for less, unless it was one there before.
    fn delivery(&mut self) -> Delivery {
        let is_unsure = self.memory.confidence < self.from.least_confidence;
        let asks_for_less = self.to.least_confidence < self.from.least_confidence;
        let becomes_one = is_unsure && asks_for_less && self.original.is_none();
        if becomes_one && self.memory.delivery == Delivery::Prompt {
            let what = "recalled, since it was not sure enough to be a directive";
            self.remark(Fate::Mapped, Field::Delivery, what);
            return Delivery::Recall;
        }
        self.memory.delivery
    }

    fn pinned(&mut self) -> bool {
        let is_recalled = self.memory.delivery == Delivery::Recall;
        let differs = self.from.pinned_is_directive != self.to.pinned_is_directive;
        if self.memory.pinned && is_recalled && differs {
            let what = if self.to.pinned_is_directive {
                "a standing directive in"
            } else {
                "no longer a standing directive in"
            };
            let what = format!("{what} {}", self.to.name);
            self.remark(Fate::Mapped, Field::Pinned, what);
        }
        self.memory.pinned
    }

    /// How it came to be; where the old format did not say, from there.
    fn source(&self) -> Source {
        let is_known = self.from.holds(Field::Source);
        if is_known {
            self.memory.source
        } else {
            Source::Imported
        }
    }

    fn scope(&self) -> Option<String> {
        self.project().filter(|_| self.to.holds(Field::Scope))
    }

    /// Its project; that of one that comes back is the one it had.
    fn project(&self) -> Option<String> {
        let (original, names) = (self.original.as_ref()?, self.to.file_names.as_ref()?);
        let project = original.project(names, self.to.pool.as_ref());
        project.map(str::to_owned)
    }

    /// The offset that the day it was made is told by. A time that is nothing
    /// but a day stays that day everywhere.
    fn utc_offset_minutes(&self) -> i16 {
        if is_whole_day(&self.memory.created) {
            0
        } else {
            self.aside.utc_offset_minutes
        }
    }

    /// Notes what stands in keys that the format's specification does not have.
    fn note_added_keys(&mut self, draft: &Draft) {
        let said = |list: &Option<Vec<String>>| list.as_ref().is_some_and(|list| !list.is_empty());
        let memory = self.memory;
        for &field in self.to.added {
            let is_said = match field {
                Field::Pinned => draft.pinned == Some(true),
                Field::Importance => draft.importance.is_some(),
                Field::Aliases => said(&draft.aliases),
                Field::Evidence => !memory.evidence.is_empty(),
                Field::Supersedes => !memory.supersedes.is_empty(),
                Field::SupersededBy => !memory.superseded_by.is_empty(),
                Field::ConflictsWith => !memory.conflicts_with.is_empty(),
                Field::Delivery => memory.delivery == Delivery::Prompt,
                _ => true,
            };
            if is_said {
                self.remark(Fate::Kept, field, "");
            }
        }
    }
}

fn becomes(before: &str, after: &str) -> String {
    format!("{before} becomes {after}")
}

/// Whether a time is the very beginning of a day, as a date alone is read.
fn is_whole_day(time: &str) -> bool {
    time.len() <= 10 || time.ends_with("T00:00:00.000Z")
}

#[cfg(test)]
mod tests;
