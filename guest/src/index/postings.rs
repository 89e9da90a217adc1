//! Which documents a term occurs in, and how often in which field: encoded
//! bytes, decoded by the query that wants them.
//!
//! One posting is a variable-length number `delta << 2 | shape`, where delta
//! is the distance to the document before, followed by what the shape says:
//! 0 nothing (once, in the body), 1 the count in the body, 2 a mask of the
//! fields and a count for each. Document numbers only grow, so that new
//! postings are appended and never inserted.

use crate::memory::Field;

/// Number of a document in the index; grows, never used twice.
pub type DocumentNumber = u32;

/// How often a term occurs in each field of a document.
pub(super) type Counts = [u32; Field::COUNT];

const BODY: usize = Field::Body as usize;
const SHAPE_BITS: u32 = 2;

/// The postings of one term: a sealed part inside the loaded snapshot, and
/// what came after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    /// Where the sealed part begins in the snapshot's bytes.
    pub(super) sealed_start: u32,
    /// How many bytes it has.
    pub(super) sealed_length: u32,
    /// The postings appended since.
    pub(super) tail: Vec<u8>,
    /// The last document in the list.
    pub(super) last: DocumentNumber,
}

impl Postings {
    /// Appends a document, which must be greater than all before.
    pub(super) fn push(&mut self, document: DocumentNumber, counts: &Counts) {
        let delta = u64::from(document.wrapping_sub(self.last));
        self.last = document;
        let only_body = counts
            .iter()
            .enumerate()
            .all(|(field, count)| field == BODY || *count == 0);
        let shape = match (only_body, counts[BODY]) {
            (true, 1) => 0,
            (true, _) => 1,
            (false, _) => 2,
        };
        write_number(&mut self.tail, delta << SHAPE_BITS | shape);
        match shape {
            0 => {}
            1 => write_number(&mut self.tail, u64::from(counts[BODY])),
            _ => write_counts(&mut self.tail, counts),
        }
    }

    /// Reads the list, oldest document first. `sealed` is the snapshot's
    /// bytes. Damaged bytes end it early.
    pub(super) fn read<'a>(
        &'a self,
        sealed: &'a [u8],
    ) -> impl Iterator<Item = (DocumentNumber, Counts)> + 'a {
        let start = self.sealed_start as usize;
        let sealed = sealed
            .get(start..start + self.sealed_length as usize)
            .unwrap_or_default();
        let mut last = 0u32;
        let mut parts = [sealed, self.tail.as_slice()];
        std::iter::from_fn(move || {
            if parts[0].is_empty() {
                parts.swap(0, 1);
            }
            let (delta, counts) = read_posting(&mut parts[0])?;
            last = last.wrapping_add(delta);
            Some((last, counts))
        })
    }
}

fn read_posting(bytes: &mut &[u8]) -> Option<(u32, Counts)> {
    let head = read_number(bytes)?;
    let mut counts = Counts::default();
    match head & 3 {
        0 => counts[BODY] = 1,
        1 => counts[BODY] = read_number(bytes)? as u32,
        _ => {
            let (mask, rest) = bytes.split_first()?;
            *bytes = rest;
            for (field, count) in counts.iter_mut().enumerate() {
                if mask & 1 << field != 0 {
                    *count = read_number(bytes)? as u32;
                }
            }
        }
    }
    Some(((head >> SHAPE_BITS) as u32, counts))
}

fn write_counts(bytes: &mut Vec<u8>, counts: &Counts) {
    let mask = counts.iter().enumerate().fold(0u8, |mask, (field, count)| {
        mask | u8::from(*count > 0) << field
    });
    bytes.push(mask);
    for count in counts.iter().filter(|count| **count > 0) {
        write_number(bytes, u64::from(*count));
    }
}

/// Seven bits a byte, least first; the high bit says that more follow.
pub(super) fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The inverse of [`write_number`]; none at the end and on damage.
pub(super) fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    // Most numbers are that small.
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some(u64::from(*byte));
    }
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn postings_read_back_as_written(lists in proptest::collection::vec((1u32..100_000, any::<[u16; 5]>()), 0..200), cut in 0usize..200) {
            let mut postings = Postings::default();
            let mut sealed = Vec::new();
            let mut expected = Vec::new();
            let mut document = 0;
            for (at, (step, counts)) in lists.iter().enumerate() {
                if at == cut {
                    sealed = std::mem::take(&mut postings.tail);
                    postings.sealed_length = sealed.len() as u32;
                }
                document += step;
                let mut counts: Counts = counts.map(u32::from);
                counts[BODY] |= 1;
                postings.push(document, &counts);
                expected.push((document, counts));
            }
            prop_assert_eq!(postings.read(&sealed).collect::<Vec<_>>(), expected);
        }

        #[test]
        fn damaged_postings_end_early(bytes in any::<Vec<u8>>()) {
            let postings = Postings { tail: bytes, ..Postings::default() };
            let _ = postings.read(&[]).count();
        }
    }
}
