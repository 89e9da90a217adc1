//! The figures that the project promises, in one table, with the native engine
//! beside the component.
//!
//! `cargo xtask bench summary -- [--json] [--quick] [--format NAME] [--size N] [--command PATH]`
//!
//! Rounds alternate between the engines, so that a machine whose speed drifts
//! disturbs both alike. Whole processes are started by this program: for wasm
//! the command `inkvault`, built with the same profile, for native this very
//! program, which then does the same and nothing else. Each has one run that
//! does not count, after which the compiled component is in its cache and the
//! vault in memory. Peak memory is what Linux tells of a process of its own
//! (`VmHWM`), this program in both cases.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use inkvault_benches::corpus::Corpus;
use inkvault_benches::engine::{Engine, Vault};
use inkvault_benches::report::{Report, Row, Sample, Unit};
use inkvault_benches::{FORMAT, SNAPSHOT, forget_snapshot, prepared, vaults};
use inkvault_guest::format::{self, Format};

const TARGET_TMP: &str = env!("CARGO_TARGET_TMPDIR");
/// The size the aims are for.
const AIMED_SIZE: usize = 10_000;
/// The word after which this program is one of its own processes.
const CHILD: &str = "--child";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == CHILD) {
        return child(&arguments[1..]);
    }
    let options = Options::of(&arguments)?;
    let report = measured(&options)?;
    if options.json {
        println!("{:#}", report.json());
    } else {
        print!("{report}");
    }
    Ok(())
}

struct Options {
    json: bool,
    /// Fewer rounds.
    quick: bool,
    format: &'static dyn Format,
    size: usize,
    command: Option<PathBuf>,
}

impl Options {
    fn of(arguments: &[String]) -> Result<Self> {
        let mut options = Self {
            json: false,
            quick: false,
            format: format::named(FORMAT)?,
            size: AIMED_SIZE,
            command: None,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                // What cargo says to every bench.
                "--bench" => {}
                "--json" => options.json = true,
                "--quick" => options.quick = true,
                "--format" => {
                    options.format = format::named(words.next().context("--format: which?")?)?;
                }
                "--size" => options.size = words.next().context("--size: how many?")?.parse()?,
                "--command" => options.command = words.next().map(PathBuf::from),
                other => bail!("unknown argument: {other}"),
            }
        }
        Ok(options)
    }
}

fn measured(options: &Options) -> Result<Report> {
    let command = match &options.command {
        Some(path) => path.clone(),
        None => built_command()?,
    };
    let corpus = Corpus::new(options.format, options.size);
    let directory = prepared(TARGET_TMP, &corpus)?;
    let subject = Subject {
        corpus,
        directory,
        command,
        rounds: if options.quick || options.size > AIMED_SIZE {
            3
        } else {
            9
        },
        aimed: options.size == AIMED_SIZE,
    };
    Ok(Report {
        format: options.format.name(),
        memories: options.size,
        rows: subject.rows()?,
    })
}

/// What is measured.
struct Subject {
    corpus: Corpus,
    directory: PathBuf,
    command: PathBuf,
    /// How often the slow ones are repeated.
    rounds: usize,
    /// Whether the aims are for this size.
    aimed: bool,
}

impl Subject {
    fn rows(&self) -> Result<Vec<Row>> {
        let mut rows = vec![self.rebuild()?, self.rebuild_command()?];
        rows.extend([self.search_command()?, self.open()?]);
        rows.extend(self.searches()?);
        rows.extend([self.recall()?, self.write()?]);
        rows.extend(self.peaks()?);
        rows.extend(self.files());
        Ok(rows)
    }

    /// The first call where there is no snapshot.
    fn rebuild(&self) -> Result<Row> {
        let opened = |engine: Engine| {
            forget_snapshot(&self.corpus, &self.directory)?;
            let mut vault = engine.vault(&self.directory)?;
            timed(|| vault.look())
        };
        self.in_turn("rebuild from Markdown", Some(1.0), opened)
    }

    /// `inkvault rebuild`, which writes `index.json` besides.
    fn rebuild_command(&self) -> Result<Row> {
        let arguments = ["rebuild"];
        let process = |engine| timed(|| self.process(engine, &arguments));
        self.in_turn("`inkvault rebuild`, with index.json", None, process)
    }

    /// `inkvault search` with a good snapshot.
    fn search_command(&self) -> Result<Row> {
        let questions = self.corpus.questions();
        let arguments = ["search", &questions.questions[0]];
        let process = |engine| timed(|| self.process(engine, &arguments));
        let mut row = self.in_turn("`inkvault search`, one process", Some(0.15), process)?;
        row.comparable = false;
        Ok(row)
    }

    /// A new instance and its first call with a good snapshot.
    fn open(&self) -> Result<Row> {
        let opened = |engine: Engine| {
            let (seconds, vault) = timed_answer(|| engine.opened(&self.directory))?;
            drop(vault);
            Ok(seconds)
        };
        self.in_turn("open, warm snapshot", None, opened)
    }

    /// Searches of every sort, and of all sorts mixed.
    fn searches(&self) -> Result<Vec<Row>> {
        let questions = self.corpus.questions();
        let mixed = questions.mixed();
        let mut rows = vec![self.calls("search p50", Some(1e-3), &mixed, Vault::search)?];
        for (sort, questions) in questions.sorts() {
            let questions: Vec<_> = questions.iter().map(String::as_str).collect();
            let what = format!("search p50, {sort}");
            rows.push(self.calls(&what, None, &questions, Vault::search)?);
        }
        Ok(rows)
    }

    fn recall(&self) -> Result<Row> {
        let questions = self.corpus.questions();
        let questions: Vec<_> = questions.questions.iter().map(String::as_str).collect();
        self.calls("recall p50", None, &questions, Vault::recall)
    }

    /// Each engine writes into a vault of its own.
    fn write(&self) -> Result<Row> {
        const WRITES: u64 = 150;
        let mut row = row("write p50", None);
        let mut engines = Vec::new();
        for engine in Engine::BOTH {
            let directory = self.corpus.own_vault(&vaults(TARGET_TMP))?;
            engines.push((engine, engine.opened(directory.path())?, directory));
        }
        for number in 0..WRITES {
            let text = self.corpus.new_text(number);
            for (engine, vault, _) in &mut engines {
                let seconds = timed(|| vault.write(&text))?;
                sample(&mut row, *engine).push(seconds);
            }
        }
        Ok(row)
    }

    /// Calls on vaults in memory, for each question several times.
    fn calls(
        &self,
        what: &str,
        aim: Option<f64>,
        questions: &[&str],
        call: impl Fn(&mut Vault, &str) -> Result<usize>,
    ) -> Result<Row> {
        const REPEATS: usize = 5;
        let mut row = row(what, aim.filter(|_| self.aimed));
        row.mixed = true;
        let mut engines = Vec::new();
        for engine in Engine::BOTH {
            engines.push((engine, engine.opened(&self.directory)?));
        }
        for repeat in 0..=REPEATS {
            for (engine, vault) in &mut engines {
                for question in questions {
                    let seconds = timed(|| call(vault, question).map(drop))?;
                    // The first time around, wasmtime touches its memory.
                    if repeat > 0 {
                        sample(&mut row, *engine).push(seconds);
                    }
                }
            }
        }
        Ok(row)
    }

    fn peaks(&self) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (what, arguments) in [
            ("peak memory, rebuild", ["rebuild", ""]),
            ("peak memory, search", ["search", "zzqx"]),
        ] {
            let mut row = row(what, None);
            row.unit = Unit::Bytes;
            row.comparable = false;
            for engine in Engine::BOTH {
                if let Some(peak) = self.child(engine, &arguments)? {
                    sample(&mut row, engine).push(peak);
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }

    /// Sizes of files.
    fn files(&self) -> Vec<Row> {
        let private = |name| (name, self.corpus.private_file(&self.directory, name));
        let files = [
            ("component", component()),
            private(SNAPSHOT),
            private("index.json"),
        ];
        let mut rows = Vec::new();
        for (what, path) in files {
            let mut row = row(what, None);
            row.unit = Unit::Bytes;
            // The component lies elsewhere where it was not built here.
            if let Ok(size) = fs::metadata(&path) {
                row.wasm.push(size.len() as f64);
            }
            rows.push(row);
        }
        rows
    }

    /// Measures both engines in turn, once more than is counted.
    fn in_turn(
        &self,
        what: &str,
        aim: Option<f64>,
        measure: impl Fn(Engine) -> Result<f64>,
    ) -> Result<Row> {
        // Keeps the compiled code loaded between the rounds.
        let held = Engine::Wasm.vault(&self.directory)?;
        let mut row = row(what, aim.filter(|_| self.aimed));
        for round in 0..=self.rounds {
            for engine in Engine::BOTH {
                let figure = measure(engine)?;
                if round > 0 {
                    sample(&mut row, engine).push(figure);
                }
            }
        }
        drop(held);
        Ok(row)
    }

    /// A process that does one thing with the vault: the command for wasm.
    fn process(&self, engine: Engine, arguments: &[&str]) -> Result<()> {
        if engine == Engine::Native {
            return self.child(engine, arguments).map(drop);
        }
        let mut command = Command::new(&self.command);
        command.arg("--vault").arg(&self.directory).args(arguments);
        let status = command.stdout(Stdio::null()).status()?;
        ensure!(status.success(), "{}: {status}", self.command.display());
        Ok(())
    }

    /// This program as a process of its own; gives its peak memory in bytes.
    fn child(&self, engine: Engine, arguments: &[&str]) -> Result<Option<f64>> {
        let mut command = Command::new(env::current_exe()?);
        command.args([CHILD, engine.name()]);
        command.arg(&self.directory).args(arguments);
        let output = command.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "{}", output.status);
        Ok(String::from_utf8(output.stdout)?.trim().parse().ok())
    }
}

/// What a process of this program does: one thing, then it tells its peak.
fn child(arguments: &[String]) -> Result<()> {
    let [engine, directory, what, question @ ..] = arguments else {
        bail!("{CHILD}: engine, directory, what to do");
    };
    let engine = Engine::BOTH
        .into_iter()
        .find(|known| known.name() == engine)
        .context("no such engine")?;
    let mut vault = engine.vault(Path::new(directory))?;
    match what.as_str() {
        "rebuild" => drop(vault.rebuild_index()?),
        _ => drop(vault.search(&question.join(" "))?),
    }
    if let Some(peak) = peak_memory() {
        println!("{peak}");
    }
    Ok(())
}

/// The most memory this process has held, in bytes; none where the system
/// does not tell.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Builds the command `inkvault` as this program was built.
fn built_command() -> Result<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace.context("the workspace")?);
    cargo.args(["build", "--workspace", "--bins", "--quiet"]);
    cargo.arg("--config=benches/profile.toml");
    // What cargo told this program of itself would have crates built anew.
    for (name, _) in env::vars_os() {
        let told = name.to_string_lossy();
        if told.starts_with("CARGO_PKG_") || told.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&name);
        }
    }
    let status = cargo.status().context("building the command")?;
    ensure!(status.success(), "building the command: {status}");
    let name = format!("inkvault{}", env::consts::EXE_SUFFIX);
    Ok(target().join("debug").join(name))
}

/// The component that is in the command.
fn component() -> PathBuf {
    match env::var_os("INKVAULT_COMPONENT").filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => target().join("component/wasm32-wasip2/component/inkvault_guest.wasm"),
    }
}

fn target() -> &'static Path {
    Path::new(TARGET_TMP).parent().unwrap_or(Path::new("."))
}

fn row(what: &str, aim: Option<f64>) -> Row {
    Row {
        what: what.to_owned(),
        unit: Unit::Seconds,
        wasm: Sample::default(),
        native: Sample::default(),
        aim,
        comparable: true,
        mixed: false,
    }
}

fn sample(row: &mut Row, engine: Engine) -> &mut Sample {
    match engine {
        Engine::Wasm => &mut row.wasm,
        Engine::Native => &mut row.native,
    }
}

/// How many seconds something takes.
fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    Ok(timed_answer(work)?.0)
}

/// How many seconds something takes, and what it gives.
fn timed_answer<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let began = Instant::now();
    let answer = work()?;
    Ok((began.elapsed().as_secs_f64(), answer))
}
