//! From the command line to a vault and back: reads the arguments, runs the
//! command, and tells a failure in one line. What each command does is in
//! [`command`], how things look in [`output`].

mod args;
mod command;
mod committing;
mod failure;
mod messages;
mod moment;
mod output;
mod session;
mod trash;

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
    let session = &mut session;
    match &cli.command {
        Command::Init(args) => command::upkeep::init(session, args),
        Command::Write(args) => command::write::write(session, args),
        Command::Capture(args) => command::capture::capture(session, args),
        Command::Search(args) => command::search::search(session, args),
        Command::Recall(args) => command::recall::recall(session, args),
        Command::Directives(args) => command::recall::directives(session, args),
        Command::Show(args) => command::browse::show(session, args),
        Command::List(args) => command::browse::list(session, args),
        Command::Links(args) => command::links::links(session, args),
        Command::Change(change) => command::curation::change(session, change),
        Command::Index(args) => command::index::index(session, args),
        Command::Flow(args) => command::index::flow(session, args),
        Command::Staging(args) => command::staging::staging(session, args),
        Command::Projects => command::projects::projects(session),
        Command::History(args) => command::versions::history(session, args),
        Command::Diff(args) => command::versions::diff(session, args),
        Command::Rollback(args) => command::versions::roll_back(session, args),
        Command::Undo(args) => command::curation::undo(session, args),
        Command::Duplicates(args) => command::duplicates::duplicates(session, args),
        Command::Inbox(args) => command::inbox::inbox(session, args),
        Command::Convert(args) => command::convert::convert(session, args),
        Command::Journal(args) => command::journal::journal(session, args),
        Command::Trash(args) => command::trash::trash(session, args),
        Command::Status => command::upkeep::status(session),
        Command::Sync => command::upkeep::sync(session),
        Command::Verify(args) => command::upkeep::verify(session, args),
        Command::Rebuild => command::upkeep::rebuild(session),
        Command::Completions(_) => Ok(()),
    }
}

/// Writes to memory first: the generator panics where its output is closed.
fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "inkvault", &mut script);
    Screen::new().print(&String::from_utf8_lossy(&script))
}
