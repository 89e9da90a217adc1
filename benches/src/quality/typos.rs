//! Questions as they are written in haste: one word misspelled.

use inkvault_guest::text::words::is_stop_word;

use super::collection::Collection;
use crate::random::Random;

const SEED: u64 = 0x7e57_0001;
/// Shortest word that is misspelled, in characters.
const SHORTEST: usize = 4;

/// A collection whose questions each have one word misspelled, the same at
/// every call: a letter more, less or other, or two neighbours swapped, never
/// the first letter.
pub fn misspelled(collection: &Collection) -> Collection {
    let mut random = Random::seeded(SEED);
    let mut collection = collection.clone();
    for question in &mut collection.questions {
        question.text = with_typo(&question.text, &mut random);
    }
    collection
}

fn with_typo(text: &str, random: &mut Random) -> String {
    let is_misspelled = |word: &&str| {
        word.len() >= SHORTEST
            && word.chars().all(|c| c.is_ascii_alphabetic())
            && !is_stop_word(&word.to_lowercase())
    };
    let words = text.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(is_misspelled).collect();
    if words.is_empty() {
        return text.to_owned();
    }
    let word = words[random.below(words.len())];
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    let typo = misspell(word, random);
    format!("{}{typo}{}", &text[..at], &text[at + word.len()..])
}

fn misspell(word: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + random.below(letters.len() - 1);
    let letter = char::from(b'a' + random.below(26) as u8);
    match random.below(4) {
        0 => letters.insert(at, letter),
        1 => {
            letters.remove(at);
        }
        2 => letters[at] = letter,
        _ => {
            let at = at.min(letters.len() - 2);
            letters.swap(at, at + 1);
        }
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::collection::Question;

    #[test]
    fn one_word_is_misspelled_and_its_first_letter_stays() {
        let question = |text: &str| Question {
            text: text.to_owned(),
            category: String::new(),
            relevant: Default::default(),
        };
        let collection = Collection {
            notes: Vec::new(),
            questions: vec![
                question("Where did the rocket launch?"),
                question("为什么?"),
            ],
        };
        let typos = misspelled(&collection);
        assert_eq!(typos, misspelled(&collection));
        let text = &typos.questions[0].text;
        assert!(
            text.starts_with("Where did the r") && text.contains(" l"),
            "{text}"
        );
        assert_eq!(typos.questions[1].text, "为什么?");
    }
}
