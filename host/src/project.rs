//! The project that somebody works in, told by the directory: what `scope` is
//! in the formats that know projects (simple memory design §二).

use std::path::{Path, PathBuf};

/// How many levels above a directory are looked at.
const LEVELS: usize = 12;

/// Longest name in characters.
const NAME: usize = 64;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its directory.
    pub root: PathBuf,
    /// Its name: that of the directory, as far as it can name a directory of
    /// a vault.
    pub name: String,
}

impl Project {
    /// The project of a directory: the nearest one with a `.git` in it, at
    /// most 12 levels up, else the directory itself. None where that has no
    /// name, such as the root of the file system.
    #[must_use]
    pub fn of(directory: &Path) -> Option<Self> {
        let mut above = directory.ancestors().take(LEVELS + 1);
        let root = above
            .find(|ancestor| ancestor.join(".git").exists())
            .unwrap_or(directory);
        Some(Self {
            name: name(root)?,
            root: root.to_owned(),
        })
    }

    /// The names of the Markdown files in its `docs` directory, sorted; none
    /// where there is no such directory.
    #[must_use]
    pub fn documents(&self) -> Vec<String> {
        let Ok(entries) = self.root.join("docs").read_dir() else {
            return Vec::new();
        };
        let names = entries.flatten().filter(|entry| entry.path().is_file());
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<_> = names.filter(|name| is_document(name)).collect();
        names.sort_unstable();
        names
    }
}

/// A document is a page of its own; a page that only says what lies beside it
/// is none.
fn is_document(name: &str) -> bool {
    let is_hidden = name.starts_with('.');
    name.ends_with(".md") && !is_hidden && !name.eq_ignore_ascii_case("README.md")
}

fn name(root: &Path) -> Option<String> {
    let name = root.file_name()?.to_string_lossy();
    let plain = |c: char| match c {
        '[' | ']' | '\\' => '-',
        c if c.is_control() => '-',
        c => c,
    };
    let name: String = name.chars().map(plain).take(NAME).collect();
    let name = name.trim().trim_start_matches('.').trim_start();
    (!name.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A directory `levels` below a project called `app`.
    fn below(temporary: &Path, levels: usize) -> PathBuf {
        let root = temporary.join("app");
        fs::create_dir_all(root.join(".git")).expect("a repository");
        let deep = (0..levels).fold(root, |path, n| path.join(format!("d{n}")));
        fs::create_dir_all(&deep).expect("directories");
        deep
    }

    #[test]
    fn a_project_is_the_nearest_repository_at_most_twelve_levels_up() {
        for (levels, found) in [(0, true), (2, true), (12, true), (13, false)] {
            let temporary = tempfile::tempdir().expect("a directory");
            let deep = below(temporary.path(), levels);
            let project = Project::of(&deep).expect("a project");
            let expected = if found {
                (temporary.path().join("app"), "app".to_owned())
            } else {
                (deep, format!("d{}", levels - 1))
            };
            assert_eq!((project.root, project.name), expected, "{levels}");
        }
    }

    #[test]
    fn the_nearest_of_several_counts() {
        let temporary = tempfile::tempdir().expect("a directory");
        let deep = below(temporary.path(), 3);
        let inner = deep.parent().expect("a parent");
        // A worktree has a file of that name.
        fs::write(inner.join(".git"), "gitdir: elsewhere").expect("a file");
        assert_eq!(Project::of(&deep).expect("a project").root, inner);
    }

    #[test]
    fn a_name_can_name_a_directory() {
        for (directory, expected) in [
            ("/w/app", Some("app")),
            ("/w/My App", Some("My App")),
            ("/w/.dotfiles", Some("dotfiles")),
            ("/w/a[b]", Some("a-b-")),
            ("/w/记忆", Some("记忆")),
            ("/w/...", None),
            ("/", None),
        ] {
            assert_eq!(
                name(Path::new(directory)).as_deref(),
                expected,
                "{directory}"
            );
        }
        let long = "x".repeat(100);
        assert_eq!(name(Path::new(&long)), Some("x".repeat(64)));
    }

    #[test]
    fn documents_are_the_pages_of_its_docs() {
        let temporary = tempfile::tempdir().expect("a directory");
        let deep = below(temporary.path(), 0);
        let project = Project::of(&deep).expect("a project");
        assert!(project.documents().is_empty());
        fs::create_dir_all(deep.join("docs/deeper.md")).expect("a directory");
        for name in ["b.md", "指南.md", "README.md", ".hidden.md", "x.txt"] {
            fs::write(deep.join("docs").join(name), "x").expect("a file");
        }
        assert_eq!(project.documents(), ["b.md", "指南.md"]);
    }
}
