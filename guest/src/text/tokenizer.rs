//! Text into the terms of the index.
//!
//! A text is brought to NFKC and to lower case. Runs of CJK characters become
//! overlapping pairs; every other run of letters or digits is a word (inkvault
//! contract §2, dsh-memory format §6, design §8). Documents and queries go
//! through the same tokenizer, so what was indexed can be found.
//!
//! Left open there and decided here: combining marks continue the run they
//! stand in (vowel signs of Indic scripts and Thai) and never begin one;
//! joiners, soft hyphens and variation selectors are dropped without ending
//! the run; a capital sigma that ends a word becomes ς, as in any lower-casing.
//! The length of a word is in characters and has no upper bound.
//!
//! Normalisation is looked up only where a text needs it: a Chinese text full
//! of full-width commas costs no more than a plain one.

use std::ops::Range;

use foldhash::{HashSet, HashSetExt};
use unicode_normalization::char::is_combining_mark;

use super::characters::is_cjk;
use super::normalisation::{Sink, normalise};

/// Raised whenever a text may come out as other tokens than before: it is part
/// of the identity of an index on disk (design §6).
pub const VERSION: u32 = 1;

/// The two ways the formats cut text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokenizer {
    /// `inkvault`: words of two characters and more; pairs of CJK characters,
    /// and the character itself where a run has only one (contract §2).
    Bigrams,
    /// `dsh-memory`: words of two characters and more and single digits; each
    /// run of CJK characters first one by one, then in pairs (format §6).
    UnigramsAndBigrams,
}

impl Tokenizer {
    /// Whether a term tells anything where two texts are compared: single
    /// characters beside their pairs do not (dsh-memory format §6).
    pub fn is_telling(self, term: &str) -> bool {
        match self {
            Tokenizer::Bigrams => true,
            Tokenizer::UnigramsAndBigrams => {
                let mut characters = term.chars();
                let first = characters.next();
                characters.next().is_some() || !first.is_some_and(is_cjk)
            }
        }
    }

    /// Shows every token in order, repeats included.
    pub fn each(self, text: &str, visit: &mut dyn FnMut(&str)) {
        self.each_located(text, &mut |token, _| visit(token));
    }

    /// Shows every token in order with the bytes of the text it came from.
    /// Where normalisation changed the text, these are the bytes of the whole
    /// stretch that was normalised at once, at most to the next ASCII, Han,
    /// kana or Hangul character.
    pub fn each_located(self, text: &str, visit: &mut dyn FnMut(&str, Range<usize>)) {
        let mut runs = Runs::new(self, visit);
        normalise(text, &mut runs);
        runs.finish();
    }

    /// Every token in order, repeats included.
    pub fn tokens(self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.each(text, &mut |token| tokens.push(token.to_owned()));
        tokens
    }

    /// Every token once, in the order of first occurrence.
    pub fn distinct(self, text: &str) -> Vec<String> {
        let mut seen: HashSet<String> = HashSet::new();
        let mut tokens = Vec::new();
        self.each(text, &mut |token| {
            if !seen.contains(token) {
                seen.insert(token.to_owned());
                tokens.push(token.to_owned());
            }
        });
        tokens
    }
}

/// What a character does to the run before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Begins or continues a word.
    Word,
    /// Begins or continues a run of CJK characters.
    Cjk,
    /// Continues a word and begins nothing.
    Mark,
    /// Leaves no trace.
    Invisible,
    /// Ends a run.
    Gap,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Class::Word
        } else {
            Class::Gap
        };
    }
    if is_cjk(c) {
        Class::Cjk
    } else if is_common_letter(c) {
        Class::Word
    } else if is_common_gap(c) {
        Class::Gap
    } else if is_invisible(c) {
        Class::Invisible
    } else if is_combining_mark(c) {
        Class::Mark
    } else if c.is_alphanumeric() {
        Class::Word
    } else {
        Class::Gap
    }
}

/// Letters of Latin and Cyrillic, told without a look into the tables.
fn is_common_letter(c: char) -> bool {
    matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ʯ' | 'Ѐ'..='ҁ')
}

/// Punctuation of Latin and Chinese, likewise.
fn is_common_gap(c: char) -> bool {
    matches!(c, '\u{2010}'..='\u{205E}' | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}')
}

fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{200C}' | '\u{200D}' | '\u{2060}' | '\u{FEFF}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

/// The run being read, and where it goes when it ends.
struct Runs<'v> {
    tokenizer: Tokenizer,
    /// [`Class::Word`], [`Class::Cjk`], or [`Class::Gap`] between runs.
    kind: Class,
    /// The run so far, in lower case.
    run: String,
    /// Where each CJK character of the run begins in the text; of a word, the
    /// first only.
    starts: Vec<usize>,
    /// Where the run ends in the text.
    end: usize,
    visit: &'v mut dyn FnMut(&str, Range<usize>),
}

impl<'v> Runs<'v> {
    fn new(tokenizer: Tokenizer, visit: &'v mut dyn FnMut(&str, Range<usize>)) -> Self {
        Runs {
            tokenizer,
            kind: Class::Gap,
            run: String::new(),
            starts: Vec::new(),
            end: 0,
            visit,
        }
    }

    fn word(&mut self, c: char, at: Range<usize>) {
        self.enter_word(at.start);
        self.run.extend(c.to_lowercase());
        self.end = at.end;
    }

    fn enter_word(&mut self, start: usize) {
        if self.kind != Class::Word {
            self.begin(Class::Word);
            self.starts.push(start);
        }
    }

    fn cjk(&mut self, c: char, at: Range<usize>) {
        if self.kind != Class::Cjk {
            self.begin(Class::Cjk);
        }
        self.run.push(c);
        self.starts.push(at.start);
        self.end = at.end;
    }

    fn begin(&mut self, kind: Class) {
        self.finish();
        self.kind = kind;
    }

    /// Ends the run and shows its tokens.
    fn finish(&mut self) {
        match self.kind {
            Class::Word => self.show_word(),
            Class::Cjk => self.show_cjk(),
            _ => return,
        }
        self.run.clear();
        self.starts.clear();
        self.kind = Class::Gap;
    }

    fn show_word(&mut self) {
        let mut characters = self.run.chars();
        let first = characters.next();
        let is_single = characters.next().is_none();
        let keeps_digits = self.tokenizer == Tokenizer::UnigramsAndBigrams;
        if is_single && !(keeps_digits && first.is_some_and(char::is_numeric)) {
            return;
        }
        if self.run.ends_with('σ') && !is_single {
            self.run.pop();
            self.run.push('ς');
        }
        let start = self.starts.first().copied().unwrap_or(self.end);
        (self.visit)(&self.run, start..self.end);
    }

    fn show_cjk(&mut self) {
        let is_single = self.starts.len() == 1;
        if is_single || self.tokenizer == Tokenizer::UnigramsAndBigrams {
            self.show_groups(1);
        }
        if !is_single {
            self.show_groups(2);
        }
    }

    /// Shows each `size` neighbours of the run, 1 or 2.
    fn show_groups(&mut self, size: usize) {
        let heads = self.run.char_indices().map(|(head, _)| head);
        let ends = self
            .run
            .char_indices()
            .map(|(head, c)| head + c.len_utf8())
            .skip(size - 1);
        for (index, (head, end)) in heads.zip(ends).enumerate() {
            let from = self.starts[index];
            let to = self.starts.get(index + size).copied().unwrap_or(self.end);
            (self.visit)(&self.run[head..end], from..to.max(from));
        }
    }
}

impl Sink for Runs<'_> {
    fn ascii(&mut self, piece: &str, start: usize) {
        let mut at = 0;
        for part in piece.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
            if !word.is_empty() {
                self.enter_word(start + at);
                let from = self.run.len();
                self.run.push_str(word);
                self.run[from..].make_ascii_lowercase();
                self.end = start + at + word.len();
            }
            if word.len() < part.len() {
                self.finish();
            }
            at += part.len();
        }
    }

    fn character(&mut self, c: char, at: Range<usize>) {
        match class(c) {
            Class::Word => self.word(c, at),
            Class::Mark if self.kind == Class::Word => self.word(c, at),
            Class::Cjk => self.cjk(c, at),
            Class::Mark | Class::Invisible => {}
            Class::Gap => self.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::normalisation::tricky_text;

    #[test]
    fn bigrams_as_the_contract_says() {
        for (text, tokens) in [
            ("长期记忆", vec!["长期", "期记", "记忆"]),
            ("用 Rust 写插件, rust!", vec!["用", "rust", "写插", "插件"]),
            ("café ＡＢＣ１２３ 😀", vec!["café", "abc123"]),
            (
                "カタカナ 한국어",
                vec!["カタ", "タカ", "カナ", "한국", "국어"],
            ),
            ("A股", vec!["股"]),
            ("", vec![]),
        ] {
            assert_eq!(Tokenizer::Bigrams.distinct(text), tokens, "{text}");
        }
    }

    #[test]
    fn unigrams_and_bigrams_as_the_format_says() {
        let tokenizer = Tokenizer::UnigramsAndBigrams;
        assert_eq!(
            tokenizer.tokens("长期记忆"),
            ["长", "期", "记", "忆", "长期", "期记", "记忆"]
        );
        assert_eq!(
            tokenizer.tokens("用 Rust 2 写 v1.0 的 C 插件"),
            ["用", "rust", "2", "写", "v1", "0", "的", "插", "件", "插件"]
        );
    }

    #[test]
    fn repeats_are_kept_unless_distinct() {
        assert_eq!(Tokenizer::Bigrams.tokens("ab ab"), ["ab", "ab"]);
        assert_eq!(Tokenizer::Bigrams.distinct("ab 记 ab"), ["ab", "记"]);
    }

    #[test]
    fn one_word_however_it_is_encoded() {
        for (text, token) in [
            ("cafe\u{301}", "café"),
            ("ｶﾞｷﾞ", "ガギ"),
            ("\u{1112}\u{1161}\u{11AB}국", "한국"),
            ("inter\u{AD}national", "international"),
            ("می\u{200C}خواهم", "میخواهم"),
            ("हिन्दी", "हिन्दी"),
            ("ที่", "ที่"),
            ("ΟΔΟΣ", "οδος"),
            ("葛\u{E0100}城", "葛城"),
            ("m²", "m2"),
        ] {
            assert_eq!(Tokenizer::Bigrams.tokens(text), [token], "{text}");
        }
    }

    #[test]
    fn tokens_know_where_they_came_from() {
        let text = "见 Ｒust，长期记";
        let mut places = Vec::new();
        Tokenizer::Bigrams.each_located(text, &mut |_, at| places.push(&text[at]));
        assert_eq!(places, ["见", "Ｒust", "长期", "期记"]);
    }

    #[test]
    fn common_characters_are_what_the_tables_say() {
        for c in '\0'..=char::MAX {
            if is_common_letter(c) {
                assert!(
                    c.is_alphabetic() && !is_combining_mark(c) && !is_invisible(c),
                    "{c:?}"
                );
            }
            if is_common_gap(c) {
                assert!(
                    !c.is_alphanumeric() && !is_combining_mark(c) && !is_invisible(c),
                    "{c:?}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn tokens_are_whole_and_lower_case(text in tricky_text()) {
            for tokenizer in [Tokenizer::Bigrams, Tokenizer::UnigramsAndBigrams] {
                tokenizer.each_located(&text, &mut |token, at| {
                    assert!(!token.is_empty());
                    assert_eq!(token, token.to_lowercase());
                    assert!(text.get(at).is_some());
                });
                let distinct = tokenizer.distinct(&text);
                prop_assert!(distinct.len() <= tokenizer.tokens(&text).len());
            }
        }
    }
}
