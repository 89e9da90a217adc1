//! The properties of documents: what was written is read back, by us and by a
//! real YAML parser, and edits touch nothing else.

use proptest::prelude::*;
use saphyr_parser::{Event, Parser};

use super::*;

/// Cases of each property.
const CASES: u32 = 1000;

/// The canonical order of the contract, as far as the tests need it.
const ORDER: [&str; 5] = ["id", "title", "status", "tags", "origin"];

fn edited(before: &str, edits: &[Edit<'_>]) -> String {
    Document::parse(before).edit(edits, &ORDER)
}

/// Strings with all that is hard about YAML in them.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        2 => any::<char>().prop_map(String::from),
        4 => prop::sample::select(vec![
            ":", ": ", " #", "#", "- ", "-", "---", "...", "\n", "\r", "\t", " ", "'", "\"", "\\",
            "[", "]", "{", "}", ",", "&", "*", "!", "|", ">", "%", "@", "`", "null", "~", "true",
            "window", "0", "1e5", ".", "0x", "_", "?", "\u{85}", "\u{2028}", "\u{FEFF}", "\u{0}",
            "\u{FFFE}", "\u{A0}", "\u{3000}", "记忆", "😀", "a", "<<", "=",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn any_value() -> impl Strategy<Value = Value> {
    let items = || prop::collection::vec(tricky(), 0..4);
    prop_oneof![
        tricky().prop_map(Value::Text),
        items().prop_map(Value::List),
        items().prop_map(Value::BlockList),
    ]
}

/// Files as people leave them.
fn any_file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        2 => (prop::sample::select(vec!["id", "title", "tags", "x", "'q'", "记"]), tricky())
            .prop_map(|(key, value)| format!("{key}: {value}")),
        1 => tricky(),
        3 => prop::sample::select(vec![
            "tags:", "  - a", "- a", "    b", "# c", "  # c", "", "x: |", "x: >-", "title: [a,",
            "]", "title: [a, b] # c", "id: 'a' # c", "tags: # c", "  k: v", "title: \"a", "---",
            "title: &a b", "tags: *a", "\t- b", "x: {", "}",
        ]).prop_map(String::from),
    ];
    let ending = prop::sample::select(vec!["\n", "\n", "\r\n", "\r"]);
    (
        any::<bool>(),
        prop::collection::vec(line, 0..9),
        ending,
        tricky(),
    )
        .prop_map(|(bom, lines, ending, body)| {
            let bom = if bom { "\u{FEFF}" } else { "" };
            let inside: String = lines.iter().map(|line| format!("{line}{ending}")).collect();
            format!("{bom}---{ending}{inside}---{ending}{ending}{body}")
        })
}

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec!["id", "title", "tags", "x", "q", "记", "new", "origin"])
            .prop_map(String::from),
        1 => tricky(),
    ]
}

/// The value of the only entry, as a real YAML parser reads it.
fn read_by_yaml(entry: &str) -> Option<Value> {
    let events: Result<Vec<_>, _> = Parser::new_from_str(entry).collect();
    let events: Vec<Event<'_>> = events.ok()?.into_iter().map(|(event, _)| event).collect();
    let strings = |events: &[Event<'_>]| -> Option<Vec<String>> {
        let strings = events.iter().map(|event| match event {
            Event::Scalar(text, ..) => Some(text.to_string()),
            _ => None,
        });
        strings.collect()
    };
    match events.as_slice() {
        [_, _, _, _, Event::Scalar(text, ..), ..] => Some(Value::Text(text.to_string())),
        [
            _,
            _,
            _,
            _,
            Event::SequenceStart(..),
            items @ ..,
            Event::SequenceEnd,
            _,
            _,
            _,
        ] => strings(items).map(Value::List),
        _ => None,
    }
}

/// A reading of everything but some keys.
fn others(text: &str, key: &str) -> Vec<(String, Value, Style)> {
    let document = Document::parse(text);
    let fields = document.fields().iter().filter(|field| field.key != key);
    fields
        .map(|field| (field.key.to_string(), field.value.clone(), field.style))
        .collect()
}

/// The file without the lines of one key.
fn without(text: &str, key: &str) -> String {
    Document::parse(text).edit(&[Edit::Remove(key)], &[])
}

/// The file up to its body.
fn head(text: &str) -> &str {
    text[..text.len() - Document::parse(text).body().len()].trim_end()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn what_was_composed_is_read_back(
        entries in prop::collection::btree_map(any_key(), any_value(), 0..5),
        body in tricky(),
    ) {
        let given: Vec<(&str, Value)> =
            entries.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        let written = compose(&given, &body);
        let read = Document::parse(&written);
        prop_assert_eq!(read.body(), body.trim_end_matches(['\n', '\r']));
        prop_assert_eq!(read.issues().len(), 0);
        prop_assert_eq!(read.fields().len(), given.len());
        for (field, (key, value)) in read.fields().iter().zip(&given) {
            prop_assert_eq!(field.key.as_ref(), *key);
            prop_assert!(field.value.same_as(value), "{:?} {:?}", written, value);
        }
    }

    #[test]
    fn every_yaml_reader_finds_the_same(key in any_key(), value in any_value()) {
        let written = compose(&[(&key, value.clone())], "");
        let entry = written.strip_prefix("---\n").and_then(|rest| rest.strip_suffix("---\n\n"));
        let found = read_by_yaml(entry.unwrap_or_default());
        prop_assert!(found.is_some_and(|found| found.same_as(&value)), "{:?}", written);
    }

    #[test]
    fn setting_touches_nothing_else(file in any_file(), key in any_key(), value in any_value()) {
        let edits = [Edit::Set(&key, value.clone())];
        let after = edited(&file, &edits);
        let read = Document::parse(&after);
        let set = read.get(&key).map(|field| field.value.clone());
        prop_assert!(set.is_some_and(|set| set.same_as(&value)), "{:?}", after);
        prop_assert_eq!(edited(&after, &edits), after.clone());
        prop_assert_eq!(others(&file, &key), others(&after, &key));
        prop_assert_eq!(read.body(), Document::parse(&file).body());
        prop_assert_eq!(without(&file, &key), without(&after, &key));
    }

    #[test]
    fn removing_touches_nothing_else(file in any_file(), key in any_key()) {
        let after = without(&file, &key);
        prop_assert!(Document::parse(&after).get(&key).is_none());
        prop_assert_eq!(others(&file, &key), others(&after, &key));
        prop_assert_eq!(Document::parse(&file).body(), Document::parse(&after).body());
    }

    #[test]
    fn bodies_are_what_was_set(file in any_file(), body in tricky(), cut in 0_usize..40) {
        let file: String = file.chars().skip(cut).collect();
        let after = edited(&file, &[Edit::Body(&body)]);
        let read = Document::parse(&after);
        let lines = |text: &str| LineEnding::Lf.apply(text);
        prop_assert_eq!(lines(read.body()), lines(&body));
        let before = Document::parse(&file);
        if before.has_frontmatter() {
            prop_assert_eq!(head(&file), head(&after));
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), key in any_key()) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for file in [text.clone(), format!("---\n{text}\n---\n")] {
            let document = Document::parse(&file);
            prop_assert!(file.ends_with(document.body()));
            prop_assert_eq!(document.edit(&[], &[]), file.clone());
            document.edit(&[Edit::Set(&key, Value::List(vec![text.clone()]))], &ORDER);
        }
    }
}
