//! Memories as a person or another program would write them.

/// The number `n` as an id.
#[must_use]
pub fn id(n: usize) -> String {
    format!("m-20261001-{n:06}")
}

/// The file of a memory.
#[must_use]
pub fn note(id: &str, title: &str, body: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: {title}\nkind: fact\nstatus: active\n\
         created: 2026-10-01T00:00:00.000Z\nupdated: 2026-10-01T00:00:00.000Z\n\
         tags: []\nconfidence: 0.5\nsource: manual\nhash: 0123456789abcdef\n\
         origin: ''\ndelivery: recall\n---\n\n{body}"
    )
}

/// The file of a memory of the `dsh-memory` format.
#[must_use]
pub fn obsidian_note(id: &str, title: &str, body: &str) -> String {
    format!(
        "---\nid: {id}\ntype: knowledge\nstatus: active\ntitle: {title}\n\
         created_at: 2026-10-01T00:00:00.000Z\nupdated_at: 2026-10-01T00:00:00.000Z\n\
         tags:\n  - knowledge\nconfidence: medium\npinned: false\nschema_version: 1\n---\n\n\
         # {title}\n\n## 核心内容\n\n{body}\n"
    )
}

/// The file of the memory `id(n)`, one of a series. Each has the word
/// `memory`, a word of its own (`number7`), and one of 17 topics (`topic7`).
#[must_use]
pub fn numbered(n: usize) -> String {
    note(&id(n), &format!("note {n}"), &series(n))
}

/// The text of a memory of the series.
pub(crate) fn series(n: usize) -> String {
    let (topic, character) = (n % 17, n % 13);
    format!("memory number{n} about topic{topic} and 记忆{character}")
}
