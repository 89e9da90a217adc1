//! The command `inkvault`: the library's vaults on a terminal and in scripts.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
