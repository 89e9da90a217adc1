//! The window over a document's own lines.

use super::{MIDDLE, Query, REACH, saturated};
use crate::index::Index;

/// A line as a window sees it.
#[derive(Default)]
struct Line {
    /// How often each stem of the question occurs, by its number.
    counts: Vec<(usize, u32)>,
    length: u32,
}

impl Index {
    /// The best window over the lines of a document's text; 0 where none
    /// holds a word of the question. Documents must have been looked up by the
    /// question before.
    pub fn window_of_lines(&self, query: &Query, text: &str) -> f64 {
        let lines: Vec<_> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| self.line(query, line))
            .collect();
        let weights: Vec<_> = query.stems.iter().map(|stem| stem.weight).collect();
        let mut counts = vec![0u32; query.stems.len()];
        let windows = (0..lines.len()).map(|middle| {
            counts.fill(0);
            let length = gather(&lines, middle, &mut counts);
            self.window_score(&weights, &counts, length)
        });
        windows.fold(0.0, f64::max)
    }

    fn line(&self, query: &Query, text: &str) -> Line {
        let mut line = Line::default();
        self.tokenizer.each(text, &mut |token| {
            line.length += 1;
            let term = self.dictionary.find(token);
            let Some(stem) = term.and_then(|term| query.stem_of.get(&term)) else {
                return;
            };
            match line.counts.iter_mut().find(|(known, _)| known == stem) {
                Some((_, count)) => *count += 1,
                None => line.counts.push((*stem, 1)),
            }
        });
        line
    }

    fn window_score(&self, weights: &[f64], counts: &[u32], length: u32) -> f64 {
        let mean = self.order.mean_line_window() / f64::from(MIDDLE);
        let length = f64::from(length) / f64::from(MIDDLE);
        let held = weights.iter().zip(counts).filter(|(_, count)| **count > 0);
        held.map(|(weight, count)| {
            weight * saturated(f64::from(*count) / f64::from(MIDDLE), length, mean)
        })
        .sum()
    }
}

/// Adds up the lines around one, in fifths; returns the length of all.
fn gather(lines: &[Line], middle: usize, counts: &mut [u32]) -> u32 {
    let first = middle.saturating_sub(REACH);
    let mut length = 0u32;
    for (at, line) in lines
        .iter()
        .enumerate()
        .take(middle + REACH + 1)
        .skip(first)
    {
        let weight = MIDDLE - middle.abs_diff(at) as u32;
        length = length.saturating_add(line.length.saturating_mul(weight));
        for (stem, count) in &line.counts {
            counts[*stem] += count * weight;
        }
    }
    length
}
