//! A cargo for the component, free of the build that started it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::rustc::Rustc;
use crate::{TARGET, Toolchain};

/// Variables of an outer build that reach the inner one: where cargo keeps its downloads, how it
/// reaches its registry, how it shows what it does, and the tokens that both builds share so that
/// they never run more jobs than were asked for.
const KEPT: [&str; 9] = [
    "CARGO_HOME",
    "CARGO_MAKEFLAGS",
    "CARGO_BUILD_JOBS",
    "CARGO_HTTP_",
    "CARGO_NET_",
    "CARGO_REGISTRIES_",
    "CARGO_REGISTRY_",
    "CARGO_SOURCE_",
    "CARGO_TERM_",
];

/// Variables that are settings of the outer build by their first letters.
const CLEARED: [&str; 5] = ["CARGO", "CLIPPY_", "RUSTC", "RUSTDOC", "RUSTFLAGS"];

/// Downloads what a build of the component needs, so that it works without a network afterwards.
///
/// # Errors
///
/// When cargo cannot be started; its own failure is the status.
pub fn fetch(toolchain: &Toolchain, workspace: &Path) -> io::Result<ExitStatus> {
    let mut command = command(toolchain, workspace, "fetch");
    command.args(["--quiet", "--locked", "--target", TARGET]);
    // Cargo looks at the crates of the host too, though it compiles few of them.
    if let Some(rustc) = Rustc::ask(toolchain.rustc()) {
        command.args(["--target", &rustc.host]);
    }
    command.status()
}

/// A cargo command that compiles with a toolchain in a workspace.
pub(crate) fn command(toolchain: &Toolchain, workspace: &Path, verb: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace).arg(verb);
    for (name, _) in env::vars_os().filter(|(name, _)| belongs_to_outer_build(name)) {
        command.env_remove(name);
    }
    command.env("RUSTC", toolchain.rustc());
    let mut flags = remapped_paths();
    if let Toolchain::Debian { libc, linkers, .. } = toolchain {
        flags.push(prefixed("-Lnative=", libc));
        build_std(&mut command, linkers);
    }
    // Set even when empty: flags in a person's cargo configuration are for their own machine.
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join(OsStr::new("\u{1f}")));
    command
}

/// Makes cargo compile std with a stable compiler that is not rustup's.
fn build_std(command: &mut Command, linkers: &[PathBuf]) {
    command
        .arg("-Zbuild-std=std,panic_abort")
        .env("RUSTC_BOOTSTRAP", "1")
        // It holds the libraries of the outer build's compiler.
        .env_remove("LD_LIBRARY_PATH");
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = linkers.iter().cloned().chain(env::split_paths(&path));
    if let Ok(path) = env::join_paths(directories) {
        command.env("PATH", path);
    }
}

/// Flags that keep the name of the person's home out of the component, which is then the same
/// wherever it is built.
fn remapped_paths() -> Vec<OsString> {
    let home = env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")));
    home.map(|home| {
        let mut flag = prefixed("--remap-path-prefix=", &home);
        flag.push("=cargo");
        flag
    })
    .into_iter()
    .collect()
}

fn prefixed(prefix: &str, path: &Path) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(path);
    text
}

/// Whether a variable is a setting of the build that started this one.
fn belongs_to_outer_build(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    CLEARED.iter().any(|prefix| name.starts_with(prefix))
        && !KEPT.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_the_outer_build_are_cleared() {
        for name in [
            "CARGO",
            "CARGO_ENCODED_RUSTFLAGS",
            "CARGO_MANIFEST_DIR",
            "CARGO_PKG_NAME",
            "CARGO_PROFILE_RELEASE_LTO",
            "CARGO_TARGET_DIR",
            "CLIPPY_ARGS",
            "RUSTC",
            "RUSTC_WORKSPACE_WRAPPER",
            "RUSTC_WRAPPER",
            "RUSTDOCFLAGS",
            "RUSTFLAGS",
        ] {
            assert!(belongs_to_outer_build(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn registry_and_unrelated_settings_are_kept() {
        for name in [
            "CARGO_HOME",
            "CARGO_MAKEFLAGS",
            "CARGO_NET_OFFLINE",
            "CARGO_REGISTRIES_CRATES_IO_PROTOCOL",
            "HOME",
            "PATH",
            "RUSTUP_TOOLCHAIN",
        ] {
            assert!(!belongs_to_outer_build(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_compiler_is_named_and_foreign_flags_are_replaced() {
        let toolchain = Toolchain::Shipped {
            rustc: "/opt/rustc".into(),
        };
        let command = command(&toolchain, Path::new("."), "build");
        let value = |wanted: &str| {
            command
                .get_envs()
                .find(|(name, _)| *name == OsStr::new(wanted))
                .and_then(|(_, value)| value.map(OsStr::to_owned))
        };
        assert_eq!(value("RUSTC"), Some("/opt/rustc".into()));
        assert!(value("CARGO_ENCODED_RUSTFLAGS").is_some());
        assert_eq!(value("RUSTC_BOOTSTRAP"), None);
    }

    #[test]
    fn debian_builds_std_with_its_own_libraries() {
        let toolchain = Toolchain::Debian {
            rustc: "/usr/bin/rustc".into(),
            libc: "/usr/lib/c library".into(),
            linkers: vec!["/opt/linkers".into()],
        };
        let command = command(&toolchain, Path::new("."), "build");
        let environment: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_str()?, value?.to_str()?)))
            .collect();
        let has = |name: &str, part: &str| {
            environment
                .iter()
                .any(|(key, value)| *key == name && value.contains(part))
        };
        assert!(has("RUSTC_BOOTSTRAP", "1"));
        assert!(has(
            "CARGO_ENCODED_RUSTFLAGS",
            "-Lnative=/usr/lib/c library"
        ));
        assert!(has("PATH", "/opt/linkers"));
    }
}
