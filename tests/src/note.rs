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

/// The file of the memory `id(n)`, one of a series. Each has the word
/// `memory`, a word of its own (`number7`), and one of 17 topics (`topic7`).
#[must_use]
pub fn numbered(n: usize) -> String {
    let (topic, character) = (n % 17, n % 13);
    let body = format!("memory number{n} about topic{topic} and 记忆{character}");
    note(&id(n), &format!("note {n}"), &body)
}
