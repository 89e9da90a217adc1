//! The terms of the index and their numbers.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Number of a term, from 0 in the order of first occurrence.
pub(super) type TermNumber = u32;

/// Terms in one string, found by hash.
#[derive(Clone, Debug, Default)]
pub(super) struct Dictionary {
    text: String,
    /// Where each term ends in `text`; it begins where the one before ends.
    ends: Vec<u32>,
    table: HashTable<TermNumber>,
}

impl Dictionary {
    /// The term of a number; empty for one that was never given.
    pub(super) fn term(&self, number: TermNumber) -> &str {
        term(&self.text, &self.ends, number)
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> TermNumber {
        self.ends.len() as TermNumber
    }

    /// The number of a term, if it occurs.
    pub(super) fn find(&self, text: &str) -> Option<TermNumber> {
        self.table
            .find(hash(text), |number| self.term(*number) == text)
            .copied()
    }

    /// The number of a term, new where it is.
    pub(super) fn insert(&mut self, text: &str) -> TermNumber {
        let key = hash(text);
        if let Some(number) = self.table.find(key, |number| self.term(*number) == text) {
            return *number;
        }
        let number = self.ends.len() as TermNumber;
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        let (all, ends) = (&self.text, &self.ends);
        self.table
            .insert_unique(key, number, |number| hash(term(all, ends, *number)));
        number
    }

    /// All numbers, ordered by their terms.
    pub(super) fn sorted(&self) -> Vec<TermNumber> {
        let numbers = 0..self.ends.len() as TermNumber;
        let mut headed: Vec<_> = numbers
            .map(|number| (head(self.term(number)), number))
            .collect();
        headed.sort_unstable_by(|(head, number), (other_head, other)| {
            head.cmp(other_head)
                .then_with(|| self.term(*number).cmp(self.term(*other)))
        });
        headed.into_iter().map(|(_, number)| number).collect()
    }

    /// The dictionary of terms given in the order of their numbers, one text
    /// and the end of each; none where an end is not on a character or a term
    /// stands twice.
    pub(super) fn restore(text: String, ends: Vec<u32>) -> Option<Self> {
        let mut start = 0;
        let mut table = HashTable::with_capacity(ends.len());
        for (number, end) in (0..).zip(&ends) {
            let key = hash(text.get(start..*end as usize)?);
            table.insert_unique(key, number, |number| hash(term(&text, &ends, *number)));
            start = *end as usize;
        }
        (start == text.len()).then_some(Dictionary { text, ends, table })
    }

    /// What [`Self::restore`] takes.
    pub(super) fn parts(&self) -> (&str, &[u32]) {
        (&self.text, &self.ends)
    }
}

fn term<'t>(text: &'t str, ends: &[u32], number: TermNumber) -> &'t str {
    let end = ends.get(number as usize).copied().unwrap_or(0) as usize;
    let start = match number.checked_sub(1) {
        Some(before) => ends.get(before as usize).copied().unwrap_or(0) as usize,
        None => 0,
    };
    text.get(start..end).unwrap_or_default()
}

/// The first eight bytes of a text, zeros after a shorter one, as a number:
/// texts whose heads differ order as these do.
fn head(text: &str) -> u64 {
    let mut head = [0; 8];
    head.iter_mut()
        .zip(text.bytes())
        .for_each(|(place, byte)| *place = byte);
    u64::from_be_bytes(head)
}

fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}
