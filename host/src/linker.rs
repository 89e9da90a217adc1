//! What the engine finds of the world: files, clocks, chance, and a process
//! without input, output, arguments or environment.
//!
//! There are no sockets and no HTTP here, so a component that asks for them
//! cannot even be loaded. The terminal interfaces are here because Rust's
//! standard library asks for them; they answer that there is no terminal.

use wasmtime::Engine;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable, ResourceType};
use wasmtime_wasi::WasiView as _;
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{WasiClocks, WasiClocksView as _};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView as _};
use wasmtime_wasi::p2::bindings::sync::filesystem::types as files;
use wasmtime_wasi::p2::bindings::sync::io::{poll, streams};
use wasmtime_wasi::p2::bindings::{cli, clocks, filesystem, random};
use wasmtime_wasi::random::{WasiRandom, WasiRandomView as _};

use crate::store::State;

/// The version under which `wasmtime-wasi` registers its interfaces.
const FILES: &str = "wasi:filesystem/types@0.2.12";
const STREAMS: &str = "wasi:io/streams@0.2.12";

/// The resource table alone: all that streams need.
struct Io;

impl HasData for Io {
    type Data<'a> = &'a mut ResourceTable;
}

/// Links everything the engine may import.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    add_files(&mut linker)?;
    add_streams(&mut linker)?;
    add_clocks_and_chance(&mut linker)?;
    add_process(&mut linker)?;
    leave_drops_uncounted(&mut linker)?;
    Ok(linker)
}

/// A generated function asks for its part of the state exactly once, so
/// counting there counts calls.
fn add_files(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    filesystem::preopens::add_to_linker::<_, WasiFilesystem>(linker, State::filesystem)?;
    files::add_to_linker::<_, WasiFilesystem>(linker, |state| state.counted().filesystem())
}

fn add_streams(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    wasmtime_wasi_io::bindings::wasi::io::error::add_to_linker::<_, Io>(linker, |state| {
        state.ctx().table
    })?;
    poll::add_to_linker::<_, Io>(linker, |state| state.ctx().table)?;
    streams::add_to_linker::<_, Io>(linker, |state| state.counted().ctx().table)
}

fn add_clocks_and_chance(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    clocks::wall_clock::add_to_linker::<_, WasiClocks>(linker, State::clocks)?;
    clocks::monotonic_clock::add_to_linker::<_, WasiClocks>(linker, State::clocks)?;
    random::random::add_to_linker::<_, WasiRandom>(linker, State::random)?;
    random::insecure_seed::add_to_linker::<_, WasiRandom>(linker, State::random)
}

fn add_process(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    cli::environment::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::exit::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::stdin::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::stdout::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::stderr::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_input::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_output::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_stdin::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_stdout::add_to_linker::<_, WasiCli>(linker, State::cli)?;
    cli::terminal_stderr::add_to_linker::<_, WasiCli>(linker, State::cli)
}

/// Replaces the destructors of the counted interfaces by ones that do the
/// same without counting: dropping a handle is no call.
fn leave_drops_uncounted(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut of_files = linker.instance(FILES)?;
    of_files.resource(
        "descriptor",
        ResourceType::host::<files::Descriptor>(),
        |mut store, rep| {
            let mut host = store.data_mut().filesystem();
            files::HostDescriptor::drop(&mut host, Resource::new_own(rep))
        },
    )?;
    of_files.resource(
        "directory-entry-stream",
        ResourceType::host::<files::DirectoryEntryStream>(),
        |mut store, rep| {
            let mut host = store.data_mut().filesystem();
            files::HostDirectoryEntryStream::drop(&mut host, Resource::new_own(rep))
        },
    )?;
    let mut of_streams = linker.instance(STREAMS)?;
    of_streams.resource(
        "input-stream",
        ResourceType::host::<streams::InputStream>(),
        |mut store, rep| {
            streams::HostInputStream::drop(store.data_mut().ctx().table, Resource::new_own(rep))
        },
    )?;
    of_streams.resource(
        "output-stream",
        ResourceType::host::<streams::OutputStream>(),
        |mut store, rep| {
            streams::HostOutputStream::drop(store.data_mut().ctx().table, Resource::new_own(rep))
        },
    )?;
    linker.allow_shadowing(false);
    Ok(())
}
