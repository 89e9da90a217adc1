//! Memories that say the same: which of two is told.

use std::collections::HashSet;

use crate::memory::Memory;
use crate::text::tokenizer::Tokenizer;

/// Overlap coefficient from which two memories say the same.
const LEAST: f64 = 0.85;
/// Texts with fewer distinct terms are compared as they stand: too little
/// tells them apart.
const FEWEST: usize = 4;

/// What a memory says, to be held against others.
pub(super) struct Said {
    id: String,
    text: String,
    terms: HashSet<String>,
    /// When it was last changed, where that is known: milliseconds since 1970.
    since: Option<i64>,
    superseded_by: String,
    supersedes: Vec<String>,
}

/// What two memories are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// They say different things.
    Distinct,
    /// The other one says all of it, or the same more recently.
    Repeated,
    /// It says all that the other one says.
    Contains,
    /// It says the same more recently.
    Renews,
    /// The other one took its place.
    Replaced,
    /// It took the place of the other one.
    Replaces,
}

impl Said {
    /// What a memory says.
    pub(super) fn of(memory: &Memory, tokenizer: Tokenizer) -> Self {
        let text = memory.body.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut terms = tokenizer.distinct(&text);
        terms.retain(|term| tokenizer.is_telling(term));
        let metadata = &memory.metadata;
        let updated = (!memory.assumed.updated).then(|| metadata.updated.millis());
        let created = (!memory.assumed.created).then(|| metadata.created.millis());
        Said {
            id: metadata.id.clone(),
            text,
            terms: terms.into_iter().collect(),
            since: updated.or(created),
            superseded_by: metadata.superseded_by.clone(),
            supersedes: metadata.supersedes.clone(),
        }
    }

    /// Whether another memory took its place, whatever its status says.
    pub(super) fn is_superseded(&self) -> bool {
        !self.superseded_by.is_empty()
    }

    /// What it is to another one that answers better.
    pub(super) fn relation_to(&self, other: &Self) -> Relation {
        if other.supersedes.contains(&self.id) {
            return Relation::Replaced;
        }
        if self.supersedes.contains(&other.id) {
            return Relation::Replaces;
        }
        let (own, others) = (self.terms.len(), other.terms.len());
        let fewer = own.min(others);
        if fewer < FEWEST && self.text != other.text {
            return Relation::Distinct;
        }
        let shared = self.terms.intersection(&other.terms).count();
        let is_newer = self.since > other.since;
        match shared {
            _ if (shared as f64) < LEAST * fewer as f64 => Relation::Distinct,
            _ if own > others && shared == others => Relation::Contains,
            _ if own < others && shared == own => Relation::Repeated,
            _ if is_newer => Relation::Renews,
            _ => Relation::Repeated,
        }
    }
}
