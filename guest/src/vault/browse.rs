//! Reading single memories and listing them.

use std::cmp::Reverse;

use super::Vault;
use super::reading::{Reading, Shown, settled};
use super::search::{Filter, SearchOptions};
use super::state::State;
use crate::environment::Environment;
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
    /// Reads a memory, by its id or that of one which was merged into it.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for an unknown id or one of wrong shape,
    /// [`crate::Error::InvalidArgument`] where ids are places and it leads out
    /// of the vault; those of reading.
    pub fn get(&mut self, id: &str) -> Result<Memory> {
        let (environment, state) = self.fresh()?;
        let id = &*state.read_id(id)?;
        for _ in 0..2 {
            let Some((number, _)) = state.index.answering_to(id) else {
                return Err(state.unknown(id));
            };
            match state.read(environment, number)? {
                Reading::Memory(memory) => return Ok(*memory),
                Reading::Unreadable(error) => return Err(error),
                // The index knows by now where it went, if anywhere.
                Reading::Gone => {}
            }
        }
        Err(state.unknown(id))
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
        settled(|| state.browse(environment, options, &narrowed))
    }
}

impl State {
    /// The page, and whether a file on it turned out to have changed since it
    /// was indexed.
    fn browse(
        &mut self,
        environment: &dyn Environment,
        options: &BrowseOptions,
        narrowed: &SearchOptions,
    ) -> Result<(Page, bool)> {
        let Some(filter) = Filter::new(&self.index, &options.statuses, narrowed) else {
            return Ok((Page::default(), false));
        };
        let documents = self.index.documents();
        let passing = documents.filter(|(_, document)| filter.accepts(document));
        let mut listed: Vec<_> = passing
            .map(|(number, document)| (Reverse(document.updated), &document.id, number))
            .collect();
        listed.sort_unstable();
        let mut page = Page {
            total: listed.len() as u32,
            memories: Vec::new(),
        };
        let numbers = listed.into_iter().map(|(_, _, number)| number);
        let (skipped, most) = (options.offset, options.limit.unwrap_or(PAGE));
        let numbers: Vec<_> = numbers.skip(skipped as usize).take(most as usize).collect();
        let mut changed = false;
        for number in numbers {
            match self.show(environment, number)? {
                Shown::Memory(memory) => page.memories.push(*memory),
                Shown::Changed => changed = true,
                Shown::Unreadable => {}
            }
        }
        Ok((page, changed))
    }
}
