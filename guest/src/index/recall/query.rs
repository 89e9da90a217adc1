//! A question as it is looked up.

use foldhash::{HashMap, HashMapExt, HashSet};

use super::dates::{self, Asked};
use crate::index::Index;
use crate::index::dictionary::TermNumber;
use crate::text::characters::is_cjk;
use crate::text::{stems, words};

/// A question, made for one state of an index.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// What it asks for, in its order.
    pub(super) stems: Vec<QueryStem>,
    /// The stem that each term belongs to.
    pub(super) stem_of: HashMap<TermNumber, usize>,
    /// Its CJK characters, in their order.
    pub(super) characters: Vec<char>,
    /// All its tokens.
    pub(super) tokens: HashSet<String>,
    /// The dates it names.
    pub(super) dates: Vec<Asked>,
    /// Whether it asks when something was.
    pub(super) asks_when: bool,
}

/// A stem of a question.
#[derive(Clone, Debug)]
pub(super) struct QueryStem {
    /// The word it stands for.
    pub(super) word: String,
    /// The terms that have it.
    pub(super) terms: Vec<TermNumber>,
    /// How much it tells, once documents were looked up by it.
    pub(super) weight: f64,
}

impl Index {
    /// Makes a question ready to be looked up.
    pub fn query(&mut self, text: &str) -> Query {
        self.order.refresh(&self.documents);
        let (tokens, asked) = self.words_asked_for(text);
        let mut query = Query {
            characters: distinct_cjk(&asked),
            tokens: self.tokenizer.distinct(text).into_iter().collect(),
            dates: dates::named_in(text),
            asks_when: asks_when(text),
            ..Query::default()
        };
        if !query.characters.is_empty() {
            self.lookups.take_in_pairs(&self.dictionary, self.tokenizer);
        }
        let mut seen = HashSet::default();
        for token in tokens {
            let stem = stems::stem(&token).into_owned();
            if !seen.insert(stem.clone()) {
                continue;
            }
            let terms = self.stems.terms(&self.dictionary, &stem);
            if terms.iter().any(|term| self.is_held(*term)) {
                query.ask_for(token, terms);
            } else {
                self.ask_for_meant(&mut query, &token, &mut seen);
            }
        }
        query
    }

    /// The tokens that count and the text they come from: without the words
    /// that only ask and those that say little, unless nothing is left.
    fn words_asked_for(&self, text: &str) -> (Vec<String>, String) {
        let cleaned = words::without_interrogatives(text);
        let mut tokens = self.distinct_telling(&cleaned);
        tokens.retain(|token| !words::is_stop_word(token));
        if tokens.is_empty() {
            (self.distinct_telling(text), text.to_owned())
        } else {
            (tokens, cleaned.into_owned())
        }
    }

    /// The distinct tokens of a text without the single characters beside
    /// their pairs.
    fn distinct_telling(&self, text: &str) -> Vec<String> {
        let tokens = self.tokenizer.distinct(text);
        let (telling, others): (Vec<_>, Vec<_>) = tokens
            .into_iter()
            .partition(|token| self.tokenizer.is_telling(token));
        if telling.is_empty() { others } else { telling }
    }

    /// Takes the words that an unknown one may be meant for in its place.
    fn ask_for_meant(&mut self, query: &mut Query, token: &str, seen: &mut HashSet<String>) {
        self.lookups.take_in_words(&self.dictionary);
        for term in self.meant_by(token) {
            let word = self.dictionary.term(term).to_owned();
            let stem = stems::stem(&word).into_owned();
            let terms = self.stems.terms(&self.dictionary, &stem);
            if seen.insert(stem) {
                query.ask_for(word, terms);
            }
        }
    }

    fn is_held(&self, term: TermNumber) -> bool {
        self.live_postings(term).next().is_some()
    }
}

impl Query {
    fn ask_for(&mut self, word: String, terms: Vec<TermNumber>) {
        let number = self.stems.len();
        self.stem_of
            .extend(terms.iter().map(|term| (*term, number)));
        self.stems.push(QueryStem {
            word,
            terms,
            weight: 0.0,
        });
    }
}

fn distinct_cjk(text: &str) -> Vec<char> {
    let mut seen = HashMap::new();
    text.chars()
        .filter(|c| is_cjk(*c) && seen.insert(*c, ()).is_none())
        .collect()
}

fn asks_when(text: &str) -> bool {
    let first = text
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty());
    first.is_some_and(|word| word.eq_ignore_ascii_case("when"))
}
