//! Text into sentences (inkvault contract §5, `splitSentences`; design §8).
//!
//! A sentence ends at a line break; at `。` `！` `？` and their kin; at an
//! ASCII `!` or `?` unless an ASCII letter, digit or `=` follows directly, as
//! in `?q=1` and `!=`; and at `.` or `…` only before white space or the end.
//! A run of such marks and the closing quotes and brackets after it belong to
//! the sentence. Semicolons do not end one: in Chinese they stand inside a
//! sentence (GB/T 15834, 句内点号), and the contract names 句末标点 only.

use super::budget::Estimate;
use super::characters::count;

/// Fewest characters a piece must have to be a sentence (contract §5).
const SHORTEST: usize = 3;

/// The sentences of a text, in order, each with its end mark and without white
/// space around it; pieces of fewer than three characters are left out.
pub fn split(text: &str) -> Vec<&str> {
    pieces(text)
        .map(str::trim)
        .filter(|piece| count(piece) >= SHORTEST)
        .collect()
}

/// The longest beginning of a text that ends with a sentence or a line and is
/// estimated at no more than `budget` tokens; none where the first sentence
/// does not fit, or there is nothing but white space. White space at its end
/// is cut off.
pub fn cut_at_sentence(text: &str, budget: u32) -> Option<&str> {
    let mut before = Estimate::default();
    let mut start = 0;
    let mut best = None;
    for piece in pieces(text) {
        let sentence = piece.trim_end();
        if (before + Estimate::of(sentence)).total() > budget {
            break;
        }
        if !sentence.is_empty() {
            best = Some(start + sentence.len());
        }
        before += Estimate::of(piece);
        start += piece.len();
    }
    best.map(|end| &text[..end])
}

/// A text cut after every sentence; the pieces together are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(end_of_first(rest));
        rest = after;
        Some(piece)
    })
}

/// How strongly a mark ends a sentence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// Only before white space or the end.
    Weak,
    /// Unless code or an address goes on.
    Ascii,
    /// Always.
    Strong,
}

fn mark(c: char) -> Option<Mark> {
    match c {
        '.' | '…' | '．' => Some(Mark::Weak),
        '!' | '?' => Some(Mark::Ascii),
        '。' | '！' | '？' | '｡' | '‼' | '⁇' | '⁈' | '⁉' | '؟' | '।' | '॥' => {
            Some(Mark::Strong)
        }
        _ => None,
    }
}

fn is_line_break(c: char) -> bool {
    matches!(
        c,
        '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

fn is_closing(c: char) -> bool {
    "\"'”’»›)]}」』】》〉〕〗）］｝｣＂＇".contains(c)
}

fn end_of_first(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let mut end = at + c.len_utf8();
        if is_line_break(c) {
            return end;
        }
        let Some(mut strongest) = mark(c) else {
            continue;
        };
        while let Some((at, more, c)) = characters
            .peek()
            .and_then(|&(at, c)| Some((at, mark(c)?, c)))
        {
            strongest = strongest.max(more);
            end = at + c.len_utf8();
            characters.next();
        }
        while let Some((at, c)) = characters.next_if(|&(_, c)| is_closing(c)) {
            end = at + c.len_utf8();
        }
        if ends_before(strongest, characters.peek().map(|&(_, c)| c)) {
            return end;
        }
    }
    text.len()
}

fn ends_before(mark: Mark, next: Option<char>) -> bool {
    let Some(next) = next else { return true };
    match mark {
        Mark::Weak => next.is_whitespace(),
        Mark::Ascii => !(next.is_ascii_alphanumeric() || next == '='),
        Mark::Strong => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::budget::estimate;

    #[test]
    fn sentences_keep_their_end_marks() {
        for (text, sentences) in [
            (
                "I prefer dark mode. We decided to ship it. This repo uses pnpm.",
                vec![
                    "I prefer dark mode.",
                    "We decided to ship it.",
                    "This repo uses pnpm.",
                ],
            ),
            (
                "我喜欢茶。我不喜欢咖啡！真的吗？",
                vec!["我喜欢茶。", "我不喜欢咖啡！", "真的吗？"],
            ),
            (
                "他说：“我喜欢茶。”然后走了。",
                vec!["他说：“我喜欢茶。”", "然后走了。"],
            ),
            ("用 v1.0 和 node.js。", vec!["用 v1.0 和 node.js。"]),
            ("see https://x.y/?q=1 now", vec!["see https://x.y/?q=1 now"]),
            ("你好呀!我喜欢茶", vec!["你好呀!", "我喜欢茶"]),
            ("真的？！好的\r\n第二行", vec!["真的？！", "第二行"]),
            (
                "Wait... what? (Yes.) Fine",
                vec!["Wait...", "what?", "(Yes.)", "Fine"],
            ),
            ("我想……算了；下次", vec!["我想……算了；下次"]),
            ("好。", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(split(text), sentences, "{text}");
        }
    }

    #[test]
    fn cutting_keeps_whole_sentences() {
        let text = "记住这个。\n\nSecond one here. 第三句";
        assert_eq!(cut_at_sentence(text, 4), None);
        assert_eq!(cut_at_sentence(text, 5), Some("记住这个。"));
        assert_eq!(
            cut_at_sentence(text, 9),
            Some("记住这个。\n\nSecond one here.")
        );
        assert_eq!(cut_at_sentence(text, 99), Some(text));
        assert_eq!(cut_at_sentence(" \n", 99), None);
    }

    proptest! {
        #[test]
        fn sentences_are_parts_in_order(text in "[a-z。！？!?.…”\" \n记é]{0,40}") {
            prop_assert_eq!(pieces(&text).collect::<String>(), text.clone());
            let mut from = 0;
            for sentence in split(&text) {
                let at = text[from..].find(sentence);
                prop_assert!(at.is_some());
                from += at.unwrap_or(0) + sentence.len();
            }
        }

        #[test]
        fn a_cut_fits_and_is_a_beginning(text in any::<String>(), budget in 0u32..40) {
            if let Some(cut) = cut_at_sentence(&text, budget) {
                prop_assert!(text.starts_with(cut));
                prop_assert!(estimate(cut) <= budget);
                prop_assert!(!cut.trim().is_empty());
            }
        }
    }
}
