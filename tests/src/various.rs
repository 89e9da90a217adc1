//! Many different memories of the format `inkvault`: all kinds, statuses and
//! relations, Chinese and English, and what YAML and Markdown make hard. The
//! same number always gives the same memory.

use inkvault_guest::memory::{Delivery, Metadata, Source, Status};
use inkvault_guest::timestamp::Timestamp;

use crate::note::id;

const KINDS: [&str; 6] = [
    "fact",
    "preference",
    "decision",
    "project",
    "reference",
    "task",
];

const STATUSES: [Status; 3] = [Status::Active, Status::Pending, Status::Archived];

const TITLES: [&str; 4] = [
    "Release day",
    "用中文回答",
    "Notes: a “quoted” title",
    "@me [草稿] 计划 #3",
];

const BODIES: [&str; 5] = [
    "One line.",
    "一行中文。\n\n第二段，见 [[Release day 0]]。",
    "# Another heading\n\n- a list\n- of two\n\n## A section\n\n```rust\n## no heading\n```",
    "## Only a section\n\ntext\n\n## 相关记忆\n\n- [[用中文回答 1]]",
    "    indented\n\n> quoted\n\n---\n\nkey: value",
];

const TAGS: [&str; 4] = ["editor", "深色-主题", "c++", "a/b"];

const ALIASES: [&str; 3] = ["an alias, with a comma", "别名", "Alias: 3"];

const ORIGINS: [&str; 3] = ["", "session-dd7bfd09", "会话 1"];

const EVIDENCE: [&str; 4] = [
    "",
    "said so in a meeting",
    "用户在验收时明确要求。",
    "`cargo test`\n## no heading",
];

/// Values that every format holds as they are.
const CONFIDENCES: [f64; 3] = [0.3, 0.6, 0.9];

/// The memory of this number, and its text.
#[must_use]
pub fn various(n: usize) -> (Metadata, String) {
    let created = Timestamp::from_millis(1_700_000_000_000 + n as i64 * 86_400_123);
    let prompt = n.is_multiple_of(5);
    let mut metadata = Metadata {
        id: id(n),
        title: format!("{} {n}", turn(n, &TITLES)),
        status: turn(n, &STATUSES),
        updated: Timestamp::from_millis(created.millis() + n as i64 * 1_001),
        tags: some(n, &TAGS),
        aliases: some(n, &ALIASES),
        confidence: turn(n, &CONFIDENCES),
        importance: n.is_multiple_of(2).then_some((n % 101) as u8),
        pinned: n.is_multiple_of(7),
        delivery: [Delivery::Recall, Delivery::Prompt][usize::from(prompt)],
        source: Source::Capture,
        origin: turn(n, &ORIGINS).to_owned(),
        evidence: turn(n, &EVIDENCE).to_owned(),
        ..Metadata::blank(turn(n, &KINDS), created)
    };
    relate(&mut metadata, n);
    let body = turn(n, &BODIES);
    (metadata, format!("{body}\n\nMemory {n}, {}.", id(n / 2)))
}

/// Of ten memories one replaces another, two contradict each other, one has
/// the id of another as an alias, and one refers to nothing that is there.
fn relate(metadata: &mut Metadata, n: usize) {
    match n % 10 {
        1 => metadata.supersedes = vec![id(n + 1)],
        2 => {
            metadata.status = Status::Superseded;
            metadata.superseded_by = id(n - 1);
        }
        3 => contradict(metadata, n + 1),
        4 => contradict(metadata, n - 1),
        5 => metadata.aliases.push(id(n + 1)),
        6 => metadata.supersedes = vec!["m-20200101-gone00".to_owned()],
        _ => {}
    }
}

fn contradict(metadata: &mut Metadata, other: usize) {
    metadata.status = Status::Conflict;
    metadata.conflicts_with = vec![id(other)];
}

/// One of the values, each in its turn.
fn turn<T: Copy>(n: usize, values: &[T]) -> T {
    values[n % values.len()]
}

/// None, some or all of the values.
fn some(n: usize, values: &[&str]) -> Vec<String> {
    let values = values.iter().take(n % (values.len() + 1));
    values.map(|value| (*value).to_owned()).collect()
}
