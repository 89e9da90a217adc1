//! Terms by what they begin with, for the parts of a question that are not
//! looked up whole: single CJK characters, and words that may be misspelled.
//!
//! Made when a question first needs them and continued when terms have been
//! added since, so that whoever never asks pays nothing.

use foldhash::{HashMap, HashMapExt};

use super::spelling::SHORTEST;
use crate::index::dictionary::{Dictionary, TermNumber};
use crate::text::characters::is_cjk;
use crate::text::tokenizer::Tokenizer;

/// Terms by their beginnings.
#[derive(Clone, Debug)]
pub(in crate::index) struct Lookups {
    pairs: HashMap<char, Vec<TermNumber>>,
    paired: TermNumber,
    /// Words of letters by first letter and length in characters.
    words: HashMap<(char, usize), Vec<TermNumber>>,
    sorted: TermNumber,
}

impl Default for Lookups {
    fn default() -> Self {
        Lookups {
            pairs: HashMap::new(),
            paired: 0,
            words: HashMap::new(),
            sorted: 0,
        }
    }
}

impl Lookups {
    /// The terms that tell how often a CJK character stands in a text: itself
    /// alone, and its pairs with what follows it.
    pub(super) fn pairs(&self, first: char) -> &[TermNumber] {
        self.pairs.get(&first).map_or(&[], Vec::as_slice)
    }

    /// The words that begin with a letter and have so many.
    pub(super) fn words(&self, first: char, length: usize) -> &[TermNumber] {
        self.words.get(&(first, length)).map_or(&[], Vec::as_slice)
    }

    /// Takes in the pairs among terms that came since, and the characters that
    /// stood alone, unless every character is a term beside its pairs.
    pub(super) fn take_in_pairs(&mut self, dictionary: &Dictionary, tokenizer: Tokenizer) {
        for number in self.paired..dictionary.len() {
            let term = dictionary.term(number);
            if let Some(first) = term.chars().next()
                && is_cjk(first)
                && tokenizer.is_telling(term)
            {
                self.pairs.entry(first).or_default().push(number);
            }
        }
        self.paired = dictionary.len();
    }

    /// Takes in the words among terms that came since.
    pub(super) fn take_in_words(&mut self, dictionary: &Dictionary) {
        for number in self.sorted..dictionary.len() {
            let term = dictionary.term(number);
            let length = term.chars().count();
            if let Some(first) = term.chars().next()
                && length >= SHORTEST
                && term.chars().all(|c| c.is_alphabetic() && !is_cjk(c))
            {
                self.words.entry((first, length)).or_default().push(number);
            }
        }
        self.sorted = dictionary.len();
    }
}
