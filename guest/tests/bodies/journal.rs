//! The journal: every good line is found, whatever stands beside it.

use inkvault_guest::environment::Machine;
use inkvault_guest::format::{Format, Inkvault};
use inkvault_guest::vault::{JournalOptions, Vault};

/// Longest line that is read.
const LONGEST_LINE: usize = 1 << 20;

/// Journals, one of another format's lines.
#[allow(dead_code, reason = "a fuzz target finds its own")]
pub(crate) fn good() -> Vec<Vec<u8>> {
    let ours = concat!(
        r#"{"ts":1792404000000,"op":"write","id":"m-20260101-aaaaaa","path":"memory/a.md"}"#,
        "\n",
        r#"{"ts":1792404000001,"op":"rebuild","detail":"1 memories, 0 \u00e9 记"}"#,
        "\n",
    );
    let others = concat!(
        r#"{"at":"2026-10-17T07:59:20.630Z","op":"init","id":"*","reason":"x"}"#,
        "\r\n"
    );
    [ours, others].map(|text| text.as_bytes().to_vec()).into()
}

/// What is read of any bytes is what reading every line on its own finds, and
/// lines that were sown between them are all there; a limit takes the last.
pub(crate) fn journal(bytes: &[u8]) {
    let sown = |number: usize| format!(r#"{{"ts":{number},"op":"write","id":"sown"}}"#);
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let file: Vec<u8> = lines
        .clone()
        .flat_map(|(number, line)| [line, b"\n", sown(number).as_bytes(), b"\n"].concat())
        .collect();
    let expected = one_by_one(&file);
    let all = read(&file, u32::MAX);
    assert_eq!(all, expected);
    let mut rest = all.iter();
    for number in 0..lines.count() {
        assert!(
            rest.any(|raw| *raw == sown(number)),
            "line {number} is lost"
        );
    }
    for limit in [0, 1, all.len() / 2] {
        assert_eq!(read(&file, limit as u32), all[all.len() - limit..]);
    }
}

fn one_by_one(file: &[u8]) -> Vec<String> {
    let lines = file.split(|byte| *byte == b'\n');
    let texts = lines
        .filter(|line| line.len() <= LONGEST_LINE)
        .filter_map(|line| std::str::from_utf8(line).ok());
    texts
        .map(|text| text.strip_suffix('\r').unwrap_or(text))
        .filter(|text| Inkvault.journal_record(text).is_some())
        .map(str::to_owned)
        .collect()
}

fn read(file: &[u8], limit: u32) -> Vec<String> {
    let machine = Machine::new();
    machine.put(".inkvault/config.json", r#"{"format":"inkvault"}"#);
    machine.put(".inkvault/journal.jsonl", file);
    let options = JournalOptions {
        limit: Some(limit),
        ..JournalOptions::default()
    };
    let vault = Vault::new(Box::new(machine.process()));
    let entries = vault.journal(&options).expect("a journal");
    entries.into_iter().map(|entry| entry.raw).collect()
}
