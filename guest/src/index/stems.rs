//! The stem of each term, so that a query finds all forms of a word without
//! another index: terms are grouped at query time.
//!
//! Most terms are their own stem and cost one zero here. The terms of one
//! stem are a linked list through `next`, so that a new term costs the same
//! in a small vault and a large one.

use super::dictionary::{Dictionary, TermNumber};
use crate::text::stems;

/// Number of a stem that is not the term itself, from 1; 0 for none.
type StemNumber = u32;

/// The stems of all terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Stems {
    texts: Dictionary,
    /// For each term, its stem.
    of: Vec<StemNumber>,
    /// For each term, one more than the term before it with the same stem.
    next: Vec<u32>,
    /// For each stem, one more than the last term that has it.
    last: Vec<u32>,
}

impl Stems {
    /// Notes the stem of a new term; terms come in the order of their numbers.
    pub(super) fn add(&mut self, term: &str) {
        let stem = stems::stem(term);
        let number = if stem == term {
            0
        } else {
            self.texts.insert(&stem) + 1
        };
        self.link(number);
    }

    /// How many terms have one.
    pub(super) fn len(&self) -> usize {
        self.of.len()
    }

    /// The terms of a stem, those of `dictionary`; newest first.
    pub(super) fn terms(&self, dictionary: &Dictionary, stem: &str) -> Vec<TermNumber> {
        let mut terms = Vec::new();
        if let Some(term) = dictionary.find(stem)
            && self.of.get(term as usize) == Some(&0)
        {
            terms.push(term);
        }
        let number = self.texts.find(stem);
        let mut at = number.and_then(|number| self.last.get(number as usize).copied());
        while let Some(term) = at.and_then(|at| at.checked_sub(1)) {
            terms.push(term);
            at = self.next.get(term as usize).copied();
        }
        terms
    }

    /// The stems in the order of their numbers, and for each term its stem.
    pub(super) fn parts(&self) -> (Vec<&str>, &[StemNumber]) {
        let (_, ends) = self.texts.parts();
        let numbers = 0..ends.len() as TermNumber;
        (
            numbers.map(|number| self.texts.term(number)).collect(),
            &self.of,
        )
    }

    /// What [`Self::parts`] gave; none where a stem has no text or one text
    /// stands twice.
    pub(super) fn restore(texts: &[Box<str>], of: &[StemNumber]) -> Option<Self> {
        let mut stems = Stems::default();
        for (number, text) in (0..).zip(texts) {
            if stems.texts.insert(text) != number {
                return None;
            }
        }
        for number in of {
            if *number as usize > texts.len() {
                return None;
            }
            stems.link(*number);
        }
        Some(stems)
    }

    fn link(&mut self, stem: StemNumber) {
        let term = self.of.len() as u32;
        self.of.push(stem);
        let Some(place) = stem.checked_sub(1).map(|place| place as usize) else {
            self.next.push(0);
            return;
        };
        if place >= self.last.len() {
            self.last.resize(place + 1, 0);
        }
        self.next.push(self.last[place]);
        self.last[place] = term + 1;
    }
}
