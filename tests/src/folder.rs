//! Directories for vaults, and the few calls that most tests make.

use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::{Duration, SystemTime};

use inkvault::upkeep::InitOptions;
use inkvault::vault::{Draft, SearchOptions};
use inkvault::{Builder, Vault};
use tempfile::TempDir;

use crate::command;
use crate::note::{id, numbered, obsidian_note, series};

/// When settled files were changed, since 1970: always the same moment. Times
/// that are not clearly older than a look at them are not trusted by the
/// engine.
const SETTLED: Duration = Duration::from_millis(1_700_000_000_123);

/// A directory of its own on the disk, removed at the end.
///
/// Its functions panic where something cannot be done: the test is then of no
/// use.
#[derive(Debug)]
pub struct Folder {
    directory: TempDir,
}

impl Folder {
    /// An empty directory.
    #[must_use]
    pub fn empty() -> Self {
        keep_compiled_code();
        let directory = tempfile::tempdir().expect("a temporary directory");
        Self { directory }
    }

    /// An empty vault.
    #[must_use]
    pub fn vault() -> Self {
        let folder = Self::empty();
        let made = folder.open().init("inkvault", &InitOptions::default());
        made.expect("a vault");
        folder
    }

    /// A vault with the memories `id(0)` to `id(count - 1)`, whose files are
    /// settled.
    #[must_use]
    pub fn filled(count: usize) -> Self {
        Self::filled_as("inkvault", count)
    }

    /// The same in any format. In `simple` they are loose notes, so that their
    /// ids are the same there.
    #[must_use]
    pub fn filled_as(format: &str, count: usize) -> Self {
        let folder = Self::empty();
        let made = folder.open().init(format, &InitOptions::default());
        made.expect("a vault");
        for n in 0..count {
            let file = format!("{}.md", id(n));
            match format {
                "dsh-memory" => folder.put(
                    &format!("Knowledge/{file}"),
                    obsidian_note(&id(n), &format!("note {n}"), &series(n)),
                ),
                "simple" => folder.put(&file, series(n)),
                _ => folder.put(&format!("memory/{file}"), numbered(n)),
            }
        }
        folder.settle();
        folder
    }

    /// The directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A place in it.
    #[must_use]
    pub fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    /// Opens the vault in it, in this process.
    #[must_use]
    pub fn open(&self) -> Vault {
        self.open_with(Vault::builder())
    }

    /// Opens the vault in it otherwise.
    #[must_use]
    pub fn open_with(&self, builder: Builder) -> Vault {
        builder.open(self.path()).expect("the vault opens")
    }

    /// Writes a file as another program would, in place, and the directories
    /// above it.
    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        let above = path.parent().expect("a directory above it");
        fs::create_dir_all(above).expect("its directory");
        fs::write(path, content).expect("the file is written");
    }

    /// Reads a file.
    #[must_use]
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).expect("the file is read")
    }

    /// Every file below it with its content, links not followed.
    #[must_use]
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.path(), &mut files);
        files
    }

    /// Makes the folders that a person sees and the files in them look old.
    pub fn settle(&self) {
        let entries = fs::read_dir(self.path()).expect("the vault");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let is_shown = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            !name.starts_with('.')
        };
        for path in paths.filter(is_shown) {
            if path.is_dir() {
                for entry in fs::read_dir(&path).expect("the memories") {
                    age(&entry.expect("a memory").path());
                }
            }
            age(&path);
        }
        age(self.path());
    }
}

/// A draft with nothing but a text.
#[must_use]
pub fn draft(body: &str) -> Draft {
    Draft {
        body: Some(body.to_owned()),
        ..Draft::default()
    }
}

/// The ids a search finds, best first.
///
/// # Panics
///
/// Where the search fails.
pub fn found(vault: &mut Vault, query: &str) -> Vec<String> {
    let options = SearchOptions {
        limit: Some(1_000),
        ..SearchOptions::default()
    };
    let hits = vault.search(query, &options).expect("a search");
    hits.into_iter().map(|hit| hit.metadata.id).collect()
}

fn collect(directory: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let kind = entry.file_type().expect("its kind");
        if kind.is_dir() {
            collect(&entry.path(), files);
        } else if kind.is_file() {
            files.insert(entry.path(), fs::read(entry.path()).expect("its content"));
        }
    }
}

fn age(path: &Path) {
    let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + SETTLED);
    let file = File::open(path).expect("what is to be settled");
    file.set_times(times).expect("another time");
}

/// Has all tests keep the compiled engine in one place, and not in the cache
/// of the person who runs them.
fn keep_compiled_code() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the standard library has a lock of its own around the
        // environment, and no other code of these tests reads it.
        unsafe { std::env::set_var("INKVAULT_CACHE_DIR", command::compiled_code()) };
    });
}
