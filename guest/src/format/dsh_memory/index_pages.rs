//! `Index/*.md`: what a person finds the memories by in Obsidian (dsh-memory
//! format §2). There is no clock in them, so that a vault under git changes
//! only where its memories do.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::places::DIRECTORIES;
use crate::environment::VaultPath;
use crate::error::Result;
use crate::format::{Export, Exported, Language, Sink, TermView};
use crate::memory::{Memory, Status};
use crate::text::characters;
use crate::timestamp::Timestamp;

/// What the memories are listed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Their type, in the order of the directories.
    Type,
    /// Their tags, in the order of their characters.
    Tag,
}

/// The statuses out of force, as they are counted.
const OTHERS: [Status; 5] = [
    Status::Pending,
    Status::Conflict,
    Status::Stale,
    Status::Superseded,
    Status::Archived,
];

/// One of the files. It keeps a line for each memory in force.
#[derive(Debug)]
pub(super) struct IndexPage {
    order: Order,
    language: Language,
    groups: BTreeMap<String, Vec<Line>>,
    in_force: usize,
    others: [usize; OTHERS.len()],
}

/// A memory in a list: newest first, then by id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    updated: Reverse<Option<Timestamp>>,
    id: String,
    text: String,
}

impl IndexPage {
    /// An index in an order, its words in a language.
    pub(super) fn new(order: Order, language: Language) -> Self {
        IndexPage {
            order,
            language,
            groups: BTreeMap::new(),
            in_force: 0,
            others: [0; OTHERS.len()],
        }
    }

    fn heading(&self) -> &'static str {
        match (self.order, self.language) {
            (Order::Type, Language::English) => "By type",
            (Order::Type, Language::Chinese) => "按类别",
            (Order::Tag, Language::English) => "By tag",
            (Order::Tag, Language::Chinese) => "按标签",
        }
    }

    /// The name of a group as it is shown, before its number of memories.
    fn shown<'g>(&self, group: &'g str) -> &'g str {
        match self.order {
            Order::Type => type_name(group, self.language),
            Order::Tag => group,
        }
    }

    /// The groups in their order.
    fn groups(&self) -> Vec<(&str, &[Line])> {
        let groups = self.groups.iter();
        let mut groups: Vec<_> = groups
            .map(|(group, lines)| (group.as_str(), lines.as_slice()))
            .collect();
        if self.order == Order::Type {
            groups.sort_by_key(|(group, _)| DIRECTORIES.iter().position(|(kind, _)| kind == group));
        }
        groups
    }

    /// What the file is and how many memories it leaves out.
    fn introduction(&self) -> String {
        let counts = OTHERS
            .iter()
            .zip(self.others)
            .filter(|(_, count)| *count > 0);
        let name = |status| status_name(status, self.language);
        let counts = counts.map(|(status, count)| format!("{} {count}", name(*status)));
        let counts: Vec<_> = counts.collect();
        match self.language {
            Language::English => format!(
                "Written by `inkvault rebuild`: what is changed here is lost.\n\nIn force: {}. Not listed: {}.",
                self.in_force,
                if counts.is_empty() {
                    "none".to_owned()
                } else {
                    counts.join(", ")
                }
            ),
            Language::Chinese => format!(
                "由 `inkvault rebuild` 生成，在此所做的修改会丢失。\n\n有效记忆 {} 条；未列出：{}。",
                self.in_force,
                if counts.is_empty() {
                    "无".to_owned()
                } else {
                    counts.join("、")
                }
            ),
        }
    }
}

impl Export for IndexPage {
    fn path(&self) -> VaultPath {
        VaultPath::known(format!("Index/{}.md", self.heading()))
    }

    fn spares_unchanged(&self) -> bool {
        true
    }

    fn begin(&mut self, _sink: &mut Sink<'_>) -> Result<()> {
        Ok(())
    }

    fn memory(&mut self, exported: Exported<'_>, _sink: &mut Sink<'_>) -> Result<()> {
        let metadata = &exported.memory.metadata;
        if let Some(at) = OTHERS.iter().position(|status| *status == metadata.status) {
            self.others[at] += 1;
            return Ok(());
        }
        self.in_force += 1;
        let groups = match self.order {
            Order::Type => std::slice::from_ref(&metadata.kind),
            Order::Tag => metadata.tags.as_slice(),
        };
        for group in groups {
            let lines = self.groups.entry(group.clone()).or_default();
            lines.push(Line::of(exported.memory));
        }
        Ok(())
    }

    fn end(&mut self, _now: Timestamp, _terms: &dyn TermView, sink: &mut Sink<'_>) -> Result<()> {
        self.groups
            .values_mut()
            .for_each(|lines| lines.sort_unstable());
        sink(&format!(
            "# {}\n\n{}\n",
            self.heading(),
            self.introduction()
        ))?;
        for (group, lines) in self.groups() {
            sink(&format!("\n## {} ({})\n\n", self.shown(group), lines.len()))?;
            lines.iter().try_for_each(|line| sink(&line.text))?;
        }
        Ok(())
    }
}

impl Line {
    /// A date that had to be assumed is not shown: it is the file's own time,
    /// which copying changes.
    fn of(memory: &Memory) -> Self {
        let metadata = &memory.metadata;
        let updated = (!memory.assumed.updated).then_some(metadata.updated);
        let date = updated.map_or(String::new(), |date| format!(" · {}", date.local_date(0)));
        Line {
            updated: Reverse(updated),
            id: metadata.id.clone(),
            text: format!("- {}{date}\n", link(memory)),
        }
    }
}

/// A wikilink to a memory's file; its title alone where the file's name cannot
/// stand in one.
fn link(memory: &Memory) -> String {
    let blanked = |c: char| if matches!(c, '[' | ']' | '|') { ' ' } else { c };
    let title: String = memory.metadata.title.chars().map(blanked).collect();
    let title = characters::one_line(&title);
    let name = memory.path.markdown_stem().unwrap_or_default();
    if name.contains(['[', ']', '|', '#', '^']) {
        title
    } else {
        format!("[[{name}|{title}]]")
    }
}

fn type_name(kind: &str, language: Language) -> &str {
    let names = match kind {
        "knowledge" => ["Knowledge", "知识"],
        "profile" => ["Profile", "个人资料"],
        "preference" => ["Preferences", "偏好"],
        "project" => ["Projects", "项目"],
        "project-state" => ["Project states", "项目状态"],
        "decision" => ["Decisions", "决策"],
        "experience" => ["Experiences", "经验"],
        "task" => ["Tasks", "任务"],
        other => [other, other],
    };
    match language {
        Language::English => names[0],
        Language::Chinese => names[1],
    }
}

fn status_name(status: Status, language: Language) -> &'static str {
    match (language, status) {
        (Language::English, status) => status.name(),
        (Language::Chinese, Status::Active) => "有效",
        (Language::Chinese, Status::Pending) => "待确认",
        (Language::Chinese, Status::Conflict) => "矛盾",
        (Language::Chinese, Status::Stale) => "过时",
        (Language::Chinese, Status::Superseded) => "已被取代",
        (Language::Chinese, Status::Archived) => "已归档",
    }
}
