//! What a command works with: the open vault, and the screen it answers on.

use std::env;
use std::fs;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

use inkvault::git::Repository;
use inkvault::project::Project;
use inkvault::upkeep::Initialised;
use inkvault::{Builder, Vault};
use time::UtcOffset;

use super::args::{Cli, Command, Global, InitArgs};
use super::committing::{self, Changed, Keeping};
use super::failure::Failure;
use super::output::Screen;
use super::output::json::ToJson;
use super::output::progress::{self, Steps};

/// An open vault and where to answer.
pub(crate) struct Session {
    vault: Vault,
    /// How the command line says to open vaults.
    builder: Builder,
    screen: Screen,
    json: bool,
    read_only: bool,
    /// Whether to commit changes to git, as far as the command line says.
    git: Option<bool>,
}

impl Session {
    /// Opens the vault that the command line names; `init` makes its
    /// directory first, `convert` only reads.
    pub(crate) fn open(cli: &Cli) -> Result<Self, Failure> {
        let builder = builder(&cli.global);
        let (directory, opening) = match &cli.command {
            Command::Init(args) => (made_directory(&cli.global, args)?, builder.clone()),
            Command::Convert(args) => (args.source.clone(), builder.clone().read_only(true)),
            _ => (directory(&cli.global), builder.clone()),
        };
        let vault = progress::during("getting the engine ready", || opening.open(directory))?;
        Ok(Self {
            vault,
            builder,
            screen: Screen::new(),
            json: cli.global.json,
            read_only: cli.global.read_only,
            git: cli.global.git,
        })
    }

    /// Opens another directory as the command line says.
    pub(crate) fn open_another(&self, directory: &Path) -> Result<Vault, Failure> {
        Ok(self.builder.clone().open(directory)?)
    }

    /// Whether nothing is to be changed.
    pub(crate) fn is_read_only(&self) -> bool {
        self.read_only
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

    /// Makes a call that changes the vault, and commits what it changed where
    /// the vault is kept under git.
    pub(crate) fn change<R: Changed>(
        &mut self,
        what: &'static str,
        call: impl FnOnce(&mut Vault) -> inkvault::Result<R>,
    ) -> Result<R, Failure> {
        let keeping = match self.read_only {
            true => Keeping::Off,
            false => Keeping::of(&mut self.vault, self.git),
        };
        let mut changed = self.call(what, call)?;
        keeping.commit(&mut changed);
        Ok(changed)
    }

    /// Makes the repository of a new vault, where it is to have one; what is
    /// to be said of it.
    pub(crate) fn begin_history(&mut self, made: &mut Initialised) -> Result<Vec<String>, Failure> {
        Ok(committing::begin(&mut self.vault, self.git, made)?)
    }

    /// The repository that keeps the vault.
    pub(crate) fn repository(&self) -> Result<Repository, Failure> {
        committing::repository(self.directory()).map_err(Failure::Refused)
    }

    /// The project that an option names; `.` is that of the working directory.
    pub(crate) fn project(&self, asked: Option<&str>) -> Result<Option<String>, Failure> {
        match asked {
            None => Ok(None),
            Some(".") => match self.own_project() {
                Some(project) => Ok(Some(project.name)),
                None => Err(Failure::Usage(
                    "the working directory is that of no project; name it: --project NAME"
                        .to_owned(),
                )),
            },
            Some(name) => Ok(Some(name.to_owned())),
        }
    }

    /// The project of the working directory. The vault itself is none; in it,
    /// the directory of a project's notes tells.
    pub(crate) fn own_project(&self) -> Option<Project> {
        let here = env::current_dir()
            .and_then(|here| here.canonicalize())
            .ok()?;
        let Ok(inside) = here.strip_prefix(self.directory()) else {
            return Project::of(&here);
        };
        let mut parts = inside.iter().map(|part| part.to_string_lossy());
        let name = parts
            .next()
            .filter(|top| top == "projects")
            .and(parts.next())?;
        let root = self.directory().join("projects").join(&*name);
        Some(Project {
            root,
            name: name.into_owned(),
        })
    }

    /// Does work of many steps, and shows how far it is if it takes long. The
    /// work is given what to tell the steps to.
    pub(crate) fn steps<R>(
        &mut self,
        what: &'static str,
        work: impl FnOnce(&mut Vault, &mut dyn FnMut(usize, usize)) -> R,
    ) -> R {
        let mut steps = Steps::new(what);
        work(&mut self.vault, &mut |done, all| steps.at(done, all))
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

fn builder(global: &Global) -> Builder {
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
