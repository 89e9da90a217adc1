//! Entries of a staging pool, which are no memories there and are memories
//! that wait to be confirmed elsewhere.

use super::tables::{Pool, Shape};
use super::text::cut;
use crate::types::{Delivery, Memory, Metadata, Source, Status};
use crate::upkeep::Staged;

/// The name of an entry in a report and in `converted-from`.
pub(super) fn id(pool: &Pool, number: u32) -> String {
    format!("{}#{number}", pool.file)
}

/// Whether it is an entry that was read as a memory.
pub(super) fn is_entry(shape: &Shape, memory: &Metadata) -> bool {
    let pool = shape.pool.as_ref();
    pool.is_some_and(|pool| pool.file == memory.path)
}

/// An entry as a memory. Its first line is the title, as far as `to` has
/// room for it.
pub(super) fn as_memory(from: &Shape, pool: &Pool, to: &Shape, entry: Staged) -> Memory {
    let line = entry.text.lines().next().unwrap_or_default();
    let metadata = Metadata {
        id: id(pool, entry.number),
        title: cut(line, to.title_limit).to_owned(),
        kind: String::new(),
        status: Status::Pending,
        created: entry.date.clone(),
        updated: entry.date,
        tags: Vec::new(),
        aliases: Vec::new(),
        confidence: from.default_confidence,
        importance: None,
        pinned: false,
        delivery: Delivery::Recall,
        source: Source::Manual,
        origin: String::new(),
        evidence: String::new(),
        supersedes: Vec::new(),
        superseded_by: String::new(),
        conflicts_with: Vec::new(),
        converted_from: String::new(),
        scope: entry.scope,
        path: pool.file.to_owned(),
        revision: String::new(),
        hash: String::new(),
        bytes: 0,
        repairs: Vec::new(),
    };
    Memory {
        metadata,
        body: entry.text,
    }
}
