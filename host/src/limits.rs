//! What the engine may use of its host, and what is said when it asks for more.
//!
//! Numbers only: nothing here knows what a vault is or how a call is made.

use std::fmt;
use std::time::Duration;

use wasmtime::ResourceLimiter;

/// What one open vault may use. Every limit can be set on its own:
///
/// ```
/// use inkvault::Limits;
/// use std::time::Duration;
///
/// let limits = Limits { call: Duration::from_secs(5), ..Limits::default() };
/// # assert_eq!(limits.memory, 512 << 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The engine's memory in bytes. Default: 512 MiB.
    pub memory: usize,
    /// How long a call may compute. Time spent inside the host, such as in a
    /// slow disk, counts but does not end the call before it returns to the
    /// engine. Default: 30 s.
    pub call: Duration,
    /// The same for calls that look at every file: the first call after
    /// opening, `sync`, `verify` and `rebuild_index`. Default: 10 min.
    pub maintenance: Duration,
    /// How many files, directories and streams may be open at once.
    /// Default: 1,000.
    pub handles: usize,
    /// How many bytes the engine may hand over in one step: the result of a
    /// call, or the content of one write to a file. Default: 64 MiB.
    pub result: usize,
    /// How much fuel (about one unit an instruction) a call may burn.
    /// Default: no limit. Setting it implies metering, which makes every
    /// call slower.
    pub fuel: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            memory: 512 << 20,
            call: Duration::from_secs(30),
            maintenance: Duration::from_secs(600),
            handles: 1_000,
            result: 64 << 20,
            fuel: None,
        }
    }
}

/// Which limit a call ran into, with what was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LimitKind {
    /// It computed for longer than [`Limits::call`] or
    /// [`Limits::maintenance`].
    Time(Duration),
    /// It needed more bytes of memory than [`Limits::memory`].
    Memory(usize),
    /// It burnt more than [`Limits::fuel`].
    Fuel(u64),
    /// It handed over more bytes in one step than [`Limits::result`].
    Result(usize),
    /// It opened more files at once than [`Limits::handles`].
    Handles(usize),
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(allowed) => write!(f, "{allowed:?} of computing"),
            Self::Memory(allowed) => write!(f, "{} of memory", Bytes(*allowed)),
            Self::Fuel(allowed) => write!(f, "{allowed} units of fuel"),
            Self::Result(allowed) => write!(f, "{} of data in one step", Bytes(*allowed)),
            Self::Handles(allowed) => write!(f, "{allowed} open files"),
        }
    }
}

/// A number of bytes as a person writes it.
struct Bytes(usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            n if n >= 1 << 20 && n.is_multiple_of(1 << 20) => write!(f, "{} MiB", n >> 20),
            n if n >= 1 << 10 && n.is_multiple_of(1 << 10) => write!(f, "{} KiB", n >> 10),
            n => write!(f, "{n} bytes"),
        }
    }
}

/// Keeps all memories of a store together below a limit, and remembers that
/// it refused: the engine only sees a failed allocation and traps.
#[derive(Debug)]
pub(crate) struct MemoryGuard {
    allowed: usize,
    used: usize,
    last_growth: usize,
    refused: bool,
}

impl MemoryGuard {
    pub(crate) fn new(allowed: usize) -> Self {
        Self {
            allowed,
            used: 0,
            last_growth: 0,
            refused: false,
        }
    }

    /// Whether memory was refused since the last call of [`Self::forgive`].
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    pub(crate) fn forgive(&mut self) {
        self.refused = false;
    }
}

impl ResourceLimiter for MemoryGuard {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let growth = desired.saturating_sub(current);
        let within = self.used.saturating_add(growth) <= self.allowed;
        let granted = within && maximum.is_none_or(|maximum| desired <= maximum);
        if granted {
            self.used += growth;
            self.last_growth = growth;
        }
        self.refused |= !granted;
        Ok(granted)
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> wasmtime::Result<()> {
        self.used -= self.last_growth;
        self.last_growth = 0;
        self.refused = true;
        Ok(())
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(maximum.is_none_or(|maximum| desired <= maximum) && desired <= TABLE_ELEMENTS)
    }
}

/// Entries of a function table: the engine's has a few hundred and never grows.
const TABLE_ELEMENTS: usize = 100_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_share_one_limit() {
        let mut guard = MemoryGuard::new(100);
        assert!(guard.memory_growing(0, 60, None).unwrap());
        assert!(!guard.memory_growing(0, 50, None).unwrap());
        assert!(guard.refused());
        guard.forgive();
        assert!(guard.memory_growing(0, 40, None).unwrap());
        assert!(!guard.refused());
    }

    #[test]
    fn memory_that_could_not_be_had_is_given_back() {
        let mut guard = MemoryGuard::new(100);
        assert!(guard.memory_growing(0, 60, None).unwrap());
        guard
            .memory_grow_failed(wasmtime::Error::msg("no memory"))
            .unwrap();
        assert!(guard.refused());
        assert!(guard.memory_growing(0, 100, None).unwrap());
    }

    #[test]
    fn memory_keeps_to_its_own_maximum() {
        let mut guard = MemoryGuard::new(1_000);
        assert!(!guard.memory_growing(0, 200, Some(100)).unwrap());
        assert!(guard.memory_growing(0, 100, Some(100)).unwrap());
    }

    #[test]
    fn limits_read_like_a_sentence() {
        let said = |kind: LimitKind| kind.to_string();
        assert_eq!(
            said(LimitKind::Time(Duration::from_secs(30))),
            "30s of computing"
        );
        assert_eq!(said(LimitKind::Memory(512 << 20)), "512 MiB of memory");
        assert_eq!(
            said(LimitKind::Result(1500)),
            "1500 bytes of data in one step"
        );
        assert_eq!(said(LimitKind::Handles(1000)), "1000 open files");
    }
}
