//! What the command takes and where it is used: texts and conversations from
//! everywhere, pipes, colours, other directories, other shells.

use std::fs;

use inkvault_tests::Folder;
use inkvault_tests::command::inkvault;
use inkvault_tests::shown::{failure, first_line, json, printed, run, run_with, with_one};
use serde_json::Value;

/// How it is no engine is wasmtime's to say.
#[test]
fn what_is_no_engine_is_named() {
    let (folder, _) = with_one();
    folder.put("text.json", "no component");
    let said = failure(&folder, &["--component", "text.json", "status"]);
    assert!(
        said.starts_with("1 inkvault: text.json is no engine of inkvault: "),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// What is no command line is told by its usage.
#[test]
fn wrong_usage_is_told_by_the_usage() {
    let folder = Folder::empty();
    for arguments in [
        &["remember"][..],
        &["search"],
        &["write", "--delivery", "sometimes", "text"],
        &["write", "--confidence", "2", "text"],
        &["write", "--revision", "0123456789abcdef", "text"],
    ] {
        let failure = failure(&folder, arguments);
        assert!(failure.starts_with("2 error: "), "{failure}");
        assert!(failure.contains("--help"), "{failure}");
    }
    let usage = run(&folder, &[]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&usage.stderr).contains("Usage: inkvault"));
}

#[test]
fn verify_fails_while_a_memory_cannot_be_used() {
    let (folder, _) = with_one();
    folder.put("memory/broken.md", "---\ntitle: no id\n---\n\ntext");
    let found = run(&folder, &["verify"]);
    assert_eq!(found.status.code(), Some(1));
    let (said, told) = (
        String::from_utf8_lossy(&found.stdout),
        String::from_utf8_lossy(&found.stderr),
    );
    assert!(said.contains("memory/broken.md"), "{said}");
    assert!(
        told.starts_with("inkvault: ") && told.contains("verify --fix"),
        "{told}"
    );
    assert!(
        folder.at("memory/broken.md").exists(),
        "only --fix moves files"
    );
    assert!(printed(&folder, &["verify", "--fix"]).contains("mended"));
    assert_eq!(
        printed(&folder, &["verify"]),
        "1 file checked: the vault is in order.\n"
    );
}

#[test]
fn a_text_comes_as_an_argument_from_a_file_or_on_standard_input() {
    let folder = Folder::vault();
    folder.put("note.md", "from a file\n");
    let written = |arguments: &[&str], input: &str| {
        let arguments = [&["write", "--json"], arguments].concat();
        let output = run_with(&folder, &arguments, input);
        let receipt: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let id = receipt["metadata"]["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let body = json(&folder, &["show", &id])["body"].clone();
        (id, body)
    };
    assert_eq!(written(&["an argument"], "not this").1, "an argument");
    assert_eq!(written(&["--file", "note.md"], "not this").1, "from a file");
    assert_eq!(written(&["--file", "-"], "by a dash\n").1, "by a dash");
    let (id, body) = written(&[], "on standard input\n");
    assert_eq!(body, "on standard input");

    let kept = (id.clone(), body);
    assert_eq!(written(&["--id", &id], ""), kept);
    let changed = written(&["--id", &id], "another text\n");
    assert_eq!(changed.1, "another text");
}

/// In a script, standard input is often open and means something else.
#[test]
fn a_change_of_anything_else_leaves_standard_input_alone() {
    let (folder, id) = with_one();
    let body_after = |arguments: &[&str]| {
        let arguments = [&["write", "--id", &id], arguments].concat();
        let output = run_with(&folder, &arguments, "not this");
        assert!(output.status.success(), "{output:?}");
        json(&folder, &["show", &id])["body"].clone()
    };
    for change in [
        &["--title", "another title"][..],
        &["--kind", "decision"],
        &["--tag", "indent"],
        &["--status", "pending"],
        &["--delivery", "prompt"],
        &["--confidence", "0.9"],
        &["--source", "capture"],
        &["--origin", "chat"],
    ] {
        assert_eq!(body_after(change), "Prefers tabs over spaces", "{change:?}");
    }
    let asked_for = ["--title", "a third title", "--file", "-"];
    assert_eq!(body_after(&asked_for), "not this");
}

#[test]
fn a_credential_is_stored_only_where_that_is_allowed() {
    let folder = Folder::vault();
    let secret = ["write", "password = hunter22"];
    let refused = failure(&folder, &secret);
    assert!(refused.starts_with("1 inkvault: "), "{refused}");
    assert_eq!(refused.lines().count(), 1, "{refused}");
    assert_eq!(json(&folder, &["list"])["total"], 0);

    let allowed = [&secret[..], &["--allow-secrets"]].concat();
    assert!(printed(&folder, &allowed).starts_with("created "));
    assert_eq!(json(&folder, &["list"])["total"], 1);
}

#[test]
fn help_is_a_command_too() {
    let folder = Folder::empty();
    assert_eq!(
        printed(&folder, &["help", "recall"]),
        printed(&folder, &["recall", "--help"])
    );
    assert!(printed(&folder, &["help"]).contains("Usage: inkvault"));
}

#[test]
fn a_conversation_comes_from_a_file_or_on_standard_input() {
    let (folder, id) = with_one();
    let conversation = r#"[
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "tabs or spaces?"}]},
        {"role": "user", "text": "spaceships", "source_kind": "injected"}
    ]"#;
    folder.put("chat.json", conversation);
    let from_file = json(&folder, &["recall", "--messages", "chat.json"]);
    assert_eq!(from_file["query"], "tabs or spaces?");
    assert_eq!(from_file["items"][0]["id"], id.as_str());
    let piped = run_with(
        &folder,
        &["recall", "--messages", "-", "--json"],
        conversation,
    );
    let piped: Value = serde_json::from_slice(&piped.stdout).expect("JSON");
    assert_eq!(piped, from_file);
}

#[test]
fn the_vault_is_named_by_an_option_or_by_the_environment() {
    let (folder, id) = with_one();
    let elsewhere = Folder::empty();
    let path = folder.path().display().to_string();
    assert!(printed(&elsewhere, &["list", "--vault", &path]).contains("Prefers tabs"));
    let mut by_environment = inkvault(&elsewhere);
    by_environment
        .env("INKVAULT_DIR", &path)
        .args(["show", &id]);
    by_environment.assert().success();
    assert!(failure(&elsewhere, &["list"]).starts_with("3 inkvault: "));
}

/// More than a pipe holds, and nobody who reads it.
#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let folder = Folder::filled(2_000);
    let (line, output) = first_line(&folder, &["list", "--limit", "2000"]);
    assert!(line.starts_with("id "), "{line}");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[test]
fn verify_fails_whoever_reads_how_much_of_it() {
    let folder = Folder::vault();
    for number in 0..1_000 {
        let path = format!("memory/broken-{number}.md");
        folder.put(&path, "---\ntitle: no id\n---\n\ntext");
    }
    let (line, output) = first_line(&folder, &["verify"]);
    assert!(line.contains("memory/broken-"), "{line}");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

/// What came too late for the limit is told by its number, the rest by name.
#[test]
fn what_is_over_the_limit_of_a_recall_is_counted() {
    let folder = Folder::filled(30);
    let recall = ["recall", "note", "--limit", "2"];
    let shown = printed(&folder, &recall);
    assert!(shown.contains(" over the limit\n"), "{shown}");
    assert!(!shown.contains("  limit\n"), "{shown}");
    let recalled = json(&folder, &recall);
    let dropped = recalled["dropped"].as_array().expect("a list");
    let late = dropped.iter().filter(|item| item["reason"] == "limit");
    assert!(
        shown.contains(&format!("\n{} over the limit\n", late.count())),
        "{shown}"
    );
}

#[test]
fn there_is_colour_only_where_it_is_wanted() {
    let (folder, _) = with_one();
    let coloured = |variables: &[(&str, &str)]| {
        let mut command = inkvault(&folder);
        command
            .envs(variables.iter().copied())
            .args(["search", "tabs"]);
        let output = command.output().expect("the command runs");
        output.stdout.contains(&b'\x1b')
    };
    assert!(!coloured(&[]), "in a pipe");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("NO_COLOR", "1")]));
    assert!(!printed(&folder, &["search", "tabs", "--json"]).contains('\x1b'));
}

/// What a memory says cannot steer the terminal it is shown on.
#[test]
fn a_memory_does_not_steer_the_terminal() {
    let folder = Folder::vault();
    let text = "red \x1b[31m alert \x1b]0;title\x07 \u{202e}";
    let written = run_with(&folder, &["write", "--title", "a \x1b[2J title"], text);
    assert!(written.status.success(), "{written:?}");
    for arguments in [&["list"][..], &["search", "alert"], &["recall", "alert"]] {
        let shown = printed(&folder, arguments);
        let steers = |c: char| c.is_control() && c != '\n';
        assert!(!shown.contains(steers), "{shown:?}");
    }
}

#[test]
fn every_shell_is_given_a_script() {
    let folder = Folder::empty();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = printed(&folder, &["completions", shell]);
        assert!(
            script.contains("inkvault") && script.contains("directives"),
            "{shell}"
        );
    }
    assert!(
        fs::read_dir(folder.path())
            .expect("a directory")
            .next()
            .is_none()
    );
}

#[test]
fn a_page_of_a_long_list_says_how_to_go_on() {
    let folder = Folder::filled(30);
    let page = printed(&folder, &["list", "--limit", "10", "--offset", "5"]);
    assert!(
        page.contains("note 5 ") && page.contains("note 14 "),
        "{page}"
    );
    assert!(
        !page.contains("note 4 ") && !page.contains("note 15 "),
        "{page}"
    );
    assert!(
        page.ends_with("\n6 to 15 of 30; go on with --offset 15\n"),
        "{page}"
    );
}

#[test]
fn what_was_said_is_filed_once_and_credentials_never() {
    let folder = Folder::vault();
    let found = printed(&folder, &["capture", "--dry-run", "我喜欢茶。"]);
    assert!(
        found.contains("found") && found.contains("我喜欢茶。"),
        "{found}"
    );
    let nothing = printed(&folder, &["capture", "今天天气不错。"]);
    assert_eq!(nothing, "Nothing worth remembering was found.\n");
    let said = "记住以后都用中文回答。我喜欢茶。";
    let filed = json(&folder, &["capture", said]);
    assert_eq!(filed["filed"][0]["metadata"]["status"], "pending");
    assert_eq!(filed["filed"][0]["metadata"]["delivery"], "prompt");
    assert_eq!(filed["filed"].as_array().map(Vec::len), Some(2));
    let again = json(&folder, &["capture", said]);
    assert_eq!(again["skipped"][0]["reason"], "duplicate");
    let secret = json(&folder, &["capture", "记住密码是 abc12345"]);
    assert_eq!(secret["skipped"][0]["reason"], "secret");
    assert!(printed(&folder, &["capture", said]).contains("duplicate"));
}
