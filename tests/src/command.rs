//! The command `inkvault` as it is built.
//!
//! Cargo gives a binary only to the tests of its own package, and builds it
//! only for those. So it is looked for beside the running test, and built
//! where it is missing or older than its sources.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::SystemTime;

use crate::Folder;

const NAME: &str = "inkvault";

/// The command, on the vault in a folder, without the environment of the
/// person who runs the tests.
#[must_use]
pub fn inkvault(folder: &Folder) -> assert_cmd::Command {
    assert_cmd::Command::from_std(process(folder))
}

/// The same, to be started and watched while it runs.
#[must_use]
pub fn process(folder: &Folder) -> Command {
    let mut command = Command::new(binary());
    isolate(&mut command, folder);
    command
}

/// The same, on a terminal of so many columns, where somebody types `input`.
/// Standard output and error both are what is then seen on the terminal.
///
/// The terminal is one of the program `script`, as Linux has it.
///
/// # Panics
///
/// Where there is no such program.
#[must_use]
pub fn on_terminal(folder: &Folder, columns: u16, arguments: &[&str], input: &str) -> Output {
    let quoted = arguments.iter().map(|argument| format!("'{argument}'"));
    let arguments = quoted.collect::<Vec<_>>().join(" ");
    let line = format!(
        "stty rows 24 cols {columns}; '{}' {arguments}",
        binary().display()
    );
    let mut script = Command::new("script");
    isolate(&mut script, folder);
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    script.env("SHELL", "/bin/sh").env("TERM", "dumb");
    // A machine that builds and tests counts as one that shows colours.
    script.env("NO_COLOR", "1");
    let mut script = assert_cmd::Command::from_std(script);
    script.write_stdin(input).output().expect("script runs")
}

/// Runs it in the folder, without the environment of the person who runs the
/// tests.
fn isolate(command: &mut Command, folder: &Folder) {
    command.current_dir(folder.path());
    command.env("INKVAULT_CACHE_DIR", compiled_code());
    for variable in ["INKVAULT_DIR", "NO_COLOR", "CLICOLOR_FORCE", "TZ", "CI"] {
        command.env_remove(variable);
    }
}

/// The binary, no older than its sources.
///
/// # Panics
///
/// Where it cannot be had.
#[must_use]
pub fn binary() -> &'static Path {
    static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
        let binary = profile_directory().join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX));
        if !is_fresh(&binary) {
            build();
        }
        assert!(binary.is_file(), "{} is missing", binary.display());
        binary
    });
    &BINARY
}

/// The component that is built into the binary.
///
/// # Panics
///
/// Where it cannot be had.
#[must_use]
pub fn component() -> PathBuf {
    let made_from = sources(binary()).expect("what the command is made from");
    let component = made_from
        .into_iter()
        .find(|path| path.ends_with("inkvault.wasm"));
    component.expect("the command is made from a component")
}

/// Where compiled code is kept, so that it is compiled once for all tests.
pub(crate) fn compiled_code() -> PathBuf {
    target_directory().join("tmp").join("inkvault-cache")
}

/// `target/debug` for `target/debug/deps/test-0123456789abcdef`.
fn profile_directory() -> &'static Path {
    static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().expect("the running test");
        let deps = test.ancestors().find(|path| path.ends_with("deps"));
        let profile = deps.and_then(Path::parent);
        profile.expect("a target directory").to_owned()
    });
    &DIRECTORY
}

fn target_directory() -> &'static Path {
    let target = profile_directory().parent();
    target.expect("a directory above the profile's")
}

fn build() {
    let profile = match profile_directory().file_name() {
        Some(name) if name != "debug" => name,
        _ => "dev".as_ref(),
    };
    // `--workspace`: with the features of the tests, so that nothing but the
    // command itself is compiled.
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--quiet", "--workspace", "--bin", NAME]);
    cargo.arg("--profile").arg(profile);
    cargo.arg("--target-dir").arg(target_directory());
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = cargo.status().expect("cargo runs");
    assert!(
        status.success(),
        "the command could not be built: see what `cargo build --workspace` says"
    );
}

fn is_fresh(binary: &Path) -> bool {
    let Some(built) = changed(binary) else {
        return false;
    };
    sources(binary).is_some_and(|sources| sources.iter().all(|source| is_older(source, built)))
}

/// What cargo wrote down that the binary was made from.
fn sources(binary: &Path) -> Option<Vec<PathBuf>> {
    let rule = fs::read_to_string(binary.with_extension("d")).ok()?;
    let (_, sources) = rule.trim_end().split_once(": ")?;
    let sources = sources.replace("\\ ", "\0");
    let sources = sources.split(' ').map(|path| path.replace('\0', " "));
    Some(sources.map(PathBuf::from).collect())
}

/// Whether a source, or all that is in it, has not changed since.
fn is_older(source: &Path, built: SystemTime) -> bool {
    if changed(source).is_none_or(|changed| changed > built) {
        return false;
    }
    let Ok(entries) = fs::read_dir(source) else {
        return true;
    };
    entries
        .flatten()
        .all(|entry| is_older(&entry.path(), built))
}

fn changed(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}
