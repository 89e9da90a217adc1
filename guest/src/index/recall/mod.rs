//! The order of `recall`: which documents answer a question, found by
//! measurement (`benches/README.md`) over the same postings as `search`.
//!
//! A question becomes stems (`query`); each stem's counts give a document's
//! own score and that of the window around it in its thread (`order`,
//! `score`); dates, titles and the manner of a text weigh in
//! (`dates`, `parts`). Where a document has several lines, these are the
//! window; they are not indexed, so the best candidates' texts are looked at
//! (`lines`).
//!
//! All counts are whole numbers until a term's share is taken, and shares are
//! added in the order of the question, so the same documents get the same
//! scores whatever order they were indexed in.

mod dates;
mod lines;
mod lookups;
mod order;
mod parts;
mod query;
mod score;
mod spelling;

use std::borrow::Cow;

pub(super) use lookups::Lookups;
pub(super) use order::Order;
pub use parts::{Factor, Parts};
pub use query::Query;

use super::documents::Manner;
use super::ranking::{B, K1};
use crate::index::DocumentNumber;
use crate::memory::Field;
use crate::text::time_words::tells_time;

/// How far a window reaches to either side.
const REACH: usize = 4;
/// The weight of a window's middle; it falls by one with each step away.
const MIDDLE: u32 = 5;

/// A document that answers a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The document.
    pub document: DocumentNumber,
    /// Its score, rounded to six decimals.
    pub score: f64,
    /// What the score is made of.
    pub parts: Parts,
}

impl Candidate {
    /// The candidate with the window over its own lines.
    pub fn with_window(mut self, window: f64) -> Self {
        self.parts.window = window;
        self.score = super::ranking::round(self.parts.total());
        self
    }
}

/// How much a count says, given the length of what it was counted in and the
/// mean length: BM25's saturation.
fn saturated(count: f64, length: f64, mean: f64) -> f64 {
    let relative = if mean > 0.0 { length / mean } else { 0.0 };
    (K1 + 1.0) * count / (count + K1 * (1.0 - B + B * relative))
}

/// What the text of a document is like.
pub(super) fn manner_of(fields: &[(Field, Cow<'_, str>)], in_conversation: bool) -> Manner {
    let mut manner = Manner::default();
    let said = |field: &Field| matches!(field, Field::Summary | Field::Body);
    for (_, text) in fields.iter().filter(|(field, _)| said(field)) {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        manner.lines += lines.count() as u32;
        manner.asks |= text.contains(['?', '？']);
        let text = text.trim_end();
        if !text.is_empty() {
            manner.ends_asking = text.ends_with(['?', '？']);
        }
        manner.tells_time |= in_conversation && tells_time(text);
    }
    manner
}
