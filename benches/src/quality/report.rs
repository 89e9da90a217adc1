//! The figures of all rankings side by side: a table for a person, JSON for a
//! program.

use std::fmt;

use anyhow::Result;
use serde_json::{Value, json};

use super::collection::{Collection, Ranking};
use super::figures::{Mean, Measure};

/// One line of a report: figures of one ranking over some questions.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was asked.
    pub what: String,
    /// Which order was measured.
    pub ranking: Ranking,
    /// How many questions.
    pub questions: usize,
    /// The figures.
    pub figures: Vec<(Measure, Mean)>,
}

/// What is measured over some collections.
pub struct Task<'t> {
    /// What it is called.
    pub what: &'t str,
    /// What is asked; each apart from the others.
    pub collections: &'t [Collection],
    /// The order.
    pub ranking: Ranking,
    /// What is counted.
    pub measures: &'t [Measure],
    /// How many notes are looked at.
    pub limit: u32,
    /// Whether a line for each category follows.
    pub by_category: bool,
}

impl Task<'_> {
    /// Asks all questions.
    ///
    /// # Errors
    /// The engine's.
    pub fn rows(&self) -> Result<Vec<Row>> {
        let mut figures: Vec<(&str, Vec<f64>)> = Vec::new();
        for collection in self.collections {
            let mut asked = collection.opened()?;
            for question in &collection.questions {
                let ranked = asked.ranked(self.ranking, &question.text, self.limit)?;
                let of = |measure: &Measure| measure.of(&ranked, &question.relevant);
                let counted = self.measures.iter().map(of).collect();
                figures.push((&question.category, counted));
            }
        }
        let mut rows = vec![self.row(self.what.to_owned(), &figures)];
        if self.by_category {
            let mut categories: Vec<_> = figures.iter().map(|(category, _)| *category).collect();
            categories.sort_unstable();
            categories.dedup();
            for category in categories {
                let mut of_category = figures.clone();
                of_category.retain(|(other, _)| *other == category);
                rows.push(self.row(format!("{}: {category}", self.what), &of_category));
            }
        }
        Ok(rows)
    }

    fn row(&self, what: String, figures: &[(&str, Vec<f64>)]) -> Row {
        let mean = |(number, measure): (usize, &Measure)| {
            let column: Vec<f64> = figures.iter().map(|(_, counted)| counted[number]).collect();
            (*measure, Mean::of(&column))
        };
        Row {
            what,
            ranking: self.ranking,
            questions: figures.len(),
            figures: self.measures.iter().enumerate().map(mean).collect(),
        }
    }
}

impl Ranking {
    /// What it is called in tables.
    pub fn name(self) -> &'static str {
        match self {
            Ranking::Search => "BM25",
            Ranking::Recall => "recall",
        }
    }
}

impl Row {
    fn json(&self) -> Value {
        let figures = self.figures.iter().map(|(measure, mean)| {
            let figure = json!({ "mean": mean.value, "low": mean.low, "high": mean.high });
            (measure.name(), figure)
        });
        json!({
            "what": self.what,
            "ranking": self.ranking.name(),
            "questions": self.questions,
            "figures": serde_json::Map::from_iter(figures),
        })
    }
}

/// All that was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Its lines.
    pub rows: Vec<Row>,
}

impl Report {
    /// The report as JSON.
    pub fn json(&self) -> Value {
        json!({ "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>() })
    }
}

/// A Markdown table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| | order | questions | figures (95 % of draws) |")?;
        writeln!(f, "| --- | --- | --- | --- |")?;
        for row in &self.rows {
            let cells = row.figures.iter().map(|(measure, mean)| {
                format!(
                    "{} {:.3} ({:.3}–{:.3})",
                    measure.name(),
                    mean.value,
                    mean.low,
                    mean.high
                )
            });
            let cells: Vec<_> = cells.collect();
            writeln!(
                f,
                "| {} | {} | {} | {} |",
                row.what,
                row.ranking.name(),
                row.questions,
                cells.join(", ")
            )?;
        }
        Ok(())
    }
}
