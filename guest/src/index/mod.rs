//! The inverted index: which memories hold which terms, and how well they
//! answer a query.
//!
//! It sees documents with named fields and knows nothing of Markdown,
//! formats or changes. It is derived data: losing it costs a rebuild and
//! nothing else. Changing one document costs its own terms; the numbers of
//! removed documents stay behind as dead until the index is compacted.

mod best;
mod dictionary;
mod documents;
pub mod freshness;
mod holding;
mod postings;
mod ranking;
pub mod recall;
pub mod snapshot;
mod stems;

use std::borrow::Cow;
use std::collections::HashMap;

use dictionary::{Dictionary, TermNumber};
pub use documents::{Document, FileMark, Manner, Standing, Symbol};
use documents::{Documents, thousandths};
pub use postings::DocumentNumber;
use postings::{Counts, Postings};
pub use ranking::{Ranked, Similar, Weighing};
use recall::{Lookups, Order};
use stems::Stems;

use crate::memory::{Area, Field, Memory};
use crate::text::tokenizer::Tokenizer;

/// The index of a vault.
#[derive(Clone, Debug)]
pub struct Index {
    tokenizer: Tokenizer,
    weighing: Weighing,
    documents: Documents,
    dictionary: Dictionary,
    stems: Stems,
    postings: Vec<Postings>,
    /// The snapshot's bytes, which hold the sealed postings.
    sealed: Vec<u8>,
    symbols: Symbols,
    scratch: Scratch,
    order: Order,
    lookups: Lookups,
}

/// What the index is told of a memory beside what it says itself.
#[derive(Clone, Copy, Debug)]
pub struct Bearings {
    /// The part of the vault it lies in.
    pub area: Area,
    /// What its scores are multiplied with.
    pub prior: f64,
    /// Its file as it was read.
    pub mark: FileMark,
}

/// Whether a term of these counts stands in what a memory says: its summary
/// or its text.
fn is_said(counts: &Counts) -> bool {
    counts[Field::Summary as usize] + counts[Field::Body as usize] > 0
}

/// Shared words and their numbers.
#[derive(Clone, Debug, Default)]
struct Symbols {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Symbol, foldhash::fast::FixedState>,
}

/// Room to count the terms of one document in, kept between documents.
#[derive(Clone, Debug, Default)]
struct Scratch {
    /// For each term, one more than its place in `terms`; 0 where it has
    /// none.
    slots: Vec<u32>,
    terms: Vec<(TermNumber, Counts)>,
}

impl Index {
    /// An empty index for text cut by `tokenizer` and weighed by `weighing`.
    pub fn new(tokenizer: Tokenizer, weighing: Weighing) -> Self {
        Index {
            tokenizer,
            weighing,
            documents: Documents::default(),
            dictionary: Dictionary::default(),
            stems: Stems::default(),
            postings: Vec::new(),
            sealed: Vec::new(),
            symbols: Symbols::default(),
            scratch: Scratch::default(),
            order: Order::default(),
            lookups: Lookups::default(),
        }
    }

    /// Adds a memory, or takes it anew where its path is known already.
    pub fn insert(
        &mut self,
        memory: &Memory,
        fields: &[(Field, Cow<'_, str>)],
        bearings: Bearings,
    ) -> DocumentNumber {
        if let Some(known) = self.documents.at_path(memory.path.as_str()) {
            self.documents.remove(known);
        }
        let number = self.documents.len() as DocumentNumber;
        let lengths = self.count_terms(fields);
        let mut distinct = 0;
        for (term, counts) in self.scratch.terms.drain(..) {
            let telling = self.tokenizer.is_telling(self.dictionary.term(term));
            distinct += u32::from(telling && is_said(&counts));
            if let Some(slot) = self.scratch.slots.get_mut(term as usize) {
                *slot = 0;
            }
            if let Some(postings) = self.postings.get_mut(term as usize) {
                postings.push(number, &counts);
            }
        }
        let manner = recall::manner_of(fields, !memory.metadata.origin.is_empty());
        let document = self.describe(memory, bearings, lengths, distinct);
        self.order.distrust();
        self.documents.insert(Document { manner, ..document })
    }

    /// Takes the memory at a path out of the index.
    pub fn remove(&mut self, path: &str) -> bool {
        let known = self.documents.at_path(path);
        if let Some(number) = known {
            self.documents.remove(number);
            self.order.distrust();
        }
        known.is_some()
    }

    /// How many memories it holds.
    pub fn len(&self) -> usize {
        self.documents.live()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The document of a number.
    pub fn document(&self, number: DocumentNumber) -> Option<&Document> {
        self.documents.get(number)
    }

    /// The document that answers to an id.
    pub fn find(&self, id: &str) -> Option<(DocumentNumber, &Document)> {
        let number = self.documents.of_id(id)?;
        Some((number, self.documents.get(number)?))
    }

    /// The document of an id; where there is none, the first by id that has it
    /// for an alias.
    pub fn answering_to(&self, name: &str) -> Option<(DocumentNumber, &Document)> {
        let has_alias = |document: &Document| document.aliases.iter().any(|alias| **alias == *name);
        self.find(name).or_else(|| {
            let known = self.documents().filter(|(_, document)| has_alias(document));
            known.min_by_key(|(_, document)| &document.id)
        })
    }

    /// The document at a path, shadowed or not.
    pub fn at_path(&self, path: &str) -> Option<(DocumentNumber, &Document)> {
        let number = self.documents.at_path(path)?;
        Some((number, self.documents.get(number)?))
    }

    /// All documents that answer to their ids.
    pub fn documents(&self) -> impl Iterator<Item = (DocumentNumber, &Document)> {
        self.files()
            .filter(|(_, document)| document.standing == Standing::Live)
    }

    /// All documents with a file, shadowed ones too.
    pub fn files(&self) -> impl Iterator<Item = (DocumentNumber, &Document)> {
        let numbered = (0..).zip(self.documents.all());
        numbered.filter(|(_, document)| document.standing != Standing::Dead)
    }

    /// Notes a file as it was seen last, its content unchanged.
    pub fn mark(&mut self, number: DocumentNumber, mark: FileMark) {
        self.documents.mark(number, mark);
    }

    /// The word of a symbol.
    pub fn word(&self, symbol: Symbol) -> &str {
        self.symbols
            .names
            .get(symbol as usize)
            .map_or("", |name| name)
    }

    /// The symbol of a word, if any document has it.
    pub fn symbol(&self, word: &str) -> Option<Symbol> {
        self.symbols.numbers.get(word).copied()
    }

    /// Mean length of a document in tokens, six decimals (contract §2).
    pub fn mean_length(&self) -> f64 {
        if self.is_empty() {
            return 0.0;
        }
        (self.documents.total_length() as f64 / self.len() as f64 * 1e6).round() / 1e6
    }

    /// Every term that a live document holds, with those documents and the
    /// count in all fields together, by term and then by id.
    ///
    /// # Errors
    /// Whatever `visit` answers.
    pub fn each_term<E>(
        &self,
        mut visit: impl FnMut(&str, &[(&str, u32)]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (ids, places) = self.by_id();
        let mut placed: Vec<(u32, u32)> = Vec::new();
        let mut list = Vec::new();
        for term in self.dictionary.sorted() {
            placed.clear();
            placed.extend(
                self.live_postings(term)
                    .map(|(number, counts)| (places[number as usize], counts.iter().sum())),
            );
            placed.sort_unstable();
            list.clear();
            list.extend(
                placed
                    .iter()
                    .map(|(place, count)| (ids[*place as usize], *count)),
            );
            if !list.is_empty() {
                visit(self.dictionary.term(term), &list)?;
            }
        }
        Ok(())
    }

    /// The ids of all live documents in order, and for each document's number
    /// the place of its id among them.
    fn by_id(&self) -> (Vec<&str>, Vec<u32>) {
        let mut live: Vec<_> = self
            .documents()
            .map(|(number, document)| (&*document.id, number))
            .collect();
        live.sort_unstable();
        let mut places = vec![0; self.documents.len()];
        for (place, (_, number)) in (0..).zip(&live) {
            places[*number as usize] = place;
        }
        (live.into_iter().map(|(id, _)| id).collect(), places)
    }

    /// Whether every document can be found at its path again, and of those
    /// that claim an id just one answers to it; a check of the table against
    /// itself.
    pub fn is_consistent(&self) -> bool {
        let is_found =
            |number, document: &Document| self.documents.at_path(&document.path) == Some(number);
        let stands = |number, document: &Document| {
            let answering = self.documents.of_id(&document.id);
            answering.is_some()
                && (answering == Some(number)) == (document.standing == Standing::Live)
        };
        self.documents().count() == self.len()
            && self
                .files()
                .all(|(number, document)| is_found(number, document) && stands(number, document))
    }

    /// Drops what removed documents left behind, once it is a quarter of
    /// everything and at least a thousand documents.
    pub(crate) fn compact_if_worthwhile(&mut self) {
        let dead = self.documents.dead();
        if dead >= 1_000 && dead * 4 >= self.documents.len() {
            self.compact();
        }
    }

    /// Drops what removed documents left behind and numbers the others anew.
    fn compact(&mut self) {
        let mut renumbered = vec![None; self.documents.len()];
        let mut kept = Vec::new();
        for (number, document) in self.files() {
            if let Some(place) = renumbered.get_mut(number as usize) {
                *place = Some(kept.len() as DocumentNumber);
            }
            kept.push(document.clone());
        }
        let mut dictionary = Dictionary::default();
        let mut stems = Stems::default();
        let mut postings = Vec::new();
        for (term, list) in (0..).zip(&self.postings) {
            let mut fresh = Postings::default();
            for (number, counts) in list.read(&self.sealed) {
                if let Some(Some(number)) = renumbered.get(number as usize) {
                    fresh.push(*number, &counts);
                }
            }
            if !fresh.tail.is_empty() {
                dictionary.insert(self.dictionary.term(term));
                stems.add(self.dictionary.term(term));
                postings.push(fresh);
            }
        }
        self.documents = Documents::restore(kept);
        self.dictionary = dictionary;
        self.stems = stems;
        self.postings = postings;
        self.sealed = Vec::new();
        self.scratch = Scratch::default();
        self.order = Order::default();
        self.lookups = Lookups::default();
    }

    /// The postings of a term whose documents take part in answers.
    fn live_postings(
        &self,
        term: TermNumber,
    ) -> impl Iterator<Item = (DocumentNumber, Counts)> + '_ {
        let list = self.postings.get(term as usize);
        let read = list.into_iter().flat_map(|list| list.read(&self.sealed));
        read.filter(|(number, _)| self.documents.live_length(*number).is_some())
    }

    /// Counts the terms of a document into the scratch and returns the
    /// length of each field.
    fn count_terms(&mut self, fields: &[(Field, Cow<'_, str>)]) -> [u32; Field::COUNT] {
        let mut lengths = [0; Field::COUNT];
        let Index {
            tokenizer,
            dictionary,
            stems,
            postings,
            scratch,
            ..
        } = self;
        for (field, text) in fields {
            let field = *field as usize;
            tokenizer.each(text, &mut |token| {
                lengths[field] += 1;
                let term = dictionary.insert(token);
                if term as usize >= stems.len() {
                    stems.add(token);
                }
                if term as usize >= postings.len() {
                    postings.resize_with(term as usize + 1, Postings::default);
                }
                scratch.count(term, field);
            });
        }
        lengths
    }

    fn describe(
        &mut self,
        memory: &Memory,
        bearings: Bearings,
        lengths: [u32; Field::COUNT],
        distinct: u32,
    ) -> Document {
        let metadata = &memory.metadata;
        let created = (!memory.assumed.created).then(|| metadata.created.millis());
        let updated = (!memory.assumed.updated).then(|| metadata.updated.millis());
        let origin = Some(metadata.origin.as_str()).filter(|origin| !origin.is_empty());
        let thread = match (origin, created) {
            (Some(origin), _) => Some(self.symbols.insert(origin)),
            (None, Some(_)) => Some(self.symbols.insert(&metadata.created.local_date(0))),
            (None, None) => None,
        };
        Document {
            id: metadata.id.as_str().into(),
            path: memory.path.as_str().into(),
            title: metadata.title.as_str().into(),
            aliases: metadata
                .aliases
                .iter()
                .map(|alias| alias.as_str().into())
                .collect(),
            kind: self.symbols.insert(&metadata.kind),
            tags: metadata
                .tags
                .iter()
                .map(|tag| self.symbols.insert(tag))
                .collect(),
            scope: metadata
                .scope
                .as_deref()
                .map(|scope| self.symbols.insert(scope)),
            status: metadata.status,
            area: bearings.area,
            prior: thousandths(bearings.prior),
            delivery: metadata.delivery,
            pinned: metadata.pinned,
            confidence: thousandths(metadata.confidence),
            status_assumed: memory.assumed.status,
            repaired: !memory.repairs.is_empty(),
            importance: metadata.importance,
            updated: metadata.updated.millis(),
            created,
            known_since: updated.or(created),
            thread,
            in_conversation: origin.is_some(),
            manner: Manner::default(),
            lengths,
            distinct,
            mark: bearings.mark,
            standing: Standing::Live,
        }
    }
}

impl Symbols {
    fn insert(&mut self, word: &str) -> Symbol {
        if let Some(symbol) = self.numbers.get(word) {
            return *symbol;
        }
        let symbol = self.names.len() as Symbol;
        self.names.push(word.into());
        self.numbers.insert(word.into(), symbol);
        symbol
    }

    fn restore(names: Vec<Box<str>>) -> Self {
        let numbers = names.iter().cloned().zip(0..).collect();
        Symbols { names, numbers }
    }
}

impl Scratch {
    fn count(&mut self, term: TermNumber, field: usize) {
        let at = term as usize;
        if at >= self.slots.len() {
            self.slots.resize(at + 1, 0);
        }
        if self.slots[at] == 0 {
            self.terms.push((term, Counts::default()));
            self.slots[at] = self.terms.len() as u32;
        }
        self.terms[self.slots[at] as usize - 1].1[field] += 1;
    }
}
