//! A process on the machine: counts its calls, and has its injections happen.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::{
    APPEND_LIMIT, Entry, Environment, IoError, IoErrorKind, IoResult, Open, OpenFile, READ_LIMIT,
    Stat, VaultPath,
};
use super::machine::{Machine, State};
use super::tree::{Answer, Id};
use super::{Injection, Plan};
use crate::timestamp::Timestamp;

/// One process of a [`Machine`].
pub struct Faulty {
    machine: Machine,
    process: Mutex<Process>,
}

struct Process {
    trace: Vec<String>,
    injections: Vec<Injection>,
    others: Vec<Meanwhile>,
    crashed: bool,
    random: u64,
}

/// What another program does right before a call.
struct Meanwhile {
    at_call: u64,
    act: Box<dyn FnOnce(&Machine) + Send>,
}

/// How much of a call happens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Whole,
    Half,
}

impl Faulty {
    pub(super) fn new(machine: Machine, seed: u64) -> Self {
        let process = Process {
            trace: Vec::new(),
            injections: Vec::new(),
            others: Vec::new(),
            crashed: false,
            random: seed.wrapping_mul(0xD1B5_4A32_D192_ED03),
        };
        Faulty {
            machine,
            process: Mutex::new(process),
        }
    }

    /// The machine it runs on.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// How many calls it made since the last reset.
    pub fn calls(&self) -> u64 {
        self.process().trace.len() as u64
    }

    /// The calls it made since the last reset, `rename staging/1`: what to
    /// look at when their number is not the expected one.
    pub fn trace(&self) -> Vec<String> {
        self.process().trace.clone()
    }

    /// Begins to count anew.
    pub fn reset_calls(&self) {
        self.process().trace.clear();
    }

    /// Has something go wrong, beside what is planned already.
    pub fn plan(&self, injection: Injection) {
        self.process().injections.push(injection);
    }

    /// Has another program do something right before a call.
    pub fn meanwhile(&self, at_call: u64, act: impl FnOnce(&Machine) + Send + 'static) {
        let act = Box::new(act);
        self.process().others.push(Meanwhile { at_call, act });
    }

    /// Whether it has crashed.
    pub fn has_crashed(&self) -> bool {
        self.process().crashed
    }

    fn process(&self) -> MutexGuard<'_, Process> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call, and says whether it may happen.
    fn call(&self, operation: &'static str, path: &VaultPath) -> IoResult<Share> {
        let answer = self.process().call(operation, path);
        let due = self.process().take_due();
        for other in due {
            (other.act)(&self.machine);
        }
        answer.map_err(|kind| failure(operation, path, kind))
    }

    /// A call that reads or changes the machine's state.
    fn run<T>(
        &self,
        operation: &'static str,
        path: &VaultPath,
        effect: impl FnOnce(&mut State) -> Answer<T>,
    ) -> IoResult<T> {
        self.call(operation, path)?;
        effect(&mut self.machine.lock()).map_err(|kind| failure(operation, path, kind))
    }

    /// A call that changes names, at a time.
    fn change(
        &self,
        operation: &'static str,
        path: &VaultPath,
        effect: impl FnOnce(&mut State, u64) -> Answer<()>,
    ) -> IoResult<()> {
        self.run(operation, path, |state| {
            check_writable(state)?;
            let now = state.mtime();
            effect(state, now)
        })
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Faulty")
            .field("calls", &self.calls())
            .finish_non_exhaustive()
    }
}

impl Process {
    fn call(&mut self, operation: &str, path: &VaultPath) -> Result<Share, IoErrorKind> {
        self.trace.push(format!("{operation} {path}"));
        let number = self.trace.len() as u64;
        let mut share = Share::Whole;
        for injection in self
            .injections
            .iter()
            .filter(|injection| injection.at_call == number)
        {
            match injection.what {
                Plan::Crash => self.crashed = true,
                Plan::Fail(kind) if !self.crashed => return Err(kind),
                Plan::Fail(_) => {}
                Plan::ShortWrite => share = Share::Half,
            }
        }
        if self.crashed {
            Err(IoErrorKind::Failed)
        } else {
            Ok(share)
        }
    }

    /// What others do before the call that was just counted.
    fn take_due(&mut self) -> Vec<Meanwhile> {
        let now = self.trace.len() as u64;
        let (due, later) = std::mem::take(&mut self.others)
            .into_iter()
            .partition(|other| other.at_call == now);
        self.others = later;
        due
    }

    /// SplitMix64: every number once before any comes back.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.random ^ (self.random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

impl Environment for Faulty {
    fn open(&self, path: &VaultPath, how: Open) -> IoResult<Box<dyn OpenFile + '_>> {
        let node = self.run("open", path, |state| {
            let node = open(state, path, how)?;
            state.tree.hold(node);
            Ok(node)
        })?;
        Ok(Box::new(FaultyFile {
            process: self,
            node,
            path: path.clone(),
            how,
        }))
    }

    fn stat(&self, path: &VaultPath) -> IoResult<Stat> {
        self.run("stat", path, |state| {
            state.tree.stat(state.tree.find(path)?)
        })
    }

    fn is_link(&self, path: &VaultPath) -> IoResult<bool> {
        // There are none on this machine.
        self.run("stat", path, |state| state.tree.find(path))
            .map(|_| false)
    }

    fn list(&self, path: &VaultPath) -> IoResult<Vec<Entry>> {
        let directory = self.run("list", path, |state| state.tree.find(path))?;
        let entries = self.run("list", path, |state| state.tree.list(directory))?;
        for _entry_or_end in 0..=entries.len() {
            self.call("list", path)?;
        }
        Ok(entries)
    }

    fn create_directory(&self, path: &VaultPath) -> IoResult<()> {
        self.change("create directory", path, |state, now| {
            state.tree.create_directory(path, now).map(drop)
        })
    }

    fn rename(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        self.change("rename", from, |state, now| {
            state.tree.rename(from, to, now)
        })
    }

    fn link(&self, from: &VaultPath, to: &VaultPath) -> IoResult<()> {
        self.change("link", to, |state, now| {
            if !state.hard_links {
                return Err(IoErrorKind::Unsupported);
            }
            state.tree.link(from, to, now)
        })
    }

    fn unlink(&self, path: &VaultPath) -> IoResult<()> {
        self.change("unlink", path, |state, now| state.tree.unlink(path, now))
    }

    fn remove_directory(&self, path: &VaultPath) -> IoResult<()> {
        self.change("remove directory", path, |state, now| {
            state.tree.remove_directory(path, now)
        })
    }

    fn is_read_only(&self) -> bool {
        self.machine.lock().read_only
    }

    fn now(&self) -> Timestamp {
        self.machine.lock().now()
    }

    fn elapsed(&self) -> Duration {
        self.machine.lock().elapsed()
    }

    fn sleep(&self, duration: Duration) {
        self.machine.sleep(duration);
    }

    fn random(&self) -> u64 {
        self.process().random()
    }
}

struct FaultyFile<'process> {
    process: &'process Faulty,
    node: Id,
    path: VaultPath,
    how: Open,
}

impl FaultyFile<'_> {
    fn check_opened(&self, how: Open, operation: &'static str) -> IoResult<()> {
        let kind = IoErrorKind::Failed;
        if self.how == how {
            Ok(())
        } else {
            Err(failure(operation, &self.path, kind))
        }
    }
}

impl Drop for FaultyFile<'_> {
    fn drop(&mut self) {
        self.process.machine.lock().tree.release(self.node);
    }
}

impl OpenFile for FaultyFile<'_> {
    fn read(&self, length: usize, offset: u64) -> IoResult<Vec<u8>> {
        self.check_opened(Open::Read, "read")?;
        self.process.run("read", &self.path, |state| {
            let content = state.tree.content(self.node)?;
            let start = usize::try_from(offset)
                .unwrap_or(usize::MAX)
                .min(content.len());
            let end = content
                .len()
                .min(start.saturating_add(length.min(READ_LIMIT)));
            Ok(content[start..end].to_vec())
        })
    }

    fn write(&self, bytes: &[u8], offset: u64) -> IoResult<usize> {
        self.check_opened(Open::CreateNew, "write")?;
        let bytes = match self.process.call("write", &self.path)? {
            Share::Whole => bytes,
            Share::Half => &bytes[..bytes.len() / 2],
        };
        let written = self.process.machine.lock().write(self.node, bytes, offset);
        written.map_err(|kind| failure("write", &self.path, kind))
    }

    fn append(&self, bytes: &[u8]) -> IoResult<()> {
        self.check_opened(Open::Append, "append")?;
        let failed = |kind| failure("append", &self.path, kind);
        if bytes.len() > APPEND_LIMIT {
            return Err(failed(IoErrorKind::Failed));
        }
        self.process.call("append", &self.path)?;
        let share = self.process.call("append", &self.path)?;
        let mut state = self.process.machine.lock();
        match share {
            Share::Whole => state.append(self.node, bytes).map_err(failed),
            Share::Half => {
                state
                    .append(self.node, &bytes[..bytes.len() / 2])
                    .map_err(failed)?;
                Err(failed(IoErrorKind::Failed))
            }
        }
    }

    fn sync(&self) -> IoResult<()> {
        self.process.call("sync", &self.path).map(drop)
    }

    fn stat(&self) -> IoResult<Stat> {
        self.process
            .run("stat", &self.path, |state| state.tree.stat(self.node))
    }
}

fn open(state: &mut State, path: &VaultPath, how: Open) -> Answer<Id> {
    if how != Open::Read {
        check_writable(state)?;
    }
    let now = state.mtime();
    match (how, state.tree.find(path)) {
        (Open::CreateNew, _) | (Open::Append, Err(IoErrorKind::NotFound)) => {
            state.tree.create_file(path, now)
        }
        (Open::Append, Ok(node)) => state.tree.content(node).map(|_| node),
        (Open::Read | Open::Append, found) => found,
    }
}

fn check_writable(state: &State) -> Answer<()> {
    if state.read_only {
        Err(IoErrorKind::ReadOnly)
    } else {
        Ok(())
    }
}

fn failure(operation: &'static str, path: &VaultPath, kind: IoErrorKind) -> IoError {
    IoError {
        operation,
        path: path.clone(),
        kind,
    }
}
