//! A format as the tests meet it: what a person would write, and where it
//! lies. What holds for vaults of every format is tested on each.

use std::time::Duration;

use inkvault_guest::environment::Machine;
use inkvault_guest::memory::Memory;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::Vault;

/// The formats that can be opened.
pub(crate) const LAYOUTS: [Layout; 3] = [Layout::INKVAULT, Layout::DSH_MEMORY, Layout::SIMPLE];

/// Tests something on every format.
pub(crate) fn on_every_layout(test: impl Fn(Layout)) {
    on_layouts_with(|_| true, test);
}

/// Tests something on the formats that have what it is about.
pub(crate) fn on_layouts_with(has: impl Fn(Layout) -> bool, test: impl Fn(Layout)) {
    for layout in LAYOUTS.into_iter().filter(|layout| has(*layout)) {
        eprintln!("format: {}", layout.name);
        test(layout);
    }
}

/// What is to be known of a format.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    /// The directory in which active memories of the tests' kind lie.
    pub(crate) directory: &'static str,
    /// That kind.
    pub(crate) kind: &'static str,
    /// A directory of memories in which such a memory does not belong, where
    /// the format cares.
    pub(crate) elsewhere: Option<&'static str>,
    /// How many directories hold memories.
    pub(crate) directories: u64,
    pub(crate) private: &'static str,
    pub(crate) trash: &'static str,
    /// Where bad files are moved, if at all.
    pub(crate) quarantine: Option<&'static str>,
    /// Where all files lie that hold memories or held them.
    pub(crate) visible: &'static [&'static str],
    /// The file of the journal on the machine's day, in the private folder;
    /// none where the format keeps no journal.
    pub(crate) journal: Option<&'static str>,
    /// How ids begin that are drawn on the machine's day; none where the id
    /// of a memory is its path without `.md`.
    pub(crate) new_ids: Option<&'static str>,
    /// The name of a file that a caller can ask for, for a new memory, where the format leaves that choice.
    pub(crate) chosen: Option<&'static str>,
    /// Without its configuration the vault can only be read.
    pub(crate) needs_config: bool,
    /// The call by which `init` makes a directory a vault, and on what.
    pub(crate) mark: (&'static str, &'static str),
    /// What comes before the name of the file by which `init` tries whether
    /// it can write.
    pub(crate) tried: &'static str,
    /// Memories can wait for a person to confirm them.
    pub(crate) pending: bool,
    /// Memories name each other.
    pub(crate) relations: bool,
    /// Files begin with values that somebody can spoil.
    pub(crate) frontmatter: bool,
    /// The file of a memory `n` that belongs to a project, in a format that
    /// has projects.
    of_project: Option<fn(usize) -> String>,
    /// The staging pool's file, in a format that has one.
    pub(crate) pool: Option<&'static str>,
    id: fn(usize) -> String,
    title: fn(usize) -> String,
    note: fn(&str, &str, &str) -> String,
    text: fn(&str) -> &str,
}

impl Layout {
    /// inkvault contract §0.
    pub(crate) const INKVAULT: Layout = Layout {
        name: "inkvault",
        directory: "memory",
        kind: "fact",
        elsewhere: None,
        directories: 1,
        private: ".inkvault",
        trash: ".trash",
        quarantine: Some(".inkvault/quarantine"),
        visible: &["memory/", ".trash/", ".inkvault/quarantine/"],
        journal: Some("journal.jsonl"),
        new_ids: Some("m-20261019-"),
        chosen: Some("x.md"),
        needs_config: false,
        mark: ("link", ".inkvault/config.json"),
        tried: ".inkvault/quarantine/",
        pending: true,
        relations: true,
        frontmatter: true,
        of_project: None,
        pool: None,
        id: |n| format!("m-20261001-{n:06}"),
        title: |n| format!("note {n}"),
        note: |id, title, body| {
            format!(
                "---\nid: {id}\ntitle: {title}\nkind: fact\nstatus: active\n\
                 created: 2026-10-01T00:00:00.000Z\nupdated: 2026-10-01T00:00:00.000Z\n\
                 tags: []\nconfidence: 0.5\nsource: manual\nhash: 0123456789abcdef\n\
                 origin: ''\ndelivery: recall\n---\n\n{body}"
            )
        },
        text: |body| body,
    };

    /// dsh-memory format §2, §3.
    pub(crate) const DSH_MEMORY: Layout = Layout {
        name: "dsh-memory",
        directory: "Knowledge",
        kind: "knowledge",
        elsewhere: Some("Decisions"),
        directories: 11,
        private: ".dsh-memory",
        trash: ".dsh-memory/trash",
        quarantine: None,
        visible: &[
            "Profile/",
            "Preferences/",
            "Projects/",
            "Decisions/",
            "Knowledge/",
            "Experiences/",
            "Tasks/",
            "Inbox/",
            "Archive/",
            "Conflicts/",
            ".dsh-memory/trash/",
        ],
        journal: Some("journal/2026-10.jsonl"),
        new_ids: Some("mem_20261019t"),
        chosen: None,
        needs_config: true,
        mark: ("link", ".dsh-memory/config.json"),
        tried: ".dsh-memory/quarantine/",
        pending: true,
        relations: true,
        frontmatter: true,
        of_project: None,
        pool: None,
        id: |n| format!("mem_20261001t000000_{n:08}"),
        title: |n| format!("note {n}"),
        note: |id, title, body| {
            format!(
                "---\nid: {id}\ntype: knowledge\nstatus: active\ntitle: {title}\n\
                 created_at: 2026-10-01T00:00:00.000Z\nupdated_at: 2026-10-01T00:00:00.000Z\n\
                 tags:\n  - knowledge\nconfidence: high\npinned: false\nschema_version: 1\n---\n\n\
                 # {title}\n\n## 核心内容\n\n{body}\n\n## 来源与依据\n\n（暂无可追溯来源）\n"
            )
        },
        text: |body| {
            let summary = body.split("## ").nth(1).unwrap_or(body);
            summary.strip_prefix("核心内容").unwrap_or(summary).trim()
        },
    };

    /// Simple memory design §二, §三.2.
    pub(crate) const SIMPLE: Layout = Layout {
        name: "simple",
        directory: "common",
        kind: "笔记",
        elsewhere: None,
        directories: 5,
        private: ".inkvault",
        trash: "archive",
        quarantine: None,
        visible: &[
            "common/",
            "projects/",
            "references/",
            "archive/",
            "staging.md",
        ],
        journal: None,
        new_ids: None,
        chosen: Some("笔记-x.md"),
        needs_config: false,
        mark: ("create directory", "projects"),
        tried: "",
        pending: false,
        relations: false,
        frontmatter: false,
        of_project: Some(|n| format!("projects/app/笔记-{n:06}.md")),
        pool: Some("staging.md"),
        id: |n| format!("common/笔记-{n:06}"),
        title: |n| format!("{n:06}"),
        note: |id, _, body| {
            let name = id.rsplit('/').next().unwrap_or(id);
            format!("## 2026-10-01 {name}\n\n{body}\n")
        },
        text: |body| match body.split_once('\n') {
            // The heading of a file that was given another name.
            Some((heading, rest)) if heading.starts_with("## 2026-10-01 ") => rest.trim(),
            _ => body,
        },
    };

    /// A machine with an empty vault, at a fixed time.
    pub(crate) fn machine(self) -> Machine {
        let machine = Machine::new();
        machine.set_now(Timestamp::parse("2026-10-19T10:00:00.123Z").expect("a date"));
        self.open(&machine).init(self.name, None).expect("a vault");
        machine
    }

    /// The vault on a machine, for a process of its own.
    pub(crate) fn open(self, machine: &Machine) -> Vault {
        Vault::new(Box::new(machine.process()))
    }

    /// The number `n` as an id.
    pub(crate) fn id(self, n: usize) -> String {
        (self.id)(n)
    }

    /// The title that memory `n` is found by.
    pub(crate) fn title(self, n: usize) -> String {
        (self.title)(n)
    }

    /// What memory `n` is known by in a file: its id, or where that is.
    pub(crate) fn id_in(self, n: usize, path: &str) -> String {
        match path.strip_suffix(".md") {
            Some(place) if self.new_ids.is_none() => place.to_owned(),
            _ => self.id(n),
        }
    }

    /// Whether a directory is a vault by the configuration that `init` makes;
    /// else the first change makes one.
    pub(crate) fn is_known_by_config(self) -> bool {
        self.mark.1.starts_with(self.private)
    }

    /// Several files can claim one id.
    pub(crate) fn ids_can_be_claimed(self) -> bool {
        self.new_ids.is_some()
    }

    /// The file of memory `n` of a project.
    pub(crate) fn path_in_project(self, n: usize) -> Option<String> {
        self.of_project.map(|path| path(n))
    }

    /// The file of an active memory of the tests' kind, as a person or
    /// another program would write it.
    pub(crate) fn note(self, id: &str, title: &str, body: &str) -> String {
        (self.note)(id, title, body)
    }

    /// What a person wrote in a memory, without what the format puts around
    /// it.
    pub(crate) fn text(self, memory: &Memory) -> &str {
        (self.text)(&memory.body)
    }

    /// A file among the memories.
    pub(crate) fn file(self, name: &str) -> String {
        format!("{}/{name}", self.directory)
    }

    /// The file of memory `n`.
    pub(crate) fn path(self, n: usize) -> String {
        let id = self.id(n);
        self.file(&format!("{}.md", id.rsplit('/').next().unwrap_or(&id)))
    }

    /// A file of the private folder.
    pub(crate) fn private(self, name: &str) -> String {
        format!("{}/{name}", self.private)
    }

    /// Whether a file holds a memory or held one.
    pub(crate) fn shows(self, path: &str) -> bool {
        self.visible.iter().any(|folder| path.starts_with(folder))
    }

    /// Whether a file lies where bad files are moved.
    pub(crate) fn is_quarantined(self, path: &str) -> bool {
        self.quarantine.is_some_and(|folder| {
            path.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }

    /// The lines of the journal, oldest first.
    pub(crate) fn journal(self, machine: &Machine) -> Vec<serde_json::Value> {
        let files = machine.files().into_iter();
        let journals = files.filter(|(path, _)| path.starts_with(&self.private("journal")));
        let bytes = journals
            .map(|(_, bytes)| bytes)
            .collect::<Vec<_>>()
            .concat();
        let lines = bytes.split(|byte| *byte == b'\n');
        lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }

    /// Takes the configuration away, where there is one.
    pub(crate) fn lose_config(self, machine: &Machine) {
        let config = self.private("config.json");
        if machine.bytes(&config).is_some() {
            machine.remove(&config);
        }
    }

    /// Puts `count` memories on a machine, all of them long settled.
    pub(crate) fn fill(self, machine: &Machine, count: usize) {
        for n in 0..count {
            let body = format!("memory number{n} about topic{} and 记忆{}", n % 17, n % 13);
            let note = self.note(&self.id(n), &self.title(n), &body);
            machine.put(&self.path(n), note);
        }
        machine.advance(Duration::from_secs(60));
    }
}
