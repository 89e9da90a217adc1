//! The part of a text that shows best why it was found.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet};

use super::characters::{is_cjk, one_line};
use super::sentences::pieces;
use super::tokenizer::Tokenizer;

/// Stands where a text was cut.
const ELLIPSIS: char = '…';

/// Most characters a cut end is moved to fall between words.
const WORD_SLACK: usize = 16;

/// One place where a term occurs: its number and, in characters, from where to
/// where.
struct Place {
    term: usize,
    from: usize,
    to: usize,
}

/// The window of a text that holds most of the distinct `terms` (as the same
/// `tokenizer` gives them), the earliest of equals, on one line, in at most
/// `limit` characters with the `…` that stands at each cut end. It begins with
/// a sentence or a word where one begins near. Without a match, or where all
/// of it fits, the beginning of the text.
pub fn snippet(text: &str, terms: &[String], tokenizer: Tokenizer, limit: usize) -> String {
    let line = Line::new(one_line(text));
    if line.len() <= limit {
        return line.text;
    }
    let room = limit.saturating_sub(2);
    if room == 0 {
        return if limit == 0 {
            String::new()
        } else {
            ELLIPSIS.into()
        };
    }
    let places = line.places(terms, tokenizer);
    let core = best_window(&places, terms.len(), room);
    let window = line.widen(core, room);
    line.show(window)
}

/// Those of `terms` that occur in a text, in their order, each once.
pub fn matched_terms(text: &str, terms: &[String], tokenizer: Tokenizer) -> Vec<String> {
    let wanted: HashSet<&str> = terms.iter().map(String::as_str).collect();
    let mut found: HashSet<&str> = HashSet::default();
    tokenizer.each(text, &mut |token| {
        if let Some(term) = wanted.get(token) {
            found.insert(term);
        }
    });
    terms
        .iter()
        .filter(|term| found.remove(term.as_str()))
        .cloned()
        .collect()
}

/// A text on one line, addressed by characters.
struct Line {
    text: String,
    /// Where each character begins, in bytes; the end of the text is last.
    starts: Vec<usize>,
}

impl Line {
    fn new(text: String) -> Self {
        let ends = std::iter::once(text.len());
        let starts = text.char_indices().map(|(at, _)| at).chain(ends).collect();
        Line { text, starts }
    }

    /// How many characters it has.
    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of the character that begins at a byte, or the next.
    fn character_at(&self, byte: usize) -> usize {
        self.starts
            .partition_point(|&start| start < byte)
            .min(self.len())
    }

    /// Where the terms occur, by beginning.
    fn places(&self, terms: &[String], tokenizer: Tokenizer) -> Vec<Place> {
        let mut numbers = HashMap::new();
        for (number, term) in terms.iter().enumerate() {
            numbers.entry(term.as_str()).or_insert(number);
        }
        let mut places = Vec::new();
        tokenizer.each_located(&self.text, &mut |token, at| {
            if let Some(&term) = numbers.get(token) {
                let from = self.character_at(at.start);
                places.push(Place {
                    term,
                    from,
                    to: self.character_at(at.end),
                });
            }
        });
        places.sort_by_key(|place| place.from);
        places
    }

    /// A window of `room` characters around `core`, which begins with a
    /// sentence or a word if one begins near.
    fn widen(&self, core: Range<usize>, room: usize) -> Range<usize> {
        let slack = room.saturating_sub(core.len());
        let earliest = core.start.saturating_sub(slack);
        let start = self.start_between(earliest, core.start);
        let end = (start + room).min(self.len());
        if end == self.len() {
            // What is left over at the end is of use before the beginning.
            return self.word_start(end.saturating_sub(room), core.start)..end;
        }
        start..self.word_end(end, core.end.max(start + 1))
    }

    /// Where the sentence of the character `core` begins, if that is not
    /// before `earliest`; else a word that leaves some text before `core`.
    fn start_between(&self, earliest: usize, core: usize) -> usize {
        let mut sentence = 0;
        let mut byte = 0;
        for piece in pieces(&self.text) {
            let begins = byte + (piece.len() - piece.trim_start().len());
            if begins > self.starts[core] {
                break;
            }
            sentence = self.character_at(begins);
            byte += piece.len();
        }
        if sentence >= earliest {
            return sentence;
        }
        let some_context = core - (core - earliest) / 3;
        self.word_start(some_context, core)
    }

    /// The first beginning of a word at or after `from`, near it and not
    /// after `last`; else `from` itself.
    fn word_start(&self, from: usize, last: usize) -> usize {
        if from == 0 {
            return 0;
        }
        let near = last.min(from + WORD_SLACK);
        (from..=near)
            .find(|&at| self.is_boundary(at) && !self.is_blank(at))
            .unwrap_or(from)
    }

    /// The last end of a word at or before `to`, near it and not before
    /// `first`; else `to` itself.
    fn word_end(&self, to: usize, first: usize) -> usize {
        let near = first.max(to.saturating_sub(WORD_SLACK));
        (near..=to)
            .rev()
            .find(|&at| self.is_boundary(at))
            .unwrap_or(to)
    }

    /// Whether a text may be cut before this character: not inside a word.
    fn is_boundary(&self, at: usize) -> bool {
        let is_inside = |at: usize| {
            let c = self.character(at);
            c.is_some_and(|c| c.is_alphanumeric() && !is_cjk(c))
        };
        at == 0 || !(is_inside(at - 1) && is_inside(at))
    }

    fn is_blank(&self, at: usize) -> bool {
        self.character(at) == Some(' ')
    }

    fn character(&self, at: usize) -> Option<char> {
        self.starts
            .get(at)
            .and_then(|&start| self.text[start..].chars().next())
    }

    fn show(&self, window: Range<usize>) -> String {
        let part = &self.text[self.starts[window.start]..self.starts[window.end]];
        let mut shown = String::with_capacity(part.len() + 2 * ELLIPSIS.len_utf8());
        if window.start > 0 {
            shown.push(ELLIPSIS);
        }
        shown.push_str(part.trim());
        if window.end < self.len() {
            shown.push(ELLIPSIS);
        }
        shown
    }
}

/// From the first to the last place of the window of at most `room` characters
/// with most distinct terms; a single place may be longer than the room.
fn best_window(places: &[Place], terms: usize, room: usize) -> Range<usize> {
    let mut counts = vec![0_usize; terms];
    let mut distinct = 0;
    let mut most = 0;
    let mut best = 0..0;
    let mut first = 0;
    for (last, place) in places.iter().enumerate() {
        distinct += usize::from(counts[place.term] == 0);
        counts[place.term] += 1;
        while first < last && place.to.saturating_sub(places[first].from) > room {
            let left = places[first].term;
            counts[left] -= 1;
            distinct -= usize::from(counts[left] == 0);
            first += 1;
        }
        if distinct > most {
            most = distinct;
            best = places[first].from..place.to.max(places[first].from);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::characters::count;

    const BIGRAMS: Tokenizer = Tokenizer::Bigrams;

    fn terms(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| word.to_string()).collect()
    }

    #[test]
    fn short_texts_are_shown_whole() {
        assert_eq!(snippet(" a\n b ", &terms(&["b"]), BIGRAMS, 3), "a b");
    }

    #[test]
    fn without_a_match_the_beginning() {
        let text = "one two three four five six";
        assert_eq!(
            snippet(text, &terms(&["nine"]), BIGRAMS, 15),
            "one two three…"
        );
        assert_eq!(snippet(text, &[], BIGRAMS, 1), "…");
        assert_eq!(snippet(text, &[], BIGRAMS, 0), "");
    }

    #[test]
    fn most_distinct_terms_win_and_sentences_are_kept() {
        let text =
            "The cat sat. The cat ran far away and slept. A dog met the cat at noon. End of story.";
        let found = snippet(text, &terms(&["cat", "dog"]), BIGRAMS, 32);
        assert_eq!(found, "…A dog met the cat at noon. End…");
        let text = "春天来了。我们决定采用新的数据库来保存长期记忆，因为旧的太慢了。夏天也来了。";
        let found = snippet(text, &BIGRAMS.distinct("数据库"), BIGRAMS, 20);
        assert_eq!(found, "…我们决定采用新的数据库来保存长期记忆…");
    }

    #[test]
    fn matched_terms_keep_the_order_of_the_query() {
        let found = matched_terms("b a, 记忆", &terms(&["xx", "记忆", "aa", "记忆"]), BIGRAMS);
        assert_eq!(found, ["记忆"]);
    }

    proptest! {
        #[test]
        fn a_snippet_keeps_its_limit(
            text in "([a-dé记忆。. \n]{1,6}|[\\PC]{1,6}){0,30}",
            query in "[a-d记忆 ]{0,12}",
            limit in 0_usize..40,
            unigrams in any::<bool>(),
        ) {
            let tokenizer = if unigrams { Tokenizer::UnigramsAndBigrams } else { BIGRAMS };
            let terms = tokenizer.distinct(&query);
            let found = snippet(&text, &terms, tokenizer, limit);
            prop_assert!(count(&found) <= limit);
            let inside = found.trim_matches('…');
            prop_assert!(one_line(&text).contains(inside));
        }

        #[test]
        fn a_snippet_shows_a_match(before in "[xyz. ]{0,80}", after in "[xyz. ]{0,80}") {
            let text = format!("{before} needle {after}");
            let found = snippet(&text, &terms(&["needle"]), BIGRAMS, 20);
            prop_assert!(found.contains("needle"), "{}", found);
        }
    }
}
