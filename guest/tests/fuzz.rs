//! Hostile bytes by the thousand: each reader's property over what proptest
//! makes up, and, on every format, a vault with ten thousand files that were
//! made to hurt.
//!
//! The same numbers are drawn on every run; `fuzz/` is for finding new ones.

mod bodies;
mod common;
mod hostility;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{Layout, found, id, on_every_layout};
use hostility::{Class, Draw, damaged};
use inkvault_guest::environment::{Machine, VaultPath};
use inkvault_guest::format::{Format, Inkvault, Parsed};
use inkvault_guest::index::snapshot;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{JournalOptions, Vault};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Hostile files of each class.
const OF_EACH_CLASS: usize = 1_100;
/// Good ones among them.
const GOOD: usize = 100;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(2026),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..300)
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn any_bytes_are_a_file(bytes in any_bytes()) {
        bodies::frontmatter(&bytes);
    }

    #[test]
    fn any_text_is_a_frontmatter(text in any::<String>(), body in any::<String>()) {
        let id = id(1);
        bodies::frontmatter(format!("---\nid: {id}\n{text}\n---\n{body}").as_bytes());
        bodies::frontmatter(format!("---\n{text}\nid: {id}\n---\n\n{body}").as_bytes());
    }

    #[test]
    fn a_damaged_file_is_read_and_edited(bytes in damaged(bodies::good::frontmatter())) {
        bodies::frontmatter(&bytes);
    }

    #[test]
    fn any_text_is_a_note(text in any::<String>()) {
        bodies::note(text.as_bytes());
    }

    #[test]
    fn a_damaged_note_or_pool_is_read_and_edited(bytes in damaged(bodies::good::note())) {
        bodies::note(&bytes);
    }

    #[test]
    fn any_bytes_are_no_snapshot_or_a_sound_one(bytes in any_bytes()) {
        bodies::snapshot(&bytes);
    }

    #[test]
    fn any_bytes_are_a_feed(bytes in any_bytes()) {
        bodies::feed(&bytes);
    }

    #[test]
    fn a_damaged_feed_tells_nothing_that_does_not_follow(bytes in damaged(bodies::good::feed())) {
        bodies::feed(&bytes);
    }

    #[test]
    fn any_bytes_are_a_journal(bytes in any_bytes()) {
        bodies::journal(&bytes);
    }

    #[test]
    fn a_damaged_journal_gives_its_good_lines(bytes in damaged(bodies::good::journal())) {
        bodies::journal(&bytes);
    }
}

proptest! {
    // Most damage shows before it gets to what is behind the layout.
    #![proptest_config(config(40_000))]

    #[test]
    fn a_damaged_snapshot_is_none_or_sound(bytes in damaged(bodies::good::snapshot())) {
        bodies::snapshot(&bytes);
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn each_class_of_hostile_file_is_read_and_edited(
        file in prop::sample::select(Class::ALL.to_vec()).prop_flat_map(|class| class.files(Layout::INKVAULT)),
    ) {
        bodies::frontmatter(&file);
    }

    #[test]
    fn each_class_of_hostile_note_is_read_and_edited(
        file in prop::sample::select(Class::ALL.to_vec()).prop_flat_map(|class| class.files(Layout::SIMPLE)),
    ) {
        bodies::note(&file);
    }
}

/// Undamaged, each is read: what is damaged is not garbage from the start.
#[test]
fn good_input_is_good() {
    for bytes in bodies::good::frontmatter() {
        let path = VaultPath::parse("memory/a.md").expect("a path");
        let parsed = Inkvault.parse(&path, &bytes, Timestamp::from_millis(0));
        assert!(matches!(parsed, Parsed::Memory(_)), "{parsed:?}");
        bodies::frontmatter(&bytes);
    }
    for bytes in bodies::good::snapshot() {
        let (tokenizer, weights) = (Inkvault.tokenizer(), Inkvault.weighing());
        assert!(snapshot::decode(bytes.clone(), "inkvault", tokenizer, weights).is_some());
        bodies::snapshot(&bytes);
    }
    bodies::good::note()
        .iter()
        .for_each(|bytes| bodies::note(bytes));
    bodies::good::feed()
        .iter()
        .for_each(|bytes| bodies::feed(bytes));
    bodies::good::journal()
        .iter()
        .for_each(|bytes| bodies::journal(bytes));
}

/// Puts the hostile files and the good ones on a machine, and tells how many
/// there are of each class.
fn put_ten_thousand(layout: Layout, machine: &Machine) -> BTreeMap<Class, usize> {
    let mut counts = BTreeMap::new();
    let mut draw = Draw::new();
    for class in Class::ALL {
        let files = class.files(layout);
        for n in 0..OF_EACH_CLASS {
            let file = draw.one(&files);
            *counts.entry(class).or_default() += usize::from(class.shows_in(&file));
            machine.put(&layout.file(&format!("{class:?}-{n}.md")), file);
        }
    }
    for n in 0..GOOD {
        let body = format!("it stands undisturbed{n} among them");
        machine.put(&layout.path(n), layout.note(&layout.id(n), "good", &body));
    }
    machine.advance(Duration::from_secs(60));
    counts
}

/// The files of all memories, bad or good, wherever they were moved to.
fn memories(layout: Layout, machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    let mut files = machine.files();
    files.retain(|path, _| layout.shows(path) && Some(path.as_str()) != layout.pool);
    files
}

/// Their content, wherever it lies.
fn contents(layout: Layout, machine: &Machine) -> Vec<Vec<u8>> {
    let mut contents: Vec<_> = memories(layout, machine).into_values().collect();
    contents.sort_unstable();
    contents
}

fn assert_good_ones_are_found(layout: Layout, vault: &mut Vault) {
    for n in 0..GOOD {
        assert_eq!(found(vault, &format!("undisturbed{n}")), [layout.id(n)]);
    }
}

#[test]
fn ten_thousand_fuzzed_files_hide_no_good_one_and_none_is_lost() {
    on_every_layout(hide_no_good_one);
}

fn hide_no_good_one(layout: Layout) {
    let machine = layout.machine();
    let counts = put_ten_thousand(layout, &machine);
    assert!(
        counts.len() == Class::ALL.len() && counts.values().all(|count| *count == OF_EACH_CLASS),
        "{counts:?}"
    );
    let before = memories(layout, &machine);
    let contents_before = contents(layout, &machine);
    assert_eq!(contents_before.len(), 10_000);

    let mut vault = layout.open(&machine);
    assert_good_ones_are_found(layout, &mut vault);
    let overview = vault.overview().expect("an overview");
    let bad = overview.bad_files.len();
    let usable = overview.memories + overview.ignored;
    assert!(
        bad > 1_000 && usable > 1_000,
        "{bad} bad, {usable} usable: a test of both"
    );
    vault.verify(false).expect("verified");
    assert!(
        memories(layout, &machine) == before,
        "looking moves nothing"
    );

    let report = vault.rebuild_index().expect("rebuilt");
    let moved = layout.quarantine.map_or(0, |_| bad);
    assert_eq!(report.quarantined.len(), moved);
    let files = memories(layout, &machine);
    let quarantined = files.keys().filter(|path| layout.is_quarantined(path));
    assert_eq!(quarantined.count(), moved);
    assert!(
        contents(layout, &machine) == contents_before,
        "a file is lost"
    );
    if layout.journal.is_some() {
        let quarantined = JournalOptions {
            operation: Some("quarantine".into()),
            limit: Some(u32::MAX),
            ..JournalOptions::default()
        };
        let journal = vault.journal(&quarantined).expect("a journal");
        assert_eq!(journal.len(), moved);
    }
    assert_good_ones_are_found(layout, &mut vault);
    assert_good_ones_are_found(layout, &mut layout.open(&machine));
}
