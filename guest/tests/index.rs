//! The index against independent computations: a naive BM25, and an index
//! built from scratch.

mod common;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use common::{draft, found, machine, note, process};
use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{Format, Inkvault, Parsed};
use inkvault_guest::index::{Bearings, FileMark, Index, Weighing};
use inkvault_guest::memory::{Area, Field};
use inkvault_guest::text::tokenizer::Tokenizer;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{BrowseOptions, Draft};
use proptest::prelude::*;

const WORDS: [&str; 12] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "记忆",
    "中文记忆",
    "长期",
    "rust",
    "wasm",
    "Ünïcode",
    "x1",
    "é",
];

fn sentence() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..12)
        .prop_map(|words| words.join(" "))
}

/// BM25 as contract §2 states it, computed the slow way.
fn naive(documents: &BTreeMap<String, String>, query: &str) -> Vec<(String, f64)> {
    let tokens = |text: &str| Tokenizer::Bigrams.tokens(text);
    let lengths: HashMap<_, _> = documents
        .iter()
        .map(|(id, text)| (id, tokens(text).len() as f64))
        .collect();
    let mean = lengths.values().sum::<f64>() / documents.len().max(1) as f64;
    let terms: BTreeSet<String> = tokens(query).into_iter().collect();
    let mut scored: Vec<_> = documents
        .iter()
        .map(|(id, text)| {
            let of_document = tokens(text);
            let score: f64 = terms
                .iter()
                .map(|term| {
                    let tf = of_document.iter().filter(|token| *token == term).count() as f64;
                    let df = documents
                        .values()
                        .filter(|text| tokens(text).contains(term))
                        .count() as f64;
                    let idf = (1.0 + (documents.len() as f64 - df + 0.5) / (df + 0.5)).ln();
                    idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * lengths[id] / mean))
                })
                .sum();
            (id.clone(), (score * 1e6).round() / 1e6)
        })
        .filter(|(_, score)| *score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    scored
}

/// The documents that hold every term of a text; none where it has no term.
fn holding_all(documents: &BTreeMap<String, String>, text: &str) -> Option<BTreeSet<String>> {
    let terms = |text: &str| BTreeSet::from_iter(Tokenizer::Bigrams.tokens(text));
    let wanted = terms(text);
    let holding = documents
        .iter()
        .filter(|(_, text)| wanted.is_subset(&terms(text)));
    let ids = holding.map(|(id, _)| id.clone()).collect();
    (!wanted.is_empty()).then_some(ids)
}

fn close(found: &[(String, f64)], expected: &[(String, f64)]) -> bool {
    let ids = |list: &[(String, f64)]| {
        list.iter()
            .map(|(id, _)| id.clone())
            .collect::<BTreeSet<_>>()
    };
    let near = found
        .iter()
        .zip(expected)
        .all(|(a, b)| (a.1 - b.1).abs() <= 2e-6);
    found.len() == expected.len() && ids(found) == ids(expected) && near
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn search_equals_a_naive_reference_after_any_changes(
        changes in prop::collection::vec((0usize..8, prop::option::of(sentence())), 1..40),
        query in sentence(),
        limit in 1usize..10,
    ) {
        let mut index = Index::new(Tokenizer::Bigrams, Weighing::Saturating([1.0; Field::COUNT]));
        let mut documents = BTreeMap::new();
        for (number, text) in changes {
            let id = common::id(number);
            let path = VaultPath::parse(&format!("memory/{id}.md")).expect("a path");
            let Some(text) = text else {
                index.remove(path.as_str());
                documents.remove(&id);
                continue;
            };
            let file = note(&id, "x", &text);
            let Parsed::Memory(memory) = Inkvault.parse(&path, file.as_bytes(), Timestamp::default()) else {
                panic!("no memory");
            };
            index.insert(&memory, &[(Field::Body, memory.body.as_str().into())], Bearings { area: Area::Active, prior: 1.0, mark: FileMark::default() });
            documents.insert(id, text);
        }
        let expected = naive(&documents, &query);
        let ranked = index.search(&query, usize::MAX, |_| true);
        let named = |ranked: Vec<inkvault_guest::index::Ranked>| -> Vec<(String, f64)> {
            ranked.into_iter().map(|r| (index.document(r.document).expect("a document").id.to_string(), r.score)).collect()
        };
        let all = named(ranked);
        prop_assert!(close(&all, &expected), "{all:?} is not {expected:?}");
        prop_assert_eq!(named(index.search(&query, limit, |_| true)), all[..limit.min(all.len())].to_vec());
        prop_assert!(index.is_consistent());
        let id = |number| index.document(number).expect("a document").id.to_string();
        let ids = index.holding_all(&query).map(|holding| holding.into_iter().map(id).collect());
        prop_assert_eq!(ids, holding_all(&documents, &query));
    }

    /// Calls, edits by hand and other processes in any order: what the vault
    /// then finds is what a vault opened without any derived data finds.
    #[test]
    fn an_index_kept_up_equals_one_from_scratch(
        steps in prop::collection::vec((0u8..7, 0usize..6, sentence()), 1..25),
        query in sentence(),
    ) {
        let machine = machine();
        let mut one = process(&machine);
        let mut two = process(&machine);
        let mut ids: Vec<String> = Vec::new();
        for (step, number, text) in steps {
            let known = ids.get(number % ids.len().max(1)).cloned();
            let by_hand = format!("memory/h{number}.md");
            match (step, known) {
                (0, _) => ids.push(one.vault.write(&draft(&text)).expect("written").memory.metadata.id),
                (1, _) => ids.push(two.vault.write(&draft(&text)).expect("written").memory.metadata.id),
                (2, Some(id)) => {
                    two.vault.write(&Draft { id: Some(id), ..draft(&text) }).expect("updated");
                }
                (3, _) => machine.put(&by_hand, note(&common::id(number), "by hand", &text)),
                (4, _) if machine.bytes(&by_hand).is_some() => machine.remove(&by_hand),
                (5, _) => machine.advance(Duration::from_secs(3)),
                (6, _) => drop(found(&mut one.vault, &text)),
                _ => {}
            }
        }
        machine.advance(Duration::from_secs(3));
        let scratch = machine.fork();
        for path in scratch.files().into_keys().filter(|path| path.starts_with(".inkvault/") && !path.ends_with("config.json")) {
            scratch.remove(&path);
        }
        let mut fresh = process(&scratch);
        let all = |process: &mut common::Process| {
            let options = inkvault_guest::vault::SearchOptions { limit: Some(100), ..Default::default() };
            let hits = process.vault.search(&query, &options).expect("hits");
            hits.into_iter().map(|hit| (hit.memory, hit.score)).collect::<Vec<_>>()
        };
        let expected = all(&mut fresh);
        prop_assert_eq!(&all(&mut one), &expected);
        prop_assert_eq!(&all(&mut two), &expected);
        prop_assert_eq!(&all(&mut process(&machine)), &expected);
        let total = |process: &mut common::Process| process.vault.browse(&BrowseOptions::default()).expect("a page").total;
        prop_assert_eq!(total(&mut one), total(&mut fresh));
    }

    #[test]
    fn arbitrary_bytes_are_no_snapshot(bytes in any::<Vec<u8>>()) {
        use inkvault_guest::index::snapshot;
        let decoded = snapshot::decode(bytes, "inkvault", Tokenizer::Bigrams, Weighing::Saturating([1.0; Field::COUNT]));
        prop_assert!(decoded.is_none());
    }
}

/// The overlap coefficient of two texts' distinct terms, from the index alone.
#[test]
fn similar_memories_are_those_that_share_most_terms() {
    let machine = machine();
    let mut process = process(&machine);
    let whole = process
        .vault
        .write(&draft("alpha beta gamma delta"))
        .expect("written");
    let half = process
        .vault
        .write(&draft("alpha beta other words entirely"))
        .expect("written");
    assert!(half.similar.is_empty() || half.similar[0].overlap >= 0.5);
    let receipt = process
        .vault
        .write(&draft("alpha beta gamma delta epsilon"))
        .expect("written");
    assert_eq!(receipt.similar[0].id, whole.memory.metadata.id);
    assert_eq!(receipt.similar[0].overlap, 1.0);
    let update = Draft {
        id: Some(receipt.memory.metadata.id.clone()),
        ..draft("alpha beta gamma delta epsilon zeta")
    };
    let updated = process.vault.write(&update).expect("updated");
    assert!(
        updated
            .similar
            .iter()
            .all(|similar| similar.id != receipt.memory.metadata.id),
        "not similar to itself"
    );
}

/// Removing many documents does not leave their postings behind for ever.
#[test]
fn a_vault_that_changes_a_lot_stays_small() {
    let machine = machine();
    let mut process = process(&machine);
    let id = process
        .vault
        .write(&draft("the constant word"))
        .expect("written")
        .memory
        .metadata
        .id;
    for n in 0..1_500 {
        let text = format!("the constant word and number{n}");
        process
            .vault
            .write(&Draft {
                id: Some(id.clone()),
                ..draft(&text)
            })
            .expect("updated");
    }
    let size = machine
        .bytes(".inkvault/index.snapshot")
        .expect("a snapshot")
        .len();
    assert!(size < 150_000, "{size} bytes for one memory");
    assert_eq!(found(&mut process.vault, "number1499").join(" "), id);
    assert_eq!(
        found(&mut common::process(&machine).vault, "constant"),
        [id]
    );
}
