//! The document table: what the index knows of each memory's file without
//! reading it.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Serialize};

use super::postings::DocumentNumber;
use crate::environment::{Stat, VaultPath};
use crate::memory::{Area, Delivery, Field, Status};

/// A word that many documents share: a kind, tag, project or thread.
pub type Symbol = u32;

/// What is remembered of a file to see that it has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Size in bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime: u64,
    /// FNV-1a of the content.
    pub checksum: u64,
    /// Whether the file was clearly older than the look at it. If not, a
    /// change in the same tick of the clock could hide behind an equal time.
    pub settled: bool,
}

impl FileMark {
    /// Whether a stat says that nothing has changed, beyond doubt.
    pub fn still_holds(&self, stat: &Stat) -> bool {
        self.settled && self.size == stat.size && self.mtime == stat.mtime
    }
}

/// Whether a document takes part in answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// It does.
    Live,
    /// Another file claims the same id and comes first.
    Shadowed,
    /// Its file is gone or was read anew under another number.
    Dead,
}

/// What the text of a document is like, as far as its order among others
/// depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manner {
    /// Lines that are not blank.
    pub lines: u32,
    /// Whether it contains a question mark.
    pub asks: bool,
    /// Whether it ends with one.
    pub ends_asking: bool,
    /// Whether it says when something was; told of conversations only.
    pub tells_time: bool,
}

/// One memory's file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Document {
    /// The memory's id.
    pub id: Box<str>,
    /// Its file.
    pub path: Box<str>,
    /// Its title.
    pub title: Box<str>,
    /// Its other names.
    pub aliases: Box<[Box<str>]>,
    /// Its kind.
    pub kind: Symbol,
    /// Its tags.
    pub tags: Box<[Symbol]>,
    /// Its project.
    pub scope: Option<Symbol>,
    /// Its status.
    pub status: Status,
    /// The part of the vault it lies in.
    pub area: Area,
    /// What its scores are multiplied with, in thousandths.
    pub prior: u16,
    /// How it is delivered.
    pub delivery: Delivery,
    /// Whether it is kept in view.
    pub pinned: bool,
    /// How sure it is, in thousandths.
    pub confidence: u16,
    /// Whether a status stood there and was none; see `Assumptions`.
    pub status_assumed: bool,
    /// Whether it was read with repairs.
    pub repaired: bool,
    /// How much it matters, 0 to 100, where it says so.
    pub importance: Option<u8>,
    /// When it was last changed, milliseconds since 1970.
    pub updated: i64,
    /// When it was first written, milliseconds since 1970; none where that
    /// was only assumed.
    pub created: Option<i64>,
    /// When it is known to have been changed last, milliseconds since 1970.
    pub known_since: Option<i64>,
    /// The conversation it came from, else the day it was first written on.
    pub thread: Option<Symbol>,
    /// Whether its thread is a conversation.
    pub in_conversation: bool,
    /// What its text is like.
    pub manner: Manner,
    /// Tokens in each field.
    pub lengths: [u32; Field::COUNT],
    /// Distinct telling terms of what it says.
    pub distinct: u32,
    /// The file as it was read.
    pub mark: FileMark,
    /// Whether it takes part in answers.
    pub standing: Standing,
}

impl Document {
    /// Its file.
    pub fn path(&self) -> VaultPath {
        VaultPath::known(&*self.path)
    }

    /// Tokens of what it says: summary and text.
    pub fn said_length(&self) -> u32 {
        self.lengths[Field::Summary as usize] + self.lengths[Field::Body as usize]
    }

    /// Whether its text has several lines, which are then context of each
    /// other.
    pub fn has_lines(&self) -> bool {
        self.manner.lines > 1
    }

    /// Tokens in all fields together.
    pub fn length(&self) -> u32 {
        self.lengths.iter().sum()
    }
}

/// All documents, found by number, path or id.
#[derive(Clone, Debug, Default)]
pub(super) struct Documents {
    all: Vec<Document>,
    by_path: HashTable<DocumentNumber>,
    by_id: HashTable<DocumentNumber>,
    /// Tokens of each that is live, by number: what a query asks of every
    /// document it meets, close together.
    live_lengths: Vec<Option<u32>>,
    live: usize,
    total_length: u64,
    dead: usize,
}

impl Documents {
    /// The table of documents that were there before.
    pub(super) fn restore(all: Vec<Document>) -> Self {
        let mut documents = Documents {
            by_path: HashTable::with_capacity(all.len()),
            by_id: HashTable::with_capacity(all.len()),
            live_lengths: vec![None; all.len()],
            all,
            ..Self::default()
        };
        for number in 0..documents.all.len() as DocumentNumber {
            documents.enter(number);
        }
        documents
    }

    /// How many numbers were given.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// How many take part in answers.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    /// How many numbers are of no more use.
    pub(super) fn dead(&self) -> usize {
        self.dead
    }

    /// Tokens of all live documents.
    pub(super) fn total_length(&self) -> u64 {
        self.total_length
    }

    /// Tokens of a document; none where it is not live.
    pub(super) fn live_length(&self, number: DocumentNumber) -> Option<u32> {
        self.live_lengths.get(number as usize).copied().flatten()
    }

    /// What a document's scores are multiplied with.
    pub(super) fn prior(&self, number: DocumentNumber) -> f64 {
        self.get(number)
            .map_or(1.0, |document| f64::from(document.prior) / 1_000.0)
    }

    /// All, dead ones too, by number.
    pub(super) fn all(&self) -> &[Document] {
        &self.all
    }

    /// The document of a number.
    pub(super) fn get(&self, number: DocumentNumber) -> Option<&Document> {
        self.all.get(number as usize)
    }

    /// The document at a path that is not dead.
    pub(super) fn at_path(&self, path: &str) -> Option<DocumentNumber> {
        self.by_path
            .find(hash(path), |number| self.is_at(*number, path))
            .copied()
    }

    /// All documents that claim an id and are not dead.
    pub(super) fn claiming(&self, id: &str) -> Vec<DocumentNumber> {
        let same = self.by_id.iter_hash(hash(id)).copied();
        same.filter(|number| {
            self.get(*number)
                .is_some_and(|document| *document.id == *id)
        })
        .collect()
    }

    /// The live document of an id.
    pub(super) fn of_id(&self, id: &str) -> Option<DocumentNumber> {
        self.claiming(id)
            .into_iter()
            .find(|number| self.is_live(*number))
    }

    /// Adds a document; of those with its id, the first by path is live.
    pub(super) fn insert(&mut self, document: Document) -> DocumentNumber {
        let number = self.all.len() as DocumentNumber;
        let id = document.id.clone();
        self.all.push(Document {
            standing: Standing::Shadowed,
            ..document
        });
        self.live_lengths.push(None);
        self.enter(number);
        self.settle(&id);
        number
    }

    /// Marks a document dead; of the others with its id, the first by path
    /// is live from now on.
    pub(super) fn remove(&mut self, number: DocumentNumber) {
        let Some(document) = self
            .get(number)
            .filter(|document| document.standing != Standing::Dead)
        else {
            return;
        };
        let (id, path) = (document.id.clone(), document.path.clone());
        if let Ok(entry) = self
            .by_path
            .find_entry(hash(&path), |other| *other == number)
        {
            entry.remove();
        }
        if let Ok(entry) = self.by_id.find_entry(hash(&id), |other| *other == number) {
            entry.remove();
        }
        self.stand(number, Standing::Dead);
        self.dead += 1;
        self.settle(&id);
    }

    /// Notes the file as it was seen last.
    pub(super) fn mark(&mut self, number: DocumentNumber, mark: FileMark) {
        if let Some(document) = self.all.get_mut(number as usize) {
            document.mark = mark;
        }
    }

    fn enter(&mut self, number: DocumentNumber) {
        let Some(document) = self.all.get(number as usize) else {
            return;
        };
        match document.standing {
            Standing::Dead => {
                self.dead += 1;
                return;
            }
            Standing::Live => {
                self.live += 1;
                self.total_length += u64::from(document.length());
                if let Some(length) = self.live_lengths.get_mut(number as usize) {
                    *length = Some(document.length());
                }
            }
            Standing::Shadowed => {}
        }
        let (path, id) = (hash(&document.path), hash(&document.id));
        let all = &self.all;
        let key = |number: &DocumentNumber, of: fn(&Document) -> &str| {
            all.get(*number as usize)
                .map_or(0, |document| hash(of(document)))
        };
        self.by_path.insert_unique(path, number, |number| {
            key(number, |document| &document.path)
        });
        self.by_id
            .insert_unique(id, number, |number| key(number, |document| &document.id));
    }

    fn settle(&mut self, id: &str) {
        let claiming = self.claiming(id);
        let first = claiming
            .iter()
            .copied()
            .min_by(|a, b| self.path_of(*a).cmp(self.path_of(*b)));
        for number in claiming {
            let standing = if Some(number) == first {
                Standing::Live
            } else {
                Standing::Shadowed
            };
            self.stand(number, standing);
        }
    }

    fn stand(&mut self, number: DocumentNumber, standing: Standing) {
        let Some(document) = self.all.get_mut(number as usize) else {
            return;
        };
        let was = std::mem::replace(&mut document.standing, standing);
        if let Some(length) = self.live_lengths.get_mut(number as usize) {
            *length = (standing == Standing::Live).then(|| document.length());
        }
        let length = u64::from(document.length());
        if was == Standing::Live && standing != Standing::Live {
            self.live -= 1;
            self.total_length -= length;
        } else if was != Standing::Live && standing == Standing::Live {
            self.live += 1;
            self.total_length += length;
        }
    }

    fn is_live(&self, number: DocumentNumber) -> bool {
        self.live_length(number).is_some()
    }

    fn is_at(&self, number: DocumentNumber, path: &str) -> bool {
        self.path_of(number) == path
    }

    fn path_of(&self, number: DocumentNumber) -> &str {
        self.get(number).map_or("", |document| &document.path)
    }
}

/// A share as it is kept.
pub(super) fn thousandths(share: f64) -> u16 {
    // A hair is added for shares such as 0.6 that have no exact binary form.
    (share * 1_000.0 + 1e-6) as u16
}

fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}
