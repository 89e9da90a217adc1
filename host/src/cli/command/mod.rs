//! What each command asks of the vault, and how its answer is laid out for a
//! person. Views are plain functions from an answer to text.

pub(crate) mod browse;
pub(crate) mod capture;
pub(crate) mod convert;
pub(crate) mod curation;
pub(crate) mod duplicates;
pub(crate) mod inbox;
pub(crate) mod index;
pub(crate) mod journal;
pub(crate) mod links;
pub(crate) mod projects;
pub(crate) mod recall;
pub(crate) mod search;
pub(crate) mod staging;
pub(crate) mod trash;
pub(crate) mod upkeep;
pub(crate) mod versions;
pub(crate) mod write;

/// Records for the tests of views.
#[cfg(test)]
mod sample {
    use inkvault::types::{Delivery, Metadata, Source, Status};

    /// An active memory.
    pub(super) fn metadata(id: &str, title: &str) -> Metadata {
        Metadata {
            id: id.to_owned(),
            title: title.to_owned(),
            kind: "decision".to_owned(),
            status: Status::Active,
            created: "2026-10-19T10:00:00.000Z".to_owned(),
            updated: "2026-10-19T10:00:00.000Z".to_owned(),
            tags: Vec::new(),
            aliases: Vec::new(),
            confidence: 0.5,
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
            scope: None,
            path: format!("memory/{id}.md"),
            revision: "0123456789abcdef".to_owned(),
            hash: "0123456789abcdef".to_owned(),
            bytes: 300,
            repairs: Vec::new(),
        }
    }
}
