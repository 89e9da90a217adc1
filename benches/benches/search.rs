//! `search` on a vault in memory: one call with the mixed questions in turn,
//! for each sort of question apart.

use criterion::{Criterion, criterion_group, criterion_main};
use inkvault_benches::engine::Engine;
use inkvault_benches::{corpora, group, prepared};

fn search(criterion: &mut Criterion) {
    for corpus in corpora() {
        let directory = prepared(env!("CARGO_TARGET_TMPDIR"), &corpus).expect("a vault");
        for (sort, questions) in corpus.questions().sorts() {
            let mut group = group(criterion, &format!("search/{sort}"), &corpus);
            for engine in Engine::BOTH {
                let mut vault = engine.opened(&directory).expect("opened");
                let mut next = questions.iter().cycle();
                group.bench_function(engine.name(), |bencher| {
                    bencher.iter(|| vault.search(next.next().map_or("", |question| question)));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, search);
criterion_main!(benches);
