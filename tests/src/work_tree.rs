//! Work trees of git, and what a person does in them with the real `git`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Once;

use git2::ConfigLevel;
use inkvault::git::{ChangedFile, Outcome, Repository};
use inkvault_guest::memory::fingerprint;

use crate::Folder;

/// A folder under git, on the branch `main`, where a person called `Person`
/// works. The vault is the work tree itself.
///
/// Its functions panic where something cannot be done, as those of [`Folder`].
#[derive(Debug)]
pub struct WorkTree {
    folder: Folder,
}

impl WorkTree {
    /// A repository without commits.
    #[must_use]
    pub fn unborn() -> Self {
        let work_tree = Self::outside();
        work_tree.git(&["init", "--quiet", "--initial-branch=main"]);
        work_tree.git(&["config", "user.name", "Person"]);
        work_tree.git(&["config", "user.email", "person@example.org"]);
        work_tree
    }

    /// A folder where there is no repository.
    #[must_use]
    pub fn outside() -> Self {
        isolate();
        Self {
            folder: Folder::empty(),
        }
    }

    /// A repository with one commit, of these files.
    #[must_use]
    pub fn with(files: &[(&str, &str)]) -> Self {
        let work_tree = Self::unborn();
        for (path, content) in files {
            work_tree.put(path, content);
        }
        work_tree.git(&["add", "--all"]);
        work_tree.git(&["commit", "--quiet", "--message=first"]);
        work_tree
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A place in it.
    #[must_use]
    pub fn at(&self, path: &str) -> std::path::PathBuf {
        self.folder.at(path)
    }

    /// Writes a file in place, and the directories above it.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        self.folder.put(path, content);
    }

    /// Reads a file.
    #[must_use]
    pub fn text(&self, path: &str) -> String {
        self.folder.text(path)
    }

    /// The vault's repository, as the host opens it.
    #[must_use]
    pub fn repository(&self) -> Repository {
        let opened = Repository::at(self.path()).expect("a good repository");
        opened.expect("a repository")
    }

    /// Replaces a file as the engine does, and tells of it as the engine does.
    #[must_use]
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> ChangedFile {
        let before = self.fingerprint(path);
        let after = Some(fingerprint(content.as_ref()));
        self.put(".git/staged-by-the-engine", content);
        let above = self.at(path);
        fs::create_dir_all(above.parent().expect("a directory")).expect("its directory");
        fs::rename(self.at(".git/staged-by-the-engine"), self.at(path)).expect("replaced");
        ChangedFile {
            path: path.to_owned(),
            before,
            after,
        }
    }

    /// Removes a file as the engine does, and tells of it.
    #[must_use]
    pub fn remove(&self, path: &str) -> ChangedFile {
        let before = self.fingerprint(path);
        fs::remove_file(self.at(path)).expect("removed");
        ChangedFile {
            path: path.to_owned(),
            before,
            after: None,
        }
    }

    /// A file that was not there before, as the engine tells of it: its path
    /// in a vault that is this folder below the work tree.
    #[must_use]
    pub fn created_in(&self, vault: &str, path: &str) -> ChangedFile {
        let file = ChangedFile::made(&self.at(vault), path);
        file.unwrap_or_else(|_| ChangedFile {
            path: path.to_owned(),
            before: None,
            after: None,
        })
    }

    /// The same in a vault that is the work tree itself.
    #[must_use]
    pub fn created(&self, path: &str) -> ChangedFile {
        self.created_in("", path)
    }

    /// Commits as the host does.
    #[must_use]
    pub fn commit(&self, message: &str, files: &[ChangedFile]) -> Outcome {
        self.repository().commit(message, files)
    }

    /// Commits as the host does, which must succeed without a warning.
    pub fn committed(&self, message: &str, files: &[ChangedFile]) -> String {
        let outcome = self.commit(message, files);
        assert_eq!(outcome.warnings, [""; 0], "{message}");
        let id = outcome.commit.expect("a commit");
        assert_eq!(id, self.head());
        id
    }

    /// What git prints; it must succeed.
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {error}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs git.
    pub fn try_git(&self, arguments: &[&str]) -> Output {
        self.command("git").args(arguments).output().expect("git")
    }

    /// Runs a line in a shell, as a person who was told to; it must succeed.
    pub fn shell(&self, line: &str) {
        let output = self.command("sh").args(["-c", line]).output();
        let output = output.expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {error}");
    }

    /// Whether another program succeeds in the directory.
    #[must_use]
    pub fn command_succeeds(&self, program: &str, arguments: &[&str]) -> bool {
        let output = self.command(program).args(arguments).output();
        output.is_ok_and(|output| output.status.success())
    }

    /// The full id of the last commit.
    #[must_use]
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// What differs from the last commit, as `git status` tells it: one file
    /// a line.
    #[must_use]
    pub fn status(&self) -> Vec<String> {
        let status = self.git(&["status", "--porcelain", "--untracked-files=all"]);
        status.lines().map(str::to_owned).collect()
    }

    /// What the last commit did, as git tells it: one file a line, a letter
    /// and a path.
    #[must_use]
    pub fn done(&self) -> Vec<String> {
        let done = self.git(&["show", "--format=", "--name-status", "--no-renames"]);
        done.lines().map(|line| line.replace('\t', " ")).collect()
    }

    /// Has git look for damage.
    pub fn assert_sound(&self) {
        let found = self.git(&["fsck", "--strict", "--no-dangling", "--no-progress"]);
        assert_eq!(found, "");
    }

    fn fingerprint(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.at(path)).ok()?;
        Some(fingerprint(&bytes))
    }

    /// A command in the directory, without the settings of the person who runs
    /// the tests.
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path());
        for (variable, _) in std::env::vars_os() {
            if variable.as_encoded_bytes().starts_with(b"GIT_") {
                command.env_remove(variable);
            }
        }
        command.env("HOME", "/nonexistent");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.env("GIT_CONFIG_NOSYSTEM", "1");
        command.env("GIT_EDITOR", "true");
        command.env("LC_ALL", "C.UTF-8");
        // As a person has it who writes Chinese; these are no settings of the
        // repository, so that the host works without them.
        command.env("GIT_CONFIG_COUNT", "2");
        command.env("GIT_CONFIG_KEY_0", "core.quotePath");
        command.env("GIT_CONFIG_VALUE_0", "false");
        command.env("GIT_CONFIG_KEY_1", "advice.detachedHead");
        command.env("GIT_CONFIG_VALUE_1", "false");
        command
    }
}

/// The only warning of a commit that was not made.
///
/// # Panics
///
/// Where one was made, or it has other warnings.
pub fn refusal(outcome: Outcome) -> String {
    assert_eq!(outcome.commit, None);
    let [warning] = outcome.warnings.try_into().expect("one warning");
    assert!(warning.starts_with("not committed to git: "), "{warning}");
    warning
}

/// Has a person do what a warning says, in backticks.
///
/// # Panics
///
/// Where it says nothing, or that cannot be done.
pub fn obey(work_tree: &WorkTree, warning: &str) {
    let line = warning.split('`').find(|part| part.starts_with("git add"));
    let line = line
        .expect("a command")
        .replace("git commit", "git commit -m mine");
    work_tree.shell(&line);
}

/// What must be as it was when no commit was made: the last commit, the index,
/// and what differs.
///
/// # Panics
///
/// Where there is no index.
#[must_use]
pub fn state(work_tree: &WorkTree) -> (String, Vec<u8>, Vec<String>) {
    let index = fs::read(work_tree.at(".git/index")).expect("an index");
    (work_tree.head(), index, work_tree.status())
}

/// Keeps git's settings of the person who runs the tests out of this process.
fn isolate() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        use ConfigLevel::{Global, ProgramData, System, XDG};
        for level in [ProgramData, System, XDG, Global] {
            // SAFETY: nothing has used git in this process yet: whatever does
            // so in the tests makes a work tree first, which waits for this.
            let set = unsafe { git2::opts::set_search_path(level, "/nonexistent") };
            set.expect("no settings");
        }
    });
}
