//! What the measurements share: a corpus, the two engines under one set of
//! calls, and the sizes that are measured. What each measures, and how, is in
//! `benches/README.md`.

pub mod corpus;
pub mod engine;
pub mod language;
pub mod random;
pub mod report;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};

use corpus::Corpus;

/// The sizes a bench measures: 1,000 and 10,000 memories, or those that the
/// environment variable `INKVAULT_BENCH_SIZES` names (`1000,100000`).
///
/// # Panics
/// Where that names no numbers.
pub fn sizes() -> Vec<usize> {
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

/// Where the vaults lie, given the directory that cargo names a bench.
pub fn vaults(target_tmp: &str) -> PathBuf {
    Path::new(target_tmp).join("inkvault-bench")
}

/// A corpus and its vault, with a snapshot.
///
/// # Errors
/// Those of making it.
pub fn prepared(target_tmp: &str, size: usize) -> Result<(Corpus, PathBuf)> {
    let corpus = Corpus::new(size);
    let vault = corpus.shared_vault(&vaults(target_tmp))?;
    engine::Engine::Native.opened(&vault)?;
    Ok((corpus, vault))
}

/// Takes a vault's snapshot away, so that the next opening has to rebuild.
///
/// # Errors
/// Those of the file system, except that there was none.
pub fn forget_snapshot(vault: &Path) -> io::Result<()> {
    match fs::remove_file(vault.join(".inkvault/index.snapshot")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// A group of a criterion bench, for calls of microseconds.
pub fn group<'c>(
    criterion: &'c mut Criterion,
    what: &str,
    size: usize,
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = criterion.benchmark_group(format!("{what}/{size}"));
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
    size: usize,
) -> BenchmarkGroup<'c, WallTime> {
    let mut group = group(criterion, what, size);
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(1))
        .sampling_mode(criterion::SamplingMode::Flat);
    group
}
