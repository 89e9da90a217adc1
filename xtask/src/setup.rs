//! `cargo xtask setup`: a toolchain that can build the component.

use std::env;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Result, bail};
use inkvault_toolchain::{
    APT_INSTALL, APT_UPDATE, COMPONENT, Missing, RUSTUP_COMMAND, Toolchain, fetch,
};

use crate::cargo::{exit_code, run as run_command, workspace};

/// Finds or installs a toolchain and downloads what the component is built from.
pub(crate) fn run() -> Result<ExitCode> {
    let Some(toolchain) = ensure()? else {
        return Ok(ExitCode::SUCCESS);
    };
    eprintln!("setup: downloading what the component is built from");
    Ok(exit_code(fetch(&toolchain, &workspace())?))
}

/// Finds or installs a toolchain, and says which; none is needed for a finished component.
pub(crate) fn ensure() -> Result<Option<Toolchain>> {
    if let Some(path) = env::var_os(COMPONENT).filter(|path| !path.is_empty()) {
        eprintln!("setup: the component is {}", path.display());
        return Ok(None);
    }
    let toolchain = match Toolchain::find() {
        Ok(toolchain) => toolchain,
        Err(missing) => install(missing)?,
    };
    eprintln!("setup: the component is built by {toolchain}");
    Ok(Some(toolchain))
}

/// Installs the first toolchain that can be had; else the error says what to run.
fn install(missing: Missing) -> Result<Toolchain> {
    let Missing::Neither { choice, reasons } = missing else {
        bail!(missing);
    };
    eprintln!("setup: {}", reasons.join("; "));
    if choice.allows_shipped() && answers("rustup") {
        run_line(RUSTUP_COMMAND)?;
        if let Ok(toolchain) = Toolchain::find() {
            return Ok(toolchain);
        }
    }
    if choice.allows_debian() && answers("apt-get") && is_root() {
        // An old list of packages may still do, so its failure is not the end.
        run_line(APT_UPDATE)?;
        run_line(APT_INSTALL)?;
    }
    Toolchain::find().or_else(|missing| bail!(advice(&missing)))
}

/// What a person can do that set-up could not.
fn advice(missing: &Missing) -> String {
    match missing {
        Missing::Unknown(_) => missing.to_string(),
        Missing::Neither { choice, reasons } => format!(
            "no toolchain could be installed ({}): run {}, then `cargo xtask setup` again",
            reasons.join("; "),
            choice.remedies()
        ),
    }
}

/// Runs a line of words without quotes; a failure shows in what is found afterwards.
fn run_line(line: &str) -> Result<()> {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    let status = run_command(&mut command)?;
    if !status.success() {
        eprintln!("setup: `{line}` failed: {status}");
    }
    Ok(())
}

/// Whether a program is there and runs.
fn answers(program: &str) -> bool {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether packages may be installed.
fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
