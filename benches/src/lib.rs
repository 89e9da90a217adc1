//! What the measurements share: a corpus, the two engines under one set of
//! calls, and the sizes that are measured. What each measures, and how, is in
//! `benches/README.md`.

pub mod corpus;
pub mod engine;
pub mod language;
pub mod quality;
pub mod random;
pub mod report;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use inkvault_guest::format::{self, Format};

use corpus::Corpus;

/// The format that is measured where none is named.
pub const FORMAT: &str = "inkvault";

/// What a criterion bench measures: 1,000 and 10,000 memories of the format
/// `inkvault`, or what the environment variables `INKVAULT_BENCH_SIZES`
/// (`1000,100000`) and `INKVAULT_BENCH_FORMAT` name.
///
/// # Panics
/// Where these name no numbers and no format.
pub fn corpora() -> Vec<Corpus> {
    let named = std::env::var("INKVAULT_BENCH_FORMAT").unwrap_or_default();
    let named = if named.is_empty() { FORMAT } else { &named };
    let format: &'static dyn Format = format::named(named).expect("INKVAULT_BENCH_FORMAT");
    let of_size = |size| Corpus::new(format, size);
    sizes().into_iter().map(of_size).collect()
}

fn sizes() -> Vec<usize> {
    let named = std::env::var("INKVAULT_BENCH_SIZES").unwrap_or_default();
    let named = named.split([',', ' ']).filter(|word| !word.is_empty());
    let sizes: Vec<usize> = named
        .map(|word| word.parse().expect("INKVAULT_BENCH_SIZES: numbers"))
        .collect();
    if sizes.is_empty() {
        vec![1_000, 10_000]
    } else {
        sizes
    }
}

/// The snapshot's name in the private folder.
pub const SNAPSHOT: &str = "index.snapshot";

/// Where the vaults lie, given the directory that cargo names a bench.
pub fn vaults(target_tmp: &str) -> PathBuf {
    Path::new(target_tmp).join("inkvault-bench")
}

/// The vault of a corpus, with a snapshot.
///
/// # Errors
/// Those of making it.
pub fn prepared(target_tmp: &str, corpus: &Corpus) -> Result<PathBuf> {
    let vault = corpus.shared_vault(&vaults(target_tmp))?;
    engine::Engine::Native.opened(&vault)?;
    Ok(vault)
}

/// Takes a vault's snapshot away, so that the next opening has to rebuild.
///
/// # Errors
/// Those of the file system, except that there was none.
pub fn forget_snapshot(corpus: &Corpus, vault: &Path) -> io::Result<()> {
    match fs::remove_file(corpus.private_file(vault, SNAPSHOT)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// A group of a criterion bench, for calls of microseconds.
pub fn group<'c>(
    criterion: &'c mut Criterion,
    what: &str,
    corpus: &Corpus,
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(format!("{what}/{}", corpus.name()));
    group
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    group
}

/// A group of a criterion bench, for calls that take up to seconds.
pub fn slow_group<'c>(
    criterion: &'c mut Criterion,
    what: &str,
    corpus: &Corpus,
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = group(criterion, what, corpus);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .sampling_mode(criterion::SamplingMode::Flat);
    group
}
