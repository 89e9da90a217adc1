//! Text in the normal form NFKC, at the cost of looking up only the characters
//! that need it.
//!
//! A text is taken apart where normalisation cannot reach across: before every
//! character known to be settled. ASCII is handed on in pieces, a settled
//! character between others directly; only what is left is checked, and
//! composed if it must be. A Chinese text, whose full-width commas are no NFKC,
//! costs so little more than a plain one.

use std::ops::Range;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// What NFKC makes of a character whatever stands before it, for the
/// characters that most text is made of: such a character begins a new stretch
/// for normalisation, and is final if the next one does so too.
fn settled(c: char) -> Option<char> {
    match c {
        '\0'..='\u{7F}'
        | '\u{C0}'..='\u{131}' // Latin
        | '\u{134}'..='\u{13E}'
        | '\u{141}'..='\u{148}'
        | '\u{14A}'..='\u{17E}'
        | '\u{391}'..='\u{3A1}' // Greek
        | '\u{3A3}'..='\u{3CE}'
        | '\u{400}'..='\u{482}' // Cyrillic
        | '\u{5D0}'..='\u{5EA}' // Hebrew
        | '\u{621}'..='\u{64A}' // Arabic
        | '\u{E01}'..='\u{E30}' // Thai
        | '\u{2012}'..='\u{2016}' // dashes
        | '\u{2018}'..='\u{2022}' // quotes
        | '\u{3001}'..='\u{3029}'
        | '\u{3041}'..='\u{3096}' // kana
        | '\u{309D}'..='\u{309E}'
        | '\u{30A1}'..='\u{30FE}'
        | '\u{3400}'..='\u{4DBF}' // Han
        | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}' => Some(c), // Hangul
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0),
        _ => None,
    }
}

/// Where a text goes in NFKC, in order.
pub(super) trait Sink {
    /// A piece of ASCII and where it begins in the text.
    fn ascii(&mut self, piece: &str, start: usize);

    /// A character and the bytes of the text it came from.
    fn character(&mut self, c: char, at: Range<usize>);
}

/// Hands a text in NFKC to `sink`.
pub(super) fn normalise(text: &str, sink: &mut impl Sink) {
    let mut start = 0;
    while start < text.len() {
        let ascii = ascii_length(&text[start..]);
        if ascii > 0 {
            sink.ascii(&text[start..start + ascii], start);
            start += ascii;
        } else {
            start = normalise_stretch(text, start, sink);
        }
    }
}

/// How many bytes of ASCII a text begins with, less one that the character
/// after it may change.
fn ascii_length(text: &str) -> usize {
    let length = text
        .bytes()
        .position(|byte| !byte.is_ascii())
        .unwrap_or(text.len());
    let next = text[length..].chars().next();
    let may_change = next.is_some_and(|c| settled(c).is_none());
    if may_change {
        length.saturating_sub(1)
    } else {
        length
    }
}

/// Normalises what normalisation cannot reach out of: a character and those
/// after it that are not settled. Returns where it ends.
fn normalise_stretch(text: &str, start: usize, sink: &mut impl Sink) -> usize {
    let mut characters = text[start..].char_indices();
    let first = characters.next().map(|(_, c)| c);
    let mut others = 0;
    let next = characters.find(|&(_, c)| {
        others += 1;
        settled(c).is_some()
    });
    let end = next.map_or(text.len(), |(length, _)| start + length);
    let is_alone = others == usize::from(next.is_some());
    if let Some(c) = first.filter(|_| is_alone).and_then(settled) {
        sink.character(c, start..end);
    } else {
        compose(&text[start..end], start, sink);
    }
    end
}

fn compose(stretch: &str, start: usize, sink: &mut impl Sink) {
    if is_nfkc_quick(stretch.chars()) == IsNormalized::Yes {
        for (at, c) in stretch.char_indices() {
            let from = start + at;
            sink.character(c, from..from + c.len_utf8());
        }
    } else {
        for c in stretch.nfkc() {
            sink.character(c, start..start + stretch.len());
        }
    }
}

/// Texts that are hard to normalise and to cut.
#[cfg(test)]
pub(super) fn tricky_text() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        "[a-zA-Z0-9 ]{1,4}",
        prop::sample::select(vec![
            "记", "忆", "か", "\u{3099}", "\u{301}", "\u{323}", "e", "ﾞ", "ｶ", "한", "\u{11AB}",
            "ｅ", "，", "ำ", "Σ", "İ", "㍿", "\u{200D}", "½", "각", "ไ",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Sink for String {
        fn ascii(&mut self, piece: &str, _: usize) {
            self.push_str(piece);
        }

        fn character(&mut self, c: char, _: Range<usize>) {
            self.push(c);
        }
    }

    #[test]
    fn settled_characters_are_what_normalisation_says() {
        for c in '\0'..=char::MAX {
            let Some(plain) = settled(c) else { continue };
            assert!(c.nfkc().eq([plain]), "{c:?}");
            assert_eq!(
                is_nfkc_quick([plain].into_iter()),
                IsNormalized::Yes,
                "{c:?}"
            );
            assert_eq!(
                unicode_normalization::char::canonical_combining_class(c),
                0,
                "{c:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn stretches_add_up_to_nfkc(text in tricky_text()) {
            let mut stretched = String::new();
            normalise(&text, &mut stretched);
            prop_assert_eq!(stretched, text.nfkc().collect::<String>());
        }
    }
}
