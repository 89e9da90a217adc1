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
        delivery: Some(memory.metadata.delivery),
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
mod tests {
    use super::*;
    use crate::convert::sample;

    fn pair(from: &str, to: &str) -> &'static Pair {
        Pair::named(from, to).expect("a pair")
    }

    fn to_dsh(metadata: Metadata, body: &str) -> Mapped {
        mapped(pair("inkvault", "dsh-memory"), metadata, body).expect("carried over")
    }

    fn to_inkvault(metadata: Metadata, body: &str) -> Mapped {
        mapped(pair("dsh-memory", "inkvault"), metadata, body).expect("carried over")
    }

    fn mapped(pair: &Pair, metadata: Metadata, body: &str) -> Result<Mapped, String> {
        let body = body.to_owned();
        map(pair, &Memory { metadata, body }, "")
    }

    /// What is said of a field.
    fn said(mapped: &Mapped, fate: Fate, field: Field) -> Vec<&str> {
        let remarks = mapped.remarks.iter();
        let of_field = remarks.filter(|remark| (remark.fate, remark.field) == (fate, field));
        of_field.map(|remark| remark.what.as_str()).collect()
    }

    fn dsh(kind: &str, status: Status) -> Metadata {
        Metadata {
            kind: kind.to_owned(),
            status,
            confidence: 0.6,
            ..sample::metadata("mem_1")
        }
    }

    #[test]
    fn a_plain_memory_is_carried_with_its_id() {
        let memory = Metadata {
            aliases: vec!["other".into()],
            importance: Some(7),
            ..sample::metadata("m-1")
        };
        let draft = to_dsh(memory, "text").draft;
        assert_eq!(draft.kind.as_deref(), Some("knowledge"));
        assert_eq!(draft.status, Some(Status::Active));
        assert_eq!(draft.aliases, Some(vec!["other".into(), "m-1".into()]));
        assert_eq!(draft.importance, Some(7));
        assert_eq!(draft.source, None);
        assert_eq!(
            draft.converted_from.as_deref(),
            Some("inkvault fact active m-1")
        );
    }

    #[test]
    fn what_is_out_of_date_is_archived_and_comes_back() {
        let there = to_inkvault(dsh("project-state", Status::Stale), "text");
        assert_eq!(there.draft.status, Some(Status::Archived));
        assert_eq!(there.draft.kind.as_deref(), Some("project"));
        let changes = said(&there, Fate::Mapped, Field::Status);
        assert_eq!(changes, ["stale becomes archived"]);

        let returning = |kind: &str, status| Metadata {
            kind: kind.to_owned(),
            status,
            converted_from: there.draft.converted_from.clone().expect("an original"),
            ..sample::metadata("m-1")
        };
        let back = to_dsh(returning("project", Status::Archived), "text").draft;
        assert_eq!(back.kind.as_deref(), Some("project-state"));
        assert_eq!(back.status, Some(Status::Stale));
        let changed = to_dsh(returning("task", Status::Active), "text").draft;
        assert_eq!(changed.kind.as_deref(), Some("task"), "changed meanwhile");
        assert_eq!(changed.status, Some(Status::Active), "changed meanwhile");
    }

    #[test]
    fn a_conflict_is_written_as_pending_where_its_partners_tell_it() {
        let conflict = Metadata {
            conflicts_with: vec!["mem_2".into()],
            ..dsh("task", Status::Conflict)
        };
        let there = to_inkvault(conflict, "text");
        assert_eq!(there.draft.status, Some(Status::Pending));
        assert!(said(&there, Fate::Mapped, Field::Status).is_empty());
        let alone = to_inkvault(dsh("task", Status::Conflict), "text");
        assert_eq!(alone.draft.status, Some(Status::Pending));
        assert_eq!(said(&alone, Fate::Mapped, Field::Status).len(), 1);
        let conflict = Metadata {
            status: Status::Conflict,
            ..sample::metadata("m-1")
        };
        assert_eq!(
            to_dsh(conflict, "text").draft.status,
            Some(Status::Conflict)
        );
    }

    /// The engine reads it as active and keeps it out of the directives.
    #[test]
    fn a_status_that_was_none_has_to_be_confirmed() {
        let unclear = Metadata {
            repairs: vec!["status: `actve` is none of its values, the default counts".into()],
            delivery: Delivery::Prompt,
            ..sample::metadata("m-1")
        };
        assert_eq!(to_dsh(unclear, "text").draft.status, Some(Status::Pending));
    }

    #[test]
    fn confidence_takes_the_steps_there_are() {
        let step = |confidence| {
            let memory = Metadata {
                confidence,
                ..sample::metadata("m-1")
            };
            let mapped = to_dsh(memory, "text");
            let said = said(&mapped, Fate::Mapped, Field::Confidence).join("; ");
            (mapped.draft.confidence, said)
        };
        let unsure =
            "becomes low (0.3); too unsure to be recalled in dsh-memory, sure enough in inkvault";
        assert_eq!(step(0.5), (Some(0.3), unsure.to_owned()));
        assert_eq!(step(0.7), (Some(0.6), "becomes medium (0.6)".to_owned()));
        assert_eq!(step(0.9), (Some(0.9), String::new()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let long = Metadata {
            title: "字".repeat(121),
            tags: (1..=14).map(|n| format!("t{n}")).collect(),
            ..dsh("task", Status::Active)
        };
        let mapped = to_inkvault(long.clone(), "text");
        let title = mapped.draft.title.clone().expect("a title");
        assert_eq!(title.chars().count(), 120);
        let aliases = mapped.draft.aliases.clone().expect("aliases");
        assert_eq!(aliases, ["mem_1".to_owned(), long.title]);
        assert_eq!(mapped.draft.tags.as_ref().map(Vec::len), Some(12));
        assert_eq!(
            said(&mapped, Fate::Lost, Field::Tags),
            ["those beyond the first 12"]
        );
        let beyond = mapped
            .remarks
            .iter()
            .find(|remark| remark.field == Field::Tags);
        assert_eq!(beyond.expect("a remark").detail, "t13, t14");
    }

    #[test]
    fn a_text_that_is_too_long_is_not_cut() {
        let pair = pair("inkvault", "dsh-memory");
        let memory = || sample::metadata("m-1");
        let reason = mapped(pair, memory(), &"字".repeat(20_001)).expect_err("too long");
        assert_eq!(
            reason,
            "its text has 20001 characters, 20000 fit into one memory: split it"
        );
        assert!(mapped(pair, memory(), &"字".repeat(20_000)).is_ok());
    }

    #[test]
    fn the_title_stands_in_for_a_text_that_is_missing() {
        let empty = "## 核心内容\n\n## 来源与依据\n\n（暂无可追溯来源）";
        let mapped = to_inkvault(dsh("task", Status::Active), empty);
        assert_eq!(mapped.draft.body.as_deref(), Some("Release day"));
    }

    #[test]
    fn tags_are_spelled_as_the_format_has_them() {
        let memory = Metadata {
            tags: ["Dark Mode", "#ui", "ui", "#"].map(str::to_owned).into(),
            ..sample::metadata("m-1")
        };
        let there = to_dsh(memory, "text").draft.tags.expect("tags");
        assert_eq!(there, ["dark-mode", "ui"]);
        let back = Metadata {
            tags: ["dark-mode", "task"].map(str::to_owned).into(),
            ..dsh("task", Status::Active)
        };
        let back = to_inkvault(back, "text").draft.tags.expect("tags");
        assert_eq!(back, ["dark-mode"]);
    }

    #[test]
    fn what_stands_in_added_keys_is_named() {
        let memory = Metadata {
            pinned: true,
            evidence: "said so".into(),
            ..dsh("task", Status::Active)
        };
        let mapped = to_inkvault(memory, "text");
        let kept = mapped.remarks.iter();
        let kept = kept.filter(|remark| remark.fate == Fate::Kept);
        let fields: Vec<_> = kept.map(|remark| remark.field.name()).collect();
        assert_eq!(fields, ["pinned", "aliases", "evidence", "converted-from"]);
        assert_eq!(mapped.draft.source, Some(Source::Imported));
    }

    #[test]
    fn keys_of_a_persons_own_are_named() {
        let memory = Memory {
            metadata: sample::metadata("m-1"),
            body: "text".into(),
        };
        let file = "---\nid: m-1\nrating: 5\n---\n\ntext";
        let mapped = map(pair("inkvault", "dsh-memory"), &memory, file).expect("carried over");
        assert_eq!(said(&mapped, Fate::Lost, Field::OtherKeys), ["rating"]);
    }
}
