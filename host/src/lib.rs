//! Long-term memory for AI agents, kept as plain Markdown files.
//!
//! The engine is a WebAssembly component; this crate is its reference host.
//! It gives the engine one directory and nothing else of the machine, bounds
//! what it may use, and offers its interface as methods of [`Vault`]:
//!
//! ```no_run
//! use inkvault::Vault;
//! use inkvault::upkeep::InitOptions;
//! use inkvault::vault::{Draft, SearchOptions};
//!
//! # fn main() -> inkvault::Result<()> {
//! let mut vault = Vault::open("notes")?;
//! vault.init("inkvault", &InitOptions::default())?;
//! vault.write(&Draft {
//!     body: Some("The user prefers tabs over spaces.".to_owned()),
//!     ..Draft::default()
//! })?;
//! for hit in vault.search("tabs", &SearchOptions::default())? {
//!     println!("{} {}", hit.metadata.id, hit.snippet);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`vault`] has the four verbs, [`curation`] single memories, [`capture`]
//! what to remember of a conversation, [`upkeep`] the vault as a whole, and
//! [`types`] the vocabulary they share. [`convert`] makes a vault of one format
//! from one of another, [`git`] keeps a vault under git.

#![deny(unsafe_code)]

mod bindings;
mod cache;
pub mod convert;
mod error;
pub mod git;
mod interface;
mod limits;
mod linker;
mod open;
pub mod project;
mod runtime;
mod signature;
mod store;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

pub use error::{Cause, Error, Result};
pub use interface::{capture, curation, types, upkeep, vault};
pub use limits::{LimitKind, Limits};
pub use open::{Builder, Vault};
