//! What a word is counted as where its forms are to meet.
//!
//! The script of a word decides: Cyrillic words have the stem of Snowball's
//! Russian, other words that of its English, irregular forms that of their
//! base; CJK text and numbers stay as they are. Words of other languages in
//! Latin letters lose what looks like an English ending, the same in a note
//! and in a question, so they are found as words. Stems are for comparing,
//! never for showing.

use std::borrow::Cow;

use pagefind_stem::{Algorithm, Stemmer};

use super::characters::is_cjk;
use super::words;

/// Raised whenever a word may get another stem than before: it is part of the
/// identity of an index on disk.
pub const VERSION: u32 = 1;

/// Longest word that has a stem, in bytes: whatever is longer is no word.
const LONGEST: usize = 64;

/// The stem of a word in lower case.
pub fn stem(word: &str) -> Cow<'_, str> {
    let Some(first) = word.chars().next() else {
        return Cow::Borrowed(word);
    };
    if word.len() > LONGEST || is_cjk(first) || word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    if matches!(first, 'Ѐ'..='ӿ') {
        return stemmed(Algorithm::Russian, word);
    }
    match words::base(word) {
        Some(base) => stemmed(Algorithm::English, base),
        None => stemmed(Algorithm::English, word),
    }
}

fn stemmed(algorithm: Algorithm, word: &str) -> Cow<'_, str> {
    match Stemmer::create(algorithm).stem(word) {
        stem if stem.is_empty() => Cow::Borrowed(word),
        stem => stem,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_of_a_word_meet() {
        for (one, other) in [
            ("painted", "painting"),
            ("went", "go"),
            ("goings", "going"),
            ("children", "child"),
            ("книга", "книги"),
            ("running", "ran"),
        ] {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("university"), stem("universe2"));
    }

    #[test]
    fn what_is_no_word_stays() {
        for text in ["", "记忆", "2023", "カナ", "한국"] {
            assert_eq!(stem(text), text);
        }
    }

    proptest! {
        #[test]
        fn every_word_has_a_stem(word in any::<String>()) {
            prop_assert_eq!(stem(&word).is_empty(), word.is_empty());
        }
    }
}
