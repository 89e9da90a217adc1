//! Reading single memories and listing them.

use std::cmp::Reverse;

use super::Vault;
use super::search::{Filter, SearchOptions};
use crate::error::Result;
use crate::memory::{Area, Memory, Status};

/// How many memories a page has where the call does not say.
const PAGE: u32 = 50;

/// Which memories to list, and which part of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BrowseOptions {
    /// Empty: every status.
    pub statuses: Vec<Status>,
    /// Empty: every kind.
    pub kinds: Vec<String>,
    /// All of these tags.
    pub tags: Vec<String>,
    /// Only this project.
    pub scope: Option<String>,
    /// Empty: every area.
    pub areas: Vec<Area>,
    /// How many to skip.
    pub offset: u32,
    /// At most so many; none for 50.
    pub limit: Option<u32>,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The memories, last updated first, then by id (contract §4,
    /// `listEntries`).
    pub memories: Vec<Memory>,
    /// How many there are on all pages together.
    pub total: u32,
}

impl Vault {
    /// Reads a memory.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for an unknown id or one of wrong shape;
    /// those of reading.
    pub fn get(&mut self, id: &str) -> Result<Memory> {
        let (environment, state) = self.fresh()?;
        let Some((number, _)) = state.index.find(id) else {
            return Err(state.unknown(id));
        };
        if let Some(memory) = state.read(environment, number)? {
            return Ok(memory);
        }
        // Its file was changed since the look: the index knows better now.
        let Some((number, _)) = state.index.find(id) else {
            return Err(state.unknown(id));
        };
        state
            .read(environment, number)?
            .ok_or_else(|| state.unknown(id))
    }

    /// Lists memories.
    ///
    /// # Errors
    /// Those of opening the vault and reading its files.
    pub fn browse(&mut self, options: &BrowseOptions) -> Result<Page> {
        let (environment, state) = self.fresh()?;
        let narrowed = SearchOptions {
            kinds: options.kinds.clone(),
            tags: options.tags.clone(),
            scope: options.scope.clone(),
            areas: options.areas.clone(),
            ..SearchOptions::default()
        };
        let Some(filter) = Filter::new(&state.index, &options.statuses, &narrowed) else {
            return Ok(Page::default());
        };
        let passing = state
            .index
            .documents()
            .filter(|(_, document)| filter.accepts(document));
        let mut listed: Vec<_> = passing
            .map(|(number, document)| (Reverse(document.updated), &document.id, number))
            .collect();
        listed.sort_unstable();
        let total = listed.len() as u32;
        let wanted = listed
            .into_iter()
            .skip(options.offset as usize)
            .take(options.limit.unwrap_or(PAGE) as usize);
        let mut memories = Vec::new();
        for number in wanted.map(|(_, _, number)| number).collect::<Vec<_>>() {
            memories.extend(state.read(environment, number)?);
        }
        Ok(Page { memories, total })
    }
}
