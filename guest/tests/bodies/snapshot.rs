//! The index on disk: none, or one that holds together.

use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{Format, Inkvault, Parsed};
use inkvault_guest::index::freshness::Skipped;
use inkvault_guest::index::snapshot::{self, Extent};
use inkvault_guest::index::{Bearings, FileMark, Index, Standing};
use inkvault_guest::memory::{Area, Memory};
use inkvault_guest::timestamp::Timestamp;

/// Bytes before the header: magic, checksum, length of the header.
const PREAMBLE: usize = 24;

/// Snapshots: an empty one, and one with documents that are live, dead and
/// hidden by another of their id.
#[allow(dead_code, reason = "a fuzz target finds its own")]
pub(crate) fn good() -> Vec<Vec<u8>> {
    let mut index = empty();
    for (path, id, text) in [
        ("memory/a.md", "m-20260101-aaaaaa", "alpha beta 记忆"),
        ("memory/b.md", "m-20260101-bbbbbb", "alpha alpha gamma"),
        ("memory/c.md", "m-20260101-aaaaaa", "beta hidden"),
        ("memory/b.md", "m-20260101-bbbbbb", "alpha delta anew"),
    ] {
        insert(&mut index, path, id, text);
    }
    let bad = Skipped {
        mark: FileMark::default(),
        fault: Some("it is not UTF-8 (byte 7)".into()),
    };
    let extent = Extent {
        skipped: [("memory/bad.md".to_owned(), bad)].into(),
        feed_position: 7,
        feed_offset: 700,
    };
    let encode = |index: &Index, extent| snapshot::encode(index, Inkvault.name(), extent);
    vec![encode(&empty(), Extent::default()), encode(&index, extent)]
}

/// Any bytes are no snapshot, or one of an index that agrees with itself,
/// is written again as it was read, and goes on working: as they are, and
/// with a checksum that is right, which lets the damage through to what lies
/// behind it.
pub(crate) fn snapshot(bytes: &[u8]) {
    check(bytes.to_vec());
    check(sealed(bytes));
}

/// The bytes with magic and checksum made right.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= PREAMBLE {
        let magic = snapshot::encode(&empty(), Inkvault.name(), Extent::default());
        bytes[..8].copy_from_slice(&magic[..8]);
        let checksum = snapshot::checksum(&bytes[16..]);
        bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
    }
    bytes
}

fn check(bytes: Vec<u8>) {
    let Some((mut index, extent)) = decode(bytes) else {
        return;
    };
    assert!(index.is_consistent());
    let encoded = snapshot::encode(&index, Inkvault.name(), extent.clone());
    let (again, same_extent) = decode(encoded.clone()).expect("what was encoded");
    assert!(again.is_consistent());
    assert_eq!(same_extent, extent);
    assert_eq!(snapshot::encode(&again, Inkvault.name(), extent), encoded);
    for ranked in index.search("alpha 记忆 gamma", 5, |_| true) {
        let document = index.document(ranked.document).expect("a document");
        assert_eq!(document.standing, Standing::Live);
        assert!(ranked.score.is_finite());
    }
    goes_on_working(&mut index);
}

fn goes_on_working(index: &mut Index) {
    let paths: Vec<_> = index.files().map(|(_, document)| document.path()).collect();
    insert(index, "memory/new.md", "m-20260101-zzzzzz", "alpha unheard");
    assert!(index.is_consistent());
    assert!(index.find("m-20260101-zzzzzz").is_some());
    index.similar("alpha beta", 0.5, 3);
    for path in paths {
        assert!(index.remove(path.as_str()));
    }
    assert!(index.is_consistent());
}

fn empty() -> Index {
    Index::new(Inkvault.tokenizer(), Inkvault.weighing())
}

fn decode(bytes: Vec<u8>) -> Option<(Index, Extent)> {
    snapshot::decode(
        bytes,
        Inkvault.name(),
        Inkvault.tokenizer(),
        Inkvault.weighing(),
    )
}

fn insert(index: &mut Index, path: &str, id: &str, text: &str) {
    let memory = memory(path, id, text);
    index.insert(
        &memory,
        &Inkvault.fields(&memory),
        Bearings {
            area: Area::Active,
            prior: 1.0,
            mark: FileMark::default(),
        },
    );
}

fn memory(path: &str, id: &str, text: &str) -> Memory {
    let path = VaultPath::parse(path).expect("a path");
    let file = format!("---\nid: {id}\ntags: [t]\n---\n\n{text}");
    match Inkvault.parse(&path, file.as_bytes(), Timestamp::from_millis(0)) {
        Parsed::Memory(memory) => *memory,
        other => panic!("{other:?}"),
    }
}
