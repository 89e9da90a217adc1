//! What the command shows: its answers and failures as text, without what
//! differs from run to run.
//!
//! The functions panic where the command cannot be run or does not do as they
//! say.

use std::io::{BufRead as _, BufReader};
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::Folder;
use crate::command::{inkvault, process};

/// Runs the command.
#[must_use]
pub fn run(folder: &Folder, arguments: &[&str]) -> Output {
    run_with(folder, arguments, "")
}

/// Runs the command with a text on its standard input.
#[must_use]
pub fn run_with(folder: &Folder, arguments: &[&str], input: &str) -> Output {
    let output = inkvault(folder).args(arguments).write_stdin(input).output();
    output.expect("the command runs")
}

/// What the command prints where it succeeds; behind `--` what it remarks on
/// standard error.
#[must_use]
pub fn printed(folder: &Folder, arguments: &[&str]) -> String {
    answer(folder, run(folder, arguments))
}

/// What a command that succeeded has printed, as [`printed`] gives it.
#[must_use]
pub fn answer(folder: &Folder, output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    let mut printed = String::from_utf8(output.stdout).expect("text");
    if !output.stderr.is_empty() {
        printed += "--\n";
        printed += &String::from_utf8(output.stderr).expect("text");
    }
    settled(folder, &printed)
}

/// What the command prints, as JSON and as it is.
#[must_use]
pub fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = run(folder, &[&["--json"], arguments].concat());
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Exit code and complaint.
#[must_use]
pub fn failure(folder: &Folder, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    let code = output.status.code().expect("an exit code");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(output.stdout.is_empty(), "an answer and a failure: {said}");
    format!("{code} {}", settled(folder, &said))
}

/// A vault with one memory, and the memory's id.
#[must_use]
pub fn with_one() -> (Folder, String) {
    let folder = Folder::vault();
    let receipt = json(
        &folder,
        &["write", "Prefers tabs over spaces", "--tag", "editor"],
    );
    let id = receipt["metadata"]["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    (folder, id)
}

/// The first line of a command whose reader then wants no more, as in
/// `inkvault list | head -1`, and its end.
#[must_use]
pub fn first_line(folder: &Folder, arguments: &[&str]) -> (String, Output) {
    let command = process(folder)
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut command = command.expect("the command runs");
    let mut head = BufReader::new(command.stdout.take().expect("its output"));
    let mut line = String::new();
    head.read_line(&mut line).expect("a line");
    drop(head);
    (line, command.wait_with_output().expect("its end"))
}

/// What differs from run to run, by its shape, and what stands for it: `9` is
/// a digit, `x` a hexadecimal one, all else itself. Lengths stay the same, so
/// that columns do.
const VARIABLE: [(&str, &str); 6] = [
    ("m-99999999-xxxxxx", "m-20261019-ab12cd"),
    ("9999-99-99T99:99:99.999Z", "2026-10-19T10:00:00.123Z"),
    ("9999-99-99 99:99:99", "2026-10-19 10:00:05"),
    ("9999-99-99 99:99", "2026-10-19 10:00"),
    ("9999-99-99", "2026-10-19"),
    ("xxxxxxxxxxxxxxxx", "0123456789abcdef"),
];

fn has_shape(text: &str, shape: &str) -> bool {
    let fits = |(found, wanted): (u8, u8)| match wanted {
        b'9' => found.is_ascii_digit(),
        b'x' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
        wanted => found == wanted,
    };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

/// The text with a fixed value for all that differs from run to run.
#[must_use]
pub fn settled(folder: &Folder, text: &str) -> String {
    let mut text = text.replace(&folder.path().display().to_string(), "/notes");
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        if let Some((shape, value)) = VARIABLE.iter().find(|(shape, _)| has_shape(rest, shape)) {
            text.replace_range(at..at + shape.len(), value);
            at += shape.len();
        } else {
            at += 1;
        }
    }
    text
}
