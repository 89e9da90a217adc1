//! Which memories a recall considers, and in which order.

use std::collections::HashSet;

use super::packing::{Offer, Packing};
use super::{DropReason, RecallRequest};
use crate::environment::Environment;
use crate::error::Result;
use crate::index::Document;
use crate::index::recall::{Candidate, Factor, Query};
use crate::memory::{Area, Field, Memory, Status};
use crate::vault::reading::Shown;
use crate::vault::search::{Filter, SearchOptions};
use crate::vault::state::State;

/// Memories looked at beyond those asked for, so that small ones can fill
/// what large ones leave and the rest is told as dropped.
const SPARE: usize = 24;
/// So many times the memories asked for are read, where they have several
/// lines, for the order of the best.
const REREAD: usize = 4;

/// A memory that answers.
pub(super) struct Found {
    pub(super) id: String,
    pub(super) candidate: Candidate,
    /// Why it is left out whatever the room, if it is.
    pub(super) refusal: Option<DropReason>,
    /// The memory, where it was read for the order.
    pub(super) memory: Option<Box<Memory>>,
    pub(super) factors: Vec<Factor>,
}

impl Found {
    pub(super) fn ranked(&self) -> (String, f64) {
        (self.id.clone(), self.candidate.score)
    }
}

impl State {
    /// What can be recalled, best first, and a few of what cannot: those that
    /// the caller has already and those that are directives must not use up
    /// the places of the others. Also, whether a file among those read has
    /// changed since it was indexed.
    pub(super) fn found(
        &mut self,
        environment: &dyn Environment,
        text: &str,
        limit: usize,
        request: &RecallRequest,
    ) -> Result<(Vec<Found>, bool)> {
        let mut query = self.index.query(text);
        let [open, had] = self.candidates(&mut query, limit, request);
        let mut found = self.refused(had, request);
        let mut changed = false;
        for (place, candidate) in open.into_iter().enumerate() {
            let is_reread = place < limit.saturating_mul(REREAD);
            match self.open_one(environment, &query, candidate, is_reread)? {
                Some(one) => found.push(one),
                None => changed = true,
            }
        }
        if request.explain {
            for one in &mut found {
                one.factors = self.index.explain(&query, &one.candidate);
            }
        }
        self.sort(&mut found);
        Ok((found, changed))
    }

    fn candidates(
        &self,
        query: &mut Query,
        limit: usize,
        request: &RecallRequest,
    ) -> [Vec<Candidate>; 2] {
        let areas = match request.areas.as_slice() {
            [] => vec![Area::Active],
            given => given.to_vec(),
        };
        let options = SearchOptions {
            areas,
            ..SearchOptions::default()
        };
        let Some(filter) = Filter::new(&self.index, &[Status::Active], &options) else {
            return [Vec::new(), Vec::new()];
        };
        let scope = request
            .scope
            .as_deref()
            .map(|scope| self.index.symbol(scope));
        let excluded: HashSet<&str> = request.exclude.iter().map(String::as_str).collect();
        let is_had = |document: &Document| {
            self.kept_out(document).is_some() || excluded.contains(&*document.id)
        };
        let list = |document: &Document| {
            let in_scope =
                document.scope.is_none() || scope.is_none_or(|scope| scope == document.scope);
            (in_scope && filter.accepts(document)).then(|| usize::from(is_had(document)))
        };
        let most = limit
            .saturating_add(SPARE)
            .max(limit.saturating_mul(REREAD));
        self.index.recall(query, [most, SPARE], list)
    }

    /// Those that the caller has or that reach an agent otherwise.
    fn refused(&self, had: Vec<Candidate>, request: &RecallRequest) -> Vec<Found> {
        let refused = had.into_iter().filter_map(|candidate| {
            let document = self.index.document(candidate.document)?;
            let is_excluded = request.exclude.iter().any(|id| **id == *document.id);
            let excluded = is_excluded.then_some(DropReason::Excluded);
            Some(Found {
                id: document.id.to_string(),
                candidate,
                refusal: excluded.or_else(|| self.kept_out(document)),
                memory: None,
                factors: Vec::new(),
            })
        });
        refused.collect()
    }

    /// A candidate with the window over its own lines, where it has several
    /// and is to be read; none where its file has changed.
    fn open_one(
        &mut self,
        environment: &dyn Environment,
        query: &Query,
        candidate: Candidate,
        is_reread: bool,
    ) -> Result<Option<Found>> {
        let Some(document) = self.index.document(candidate.document) else {
            return Ok(None);
        };
        let mut found = Found {
            id: document.id.to_string(),
            candidate,
            refusal: None,
            memory: None,
            factors: Vec::new(),
        };
        if !is_reread || !document.has_lines() {
            return Ok(Some(found));
        }
        match self.show(environment, found.candidate.document)? {
            Shown::Memory(memory) => {
                let window = self.index.window_of_lines(query, &self.lines_of(&memory));
                found.candidate = found.candidate.with_window(window);
                found.memory = Some(memory);
            }
            Shown::Unreadable => found.refusal = Some(DropReason::Unreadable),
            Shown::Changed => return Ok(None),
        }
        Ok(Some(found))
    }

    /// What a memory says, as it was indexed.
    fn lines_of(&self, memory: &Memory) -> String {
        let fields = self.format.fields(memory).into_iter();
        let said = fields.filter(|(field, _)| matches!(field, Field::Summary | Field::Body));
        let texts: Vec<_> = said.map(|(_, text)| text.into_owned()).collect();
        texts.join("\n")
    }

    fn sort(&self, found: &mut [Found]) {
        let order = |found: &Found| {
            let document = self.index.document(found.candidate.document);
            document.map(|document| self.index.note_order(document))
        };
        found.sort_by(|a, b| {
            let by_score = b.candidate.score.total_cmp(&a.candidate.score);
            by_score.then_with(|| order(a).cmp(&order(b)))
        });
    }

    /// Takes a memory into the text or drops it; true where its file has
    /// changed since it was indexed.
    pub(super) fn consider(
        &mut self,
        environment: &dyn Environment,
        found: Found,
        packing: &mut Packing,
    ) -> Result<bool> {
        let score = found.candidate.score;
        if let Some(reason) = packing.refuses(found.refusal) {
            packing.drop(found.id, score, reason);
            return Ok(false);
        }
        let shown = match found.memory {
            Some(memory) => Shown::Memory(memory),
            None => self.show(environment, found.candidate.document)?,
        };
        match shown {
            Shown::Memory(memory) => packing.add(Offer {
                memory: self.as_said(*memory),
                score,
                factors: found.factors,
            }),
            Shown::Unreadable => packing.drop(found.id, score, DropReason::Unreadable),
            Shown::Changed => return Ok(true),
        }
        Ok(false)
    }

    /// Why a memory that is in force is not recalled, if it is not.
    fn kept_out(&self, document: &Document) -> Option<DropReason> {
        if self.is_directive(document) {
            Some(DropReason::Directive)
        } else if !self.is_sure(document) {
            Some(DropReason::LowConfidence)
        } else {
            None
        }
    }
}
