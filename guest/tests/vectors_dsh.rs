//! The dsh-memory format's cases with expected values.

mod common;

use std::collections::BTreeMap;

use common::dsh::{self, field, parsed, read};
use common::text_at;
use inkvault_guest::Error;
use inkvault_guest::environment::{Entry, FileKind, Machine};
use inkvault_guest::format::{
    Claim, DshMemory, Event, Format, Listing, Operation, Parsed, Setting, checksum,
};
use inkvault_guest::index::{Bearings, FileMark, Index};
use inkvault_guest::memory::{Area, Field, Memory, Metadata, Status};
use inkvault_guest::text::tokenizer::Tokenizer;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{JournalOptions, Vault};
use serde_json::{Value, json};

const ID: &str = "mem_20261017t075957_b1c8069b";

#[test]
fn vectors_of_the_dsh_memory_format() {
    let cases = common::cases("dsh-memory");
    assert!(cases.len() > 40, "only {} cases were found", cases.len());
    for case in &cases {
        check(case);
    }
}

fn check(case: &Value) {
    let (id, input, expected) = (text_of(&case["id"]), &case["input"], &case["expected"]);
    match text_of(&case["area"]) {
        "tokenize" => {
            let tokens = Tokenizer::UnigramsAndBigrams.tokens(text_of(input));
            assert_eq!(json!(tokens), *expected, "{id}");
        }
        "similarity" => similarity(id, input, expected),
        "checksum" => assert_eq!(
            checksum(text_of(input).as_bytes()),
            text_of(expected),
            "{id}"
        ),
        "created_at" => {
            let memory = read(&file(&[("created_at", text_of(input))], ""));
            let created = memory.metadata.created.to_string();
            assert_eq!(
                (created.as_str(), memory.assumed.created),
                (text_of(expected), false)
            );
        }
        "tags" => {
            let tags = input["tags"]
                .as_str()
                .map_or(input["tags"].to_string(), str::to_owned);
            let memory = read(&file(
                &[("type", text_of(&input["type"])), ("tags", &tags)],
                "",
            ));
            assert_eq!(json!(memory.metadata.tags), *expected, "{id}");
        }
        "importance" => {
            let memory = read(&file(&[("importance", &input.to_string())], ""));
            assert_eq!(json!(memory.metadata.importance), *expected, "{id}");
            assert_eq!(memory.repairs.len(), 1, "{id}: {:?}", memory.repairs);
        }
        key @ ("type" | "status") => {
            let memory = read(&file(&[(key, text_of(input))], ""));
            let metadata = &memory.metadata;
            let found = if key == "type" {
                &metadata.kind
            } else {
                metadata.status.name()
            };
            assert_eq!(found, text_of(&expected[key]), "{id}");
            assert_eq!(
                json!(memory.repairs.len() == 1),
                expected["repaired"],
                "{id}"
            );
        }
        "directory" => {
            let metadata = Metadata {
                id: ID.into(),
                status: Status::named(text_of(&input["status"])).expect("a status"),
                ..Metadata::blank(text_of(&input["type"]), Timestamp::default())
            };
            let directory = DshMemory.place(&metadata, None).parent();
            assert_eq!(format!("{directory}/"), text_of(expected), "{id}");
        }
        "parse" => parse(id, text_of(input), expected),
        "render" => render(id, expected),
        "index-validity" => index_validity(id, input, expected),
        "journal-file" => {
            let (path, _) = journal_line(text_of(&input["at"]), None);
            assert_eq!(path, text_of(expected), "{id}");
        }
        "journal-summary" => journal_summary(id, input, expected),
        "config" => config(id, input, expected),
        "duplicates" => duplicates(id, expected),
        "init" => init(id, expected),
        "terms" => terms(id, input, expected),
        "journal" => journal(id, expected),
        area => panic!("{id}: no check for the area {area}"),
    }
}

fn text_of(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a text: {value}"))
}

/// A file that is a memory without faults but for some values, which stand in
/// it as they are: what is JSON is YAML, too.
fn file(values: &[(&str, &str)], body: &str) -> String {
    let mut entries = BTreeMap::from([
        ("id", ID),
        ("type", "task"),
        ("status", "active"),
        ("title", "T"),
        ("created_at", "2026-10-17"),
        ("updated_at", "2026-10-17"),
    ]);
    entries.extend(values.iter().copied());
    let mut lines: Vec<_> = entries
        .iter()
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    lines.insert(0, "---".into());
    format!("{}\n---\n\n# T\n\n{body}", lines.join("\n"))
}

/// Of bare texts; what a memory's text is, is for the vault to say.
fn similarity(id: &str, input: &Value, expected: &Value) {
    let mut index = Index::new(DshMemory.tokenizer(), DshMemory.weighing());
    let bearings = Bearings {
        area: Area::Active,
        prior: 1.0,
        mark: FileMark::default(),
    };
    let text = text_of(&input[0]);
    index.insert(
        &read(&file(&[], text)),
        &[(Field::Body, text.into())],
        bearings,
    );
    let similar = index.similar(text_of(&input[1]), 0.0, 1);
    assert_eq!(json!(similar[0].overlap), expected["overlap"], "{id}");
}

fn parse(id: &str, text: &str, expected: &Value) {
    let found = parsed(text);
    for (key, value) in expected.as_object().expect("an object") {
        match (key.as_str(), &found) {
            ("memory" | "ignored" | "quarantined", Parsed::Ignored) => {
                assert!(expected["ignored"] == true, "{id}");
            }
            ("quarantined", Parsed::Bad(_)) => assert_eq!(*value, json!(1), "{id}"),
            ("reason", Parsed::Bad(why)) => assert!(why.contains("no `id`"), "{id}: {why}"),
            ("others_load", Parsed::Bad(_)) => others_load(id, text),
            ("title", Parsed::Memory(memory)) => assert_eq!(memory.metadata.title, text_of(value)),
            ("summary", Parsed::Memory(memory)) => {
                assert_eq!(field(memory, Field::Summary), text_of(value), "{id}");
            }
            ("created_at", Parsed::Memory(memory)) => {
                assert_eq!(memory.metadata.created.to_string(), text_of(value), "{id}");
            }
            (key, found) => panic!("{id}: no check for {key} of {found:?}"),
        }
    }
}

fn new_vault(machine: &Machine) -> Vault {
    let mut vault = Vault::new(Box::new(machine.process()));
    vault.init("dsh-memory", None).expect("a vault");
    vault
}

fn others_load(id: &str, bad: &str) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("Tasks/bad.md", bad);
    machine.put("Tasks/good.md", file(&[], "text"));
    let overview = vault.overview().expect("an overview");
    assert_eq!(
        (overview.memories, overview.bad_files.len()),
        (1, 1),
        "{id}"
    );
    assert_eq!(text_at(&machine, "Tasks/bad.md"), bad, "{id}");
}

fn render(id: &str, expected: &Value) {
    let metadata = Metadata {
        id: ID.into(),
        title: "T".into(),
        ..Metadata::blank("task", Timestamp::default())
    };
    let written = String::from_utf8(DshMemory.create(&metadata, "text", 0)).expect("text");
    let has = |key: &Value| written.contains(&format!("\n{}:", text_of(key)));
    let keys = |name: &str| expected[name].as_array().expect("keys").clone();
    assert!(!keys("absent_keys").iter().any(has), "{id}\n{written}");
    assert!(keys("present").iter().all(has), "{id}\n{written}");
    assert!(
        written.contains(text_of(&expected["body_contains"])),
        "{id}\n{written}"
    );
}

fn index_validity(id: &str, input: &Value, expected: &Value) {
    let mut index = input["base"].clone();
    let mut memories = 0;
    match text_of(&input["change"]) {
        "file absent" => return absent_index_is_rebuilt(id),
        "valid" | "not JSON" => {}
        "version 2" => index["version"] = 2.into(),
        "vaultPath missing" => drop(
            index
                .as_object_mut()
                .expect("an object")
                .remove("vaultPath"),
        ),
        "records not an array" => index["records"] = json!({}),
        "vaultPath other vault" => index["vaultPath"] = "/other".into(),
        "record.importance is a string" => {
            let mut written = index_of(&file(&[("importance", "85")], "text"));
            written["vaultPath"] = "/v".into();
            assert_eq!(fault(&written.to_string(), 1), None, "{id}");
            written["records"][0]["importance"] = "85".into();
            (index, memories) = (written, 1);
        }
        change => panic!("{id}: no check for {change}"),
    }
    let is_json = input["change"] != "not JSON";
    let text = if is_json {
        index.to_string()
    } else {
        index.to_string().replace('}', "")
    };
    let found = fault(&text, memories);
    assert_eq!(
        json!(found.is_some()),
        expected["rebuild"],
        "{id}: {found:?}"
    );
}

fn fault(index: &str, memories: usize) -> Option<String> {
    let setting = Setting {
        vault_path: Some("/v".into()),
        ..Setting::default()
    };
    DshMemory.export_fault(index.as_bytes(), memories, 0, &setting)
}

fn absent_index_is_rebuilt(id: &str) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let report = vault.rebuild_index().expect("rebuilt");
    let path = DshMemory.checked_export().expect("an index file");
    assert!(
        report.exported.contains(&path.as_str().to_owned()),
        "{id}: {report:?}"
    );
    assert_eq!(
        fault(
            &text_at(&machine, path.as_str()).replace("\"\"", "\"/v\""),
            0
        ),
        None
    );
}

/// The index file of a vault with one memory.
fn index_of(text: &str) -> Value {
    let files = dsh::exported(&Setting::default(), &[text.to_owned()]);
    serde_json::from_str(&files[0].1).expect("JSON")
}

fn journal_line(at: &str, after: Option<&Memory>) -> (String, Value) {
    let event = Event {
        time: Timestamp::parse(at).expect("a date"),
        operation: Operation::Create,
        id: ID,
        path: "",
        detail: "",
        before: None,
        after,
    };
    let (path, line) = DshMemory.journal_line(&event).expect("a line");
    (
        path.as_str().to_owned(),
        serde_json::from_str(&line).expect("JSON"),
    )
}

fn journal_summary(id: &str, input: &Value, expected: &Value) {
    let text = |key: &str| text_of(&input[key]);
    let values = ["type", "status", "title"].map(|key| (key, text(key)));
    let memory = read(&file(
        &values,
        &format!("## 核心内容\n\n{}\n", text("summary")),
    ));
    let (_, line) = journal_line("2026-10-17", Some(&memory));
    assert_eq!(line["after"], *expected, "{id}");
    assert!(
        line.get("before").is_none() && line.get("reason").is_none(),
        "{id}"
    );
}

fn config(id: &str, input: &Value, expected: &Value) {
    if input.get("product").is_some() {
        let folder = ".dsh-memory".to_owned();
        let listing = Listing {
            entries: vec![Entry {
                name: folder.clone(),
                kind: FileKind::Directory,
            }],
            configs: vec![(folder, input.to_string().into_bytes())],
            telltales: Vec::new(),
            pages: Vec::new(),
        };
        assert!(
            matches!(DshMemory.detect(&listing), Claim::Foreign(_)),
            "{id}"
        );
        let machine = Machine::new();
        machine.put(".dsh-memory/config.json", input.to_string());
        let init = Vault::new(Box::new(machine.process())).init("dsh-memory", None);
        let adopted = !matches!(init, Err(Error::Refused(_)));
        return assert_eq!(json!(adopted), expected["adopt"], "{id}");
    }
    assert_eq!(input, "user sets recallMaxItems=8 only", "{id}");
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let path = ".dsh-memory/config.json";
    let mut config: Value = serde_json::from_str(&text_at(&machine, path)).expect("JSON");
    assert_eq!(
        config["settings"],
        json!({}),
        "{id}: nothing differs from the defaults yet"
    );
    config["settings"] = expected["settings"].clone();
    machine.put(path, config.to_string());
    vault.init("dsh-memory", Some("zh")).expect("complete");
    let kept: Value = serde_json::from_str(&text_at(&machine, path)).expect("JSON");
    assert_eq!(kept["settings"], expected["settings"], "{id}");
    let configured = vault.configure("{}").expect("settings");
    let settings: Value = serde_json::from_str(&configured.settings).expect("JSON");
    assert_eq!(
        settings["recallMaxItems"], expected["settings"]["recallMaxItems"],
        "{id}"
    );
}

fn duplicates(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("Tasks/b.md", file(&[], "second"));
    machine.put("Tasks/a.md", file(&[], "first"));
    let before = machine.files().len();
    let report = vault.rebuild_index().expect("rebuilt");
    assert_eq!(json!(report.memories), expected["index_records"], "{id}");
    let overview = vault.overview().expect("an overview");
    let paths: Vec<_> = overview
        .duplicates
        .iter()
        .map(|duplicate| &duplicate.paths)
        .collect();
    assert_eq!(json!(paths), json!([["Tasks/a.md", "Tasks/b.md"]]), "{id}");
    assert_eq!(
        vault.get(ID).expect("a memory").path.as_str(),
        "Tasks/a.md",
        "{id}"
    );
    assert!(machine.files().len() >= before, "{id}");
    for name in ["Tasks/a.md", "Tasks/b.md"] {
        assert!(machine.bytes(name).is_some(), "{id}: {name}");
    }
}

fn init(id: &str, expected: &Value) {
    let machine = Machine::new();
    machine.put("README.md", "mine");
    new_vault(&machine);
    assert_eq!(text_at(&machine, "README.md"), "mine", "{id}");
    assert_eq!(expected["README.md"], "unchanged", "{id}");
    assert!(machine.bytes("Memory Home.md").is_some(), "{id}");
}

/// A torn line hides no other.
fn journal(id: &str, expected: &Value) {
    let machine = Machine::new();
    let vault = new_vault(&machine);
    let line = |op: &str| {
        format!("{{\"at\":\"2026-10-17T07:59:20.630Z\",\"op\":\"{op}\",\"id\":\"{ID}\"}}")
    };
    let whole = line("update");
    let torn = &whole[..whole.len() / 2];
    let text = format!("{whole}\n{torn}\n{}\n", line("archive"));
    machine.put(".dsh-memory/journal/2026-10.jsonl", text);
    let about = JournalOptions {
        id: Some(ID.into()),
        ..JournalOptions::default()
    };
    let entries = vault.journal(&about).expect("the journal");
    assert_eq!(json!(entries.len()), expected["records"], "{id}");
}

fn terms(id: &str, input: &Value, expected: &Value) {
    let text = |key: &str| text_of(&input[key]);
    // The tags of the case are those of the example, its alias is the rest.
    let alias = text("aliases+tags").trim_start_matches("architecture decision");
    let (kind, tags) = match alias {
        "" => ("task", "[]"),
        _ => ("decision", "[architecture]"),
    };
    let title = Some(text("title"))
        .filter(|title| !title.is_empty())
        .unwrap_or("''");
    let values = [
        ("type", kind),
        ("tags", tags),
        ("title", title),
        ("aliases", alias),
    ];
    let body = format!(
        "## 核心内容\n\n{}\n\n## 1\n\n{}",
        text("summary"),
        text("body")
    );
    let record = &index_of(&file(&values, &body))["records"][0];
    for (term, weight) in expected.as_object().expect("an object") {
        assert_eq!(
            record["terms"][term].as_f64(),
            weight.as_f64(),
            "{id}: {term}"
        );
    }
}
