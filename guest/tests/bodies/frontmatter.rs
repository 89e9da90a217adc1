//! A memory's file: what is edited is what changes.

use inkvault_guest::document::{Document, Edit, Value};
use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{Format, Inkvault, Parsed};
use inkvault_guest::memory::Memory;
use inkvault_guest::timestamp::Timestamp;

/// Keys that are edited: known ones and one that no format knows.
const KEYS: [&str; 4] = ["title", "tags", "id", "x-new"];

/// Files of memories.
#[allow(dead_code, reason = "a fuzz target finds its own")]
pub(crate) fn good() -> Vec<Vec<u8>> {
    let plain = "---\nid: m-20260101-aaaaaa\ntitle: Note: x # mine\nkind: fact\nstatus: active\n\
        created: 2026-01-01T00:00:00.000Z\ntags: [a, '中文']\ndelivery: recall\n---\n\nthe text\n";
    let blocks = "\u{FEFF}---\r\nid: m-20260101-bbbbbb\r\n# a comment\r\ntitle: >-\r\n  two\r\n  lines\r\n\
        tags:\r\n  - a\r\n  - \"b\\u0041\"\r\ntitle: again\r\nx: {a: [1, 2]}\r\n---\r\n\r\n# 标题\r\n";
    [plain, blocks].map(|text| text.as_bytes().to_vec()).into()
}

/// A file is a memory, somebody's note or bad. Setting a key gives that key
/// the value, and neither another key nor a byte of the body changes; setting
/// it twice is setting it once.
pub(crate) fn frontmatter(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).ok();
    match parse(bytes) {
        Parsed::Memory(memory) => changing_a_title_changes_the_title(bytes, *memory),
        Parsed::Ignored => {
            assert!(text.is_some_and(|text| !Document::parse(text).has_frontmatter()))
        }
        Parsed::Bad(why) => assert!(!why.is_empty()),
    }
    if let Some(text) = text {
        let key = KEYS[bytes.len() % KEYS.len()];
        let value = text.chars().rev().take(40).collect();
        setting_a_key_sets_that_key(text, key, Value::Text(value));
    }
}

fn parse(bytes: &[u8]) -> Parsed {
    let path = VaultPath::parse("memory/note.md").expect("a path");
    Inkvault.parse(&path, bytes, Timestamp::from_millis(0))
}

fn setting_a_key_sets_that_key(text: &str, key: &str, value: Value) {
    let before = Document::parse(text);
    let edits = [Edit::Set(key, value.clone())];
    let edited = before.edit(&edits, &KEYS);
    let after = Document::parse(&edited);
    let set = after.get(key).expect("the key that was set");
    assert!(
        set.value.same_as(&value),
        "{:?} is not {value:?}",
        set.value
    );
    assert_eq!(after.body(), before.body());
    assert_eq!(others(&after, key), others(&before, key));
    assert_eq!(after.edit(&edits, &KEYS), edited);
}

/// All that is read but one key.
fn others<'d>(document: &'d Document<'_>, key: &str) -> Vec<(&'d str, &'d Value)> {
    let fields = document.fields().iter().filter(|field| field.key != key);
    fields.map(|field| (&*field.key, &field.value)).collect()
}

fn changing_a_title_changes_the_title(bytes: &[u8], before: Memory) {
    let mut changed = before.metadata.clone();
    changed.title = "Changed: a title, 标题".into();
    let edited = Inkvault
        .edit(bytes, &before, &changed, None, &[])
        .expect("an edit of what was read");
    let Parsed::Memory(after) = parse(&edited) else {
        panic!("it was a memory before its title changed");
    };
    assert_eq!(after.metadata, changed);
    assert_eq!(after.body, before.body);
}
