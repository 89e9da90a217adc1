//! Measured figures of both engines side by side: as a table for a person, as
//! JSON for a program.

use std::fmt;

use serde_json::{Value, json};

/// What each engine may cost at most, as a multiple of the native one's.
pub const RATIO_AIM: f64 = 1.6;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Bytes.
    Bytes,
}

/// The figures of one engine, in the order they were had.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample(Vec<f64>);

impl Sample {
    /// Adds a figure.
    pub fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Half of the figures are not above it; 0 where there are none.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// The least figure: what is left when nothing else disturbs the machine.
    pub fn best(&self) -> f64 {
        self.0.iter().copied().reduce(f64::min).unwrap_or_default()
    }

    fn worst(&self) -> f64 {
        self.0.iter().copied().reduce(f64::max).unwrap_or_default()
    }

    fn json(&self) -> Value {
        if self.is_empty() {
            return Value::Null;
        }
        json!({
            "median": self.median(),
            "best": self.best(),
            "worst": self.worst(),
            "runs": self.0.len(),
        })
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What the figures count.
    pub unit: Unit,
    /// The component's figures.
    pub wasm: Sample,
    /// The native engine's; none where only one was measured.
    pub native: Sample,
    /// What the component's median is to be at most.
    pub aim: Option<f64>,
    /// Whether both engines did the same work, so that the ratio has an aim.
    pub comparable: bool,
    /// Whether the figures are of different questions: the best is then that
    /// of the easiest and says nothing.
    pub mixed: bool,
}

impl Row {
    /// The component's figure over the native one's of the same round, the
    /// median of all rounds: it does not move with the speed of the machine.
    pub fn ratio(&self) -> Option<f64> {
        if self.native.is_empty() {
            return None;
        }
        let rounds = self.wasm.0.iter().zip(&self.native.0);
        let ratios = rounds.map(|(wasm, native)| wasm / native);
        Some(median(ratios.collect()))
    }

    /// Whether the component's median is what it is to be; none without an
    /// aim.
    pub fn is_fast(&self) -> Option<bool> {
        self.aim.map(|aim| self.wasm.median() <= aim)
    }

    /// Whether the ratio is what it is to be; none where it has no aim.
    pub fn is_close(&self) -> Option<bool> {
        let ratio = self.ratio().filter(|_| self.comparable);
        ratio.map(|ratio| ratio <= RATIO_AIM)
    }

    fn json(&self) -> Value {
        json!({
            "what": self.what,
            "unit": match self.unit { Unit::Seconds => "s", Unit::Bytes => "bytes" },
            "wasm": self.wasm.json(),
            "native": self.native.json(),
            "ratio": self.ratio(),
            "aim": self.aim,
            "aim_met": self.is_fast(),
            "ratio_aim_met": self.is_close(),
        })
    }

    fn cells(&self) -> [String; COLUMNS] {
        let shown = |sample: &Sample| match (sample.is_empty(), self.unit) {
            (true, _) => String::new(),
            (false, Unit::Bytes) => self.unit.shown(sample.median()),
            (false, Unit::Seconds) if self.mixed => self.unit.shown(sample.median()),
            (false, Unit::Seconds) => {
                let best = self.unit.shown(sample.best());
                format!("{} ({best})", self.unit.shown(sample.median()))
            }
        };
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2}"));
        let aim = self.aim.map(|aim| self.unit.shown(aim));
        [
            self.what.clone(),
            shown(&self.wasm),
            shown(&self.native),
            judged(ratio, self.is_close()),
            judged(aim, self.is_fast()),
        ]
    }
}

/// A figure and whether an aim is met.
fn judged(figure: Option<String>, met: Option<bool>) -> String {
    let verdict = met.map(|met| if met { "met" } else { "missed" });
    let words = [figure, verdict.map(str::to_owned)];
    let words: Vec<_> = words.into_iter().flatten().collect();
    words.join(" ")
}

impl Unit {
    /// A figure with three digits and its unit.
    fn shown(self, figure: f64) -> String {
        let steps: &[(f64, &str)] = match self {
            Unit::Seconds => &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs")],
            Unit::Bytes => &[(1e9, "GB"), (1e6, "MB"), (1e3, "kB")],
        };
        let fitting = steps.iter().find(|(step, _)| figure >= *step);
        let (step, name) = fitting.or(steps.last()).copied().unwrap_or((1.0, ""));
        let figure = figure / step;
        let digits = match figure {
            0.0..10.0 => 2,
            10.0..100.0 => 1,
            _ => 0,
        };
        format!("{figure:.digits$} {name}")
    }
}

const COLUMNS: usize = 5;
const HEAD: [&str; COLUMNS] = ["", "wasm", "native", "ratio", "aim"];

/// All that was measured on vaults of one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The format of the vaults.
    pub format: &'static str,
    /// How many memories.
    pub memories: usize,
    /// What was measured.
    pub rows: Vec<Row>,
}

impl Report {
    /// The report as JSON.
    pub fn json(&self) -> Value {
        json!({
            "format": self.format,
            "memories": self.memories,
            "ratio_aim": RATIO_AIM,
            "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
        })
    }
}

/// A Markdown table.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} memories of about 450 characters, format {}. Median (best) of all rounds; ratio wasm : native, aim {RATIO_AIM}.\n",
            self.memories, self.format
        )?;
        let mut lines = vec![HEAD.map(str::to_owned)];
        lines.extend(self.rows.iter().map(Row::cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
        let widths: Vec<_> = (0..COLUMNS)
            .map(|column| width(column).unwrap_or_default())
            .collect();
        for (number, line) in lines.iter().enumerate() {
            write_line(f, line, &widths)?;
            if number == 0 {
                let rules: Vec<_> = widths.iter().map(|width| "-".repeat(*width)).collect();
                writeln!(f, "| {} |", rules.join(" | "))?;
            }
        }
        Ok(())
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, cells: &[String], widths: &[usize]) -> fmt::Result {
    for (cell, width) in cells.iter().zip(widths) {
        write!(f, "| {cell:<width$} ")?;
    }
    writeln!(f, "|")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(wasm: &[f64], native: &[f64], aim: Option<f64>) -> Row {
        Row {
            what: "x".into(),
            unit: Unit::Seconds,
            wasm: Sample(wasm.to_vec()),
            native: Sample(native.to_vec()),
            aim,
            comparable: true,
            mixed: false,
        }
    }

    #[test]
    fn the_ratio_is_taken_round_by_round() {
        // The machine was half as fast in the second round.
        let row = row(&[3.0, 6.0, 3.0], &[2.0, 4.0, 2.0], None);
        assert_eq!(row.ratio(), Some(1.5));
        assert_eq!(row.is_close(), Some(true));
    }

    #[test]
    fn each_aim_is_judged_by_itself() {
        let judged = |row: Row| (row.is_fast(), row.is_close());
        assert_eq!(judged(row(&[1.0], &[], None)), (None, None));
        assert_eq!(judged(row(&[1.0], &[], Some(1.0))), (Some(true), None));
        let slower = row(&[1.0], &[0.5], Some(1.0));
        assert_eq!(judged(slower), (Some(true), Some(false)));
        let slow = row(&[1.1], &[1.0], Some(1.0));
        assert_eq!(judged(slow), (Some(false), Some(true)));
    }

    #[test]
    fn figures_are_shown_with_three_digits() {
        assert_eq!(Unit::Seconds.shown(0.123_456), "123 ms");
        assert_eq!(Unit::Seconds.shown(1.234), "1.23 s");
        assert_eq!(Unit::Seconds.shown(0.000_045_6), "45.6 µs");
        assert_eq!(Unit::Bytes.shown(1_234_567.0), "1.23 MB");
        assert_eq!(Unit::Bytes.shown(12.0), "0.01 kB");
    }
}
