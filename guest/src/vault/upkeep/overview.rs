//! `overview`: the state of the vault.

use std::collections::BTreeMap;

use crate::environment::Environment;
use crate::error::Result;
use crate::index::{Document, Standing};
use crate::memory::Status;
use crate::vault::Vault;
use crate::vault::reading::Reading;
use crate::vault::state::State;

/// How many repaired files are told of one by one.
const REPAIRED_SHOWN: usize = 20;

/// A number for a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// A status, kind or project.
    pub name: String,
    /// How many.
    pub count: u32,
}

/// A file that holds no usable memory although it should.
#[derive(Clone, Debug, PartialEq)]
pub struct BadFile {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A memory's file that was read with repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedFile {
    /// The file.
    pub path: String,
    /// What was wrong with it, each with what was assumed instead.
    pub repairs: Vec<String>,
}

/// Files that claim one id.
#[derive(Clone, Debug, PartialEq)]
pub struct DuplicateId {
    /// The id.
    pub id: String,
    /// The files, in code-unit order; the first is used.
    pub paths: Vec<String>,
}

/// The state of a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Overview {
    /// Its format.
    pub format: String,
    /// Language of generated text.
    pub language: String,
    /// Whether it can only be read.
    pub read_only: bool,
    /// How many memories there are.
    pub memories: u32,
    /// By status.
    pub statuses: Vec<Count>,
    /// By kind.
    pub kinds: Vec<Count>,
    /// By project.
    pub scopes: Vec<Count>,
    /// Memories in the directive block.
    pub directives: u32,
    /// Files that were passed over.
    pub ignored: u32,
    /// Memories read with repairs.
    pub repaired: u32,
    /// The first of them by path.
    pub repaired_files: Vec<RepairedFile>,
    /// Files that could not be used.
    pub bad_files: Vec<BadFile>,
    /// Ids that several files claim.
    pub duplicates: Vec<DuplicateId>,
    /// Directory of forgotten memories, in formats that have one.
    pub trash: Option<String>,
    /// Position of the last change in the feed.
    pub feed_position: u64,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl Vault {
    /// Describes the vault.
    ///
    /// # Errors
    /// Those of opening the vault and reading its directories.
    pub fn overview(&mut self) -> Result<Overview> {
        let (environment, state) = self.fresh()?;
        state.reconsider_obstacle(environment)?;
        let repaired_files = state.repaired_files(environment)?;
        let index = &state.index;
        let documents = || index.documents().map(|(_, document)| document);
        let statuses = Status::ALL.map(|status| Count {
            name: status.name().to_owned(),
            count: documents()
                .filter(|document| document.status == status)
                .count() as u32,
        });
        let symbols = |symbol: &dyn Fn(&Document) -> Option<u32>| {
            counted(
                documents()
                    .filter_map(|document| symbol(document).map(|symbol| index.word(symbol))),
            )
        };
        Ok(Overview {
            format: state.format.name().to_owned(),
            language: state.settings.language.code().to_owned(),
            read_only: environment.is_read_only() || state.obstacle.is_some(),
            memories: index.len() as u32,
            statuses: statuses
                .into_iter()
                .filter(|status| status.count > 0)
                .collect(),
            kinds: symbols(&|document| Some(document.kind)),
            scopes: symbols(&|document| document.scope),
            directives: documents()
                .filter(|document| state.is_directive(document))
                .count() as u32,
            ignored: state
                .skipped
                .values()
                .filter(|skipped| skipped.fault.is_none())
                .count() as u32,
            repaired: documents().filter(|document| document.repaired).count() as u32,
            repaired_files,
            bad_files: bad_files(state),
            duplicates: duplicates(state),
            trash: state.format.capabilities().trash.map(str::to_owned),
            feed_position: state.feed.position(),
            notes: state
                .settings_notes
                .iter()
                .chain(&state.obstacle)
                .chain(&state.notes)
                .cloned()
                .collect(),
        })
    }
}

impl State {
    /// The first memories by path that were read with repairs, and what those
    /// were. A file that cannot be read now is left out.
    fn repaired_files(&mut self, environment: &dyn Environment) -> Result<Vec<RepairedFile>> {
        let repaired = self.index.documents();
        let repaired = repaired.filter(|(_, document)| document.repaired);
        let mut listed: Vec<_> = repaired
            .map(|(number, document)| (document.path.clone(), number))
            .collect();
        listed.sort_unstable();
        let mut files = Vec::new();
        for (path, number) in listed.into_iter().take(REPAIRED_SHOWN) {
            if let Reading::Memory(memory) = self.read(environment, number)? {
                files.push(RepairedFile {
                    path: path.into(),
                    repairs: memory.repairs,
                });
            }
        }
        Ok(files)
    }
}

/// The files that hold no usable memory, by path.
pub(super) fn bad_files(state: &State) -> Vec<BadFile> {
    let faulty = state
        .skipped
        .iter()
        .filter_map(|(path, skipped)| Some((path, skipped.fault.as_ref()?)));
    faulty
        .map(|(path, reason)| BadFile {
            path: path.clone(),
            reason: reason.clone(),
        })
        .collect()
}

/// The ids that several files claim, with those files.
pub(super) fn duplicates(state: &State) -> Vec<DuplicateId> {
    let files = || state.index.files().map(|(_, document)| document);
    let mut claims: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for document in files().filter(|document| document.standing == Standing::Shadowed) {
        claims.entry(&document.id).or_default();
    }
    if claims.is_empty() {
        return Vec::new();
    }
    for document in files() {
        if let Some(paths) = claims.get_mut(&*document.id) {
            paths.push(document.path.to_string());
        }
    }
    let sorted = |mut paths: Vec<String>| {
        paths.sort_unstable();
        paths
    };
    claims
        .into_iter()
        .map(|(id, paths)| DuplicateId {
            id: id.to_owned(),
            paths: sorted(paths),
        })
        .collect()
}

fn counted<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Count> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
        .into_iter()
        .map(|(name, count)| Count {
            name: name.to_owned(),
            count,
        })
        .collect()
}
