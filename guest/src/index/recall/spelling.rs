//! Words that nobody wrote: the closest ones that somebody did.

use std::cmp::Reverse;

use crate::index::Index;
use crate::index::dictionary::TermNumber;

/// Shortest word that is taken for a misspelled one, in characters.
pub(super) const SHORTEST: usize = 4;
/// Most words taken in its place.
const MOST: usize = 3;

impl Index {
    /// The terms that a word may be meant for: same first letter, one letter
    /// more, less or other, or two neighbours swapped; the commonest first.
    pub(super) fn meant_by(&self, word: &str) -> Vec<TermNumber> {
        let letters: Vec<char> = word.chars().collect();
        let Some(first) = letters.first().copied() else {
            return Vec::new();
        };
        if letters.len() < SHORTEST || !letters.iter().all(|c| c.is_alphabetic()) {
            return Vec::new();
        }
        let lengths = letters.len() - 1..=letters.len() + 1;
        let near = lengths.flat_map(|length| self.lookups.words(first, length));
        let mut near: Vec<_> = near
            .filter(|term| is_one_edit_away(&letters, self.dictionary.term(**term)))
            .map(|term| (Reverse(self.live_postings(*term).count()), *term))
            .filter(|(df, _)| df.0 > 0)
            .collect();
        near.sort_by_key(|(df, term)| (*df, self.dictionary.term(*term)));
        near.truncate(MOST);
        near.into_iter().map(|(_, term)| term).collect()
    }
}

/// Whether a word is another with one letter more, less or other, or two
/// neighbours swapped.
fn is_one_edit_away(letters: &[char], word: &str) -> bool {
    let mut others = [' '; 66];
    let length = word.chars().count();
    if length > others.len() || length.abs_diff(letters.len()) > 1 {
        return false;
    }
    let slots = others.iter_mut().zip(word.chars());
    slots.for_each(|(slot, c)| *slot = c);
    let others = &others[..length];
    let same = letters.iter().zip(others).take_while(|(a, b)| a == b);
    let start = same.count();
    let (one, other) = (&letters[start..], &others[start..]);
    match (one, other) {
        ([], []) => false,
        ([a, b, rest @ ..], [c, d, others @ ..]) if a == d && b == c && rest == others => true,
        _ if one.len() == other.len() => one[1..] == other[1..],
        _ if one.len() < other.len() => *one == other[1..],
        _ => one[1..] == *other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_edit_is_one_letter_or_one_swap() {
        for (one, other, is_near) in [
            ("rocket", "rocket", false),
            ("rocket", "rockets", true),
            ("rocket", "rocke", true),
            ("rocket", "rokcet", true),
            ("rocket", "racket", true),
            ("rocket", "rackets", false),
            ("rocket", "rokect", false),
            ("rocket", "rockte", true),
            ("häuser", "häusern", true),
        ] {
            let letters: Vec<char> = one.chars().collect();
            assert_eq!(is_one_edit_away(&letters, other), is_near, "{one} {other}");
        }
    }
}
