//! Finding and ordering documents: BM25 (inkvault contract §2) and overlap.

use super::best::Best;
use super::postings::DocumentNumber;
use super::{Document, Index, is_said};
use crate::memory::Field;

/// How the counts of a term in a document's fields are weighed. The weights of
/// the fields are in the order of [`Field::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weighing {
    /// BM25 over the weighted counts (inkvault contract §2).
    Saturating([f64; Field::COUNT]),
    /// The weight of each field times 1 + ln n for n occurrences in it
    /// (dsh-memory format §5).
    Logarithmic([f64; Field::COUNT]),
}

/// How fast repetition of a term saturates.
pub(super) const K1: f64 = 1.2;
/// How much length counts.
pub(super) const B: f64 = 0.75;

/// A document and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The document.
    pub document: DocumentNumber,
    /// Its score, rounded to six decimals.
    pub score: f64,
}

/// A document and how much of a text it shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similar {
    /// The document.
    pub document: DocumentNumber,
    /// Overlap coefficient of the distinct terms of both texts, 0 to 1.
    pub overlap: f64,
}

impl Index {
    /// The best `limit` documents for a query among those accepted, by score
    /// and then by id. A query without a known term finds nothing.
    pub fn search(
        &self,
        query: &str,
        limit: usize,
        accept: impl Fn(&Document) -> bool,
    ) -> Vec<Ranked> {
        let [best] = self.search_sorted(query, [limit], |document| accept(document).then_some(0));
        best
    }

    /// Like [`Self::search`], for several lists at once: `list` says which of
    /// them a document belongs to, if any.
    pub fn search_sorted<const N: usize>(
        &self,
        query: &str,
        limits: [usize; N],
        list: impl Fn(&Document) -> Option<usize>,
    ) -> [Vec<Ranked>; N] {
        let mut best = limits.map(Best::new);
        for (document, score) in self.scored(query) {
            if !best.iter().any(|best| best.is_open_to(score)) {
                continue;
            }
            let list = self.documents.get(document).and_then(&list);
            if let Some(best) = list.and_then(|list| best.get_mut(list)) {
                let score = round(score);
                best.offer(Ranked { document, score }, score, self.id_of(document));
            }
        }
        best.map(Best::into_sorted)
    }

    /// Every document that holds a term of the query, with its score.
    fn scored(&self, query: &str) -> impl Iterator<Item = (DocumentNumber, f64)> {
        let mut scores = Vec::new();
        let mut found = Vec::new();
        let mut postings = Vec::new();
        let mean = self.mean_length();
        for term in self.tokenizer.distinct(query) {
            self.weighed_postings(&term, &mut postings);
            if postings.is_empty() {
                continue;
            }
            scores.resize(self.documents.len(), 0.0);
            let idf = self.idf(postings.len());
            for (number, tf) in &postings {
                let score = &mut scores[*number as usize];
                if *score == 0.0 {
                    found.push(*number);
                }
                *score += self.share(*number, mean, idf, *tf);
            }
        }
        found.into_iter().map(move |number| {
            let score = scores[number as usize];
            (number, score * self.documents.prior(number))
        })
    }

    /// The documents whose body shares most terms with a text, those with an
    /// overlap of at least `least`, most similar first, then by id. Terms that
    /// are too common to tell do not count.
    pub fn similar(&self, text: &str, least: f64, limit: usize) -> Vec<Similar> {
        let mut terms = self.tokenizer.distinct(text);
        terms.retain(|term| self.tokenizer.is_telling(term));
        let mut shared = vec![0u32; self.documents.len()];
        let mut found = Vec::new();
        for term in terms.iter().filter_map(|term| self.dictionary.find(term)) {
            for (number, counts) in self.live_postings(term) {
                if is_said(&counts) {
                    let shared = &mut shared[number as usize];
                    if *shared == 0 {
                        found.push(number);
                    }
                    *shared += 1;
                }
            }
        }
        let overlap = |number: DocumentNumber, shared: u32| {
            let distinct = self
                .documents
                .get(number)
                .map_or(0, |document| document.distinct);
            f64::from(shared) / f64::from(distinct.min(terms.len() as u32)).max(1.0)
        };
        let mut best = Best::new(limit);
        for number in found {
            let overlap = overlap(number, shared[number as usize]);
            if overlap >= least {
                let similar = Similar {
                    document: number,
                    overlap: round(overlap),
                };
                best.offer(similar, similar.overlap, self.id_of(number));
            }
        }
        best.into_sorted()
    }

    /// The live documents of a term with its weighted count in each.
    fn weighed_postings(&self, term: &str, postings: &mut Vec<(DocumentNumber, f64)>) {
        postings.clear();
        if let Some(term) = self.dictionary.find(term) {
            postings.extend(
                self.live_postings(term)
                    .map(|(number, counts)| (number, self.weigh(&counts))),
            );
        }
    }

    fn id_of(&self, number: DocumentNumber) -> &str {
        self.documents
            .get(number)
            .map_or("", |document| &document.id)
    }

    pub(super) fn idf(&self, df: usize) -> f64 {
        let (n, df) = (self.len() as f64, df as f64);
        (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
    }

    /// One term's share of a document's score, given the mean length.
    fn share(&self, number: DocumentNumber, mean: f64, idf: f64, tf: f64) -> f64 {
        if let Weighing::Logarithmic(_) = self.weighing {
            return idf * tf;
        }
        let length = self.documents.live_length(number).unwrap_or(0);
        let relative = if mean > 0.0 {
            f64::from(length) / mean
        } else {
            0.0
        };
        idf * tf * (K1 + 1.0) / (tf + K1 * (1.0 - B + B * relative))
    }

    fn weigh(&self, counts: &[u32; Field::COUNT]) -> f64 {
        let counts = counts.iter().map(|count| f64::from(*count));
        match self.weighing {
            Weighing::Saturating(weights) => counts
                .zip(weights)
                .map(|(count, weight)| count * weight)
                .sum(),
            Weighing::Logarithmic(weights) => counts
                .zip(weights)
                .filter(|(count, _)| *count > 0.0)
                .map(|(count, weight)| weight * (1.0 + count.ln()))
                .sum(),
        }
    }
}

pub(super) fn round(score: f64) -> f64 {
    (score * 1e6).round() / 1e6
}
