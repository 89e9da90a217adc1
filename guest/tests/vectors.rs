//! The inkvault contract's cases with expected values.

mod common;

use std::rc::Rc;

use inkvault_guest::Error;
use inkvault_guest::document::{Document, Value as Written, compose};
use inkvault_guest::environment::{Injection, IoErrorKind, Machine, Plan, VaultPath};
use inkvault_guest::format::{Format, Inkvault, Parsed, entry_id, title_from_body};
use inkvault_guest::index::{Bearings, FileMark, Index, Weighing};
use inkvault_guest::memory::{
    Area, Assumptions, Delivery, Field, Memory, Metadata, Status, fingerprint,
};
use inkvault_guest::text::{budget, prompt, tokenizer::Tokenizer};
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{BrowseOptions, CaptureRequest, Draft, Vault, extract};
use serde_json::{Value, json};

#[test]
fn vectors_of_the_inkvault_format() {
    let cases = common::cases("inkvault");
    assert!(cases.len() > 50, "only {} cases were found", cases.len());
    for case in &cases {
        check(case, &cases);
    }
}

fn check(case: &Value, cases: &[Value]) {
    let (id, input, expected) = (text_of(&case["id"]), &case["input"], &case["expected"]);
    match text_of(&case["area"]) {
        "tokenize" => assert_eq!(
            json!(Tokenizer::Bigrams.distinct(text_of(input))),
            *expected,
            "{id}"
        ),
        "archiveEntry" => archive_entry(id, input, expected),
        "buildIndex" => build_index(id, input, expected),
        "searchIndex" => search_index(id, input, expected, cases),
        "hashText" => assert_eq!(
            fingerprint(text_of(input).as_bytes()),
            text_of(expected),
            "{id}"
        ),
        "makeEntryId" => {
            let now = Timestamp::parse(text_of(&input["now"])).expect("a date");
            assert_eq!(
                entry_id(now, text_of(&input["seed"])),
                text_of(expected),
                "{id}"
            );
        }
        "titleFromBody" => assert_eq!(title_from_body(text_of(input)), text_of(expected), "{id}"),
        "parseDocument" => parse_document(id, text_of(input), expected),
        "roundtrip" => round_trip(id, input),
        "coerceEntry" => coerce_entry(id, input, expected),
        "safeResolve" => {
            assert_eq!(
                json!(VaultPath::parse(text_of(input)).is_ok()),
                expected["ok"],
                "{id}"
            );
        }
        "estimateTokens" => assert_eq!(json!(budget::estimate(text_of(input))), *expected, "{id}"),
        "escapePromptBraces" => assert_eq!(
            prompt::escape_braces(text_of(input)),
            text_of(expected),
            "{id}"
        ),
        "buildDirectiveText" => build_directive_text(id, input, expected),
        "extractCandidates" => extract_candidates(id, input, expected),
        "getEntry" => {
            let found = new_vault(&Machine::new()).get(text_of(input));
            assert!(
                matches!(found, Err(Error::NotFound(_))) && expected.is_null(),
                "{id}: {found:?}"
            );
        }
        "listEntries" => list_entries(id, input, expected),
        "writeEntry" => write_with_unwritable_index(id, expected),
        "rebuildIndex" => rebuild_index(id, expected),
        area => panic!("{id}: no check for the area {area}"),
    }
}

fn text_of(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a text: {value}"))
}

fn memory(id: &str, body: &str) -> Memory {
    let metadata = Metadata {
        id: id.to_owned(),
        ..Metadata::blank("fact", Timestamp::default())
    };
    Memory {
        metadata,
        body: body.to_owned(),
        path: VaultPath::parse(&format!("memory/{id}.md")).expect("a path"),
        revision: String::new(),
        bytes: 0,
        repairs: Vec::new(),
        assumed: Assumptions::default(),
    }
}

fn index_of(documents: &Value) -> Index {
    let mut index = Index::new(
        Tokenizer::Bigrams,
        Weighing::Saturating([1.0; Field::COUNT]),
    );
    for document in documents.as_array().expect("documents") {
        let text = text_of(&document["text"]);
        let fields = [(Field::Body, text.into())];
        index.insert(
            &memory(text_of(&document["id"]), text),
            &fields,
            Bearings {
                area: Area::Active,
                prior: 1.0,
                mark: FileMark::default(),
            },
        );
    }
    index
}

fn build_index(id: &str, documents: &Value, expected: &Value) {
    let index = index_of(documents);
    assert_eq!(json!(index.len()), expected["N"], "{id}");
    assert_eq!(json!(index.mean_length()), expected["avgdl"], "{id}");
    for (document, description) in expected["docs"].as_object().expect("docs") {
        let (_, found) = index.find(document).expect("an indexed document");
        assert_eq!(
            json!(found.length()),
            description["len"],
            "{id}: {document}"
        );
    }
    let mut frequency = 0;
    index
        .each_term::<()>(|term, postings| {
            frequency += if term == "rust" { postings.len() } else { 0 };
            Ok(())
        })
        .expect("no error");
    assert_eq!(json!(frequency), expected["df_rust"], "{id}");
}

fn search_index(id: &str, input: &Value, expected: &Value, cases: &[Value]) {
    let documents = match input["docs"].as_str() {
        Some(reference) => {
            let other = reference.trim_start_matches("as ");
            &cases
                .iter()
                .find(|case| case["id"] == other)
                .expect("the case referred to")["input"]
        }
        None => &input["docs"],
    };
    let index = index_of(documents);
    let found: Vec<_> = index
        .search(text_of(&input["query"]), 8, |_| true)
        .into_iter()
        .map(|ranked| json!({ "id": *index.document(ranked.document).expect("a document").id, "score": ranked.score }))
        .collect();
    assert_eq!(json!(found), *expected, "{id}");
}

fn parse_document(id: &str, text: &str, expected: &Value) {
    let document = Document::parse(text);
    for (key, value) in expected.as_object().expect("an object") {
        match key.as_str() {
            "meta" => {
                let meta = value.as_object().expect("an object");
                assert_eq!(
                    meta.is_empty(),
                    document.fields().is_empty(),
                    "{id}: {:?}",
                    document.fields()
                );
                meta.iter()
                    .for_each(|(key, value)| same_value(id, &document, key, value));
            }
            "body" => assert_eq!(document.body(), text_of(value), "{id}"),
            "issues" => assert!(
                is_count(document.issues().len(), value),
                "{id}: {:?}",
                document.issues()
            ),
            "throws" => assert_eq!(*value, json!(false), "{id}"),
            key => same_value(id, &document, key.trim_start_matches("meta."), value),
        }
    }
}

fn same_value(id: &str, document: &Document<'_>, key: &str, expected: &Value) {
    let found = &document
        .get(key)
        .unwrap_or_else(|| panic!("{id}: no {key}"))
        .value;
    match expected {
        Value::Array(_) => assert_eq!(json!(found.list()), *expected, "{id}: {key}"),
        Value::Number(number) => {
            assert_eq!(
                found.text().and_then(|text| text.parse().ok()),
                number.as_f64(),
                "{id}: {key}"
            );
        }
        _ => assert_eq!(found.text(), expected.as_str(), "{id}: {key}"),
    }
}

/// A count that is a number, the length of a list, or `>=` a number.
fn is_count(count: usize, expected: &Value) -> bool {
    match expected {
        Value::Array(items) => count == items.len(),
        Value::String(least) => count >= least.trim_start_matches(">=").parse().expect("a number"),
        number => json!(count) == *number,
    }
}

fn round_trip(id: &str, input: &Value) {
    let entries: Vec<_> = input.as_object().expect("an object").iter().collect();
    let written: Vec<_> = entries
        .iter()
        .map(|(key, value)| (key.as_str(), Written::Text(text_of(value).to_owned())))
        .collect();
    let text = compose(&written, "body");
    let document = Document::parse(&text);
    for (key, value) in entries {
        assert_eq!(
            document.get(key).and_then(|field| field.value.text()),
            value.as_str(),
            "{id}: {key} in\n{text}"
        );
    }
    let reader = serde_json::Map::from_iter(
        document
            .fields()
            .iter()
            .map(|field| (field.key.to_string(), json!(field.value.text()))),
    );
    assert_eq!(json!(reader), *input, "{id}");
}

/// The frontmatter of a file whose values are those of a case.
fn file_of(meta: &Value, body: &str) -> String {
    let mut text = String::from("---\nid: m-20261019-ab12cd\n");
    for (key, value) in meta.as_object().into_iter().flatten() {
        text.push_str(&format!(
            "{key}: {}\n",
            value.as_str().map_or(value.to_string(), str::to_owned)
        ));
    }
    format!("{text}---\n\n{body}")
}

fn coerce_entry(id: &str, input: &Value, expected: &Value) {
    let body = input["body"].as_str().unwrap_or("text");
    let file = file_of(&input["meta"], body);
    let path = VaultPath::parse("memory/m-20261019-ab12cd.md").expect("a path");
    let Parsed::Memory(memory) = Inkvault.parse(&path, file.as_bytes(), Timestamp::default())
    else {
        panic!("{id}: no memory in\n{file}");
    };
    let metadata = &memory.metadata;
    for (key, value) in expected.as_object().expect("an object") {
        let found = match key.as_str() {
            "title" => json!(metadata.title),
            "kind" => json!(metadata.kind),
            "status" => json!(metadata.status.name()),
            "confidence" => json!(metadata.confidence),
            "tags" => json!(metadata.tags),
            "source" => json!(metadata.source),
            "origin" => json!(metadata.origin),
            "delivery" => json!(metadata.delivery.name()),
            "hash" => json!(fingerprint(memory.body.as_bytes())),
            "issues" => {
                assert!(
                    is_count(memory.repairs.len(), value),
                    "{id}: {:?}",
                    memory.repairs
                );
                continue;
            }
            key => panic!("{id}: no check for {key}"),
        };
        assert_eq!(found, *value, "{id}: {key}");
    }
}

fn new_vault(machine: &Machine) -> Vault {
    let mut vault = Vault::new(Box::new(machine.process()));
    vault.init("inkvault", None).expect("a vault");
    vault
}

fn build_directive_text(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let directives = if let Some(entries) = input.as_array() {
        for entry in entries {
            write_entry(&mut vault, entry);
        }
        vault.render_directives(&Default::default())
    } else if let Some(entry) = input.get("one entry") {
        let body = text_of(&entry["body"]);
        machine.put(
            "memory/one.md",
            file_of(entry, body)
                .replacen("id: m-20261019-ab12cd\n", "", 1)
                .as_bytes(),
        );
        vault.render_directives(&Default::default())
    } else if input.get("maxChars").is_some() {
        // The interface has no room for text here; the setting has.
        let settings = json!({ "directiveMaxChars": input["maxChars"] }).to_string();
        let configured = vault.configure(&settings).expect("settings");
        assert_eq!(configured.notes.len(), 1, "{id}");
        vault.render_directives(&Default::default())
    } else {
        assert_eq!(input, "text longer than maxChars", "{id}");
        let long = Draft {
            body: Some("字".repeat(4_000)),
            delivery: Some(Delivery::Prompt),
            ..Draft::default()
        };
        vault.write(&long).expect("written");
        vault.render_directives(&Default::default())
    }
    .expect("directives");
    if expected.is_null() {
        assert_eq!((directives.text, directives.count), (None, 0), "{id}");
        return;
    }
    for (key, value) in expected.as_object().expect("an object") {
        match key.as_str() {
            "count" if value.is_number() => assert_eq!(json!(directives.count), *value, "{id}"),
            "count" => assert_eq!(directives.count, 1, "{id}"),
            "text" => assert_eq!(json!(directives.text), *value, "{id}"),
            "text_contains" => {
                assert!(
                    directives
                        .text
                        .as_ref()
                        .is_some_and(|text| text.contains(text_of(value))),
                    "{id}"
                );
            }
            "overflow" => assert!(directives.overflow, "{id}"),
            "maxChars" | "maxChars_used" => assert_eq!(json!(directives.max_chars), *value, "{id}"),
            key => panic!("{id}: no check for {key}"),
        }
    }
}

fn extract_candidates(id: &str, input: &Value, expected: &Value) {
    let request = CaptureRequest {
        user_text: text_of(&input["userText"]).to_owned(),
        max_candidates: input["maxCandidates"].as_u64().map(|most| most as u32),
        min_confidence: input["minConfidence"].as_f64(),
        origin: None,
    };
    let found: Vec<_> = extract(&request, None)
        .into_iter()
        .map(|candidate| {
            json!({
                "kind": candidate.kind,
                "status": "pending",
                "confidence": candidate.confidence,
                "title": candidate.title,
                "body": candidate.body,
                "tags": candidate.tags,
                "rule": candidate.rule,
            })
        })
        .collect();
    assert_eq!(json!(found), *expected, "{id}");
}

fn write_entry(vault: &mut Vault, entry: &Value) {
    let draft = Draft {
        body: Some("text".into()),
        status: Status::named(text_of(&entry["status"])),
        delivery: Delivery::named(text_of(&entry["delivery"])),
        ..Draft::default()
    };
    vault.write(&draft).expect("written");
}

fn list_entries(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let full = |name: &str| format!("m-20260101-{}", name.repeat(6));
    for entry in input.as_array().expect("entries") {
        let (name, updated) = (full(text_of(&entry[0])), text_of(&entry[1]));
        let text = format!("---\nid: {name}\ncreated: 2025-01-01\nupdated: {updated}\n---\n\ntext");
        machine.put(&format!("memory/{name}.md"), text.as_bytes());
    }
    let page = vault.browse(&BrowseOptions::default()).expect("a page");
    let found: Vec<_> = page
        .memories
        .iter()
        .map(|memory| memory.metadata.id.clone())
        .collect();
    let expected: Vec<_> = expected
        .as_array()
        .expect("ids")
        .iter()
        .map(|name| full(text_of(name)))
        .collect();
    assert_eq!(found, expected, "{id}");
}

/// The vault's derived data cannot be saved: the memory is written all the
/// same.
fn write_with_unwritable_index(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    for number in 0..64 {
        vault
            .write(&Draft {
                body: Some(format!("text {number}")),
                ..Draft::default()
            })
            .expect("written");
    }
    let before = machine.files().len();
    for at_call in 1..400 {
        let fork = machine.fork();
        let process = Rc::new(fork.process());
        let mut vault = Vault::new(Box::new(process.clone()));
        vault.overview().expect("opened");
        process.reset_calls();
        process.plan(Injection {
            at_call,
            what: Plan::Fail(IoErrorKind::NoSpace),
        });
        let written = vault.write(&Draft {
            body: Some("one more".into()),
            ..Draft::default()
        });
        if let Ok(receipt) = &written {
            let path = receipt.memory.path.as_str();
            assert!(fork.bytes(path).is_some(), "{id}: call {at_call}");
        }
        if process.calls() < at_call {
            assert!(
                written.is_ok() && expected["returns"] == "EntryRecord",
                "{id}"
            );
            break;
        }
    }
    assert!(before > 0 && expected["md_written"] == json!(true), "{id}");
}

/// What the contract calls archiving is `forget`.
fn archive_entry(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let Some(clock) = input["clock"].as_i64() else {
        let answer = vault.forget("m-20261019-ab12cd", None, "");
        assert!(expected.is_null() && answer.is_err(), "{id}: {answer:?}");
        return;
    };
    let (entry, trash) = (text_of(&input["id"]), text_of(&expected["trashPath"]));
    let text = format!("---\nid: {entry}\ntitle: t\n---\n\ntext");
    machine.put(&format!("memory/{entry}.md"), text.as_bytes());
    machine.set_now(Timestamp::from_millis(clock));
    let receipt = vault.forget(entry, None, "").expect("forgotten");
    assert_eq!(receipt.memory.metadata.id, text_of(&expected["id"]), "{id}");
    assert_eq!(receipt.memory.path.as_str(), trash, "{id}");
    assert_eq!(machine.bytes(trash), Some(text.into_bytes()), "{id}");
}

fn rebuild_index(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    for name in ["aaaaaa", "bbbbbb"] {
        let text = format!("---\nid: m-20261019-{name}\ntitle: t\n---\n\ntext");
        machine.put(&format!("memory/m-20261019-{name}.md"), text.as_bytes());
    }
    machine.put("memory/broken.md", b"---\ntitle: no id\n---\n\ntext");
    let report = vault.rebuild_index().expect("rebuilt");
    assert_eq!(json!(report.memories), expected["count"], "{id}");
    assert_eq!(
        json!(report.quarantined.len()),
        expected["quarantined"],
        "{id}"
    );
    assert_eq!(
        report.quarantined,
        [".inkvault/quarantine/broken.md"],
        "{id}"
    );
    assert!(
        machine.bytes(".inkvault/quarantine/broken.md").is_some()
            && machine.bytes("memory/broken.md").is_none()
    );
}
