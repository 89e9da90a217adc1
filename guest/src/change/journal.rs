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
        match environment::append_line(environment, &self.path, &self.text) {
            Err(error) if error.kind == IoErrorKind::NotFound => {
                environment::create_directories(environment, &self.path.parent())?;
                environment::append_line(environment, &self.path, &self.text)
            }
            appended => appended,
        }
    }

    /// Appends it unless it is the last line already, closing half a line
    /// that a crash left there.
    pub(super) fn complete(&self, environment: &dyn Environment) -> IoResult<()> {
        let bytes = match environment::read_file(environment, &self.path) {
            Ok((bytes, _)) => bytes,
            Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        if ends_with_line(&bytes, self.text.as_bytes()) {
            return Ok(());
        }
        let is_torn = !bytes.is_empty() && !bytes.ends_with(b"\n");
        let text = if is_torn {
            format!("\n{}", self.text)
        } else {
            self.text.clone()
        };
        JournalLine {
            text,
            path: self.path.clone(),
        }
        .append(environment)
    }
}

fn ends_with_line(bytes: &[u8], line: &[u8]) -> bool {
    bytes
        .strip_suffix(b"\n")
        .is_some_and(|bytes| bytes.ends_with(line))
}
