//! `links`: what a memory refers to, and what refers to it.
//!
//! No table of links is kept. Whoever refers to a memory by a name holds the
//! words of that name, so the index says which files to read, and only those
//! are parsed.

use std::collections::BTreeSet;

use super::Vault;
use super::names::Names;
use super::reading::{Reading, Shown, settled};
use super::state::State;
use crate::document::{Reference, references};
use crate::environment::{Environment, VaultPath};
use crate::error::Result;
use crate::format::Format;
use crate::index::DocumentNumber;
use crate::memory::Memory;

/// A connection between two memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The id of the memory that refers.
    pub source: String,
    /// The id of the memory referred to; none where nothing answers to that
    /// name.
    pub target: Option<String>,
    /// The reference as it stands in the text.
    pub text: String,
}

impl Vault {
    /// The references from a memory, in the order of its text, then those to
    /// it, by the ids of the memories they stand in. `id` may be that of a
    /// memory which was merged into another.
    ///
    /// Reads the memory and the files that hold all words of its id, of its
    /// file name, of its title or of an alias; of a name without words, such
    /// as `C`, every file.
    ///
    /// # Errors
    /// [`crate::Error::NotFound`] for an unknown id; those of opening the
    /// vault and of reading the memory itself. A file besides that cannot be
    /// read is left out.
    pub fn links(&mut self, id: &str) -> Result<Vec<Link>> {
        let (environment, state) = self.fresh()?;
        let id = state.read_id(id)?;
        settled(|| state.links(environment, &id))
    }
}

/// What a memory's text refers to.
struct Referring {
    id: String,
    path: VaultPath,
    references: Vec<Reference>,
}

impl State {
    /// The links, and whether a file turned out to have changed since it was
    /// indexed.
    fn links(&mut self, environment: &dyn Environment, id: &str) -> Result<(Vec<Link>, bool)> {
        let Some((number, _)) = self.index.answering_to(id) else {
            return Err(self.unknown(id));
        };
        let memory = match self.read(environment, number)? {
            Reading::Memory(memory) => *memory,
            Reading::Unreadable(error) => return Err(error),
            Reading::Gone => return Ok((Vec::new(), true)),
        };
        let (others, changed) = self.possibly_referring(environment, &memory)?;
        let names = Names::of(&self.index);
        let own = self.referring(&memory);
        let mut links: Vec<_> = own.links(&names).collect();
        let to_it = |link: &Link| link.target.as_deref() == Some(&*own.id);
        links.extend(
            others
                .iter()
                .flat_map(|other| other.links(&names))
                .filter(to_it),
        );
        Ok((links, changed))
    }

    /// The other memories that may refer to one, by id, and whether a file of
    /// theirs turned out to have changed.
    fn possibly_referring(
        &mut self,
        environment: &dyn Environment,
        memory: &Memory,
    ) -> Result<(Vec<Referring>, bool)> {
        let mut others = Vec::new();
        let mut changed = false;
        for number in self.holding_a_name_of(memory) {
            match self.show(environment, number)? {
                Shown::Memory(other) => others.push(self.referring(&other)),
                Shown::Changed => changed = true,
                Shown::Unreadable => {}
            }
        }
        others.sort_by(|a, b| a.id.cmp(&b.id));
        Ok((others, changed))
    }

    /// The other documents whose text holds all words of a name of a memory.
    fn holding_a_name_of(&self, memory: &Memory) -> BTreeSet<DocumentNumber> {
        let mut holding = BTreeSet::new();
        for name in names_of(memory) {
            match self.index.holding_all(name) {
                Some(numbers) => holding.extend(numbers),
                None => holding.extend(self.index.documents().map(|(number, _)| number)),
            }
        }
        if let Some((own, _)) = self.index.find(&memory.metadata.id) {
            holding.remove(&own);
        }
        holding
    }

    fn referring(&self, memory: &Memory) -> Referring {
        Referring {
            id: memory.metadata.id.clone(),
            path: memory.path.clone(),
            references: references_of(memory, self.format),
        }
    }
}

impl Referring {
    fn links<'a>(&'a self, names: &'a Names<'_>) -> impl Iterator<Item = Link> + 'a {
        self.references.iter().map(|reference| Link {
            source: self.id.clone(),
            target: names.resolve(reference, &self.path).map(str::to_owned),
            text: reference.text.clone(),
        })
    }
}

/// The references in a memory's text.
pub(super) fn references_of(memory: &Memory, format: &dyn Format) -> Vec<Reference> {
    references(
        &memory.body,
        |c| format.ends_word(c),
        |word| format.looks_like_id(word),
    )
}

/// The names a memory answers to, each once.
fn names_of(memory: &Memory) -> BTreeSet<&str> {
    let metadata = &memory.metadata;
    let file = memory.path.markdown_stem().unwrap_or(memory.path.name());
    let aliases = metadata.aliases.iter().map(String::as_str);
    let names = [metadata.id.as_str(), file, metadata.title.as_str()];
    let names = names.into_iter().chain(aliases);
    names.filter(|name| !name.trim().is_empty()).collect()
}
