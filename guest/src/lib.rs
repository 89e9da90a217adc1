//! The inkvault engine: long-term memory for AI agents in plain Markdown
//! files.
//!
//! The same code is a native library, used by tests, benches and Rust
//! programs that trust it with their file system, and the WebAssembly
//! component that other hosts load into a sandbox (`wit/`). Arrows go one
//! way: the component asks the [`vault`]; the vault describes with
//! [`mod@format`], finds with [`index`] and acts with [`change`]; those read
//! [`document`]s and [`text`] into [`memory`] records; and all of them meet
//! the world through an [`environment`].
//!
//! ```
//! use inkvault_guest::environment::Machine;
//! use inkvault_guest::vault::{Draft, SearchOptions, Vault};
//!
//! let machine = Machine::new();
//! let mut vault = Vault::new(Box::new(machine.process()));
//! vault.init("inkvault", Some("en"))?;
//! vault.write(&Draft { body: Some("Answer in Chinese.".into()), ..Draft::default() })?;
//! let hits = vault.search("chinese", &SearchOptions::default())?;
//! assert_eq!(hits[0].memory.body, "Answer in Chinese.");
//! # Ok::<(), inkvault_guest::Error>(())
//! ```

#![deny(unsafe_code)]

pub mod change;
#[cfg(target_os = "wasi")]
mod component;
pub mod document;
pub mod environment;
mod error;
pub mod format;
pub mod index;
pub mod memory;
pub mod text;
pub mod timestamp;
pub mod vault;

pub use error::{Error, Result};
