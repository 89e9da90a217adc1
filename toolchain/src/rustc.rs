//! A compiler and what it says about itself.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A `rustc` that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rustc {
    /// The program.
    pub(crate) path: PathBuf,
    /// The triple of the machine it runs on.
    pub(crate) host: String,
    /// Its version, `1.95.0`.
    pub(crate) release: String,
}

impl Rustc {
    /// Asks a program for its version; a program that does not answer like a compiler is none.
    pub(crate) fn ask(path: &Path) -> Option<Self> {
        let answer = output(Command::new(path).arg("-vV"))?;
        Some(Self {
            path: path.to_owned(),
            host: field(&answer, "host")?,
            release: field(&answer, "release")?,
        })
    }

    /// Where it is installed.
    pub(crate) fn sysroot(&self) -> Option<PathBuf> {
        let answer = output(Command::new(&self.path).args(["--print", "sysroot"]))?;
        Some(PathBuf::from(answer.trim_end()))
    }

    /// Whether its installation holds the std of a target.
    pub(crate) fn has_std(&self, target: &str) -> bool {
        let mut command = Command::new(&self.path);
        command.args(["--print", "target-libdir", "--target", target]);
        output(&mut command).is_some_and(|answer| holds_std(Path::new(answer.trim_end())))
    }

    /// Whether it is at least of a version, `1.95` or `1.95.0`.
    pub(crate) fn is_at_least(&self, version: &str) -> bool {
        numbers(&self.release) >= numbers(version)
    }
}

/// The compilers to consider, best first: the one of the running build, the one beside the
/// running cargo, the one on `PATH`. A Debian package may have put its own first on `PATH`.
pub(crate) fn candidates() -> Vec<Rustc> {
    let beside_cargo =
        env::var_os("CARGO").map(|cargo| Path::new(&cargo).with_file_name(program("rustc")));
    let paths = [
        env::var_os("RUSTC").map(PathBuf::from),
        beside_cargo,
        Some(PathBuf::from("rustc")),
    ];
    let mut found: Vec<Rustc> = Vec::new();
    for rustc in paths
        .into_iter()
        .flatten()
        .filter_map(|path| Rustc::ask(&path))
    {
        if !found.contains(&rustc) {
            found.push(rustc);
        }
    }
    found
}

/// The file name of a program on this system.
pub(crate) fn program(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    if output.status.success() {
        String::from_utf8(output.stdout).ok()
    } else {
        None
    }
}

/// The value of a line `name: value`.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.trim().to_owned())
}

/// Whether a directory of libraries holds a std.
fn holds_std(directory: &Path) -> bool {
    let Ok(entries) = directory.read_dir() else {
        return false;
    };
    entries
        .filter_map(Result::ok)
        .any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}

/// The numbers of a version, without a suffix like `-nightly`.
fn numbers(version: &str) -> Vec<u32> {
    version
        .split('-')
        .next()
        .unwrap_or_default()
        .split('.')
        .map_while(|part| part.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_release(release: &str) -> Rustc {
        Rustc {
            path: PathBuf::from("rustc"),
            host: String::new(),
            release: release.to_owned(),
        }
    }

    #[test]
    fn versions_compare_by_number() {
        assert!(of_release("1.100.0").is_at_least("1.95"));
        assert!(of_release("1.95.0").is_at_least("1.95"));
        assert!(of_release("1.97.0-nightly").is_at_least("1.95"));
        assert!(!of_release("1.85.0").is_at_least("1.95"));
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "rustc 1.95.0 (x)\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n";
        assert_eq!(field(text, "release").as_deref(), Some("1.95.0"));
        assert_eq!(field(text, "elease"), None);
    }

    #[test]
    fn the_running_compiler_is_a_candidate_with_a_std_for_its_host() {
        let found = candidates();
        assert!(found.iter().any(|rustc| rustc.has_std(&rustc.host)));
        assert!(!found.iter().any(|rustc| rustc.has_std("no-such-target")));
    }

    #[test]
    fn what_is_no_compiler_is_none() {
        assert_eq!(Rustc::ask(Path::new("no-such-program")), None);
    }
}
