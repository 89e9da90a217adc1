//! How well `recall` finds what answers a question, beside `search`.
//!
//! `cargo xtask bench quality --locomo FILE --cmrc FILE [--json]`
//!
//! The files are those of LoCoMo (github.com/snap-research/locomo) and CMRC
//! 2018 (github.com/ymcui/cmrc2018); each may be left out. Figures are the
//! same on every run.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use inkvault_benches::quality::collection::{Collection, Ranking};
use inkvault_benches::quality::figures::Measure;
use inkvault_benches::quality::locomo::Locomo;
use inkvault_benches::quality::report::{Report, Task};
use inkvault_benches::quality::{cmrc, typos};

const USAGE: &str = "cargo xtask bench quality --locomo FILE --cmrc FILE [--json]";

fn main() -> Result<()> {
    let options = Options::of(env::args().skip(1))?;
    if options.locomo.is_none() && options.cmrc.is_none() {
        // Also when all measurements are run.
        eprintln!("quality: no file is named: {USAGE}");
        return Ok(());
    }
    let mut report = Report::default();
    if let Some(file) = &options.locomo {
        locomo(&Locomo::read(&read(file)?)?, &mut report)?;
    }
    if let Some(file) = &options.cmrc {
        chinese(cmrc::read(&read(file)?)?, &mut report)?;
    }
    if options.json {
        println!("{:#}", report.json());
    } else {
        print!("{report}");
    }
    Ok(())
}

#[derive(Default)]
struct Options {
    json: bool,
    locomo: Option<PathBuf>,
    cmrc: Option<PathBuf>,
}

impl Options {
    fn of(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut options = Self::default();
        let mut words = arguments;
        while let Some(word) = words.next() {
            match word.as_str() {
                // What cargo says to every bench.
                "--bench" => {}
                "--json" => options.json = true,
                "--locomo" => options.locomo = words.next().map(PathBuf::from),
                "--cmrc" => options.cmrc = words.next().map(PathBuf::from),
                other => bail!("unknown argument: {other}\n{USAGE}"),
            }
        }
        Ok(options)
    }
}

fn read(file: &PathBuf) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn locomo(file: &Locomo, report: &mut Report) -> Result<()> {
    const MEASURES: [Measure; 4] = [
        Measure::RecallAt(5),
        Measure::RecallAt(10),
        Measure::ReciprocalRank,
        Measure::RecallInTokens(1_000),
    ];
    let turns = file.turns()?;
    let untied: Vec<_> = turns.iter().map(Collection::without_threads).collect();
    let by_day: Vec<_> = turns.iter().map(Collection::by_day).collect();
    let typos: Vec<_> = turns.iter().map(typos::misspelled).collect();
    for ranking in [Ranking::Recall, Ranking::Search] {
        for (what, collections) in [
            ("LoCoMo turns", &turns),
            ("LoCoMo turns, days for threads", &by_day),
            ("LoCoMo turns, no threads", &untied),
            ("LoCoMo turns, one typo", &typos),
        ] {
            let task = Task {
                what,
                collections,
                ranking,
                measures: &MEASURES,
                limit: 100,
                by_category: what == "LoCoMo turns",
            };
            report.rows.extend(task.rows()?);
        }
    }
    let sessions = [file.sessions()?];
    for ranking in [Ranking::Recall, Ranking::Search] {
        let task = Task {
            what: "LoCoMo sessions",
            collections: &sessions,
            ranking,
            measures: &[Measure::RecallAt(5), Measure::ReciprocalRank],
            limit: 100,
            by_category: true,
        };
        report.rows.extend(task.rows()?);
    }
    Ok(())
}

fn chinese(collection: Collection, report: &mut Report) -> Result<()> {
    let of_one_day = [collection.of_one_day()];
    let in_lines = [collection.in_lines()];
    let collections = [collection];
    for ranking in [Ranking::Recall, Ranking::Search] {
        for (what, collections) in [
            ("CMRC 2018", &collections),
            ("CMRC 2018, all of one day", &of_one_day),
            ("CMRC 2018, a sentence a line", &in_lines),
        ] {
            let task = Task {
                what,
                collections,
                ranking,
                measures: &[
                    Measure::RecallAt(1),
                    Measure::RecallAt(5),
                    Measure::ReciprocalRank,
                ],
                limit: 100,
                by_category: false,
            };
            report.rows.extend(task.rows()?);
        }
    }
    Ok(())
}
