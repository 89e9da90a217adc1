//! Building the index from the Markdown files: as the first call does where
//! there is no snapshot, and as `rebuild-index` does, which writes
//! `index.json` for other tools besides. Both save a snapshot.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use inkvault_benches::engine::Engine;
use inkvault_benches::{corpora, forget_snapshot, prepared, slow_group};

fn rebuild(criterion: &mut Criterion) {
    for corpus in corpora() {
        let directory = prepared(env!("CARGO_TARGET_TMPDIR"), &corpus).expect("a vault");
        let mut group = slow_group(criterion, "rebuild", &corpus);
        for engine in Engine::BOTH {
            let fresh = || {
                forget_snapshot(&corpus, &directory).expect("no snapshot");
                engine.vault(&directory).expect("a vault")
            };
            group.bench_function(engine.name(), |bencher| {
                let look = |mut vault: inkvault_benches::engine::Vault| {
                    vault.look().expect("opened");
                    vault
                };
                bencher.iter_batched(fresh, look, BatchSize::PerIteration);
            });
            group.bench_function(format!("{} with index.json", engine.name()), |bencher| {
                let rebuild = |mut vault: inkvault_benches::engine::Vault| {
                    vault.rebuild_index().expect("rebuilt");
                    vault
                };
                bencher.iter_batched(fresh, rebuild, BatchSize::PerIteration);
            });
        }
        group.finish();
    }
}

criterion_group!(benches, rebuild);
criterion_main!(benches);
