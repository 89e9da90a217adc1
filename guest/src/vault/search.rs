//! `search`: memories by their words.

use std::collections::BTreeSet;

use super::Vault;
use super::reading::{Shown, settled};
use super::state::State;
use crate::environment::Environment;
use crate::error::Result;
use crate::index::{Document, Index, Symbol};
use crate::memory::{Area, Memory, Status};
use crate::text::snippet;

/// Longest snippet in characters.
const SNIPPET: usize = 160;

/// What to search in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// At most so many hits; none for the setting's.
    pub limit: Option<u32>,
    /// Empty: active, pending and in conflict.
    pub statuses: Vec<Status>,
    /// Empty: every kind.
    pub kinds: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Only this project.
    pub scope: Option<String>,
    /// Empty: every area.
    pub areas: Vec<Area>,
}

/// A memory that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// Its score, six decimals.
    pub score: f64,
    /// The part of its text that matches best.
    pub snippet: String,
    /// Terms of the query that occur in it.
    pub matched_terms: Vec<String>,
    /// The part of the vault it lies in.
    pub area: Area,
}

impl Vault {
    /// Finds memories by their words, best first, equal scores by id; by
    /// title, tags and body with the contract's BM25 (§2) in `inkvault`. In
    /// `simple` those of cold areas are found too, after all others (simple
    /// memory design §三.5).
    ///
    /// # Errors
    /// Those of opening the vault and reading its files.
    pub fn search(&mut self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>> {
        let (environment, state) = self.fresh()?;
        let mut unreadable = BTreeSet::new();
        settled(|| state.search(environment, query, options, &mut unreadable))
    }
}

impl State {
    /// The hits, and whether a file among them turned out to have changed
    /// since it was indexed, or cannot be read and is passed over from now
    /// on.
    fn search(
        &mut self,
        environment: &dyn Environment,
        query: &str,
        options: &SearchOptions,
        unreadable: &mut BTreeSet<String>,
    ) -> Result<(Vec<Hit>, bool)> {
        let limit = options.limit.unwrap_or(self.settings.search_max_items) as usize;
        let searches_cold = self.format.capabilities().searches_cold;
        let statuses = match options.statuses.as_slice() {
            [] if searches_cold => &[Status::Active, Status::Archived][..],
            [] => &[Status::Active, Status::Pending, Status::Conflict],
            given => given,
        };
        let Some(filter) = Filter::new(&self.index, statuses, options) else {
            return Ok((Vec::new(), false));
        };
        let accepts =
            |document: &Document| filter.accepts(document) && !unreadable.contains(&*document.id);
        let list = |document: &Document| {
            let comes_last = searches_cold && document.area == Area::Cold;
            accepts(document).then(|| usize::from(comes_last))
        };
        let limits = [limit, if searches_cold { limit } else { 0 }];
        let [mut ranked, cold] = self.index.search_sorted(query, limits, list);
        ranked.extend(cold);
        ranked.truncate(limit);
        let terms = self.format.tokenizer().distinct(query);
        let mut hits = Vec::with_capacity(ranked.len());
        let mut changed = false;
        for ranked in ranked {
            let Some(document) = self.index.document(ranked.document) else {
                continue;
            };
            let (area, id) = (document.area, document.id.to_string());
            match self.show(environment, ranked.document)? {
                Shown::Memory(memory) => hits.push(self.hit(*memory, area, ranked.score, &terms)),
                Shown::Changed => changed = true,
                Shown::Unreadable => changed |= unreadable.insert(id),
            }
        }
        Ok((hits, changed))
    }

    fn hit(&self, memory: Memory, area: Area, score: f64, terms: &[String]) -> Hit {
        let tokenizer = self.format.tokenizer();
        let fields = self.format.fields(&memory);
        let texts: Vec<_> = fields.iter().map(|(_, text)| text.as_ref()).collect();
        let matched_terms = snippet::matched_terms(&texts.join("\n"), terms, tokenizer);
        let snippet = snippet::snippet(&self.format.said(&memory), terms, tokenizer, SNIPPET);
        Hit {
            memory,
            score,
            snippet,
            matched_terms,
            area,
        }
    }
}

/// Filters that the document table can answer.
pub(super) struct Filter {
    statuses: Vec<Status>,
    kinds: Vec<Symbol>,
    tags: Vec<Symbol>,
    scope: Option<Symbol>,
    areas: Vec<Area>,
}

impl Filter {
    /// The filter of some options; none where no document can pass it.
    pub(super) fn new(index: &Index, statuses: &[Status], options: &SearchOptions) -> Option<Self> {
        let kinds: Vec<_> = options
            .kinds
            .iter()
            .filter_map(|kind| index.symbol(kind))
            .collect();
        if kinds.is_empty() && !options.kinds.is_empty() {
            return None;
        }
        let tags: Option<Vec<_>> = options.tags.iter().map(|tag| index.symbol(tag)).collect();
        let scope = match &options.scope {
            Some(scope) => Some(index.symbol(scope)?),
            None => None,
        };
        Some(Filter {
            statuses: statuses.to_vec(),
            kinds,
            tags: tags?,
            scope,
            areas: options.areas.clone(),
        })
    }

    /// Whether a document passes.
    pub(super) fn accepts(&self, document: &Document) -> bool {
        (self.statuses.is_empty() || self.statuses.contains(&document.status))
            && (self.kinds.is_empty() || self.kinds.contains(&document.kind))
            && self.tags.iter().all(|tag| document.tags.contains(tag))
            && (self.scope.is_none() || self.scope == document.scope)
            && (self.areas.is_empty() || self.areas.contains(&document.area))
    }
}
