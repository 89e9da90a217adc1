//! How well `recall` finds what answers a question, on collections whose
//! questions come with the notes that answer them.
//!
//! The collections are read from files given on the command line; nothing of
//! them is part of this project. Each becomes vaults in memory, asked through
//! the same calls as any other vault.

pub mod cmrc;
pub mod collection;
pub mod figures;
pub mod locomo;
pub mod report;
pub mod typos;
