//! `cargo xtask test`: everything is built, wasmtime once, and every test is run.

use std::collections::BTreeSet;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::{cargo, exit_code, run as run_command, shown};
use crate::setup;

/// How cargo reports what it has built, while people still read its warnings and errors.
const REPORT: &str = "--message-format=json-render-diagnostics";

/// Options of `cargo test` that say what to test or how far to go, and that do not go together
/// with asking for the doc tests alone.
const CHOICES: [&str; 12] = [
    "--all-targets",
    "--bench",
    "--benches",
    "--bin",
    "--bins",
    "--doc",
    "--example",
    "--examples",
    "--lib",
    "--no-run",
    "--test",
    "--tests",
];

/// Builds and tests; cargo's summary is the last that is printed, its status is ours.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    setup::ensure()?;
    require_one_wasmtime()?;
    let mut outcome = ExitCode::SUCCESS;
    for targets in rounds(arguments) {
        let mut command = cargo(&["test", "--workspace"]);
        let status = run_command(command.args(*targets).args(arguments))?;
        if !status.success() {
            outcome = exit_code(status);
            if !options(arguments).any(|option| option == "--no-fail-fast") {
                break;
            }
        }
    }
    Ok(outcome)
}

/// The targets to test, one call of cargo for each entry: first the doc tests, of which most
/// crates have none, so that a summary with tests in it comes last. Where the arguments choose
/// themselves, cargo is called once with those.
fn rounds(arguments: &[String]) -> &'static [&'static [&'static str]] {
    if options(arguments).any(chooses) {
        &[&[]]
    } else {
        &[&["--doc"], &["--lib", "--bins", "--tests"]]
    }
}

fn chooses(option: &str) -> bool {
    let (name, _) = option.split_once('=').unwrap_or((option, ""));
    CHOICES.contains(&name)
}

/// The arguments that are cargo's; behind `--` are those of the test programs.
fn options(arguments: &[String]) -> impl Iterator<Item = &str> {
    let all = arguments.iter().map(String::as_str);
    all.take_while(|argument| *argument != "--")
}

/// Builds what `cargo run` and what `cargo test` want, and requires that both share one wasmtime:
/// a second one, of other features, would cost every fresh checkout minutes.
fn require_one_wasmtime() -> Result<()> {
    let mut libraries = libraries_of_wasmtime(cargo(&["build", "--workspace", REPORT]))?;
    libraries.extend(libraries_of_wasmtime(cargo(&[
        "test",
        "--workspace",
        "--no-run",
        REPORT,
    ]))?);
    if libraries.len() != 1 {
        let list: Vec<&str> = libraries.iter().map(String::as_str).collect();
        bail!(
            "wasmtime must be compiled once, but these are in use: [{}]; \
             `cargo tree --workspace --edges features --invert wasmtime` shows who wants what",
            list.join(", ")
        );
    }
    Ok(())
}

/// Builds, and gives the files of the library wasmtime that the result is made of.
fn libraries_of_wasmtime(mut command: Command) -> Result<BTreeSet<String>> {
    let line = shown(&command);
    eprintln!("$ {line}");
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| line.clone())?;
    if !output.status.success() {
        bail!("{line}: {}", output.status);
    }
    let report = String::from_utf8(output.stdout).with_context(|| line.clone())?;
    let mut libraries = BTreeSet::new();
    for message in report.lines() {
        libraries.extend(libraries_in(message)?);
    }
    Ok(libraries)
}

/// The files of the library wasmtime in one line of cargo's report.
fn libraries_in(line: &str) -> Result<Vec<String>> {
    let message: Value = serde_json::from_str(line).context("reading what cargo has built")?;
    if message["target"]["name"] != "wasmtime" {
        return Ok(Vec::new());
    }
    let files = message["filenames"].as_array().into_iter().flatten();
    let names = files.filter_map(Value::as_str);
    Ok(names
        .filter(|name| name.ends_with(".rlib"))
        .map(str::to_owned)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds_for(arguments: &str) -> usize {
        let words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
        rounds(&words).len()
    }

    #[test]
    fn doc_tests_come_first_unless_targets_are_chosen() {
        assert_eq!(rounds(&[])[0], ["--doc"]);
        for both in ["", "a_filter", "--no-fail-fast", "-- --list", "-- --test"] {
            assert_eq!(rounds_for(both), 2, "{both}");
        }
        for chosen in ["--doc", "--test command", "--test=command -- --list"] {
            assert_eq!(rounds_for(chosen), 1, "{chosen}");
        }
    }

    #[test]
    fn the_library_is_found_in_the_report() {
        let line = r#"{"reason":"compiler-artifact","target":{"name":"wasmtime"},
            "filenames":["/t/libwasmtime-1.rlib","/t/libwasmtime-1.rmeta"]}"#;
        assert_eq!(libraries_in(line).unwrap(), ["/t/libwasmtime-1.rlib"]);
    }

    #[test]
    fn other_lines_of_the_report_hold_none() {
        let other = r#"{"target":{"name":"wasmtime_wasi"},"filenames":["/t/a.rlib"]}"#;
        assert!(libraries_in(other).unwrap().is_empty());
        assert!(
            libraries_in(r#"{"reason":"build-finished"}"#)
                .unwrap()
                .is_empty()
        );
        assert!(libraries_in("no report").is_err());
    }
}
