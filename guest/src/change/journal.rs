//! The journal: the history of changes for people and other tools, one line
//! each, in the form of the vault's format. It is appended to and never
//! rewritten; no decision rests on it.

use serde::{Deserialize, Serialize};

use crate::environment::{self, Environment, IoErrorKind, IoResult, VaultPath};

/// A line and the file it belongs to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalLine {
    /// The file.
    pub path: VaultPath,
    /// The line, without its end.
    pub text: String,
}

impl JournalLine {
    /// The line a format describes.
    pub fn new((path, text): (VaultPath, String)) -> Self {
        JournalLine { path, text }
    }

    /// Appends it; makes the directory where it is missing.
    ///
    /// # Errors
    /// What the file system answers.
    pub fn append(&self, environment: &dyn Environment) -> IoResult<()> {
        append(environment, std::slice::from_ref(self))
    }
}

/// Appends lines, those that follow on each other in one file at once.
pub(super) fn append(environment: &dyn Environment, lines: &[JournalLine]) -> IoResult<()> {
    each_file(lines, |path, texts| {
        append_text(environment, path, &texts.join("\n"))
    })
}

/// Appends lines unless they are the last ones already, closing half a line
/// that a crash left there.
pub(super) fn complete(environment: &dyn Environment, lines: &[JournalLine]) -> IoResult<()> {
    each_file(lines, |path, texts| {
        let bytes = match environment::read_file(environment, path) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let (whole, torn) = bytes.split_at(whole);
        let is_there = |count: &usize| ends_with_lines(whole, &texts[..*count]);
        let there = (0..=texts.len()).rev().find(is_there);
        let missing = texts[there.unwrap_or_default()..].join("\n");
        if missing.is_empty() {
            return Ok(());
        }
        let text = if torn.is_empty() {
            missing
        } else {
            format!("\n{missing}")
        };
        append_text(environment, path, &text)
    })
}

/// Does something with the lines of each file.
fn each_file(
    lines: &[JournalLine],
    mut visit: impl FnMut(&VaultPath, &[&str]) -> IoResult<()>,
) -> IoResult<()> {
    lines
        .chunk_by(|a, b| a.path == b.path)
        .filter_map(|lines| Some((&lines.first()?.path, lines)))
        .try_for_each(|(path, lines)| {
            let texts: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
            visit(path, &texts)
        })
}

fn append_text(environment: &dyn Environment, path: &VaultPath, text: &str) -> IoResult<()> {
    match environment::append_line(environment, path, text) {
        Err(error) if error.kind == IoErrorKind::NotFound => {
            environment::create_directories(environment, &path.parent())?;
            environment::append_line(environment, path, text)
        }
        appended => appended,
    }
}

fn ends_with_lines(bytes: &[u8], lines: &[&str]) -> bool {
    let mut rest = bytes;
    lines.iter().rev().all(|line| {
        let before = rest
            .strip_suffix(b"\n")
            .and_then(|rest| rest.strip_suffix(line.as_bytes()));
        rest = before.unwrap_or_default();
        before.is_some_and(|before| before.is_empty() || before.ends_with(b"\n"))
    })
}
