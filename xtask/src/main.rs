//! The project's chores, so that a fresh machine needs one command for each.

mod bench;
mod cargo;
mod demo;
mod setup;
mod test;

use std::env;
use std::process::ExitCode;

use anyhow::Result;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  setup                   find or install a toolchain that can build the component
  demo                    build everything and show the inkvault command on a new vault
  test [ARGS]             build everything and run all tests; ARGS go to cargo test
  bench [NAME] [ARGS]     measure, with the engine optimised; ARGS go to the measurement

Environment:
  INKVAULT_TOOLCHAIN=rustup|debian  force one of the two toolchains
  INKVAULT_COMPONENT=FILE           use a finished component, build none
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let command = arguments.next();
    let rest: Vec<String> = arguments.collect();
    match run(command.as_deref(), &rest) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Option<&str>, arguments: &[String]) -> Result<ExitCode> {
    match (command, arguments) {
        (Some("setup"), []) => setup::run(),
        (Some("demo"), []) => demo::run(),
        (Some("test"), _) => test::run(arguments),
        (Some("bench"), _) => bench::run(arguments),
        (Some("help" | "--help" | "-h"), _) => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprint!("{USAGE}");
            Ok(ExitCode::from(2))
        }
    }
}
