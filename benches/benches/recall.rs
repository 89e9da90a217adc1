//! `recall` on a vault in memory: one call with a sentence, five memories
//! packed into a thousand tokens.

use criterion::{Criterion, criterion_group, criterion_main};
use inkvault_benches::engine::Engine;
use inkvault_benches::{corpora, group, prepared};

fn recall(criterion: &mut Criterion) {
    for corpus in corpora() {
        let directory = prepared(env!("CARGO_TARGET_TMPDIR"), &corpus).expect("a vault");
        let questions = corpus.questions().questions;
        let mut group = group(criterion, "recall", &corpus);
        for engine in Engine::BOTH {
            let mut vault = engine.opened(&directory).expect("opened");
            let mut next = questions.iter().cycle();
            group.bench_function(engine.name(), |bencher| {
                bencher.iter(|| vault.recall(next.next().map_or("", |question| question)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, recall);
criterion_main!(benches);
