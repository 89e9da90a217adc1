//! `cargo xtask bench`: measures with the engine optimised and wasmtime as it is.
//!
//! `cargo bench` has a profile of its own, for which wasmtime would be compiled anew. The `dev`
//! profile serves here too; only the crates of this workspace are compiled once more for the
//! measurement, as fast as the compiler makes them.

use std::path::{Path, absolute};
use std::process::ExitCode;

use anyhow::Result;

use crate::cargo::{cargo, exit_code, run as run_command};
use crate::setup;

/// The settings of the crates that are measured, over what a test sets.
const PROFILE: &str = "benches/profile.toml";

/// Runs all measurements, or the one that is named.
pub(crate) fn run(arguments: &[String]) -> Result<ExitCode> {
    setup::ensure()?;
    let status = run_command(cargo(&["bench"]).args(bench_arguments(arguments)))?;
    Ok(exit_code(status))
}

/// What follows `cargo bench`.
fn bench_arguments(arguments: &[String]) -> Vec<String> {
    let (name, rest) = match arguments.split_first() {
        Some((name, rest)) if name != "--" => (name.as_str(), rest),
        _ => ("*", arguments),
    };
    let mut words = vec![
        "--workspace".to_owned(),
        "--profile=dev".to_owned(),
        format!("--config={PROFILE}"),
    ];
    words.push(format!("--bench={name}"));
    let (own, rest) = match rest.iter().position(|word| word == "--") {
        Some(end) => (&rest[..end], &rest[end + 1..]),
        None => (rest, [].as_slice()),
    };
    if !own.is_empty() || !rest.is_empty() {
        words.push("--".to_owned());
        words.extend(own.iter().chain(rest).map(|word| found_from_anywhere(word)));
    }
    words
}

/// A word that names a file here with its whole path: measurements run in a
/// directory of their own.
fn found_from_anywhere(word: &str) -> String {
    let path = Path::new(word);
    let whole = path.is_file().then(|| absolute(path).ok()).flatten();
    whole.map_or_else(|| word.to_owned(), |whole| whole.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tail(arguments: &[&str]) -> Vec<String> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let words = bench_arguments(&arguments);
        let from = words.iter().position(|word| word.starts_with("--bench"));
        words[from.unwrap()..].to_vec()
    }

    #[test]
    fn all_measurements_are_run_when_none_is_named() {
        assert_eq!(tail(&[]), ["--bench=*"]);
        assert_eq!(tail(&["--", "--quick"]), ["--bench=*", "--", "--quick"]);
    }

    #[test]
    fn one_measurement_is_run_by_its_name() {
        assert_eq!(tail(&["search"]), ["--bench=search"]);
        assert_eq!(
            tail(&["search", "--", "--quick"]),
            ["--bench=search", "--", "--quick"]
        );
        assert_eq!(
            tail(&["quality", "--locomo", "no such file", "--json"]),
            [
                "--bench=quality",
                "--",
                "--locomo",
                "no such file",
                "--json"
            ]
        );
    }

    #[test]
    fn files_are_found_from_anywhere() {
        let words = tail(&["quality", "--cmrc", "Cargo.toml"]);
        let file = Path::new(words.last().unwrap());
        assert!(
            file.is_absolute() && file.ends_with("Cargo.toml"),
            "{words:?}"
        );
    }
}
