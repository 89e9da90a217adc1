//! Memory roots of the format `simple` from the command line: the steps of
//! its design on a real git repository, projects told by the working
//! directory, and a root that a person already has. What git is asked in
//! detail is in `git.rs`, what the engine does in `guest/tests/simple.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use inkvault_tests::{WorkTree, command};
use serde_json::Value;

const NOTE: &str = "common/流程-发布";

/// A place with a memory root and a project beside it.
struct Place {
    work_tree: WorkTree,
}

impl Place {
    /// A project called `app`, and nothing else yet.
    fn new() -> Self {
        let work_tree = WorkTree::outside();
        work_tree.put("w/app/.git/HEAD", "ref: refs/heads/main\n");
        work_tree.put("w/app/src/main.rs", "");
        work_tree.put("w/app/docs/指南.md", "");
        work_tree.put("w/app/docs/README.md", "");
        Self { work_tree }
    }

    /// With a root that `init` made.
    fn with_root() -> Self {
        let place = Self::new();
        place.run(&["init", "--format", "simple"]);
        place
    }

    fn at(&self, path: &str) -> PathBuf {
        self.work_tree.at(path)
    }

    fn output_in(&self, directory: &str, arguments: &[&str]) -> Output {
        let mut command = command::inkvault(self.work_tree.folder());
        command.current_dir(self.at(directory));
        command
            .env("HOME", "/nonexistent")
            .env("TZ", "Asia/Shanghai");
        command.arg("--vault").arg(self.at("mem"));
        command.args(arguments).output().expect("it runs")
    }

    /// What the command prints, run in the project's sources; it must succeed.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.output_in("w/app/src", arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [&["--json"], arguments].concat();
        serde_json::from_str(&self.run(&arguments)).expect("JSON")
    }

    /// The notes of a receipt, or of the first of several, one text.
    fn notes(&self, arguments: &[&str]) -> String {
        let answer = self.json(arguments);
        let receipt = answer.get(0).unwrap_or(&answer);
        let notes = receipt["notes"].as_array().expect("notes");
        let notes = notes.iter().map(|note| note.as_str().expect("a text"));
        notes.collect::<Vec<_>>().join("\n")
    }

    /// What git prints in the root; it must succeed.
    fn git(&self, arguments: &[&str]) -> String {
        let root = self.at("mem");
        let root = root.to_str().expect("UTF-8");
        self.work_tree.git(&[&["-C", root], arguments].concat())
    }

    /// Has git know who commits.
    fn name_person(&self) {
        self.git(&["config", "user.name", "Person"]);
        self.git(&["config", "user.email", "person@example.org"]);
    }

    /// The messages of the root's commits, oldest first.
    fn messages(&self) -> Vec<String> {
        let log = self.git(&["log", "--reverse", "--format=%s"]);
        log.lines().map(str::to_owned).collect()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.at(&format!("mem/{path}"))).expect("a file")
    }
}

/// Simple memory design §三, as the issue's six steps and more.
#[test]
fn the_steps_of_the_design_leave_a_commit_each() {
    let place = Place::with_root();
    let root = fs::read_dir(place.at("mem")).expect("a root");
    let mut made: Vec<_> = root
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    made.sort_unstable();
    let parts = [
        "README.md",
        "archive",
        "common",
        "projects",
        "references",
        "staging.md",
    ];
    assert_eq!(made, [&[".git"], &parts[..]].concat());
    let again = place.json(&["init", "--format", "simple"]);
    assert_eq!(again["made"], Value::Array(Vec::new()));

    let kind = ["--kind", "踩坑", "--title", "测试端口占用"];
    place.run(&[&["write", "--project", ".", "先查 8080"], &kind[..]].concat());
    place.run(&["write", "--kind", "流程", "--title", "发布", "先打标签"]);
    assert_eq!(
        place.run(&["index"]).lines().collect::<Vec<_>>()[1..4],
        [
            "本项目记忆 projects/app/：踩坑类：踩坑-测试端口占用.md",
            "本项目文档 docs/：指南.md",
            "全局通用经验 common/：流程类：流程-发布.md",
        ]
    );
    place.run(&["staging", "add", "--project", ".", "重试要带抖动"]);
    place.run(&[
        "staging", "promote", "1", "--kind", "流程", "--title", "重试",
    ]);
    place.run(&["forget", NOTE]);
    assert!(!place.run(&["index"]).contains("流程-发布"));
    place.run(&["restore", NOTE]);
    place.run(&["write", "--id", NOTE, "改坏了"]);
    place.run(&["rollback", NOTE, "--to", "HEAD~1"]);
    place.run(&["promote", "projects/app/踩坑-测试端口占用"]);
    place.run(&["undo", "common/踩坑-测试端口占用"]);

    assert_eq!(
        place.messages(),
        [
            "mem: 初始化",
            "mem: 记 踩坑-测试端口占用",
            "mem: 记 流程-发布",
            "mem: 入池 重试要带抖动",
            "mem: 升格 流程-重试",
            "mem: 遗忘 流程-发布",
            "mem: 恢复 流程-发布",
            "mem: 改 流程-发布",
            "mem: 回滚 流程-发布",
            "mem: 升格 踩坑-测试端口占用",
            "mem: 撤销 踩坑-测试端口占用",
        ]
    );
    assert_eq!(place.git(&["status", "--porcelain"]), "");
    assert_eq!(place.git(&["fsck", "--strict", "--no-progress"]), "");
    let text = place.text(&format!("{NOTE}.md"));
    assert!(
        text.starts_with("## 20") && text.ends_with(" 流程-发布\n\n先打标签\n"),
        "{text}"
    );
    assert!(!place.text("staging.md").contains("重试"));
    assert!(place.at("mem/projects/app/踩坑-测试端口占用.md").is_file());
}

#[test]
fn versions_are_listed_compared_and_brought_back() {
    let place = Place::with_root();
    place.run(&["write", "--kind", "流程", "--title", "发布", "先打标签"]);
    place.run(&["write", "--id", NOTE, "再推送"]);
    place.run(&["forget", NOTE]);
    let away = "archive/流程-发布";
    let versions = place.json(&["history", away]);
    let deeds = versions.as_array().expect("versions").iter();
    let deeds: Vec<_> = deeds
        .map(|version| version["deed"].as_str().expect("a word"))
        .collect();
    assert_eq!(deeds, ["moved", "changed", "added"]);
    let shown = place.run(&["diff", away, "--from", "HEAD~2"]);
    assert!(shown.contains("\n-先打标签\n+再推送\n"), "{shown}");

    // Under the id that it had then, and that nothing has now.
    place.run(&[
        "rollback",
        NOTE,
        "--to",
        "HEAD~2",
        "--reason",
        "it was right",
    ]);
    assert!(place.text(&format!("{NOTE}.md")).contains("先打标签"));
    assert!(!place.at(&format!("mem/{away}.md")).exists());

    // One that somebody deleted.
    fs::remove_file(place.at(&format!("mem/{NOTE}.md"))).expect("removed");
    place.name_person();
    place.git(&["commit", "--quiet", "--all", "--message=gone"]);
    place.run(&["rollback", NOTE, "--to", "HEAD~1"]);
    assert!(place.text(&format!("{NOTE}.md")).contains("先打标签"));
    assert_eq!(place.git(&["status", "--porcelain"]), "");

    let unknown = place.output_in(".", &["rollback", "common/none", "--to", "HEAD"]);
    assert_eq!(unknown.status.code(), Some(3), "{unknown:?}");
    let unknown = place.output_in(".", &["rollback", NOTE, "--to", "nothing"]);
    let why = String::from_utf8_lossy(&unknown.stderr);
    assert!(why.contains("`nothing` names no commit"), "{why}");
}

/// Whatever is in the way of a commit is a note; the memory stays written.
#[test]
fn what_keeps_a_change_from_being_committed_is_told() {
    let write = |title: &'static str| ["write", "--kind", "流程", "--title", title, "text"];
    type Hinder = fn(&Place);
    let hindrances: [(&str, Hinder); 4] = [
        ("no git repository here", |place| {
            fs::remove_dir_all(place.at("mem/.git")).expect("removed");
        }),
        ("detached", |place| {
            place.git(&["checkout", "--quiet", "--detach"]);
        }),
        ("index.lock", |place| {
            fs::write(place.at("mem/.git/index.lock"), "").expect("locked");
        }),
        ("staged", |place| {
            place.work_tree.put("mem/own.md", "own");
            place.git(&["add", "own.md"]);
        }),
    ];
    for (told, hinder) in hindrances {
        let place = Place::with_root();
        place.run(&write("一"));
        hinder(&place);
        let notes = place.notes(&write("二"));
        assert!(notes.contains(told), "{told}: {notes}");
        assert!(place.text("common/流程-二.md").contains("text"), "{told}");
    }
}

#[test]
fn a_persons_own_edit_is_not_committed_with_a_change_of_the_same_note() {
    let place = Place::with_root();
    place.run(&["write", "--kind", "流程", "--title", "发布", "先打标签"]);
    let head = place.git(&["rev-parse", "HEAD"]);
    let path = format!("mem/{NOTE}.md");
    let edited = fs::read_to_string(place.at(&path)).expect("a note") + "my own line\n";
    fs::write(place.at(&path), edited).expect("edited");
    let notes = place.notes(&["forget", NOTE]);
    assert!(notes.contains("流程-发布.md"), "{notes}");
    assert_eq!(place.git(&["rev-parse", "HEAD"]), head);
    assert!(
        place
            .text("archive/流程-发布.md")
            .ends_with("my own line\n")
    );
}

/// The files of a root that a person has had for long.
fn persons_root(place: &Place) -> BTreeMap<&'static str, String> {
    let large = "一条很长的记忆。".repeat(215);
    let files = [
        ("loose.md", "a loose note about kestrels\n".to_owned()),
        (
            "决策-旧.md",
            "# An old one\r\n\r\nwith its own line ends\r\n".to_owned(),
        ),
        (
            "common/nodash.md",
            "\u{feff}no dash in the name, peregrine\n".to_owned(),
        ),
        ("common/sub/deep.md", "nested merlin\n\n\n".to_owned()),
        (
            "common/踩坑-大.md",
            format!("## 2025-01-01 踩坑-大\n\n{large}\n"),
        ),
        (
            "projects/old/notes/x.md",
            "in a folder of a project, osprey".to_owned(),
        ),
        ("references/birds.md", "reference on harriers\n".to_owned()),
        ("common/.hidden-x.md", "hidden\n".to_owned()),
        ("common/picture.png", "no text".to_owned()),
        (
            "staging.md",
            "# mine\n- 2025-03-04 [来源：old] 想法".to_owned(),
        ),
    ];
    for (path, content) in &files {
        place.work_tree.put(&format!("mem/{path}"), content);
    }
    place.git(&["init", "--quiet", "--initial-branch=main"]);
    for identity in [
        ["user.name", "Person"],
        ["user.email", "person@example.org"],
    ] {
        place.git(&["config", identity[0], identity[1]]);
    }
    place.git(&["add", "--all"]);
    place.git(&["commit", "--quiet", "--message=my notes"]);
    place.work_tree.put(
        "mem/common/流程-untracked.md",
        "never committed, gyrfalcon\n",
    );
    let untracked = (
        "common/流程-untracked.md",
        "never committed, gyrfalcon\n".to_owned(),
    );
    files.into_iter().chain([untracked]).collect()
}

#[test]
fn a_root_that_a_person_has_is_used_and_stays_theirs() {
    let place = Place::new();
    fs::create_dir_all(place.at("mem")).expect("a directory");
    let files = persons_root(&place);
    assert!(files["common/踩坑-大.md"].len() > 5_000);
    for word in [
        "kestrels",
        "peregrine",
        "merlin",
        "osprey",
        "harriers",
        "gyrfalcon",
    ] {
        let hits = place.json(&["search", word]);
        assert_eq!(hits.as_array().expect("hits").len(), 1, "{word}");
    }
    let status = place.json(&["status"]);
    assert_eq!(
        (&status["format"], &status["staged"]),
        (&"simple".into(), &1.into())
    );

    place.run(&[
        "write",
        "--project",
        ".",
        "--kind",
        "踩坑",
        "--title",
        "new",
        "text",
    ]);
    place.run(&["write", "--kind", "流程", "--title", "gone", "text"]);
    place.run(&["forget", "common/流程-gone"]);
    place.run(&["staging", "add", "of ours"]);
    place.run(&["staging", "drop", "2"]);
    place.run(&["rebuild"]);
    place.run(&["verify", "--fix"]);
    for (path, content) in &files {
        // An entry was added to the pool, on a line of its own, and removed.
        let expected = match *path {
            "staging.md" => format!("{content}\n"),
            _ => content.clone(),
        };
        assert_eq!(place.text(path), expected, "{path}");
    }
    let log = place.git(&["log", "--format=", "--name-only", "HEAD~5..HEAD"]);
    let touched: std::collections::BTreeSet<_> =
        log.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(touched.len(), 4, "{log}");
    assert_eq!(
        place.git(&["-c", "core.quotePath=false", "status", "--porcelain"]),
        "?? common/流程-untracked.md\n"
    );
    assert_eq!(place.git(&["fsck", "--strict", "--no-progress"]), "");
    assert_eq!(place.messages()[0], "my notes");
}

/// Design §8: the nearest `.git`; without one the directory itself.
#[test]
fn the_project_is_that_of_the_working_directory() {
    let place = Place::with_root();
    fs::create_dir_all(place.at("w/plain/deep")).expect("a directory");
    let write = |title| {
        [
            "write",
            "--project",
            ".",
            "--kind",
            "流程",
            "--title",
            title,
            "text",
        ]
    };
    for (directory, title, expected) in [
        ("w/app/src", "a", "projects/app/流程-a"),
        ("w/plain/deep", "b", "projects/deep/流程-b"),
        ("mem/projects/app", "c", "projects/app/流程-c"),
    ] {
        let arguments = [&["--json"][..], &write(title)].concat();
        let output = place.output_in(directory, &arguments);
        let receipt: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(receipt["metadata"]["id"], expected, "{directory}");
    }
    let nowhere = place.output_in("mem", &write("d"));
    assert_eq!(nowhere.status.code(), Some(2), "{nowhere:?}");
    let silent = place.output_in("mem", &["index"]);
    assert!(
        silent.status.success() && silent.stdout.is_empty(),
        "{silent:?}"
    );
    let named = place.json(&[
        "write",
        "--project",
        "other",
        "--kind",
        "流程",
        "--title",
        "e",
        "x",
    ]);
    assert_eq!(named["metadata"]["scope"], "other");
    let moved = place.json(&["write", "--id", "projects/other/流程-e", "--global"]);
    assert_eq!(moved["metadata"]["id"], "common/流程-e");
    let projects = place.json(&["projects"]);
    assert_eq!(
        projects,
        serde_json::json!([{"name": "app", "count": 2}, {"name": "deep", "count": 1}])
    );
    let hits = place.json(&["search", "text", "--project", "."]);
    assert_eq!(hits.as_array().expect("hits").len(), 2);
}

#[test]
fn a_conversation_is_given_the_list_once() {
    let place = Place::with_root();
    place.run(&["write", "--kind", "流程", "--title", "a", "text"]);
    let index = ["index", "--conversation", "one"];
    assert!(place.run(&index).contains("流程-a.md"));
    assert_eq!(place.run(&index), "");
    assert!(
        place
            .run(&["index", "--conversation", "two"])
            .contains("流程-a.md")
    );
    let short = place.json(&["index", "--max-chars", "10"]);
    assert_eq!(
        (&short["text"], &short["omitted"]),
        (&Value::Null, &2.into())
    );
}

/// Vaults of other formats are committed where that is asked for.
#[test]
fn other_formats_are_committed_when_asked() {
    for (format, setting) in [("inkvault", ".inkvault"), ("dsh-memory", ".dsh-memory")] {
        let place = Place::new();
        place.run(&["init", "--format", format]);
        assert!(!place.at("mem/.git").exists());
        assert_eq!(place.notes(&["write", "not committed"]), "");
        place.run(&["init", "--git"]);
        let written = place.json(&["--git", "write", "Tabs over spaces"]);
        assert_eq!(written["notes"], Value::Array(Vec::new()));
        let message = "mem: write Tabs over spaces";
        assert_eq!(place.messages().last().map(String::as_str), Some(message));

        let config = place.at(&format!("mem/{setting}/config.json"));
        let mut known: Value =
            serde_json::from_slice(&fs::read(&config).expect("a file")).expect("JSON");
        known["settings"]["git"] = true.into();
        fs::write(&config, known.to_string()).expect("written");
        let id = written["metadata"]["id"].as_str().expect("an id");
        place.run(&["archive", id]);
        assert_eq!(
            place.messages().last().map(String::as_str),
            Some("mem: archive Tabs over spaces")
        );
        place.run(&["rollback", id, "--to", "HEAD~1"]);
        let memory = place.json(&["show", id]);
        assert_eq!(memory["metadata"]["status"], "active");
        assert_eq!(
            place.messages().last().map(String::as_str),
            Some("mem: roll-back Tabs over spaces")
        );
        place.run(&["--git=false", "forget", id]);
        assert!(
            place
                .messages()
                .last()
                .is_some_and(|last| last.contains("roll-back"))
        );
    }
}

/// A vault in a folder of a repository that is somebody else's is committed
/// there only where somebody says so.
#[test]
fn a_repository_around_a_vault_is_left_alone_unless_it_is_named() {
    let place = Place::new();
    let root = place.at("mem");
    fs::create_dir_all(&root).expect("a directory");
    place
        .work_tree
        .git(&["init", "--quiet", "--initial-branch=main"]);
    place.run(&["--git=false", "init", "--format", "simple"]);
    assert!(!place.at("mem/.git").exists());
    let notes = place.notes(&["write", "--kind", "流程", "--title", "a", "text"]);
    assert!(notes.contains("no git repository here"), "{notes}");
    let notes = place.notes(&["--git", "write", "--kind", "流程", "--title", "b", "text"]);
    assert_eq!(notes, "");
    assert_eq!(
        committed(&place.work_tree, Path::new("mem")),
        ["mem/common/流程-b.md"]
    );
}

fn committed(work_tree: &WorkTree, below: &Path) -> Vec<String> {
    let below = below.to_str().expect("UTF-8");
    let quoted = [
        "-c",
        "core.quotePath=false",
        "ls-tree",
        "-r",
        "--name-only",
        "HEAD",
        below,
    ];
    work_tree.git(&quoted).lines().map(str::to_owned).collect()
}
