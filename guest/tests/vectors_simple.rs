//! The simple format's cases with expected values, each driven through the
//! vault. What only a host can show is named as the host's.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{draft, text_at};
use inkvault_guest::environment::Machine;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::{Draft, IndexOptions, IndexText, StagingDraft, Vault};
use inkvault_guest::{Error, Result};
use serde_json::{Value, json};

/// Cases about the project that a working directory belongs to: the engine is
/// told its name.
const OF_THE_HOST: [&str; 2] = ["001-17", "001-18"];
/// What the host makes of an expected list of made files.
const MADE_BY_THE_HOST: &str = ".git";

#[test]
fn vectors_of_the_simple_format() {
    let cases = common::cases("simple");
    assert!(cases.len() > 20, "only {} cases were found", cases.len());
    let left: BTreeSet<_> = cases
        .iter()
        .filter(|case| !is_checked(case))
        .map(|case| text_of(&case["id"]))
        .collect();
    assert_eq!(left, OF_THE_HOST.into());
}

/// Checks a case; false for one that is not the engine's.
fn is_checked(case: &Value) -> bool {
    let (id, input, expected) = (text_of(&case["id"]), &case["input"], &case["expected"]);
    match (text_of(&case["area"]), id) {
        ("memory-write", _) => memory_write(id, input, expected),
        ("index", "001-12") => index(id, input, expected),
        ("index", "001-13") => nothing_to_list(id, expected),
        ("inject", "001-14") => injections(id, expected, &[Some("a"), Some("a")]),
        ("inject", "001-15") => injections(id, expected, &[Some("a"), Some("b")]),
        ("inject", "001-16") => without_project(id, expected),
        ("staging", _) => staging(id, input, expected),
        ("read", _) => read(id, input, expected),
        ("init", _) => init(id, expected),
        ("forget", _) => forget(id, expected),
        ("promote", _) => promote(id, expected),
        ("cap", _) => cap(id, expected),
        _ => return false,
    }
    true
}

fn text_of(value: &Value) -> &str {
    value
        .as_str()
        .unwrap_or_else(|| panic!("not a text: {value}"))
}

fn new_vault(machine: &Machine) -> Vault {
    let mut vault = Vault::new(Box::new(machine.process()));
    vault.init("simple", None).expect("a vault");
    vault
}

/// What a case asks to write; what it does not say is usable.
fn draft_of(input: &Value) -> Draft {
    let text = |key: &str| input[key].as_str().map(str::to_owned);
    let project = input["project_root"]
        .as_str()
        .map(|root| root.rsplit('/').next().unwrap_or(root).to_owned());
    Draft {
        kind: text("category").or_else(|| Some("踩坑".into())),
        title: text("topic").or_else(|| Some("主题".into())),
        scope: project,
        ..draft(input["content"].as_str().unwrap_or("内容"))
    }
}

fn memory_write(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    if let Some(day) = input["now_local"].as_str() {
        let evening = Timestamp::parse(&format!("{day}T12:00:00Z"));
        machine.set_now(evening.expect("a date"));
    }
    let mut vault = new_vault(&machine);
    if let Some(path) = input["path"].as_str() {
        return declared_path(id, path, &machine, &mut vault);
    }
    if let Some(directory) = expected["mkdir"].as_str() {
        assert!(machine.stat(directory).is_none(), "{id}: there before");
    }
    let before = notes(machine.files());
    let written = vault.write(&draft_of(input));
    if expected["ok"] == false {
        assert!(
            matches!(written, Err(Error::InvalidArgument(_))),
            "{id}: {written:?}"
        );
        return assert_eq!(notes(machine.files()), before, "{id}");
    }
    let path = written.expect(id).memory.path;
    if let Some(place) = expected["path"].as_str() {
        assert_eq!(path.as_str(), place, "{id}");
        assert!(machine.bytes(place).is_some(), "{id}");
    }
    if let Some(text) = expected["file"].as_str() {
        assert_eq!(text_at(&machine, path.as_str()), text, "{id}");
    }
}

/// A path is refused for its scope alone: with that scope it is taken.
fn declared_path(id: &str, path: &str, machine: &Machine, vault: &mut Vault) {
    let at = |path: &str, scope: Option<&str>| Draft {
        path: Some(path.to_owned()),
        scope: scope.map(str::to_owned),
        ..draft("内容")
    };
    let before = notes(machine.files());
    let usable = path.replace("x.md", "踩坑-x.md");
    for place in [path, &usable] {
        let refused = vault.write(&at(place, None));
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{id}: {refused:?}"
        );
    }
    assert_eq!(notes(machine.files()), before, "{id}");
    let written = vault.write(&at(&usable, Some("app"))).expect(id);
    assert_eq!(written.memory.path.as_str(), usable, "{id}");
}

fn index_of(vault: &mut Vault, scope: Option<&str>, conversation: Option<&str>) -> IndexText {
    let options = IndexOptions {
        scope: scope.map(str::to_owned),
        conversation: conversation.map(str::to_owned),
        ..IndexOptions::default()
    };
    vault.render_index(&options).expect("an index")
}

fn index(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let mut documents = Vec::new();
    for (directory, names) in input.as_object().expect("directories") {
        let names = names.as_array().expect("names").iter().map(text_of);
        match directory.as_str() {
            "docs" => documents.extend(names.map(str::to_owned)),
            "root" => names.for_each(|name| machine.put(name, "x")),
            directory => names.for_each(|name| machine.put(&format!("{directory}/{name}"), "x")),
        }
    }
    let options = IndexOptions {
        scope: Some("app".into()),
        documents,
        ..IndexOptions::default()
    };
    let index = vault.render_index(&options).expect("an index");
    let text = index.text.expect("a text");
    let lines: Vec<_> = text.lines().collect();
    let (header, wanted) = (text_of(&expected["header"]), &expected["lines"]);
    let wanted: Vec<_> = wanted.as_array().expect("lines").iter().collect();
    assert!(header.starts_with("【记忆索引】 first"), "{id}");
    assert!(lines[0].starts_with("【记忆索引】"), "{id}: {text}");
    for word in [
        "读全文",
        "2KB",
        "先活跃后冷区",
        "references/",
        "archive/",
        "命中",
    ] {
        assert!(lines[0].contains(word), "{id}: {word} in {text}");
    }
    let listed = &lines[1..=wanted.len()];
    assert_eq!(json!(listed), expected["lines"], "{id}");
    let rest = lines[wanted.len() + 1..].join("\n");
    assert!(!rest.contains(".md"), "{id}: {rest}");
    // app has three, docs one, common one, the root one.
    assert_eq!((index.entries, index.omitted), (6, 0), "{id}");
}

fn nothing_to_list(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let index = index_of(&mut vault, Some("app"), Some("a"));
    assert_eq!(json!(index.text.is_some()), expected["inject"], "{id}");
    machine.put("common/踩坑-x.md", "x");
    let later = index_of(&mut vault, Some("app"), Some("a"));
    assert_eq!(json!(later.repeated), expected["session_marked"], "{id}");
    assert!(later.text.is_some(), "{id}");
}

fn injections(id: &str, expected: &Value, conversations: &[Option<&str>]) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("common/踩坑-x.md", "x");
    let texts = conversations
        .iter()
        .filter_map(|conversation| index_of(&mut vault, Some("app"), *conversation).text);
    assert_eq!(json!(texts.count()), expected["injections"], "{id}");
}

fn without_project(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("common/踩坑-x.md", "x");
    let index = index_of(&mut vault, None, Some("a"));
    assert_eq!(
        json!(usize::from(index.text.is_some())),
        expected["injections"],
        "{id}"
    );
    assert_eq!(expected["error"], false, "{id}: `index_of` expects none");
}

fn staging(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("staging.md", text_of(input));
    let entries = vault.staging_browse().expect("the pool");
    assert_eq!(json!(entries.len()), expected["count"], "{id}");
    let overview = vault.overview().expect("an overview");
    assert_eq!(json!(overview.staged), expected["count"], "{id}");
}

fn read(id: &str, input: &Value, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("projects/app/决策-架构.md", "x");
    let read = vault.get(text_of(input));
    match expected["file"].as_str() {
        Some(file) => assert_eq!(read.expect(id).path.as_str(), file, "{id}"),
        None => {
            assert_eq!(expected["error"], "invalid-argument", "{id}");
            assert!(
                matches!(read, Err(Error::InvalidArgument(_))),
                "{id}: {read:?}"
            );
        }
    }
}

fn init(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = Vault::new(Box::new(machine.process()));
    let made: BTreeSet<_> = vault
        .init("simple", None)
        .expect("a vault")
        .made
        .into_iter()
        .collect();
    let wanted = |key: &str| -> BTreeSet<String> {
        let wanted = expected[key].as_array().expect("names").iter().map(text_of);
        let ours = wanted.filter(|name| *name != MADE_BY_THE_HOST);
        ours.map(str::to_owned).collect()
    };
    assert_eq!(made, wanted("first"), "{id}");
    assert!(
        made.iter().all(|path| machine.stat(path).is_some()),
        "{id}: made and not there"
    );
    assert!(machine.stat(".inkvault").is_none(), "{id}");
    let before = machine.files();
    let again = vault.init("simple", None).expect("still a vault");
    assert!(again.existed, "{id}");
    assert_eq!(BTreeSet::from_iter(again.made), wanted("second"), "{id}");
    assert_eq!(machine.files(), before, "{id}");
}

fn forget(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    machine.put("common/踩坑-x.md", "x");
    machine.put("common/踩坑-y.md", "y");
    let receipt = vault.forget("common/踩坑-x", None, "").expect("forgotten");
    let text = index_of(&mut vault, Some("app"), None)
        .text
        .expect("a text");
    assert!(text.contains("踩坑-y.md"), "{id}");
    assert_eq!(
        json!(text.contains("踩坑-x.md")),
        expected["in_index"],
        "{id}"
    );
    let there = machine.bytes("archive/踩坑-x.md");
    assert_eq!(json!(there.is_some()), expected["on_disk"], "{id}");
    assert_eq!(there, Some(b"x".to_vec()), "{id}");
    let commit = text_of(&expected["commit"]).replace('…', "踩坑-x");
    assert_eq!(receipt.commit_message, commit, "{id}");
}

fn promote(id: &str, expected: &Value) {
    let machine = Machine::new();
    let mut vault = new_vault(&machine);
    let candidate = StagingDraft {
        text: "端口会被占用".into(),
        scope: Some("app".into()),
        ..StagingDraft::default()
    };
    vault.staging_add(&candidate).expect("staged");
    let distilled = Draft {
        kind: Some("踩坑".into()),
        title: Some("端口".into()),
        ..draft("先看端口是否空闲。")
    };
    // Nobody agrees to what they did not see.
    let before = notes(machine.files());
    let unseen = vault.staging_promote(1, "another text", &distilled);
    let needed = matches!(unseen, Err(Error::RevisionConflict(_)));
    assert_eq!(json!(needed), expected["confirmation_required"], "{id}");
    assert_eq!(notes(machine.files()), before, "{id}");
    let receipt = vault.staging_promote(1, "端口会被占用", &distilled);
    let path = receipt.expect("promoted").memory.path;
    assert_eq!(expected["common_file"], "added", "{id}");
    assert_eq!(path.as_str(), "common/踩坑-端口.md", "{id}");
    assert!(text_at(&machine, path.as_str()).contains("先看端口是否空闲。"));
    assert_eq!(expected["staging_entry"], "removed", "{id}");
    assert!(!text_at(&machine, "staging.md").contains("端口会被占用"));
}

/// What is not private.
fn notes(mut files: BTreeMap<String, Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    files.retain(|path, _| !path.starts_with(".inkvault/"));
    files.into_iter().collect()
}

fn cap(id: &str, expected: &Value) {
    let asks = |count: usize| -> Result<bool> {
        let machine = Machine::new();
        let mut vault = new_vault(&machine);
        for n in 0..count {
            machine.put(&format!("common/踩坑-{n}.md"), "x");
        }
        let before = notes(machine.files());
        let asked = vault.overview()?.notes;
        assert_eq!(notes(machine.files()), before, "{id}: nothing automatic");
        Ok(asked.iter().any(|note| note.contains(&count.to_string())))
    };
    assert!(text_of(&expected["action"]).starts_with("ask for governance"));
    assert!(asks(201).expect("an overview"), "{id}");
    assert!(!asks(200).expect("an overview"), "{id}");
}
