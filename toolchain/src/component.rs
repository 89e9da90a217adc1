//! Builds the component and makes sure that it is one.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};

use crate::cargo;
use crate::{Missing, TARGET, Toolchain};

const PACKAGE: &str = "inkvault-guest";
const FILE: &str = "inkvault_guest.wasm";

/// The first bytes of a component: magic, version 13, layer 1. A core module has layer 0.
const PREAMBLE: [u8; 8] = *b"\0asm\x0d\0\x01\0";

/// Why there is no component.
#[derive(Debug)]
pub enum BuildError {
    /// No toolchain can build it.
    Missing(Missing),
    /// Cargo could not be started.
    Start(io::Error),
    /// Cargo failed; it has said why.
    Failed(ExitStatus),
    /// The file could not be read.
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    NotAComponent(PathBuf),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(missing) => missing.fmt(f),
            Self::Start(source) => write!(f, "cargo could not be started: {source}"),
            Self::Failed(status) => write!(f, "the component could not be built: cargo: {status}"),
            Self::Read { path, source } => write!(f, "{}: {source}", path.display()),
            Self::NotAComponent(path) => {
                write!(f, "{} is not a WebAssembly component", path.display())
            }
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Missing(missing) => Some(missing),
            Self::Start(source) | Self::Read { source, .. } => Some(source),
            Self::Failed(_) | Self::NotAComponent(_) => None,
        }
    }
}

/// Builds the component of a workspace, optimised, in a target directory of its own, and gives
/// its path. What cargo has to say goes to the standard error output.
///
/// The lock file is taken as it is: an outer build may be reading it.
///
/// # Errors
///
/// Every [`BuildError`].
pub fn build(workspace: &Path, target_dir: &Path) -> Result<PathBuf, BuildError> {
    let toolchain = Toolchain::find().map_err(BuildError::Missing)?;
    let mut command = cargo::command(&toolchain, workspace, "build");
    command
        .args(["--locked", "--profile=component", "--lib"])
        .args(["--package", PACKAGE])
        .args(["--target", TARGET])
        .arg("--target-dir")
        .arg(target_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let status = command.status().map_err(BuildError::Start)?;
    if !status.success() {
        return Err(BuildError::Failed(status));
    }
    let component = target_dir.join(TARGET).join("component").join(FILE);
    require_component(&component)?;
    Ok(component)
}

/// Looks at the first bytes of a file: a component, or an error.
///
/// # Errors
///
/// [`BuildError::Read`] when the file cannot be read, [`BuildError::NotAComponent`] when it is
/// something else, for instance a core module.
pub fn require_component(path: &Path) -> Result<(), BuildError> {
    let mut start = [0; PREAMBLE.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    match read {
        Ok(()) if start == PREAMBLE => Ok(()),
        Ok(()) => Err(BuildError::NotAComponent(path.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Err(BuildError::NotAComponent(path.to_owned()))
        }
        Err(source) => Err(BuildError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::*;

    /// A file of these bytes, removed at the end.
    struct Sample(PathBuf);

    impl Sample {
        fn new(name: &str, bytes: &[u8]) -> Self {
            let path = env::temp_dir().join(format!("inkvault-{}-{name}", process::id()));
            fs::write(&path, bytes).unwrap();
            Self(path)
        }
    }

    impl Drop for Sample {
        fn drop(&mut self) {
            fs::remove_file(&self.0).unwrap();
        }
    }

    #[test]
    fn a_component_is_told_by_its_preamble() {
        let sample = Sample::new("component", b"\0asm\x0d\0\x01\0rest");
        assert!(require_component(&sample.0).is_ok());
    }

    #[test]
    fn a_core_module_is_none() {
        let sample = Sample::new("module", b"\0asm\x01\0\0\0rest");
        let error = require_component(&sample.0).unwrap_err();
        assert!(matches!(error, BuildError::NotAComponent(_)), "{error}");
    }

    #[test]
    fn a_short_file_is_none() {
        let sample = Sample::new("short", b"\0asm");
        let error = require_component(&sample.0).unwrap_err();
        assert!(matches!(error, BuildError::NotAComponent(_)), "{error}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = require_component(Path::new("no/such.wasm")).unwrap_err();
        assert!(error.to_string().contains("no/such.wasm"), "{error}");
    }
}
