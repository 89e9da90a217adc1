//! A staging pool: a file of candidates that some formats have.

use std::ops::Range;

use super::Language;
use crate::environment::VaultPath;

/// An entry of a staging pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Staged {
    /// Its day, `2026-08-18`.
    pub date: String,
    /// The project it comes from.
    pub scope: Option<String>,
    /// What it says.
    pub text: String,
    /// Where it stands in the file, line end included.
    pub part: Range<usize>,
}

/// A file of candidates that a person goes through now and then.
pub trait Pool {
    /// The file.
    fn file(&self) -> VaultPath;

    /// The entries in its text, in its order.
    fn entries(&self, text: &str) -> Vec<Staged>;

    /// The text with an entry added, or that of a new file with it.
    fn add(&self, text: Option<&str>, entry: &Staged, language: Language) -> String;
}
