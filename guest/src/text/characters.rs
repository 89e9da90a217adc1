//! Characters: which belong to Chinese, Japanese and Korean, and how to
//! count, cut and fold a text by them.
//!
//! A character is a code point; that is the unit of every limit of the
//! specifications (design §8).

/// Whether a character is written without blanks between words: Han with its
/// extensions, radicals and compatibility ideographs (also 々 and 〇), kana
/// (also half-width, and ー), Hangul syllables and jamo (design §8,
/// "Tokenizing"). Punctuation is not.
pub fn is_cjk(c: char) -> bool {
    if c < '\u{1100}' {
        return false;
    }
    is_han(c) || is_kana(c) || is_hangul(c)
}

fn is_han(c: char) -> bool {
    matches!(c,
        '\u{4E00}'..='\u{9FFF}'
        | '\u{3400}'..='\u{4DBF}'
        | '\u{2E80}'..='\u{2FD5}' // radicals
        | '\u{3005}'..='\u{3007}' // 々〆〇
        | '\u{3021}'..='\u{3029}' // Hangzhou numerals
        | '\u{3038}'..='\u{303B}'
        | '\u{F900}'..='\u{FAFF}' // compatibility ideographs
        | '\u{20000}'..='\u{2FFFD}'
        | '\u{30000}'..='\u{3FFFD}')
}

fn is_kana(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{3096}'
        | '\u{3099}'..='\u{309A}' // voicing marks that compose with kana
        | '\u{309D}'..='\u{309F}'
        | '\u{30A1}'..='\u{30FA}'
        | '\u{30FC}'..='\u{30FF}'
        | '\u{31F0}'..='\u{31FF}'
        | '\u{FF66}'..='\u{FF9F}'
        | '\u{1AFF0}'..='\u{1AFFE}'
        | '\u{1B000}'..='\u{1B16F}')
}

fn is_hangul(c: char) -> bool {
    matches!(c,
        '\u{AC00}'..='\u{D7A3}'
        | '\u{1100}'..='\u{11FF}'
        | '\u{3131}'..='\u{318E}'
        | '\u{A960}'..='\u{A97C}'
        | '\u{D7B0}'..='\u{D7FB}'
        | '\u{FFA0}'..='\u{FFDC}')
}

/// How many characters a text has.
pub fn count(text: &str) -> usize {
    text.chars().count()
}

/// The first `max` characters of a text, or all of it.
pub fn cut(text: &str, max: usize) -> &str {
    match text.char_indices().nth(max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// As much of a text as fits so many bytes.
pub fn cut_bytes(text: &str, most: usize) -> &str {
    let fits = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=most.min(text.len())).rev().find(fits);
    &text[..end.unwrap_or_default()]
}

/// A text on one line: every run of white space and control characters
/// becomes one blank, and none stands at the ends.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = !line.is_empty();
        } else {
            if gap {
                line.push(' ');
                gap = false;
            }
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cjk_is_han_kana_and_hangul() {
        for c in "长々〇〆㐀𠀀豈⼀ひカーｶﾞ゛한ᄀㄱ"
            .chars()
            .filter(|&c| c != '゛')
        {
            assert!(is_cjk(c), "{c}");
        }
        for c in "aé。，、・「（ＡЯไท😀 1１".chars() {
            assert!(!is_cjk(c), "{c}");
        }
    }

    #[test]
    fn cutting_counts_code_points() {
        assert_eq!(cut("😀记忆", 2), "😀记");
        assert_eq!(cut("ab", 9), "ab");
        assert_eq!(cut("ab", 0), "");
        assert_eq!(count("e\u{301}"), 2);
    }

    #[test]
    fn one_line_folds_blanks_and_controls() {
        assert_eq!(one_line(" a\r\n\t b\u{3000}c\u{0}\u{85} "), "a b c");
        assert_eq!(one_line("\n"), "");
    }
}
