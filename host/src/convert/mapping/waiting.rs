//! A memory that waits to be confirmed, in a format that has a staging pool
//! for it: one line, which is never in force.

use super::{Fate, Field, Mapping};
use crate::convert::tables::Pool;
use crate::convert::text::one_line;
use crate::upkeep::StagingDraft;
use crate::vault::Draft;

impl Mapping<'_> {
    /// The memory as an entry of the pool.
    pub(super) fn entry(&mut self, pool: &Pool, body: &str) -> Result<StagingDraft, String> {
        let what = format!("{} becomes an entry of {}", self.memory.status, pool.file);
        self.remark(Fate::Mapped, Field::Status, what);
        let body = self.bare(body);
        let text = self.line(&body);
        let length = text.chars().count();
        if length > pool.entry_limit {
            return Err(format!(
                "on one line it has {length} characters, {} fit into an entry of {}: shorten it, or confirm it first",
                pool.entry_limit, pool.file
            ));
        }
        let scope = self.project();
        self.note_what_a_line_loses(scope.clone());
        Ok(StagingDraft {
            text,
            scope,
            utc_offset_minutes: self.aside.utc_offset_minutes,
        })
    }

    /// Title and text on one line; the text alone where it begins with the
    /// title.
    fn line(&mut self, body: &str) -> String {
        let (title, text) = (one_line(&self.memory.title), one_line(body));
        if text != body.trim() {
            self.remark(Fate::Mapped, Field::Text, "on one line");
        }
        if text.trim_start_matches(['#', ' ']).starts_with(&title) {
            return text;
        }
        self.remark(Fate::Mapped, Field::Title, "stands before the text");
        [title, text]
            .join(": ")
            .trim_end_matches([':', ' '])
            .to_owned()
    }

    fn note_what_a_line_loses(&mut self, scope: Option<String>) {
        let kind = &self.memory.kind;
        if self.from.kinds.first() != Some(&kind.as_str()) {
            self.remark_in(Fate::Lost, Field::Kind, "an entry has none", kind.clone());
        }
        let created = self.memory.created.clone();
        let what = "an entry has the day it was added";
        self.remark_in(Fate::Lost, Field::Created, what, created);
        let written = Draft {
            tags: Some(self.tags()),
            delivery: Some(self.memory.delivery),
            scope,
            ..Draft::default()
        };
        self.note_losses(&written);
    }
}
