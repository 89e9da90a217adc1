//! What must hold for any note: what is written reads back, a change touches
//! nothing else, and what is put away can be taken back.

use inkvault_guest::environment::VaultPath;
use inkvault_guest::format::{Format, Parsed, Simple};
use inkvault_guest::memory::{Memory, Metadata, Status};
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{StagingDraft, Vault};
use proptest::prelude::*;

use crate::{common::text_at, put, root};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

fn word(most: usize) -> impl Strategy<Value = String> {
    let letter = prop::sample::select("abzABZ019_类题é字\u{20000}".chars().collect::<Vec<_>>());
    prop::collection::vec(letter, 1..=most).prop_map(|letters| letters.into_iter().collect())
}

fn topic() -> impl Strategy<Value = String> {
    prop::collection::vec(word(8), 1..5).prop_map(|words| words.join("-"))
}

/// Lines of which some look like what orders a note.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        any::<String>().prop_map(|text| text.replace(['\n', '\r'], " ")),
        prop::sample::select(vec![
            "",
            " ",
            "\t",
            "    code",
            "## 2026-08-18 踩坑-端口",
            "## 2026-08-18 a",
            "---",
            "正文",
            "\u{feff}",
            "- 2026-08-18 x",
            "# heading",
        ])
        .prop_map(str::to_owned),
    ];
    let ending = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec(line, 0..8), ending, any::<bool>()).prop_map(
        |(lines, ending, closed)| {
            let end = if closed { ending } else { "" };
            lines.join(ending) + end
        },
    )
}

/// A directory as a person could have made it, now and then one of ours.
fn directory() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec!["common", "projects", "references", "archive", "app"])
            .prop_map(str::to_owned),
        word(3),
    ];
    prop::collection::vec(part, 0..5).prop_map(|parts| parts.join("/"))
}

fn path_in(directory: &str, stem: &str) -> VaultPath {
    let path = format!("{directory}/{stem}.md");
    VaultPath::parse(path.trim_start_matches('/')).expect("a path")
}

fn moment() -> Timestamp {
    Timestamp::parse("2026-12-01T12:00:00Z").expect("a date")
}

fn read(path: &VaultPath, bytes: &[u8]) -> Memory {
    match Simple.parse(path, bytes, moment()) {
        Parsed::Memory(memory) => *memory,
        other => panic!("{path}: {other:?}"),
    }
}

/// Days since 1970 where the clock shows this, so many minutes ahead of UTC.
fn day(millis: i64, offset_minutes: i16) -> i64 {
    (millis + i64::from(offset_minutes) * 60_000).div_euclid(86_400_000)
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn what_is_written_reads_back(
        kind in word(24), title in topic(), scope in prop::option::of(word(10)), body in text(),
        millis in 0..4_000_000_000_000_i64, offset in -14 * 60..=14 * 60_i16,
    ) {
        let metadata = Metadata {
            title,
            scope,
            ..Metadata::blank(&kind, Timestamp::from_millis(millis))
        };
        let path = Simple.place(&metadata, None);
        let bytes = Simple.create(&metadata, &body, offset);
        let memory = read(&path, &bytes);
        // White space around it goes; a first line of code stays indented.
        let first = body.split(['\n', '\r']).find(|line| !line.trim().is_empty());
        let is_code = first.is_some_and(|line| line.starts_with("    ") || line.starts_with('\t'));
        prop_assert_eq!(memory.body.trim(), body.trim());
        prop_assert_eq!(memory.body.starts_with(char::is_whitespace), is_code);
        prop_assert_eq!(memory.body.trim_end(), &*memory.body);
        let after = &memory.metadata;
        prop_assert_eq!((&after.kind, &after.title, &after.scope), (&metadata.kind, &metadata.title, &metadata.scope));
        prop_assert_eq!(after.created.millis(), day(millis, offset) * 86_400_000);
        prop_assert_eq!(format!("{}.md", after.id), path.as_str());
        prop_assert_eq!(after.status, Status::Active);
        prop_assert_eq!(Simple.place(after, Some(&path)), path);
    }

    /// With another text a note differs in its text alone; with its own, or
    /// with none, in nothing.
    #[test]
    fn a_change_of_the_text_touches_nothing_else(before in text(), body in text(), directory in directory()) {
        let path = path_in(&directory, "踩坑-端口");
        let memory = read(&path, before.as_bytes());
        let edit = |body: Option<&str>| {
            let bytes = Simple.edit(before.as_bytes(), &memory, &memory.metadata, body, &[]);
            String::from_utf8(bytes.expect("edited")).expect("text")
        };
        prop_assert_eq!(edit(None), &*before);
        prop_assert_eq!(edit(Some(&memory.body)), &*before);
        if body.trim().is_empty() {
            return Ok(());
        }
        let after = edit(Some(&body));
        let at = before.len() - before.trim_start_matches('\u{feff}').len();
        let head = before.find(&memory.body).filter(|_| !memory.body.is_empty());
        let (head, tail) = match head {
            // The text is the last thing but blank lines.
            Some(_) => {
                let end = before.trim_end().len();
                (&before[..end - memory.body.len()], &before[end..])
            }
            None => (&before[..at.min(before.len())], ""),
        };
        prop_assert!(after.starts_with(head), "{:?} {:?}", before, after);
        prop_assert!(after.ends_with(tail), "{:?} {:?}", before, after);
        let crlf = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert!(crlf(&after).contains(&crlf(body.trim())), "{:?} {:?}", body, after);
    }

    /// Put away and taken back, a note lies where it lay, unless that was none
    /// of the places that the format knows.
    #[test]
    fn what_is_put_away_can_be_taken_back(directory in directory(), stem in topic()) {
        let home = path_in(&directory, &stem);
        let memory = read(&home, b"text");
        let with = |memory: &Memory, status| {
            let metadata = Metadata { status, ..memory.metadata.clone() };
            Simple.place(&metadata, Some(&memory.path))
        };
        if memory.metadata.status == Status::Archived {
            prop_assert_eq!(with(&memory, Status::Archived), home);
            return Ok(());
        }
        prop_assert_eq!(&with(&memory, Status::Active), &home);
        let away = with(&memory, Status::Archived);
        let there = read(&away, b"text");
        prop_assert_eq!(there.metadata.status, Status::Archived);
        prop_assert_eq!(&there.metadata.scope, &memory.metadata.scope);
        let back = with(&there, Status::Active);
        let top = directory.split('/').next().unwrap_or_default();
        if ["common", "projects", "references"].contains(&top) {
            prop_assert_eq!(back, home);
        } else {
            let loose = format!("common/{home}");
            prop_assert_eq!(back.as_str(), loose);
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    /// An entry reads back as it was given, or is refused; what stood in the
    /// pool stays, and dropping the entry leaves it.
    #[test]
    fn the_pool_keeps_its_text(before in text(), entry in any::<String>(), scope in prop::option::of(word(6))) {
        let (machine, mut vault) = root();
        put(&machine, &[("staging.md", &before)]);
        let entries = |vault: &mut Vault| vault.staging_browse().expect("the pool");
        let known = entries(&mut vault);
        let draft = StagingDraft { text: entry.clone(), scope: scope.clone(), utc_offset_minutes: 0 };
        let Ok(receipt) = vault.staging_add(&draft) else {
            prop_assert_eq!(text_at(&machine, "staging.md"), before);
            return Ok(());
        };
        let pool = text_at(&machine, "staging.md");
        prop_assert!(pool.starts_with(&*before));
        let now = entries(&mut vault);
        prop_assert_eq!(&now[..known.len()], &known[..]);
        let added = &now[known.len()..];
        prop_assert_eq!(added.len(), 1);
        prop_assert_eq!(&added[0].scope, &scope);
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|c: char| c.is_whitespace() || c.is_control());
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        prop_assert_eq!(words(&added[0].text), words(&entry));
        vault.staging_drop(receipt.entry.number, &receipt.entry.text).expect("dropped");
        prop_assert_eq!(entries(&mut vault), known);
        prop_assert!(text_at(&machine, "staging.md").starts_with(&*before));
    }
}
