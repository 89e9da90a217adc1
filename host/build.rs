//! Puts the WebAssembly component where the host can include it.
//!
//! The component is built from `guest/` with a cargo of its own, or taken from the file that
//! `INKVAULT_COMPONENT` names. Either way the crate finds it by
//! `include_bytes!(env!("INKVAULT_COMPONENT_FILE"))`. How it is built is known to the crate
//! `inkvault-toolchain`.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use inkvault_toolchain as toolchain;

/// What a component is made of, below the root of the workspace.
const SOURCES: [&str; 5] = [
    "Cargo.toml",
    "Cargo.lock",
    "guest/Cargo.toml",
    "guest/src",
    "wit",
];

/// How far above `OUT_DIR` a target directory can be: `debug/build/NAME/out`, with a target
/// triple before it and a hash after the name.
const DEPTH: usize = 6;

fn main() -> ExitCode {
    match provide_component() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

fn provide_component() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed={}", toolchain::CHOICE);
    println!("cargo::rerun-if-env-changed={}", toolchain::COMPONENT);
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let component = match env::var_os(toolchain::COMPONENT).filter(|path| !path.is_empty()) {
        Some(path) => given_component(Path::new(&path))?,
        None => built_component(&out)?,
    };
    let copy = out.join("inkvault.wasm");
    fs::copy(&component, &copy)?;
    println!(
        "cargo::rustc-env=INKVAULT_COMPONENT_FILE={}",
        copy.display()
    );
    Ok(())
}

/// The component that the person has named, if it is one. A relative path starts at the root of
/// the workspace.
fn given_component(path: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = workspace()?.join(path);
    println!("cargo::rerun-if-changed={}", path.display());
    toolchain::require_component(&path)?;
    Ok(path)
}

/// The component built from this workspace.
fn built_component(out: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let workspace = workspace()?;
    for source in SOURCES {
        println!(
            "cargo::rerun-if-changed={}",
            workspace.join(source).display()
        );
    }
    let target_dir = component_target_dir(out);
    Ok(toolchain::build(&workspace, &target_dir)?)
}

/// The root of the workspace, which holds `guest/` and `wit/`.
fn workspace() -> Result<PathBuf, Box<dyn Error>> {
    let host =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?);
    let workspace = host
        .parent()
        .ok_or("the host crate has no directory above it")?;
    Ok(workspace.to_owned())
}

/// Where the component is compiled: in the outer build's target directory, which cargo marks as a
/// cache, so that every profile shares it; else in `OUT_DIR`.
fn component_target_dir(out: &Path) -> PathBuf {
    out.ancestors()
        .take(DEPTH + 1)
        .find(|directory| directory.join("CACHEDIR.TAG").is_file())
        .unwrap_or(out)
        .join("component")
}
