//! What another format has no place for: told where there is something to
//! lose. What is a format's default is nothing.

use super::{Fate, Field, Mapping, is_whole_day};
use crate::convert::file_names;
use crate::convert::text::plain_tag;
use crate::types::{Delivery, Source};
use crate::vault::Draft;

impl Mapping<'_> {
    /// Takes out of a draft what the format cannot hold.
    pub(super) fn leave_out(&mut self, draft: &mut Draft) {
        self.note_created();
        self.note_losses(draft);
        for &field in self.to.lacks {
            clear(draft, field);
        }
    }

    /// Notes what a memory loses that is written as this draft says, but for
    /// the time it was made.
    pub(super) fn note_losses(&mut self, draft: &Draft) {
        self.note_updated();
        for &field in self.to.lacks {
            if let Some((what, detail)) = self.loss(field, draft) {
                self.remark_in(Fate::Lost, field, what, detail);
            }
        }
        let before = &self.memory.converted_from;
        if !before.is_empty() && self.original.is_none() {
            let detail = before.clone();
            self.remark_in(Fate::Lost, Field::ConvertedFrom, "", detail);
        }
    }

    /// Notes that of the time it was made only the day is left.
    fn note_created(&mut self) {
        let created = &self.memory.created;
        if !self.to.keeps_times && !is_whole_day(created) {
            let what = "the time of the day";
            self.remark_in(Fate::Lost, Field::Created, what, created.clone());
        }
    }

    fn note_updated(&mut self) {
        let (created, updated) = (&self.memory.created, &self.memory.updated);
        if self.to.keeps_times {
            return;
        }
        if updated != created {
            self.remark_in(Fate::Lost, Field::Updated, "", updated.clone());
        }
    }

    /// What is lost with a field, and what is particular to this memory; none
    /// where nothing stands there.
    fn loss(&self, field: Field, draft: &Draft) -> Option<(&'static str, String)> {
        let memory = self.memory;
        let told = |detail: String| Some(("", detail)).filter(|(_, detail)| !detail.is_empty());
        match field {
            Field::Tags => told(self.lost_tags(draft).join(", ")),
            Field::Aliases => told(self.lost_aliases().join(", ")),
            Field::Confidence => {
                let is_said = self.from.holds(Field::Confidence);
                let is_other = memory.confidence != self.from.default_confidence;
                (is_said && is_other).then(|| ("", memory.confidence.to_string()))
            }
            Field::Importance => told(memory.importance?.to_string()),
            Field::Pinned => memory.pinned.then(|| ("", String::new())),
            Field::Delivery => {
                let is_directive = draft.delivery == Some(Delivery::Prompt);
                is_directive.then(|| ("no longer a standing directive", String::new()))
            }
            Field::Source => {
                let is_told = self.from.holds(Field::Source) && memory.source != Source::Manual;
                is_told.then(|| (memory.source.name(), String::new()))
            }
            Field::Origin => told(memory.origin.clone()),
            Field::Evidence => told(memory.evidence.clone()),
            Field::Supersedes => told(memory.supersedes.join(", ")),
            Field::SupersededBy => told(memory.superseded_by.clone()),
            Field::ConflictsWith => told(memory.conflicts_with.join(", ")),
            _ => None,
        }
    }

    /// The tags but those that category and project say.
    fn lost_tags(&self, draft: &Draft) -> Vec<String> {
        let said = [&draft.kind, &draft.scope];
        let said = said.map(|word| word.as_deref().map(plain_tag));
        let tags = draft.tags.iter().flatten();
        let lost = tags.filter(|tag| !said.contains(&Some(plain_tag(tag))));
        lost.cloned().collect()
    }

    /// The aliases but those that are the names it had before and has again.
    fn lost_aliases(&self) -> Vec<String> {
        let id = self.original.as_ref().map(|original| original.id.as_str());
        let said = [id, id.map(|id| file_names::split(id).1)];
        let aliases = self.memory.aliases.iter();
        let lost = aliases.filter(|alias| !said.contains(&Some(alias.as_str())));
        lost.cloned().collect()
    }
}

/// Takes a field out of a draft.
fn clear(draft: &mut Draft, field: Field) {
    match field {
        Field::Tags => draft.tags = None,
        Field::Aliases => draft.aliases = None,
        Field::Confidence => draft.confidence = None,
        Field::Importance => draft.importance = None,
        Field::Pinned => draft.pinned = None,
        Field::Delivery => draft.delivery = None,
        Field::Source => draft.source = None,
        Field::Origin => draft.origin = None,
        Field::Evidence => draft.evidence = None,
        Field::Supersedes => draft.supersedes = None,
        Field::SupersededBy => draft.superseded_by = None,
        Field::ConflictsWith => draft.conflicts_with = None,
        Field::ConvertedFrom => draft.converted_from = None,
        Field::Scope => draft.scope = None,
        _ => {}
    }
}
