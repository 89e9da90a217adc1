//! A memory's life through the command: confirmed, put away, brought back,
//! replaced, undone; what refers to what; the journal of it all; and the lock
//! of an instance that is gone.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use inkvault::{Error, Limits, Vault};
use inkvault_tests::command::process;
use inkvault_tests::shown::{failure, first_line, json, printed, run, with_one};
use inkvault_tests::{Folder, draft, found};
use serde_json::Value;

/// Writes a memory and gives its id.
fn written(folder: &Folder, arguments: &[&str]) -> String {
    let receipt = json(folder, &[&["write"], arguments].concat());
    let id = receipt["metadata"]["id"].as_str();
    id.expect("an id").to_owned()
}

fn pending(folder: &Folder, text: &str) -> String {
    written(folder, &["--status", "pending", text])
}

fn status(folder: &Folder, id: &str) -> Value {
    json(folder, &["show", id])["metadata"]["status"].clone()
}

/// The number that a receipt says to give to `undo --position`.
fn position(receipt: &str) -> &str {
    let (_, rest) = receipt
        .split_once("inkvault undo --position ")
        .expect("how to undo it");
    rest.lines().next().expect("a number")
}

#[test]
fn what_waits_is_confirmed_and_rejected_by_number() {
    let folder = Folder::vault();
    let ids = ["one thing", "another thing", "a third thing"].map(|text| pending(&folder, text));
    let confirmed = printed(
        &folder,
        &["inbox", "confirm", "1", "3", "--reason", "read it"],
    );
    assert!(
        confirmed.contains("one thing") && confirmed.contains("a third thing"),
        "{confirmed}"
    );
    assert!(confirmed.contains("The numbers have moved"), "{confirmed}");
    assert_eq!(confirmed.matches("confirmed  m-").count(), 2, "{confirmed}");
    let after = ids.each_ref().map(|id| status(&folder, id));
    assert_eq!(after, ["active", "pending", "active"]);

    let rejected = printed(&folder, &["inbox", "reject", "1"]);
    assert!(rejected.starts_with("rejected "), "{rejected}");
    assert_eq!(printed(&folder, &["inbox"]), "Nothing waits for you.\n");
    assert_eq!(
        json(&folder, &["trash"])["memories"][0]["id"],
        ids[1].as_str()
    );
}

#[test]
fn a_change_says_how_to_undo_it() {
    let folder = Folder::vault();
    let id = pending(&folder, "one thing");
    let confirmed = run(&folder, &["confirm", &id]);
    assert!(confirmed.status.success(), "{confirmed:?}");
    let confirmed = String::from_utf8(confirmed.stdout).expect("text");
    assert_eq!(status(&folder, &id), "active");
    let undone = printed(&folder, &["undo", "--position", position(&confirmed)]);
    assert!(undone.starts_with("undone "), "{undone}");
    assert_eq!(status(&folder, &id), "pending");
    let again = printed(&folder, &["undo", &id]);
    assert!(again.starts_with("undone "), "{again}");
    assert_eq!(status(&folder, &id), "active", "undoing can be undone");
    assert!(failure(&folder, &["undo", "--position", "4711"]).starts_with("3 inkvault: "));
}

#[test]
fn what_is_forgotten_comes_back_as_it_was() {
    let (folder, id) = with_one();
    let before = folder.text(&format!("memory/{id}.md"));
    let forgotten = printed(&folder, &["forget", &id, "--reason", "moved"]);
    assert!(forgotten.starts_with("forgotten "), "{forgotten}");
    assert!(failure(&folder, &["show", &id]).starts_with("3 inkvault: "));
    let trash = json(&folder, &["trash"]);
    assert_eq!(trash["memories"][0]["id"], id.as_str());
    assert_eq!(trash["memories"][0]["title"], "Prefers tabs over spaces");

    assert!(printed(&folder, &["restore", &id]).starts_with("restored "));
    assert_eq!(folder.text(&format!("memory/{id}.md")), before);
    assert_eq!(printed(&folder, &["trash"]), "The trash is empty.\n");

    assert!(run(&folder, &["forget", &id]).status.success());
    assert!(printed(&folder, &["trash", "empty", "--yes"]).starts_with("Deleted 1 memory "));
    assert!(failure(&folder, &["restore", &id]).starts_with("3 inkvault: "));
}

#[test]
fn a_memory_goes_through_its_life() {
    let (folder, id) = with_one();
    let metadata = |id: &str| json(&folder, &["show", id])["metadata"].clone();
    assert!(printed(&folder, &["archive", &id]).starts_with("archived "));
    assert_eq!(status(&folder, &id), "archived");
    assert!(printed(&folder, &["restore", &id]).starts_with("restored "));
    assert_eq!(status(&folder, &id), "active");
    assert!(printed(&folder, &["pin", &id]).starts_with("pinned "));
    assert_eq!(metadata(&id)["pinned"], true);
    assert!(printed(&folder, &["pin", &id]).starts_with("unchanged "));
    assert!(printed(&folder, &["unpin", &id]).starts_with("unpinned "));
    assert_eq!(metadata(&id)["pinned"], false);

    let newer = written(&folder, &["Prefers spaces"]);
    let conflict = printed(&folder, &["conflict", &id, "--with", &newer]);
    assert!(conflict.starts_with("in conflict "), "{conflict}");
    assert_eq!(json(&folder, &["inbox"])["total"], 2);
    assert!(printed(&folder, &["confirm", &newer]).starts_with("confirmed "));
    let superseded = printed(&folder, &["supersede", &id, "--by", &newer]);
    assert!(superseded.starts_with("replaced "), "{superseded}");
    assert_eq!(metadata(&id)["superseded_by"], newer.as_str());
    assert!(failure(&folder, &["stale", &newer]).starts_with("1 inkvault: "));
}

#[test]
fn a_merged_memory_is_found_by_either_id() {
    let (folder, id) = with_one();
    let other = written(&folder, &["Four columns wide"]);
    let merged = printed(&folder, &["merge", &other, "--into", &id]);
    assert!(merged.starts_with("merged "), "{merged}");
    let body = json(&folder, &["show", &id])["body"].clone();
    assert!(
        body.as_str().expect("a text").contains("Four columns wide"),
        "{body}"
    );
    let supplement = pending(&folder, "Never in Makefiles");
    let confirmed = printed(&folder, &["confirm", &supplement, "--into", &id]);
    assert!(confirmed.starts_with("merged "), "{confirmed}");
    assert_eq!(status(&folder, &supplement), "superseded");
}

#[test]
fn each_of_several_is_changed_on_its_own() {
    let folder = Folder::vault();
    let (one, other) = (
        pending(&folder, "one thing"),
        pending(&folder, "another thing"),
    );
    let missing = "m-20261019-zzzzzz";
    let output = run(&folder, &["confirm", &one, missing, &other, "notes"]);
    assert_eq!(output.status.code(), Some(3), "that of the first failure");
    let said = String::from_utf8(output.stderr).expect("text");
    let lines: Vec<_> = said.lines().collect();
    assert!(
        lines[0].starts_with(&format!("inkvault: {missing}: ")),
        "{said}"
    );
    assert!(lines[1].starts_with("inkvault: notes: "), "{said}");
    assert_eq!(lines[2], "inkvault: 2 of 4 changes were not made");
    let told = String::from_utf8(output.stdout).expect("text");
    assert!(told.contains(&one) && told.contains(&other), "{told}");
    assert_eq!(
        [status(&folder, &one), status(&folder, &other)],
        ["active", "active"]
    );

    let receipts = json(&folder, &["archive", &one, &other]);
    assert_eq!(receipts.as_array().map(Vec::len), Some(2));
    assert_eq!(receipts[1]["metadata"]["status"], "archived");
    let alone = json(&folder, &["restore", &one]);
    assert_eq!(alone.as_array().map(Vec::len), Some(1), "a list, too");
}

#[test]
fn a_change_that_was_overtaken_is_refused() {
    let (folder, id) = with_one();
    let arguments = ["archive", &id, "--revision", "0123456789abcdef"];
    assert!(failure(&folder, &arguments).starts_with("4 inkvault: "));
    let revision = json(&folder, &["show", &id])["metadata"]["revision"].clone();
    let revision = revision.as_str().expect("a revision");
    let archived = printed(&folder, &["archive", &id, "--revision", revision]);
    assert!(archived.starts_with("archived "), "{archived}");
}

#[test]
fn references_are_shown_from_both_ends() {
    let (folder, id) = with_one();
    let text = format!("See [[{id}]] and [[Nothing like it]].");
    let other = written(&folder, &["--title", "Editor", &text]);
    let shown = printed(&folder, &["links", &other]);
    assert!(
        shown.contains("to ") && shown.contains("Prefers tabs over spaces"),
        "{shown}"
    );
    assert!(shown.contains("nothing of that name"), "{shown}");
    assert!(shown.ends_with("1 reference leads nowhere.\n"), "{shown}");
    let shown = printed(&folder, &["links", &id]);
    assert!(
        shown.contains("from ") && shown.contains("Editor"),
        "{shown}"
    );
    let links = json(&folder, &["links", &other]);
    assert_eq!(links[0]["target"], id.as_str());
    assert_eq!(links[1]["target"], Value::Null);
    let alone = written(&folder, &["--title", "Alone", "alone"]);
    let shown = printed(&folder, &["links", &alone]);
    assert_eq!(
        shown,
        "Alone\nIt refers to no memory, and none refers to it.\n"
    );
}

#[test]
fn the_journal_tells_what_was_done() {
    let (folder, id) = with_one();
    let other = written(&folder, &["another thing"]);
    assert!(
        run(&folder, &["forget", &id, "--reason", "moved"])
            .status
            .success()
    );
    let shown = printed(&folder, &["journal"]);
    assert!(shown.starts_with("time (UTC) "), "{shown}");
    assert_eq!(shown.lines().count(), 4, "{shown}");
    assert!(shown.contains("moved"), "{shown}");
    let of = |arguments: &[&str]| {
        let entries = json(&folder, &[&["journal"], arguments].concat());
        entries.as_array().expect("a list").clone()
    };
    assert_eq!(of(&["--limit", "2"]).len(), 2);
    assert_eq!(of(&["--id", &id]).len(), 2);
    assert_eq!(of(&["--id", &other])[0]["operation"], "write");
    assert_eq!(of(&["--op", "archive"])[0]["id"], id.as_str());
    assert_eq!(of(&["--since", "1h"]).len(), 3);
    assert!(of(&["--since", "2100-01-01"]).is_empty());
    assert_eq!(
        printed(&folder, &["journal", "--op", "rebuild"]),
        "Nothing was done.\n"
    );
}

/// Follows the journal; killed at the end.
struct Following {
    command: Child,
    output: BufReader<ChildStdout>,
}

impl Following {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = process(folder);
        command.args(["journal", "--follow"]).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut command = command.spawn().expect("the command runs");
        let output = BufReader::new(command.stdout.take().expect("its output"));
        Self { command, output }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        line
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        let _ = self.command.kill();
        let _ = self.command.wait();
    }
}

#[test]
fn the_journal_can_be_followed() {
    let (folder, first) = with_one();
    let mut table = Following::start(&folder, &[]);
    let mut records = Following::start(&folder, &["--json"]);
    assert!(table.line().starts_with("time (UTC) "));
    assert!(table.line().contains(&first));
    let record: Value = serde_json::from_str(&records.line()).expect("JSON");
    assert_eq!(record["id"], first.as_str());
    let second = written(&folder, &["another thing"]);
    assert!(table.line().contains(&second));
    let record: Value = serde_json::from_str(&records.line()).expect("JSON");
    assert_eq!(record["id"], second.as_str());
}

#[test]
fn a_follower_that_nobody_reads_ends_quietly() {
    let (folder, _) = with_one();
    let following = thread::scope(|scope| {
        let following = scope.spawn(|| first_line(&folder, &["journal", "--follow", "--json"]));
        // Until nobody reads any more, there has to be something to say.
        while !following.is_finished() {
            written(&folder, &["another thing"]);
        }
        following.join().expect("its end")
    });
    let (line, output) = following;
    assert!(line.starts_with('{'), "{line}");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
}

/// The lock of an instance that was stopped is given up before the call
/// returns: nobody waits the ten seconds after which it counts as abandoned.
#[test]
fn nobody_waits_for_a_change_that_was_stopped() {
    let folder = Folder::filled(20);
    let made = folder.open().write(&draft("makes lock and staging folder"));
    made.expect("written");
    let limits = Limits {
        result: 16 << 10,
        ..Limits::default()
    };
    let mut vault = folder.open_with(Vault::builder().limits(limits));
    let stopped = vault.write(&draft(&"large ".repeat(3_000)));
    assert!(
        matches!(stopped, Err(Error::Limit { call: "write", .. })),
        "{stopped:?}"
    );
    let names = fs::read_dir(folder.at(".inkvault/lock")).expect("the lock");
    for name in names {
        let name = name.expect("a state").file_name();
        assert!(!name.to_string_lossy().starts_with("held-"), "{name:?}");
    }
    let began = Instant::now();
    let mut next = folder.open();
    next.write(&draft("written at once")).expect("written");
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    vault
        .write(&draft("written at once, too"))
        .expect("written");
    assert_eq!(found(&mut next, "once").len(), 2);
    assert!(found(&mut next, "large").is_empty());
}

/// What a person configures is kept beside the name that a handle signs with,
/// and nothing is said about that.
#[test]
fn settings_are_told_of_alone() {
    let folder = Folder::vault();
    let mut vault = folder.open();
    let configured = vault.configure(r#"{"language": "zh", "colour": "red"}"#);
    let configured = configured.expect("configured");
    assert_eq!(configured.notes.len(), 1, "{:?}", configured.notes);
    vault.write(&draft("signed")).expect("written");
    let summary = vault.overview().expect("described");
    assert_eq!(summary.language, "zh");
    assert_eq!(summary.notes.len(), 1, "{:?}", summary.notes);
}
