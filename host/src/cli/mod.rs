//! From the command line to a vault and back: reads the arguments, runs the
//! command, and tells a failure in one line. What each command does is in
//! [`command`], how things look in [`output`].

mod args;
mod command;
mod failure;
mod messages;
mod output;
mod session;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Cli, Command};
use failure::Failure;
use output::Screen;
use session::Session;

/// Runs the command that the process was started with.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(cli: &Cli) -> Result<(), Failure> {
    if let Command::Completions(args) = &cli.command {
        return completions(args.shell);
    }
    let mut session = Session::open(cli)?;
    match &cli.command {
        Command::Init(args) => command::upkeep::init(&mut session, args),
        Command::Write(args) => command::write::write(&mut session, args),
        Command::Capture(args) => command::capture::capture(&mut session, args),
        Command::Search(args) => command::search::search(&mut session, args),
        Command::Recall(args) => command::recall::recall(&mut session, args),
        Command::Directives(args) => command::recall::directives(&mut session, args),
        Command::Show(args) => command::browse::show(&mut session, args),
        Command::List(args) => command::browse::list(&mut session, args),
        Command::Status => command::upkeep::status(&mut session),
        Command::Sync => command::upkeep::sync(&mut session),
        Command::Verify(args) => command::upkeep::verify(&mut session, args),
        Command::Rebuild => command::upkeep::rebuild(&mut session),
        Command::Completions(_) => Ok(()),
    }
}

/// Writes to memory first: the generator panics where its output is closed.
fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "inkvault", &mut script);
    Screen::new().print(&String::from_utf8_lossy(&script))
}
