//! Opening a vault with a good snapshot: a new instance of the engine (its
//! compiled code is loaded already) and its first call, which reads the
//! snapshot and asks every file for its size and time.

use criterion::{Criterion, criterion_group, criterion_main};
use inkvault_benches::engine::Engine;
use inkvault_benches::{corpora, prepared, slow_group};

fn open(criterion: &mut Criterion) {
    for corpus in corpora() {
        let directory = prepared(env!("CARGO_TARGET_TMPDIR"), &corpus).expect("a vault");
        let mut group = slow_group(criterion, "open", &corpus);
        for engine in Engine::BOTH {
            // Keeps the compiled code loaded.
            let held = engine.vault(&directory).expect("a vault");
            group.bench_function(engine.name(), |bencher| {
                bencher.iter_with_large_drop(|| engine.opened(&directory).expect("opened"));
            });
            drop(held);
        }
        group.finish();
    }
}

criterion_group!(benches, open);
criterion_main!(benches);
