//! Words that say little or are spelled by no rule, compiled in.
//!
//! The lists are plain files in `words/`: English stop words, English forms
//! that no rule of spelling leads back to their base (form, tab, base), and
//! Chinese words that ask. `recall` looks at them; `search` does not (inkvault
//! contract §2).

use std::borrow::Cow;
use std::sync::LazyLock;

use foldhash::{HashMap, HashSet};

static STOP_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("words/stop_en.txt").lines().collect());

static BASES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("words/irregular_en.tsv").lines();
    lines.filter_map(|line| line.split_once('\t')).collect()
});

/// Longest first, so that none is cut by a shorter one inside it.
static INTERROGATIVES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let mut words: Vec<_> = include_str!("words/interrogatives_zh.txt")
        .lines()
        .filter(|word| !word.is_empty())
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.chars().count()));
    words
});

/// Whether a word, in lower case, is an English one that says nothing of
/// what a text is about.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// The base of an irregular English form, in lower case: `went` is of `go`.
pub fn base(word: &str) -> Option<&'static str> {
    BASES.get(word).copied()
}

/// A text with a blank for each Chinese word that asks, so that no pair of
/// characters crosses it.
pub fn without_interrogatives(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.is_ascii() {
        return text;
    }
    for word in INTERROGATIVES.iter() {
        if text.contains(word) {
            text = Cow::Owned(text.replace(word, " "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_what_they_should_be() {
        assert!(is_stop_word("the") && is_stop_word("yourselves") && !is_stop_word("rocket"));
        assert_eq!(base("went"), Some("go"));
        assert_eq!(base("go"), None);
        let lines = include_str!("words/irregular_en.tsv").lines();
        for line in lines {
            let (form, base) = line.split_once('\t').expect(line);
            assert!(
                !form.is_empty() && !base.is_empty() && form != base,
                "{line}"
            );
        }
    }

    #[test]
    fn longer_interrogatives_go_first() {
        for (text, rest) in [
            ("什么时候开会", " 开会"),
            ("他是谁", "他 "),
            ("项目是谁负责", "项目 负责"),
            ("when was it", "when was it"),
            ("怎么样安装rust", " 安装rust"),
        ] {
            assert_eq!(without_interrogatives(text), rest, "{text}");
        }
    }
}
