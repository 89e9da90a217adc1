//! A machine in memory whose every call can be counted and made to fail.
//!
//! For the tests of this crate and of others, where a real disk is too slow,
//! never full and never breaks. A [`Machine`] is a file tree and two clocks;
//! each [`Faulty`] is a process on it, with its own count of calls and its own
//! [`Injection`]s. Nothing happens by itself: clocks move when a test says so
//! or a process sleeps, random numbers are the same in every run.
//!
//! ```
//! use inkvault_guest::environment::{Environment, Injection, Machine, Plan, VaultPath};
//!
//! let machine = Machine::new();
//! machine.put("memory/a.md", "text");
//! let process = machine.process();
//! process.plan(Injection { at_call: 2, what: Plan::Crash });
//! let path = VaultPath::parse("memory/a.md")?;
//! assert!(process.stat(&path).is_ok());
//! assert!(process.stat(&path).is_err() && process.has_crashed());
//! # Ok::<(), inkvault_guest::environment::PathError>(())
//! ```
//!
//! It knows the semantics of POSIX file systems, and nothing of vaults. A
//! crash here ends a process, not the machine: what was written but not yet
//! synced is still there afterwards.

mod machine;
mod process;
mod tree;

#[cfg(test)]
pub(super) mod behaviour;
#[cfg(test)]
mod tests;

pub use machine::Machine;
pub use process::Faulty;

use super::IoErrorKind;

/// Something that goes wrong at one call of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// Which call: the first one after [`Faulty::reset_calls`] is number 1.
    pub at_call: u64,
    /// What goes wrong.
    pub what: Plan,
}

/// What can go wrong at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// The process dies: this call does nothing, and it and every later one
    /// answer [`IoErrorKind::Failed`].
    Crash,
    /// This call does nothing and answers so; later ones work.
    Fail(IoErrorKind),
    /// A write takes half of its bytes and says so; an append puts half of
    /// them at the end and answers [`IoErrorKind::Failed`]; any other call is
    /// as always.
    ShortWrite,
}
