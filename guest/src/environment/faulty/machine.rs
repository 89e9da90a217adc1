//! The machine: its tree, its clocks, its limits, and what a test does to
//! them from outside, uncounted, as another program would.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::{FileKind, IoErrorKind, Stat, VaultPath};
use super::process::Faulty;
use super::tree::{Answer, Id, Tree};
use crate::timestamp::Timestamp;

/// 2026-10-19T10:00:00Z, nanoseconds since 1970.
const FIRST_MOMENT: u64 = 1_792_404_000_000_000_000;

/// How far the mtimes of a usual kernel are apart.
const GRANULARITY: Duration = Duration::from_millis(4);

/// A machine: a file tree, a wall clock and a monotonic clock that any number
/// of processes share. A clone is another handle on the same machine.
///
/// # Panics
/// What a test does from outside panics where it cannot be done: such a test
/// is wrong. Processes never panic.
#[derive(Clone)]
pub struct Machine {
    state: Arc<Mutex<State>>,
}

/// What the processes of a machine share.
#[derive(Clone)]
pub(super) struct State {
    pub(super) tree: Tree,
    pub(super) read_only: bool,
    pub(super) hard_links: bool,
    wall: u64,
    elapsed: Duration,
    granularity: u64,
    capacity: Option<u64>,
    pause: Duration,
    processes: u64,
}

impl Machine {
    /// A machine with an empty vault, at 2026-10-19T10:00:00Z, with mtimes
    /// 4 ms apart and room without end.
    pub fn new() -> Self {
        let granularity = nanoseconds(GRANULARITY);
        let state = State {
            tree: Tree::new(FIRST_MOMENT),
            read_only: false,
            hard_links: true,
            wall: FIRST_MOMENT,
            elapsed: Duration::ZERO,
            granularity,
            capacity: None,
            pause: Duration::ZERO,
            processes: 0,
        };
        Machine {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Starts a process, with random numbers of its own.
    pub fn process(&self) -> Faulty {
        let mut state = self.lock();
        state.processes += 1;
        Faulty::new(self.clone(), state.processes)
    }

    /// A copy of the whole machine as it is now, without its processes.
    #[must_use]
    pub fn fork(&self) -> Self {
        let mut state = self.lock().clone();
        state.tree.release_all();
        Machine {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// Gives a file this content: in place where it is there (only its own
    /// mtime changes), else it and the missing directories above it are made.
    #[track_caller]
    pub fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        done(self.lock().put(&parse(path), bytes.as_ref()), path);
    }

    /// Makes a directory and the missing ones above it.
    #[track_caller]
    pub fn create_directories(&self, path: &str) {
        done(self.lock().create_directories(&parse(path)), path);
    }

    /// Removes a file, or a directory with all that is in it.
    #[track_caller]
    pub fn remove(&self, path: &str) {
        done(self.lock().remove(&parse(path)), path);
    }

    /// Moves a file or directory; a file at `to` is replaced in one step.
    #[track_caller]
    pub fn rename(&self, from: &str, to: &str) {
        let mut state = self.lock();
        let now = state.mtime();
        done(state.tree.rename(&parse(from), &parse(to), now), from);
    }

    /// Sets the mtime of a file or directory, nanoseconds since 1970.
    #[track_caller]
    pub fn set_mtime(&self, path: &str, mtime: u64) {
        let mut state = self.lock();
        let set = state
            .tree
            .find(&parse(path))
            .and_then(|id| state.tree.set_mtime(id, mtime));
        done(set, path);
    }

    /// The content of a file, if there is one.
    #[track_caller]
    pub fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        let state = self.lock();
        let id = state.tree.find(&parse(path)).ok()?;
        state.tree.content(id).ok().map(<[u8]>::to_vec)
    }

    /// Size and time of a file or directory, if there is one.
    #[track_caller]
    pub fn stat(&self, path: &str) -> Option<Stat> {
        let state = self.lock();
        state
            .tree
            .find(&parse(path))
            .and_then(|id| state.tree.stat(id))
            .ok()
    }

    /// Every file with its content.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        self.lock().tree.files()
    }

    /// Lets time pass, on both clocks.
    pub fn advance(&self, duration: Duration) {
        self.lock().advance(duration);
    }

    /// Sets the wall clock, as a person or a time server would.
    pub fn set_now(&self, now: Timestamp) {
        let millis = u64::try_from(now.millis()).unwrap_or_default();
        self.lock().wall = millis.saturating_mul(1_000_000);
    }

    /// Sets how far mtimes are apart.
    pub fn set_granularity(&self, granularity: Duration) {
        self.lock().granularity = nanoseconds(granularity).max(1);
    }

    /// Makes the vault read-only, or writable again.
    pub fn set_read_only(&self, read_only: bool) {
        self.lock().read_only = read_only;
    }

    /// Makes hard links work, or answer [`IoErrorKind::Unsupported`].
    pub fn set_hard_links(&self, hard_links: bool) {
        self.lock().hard_links = hard_links;
    }

    /// Limits the bytes all files hold together.
    pub fn set_capacity(&self, capacity: Option<u64>) {
        self.lock().capacity = capacity;
    }

    /// Sets for how long a sleeping process really stops, whatever it asked
    /// for: nothing at first. Threads that wait for each other need some.
    pub fn set_pause(&self, pause: Duration) {
        self.lock().pause = pause;
    }

    pub(super) fn sleep(&self, duration: Duration) {
        let pause = {
            let mut state = self.lock();
            state.advance(duration);
            state.pause
        };
        if pause.is_zero() {
            std::thread::yield_now()
        } else {
            std::thread::sleep(pause)
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Machine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<_> = self.files().into_keys().collect();
        formatter
            .debug_struct("Machine")
            .field("files", &files)
            .finish_non_exhaustive()
    }
}

impl State {
    /// The wall clock as a file system writes it down.
    pub(super) fn mtime(&self) -> u64 {
        self.wall - self.wall % self.granularity
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_millis(i64::try_from(self.wall / 1_000_000).unwrap_or(i64::MAX))
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Writes what there is room for, and says how much that was.
    pub(super) fn write(&mut self, id: Id, bytes: &[u8], offset: u64) -> Answer<usize> {
        let size = self.tree.content(id)?.len() as u64;
        let fitting = self.room(size.saturating_sub(offset)).min(bytes.len());
        if fitting == 0 && !bytes.is_empty() {
            return Err(IoErrorKind::NoSpace);
        }
        let now = self.mtime();
        self.tree.write(id, &bytes[..fitting], offset, now)?;
        Ok(fitting)
    }

    /// Appends everything, or what there is room for and fails.
    pub(super) fn append(&mut self, id: Id, bytes: &[u8]) -> Answer<()> {
        let size = self.tree.content(id)?.len() as u64;
        let written = self.write(id, bytes, size)?;
        if written == bytes.len() {
            Ok(())
        } else {
            Err(IoErrorKind::NoSpace)
        }
    }

    fn room(&self, overwritten: u64) -> usize {
        let free = self
            .capacity
            .map(|capacity| capacity.saturating_sub(self.tree.used()));
        let room = free.map_or(u64::MAX, |free| free.saturating_add(overwritten));
        usize::try_from(room).unwrap_or(usize::MAX)
    }

    fn advance(&mut self, duration: Duration) {
        self.wall = self.wall.saturating_add(nanoseconds(duration));
        self.elapsed = self.elapsed.saturating_add(duration);
    }

    fn put(&mut self, path: &VaultPath, bytes: &[u8]) -> Answer<()> {
        let now = self.mtime();
        self.create_directories(&path.parent())?;
        let file = match self.tree.find(path) {
            Err(IoErrorKind::NotFound) => self.tree.create_file(path, now)?,
            found => found?,
        };
        self.tree.replace_content(file, bytes, now)
    }

    fn create_directories(&mut self, path: &VaultPath) -> Answer<()> {
        match self.tree.find(path) {
            Err(IoErrorKind::NotFound) => {
                self.create_directories(&path.parent())?;
                let now = self.mtime();
                self.tree.create_directory(path, now).map(drop)
            }
            found => match self.tree.stat(found?)?.kind {
                FileKind::Directory => Ok(()),
                _ => Err(IoErrorKind::NotDirectory),
            },
        }
    }

    fn remove(&mut self, path: &VaultPath) -> Answer<()> {
        let now = self.mtime();
        let id = self.tree.find(path)?;
        if self.tree.stat(id)?.kind == FileKind::File {
            return self.tree.unlink(path, now);
        }
        let entries = self.tree.list(id)?;
        entries
            .iter()
            .try_for_each(|entry| self.remove(&path.join(&entry.name)))?;
        self.tree.remove_directory(path, now)
    }
}

#[track_caller]
fn parse(path: &str) -> VaultPath {
    match path {
        "" | "." => VaultPath::root(),
        path => VaultPath::parse(path).unwrap_or_else(|error| panic!("{error}")),
    }
}

#[track_caller]
fn done(answer: Answer<()>, path: &str) {
    if let Err(kind) = answer {
        panic!("`{path}`: {kind}");
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
