//! Builds the WebAssembly component, whichever toolchain this machine offers.
//!
//! `host/build.rs` calls [`build`], `cargo xtask setup` calls [`Toolchain::find`] and, when that
//! fails, installs what is [`Missing`]. What it takes to compile for [`TARGET`] is known here and
//! nowhere else. Two toolchains can do it:
//!
//! 1. **Shipped**: a compiler that comes with the std of the target, as rustup's does after
//!    [`RUSTUP_COMMAND`].
//! 2. **Debian**: the distribution's compiler, which builds std from its packaged sources and
//!    links it with its packaged C library ([`DEBIAN_PACKAGES`]).
//!
//! The first one found is taken, in this order; the environment variable [`CHOICE`] forces one.
//! This crate has no dependencies and must not get any.

#![forbid(unsafe_code)]

mod cargo;
mod component;
mod debian;
mod missing;
mod rustc;
mod shipped;

use std::env;
use std::fmt;
use std::path::PathBuf;

pub use cargo::fetch;
pub use component::{BuildError, build, require_component};
pub use debian::{APT_INSTALL, APT_UPDATE, DEBIAN_PACKAGES};
pub use missing::Missing;
pub use shipped::RUSTUP_COMMAND;

/// The target triple of the component.
pub const TARGET: &str = "wasm32-wasip2";

/// The environment variable that forces a toolchain: `rustup` or `debian`.
pub const CHOICE: &str = "INKVAULT_TOOLCHAIN";

/// The environment variable that names a finished component, so that none is built.
pub const COMPONENT: &str = "INKVAULT_COMPONENT";

/// Which toolchains may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The first that is there.
    Any,
    /// A compiler that ships the std of the target.
    Shipped,
    /// Debian's compiler with std built from source.
    Debian,
}

impl Choice {
    /// Reads [`CHOICE`]; unset or empty means [`Choice::Any`].
    ///
    /// # Errors
    ///
    /// Any other value than `rustup` and `debian` is [`Missing::Unknown`].
    pub fn from_environment() -> Result<Self, Missing> {
        match env::var_os(CHOICE) {
            Some(value) => Self::parse(&value.to_string_lossy()),
            None => Ok(Self::Any),
        }
    }

    /// Whether a compiler that ships the std may be used.
    #[must_use]
    pub fn allows_shipped(self) -> bool {
        self != Self::Debian
    }

    /// Whether Debian's compiler may be used.
    #[must_use]
    pub fn allows_debian(self) -> bool {
        self != Self::Shipped
    }

    /// The commands that install what may be used, as a person would type them.
    #[must_use]
    pub fn remedies(self) -> String {
        let rustup = format!("`{RUSTUP_COMMAND}`");
        let debian = format!("`sudo {APT_UPDATE} && sudo {APT_INSTALL}`");
        match self {
            Self::Any => format!("{rustup}, or on Debian {debian}"),
            Self::Shipped => rustup,
            Self::Debian => debian,
        }
    }

    fn parse(value: &str) -> Result<Self, Missing> {
        match value {
            "" => Ok(Self::Any),
            "rustup" => Ok(Self::Shipped),
            "debian" => Ok(Self::Debian),
            other => Err(Missing::Unknown(other.to_owned())),
        }
    }
}

/// A toolchain that can build the component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Toolchain {
    /// A compiler whose own installation holds the std of the target.
    Shipped {
        /// The compiler.
        rustc: PathBuf,
    },
    /// A compiler that builds std from source.
    Debian {
        /// The compiler.
        rustc: PathBuf,
        /// The directory of the C library, `libc.a`.
        libc: PathBuf,
        /// Directories of the linkers; empty when they are on `PATH` already.
        linkers: Vec<PathBuf>,
    },
}

impl Toolchain {
    /// Looks for a toolchain, as [`CHOICE`] allows.
    ///
    /// # Errors
    ///
    /// [`Missing`] says for each toolchain what it lacks, and what to run.
    pub fn find() -> Result<Self, Missing> {
        let choice = Choice::from_environment()?;
        let mut reasons = Vec::new();
        if choice.allows_shipped() {
            match shipped::find() {
                Ok(found) => return Ok(found),
                Err(reason) => reasons.push(reason),
            }
        }
        if choice.allows_debian() {
            match debian::find() {
                Ok(found) => return Ok(found),
                Err(reason) => reasons.push(reason),
            }
        }
        Err(Missing::Neither { choice, reasons })
    }

    /// The compiler.
    #[must_use]
    pub fn rustc(&self) -> &std::path::Path {
        match self {
            Self::Shipped { rustc } | Self::Debian { rustc, .. } => rustc,
        }
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shipped { rustc } => {
                write!(f, "{} with its own std for {TARGET}", rustc.display())
            }
            Self::Debian { rustc, libc, .. } => write!(
                f,
                "{} with std for {TARGET} built from source and the C library in {}",
                rustc.display(),
                libc.display()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_has_three_values() {
        assert!(matches!(Choice::parse(""), Ok(Choice::Any)));
        assert!(matches!(Choice::parse("rustup"), Ok(Choice::Shipped)));
        assert!(matches!(Choice::parse("debian"), Ok(Choice::Debian)));
    }

    #[test]
    fn another_choice_is_named_in_the_error() {
        let error = Choice::parse("fedora").unwrap_err();
        assert!(error.to_string().contains("`fedora`"));
    }
}
