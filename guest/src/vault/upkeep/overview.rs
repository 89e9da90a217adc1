//! `overview`: the state of the vault.

use std::collections::BTreeMap;

use crate::environment::Environment;
use crate::error::Result;
use crate::index::{Document, Standing};
use crate::memory::{Area, Status};
use crate::vault::Vault;
use crate::vault::reading::Reading;
use crate::vault::state::State;

/// How many repaired files are told of one by one.
const REPAIRED_SHOWN: usize = 20;
/// How many groups and memories are named where there are too many.
const CROWDED_SHOWN: usize = 5;

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
    /// Entries in the staging pool.
    pub staged: u32,
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
        let (staged, pool_fault) = match state.staged(environment) {
            Ok(staged) => (staged, None),
            Err(error) => (0, Some(format!("the staging pool cannot be read: {error}"))),
        };
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
            kinds: symbols(&|document| {
                Some(document.kind).filter(|kind| !index.word(*kind).is_empty())
            }),
            scopes: symbols(&|document| {
                document.scope.filter(|_| document.status == Status::Active)
            }),
            directives: documents()
                .filter(|document| state.is_directive(document))
                .count() as u32,
            staged: staged as u32,
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
                .chain(state.config_note())
                .chain(pool_fault)
                .chain(state.pool_note(staged))
                .chain(state.crowding())
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

impl State {
    fn config_note(&self) -> Option<String> {
        (self.is_config_broken && self.obstacle.is_none()).then(|| {
            format!(
                "{} is no JSON: its settings do nothing until it is corrected",
                self.private.config()
            )
        })
    }

    fn pool_note(&self, staged: usize) -> Option<String> {
        let pool = self.format.pool().filter(|_| staged > 0)?;
        Some(format!(
            "{staged} in the staging pool {}: go through them, and promote or drop each",
            pool.file()
        ))
    }

    /// What a person should know of more active memories than there should
    /// be: the largest groups, and those that nobody touched for longest
    /// (simple memory design §三.7). Nothing is done about it here.
    fn crowding(&self) -> Option<String> {
        let most = self.format.capabilities().most_active?;
        let documents = self.index.documents().map(|(_, document)| document);
        let mut active: Vec<_> = documents
            .filter(|document| document.area == Area::Active && document.status == Status::Active)
            .collect();
        if active.len() <= most {
            return None;
        }
        let group = |document: &&Document| {
            let directory = document.path().parent();
            let directory = if directory.is_root() {
                ".".to_owned()
            } else {
                directory.to_string()
            };
            format!("{directory} {}", self.index.word(document.kind))
                .trim()
                .to_owned()
        };
        let groups: Vec<_> = active.iter().map(group).collect();
        let mut groups = counted(groups.iter().map(String::as_str));
        groups.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        let groups = groups.iter().take(CROWDED_SHOWN);
        let groups: Vec<_> = groups
            .map(|group| format!("{} ({})", group.name, group.count))
            .collect();
        active.sort_by(|a, b| (a.updated, &a.id).cmp(&(b.updated, &b.id)));
        let oldest = active.iter().take(CROWDED_SHOWN);
        let oldest: Vec<_> = oldest.map(|document| document.id.to_string()).collect();
        Some(format!(
            "{} active memories, more than the {most} that can be kept in view: merge, forget, promote or delete some. \
             Largest groups: {}. Untouched for longest: {}.",
            active.len(),
            groups.join(", "),
            oldest.join(", ")
        ))
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
