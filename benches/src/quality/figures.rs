//! Figures of a ranking: how much of what answers is among the first, and how
//! sure the mean is.

use std::collections::HashSet;

use super::collection::{Note, filling};
use crate::random::Random;

/// How often the questions are drawn anew.
const DRAWS: usize = 1_000;
const SEED: u64 = 0x1a2b_3c4d;

/// What is counted of a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The share of the notes that answer among the first so many.
    RecallAt(usize),
    /// One over the place of the first note that answers.
    ReciprocalRank,
    /// The share of the notes that answer among the first that fit into so
    /// many tokens.
    RecallInTokens(u32),
}

impl Measure {
    /// What it is called in tables.
    pub fn name(self) -> String {
        match self {
            Measure::RecallAt(places) => format!("R@{places}"),
            Measure::ReciprocalRank => "MRR".to_owned(),
            Measure::RecallInTokens(tokens) => format!("R in {tokens} tokens"),
        }
    }

    /// The figure of one ranking.
    pub fn of(self, ranked: &[&Note], relevant: &HashSet<String>) -> f64 {
        let share = |notes: &[&Note]| {
            let found = notes.iter().filter(|note| relevant.contains(&note.name));
            found.count() as f64 / relevant.len().max(1) as f64
        };
        match self {
            Measure::RecallAt(places) => share(&ranked[..places.min(ranked.len())]),
            Measure::ReciprocalRank => ranked
                .iter()
                .position(|note| relevant.contains(&note.name))
                .map_or(0.0, |place| 1.0 / (place + 1) as f64),
            Measure::RecallInTokens(tokens) => share(&filling(ranked, tokens)),
        }
    }
}

/// A mean and the range in which it lies with 95 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// Where the range begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Mean {
    /// The mean of the figures of all questions; the range from drawing the
    /// questions anew, with a fixed seed.
    pub fn of(figures: &[f64]) -> Self {
        let count = figures.len().max(1);
        let mut random = Random::seeded(SEED);
        let mut means: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let drawn = (0..figures.len()).map(|_| figures[random.below(figures.len())]);
                drawn.sum::<f64>() / count as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        Mean {
            value: figures.iter().sum::<f64>() / count as f64,
            low: means[DRAWS / 40],
            high: means[DRAWS - 1 - DRAWS / 40],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(name: &str) -> Note {
        Note {
            name: name.to_owned(),
            title: String::new(),
            body: "12345678".to_owned(),
            created: None,
            origin: None,
        }
    }

    #[test]
    fn figures_by_hand() {
        let notes = ["a", "b", "c", "d"].map(note);
        let ranked: Vec<_> = notes.iter().collect();
        let relevant = HashSet::from(["b".to_owned(), "d".to_owned(), "x".to_owned()]);
        for (measure, expected) in [
            (Measure::RecallAt(1), 0.0),
            (Measure::RecallAt(2), 1.0 / 3.0),
            (Measure::RecallAt(9), 2.0 / 3.0),
            (Measure::ReciprocalRank, 0.5),
            (Measure::RecallInTokens(5), 1.0 / 3.0),
            (Measure::RecallInTokens(8), 2.0 / 3.0),
        ] {
            assert_eq!(measure.of(&ranked, &relevant), expected, "{measure:?}");
        }
        assert_eq!(Measure::ReciprocalRank.of(&[], &relevant), 0.0);
    }

    #[test]
    fn the_range_holds_the_mean_and_is_the_same_every_time() {
        let figures: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let mean = Mean::of(&figures);
        assert_eq!(mean.value, 0.5);
        assert!(mean.low < 0.47 && mean.low > 0.43, "{mean:?}");
        assert!(mean.high > 0.53 && mean.high < 0.57, "{mean:?}");
        assert_eq!(Mean::of(&figures), mean);
        let sure = Mean::of(&[1.0; 9]);
        assert_eq!((sure.low, sure.high), (1.0, 1.0));
    }
}
