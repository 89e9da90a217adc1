//! Reviewing what waits, and the trash: what the command shows and takes, on
//! terminals and in pipes. Changes themselves are in `life.rs`.

use std::fs;
use std::os::unix::fs::symlink;

use inkvault_tests::Folder;
use inkvault_tests::command::on_terminal;
use inkvault_tests::shown::{failure, first_line, json, printed, run, settled, with_one};
use insta::assert_snapshot;

/// A name in the trash, with its moment: 2025-10-19 10:00.
const FORGOTTEN: &str = ".trash/m-20251001-ab12cd-1760868000123.md";

/// A pending memory of an age.
fn pending(folder: &Folder, id: &str, created: &str, delivery: &str, body: &str) {
    let note = format!(
        "---\nid: {id}\ntitle: Title of {id}\nkind: fact\nstatus: pending\n\
         created: {created}\nupdated: 2026-10-05T00:00:00.000Z\ntags: []\n\
         confidence: 0.75\nsource: capture\norigin: ''\ndelivery: {delivery}\n---\n\n{body}"
    );
    folder.put(&format!("memory/{id}.md"), note);
}

/// A vault in whose inbox two memories wait, beside one that is active.
fn with_two_waiting() -> Folder {
    let (folder, _) = with_one();
    let (first, second) = ("2026-10-01T00:00:00.000Z", "2026-10-02T00:00:00.000Z");
    let text = "以后都用中文回答。";
    pending(&folder, "m-20261002-bbbbbb", second, "prompt", text);
    let title = "Title of m-20261001-aaaaaa";
    let text = format!("# {title}\n\nReleases are on Tuesdays.\nMore.");
    pending(&folder, "m-20261001-aaaaaa", first, "recall", &text);
    folder
}

/// A vault with a forgotten memory and somebody's own note in its trash.
fn with_trash() -> Folder {
    let folder = Folder::vault();
    folder.put(FORGOTTEN, "---\ntitle: Release day\n---\n\ntext");
    folder.put(".trash/note.md", "somebody's own");
    folder
}

#[test]
fn what_waits_is_numbered_oldest_first() {
    let folder = with_two_waiting();
    assert_snapshot!(printed(&folder, &["inbox"]), @r"
    #  kind              sure  date        title
    1  fact              0.75  2026-10-19  Title of m-20261019-ab12cd
       m-20261019-ab12cd  Releases are on Tuesdays.
    2  fact (directive)  0.75  2026-10-19  Title of m-20261019-ab12cd
       m-20261019-ab12cd  以后都用中文回答。
    --

    Go on with `inkvault inbox confirm 1` or `inkvault inbox reject 1`.
    ");
    assert_snapshot!(printed(&folder, &["inbox", "--limit", "1"]), @r"
    #  kind  sure  date        title
    1  fact  0.75  2026-10-19  Title of m-20261019-ab12cd
       m-20261019-ab12cd  Releases are on Tuesdays.
    --

    1 of 2; see more with --limit 2. Go on with `inkvault inbox confirm 1` or `inkvault inbox reject 1`.
    ");
    let inbox = json(&folder, &["inbox", "--limit", "1"]);
    assert_eq!(inbox["total"], 2);
    assert_eq!(inbox["memories"].as_array().map(Vec::len), Some(1));
    assert_eq!(inbox["memories"][0]["metadata"]["id"], "m-20261001-aaaaaa");
    assert!(inbox["memories"][0]["body"].as_str().is_some());
    assert_eq!(
        printed(&Folder::vault(), &["inbox"]),
        "Nothing waits for you.\n"
    );
}

/// A number that was read stays that memory's, whatever comes in.
#[test]
fn what_comes_in_moves_no_number() {
    let folder = with_two_waiting();
    let before = json(&folder, &["inbox"]);
    assert!(
        run(&folder, &["capture", "记住：周五发版。"])
            .status
            .success()
    );
    let after = json(&folder, &["inbox"]);
    assert_eq!(after["total"], 3);
    for number in 0..2 {
        assert_eq!(after["memories"][number], before["memories"][number]);
    }
}

#[test]
fn a_number_that_is_not_there_changes_nothing() {
    let folder = with_two_waiting();
    let memories = || {
        let mut files = folder.files();
        files.retain(|path, _| path.starts_with(folder.at("memory")));
        files
    };
    let before = memories();
    for numbers in [&["1", "3"][..], &["2-3"], &["1-999999999999"]] {
        let arguments = [&["inbox", "confirm"], numbers].concat();
        let failure = failure(&folder, &arguments);
        let said = "2 inkvault: the inbox holds 2 memories and has no number ";
        assert!(failure.starts_with(said), "{failure}");
    }
    assert_eq!(memories(), before);
}

#[test]
fn an_inbox_fits_its_terminal() {
    let folder = with_two_waiting();
    let shown = on_terminal(&folder, 50, &["inbox"], "");
    let shown = String::from_utf8(shown.stdout).expect("text");
    assert!(shown.contains("Title of m…"), "{shown}");
    assert!(shown.contains("以后都用中文回答。"), "{shown}");
    let table = shown.lines().take_while(|line| !line.trim().is_empty());
    let widest = table.map(|line| line.trim_end().chars().count()).max();
    assert_eq!(widest, Some(50), "{shown}");
}

#[test]
fn wrong_usage_is_told_by_the_usage() {
    let (folder, id) = with_one();
    for arguments in [
        &["inbox", "confirm"][..],
        &["inbox", "confirm", "0"],
        &["inbox", "reject", "all"],
        &["inbox", "reject", "3-1"],
        &["confirm"],
        &["supersede", &id],
        &["conflict", &id],
        &["merge", &id],
        &["undo"],
        &["undo", &id, "--position", "1"],
        &["links"],
        &["journal", "--since", "yesterday"],
        &["trash", "empty", "--older-than", "1m"],
        &["trash", "empty", "--older-than", "30"],
    ] {
        let failure = failure(&folder, arguments);
        assert!(failure.starts_with("2 error: "), "{failure}");
        assert!(failure.contains("--help"), "{failure}");
    }
    let since = failure(&folder, &["journal", "--since", "yesterday"]);
    assert!(
        since.contains("2026-10-19") && since.contains("30d"),
        "{since}"
    );
}

#[test]
fn what_cannot_be_meant_is_refused() {
    let (folder, id) = with_one();
    let failures = [
        &["pin", &id, &id, "--revision", "0123456789abcdef"][..],
        &["inbox", "--limit", "1", "confirm", "1"],
        &["inbox", "confirm", "1"],
        &["trash", "empty"],
    ];
    folder.put(FORGOTTEN, "---\ntitle: Release day\n---\n\ntext");
    let failures = failures.map(|arguments| failure(&folder, arguments));
    assert_snapshot!(failures.concat(), @r"
    2 inkvault: --revision is that of one memory; give one ID with it
    2 inkvault: --limit is for looking; leave it out to confirm or reject
    2 inkvault: the inbox holds 0 memories and has no number 1; nothing was changed, look again with `inkvault inbox`
    2 inkvault: there is no terminal to ask on; give --yes to delete for good 1 memory (32 bytes), forgotten on 2026-10-19
    ");
}

#[test]
fn the_trash_shows_what_can_be_brought_back() {
    let folder = with_trash();
    assert_snapshot!(printed(&folder, &["trash"]), @r"
    id                 forgotten                 size  title
    m-20261019-ab12cd  2026-10-19 10:00 UTC  32 bytes  Release day
    other files  note.md
    ");
    assert_snapshot!(printed(&folder, &["trash", "--json"]), @r#"
    {
      "directory": ".trash",
      "memories": [
        {
          "id": "m-20261019-ab12cd",
          "title": "Release day",
          "forgotten": "2026-10-19T10:00:00.123Z",
          "bytes": 32,
          "path": ".trash/m-20261019-ab12cd-1760868000123.md"
        }
      ],
      "others": [
        "note.md"
      ]
    }
    "#);
    let empty = printed(&Folder::vault(), &["trash"]);
    assert_eq!(empty, "The trash is empty.\n");
}

#[test]
fn the_trash_is_emptied_of_forgotten_memories_alone() {
    let folder = with_trash();
    assert_snapshot!(printed(&folder, &["trash", "empty", "--yes"]), @r"
    Deleted 1 memory (32 bytes), forgotten on 2026-10-19.
    left  note.md
    ");
    assert!(!folder.at(FORGOTTEN).exists());
    assert_eq!(folder.text(".trash/note.md"), "somebody's own");
    let again = json(&folder, &["trash", "empty"]);
    assert_eq!(again["deleted"].as_array().map(Vec::len), Some(0));
    assert_eq!(again["others"][0], "note.md");
}

#[test]
fn what_is_young_stays_in_the_trash() {
    let folder = with_trash();
    let young = ["trash", "empty", "--older-than", "5000w", "--yes"];
    assert_eq!(json(&folder, &young)["kept"], 1);
    assert!(folder.at(FORGOTTEN).exists());
    let old = ["trash", "empty", "--older-than", "1d", "--yes"];
    assert_eq!(json(&folder, &old)["deleted"][0]["title"], "Release day");
    assert!(!folder.at(FORGOTTEN).exists());
}

#[test]
fn nothing_is_deleted_that_was_not_agreed_to() {
    let folder = with_trash();
    let refused = failure(&folder, &["trash", "empty"]);
    assert!(refused.starts_with("2 inkvault: "), "{refused}");
    assert!(refused.contains("--yes"), "{refused}");
    let refused = failure(&folder, &["--read-only", "trash", "empty", "--yes"]);
    assert!(refused.contains("--read-only"), "{refused}");
    for (answer, code) in [("n\n", 1), ("\n", 1), ("yes please\n", 1)] {
        let declined = on_terminal(&folder, 80, &["trash", "empty"], answer);
        assert_eq!(declined.status.code(), Some(code), "{declined:?}");
        assert!(folder.at(FORGOTTEN).exists(), "{answer:?}");
    }
    let agreed = on_terminal(&folder, 80, &["trash", "empty"], "y\n");
    assert!(agreed.status.success(), "{agreed:?}");
    let shown = settled(&folder, &String::from_utf8_lossy(&agreed.stdout));
    let what = "1 memory (32 bytes), forgotten on 2026-10-19";
    for part in [
        format!("Delete for good {what}? [y/N] "),
        format!("Deleted {what}."),
    ] {
        assert!(shown.contains(&part), "{shown}");
    }
    assert!(!folder.at(FORGOTTEN).exists());
}

/// What the trash leads to is not the vault's to delete.
#[test]
fn a_trash_that_leads_elsewhere_is_left_alone() {
    let (folder, elsewhere) = (with_trash(), with_trash());
    fs::remove_dir_all(folder.at(".trash")).expect("removed");
    symlink(elsewhere.at(".trash"), folder.at(".trash")).expect("a link");
    for arguments in [&["trash"][..], &["trash", "empty", "--yes"]] {
        let refused = failure(&folder, arguments);
        assert!(refused.starts_with("1 inkvault: "), "{refused}");
        assert!(refused.contains("leads elsewhere"), "{refused}");
    }
    assert!(elsewhere.at(FORGOTTEN).exists());
}

#[test]
fn a_reader_that_has_enough_is_no_failure() {
    let folder = Folder::vault();
    for number in 0..2_000 {
        let id = format!("m-20261001-{number:06}");
        pending(&folder, &id, "2026-10-01T00:00:00.000Z", "recall", "text");
        folder.put(&format!(".trash/{id}-1760868000123.md"), "");
    }
    for arguments in [&["inbox", "--limit", "2000"][..], &["trash"]] {
        let (_, output) = first_line(&folder, arguments);
        assert!(output.status.success(), "{output:?}");
    }
}
