//! A format as the tests meet it: what a person would write, and where it
//! lies. What holds for vaults of every format is tested on each.

use std::time::Duration;

use inkvault_guest::environment::Machine;
use inkvault_guest::memory::Memory;
use inkvault_guest::timestamp::Timestamp;
use inkvault_guest::vault::Vault;

/// The formats that can be opened.
pub(crate) const LAYOUTS: [Layout; 2] = [Layout::INKVAULT, Layout::DSH_MEMORY];

/// Tests something on every format.
pub(crate) fn on_every_layout(test: impl Fn(Layout)) {
    for layout in LAYOUTS {
        eprintln!("format: {}", layout.name);
        test(layout);
    }
}

/// What is to be known of a format.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) name: &'static str,
    /// The directory in which active memories of the default kind lie.
    pub(crate) directory: &'static str,
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
    /// The file of the journal on the machine's day, in the private folder.
    pub(crate) journal: &'static str,
    /// How ids begin that are given on the machine's day.
    pub(crate) new_ids: &'static str,
    /// A caller can say where a new memory goes.
    pub(crate) places_are_chosen: bool,
    /// Without its configuration the vault can only be read.
    pub(crate) needs_config: bool,
    id: fn(usize) -> String,
    note: fn(&str, &str, &str) -> String,
    text: fn(&str) -> &str,
}

impl Layout {
    /// inkvault contract §0.
    pub(crate) const INKVAULT: Layout = Layout {
        name: "inkvault",
        directory: "memory",
        elsewhere: None,
        directories: 1,
        private: ".inkvault",
        trash: ".trash",
        quarantine: Some(".inkvault/quarantine"),
        visible: &["memory/", ".trash/", ".inkvault/quarantine/"],
        journal: "journal.jsonl",
        new_ids: "m-20261019-",
        places_are_chosen: true,
        needs_config: false,
        id: |n| format!("m-20261001-{n:06}"),
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
        journal: "journal/2026-10.jsonl",
        new_ids: "mem_20261019t",
        places_are_chosen: false,
        needs_config: true,
        id: |n| format!("mem_20261001t000000_{n:08}"),
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

    /// The file of an active memory of the default kind, as a person or
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
        self.file(&format!("{}.md", self.id(n)))
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

    /// Puts `count` memories on a machine, all of them long settled.
    pub(crate) fn fill(self, machine: &Machine, count: usize) {
        for n in 0..count {
            let body = format!("memory number{n} about topic{} and 记忆{}", n % 17, n % 13);
            let note = self.note(&self.id(n), &format!("note {n}"), &body);
            machine.put(&self.path(n), note);
        }
        machine.advance(Duration::from_secs(60));
    }
}
