//! One memory in the terms of another format: a pure function from what was
//! read to what is to be written, with a remark on all that is not the same.

use super::original::Original;
use super::report::{Fate, Field, Remark};
use super::tables::{Pair, Shape};
use super::text::{other_keys, repeats_title, unframed};
use crate::types::{Delivery, Memory, Metadata, Source, Status};
use crate::vault::Draft;

/// A memory as it is to be written. What refers to other memories is as it
/// was: their new ids are not known yet.
#[derive(Debug)]
pub(super) struct Mapped {
    pub(super) draft: Draft,
    pub(super) remarks: Vec<Remark>,
}

/// Puts a memory into the terms of another format. `file` is the text of its
/// file.
///
/// # Errors
///
/// Why it cannot be carried over.
pub(super) fn map(pair: &Pair, memory: &Memory, file: &str) -> Result<Mapped, String> {
    let mut mapping = Mapping {
        from: pair.from,
        to: pair.to,
        memory: &memory.metadata,
        remarks: Vec::new(),
    };
    mapping.look_around(file);
    let original = mapping.original(pair);
    let title = mapping.title();
    let draft = Draft {
        body: Some(mapping.text(&memory.body)?),
        kind: Some(mapping.kind(pair, original.as_ref())),
        status: Some(mapping.status(pair, original.as_ref())),
        created: Some(memory.metadata.created.clone()),
        updated: Some(mapping.updated()),
        aliases: Some(mapping.aliases(&title)),
        tags: Some(mapping.tags()),
        confidence: Some(mapping.confidence()),
        pinned: Some(mapping.pinned()),
        source: mapping.source(),
        scope: mapping.scope(),
        title: Some(title),
        importance: memory.metadata.importance,
        delivery: Some(mapping.delivery(original.as_ref())),
        origin: Some(memory.metadata.origin.clone()),
        evidence: Some(memory.metadata.evidence.clone()),
        converted_from: Some(Original::of(pair.from.name, &memory.metadata).to_string()),
        // It is in the vault already; whether it should be is not asked anew.
        allow_secrets: true,
        ..Draft::default()
    };
    mapping.note_added_keys(&draft);
    Ok(Mapped {
        draft,
        remarks: mapping.remarks,
    })
}

struct Mapping<'m> {
    from: &'static Shape,
    to: &'static Shape,
    memory: &'m Metadata,
    remarks: Vec<Remark>,
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
    fn look_around(&mut self, file: &str) {
        for key in other_keys(file, self.from.keys) {
            self.remark(Fate::Lost, Field::OtherKeys, key);
        }
        if !self.memory.repairs.is_empty() {
            let repairs = self.memory.repairs.join("; ");
            let what = "what was assumed in reading is written down";
            self.remark_in(Fate::Mapped, Field::Repairs, what, repairs);
        }
    }

    /// What a memory was that comes back to its format.
    fn original(&self, pair: &Pair) -> Option<Original> {
        let original = Original::read(&self.memory.converted_from)?;
        (original.format == pair.to.name).then_some(original)
    }

    /// The kind. The original one, where what it had become is still there.
    fn kind(&mut self, pair: &Pair, original: Option<&Original>) -> String {
        let (kind, back) = (&self.memory.kind, pair.back());
        let still = |original: &&Original| {
            back.is_some_and(|back| back.kind(&original.kind) == kind.as_str())
        };
        let original = original.filter(still);
        let mapped = original.map_or(pair.kind(kind), |original| &original.kind);
        if mapped != kind {
            self.remark(Fate::Mapped, Field::Kind, becomes(kind, mapped));
        }
        mapped.to_owned()
    }

    /// The status as it is to be written. Never one that is more in force:
    /// what merely was read as active, since something else stood there, has
    /// to be confirmed.
    fn status(&mut self, pair: &Pair, original: Option<&Original>) -> Status {
        let status = self.memory.status;
        if status == Status::Active && self.is_status_assumed() {
            let what = "none of its values: pending until you confirm it";
            self.remark(Fate::Mapped, Field::Status, what);
            return Status::Pending;
        }
        let back = pair.back();
        let still =
            |original: &&Original| back.is_some_and(|back| back.status(original.status) == status);
        let original = original.filter(still);
        let mapped = original.map_or(pair.status(status), |original| original.status);
        if mapped != status {
            let what = becomes(status.name(), mapped.name());
            self.remark(Fate::Mapped, Field::Status, what);
        }
        self.written_status(mapped)
    }

    fn is_status_assumed(&self) -> bool {
        let mut repairs = self.memory.repairs.iter();
        repairs.any(|repair| repair.starts_with("status:"))
    }

    /// A conflict that is told by what it contradicts is written as pending.
    fn written_status(&mut self, status: Status) -> Status {
        if self.to.statuses.contains(&status) {
            return status;
        }
        if self.memory.conflicts_with.is_empty() {
            let what = "a conflict with nothing becomes pending";
            self.remark(Fate::Mapped, Field::Status, what);
        }
        Status::Pending
    }

    fn title(&mut self) -> String {
        let title = &self.memory.title;
        let kept = cut(title, self.to.title_limit);
        if kept == title.as_str() {
            return title.clone();
        }
        let what = format!(
            "cut to {} characters; the whole one stays as an alias",
            self.to.title_limit
        );
        self.remark_in(Fate::Lost, Field::Title, what, title.clone());
        kept.to_owned()
    }

    /// The text, without the headings of the old format.
    fn text(&mut self, body: &str) -> Result<String, String> {
        let text = match &self.from.frame {
            Some(frame) => unframed(frame, body, &self.memory.evidence),
            None => body.to_owned(),
        };
        if text != body {
            let what = format!("the headings of {} are taken off", self.from.name);
            self.remark(Fate::Mapped, Field::Text, what);
        }
        if self.to.frame.is_some() {
            self.note_frame(&text);
        }
        if text.trim().is_empty() {
            let what = "empty: the title stands in for it";
            self.remark(Fate::Mapped, Field::Text, what);
            return Ok(self.memory.title.clone());
        }
        let (length, most) = (text.chars().count(), self.to.body_limit);
        if length > most {
            return Err(format!(
                "its text has {length} characters, {most} fit into one memory: split it"
            ));
        }
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

    fn updated(&mut self) -> String {
        let (created, updated) = (&self.memory.created, &self.memory.updated);
        if updated < created {
            self.remark(Fate::Mapped, Field::Updated, "not before it was created");
        }
        updated.max(created).clone()
    }

    /// Its other names, its id, and its title where that was cut.
    fn aliases(&self, title: &str) -> Vec<String> {
        let mut aliases = self.memory.aliases.clone();
        aliases.push(self.memory.id.clone());
        if title != self.memory.title {
            aliases.push(self.memory.title.clone());
        }
        aliases
    }

    fn tags(&mut self) -> Vec<String> {
        let mut tags = self.memory.tags.clone();
        if self.from.plain_tags && !self.to.plain_tags && tags.last() == Some(&self.memory.kind) {
            tags.pop();
            let what = "the tag of the kind is left out: the kind says it";
            self.remark(Fate::Mapped, Field::Tags, what);
        }
        if self.to.plain_tags && !self.from.plain_tags {
            tags = self.plain_tags(&tags);
            let what = "the kind is one of them";
            self.remark(Fate::Mapped, Field::Tags, what);
        }
        let limit = self.to.tag_limit;
        if tags.len() > limit {
            let beyond = tags.split_off(limit).join(", ");
            let what = format!("those beyond the first {limit}");
            self.remark_in(Fate::Lost, Field::Tags, what, beyond);
        }
        tags
    }

    /// Tags in lower case, without `#`, with `-` for blanks, each once.
    fn plain_tags(&mut self, tags: &[String]) -> Vec<String> {
        let mut plain: Vec<String> = Vec::new();
        let mut changed = Vec::new();
        for tag in tags {
            let spelled = tag.replace('#', "").to_lowercase();
            let spelled = spelled.split_whitespace().collect::<Vec<_>>().join("-");
            if spelled != *tag {
                changed.push(becomes(tag, &spelled));
            }
            if !spelled.is_empty() && !plain.contains(&spelled) {
                plain.push(spelled);
            }
        }
        if !changed.is_empty() {
            let what = "in lower case, without `#`, with `-` for blanks";
            self.remark_in(Fate::Mapped, Field::Tags, what, changed.join(", "));
        }
        plain
    }

    fn confidence(&mut self) -> f64 {
        let sure = self.memory.confidence;
        let step = self.to.step(sure);
        let kept = step.map_or(sure, |step| step.value);
        if let Some(step) = step.filter(|step| step.value != sure) {
            let what = format!("becomes {} ({})", step.name, step.value);
            self.remark_in(Fate::Mapped, Field::Confidence, what, sure.to_string());
        }
        self.note_recall(sure, kept);
        kept
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
    fn delivery(&mut self, original: Option<&Original>) -> Delivery {
        let is_unsure = self.memory.confidence < self.from.least_confidence;
        let asks_for_less = self.to.least_confidence < self.from.least_confidence;
        let becomes_one = is_unsure && asks_for_less && original.is_none();
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
    fn source(&mut self) -> Option<Source> {
        let source = self.memory.source;
        if !self.to.holds(Field::Source) {
            self.remark(Fate::Lost, Field::Source, source.name());
            return None;
        }
        let is_known = self.from.holds(Field::Source);
        Some(if is_known { source } else { Source::Imported })
    }

    fn scope(&mut self) -> Option<String> {
        let scope = self.memory.scope.clone()?;
        if self.to.holds(Field::Scope) {
            return Some(scope);
        }
        self.remark(Fate::Lost, Field::Scope, scope);
        None
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

/// At most so many characters.
fn cut(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map(|(at, _)| at);
    end.map_or(text, |end| text[..end].trim_end())
}

#[cfg(test)]
mod tests;
