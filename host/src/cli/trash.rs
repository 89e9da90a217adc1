//! The trash of a vault: the files that forgotten memories became, and
//! deleting them.
//!
//! The one place where the command goes to the file system itself. Nothing
//! that an agent can call deletes a memory's bytes, so the engine cannot. It
//! keeps to regular files, directly in the trash, with the name that only a
//! forgotten memory has (Obsidian puts what it removes into `.trash`, too).

use std::fs::{self, DirEntry, File};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::moment::{Moment, Span};
use super::output::json::{ToJson, record};

/// How much of a file is read for its title.
const HEAD: u64 = 8 << 10;

/// What lies in the trash.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Trash {
    /// The directory, relative to the vault.
    pub(crate) directory: String,
    /// Forgotten memories, the last first.
    pub(crate) memories: Vec<Forgotten>,
    /// Names of what else is there.
    pub(crate) others: Vec<String>,
}

record!(Trash {
    directory,
    memories,
    others,
});

/// A forgotten memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Forgotten {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) forgotten: Moment,
    pub(crate) bytes: u64,
    /// Its file, relative to the vault.
    pub(crate) path: String,
}

record!(Forgotten {
    id,
    title,
    forgotten,
    bytes,
    path,
});

impl Trash {
    /// Looks into the trash, `directory` below `vault`. One that is not there
    /// is empty.
    pub(crate) fn look(vault: &Path, directory: &str) -> Result<Self, Failure> {
        let mut trash = Self {
            directory: directory.to_owned(),
            ..Self::default()
        };
        let Some(folder) = folder(vault, directory)? else {
            return Ok(trash);
        };
        let failed = |error| Failure::file(&folder, error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            match forgotten(&entry, directory) {
                Some(memory) => trash.memories.push(memory),
                None => trash
                    .others
                    .push(entry.file_name().to_string_lossy().into_owned()),
            }
        }
        let last_first =
            |a: &Forgotten, b: &Forgotten| (b.forgotten, &a.id).cmp(&(a.forgotten, &b.id));
        trash.memories.sort_by(last_first);
        trash.others.sort();
        Ok(trash)
    }

    /// Keeps only memories that were forgotten longer ago than `age`; gives
    /// how many others there are.
    pub(crate) fn keep_older(&mut self, age: &Span, now: Moment) -> usize {
        let all = self.memories.len();
        let limit = now.before(age);
        self.memories.retain(|memory| memory.forgotten < limit);
        all - self.memories.len()
    }

    /// Deletes the file of one of its memories.
    pub(crate) fn delete(&self, vault: &Path, memory: &Forgotten) -> Result<(), Failure> {
        let path = vault.join(&memory.path);
        let gone = || io::Error::from(ErrorKind::NotFound);
        let deleted = match folder(vault, &self.directory)? {
            Some(_) if is_regular(&path) => fs::remove_file(&path),
            _ => Err(gone()),
        };
        deleted.map_err(|error| Failure::file(&path, error))
    }
}

/// The directory itself, with nothing that leads elsewhere on the way; `None`
/// where there is none.
fn folder(vault: &Path, directory: &str) -> Result<Option<PathBuf>, Failure> {
    let mut path = vault.to_owned();
    for part in Path::new(directory) {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(leads_elsewhere(&path)),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file(&path, error)),
        }
    }
    let real = fs::canonicalize(&path).map_err(|error| Failure::file(&path, error))?;
    if real.starts_with(vault) {
        Ok(Some(path))
    } else {
        Err(leads_elsewhere(&path))
    }
}

fn leads_elsewhere(path: &Path) -> Failure {
    let path = path.display();
    Failure::Refused(format!(
        "{path} is no directory of the vault's own but leads elsewhere; see where to, and put a directory in its place"
    ))
}

fn is_regular(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

/// The forgotten memory in an entry of the trash; `None` where it is anything
/// else.
fn forgotten(entry: &DirEntry, directory: &str) -> Option<Forgotten> {
    let name = entry.file_name().into_string().ok()?;
    let (id, forgotten) = named(&name)?;
    let found = fs::symlink_metadata(entry.path()).ok()?;
    found.is_file().then(|| Forgotten {
        id,
        title: title(&entry.path()).unwrap_or_default(),
        forgotten,
        bytes: found.len(),
        path: format!("{directory}/{name}"),
    })
}

/// Id and moment of a name such as `m-20261019-ab12cd-1760868000123.md`. The
/// thirteen digits of a time between 2001 and 2286 are what no other file has.
fn named(name: &str) -> Option<(String, Moment)> {
    let (id, millis) = name.strip_suffix(".md")?.rsplit_once('-')?;
    let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_time = millis.len() == 13
        && !millis.starts_with('0')
        && millis.bytes().all(|byte| byte.is_ascii_digit());
    if id.is_empty() || !id.chars().all(is_id) || !is_time {
        return None;
    }
    let moment = Moment::of_millis(millis.parse().ok()?)?;
    Some((id.to_owned(), moment))
}

/// What the first line `title: …` of a file says, without quotes.
fn title(path: &Path) -> io::Result<String> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    let title = head.lines().find_map(|line| line.strip_prefix("title:"));
    let title = title.unwrap_or_default().trim();
    let unquoted = [('"', '"'), ('\'', '\'')]
        .into_iter()
        .find_map(|(open, close)| title.strip_prefix(open)?.strip_suffix(close));
    Ok(unquoted.unwrap_or(title).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::moment::span;

    const NAME: &str = "m-20261019-ab12cd-1760868000123.md";

    fn vault() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let vault = fs::canonicalize(directory.path()).unwrap();
        fs::create_dir(vault.join(".trash")).unwrap();
        (directory, vault)
    }

    fn ids(trash: &Trash) -> Vec<&str> {
        trash
            .memories
            .iter()
            .map(|memory| memory.id.as_str())
            .collect()
    }

    #[test]
    fn a_name_says_what_was_forgotten_and_when() {
        let (id, moment) = named(NAME).unwrap();
        assert_eq!(id, "m-20261019-ab12cd");
        assert_eq!(moment.to_string(), "2025-10-19T10:00:00.123Z");
        for name in [
            "m-20261019-ab12cd.md",
            "m-20261019-ab12cd-1760868000123.txt",
            "m-20261019-ab12cd-176086800012.md",
            "m-20261019-ab12cd-17608680001234.md",
            "m-20261019-ab12cd-0000000000123.md",
            "-1760868000123.md",
            "1760868000123.md",
            "my notes-1760868000123.md",
            "../up-1760868000123.md",
            "Meeting-2026.md",
        ] {
            assert_eq!(named(name), None, "{name}");
        }
    }

    #[test]
    fn the_last_forgotten_comes_first_and_others_are_named() {
        let (_directory, vault) = vault();
        let at = |name: &str| vault.join(".trash").join(name);
        fs::write(at(NAME), "---\ntitle: 'Release day'\n---\n\ntext").unwrap();
        fs::write(at("m-2-1760868000124.md"), "no title").unwrap();
        fs::write(at("notes.md"), "somebody's").unwrap();
        fs::create_dir(at("m-3-1760868000125.md")).unwrap();
        let trash = Trash::look(&vault, ".trash").unwrap();
        assert_eq!(ids(&trash), ["m-2", "m-20261019-ab12cd"]);
        assert_eq!(trash.memories[0].title, "");
        let release = &trash.memories[1];
        assert_eq!(
            (release.title.as_str(), release.bytes, release.path.as_str()),
            ("Release day", 34, &*format!(".trash/{NAME}"))
        );
        assert_eq!(trash.others, ["m-3-1760868000125.md", "notes.md"]);
    }

    #[test]
    fn a_trash_that_is_not_there_is_empty() {
        let (_directory, vault) = vault();
        let trash = Trash::look(&vault, ".elsewhere/trash").unwrap();
        assert_eq!((ids(&trash), trash.others.len()), (Vec::new(), 0));
    }

    #[test]
    fn only_what_is_old_enough_is_kept_to_be_deleted() {
        let (_directory, vault) = vault();
        fs::write(vault.join(".trash").join(NAME), "").unwrap();
        let mut trash = Trash::look(&vault, ".trash").unwrap();
        let now = Moment::of_millis(1_760_868_000_123 + 60_000).unwrap();
        assert_eq!(trash.keep_older(&span("59s").unwrap(), now), 0);
        assert_eq!(ids(&trash).len(), 1);
        assert_eq!(trash.keep_older(&span("1min").unwrap(), now), 1);
        assert!(ids(&trash).is_empty());
    }

    #[test]
    fn a_memory_is_deleted_once() {
        let (_directory, vault) = vault();
        let path = vault.join(".trash").join(NAME);
        fs::write(&path, "").unwrap();
        let trash = Trash::look(&vault, ".trash").unwrap();
        trash.delete(&vault, &trash.memories[0]).unwrap();
        assert!(!path.exists());
        assert!(trash.delete(&vault, &trash.memories[0]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_followed_out_of_the_trash() {
        use std::os::unix::fs::symlink;
        let (_directory, vault) = vault();
        let elsewhere = tempfile::tempdir().unwrap();
        let precious = elsewhere.path().join(NAME);
        fs::write(&precious, "precious").unwrap();
        let trash = vault.join(".trash");

        symlink(&precious, trash.join(NAME)).unwrap();
        let looked = Trash::look(&vault, ".trash").unwrap();
        assert_eq!((ids(&looked).len(), looked.others.len()), (0, 1));

        fs::remove_file(trash.join(NAME)).unwrap();
        fs::write(trash.join(NAME), "").unwrap();
        let looked = Trash::look(&vault, ".trash").unwrap();
        fs::remove_dir_all(&trash).unwrap();
        symlink(elsewhere.path(), &trash).unwrap();
        let refused = looked.delete(&vault, &looked.memories[0]).unwrap_err();
        assert!(matches!(refused, Failure::Refused(_)), "{refused}");
        assert!(Trash::look(&vault, ".trash").is_err());
        assert!(precious.exists());
    }
}
