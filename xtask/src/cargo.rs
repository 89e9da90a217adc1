//! Cargo as a person would call it in the root of the workspace.
//!
//! Every command takes the whole workspace in the `dev` profile: any other choice of packages,
//! features or profile would compile wasmtime once more.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result, bail};

/// A cargo command in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace()).args(arguments);
    for (name, _) in env::vars_os().filter(|(name, _)| describes_xtask(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

/// Says on the error output what is run, and runs it.
pub(crate) fn run(command: &mut Command) -> Result<ExitStatus> {
    let line = shown(command);
    eprintln!("$ {line}");
    command.status().with_context(|| line)
}

/// Runs a command that must succeed.
pub(crate) fn require(command: &mut Command) -> Result<()> {
    let status = run(command)?;
    if !status.success() {
        bail!("{}: {status}", shown(command));
    }
    Ok(())
}

/// The status of a command as our own.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    match status.code().map(u8::try_from) {
        Some(Ok(code)) => ExitCode::from(code),
        _ => ExitCode::FAILURE,
    }
}

/// The directory of the workspace: `cargo run` says where this crate is now, the compiler where
/// it was before someone moved or copied the whole.
pub(crate) fn workspace() -> PathBuf {
    let xtask =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let xtask = PathBuf::from(xtask);
    xtask.parent().unwrap_or(&xtask).to_owned()
}

/// The directory that holds what plain `cargo build` makes, this program among it.
pub(crate) fn build_directory() -> Result<PathBuf> {
    let program = env::current_exe().context("finding the build directory")?;
    let directory = program.parent().context("finding the build directory")?;
    Ok(directory.to_owned())
}

/// A command as it would be typed.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_stem().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    let words: Vec<String> = words.map(|word| quoted(&word.to_string_lossy())).collect();
    words.join(" ")
}

/// A word as a shell wants it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.contains('\'') {
        format!("\"{word}\"")
    } else {
        format!("'{word}'")
    }
}

/// Whether `cargo run` has set a variable to describe this program; cargo sets it anew for what
/// it builds, and a stray value would make some build scripts run again.
fn describes_xtask(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_it_would_be_typed() {
        let mut command = Command::new("/usr/bin/inkvault");
        command.args(["write", "We release on Tuesdays.", "--kind", "decision", ""]);
        let line = "inkvault write 'We release on Tuesdays.' --kind decision ''";
        assert_eq!(shown(&command), line);
    }

    #[test]
    fn a_word_with_an_apostrophe_is_quoted_twice() {
        assert_eq!(quoted("it's"), "\"it's\"");
        assert_eq!(quoted("简洁"), "简洁");
    }

    #[test]
    fn only_what_describes_this_program_is_taken_from_cargo() {
        assert!(describes_xtask("CARGO_PKG_VERSION"));
        assert!(describes_xtask("CARGO_MANIFEST_DIR"));
        assert!(!describes_xtask("CARGO_TARGET_DIR"));
    }

    #[test]
    fn the_workspace_holds_the_guest() {
        assert!(workspace().join("guest/Cargo.toml").is_file());
    }
}
