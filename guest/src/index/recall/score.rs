//! Scoring: a pass over the postings of each stem, then the factors of the
//! documents that can still be among the best.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::parts::{
    DATE_MOST, ENDS_ASKING, Factor, Parts, STANDING_MOST, TELLS_TIME, TITLE_MOST, standing,
};
use super::{Candidate, MIDDLE, Query, dates, saturated};
use crate::index::best::Best;
use crate::index::dictionary::TermNumber;
use crate::index::ranking::round;
use crate::index::{Document, DocumentNumber, Index};

/// What the postings give each document, by number.
struct Sums {
    own: Vec<f64>,
    window: Vec<f64>,
    answer: Vec<f64>,
    characters: Vec<f64>,
    is_found: Vec<bool>,
    found: Vec<DocumentNumber>,
}

/// Counts of one stem in each document, kept from stem to stem.
struct Tally {
    counts: Vec<u32>,
    held: Vec<DocumentNumber>,
    /// By place in the order of notes, in fifths.
    windows: Vec<u32>,
    touched: Vec<usize>,
}

impl Index {
    /// The best documents for a question, by score, then in the order of
    /// notes, in several lists at once: `list` says which of them a document
    /// belongs to, if any. Documents with several lines have their own score
    /// in place of their window's: see [`Index::window_of_lines`].
    pub fn recall<const N: usize>(
        &self,
        query: &mut Query,
        limits: [usize; N],
        list: impl Fn(&Document) -> Option<usize>,
    ) -> [Vec<Candidate>; N] {
        let mut best = limits.map(Best::new);
        let sums = self.sums(query);
        let mut open = self.bounded(query, &sums);
        while let Some(Bounded { bound, document }) = open.pop() {
            if !best.iter().any(|best| best.is_open_to(bound)) {
                break;
            }
            let (number, parts) = (document, sums.parts(document));
            let Some(document) = self.documents.get(number) else {
                continue;
            };
            if !document.in_conversation && !parts.is_met() {
                continue;
            }
            let best = list(document).and_then(|list| best.get_mut(list));
            let Some(best) = best.filter(|best| best.is_open_to(bound)) else {
                continue;
            };
            let parts = self.with_factors(query, document, parts);
            let score = round(parts.total());
            if score > 0.0 {
                let candidate = Candidate {
                    document: number,
                    score,
                    parts,
                };
                best.offer(candidate, score, self.note_order(document));
            }
        }
        best.map(Best::into_sorted)
    }

    /// Every document that was found with the most that its score can be, to
    /// be taken greatest first: what only a look at the document tells is
    /// asked of few.
    fn bounded(&self, query: &Query, sums: &Sums) -> BinaryHeap<Bounded> {
        let most = self.most_factor(query);
        let found = sums.found.iter().map(|number| {
            let parts = sums.parts(*number);
            Bounded {
                bound: (parts.base() * most + parts.of_characters()) * STANDING_MOST,
                document: *number,
            }
        });
        found.collect()
    }

    /// What each word and each rule contributes to the score of a candidate
    /// that was found with this question, words first; those that contribute nothing are left out.
    pub fn explain(&self, query: &Query, candidate: &Candidate) -> Vec<Factor> {
        let mut factors = Vec::new();
        let mean = self.mean_length();
        let mut tally = Tally::new(self.documents.len());
        let length = self.documents.live_length(candidate.document);
        for stem in &query.stems {
            self.count(&stem.terms, &mut tally);
            let count = tally.counts[candidate.document as usize];
            tally.forget_counts();
            if count > 0 {
                let length = f64::from(length.unwrap_or(0));
                factors.push(Factor {
                    name: stem.word.clone(),
                    value: round(stem.weight * saturated(f64::from(count), length, mean)),
                });
            }
        }
        factors.extend(candidate.parts.rules());
        factors
    }

    /// What documents of equal scores are ordered by.
    pub fn note_order<'i>(&'i self, document: &'i Document) -> (&'i str, i64, &'i str) {
        let thread = document.thread.map_or("", |thread| self.word(thread));
        (thread, document.created.unwrap_or_default(), &document.id)
    }

    fn sums(&self, query: &mut Query) -> Sums {
        let mut sums = Sums::new(self.documents.len());
        let mut tally = Tally::new(self.documents.len());
        let mean = self.mean_length();
        for stem in &mut query.stems {
            self.count(&stem.terms, &mut tally);
            let idf = self.idf(tally.held.len());
            stem.weight = idf;
            for number in &tally.held {
                let share = idf * self.saturation(*number, tally.counts[*number as usize], mean);
                sums.find(*number);
                sums.own[*number as usize] += share;
            }
            self.spread(&mut tally, idf, mean, &mut sums);
            tally.forget_counts();
        }
        self.answers(&mut sums);
        for character in &query.characters {
            self.count(self.lookups.pairs(*character), &mut tally);
            let idf = self.idf(tally.held.len());
            for number in &tally.held {
                let share = idf * self.saturation(*number, tally.counts[*number as usize], mean);
                sums.find(*number);
                sums.characters[*number as usize] += share;
            }
            tally.forget_counts();
        }
        sums
    }

    /// Counts what some terms have in each live document together.
    fn count(&self, terms: &[TermNumber], tally: &mut Tally) {
        for term in terms {
            for (number, counts) in self.live_postings(*term) {
                let count = &mut tally.counts[number as usize];
                if *count == 0 {
                    tally.held.push(number);
                }
                *count = counts
                    .iter()
                    .fold(*count, |sum, more| sum.saturating_add(*more));
            }
        }
    }

    fn saturation(&self, number: DocumentNumber, count: u32, mean: f64) -> f64 {
        let length = self.documents.live_length(number).unwrap_or(0);
        saturated(f64::from(count), f64::from(length), mean)
    }

    /// Gives what was counted to the windows it stands in.
    fn spread(&self, tally: &mut Tally, idf: f64, mean: f64, sums: &mut Sums) {
        for number in &tally.held {
            let Some(place) = self.order.place(*number) else {
                continue;
            };
            let count = tally.counts[*number as usize];
            if self.order.at(place).is_some_and(|entry| entry.has_lines) {
                sums.window[*number as usize] += idf * self.saturation(*number, count, mean);
                continue;
            }
            for (other, weight) in self.order.around(place) {
                let window = &mut tally.windows[other];
                if *window == 0 {
                    tally.touched.push(other);
                }
                *window = window.saturating_add(count.saturating_mul(weight));
            }
        }
        let fifth = 1.0 / f64::from(MIDDLE);
        let mean = self.order.mean_window() * fifth;
        for place in tally.touched.drain(..) {
            let count = std::mem::take(&mut tally.windows[place]);
            let Some(entry) = self.order.at(place) else {
                continue;
            };
            let length = f64::from(entry.window) * fifth;
            let share = idf * saturated(f64::from(count) * fifth, length, mean);
            sums.find(entry.document);
            sums.window[entry.document as usize] += share;
        }
    }

    /// Gives what a question of a thread got to what follows it.
    fn answers(&self, sums: &mut Sums) {
        for at in 0..sums.found.len() {
            let number = sums.found[at];
            let own = sums.own[number as usize];
            let Some(place) = self.order.place(number).filter(|_| own > 0.0) else {
                continue;
            };
            if self.order.at(place).is_some_and(|entry| entry.asks)
                && let Some(next) = self.order.after(place)
            {
                sums.find(next.document);
                sums.answer[next.document as usize] = own;
            }
        }
    }

    /// The most that the factors of a document can multiply by.
    fn most_factor(&self, query: &Query) -> f64 {
        let dated = if query.dates.is_empty() {
            1.0
        } else {
            DATE_MOST
        };
        let timed = if query.asks_when { TELLS_TIME } else { 1.0 };
        TITLE_MOST * dated * timed
    }

    fn with_factors(&self, query: &Query, document: &Document, parts: Parts) -> Parts {
        let manner = &document.manner;
        let mut factor = 1.0;
        if document.in_conversation && query.asks_when && manner.tells_time {
            factor *= TELLS_TIME;
        }
        if document.in_conversation && manner.ends_asking {
            factor *= ENDS_ASKING;
        }
        // What was said in a conversation does not grow old: a question after
        // it means the time it was said.
        let age = self.order.newest().zip(document.known_since);
        let age = age
            .filter(|_| !document.in_conversation)
            .map(|(newest, since)| newest.saturating_sub(since));
        Parts {
            title: self.name_share(query, document),
            date: dates::fit(&query.dates, document.created),
            manner: factor,
            standing: standing(document.importance, document.confidence, age),
            ..parts
        }
    }

    /// The share of the distinct tokens of a document's title that the
    /// question has, or of another of its names, where that is greater.
    fn name_share(&self, query: &Query, document: &Document) -> f64 {
        let others = document.aliases.iter().map(|alias| &**alias);
        let names = std::iter::once(&*document.title).chain(others);
        let shares = names.map(|name| {
            let tokens = self.tokenizer.distinct(name);
            let named = tokens.iter().filter(|token| query.tokens.contains(*token));
            named.count() as f64 / tokens.len().max(1) as f64
        });
        shares.fold(0.0, f64::max)
    }
}

/// A document and the most that its score can be.
struct Bounded {
    bound: f64,
    document: DocumentNumber,
}

impl Ord for Bounded {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = self.bound.total_cmp(&other.bound);
        by_bound.then_with(|| other.document.cmp(&self.document))
    }
}

impl PartialOrd for Bounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Bounded {}

impl Sums {
    fn new(documents: usize) -> Self {
        Sums {
            own: vec![0.0; documents],
            window: vec![0.0; documents],
            answer: vec![0.0; documents],
            characters: vec![0.0; documents],
            is_found: vec![false; documents],
            found: Vec::new(),
        }
    }

    fn find(&mut self, number: DocumentNumber) {
        if !std::mem::replace(&mut self.is_found[number as usize], true) {
            self.found.push(number);
        }
    }

    fn parts(&self, number: DocumentNumber) -> Parts {
        let at = number as usize;
        Parts {
            own: self.own[at],
            window: self.window[at],
            answer: self.answer[at],
            title: 0.0,
            date: 0.0,
            manner: 1.0,
            characters: self.characters[at],
            standing: 1.0,
        }
    }
}

impl Tally {
    fn new(documents: usize) -> Self {
        Tally {
            counts: vec![0; documents],
            held: Vec::new(),
            windows: vec![0; documents],
            touched: Vec::new(),
        }
    }

    fn forget_counts(&mut self) {
        for number in self.held.drain(..) {
            self.counts[number as usize] = 0;
        }
    }
}
