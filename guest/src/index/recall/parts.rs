//! What a score is made of, and how it is told.

use crate::index::ranking::round;

const WINDOW: f64 = 1.5;
const ANSWER: f64 = 0.8;
const TITLE: f64 = 0.2;
const DATE: f64 = 1.5;
/// Much the same anywhere between 1 and 5 (`benches/README.md`).
const CHARACTERS: f64 = 2.0;
/// The most that titles and dates multiply by.
pub(super) const TITLE_MOST: f64 = 1.0 + TITLE;
pub(super) const DATE_MOST: f64 = 1.0 + DATE;
/// A text of a conversation that says when something was, where the question
/// asks that.
pub(super) const TELLS_TIME: f64 = 1.15;
/// A text of a conversation that ends by asking.
pub(super) const ENDS_ASKING: f64 = 0.9;

/// How a memory stands, apart from what it says: its importance, confidence
/// and age together move its score by a tenth at most.
pub(super) const STANDING_MOST: f64 = 1.1;
const IMPORTANCE: f64 = 0.04;
const CONFIDENCE: f64 = 0.03;
const RECENCY: f64 = 0.03;
/// Days after which a memory counts as half new.
const HALF_NEW: f64 = 90.0;
const DAY: f64 = 86_400_000.0;

/// What a score is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// What the question's words give the document itself.
    pub own: f64,
    /// What they give the window around it, or around its best line.
    pub window: f64,
    /// What they give the question that it follows.
    pub answer: f64,
    /// The share of the words of its title, or of another of its names, that
    /// the question has, 0 to 1.
    pub title: f64,
    /// How well its time fits a date in the question, 0 to 1.
    pub date: f64,
    /// What its manner of speaking multiplies by.
    pub manner: f64,
    /// What single CJK characters give it.
    pub characters: f64,
    /// What its standing multiplies by, 0.9 to 1.1.
    pub standing: f64,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// A word of the question, or the name of a rule in parentheses.
    pub name: String,
    /// Its share of the score.
    pub value: f64,
}

impl Parts {
    /// The score, not rounded.
    pub(super) fn total(&self) -> f64 {
        (self.base() * self.title_factor() * self.date_factor() * self.manner
            + CHARACTERS * self.characters)
            * self.standing
    }

    /// Whether the document itself holds anything of the question.
    pub(super) fn is_met(&self) -> bool {
        self.own + self.characters > 0.0
    }

    /// What the question's words give it altogether.
    pub(super) fn base(&self) -> f64 {
        self.own + WINDOW * self.window + ANSWER * self.answer
    }

    /// What single characters add.
    pub(super) fn of_characters(&self) -> f64 {
        CHARACTERS * self.characters
    }

    fn title_factor(&self) -> f64 {
        1.0 + TITLE * self.title
    }

    fn date_factor(&self) -> f64 {
        1.0 + DATE * self.date
    }

    /// Every rule's share; together with the words' shares, which are `own`,
    /// they are the score.
    pub(super) fn rules(&self) -> Vec<Factor> {
        let titled = self.base() * self.title_factor();
        let dated = titled * self.date_factor();
        let mannered = dated * self.manner;
        let whole = mannered + self.of_characters();
        let shares = [
            ("(context)", WINDOW * self.window),
            ("(question before)", ANSWER * self.answer),
            ("(title)", titled - self.base()),
            ("(date)", dated - titled),
            ("(manner)", mannered - dated),
            ("(characters)", self.of_characters()),
            ("(standing)", whole * (self.standing - 1.0)),
        ];
        let told = shares.into_iter().filter(|(_, value)| round(*value) != 0.0);
        told.map(|(name, value)| Factor {
            name: name.to_owned(),
            value: round(value),
        })
        .collect()
    }
}

/// What a memory's standing multiplies its scores by. `age` is in
/// milliseconds behind the newest memory, not the clock, so that an answer
/// stays what it is.
pub(super) fn standing(importance: Option<u8>, confidence: u16, age: Option<i64>) -> f64 {
    let importance = importance.map_or(0.0, |value| f64::from(value.min(100)) / 50.0 - 1.0);
    let confidence = f64::from(confidence.min(1_000)) / 500.0 - 1.0;
    let recency = age.map_or(0.0, |age| {
        let days = age.max(0) as f64 / DAY;
        2.0 * HALF_NEW / (HALF_NEW + days) - 1.0
    });
    1.0 + IMPORTANCE * importance + CONFIDENCE * confidence + RECENCY * recency
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_moves_a_tenth_at_most() {
        let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-9, "{one} {other}");
        near(standing(Some(100), 1_000, Some(0)), STANDING_MOST);
        near(standing(Some(0), 0, Some(i64::MAX)), 0.9);
        near(standing(None, 500, None), 1.0);
        near(standing(None, 500, Some(90 * 86_400_000)), 1.0);
    }
}
