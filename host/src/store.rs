//! One instance of the engine in its own store: what it holds, what it may
//! use, and what its failures mean.

use std::io;
use std::ops::AddAssign;
use std::path::Path;
use std::time::Duration;

use wasmtime::component::{ResourceTable, ResourceTableError};
use wasmtime::{Store, Trap};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};

use crate::bindings;
use crate::error::{Error, Result, root};
use crate::limits::{LimitKind, Limits, MemoryGuard};
use crate::runtime::{Runtime, TICK};
use crate::types;

/// What the engine calls the vault. It does not care.
const MOUNT: &str = "/vault";

/// How much of what the engine prints is kept. It prints only when it panics.
const LAST_WORDS: usize = 4 << 10;

/// The host's side of an instance.
pub(crate) struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    memory: MemoryGuard,
    printed: MemoryOutputPipe,
    host_calls: u64,
}

impl State {
    /// Counts a call and gives the state to carry it out on.
    pub(crate) fn counted(&mut self) -> &mut Self {
        self.host_calls += 1;
        self
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView {
            ctx: &mut self.wasi,
            table: &mut self.table,
        }
    }
}

/// What an instance is made of.
pub(crate) struct Recipe<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) directory: &'a Path,
    pub(crate) permissions: FsPerms,
    pub(crate) limits: &'a Limits,
}

/// What one call may use.
#[derive(Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) time: Duration,
    /// `None` where fuel is not metered.
    pub(crate) fuel: Option<u64>,
}

/// What was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) host_calls: u64,
    pub(crate) fuel: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, more: Self) {
        self.host_calls += more.host_calls;
        self.fuel += more.fuel;
    }
}

/// An instance of the engine. After a trap it is of no more use: the trap
/// poisons the whole store.
pub(crate) struct Instance {
    engine: bindings::Engine,
    store: Store<State>,
    granted: Option<u64>,
    /// Whether a call succeeded: the first that does has opened the vault.
    pub(crate) opened: bool,
    /// Whether it has been told by which name to sign the lock.
    pub(crate) signs: bool,
}

impl Instance {
    pub(crate) fn new(recipe: &Recipe<'_>, allowance: Allowance) -> Result<Self> {
        let mut store = store(recipe)?;
        let engine = grant(&mut store, allowance)
            .and_then(|()| recipe.runtime.pre().instantiate(&mut store))
            .map_err(|trap| explain(&store, "instantiate", recipe.limits, allowance, trap))?;
        Ok(Self {
            engine,
            store,
            granted: allowance.fuel,
            opened: false,
            signs: false,
        })
    }

    /// Runs one call. What it used is to be had from [`Self::take_usage`],
    /// whether it came back or not.
    pub(crate) fn run<R>(
        &mut self,
        allowance: Allowance,
        invoke: impl FnOnce(
            &bindings::Engine,
            &mut Store<State>,
        ) -> wasmtime::Result<Result<R, types::Error>>,
    ) -> wasmtime::Result<Result<R, types::Error>> {
        grant(&mut self.store, allowance)?;
        self.granted = allowance.fuel;
        let answer = invoke(&self.engine, &mut self.store)?;
        self.opened |= answer.is_ok();
        Ok(answer)
    }

    /// What was used since the last time this was asked.
    pub(crate) fn take_usage(&mut self) -> Usage {
        let left = self.store.get_fuel().unwrap_or(0);
        let fuel = self.granted.take().map_or(0, |granted| granted - left);
        let host_calls = std::mem::take(&mut self.store.data_mut().host_calls);
        Usage { host_calls, fuel }
    }

    /// Says what a trap in `call` means. The instance is to be dropped.
    pub(crate) fn explain(
        &self,
        call: &'static str,
        limits: &Limits,
        allowance: Allowance,
        trap: wasmtime::Error,
    ) -> Error {
        explain(&self.store, call, limits, allowance, trap)
    }
}

fn store(recipe: &Recipe<'_>) -> Result<Store<State>> {
    let engine = recipe.runtime.pre().engine();
    let mut store = Store::new(engine, state(recipe)?);
    store.limiter(|state| &mut state.memory);
    store.set_hostcall_fuel(recipe.limits.result);
    Ok(store)
}

fn state(recipe: &Recipe<'_>) -> Result<State> {
    let printed = MemoryOutputPipe::new(LAST_WORDS);
    let mut table = ResourceTable::new();
    table.set_max_capacity(recipe.limits.handles);
    Ok(State {
        wasi: wasi(recipe, printed.clone())?,
        table,
        memory: MemoryGuard::new(recipe.limits.memory),
        printed,
        host_calls: 0,
    })
}

/// The directory and nothing else. A call on a file may block the thread: the
/// engine is called from synchronous code, and handing every call to another
/// thread makes it ten times slower. The preopen takes the permission to block
/// over when it is made, so the order of the two matters.
fn wasi(recipe: &Recipe<'_>, printed: MemoryOutputPipe) -> Result<WasiCtx> {
    let mut wasi = WasiCtx::builder();
    wasi.stderr(printed).allow_blocking_current_thread(true);
    wasi.preopened_dir(recipe.directory, MOUNT, recipe.permissions)
        .map_err(|error| Error::Directory {
            path: recipe.directory.to_owned(),
            source: error.downcast().unwrap_or_else(io::Error::other),
        })?;
    Ok(wasi.build())
}

/// Without a deadline even instantiating would trap.
fn grant(store: &mut Store<State>, allowance: Allowance) -> wasmtime::Result<()> {
    store.data_mut().memory.forgive();
    store.set_epoch_deadline(ticks(allowance.time));
    if let Some(fuel) = allowance.fuel {
        store.set_fuel(fuel)?;
    }
    Ok(())
}

/// Whole ticks that last at least `time`, given that one is under way.
fn ticks(time: Duration) -> u64 {
    let whole = time.as_millis().div_ceil(TICK.as_millis());
    u64::try_from(whole).map_or(NEVER, |ticks| ticks.saturating_add(1).min(NEVER))
}

/// A deadline that is not reached; wasmtime adds it to the current epoch.
const NEVER: u64 = u64::MAX / 2;

fn explain(
    store: &Store<State>,
    call: &'static str,
    limits: &Limits,
    allowance: Allowance,
    trap: wasmtime::Error,
) -> Error {
    if let Some(limit) = limit(store, limits, allowance, &trap) {
        return Error::Limit { call, limit };
    }
    let source = trap.into_boxed_dyn_error();
    let message = last_words(store).unwrap_or_else(|| root(&source));
    Error::Trap {
        call,
        message,
        source,
    }
}

fn limit(
    store: &Store<State>,
    limits: &Limits,
    allowance: Allowance,
    trap: &wasmtime::Error,
) -> Option<LimitKind> {
    match trap.downcast_ref::<Trap>() {
        Some(Trap::Interrupt) => return Some(LimitKind::Time(allowance.time)),
        Some(Trap::OutOfFuel) => return Some(LimitKind::Fuel(allowance.fuel.unwrap_or(0))),
        _ => {}
    }
    if store.data().memory.refused() {
        return Some(LimitKind::Memory(limits.memory));
    }
    if let Some(ResourceTableError::Full) = trap.downcast_ref() {
        return Some(LimitKind::Handles(limits.handles));
    }
    // wasmtime keeps the type of this error to itself.
    let handed_over_too_much = trap.root_cause().to_string().contains("hostcall");
    handed_over_too_much.then_some(LimitKind::Result(limits.result))
}

/// What the engine printed before it trapped, in one line.
fn last_words(store: &Store<State>) -> Option<String> {
    let printed = store.data().printed.contents();
    let text = String::from_utf8_lossy(&printed);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told: Vec<_> = lines.filter(|line| !line.starts_with("note: ")).collect();
    let told = told.join(" ");
    // What stands before names the thread, of which there is only one.
    let panic = told.find("panicked at").unwrap_or(0);
    (!told.is_empty()).then(|| told[panic..].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_never_cut_short() {
        assert_eq!(ticks(Duration::ZERO), 1);
        assert_eq!(ticks(Duration::from_millis(1)), 2);
        assert_eq!(ticks(Duration::from_millis(50)), 2);
        assert_eq!(ticks(Duration::from_millis(51)), 3);
        assert_eq!(ticks(Duration::MAX), NEVER);
    }
}
