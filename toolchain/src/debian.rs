//! Debian's toolchain: no std for the target is packaged, but its sources and a C library are.
//!
//! The linkers `wasm-component-ld` and `wasm-ld` are not packaged; rustup installs them with
//! every compiler, whatever its targets.

use std::env;
use std::path::{Path, PathBuf};

use crate::Toolchain;
use crate::rustc::{Rustc, candidates, program};

/// The packages that make up the toolchain.
pub const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "wasi-libc"];

/// The command that refreshes Debian's list of packages.
pub const APT_UPDATE: &str = "apt-get update";

/// The command that installs [`DEBIAN_PACKAGES`]. Without the recommended packages, one of which
/// is a second cargo; and never in place of another package, such as an older `rustc`.
pub const APT_INSTALL: &str =
    "apt-get install --yes --no-install-recommends --no-remove rustc-web rust-web-src wasi-libc";

/// The oldest compiler that this workspace supports.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

const RUSTC: &str = "/usr/bin/rustc";
const LIBC: &str = "/usr/lib/wasm32-wasi";
const STD_SOURCE: &str = "lib/rustlib/src/rust/library/Cargo.lock";
const LINKERS: [&str; 2] = ["wasm-component-ld", "wasm-ld"];

/// Looks for the packages and the linkers, or says what is missing.
pub(crate) fn find() -> Result<Toolchain, String> {
    let rustc = compiler()?;
    let libc = PathBuf::from(LIBC);
    if !libc.join("libc.a").is_file() {
        return Err(format!("{LIBC}/libc.a is not there"));
    }
    let linkers = linkers()
        .ok_or("no linker wasm-component-ld, which rustup installs with every compiler")?;
    Ok(Toolchain::Debian {
        rustc: rustc.path,
        libc,
        linkers,
    })
}

/// Debian's own compiler, recent enough and with the sources of its std.
fn compiler() -> Result<Rustc, String> {
    let rustc = Rustc::ask(Path::new(RUSTC)).ok_or_else(|| format!("{RUSTC} is not there"))?;
    if !rustc.is_at_least(OLDEST) {
        return Err(format!("{RUSTC} is {}, older than {OLDEST}", rustc.release));
    }
    let source = rustc.sysroot().map(|sysroot| sysroot.join(STD_SOURCE));
    match source {
        Some(source) if source.is_file() => Ok(rustc),
        Some(source) => Err(format!("{} is not there", source.display())),
        None => Err(format!("{RUSTC} does not say where it is installed")),
    }
}

/// Directories that hold the linkers, or none when `PATH` does already.
fn linkers() -> Option<Vec<PathBuf>> {
    let beside_compilers = candidates()
        .into_iter()
        .find_map(|rustc| linkers_of(&rustc));
    beside_compilers.or_else(|| LINKERS.iter().all(|name| on_path(name)).then(Vec::new))
}

/// The directories of the linkers that came with a compiler.
fn linkers_of(rustc: &Rustc) -> Option<Vec<PathBuf>> {
    let bin = rustc
        .sysroot()?
        .join("lib/rustlib")
        .join(&rustc.host)
        .join("bin");
    let directories = vec![bin.join("gcc-ld"), bin];
    LINKERS
        .iter()
        .all(|name| {
            directories
                .iter()
                .any(|dir| dir.join(program(name)).is_file())
        })
        .then_some(directories)
}

/// Whether a program is on `PATH`.
fn on_path(name: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| {
        env::split_paths(&path).any(|directory| directory.join(program(name)).is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_install_command_names_every_package() {
        for package in DEBIAN_PACKAGES {
            assert!(APT_INSTALL.split(' ').any(|word| word == package));
        }
    }

    #[test]
    fn the_oldest_compiler_is_the_workspace_rust_version() {
        assert!(!OLDEST.is_empty());
    }
}
