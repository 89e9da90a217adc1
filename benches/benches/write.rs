//! `write` of a new memory: lock, staged file, intent, rename, feed, journal,
//! all on the disk when it answers, and the snapshots that fall due. Each
//! engine has a vault of its own, which grows meanwhile.

use criterion::{Criterion, criterion_group, criterion_main};
use inkvault_benches::engine::Engine;
use inkvault_benches::{corpora, group, vaults};

fn write(criterion: &mut Criterion) {
    for corpus in corpora() {
        let mut group = group(criterion, "write", &corpus);
        for engine in Engine::BOTH {
            let directory = corpus.own_vault(&vaults(env!("CARGO_TARGET_TMPDIR")));
            let directory = directory.expect("a vault");
            let mut vault = engine.opened(directory.path()).expect("opened");
            let mut number = 0;
            group.bench_function(engine.name(), |bencher| {
                let mut next = || {
                    number += 1;
                    corpus.new_text(number)
                };
                bencher.iter_batched(
                    &mut next,
                    |text| vault.write(&text).expect("written"),
                    criterion::BatchSize::SmallInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group!(benches, write);
criterion_main!(benches);
