//! Opening a vault, and how a call on it is made: on one instance, which is
//! replaced after a trap. What the calls are is in [`crate::interface`].

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wasmtime::Store;
use wasmtime_wasi::FsPerms;

use crate::bindings;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::runtime::Runtime;
use crate::signature::Signature;
use crate::store::{Allowance, Instance, Recipe, State, Usage};
use crate::types;

/// The engine that is built in.
const BUILT_IN: &[u8] = include_bytes!(env!("INKVAULT_COMPONENT_FILE"));

/// An open vault.
///
/// It can be sent to another thread but serves one call at a time. Calls
/// block, and they may not be made on a thread that runs asynchronous tasks of
/// tokio: give the vault a thread of its own there.
///
/// An instance of the engine that fails in the middle of a change leaves the
/// vault's lock behind. The lock is given up for it before the call returns, so
/// that nobody has to wait; where that cannot be done, the next change waits
/// the ten seconds after which a lock counts as abandoned.
pub struct Vault {
    runtime: Arc<Runtime>,
    directory: PathBuf,
    permissions: FsPerms,
    limits: Limits,
    metered: bool,
    settings: Option<String>,
    signature: Signature,
    instance: Option<Instance>,
    used: Usage,
}

/// How to open a vault: see [`Vault::builder`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    limits: Limits,
    read_only: bool,
    component: Option<PathBuf>,
    settings: Option<String>,
    meter_fuel: bool,
}

/// What a call may do and how long it may take.
#[derive(Clone, Copy)]
pub(crate) struct Call {
    name: &'static str,
    repeatable: bool,
    maintenance: bool,
}

impl Call {
    /// Changes nothing: it may be made a second time after a trap.
    pub(crate) const fn read(name: &'static str) -> Self {
        Self {
            name,
            repeatable: true,
            maintenance: false,
        }
    }

    /// Changes the vault: it is never made a second time.
    pub(crate) const fn change(name: &'static str) -> Self {
        Self {
            name,
            repeatable: false,
            maintenance: false,
        }
    }

    /// Looks at every file and may take its time.
    pub(crate) const fn maintenance(mut self) -> Self {
        self.maintenance = true;
        self
    }
}

impl Builder {
    /// Sets what the engine may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps the engine from changing anything below the directory. Default:
    /// it may.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        self
    }

    /// Takes the engine from a component file in place of the one built in.
    #[must_use]
    pub fn component(mut self, path: impl Into<PathBuf>) -> Self {
        self.component = Some(path.into());
        self
    }

    /// Lays settings over the vault's own, as [`Vault::configure`] does.
    #[must_use]
    pub fn settings(mut self, json: impl Into<String>) -> Self {
        self.settings = Some(json.into());
        self
    }

    /// Counts the instructions of the engine, for [`Vault::fuel_consumed`].
    /// Every call is then slower. Default: not counted.
    #[must_use]
    pub fn meter_fuel(mut self, meter_fuel: bool) -> Self {
        self.meter_fuel = meter_fuel;
        self
    }

    /// Opens the vault in `directory`.
    ///
    /// # Errors
    ///
    /// [`Error::Directory`] where it cannot be opened, [`Error::Component`]
    /// where the component is no engine, [`Error::Memory`] for unusable
    /// settings. That the directory is no vault yet is no error here: `init`
    /// makes it one, other calls answer `not-found`.
    ///
    /// The compiled engine is kept in the user's cache folder, or in the
    /// folder that the environment variable `INKVAULT_CACHE_DIR` names (empty:
    /// nowhere), provided that nobody else but root can write or replace it.
    pub fn open(self, directory: impl AsRef<Path>) -> Result<Vault> {
        let directory = resolved(directory.as_ref())?;
        let metered = self.meter_fuel || self.limits.fuel.is_some();
        let mut vault = Vault {
            runtime: runtime(self.component.as_deref(), metered)?,
            directory,
            permissions: if self.read_only {
                FsPerms::ReadOnly
            } else {
                FsPerms::ReadWrite
            },
            limits: self.limits,
            metered,
            settings: self.settings,
            signature: Signature::new(),
            instance: None,
            used: Usage::default(),
        };
        vault.instance = Some(vault.instantiate()?);
        Ok(vault)
    }
}

/// The absolute path, so that the vault stays the same when the process
/// changes its directory.
fn resolved(directory: &Path) -> Result<PathBuf> {
    let failed = |source: io::Error| Error::Directory {
        path: directory.to_owned(),
        source,
    };
    let path = fs::canonicalize(directory).map_err(failed)?;
    if path.is_dir() {
        Ok(path)
    } else {
        Err(failed(io::ErrorKind::NotADirectory.into()))
    }
}

fn runtime(component: Option<&Path>, metered: bool) -> Result<Arc<Runtime>> {
    let unusable = |source| Error::Component {
        path: component.map(Path::to_owned),
        source,
    };
    let started = match component {
        None => Runtime::shared(BUILT_IN, metered),
        Some(path) => {
            let bytes = fs::read(path).map_err(|error| unusable(error.into()))?;
            Runtime::shared(&bytes, metered)
        }
    };
    started.map_err(|error| unusable(error.into_boxed_dyn_error()))
}

impl Vault {
    /// Opens the vault in `directory` with the built-in engine and the
    /// default limits.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::open`].
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::builder().open(directory)
    }

    /// How to open a vault otherwise.
    #[must_use]
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The vault's directory, absolute.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// How many operations on files, directories and streams the engine has
    /// asked the host for since the vault was opened. Dropping a handle is
    /// none; neither are clocks and random numbers.
    #[must_use]
    pub fn host_calls(&self) -> u64 {
        self.used.host_calls
    }

    /// How much fuel (about one unit an instruction) the engine has burnt
    /// since the vault was opened; `None` where it is not metered.
    #[must_use]
    pub fn fuel_consumed(&self) -> Option<u64> {
        self.metered.then_some(self.used.fuel)
    }

    /// Makes a call on the engine.
    pub(crate) fn call<R>(
        &mut self,
        call: Call,
        invoke: impl Fn(
            &bindings::Engine,
            &mut Store<State>,
        ) -> wasmtime::Result<Result<R, types::Error>>,
    ) -> Result<R> {
        match self.attempt(call, &invoke) {
            Err(Error::Trap { .. }) if call.repeatable => self.attempt(call, &invoke),
            outcome => outcome,
        }
    }

    /// The settings as they are laid over the vault's own: with the name by
    /// which this handle's instances sign the lock.
    pub(crate) fn signed(&self, settings: Option<&str>) -> String {
        self.signature.over(settings)
    }

    /// The settings that were laid over the vault's own.
    pub(crate) fn kept_settings(&self) -> Option<&str> {
        self.settings.as_deref()
    }

    /// Remembers the settings, which the instance has been given, for the
    /// instances to come.
    pub(crate) fn keep_settings(&mut self, settings: &str) {
        self.settings = Some(settings.to_owned());
        if let Some(instance) = &mut self.instance {
            instance.signs = true;
        }
    }

    /// Makes a call once. Only an instance that answered is kept.
    fn attempt<R>(
        &mut self,
        call: Call,
        invoke: impl Fn(
            &bindings::Engine,
            &mut Store<State>,
        ) -> wasmtime::Result<Result<R, types::Error>>,
    ) -> Result<R> {
        let mut instance = match self.instance.take() {
            Some(instance) => instance,
            None => self.instantiate()?,
        };
        if !call.repeatable && !instance.signs {
            self.sign(&mut instance)?;
        }
        let allowance = self.allowance(call.maintenance || !instance.opened);
        let answer = instance.run(allowance, invoke);
        self.used += instance.take_usage();
        match answer {
            Ok(answer) => {
                self.instance = Some(instance);
                answer.map_err(Error::Memory)
            }
            Err(trap) => {
                let failure = instance.explain(call.name, &self.limits, allowance, trap);
                drop(instance);
                if !call.repeatable {
                    self.give_up_lock();
                }
                Err(failure)
            }
        }
    }

    fn instantiate(&mut self) -> Result<Instance> {
        let recipe = Recipe {
            runtime: &self.runtime,
            directory: &self.directory,
            permissions: self.permissions,
            limits: &self.limits,
        };
        let mut instance = Instance::new(&recipe, self.allowance(false))?;
        self.used += instance.take_usage();
        if self.settings.is_some() {
            self.configured(&mut instance)?;
        }
        Ok(instance)
    }

    /// Has an instance sign the lock before it changes anything. Not sooner:
    /// settings open the vault, and an instance that only reads needs no name.
    /// Where there is no vault yet, the call itself will say so or make one.
    fn sign(&mut self, instance: &mut Instance) -> Result<()> {
        match self.configured(instance) {
            Err(Error::Memory(_)) => Ok(()),
            signed => signed,
        }
    }

    /// Lays the settings over a new instance. They may make it open the
    /// vault, so they get the time for that.
    fn configured(&mut self, instance: &mut Instance) -> Result<()> {
        let settings = self.signed(self.settings.as_deref());
        let allowance = self.allowance(true);
        let was_open = instance.opened;
        let answer = instance.run(allowance, |engine, store| {
            let upkeep = engine.inkvault_memory_upkeep();
            upkeep.call_configure(store, &settings)
        });
        self.used += instance.take_usage();
        instance.opened = was_open;
        match answer {
            Ok(answer) => {
                instance.signs = answer.is_ok();
                answer.map(drop).map_err(Error::Memory)
            }
            Err(trap) => Err(instance.explain("configure", &self.limits, allowance, trap)),
        }
    }

    /// Gives up the lock that an instance held which is gone. That this fails
    /// is no error: others take the lock away after ten seconds.
    fn give_up_lock(&mut self) {
        let Ok(mut instance) = self.instantiate() else {
            return;
        };
        let token = self.signature.token();
        let answer = instance.run(self.allowance(false), |engine, store| {
            engine
                .inkvault_memory_upkeep()
                .call_break_lock(store, token)
        });
        self.used += instance.take_usage();
        instance.opened = false;
        if answer.is_ok() {
            self.instance = Some(instance);
        }
    }

    fn allowance(&self, maintenance: bool) -> Allowance {
        let time = if maintenance {
            self.limits.maintenance
        } else {
            self.limits.call
        };
        let fuel = self.metered.then(|| self.limits.fuel.unwrap_or(u64::MAX));
        Allowance { time, fuel }
    }
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault")
            .field("directory", &self.directory)
            .field("permissions", &self.permissions)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vault_can_be_sent_to_another_thread() {
        fn sendable<T: Send>() {}
        sendable::<Vault>();
    }

    #[test]
    fn what_is_no_directory_is_told_apart_from_what_is_not_there() {
        let kind = |path: &Path| match resolved(path) {
            Err(Error::Directory { source, .. }) => source.kind(),
            other => panic!("{other:?}"),
        };
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(kind(file.path()), io::ErrorKind::NotADirectory);
        assert_eq!(
            kind(&file.path().with_extension("none")),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn what_is_no_component_is_no_engine() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = runtime(Some(file.path()), false).err().unwrap();
        assert!(
            matches!(error, Error::Component { path: Some(_), .. }),
            "{error}"
        );
    }
}
