//! The compiled engine, ready to be instantiated, and the clock that stops
//! calls which compute too long.
//!
//! One for each component and way of metering in a process: all vaults share
//! it. Nothing here knows of a vault.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use wasmtime::component::Component;
use wasmtime::{Config, Engine, EngineWeak};

use crate::bindings::EnginePre;
use crate::cache::Cache;
use crate::linker::linker;
use crate::store::State;

/// How often the epoch moves on; deadlines are rounded up to it.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// A compiled engine with everything it imports.
pub(crate) struct Runtime {
    pre: EnginePre<State>,
}

/// What makes two runtimes the same.
#[derive(Clone, PartialEq, Eq)]
struct Identity {
    component: [u8; 32],
    metered: bool,
}

/// The runtimes in use.
static RUNNING: Mutex<Vec<(Identity, Weak<Runtime>)>> = Mutex::new(Vec::new());

impl Runtime {
    /// The runtime for a component, compiled where that was not done before.
    pub(crate) fn shared(component: &[u8], metered: bool) -> wasmtime::Result<Arc<Self>> {
        let identity = Identity {
            component: Sha256::digest(component).into(),
            metered,
        };
        // Held while compiling, so that nobody compiles the same twice.
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|(_, runtime)| runtime.strong_count() > 0);
        let known = running.iter().find(|(known, _)| *known == identity);
        if let Some(runtime) = known.and_then(|(_, runtime)| runtime.upgrade()) {
            return Ok(runtime);
        }
        let runtime = Arc::new(Self::new(component, &identity)?);
        running.push((identity, Arc::downgrade(&runtime)));
        Ok(runtime)
    }

    fn new(component: &[u8], identity: &Identity) -> wasmtime::Result<Self> {
        let engine = Engine::new(&config(identity.metered))?;
        let component = compiled(&engine, component, identity)?;
        let pre = linker(&engine)?.instantiate_pre(&component)?;
        let runtime = Self {
            pre: EnginePre::new(pre)?,
        };
        start_ticking(engine.weak())?;
        Ok(runtime)
    }

    /// The engine before it is given a store.
    pub(crate) fn pre(&self) -> &EnginePre<State> {
        &self.pre
    }
}

fn config(metered: bool) -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true).consume_fuel(metered);
    config
}

/// Loads compiled code from the user's cache, else compiles and keeps it
/// there. That it cannot be kept is no reason to fail.
fn compiled(engine: &Engine, wasm: &[u8], identity: &Identity) -> wasmtime::Result<Component> {
    let name = file_name(engine, identity);
    let cache = Cache::of_user();
    if let Some(component) = cache.as_ref().and_then(|cache| cache.load(engine, &name)) {
        return Ok(component);
    }
    let component = Component::new(engine, wasm)?;
    if let Some(cache) = cache {
        let _ = cache.store(&name, &component);
    }
    Ok(component)
}

/// Component, version of wasmtime and settings of the engine in one name.
fn file_name(engine: &Engine, identity: &Identity) -> String {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut build = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut build);
    let component: String = identity.component.iter().map(hex).collect();
    format!("{component}-{:016x}", build.finish())
}

fn hex(byte: &u8) -> String {
    format!("{byte:02x}")
}

/// Moves the epoch on for as long as the engine lives.
fn start_ticking(engine: EngineWeak) -> std::io::Result<()> {
    let ticker = thread::Builder::new().name("inkvault-epoch".to_owned());
    ticker.spawn(move || {
        loop {
            thread::sleep(TICK);
            match engine.upgrade() {
                Some(engine) => engine.increment_epoch(),
                None => return,
            }
        }
    })?;
    Ok(())
}
