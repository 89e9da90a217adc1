//! The order of notes: by thread, then by the time they were first written,
//! then by id. Neighbours in a thread are context of each other.
//!
//! It is brought up to date by the first question after a change: what was in
//! order is kept, what is new is merged in.

use super::{MIDDLE, REACH};
use crate::index::DocumentNumber;
use crate::index::documents::{Document, Documents, Standing};

/// The place of what has none.
const NOWHERE: u32 = u32::MAX;

/// The order of all live documents.
#[derive(Clone, Debug, Default)]
pub(in crate::index) struct Order {
    is_current: bool,
    entries: Vec<Entry>,
    /// By document number.
    places: Vec<u32>,
    /// Mean length of the windows around documents without lines, in fifths
    /// of tokens.
    mean_window: f64,
    /// The same of the windows around the lines of the others.
    mean_line_window: f64,
    /// The latest time any document is known to have been changed.
    newest: Option<i64>,
}

/// A document in its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its thread; one that stands alone has a number of its own.
    thread: u64,
    created: i64,
    pub(super) document: DocumentNumber,
    /// Tokens of a document without lines; 0 of others, which are no part of
    /// a window.
    length: u32,
    /// Length of the window around it in fifths of tokens.
    pub(super) window: u32,
    pub(super) asks: bool,
    pub(super) has_lines: bool,
}

impl Order {
    /// Notes that documents have come or gone.
    pub(in crate::index) fn distrust(&mut self) {
        self.is_current = false;
    }

    /// Brings the order up to date.
    pub(super) fn refresh(&mut self, documents: &Documents) {
        if self.is_current {
            return;
        }
        self.is_current = true;
        let live = |number: DocumentNumber| {
            let document = documents.get(number)?;
            (document.standing == Standing::Live).then_some(document)
        };
        let known = std::mem::take(&mut self.places);
        self.entries.retain(|entry| live(entry.document).is_some());
        for number in 0..documents.len() as DocumentNumber {
            let place = known.get(number as usize).copied().unwrap_or(NOWHERE);
            if place == NOWHERE
                && let Some(document) = live(number)
            {
                self.entries.push(Entry::of(number, document));
            }
        }
        let id = |entry: &Entry| documents.get(entry.document).map(|document| &document.id);
        self.entries.sort_by(|a, b| {
            let key = |entry: &Entry| (entry.thread, entry.created);
            key(a).cmp(&key(b)).then_with(|| id(a).cmp(&id(b)))
        });
        self.places = vec![NOWHERE; documents.len()];
        for (place, entry) in (0..).zip(&self.entries) {
            self.places[entry.document as usize] = place;
        }
        self.measure(documents);
    }

    /// Where a document stands.
    pub(super) fn place(&self, document: DocumentNumber) -> Option<usize> {
        let place = self.places.get(document as usize).copied();
        place
            .filter(|place| *place != NOWHERE)
            .map(|place| place as usize)
    }

    /// What stands at a place.
    pub(super) fn at(&self, place: usize) -> Option<&Entry> {
        self.entries.get(place)
    }

    /// The document after another in the same thread.
    pub(super) fn after(&self, place: usize) -> Option<&Entry> {
        let (entry, next) = (self.at(place)?, self.at(place + 1)?);
        (entry.thread == next.thread).then_some(next)
    }

    /// The places whose windows hold a document without lines, and its weight
    /// in each, in fifths.
    pub(super) fn around(&self, place: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let thread = self.at(place).map(|entry| entry.thread);
        let first = place.saturating_sub(REACH);
        let near = self.entries.get(first..).unwrap_or_default().iter();
        let near = near.take(place + REACH + 1 - first).zip(first..);
        near.filter(move |(entry, _)| Some(entry.thread) == thread && !entry.has_lines)
            .map(move |(_, other)| (other, MIDDLE - place.abs_diff(other) as u32))
    }

    /// Mean length of a window of documents, in fifths of tokens.
    pub(super) fn mean_window(&self) -> f64 {
        self.mean_window
    }

    /// Mean length of a window of lines, in fifths of tokens.
    pub(super) fn mean_line_window(&self) -> f64 {
        self.mean_line_window
    }

    /// The latest time any document is known to have been changed,
    /// milliseconds since 1970.
    pub(super) fn newest(&self) -> Option<i64> {
        self.newest
    }

    fn measure(&mut self, documents: &Documents) {
        let (mut windows, mut total) = (0u64, 0u64);
        let (mut lines, mut line_total) = (0u64, 0.0);
        self.newest = None;
        for place in 0..self.entries.len() {
            let length = |(other, weight): (usize, u32)| {
                let length = self.at(other).map_or(0, |entry| entry.length);
                length.saturating_mul(weight)
            };
            let window = self
                .around(place)
                .map(length)
                .fold(0u32, u32::saturating_add);
            self.entries[place].window = window;
            let Some(document) = documents.get(self.entries[place].document) else {
                continue;
            };
            self.newest = self.newest.max(document.known_since);
            if document.has_lines() {
                lines += u64::from(document.manner.lines);
                line_total += length_of_line_windows(document);
            } else {
                windows += 1;
                total += u64::from(window);
            }
        }
        self.mean_window = total as f64 / windows.max(1) as f64;
        self.mean_line_window = line_total / lines.max(1) as f64;
    }
}

impl Entry {
    fn of(number: DocumentNumber, document: &Document) -> Self {
        let alone = 1 << 32 | u64::from(number);
        Entry {
            thread: document.thread.map_or(alone, u64::from),
            created: document.created.unwrap_or_default(),
            document: number,
            length: match document.has_lines() {
                true => 0,
                false => document.length(),
            },
            window: 0,
            asks: document.manner.asks,
            has_lines: document.has_lines(),
        }
    }
}

/// The lengths of the windows around all lines of a document together, in
/// fifths of tokens, as they are if its lines are equally long.
fn length_of_line_windows(document: &Document) -> f64 {
    let lines = document.manner.lines;
    let sides = (1..=REACH as u32).map(|step| (MIDDLE - step) * lines.saturating_sub(step));
    let weights = MIDDLE * lines + 2 * sides.sum::<u32>();
    f64::from(weights) * f64::from(document.said_length()) / f64::from(lines.max(1))
}
