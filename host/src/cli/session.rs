//! What a command works with: the open vault, and the screen it answers on.

use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use inkvault::Vault;
use time::UtcOffset;

use super::args::{Cli, Command, Global, InitArgs};
use super::failure::Failure;
use super::output::json::ToJson;
use super::output::{Screen, progress};

/// An open vault and where to answer.
pub(crate) struct Session {
    vault: Vault,
    screen: Screen,
    json: bool,
}

impl Session {
    /// Opens the vault that the command line names; `init` makes its
    /// directory first.
    pub(crate) fn open(cli: &Cli) -> Result<Self, Failure> {
        let directory = match &cli.command {
            Command::Init(args) => made_directory(&cli.global, args)?,
            _ => directory(&cli.global),
        };
        let vault = progress::during("getting the engine ready", || {
            builder(&cli.global).open(directory)
        })?;
        Ok(Self {
            vault,
            screen: Screen::new(),
            json: cli.global.json,
        })
    }

    /// The vault's directory.
    pub(crate) fn directory(&self) -> &Path {
        self.vault.directory()
    }

    /// Makes a call, and shows that it is under way if it takes long.
    pub(crate) fn call<R>(
        &mut self,
        what: &'static str,
        call: impl FnOnce(&mut Vault) -> inkvault::Result<R>,
    ) -> Result<R, Failure> {
        let vault = &mut self.vault;
        Ok(progress::during(what, || call(vault))?)
    }

    /// Prints an answer: as JSON, or as `view` lays it out for a person. The
    /// view is given the width of the terminal in columns, where there is one.
    pub(crate) fn answer<T: ToJson>(
        &mut self,
        answer: &T,
        view: impl FnOnce(&T, Option<usize>) -> String,
    ) -> Result<(), Failure> {
        let printed = if self.json {
            format!("{:#}\n", answer.to_json())
        } else {
            view(answer, self.screen.width())
        };
        self.screen.print(&printed)
    }

    /// Whether answers are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a part of an answer that comes in parts. The view is given the
    /// width of the terminal.
    pub(crate) fn part(
        &mut self,
        view: impl FnOnce(Option<usize>) -> String,
    ) -> Result<(), Failure> {
        let printed = view(self.screen.width());
        self.screen.print(&printed)
    }

    /// Asks on the terminal for consent; `None` where there is no terminal to
    /// ask on. What is not `y` or `yes` is none.
    pub(crate) fn consent(&mut self, question: &str) -> Option<bool> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        self.screen.remark(&format!("{question} [y/N] "));
        let mut answer = String::new();
        let answered = io::stdin().read_line(&mut answer);
        let agreed = ["y", "yes"].contains(&answer.trim().to_lowercase().as_str());
        Some(answered.is_ok() && agreed)
    }

    /// Says something about the answer on standard error, so that standard
    /// output holds the answer alone; nothing where the answer is JSON, which
    /// says it all. The view is given the width of that terminal.
    pub(crate) fn remark(&mut self, view: impl FnOnce(Option<usize>) -> String) {
        if !self.json {
            let remark = view(self.screen.aside_width());
            self.screen.remark(&remark);
        }
    }
}

fn builder(global: &Global) -> inkvault::Builder {
    let builder = Vault::builder().read_only(global.read_only);
    match &global.component {
        Some(path) => builder.component(path),
        None => builder,
    }
}

fn directory(global: &Global) -> PathBuf {
    let given = global
        .vault
        .as_ref()
        .filter(|path| !path.as_os_str().is_empty());
    given.cloned().unwrap_or_else(|| PathBuf::from("."))
}

fn made_directory(global: &Global, args: &InitArgs) -> Result<PathBuf, Failure> {
    let directory = args.dir.clone().unwrap_or_else(|| directory(global));
    if !global.read_only && !directory.exists() {
        fs::create_dir_all(&directory).map_err(|error| Failure::file(&directory, error))?;
    }
    Ok(directory)
}

/// How far the clocks here are ahead of UTC, in minutes; 0 where unknown.
pub(crate) fn utc_offset_minutes() -> i16 {
    UtcOffset::current_local_offset().map_or(0, UtcOffset::whole_minutes)
}
