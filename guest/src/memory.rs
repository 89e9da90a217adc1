//! The record of one memory and its vocabulary.
//!
//! The same words stand in the interface (`wit/types.wit`); the meaning of
//! each field is documented there and, where a format differs, in `format/`.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::environment::VaultPath;
use crate::timestamp::Timestamp;

/// Where a memory stands in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// In force.
    Active,
    /// Waiting for a person to confirm it.
    Pending,
    /// Out of date, still on its topic.
    Stale,
    /// Replaced by another memory.
    Superseded,
    /// Contradicts another memory.
    Conflict,
    /// No longer in force.
    Archived,
}

impl Status {
    /// Every status, in the order of the interface.
    pub const ALL: [Status; 6] = [
        Status::Active,
        Status::Pending,
        Status::Stale,
        Status::Superseded,
        Status::Conflict,
        Status::Archived,
    ];

    /// Its name in files and in the interface.
    pub fn name(self) -> &'static str {
        match self {
            Status::Active => "active",
            Status::Pending => "pending",
            Status::Stale => "stale",
            Status::Superseded => "superseded",
            Status::Conflict => "conflict",
            Status::Archived => "archived",
        }
    }

    /// The status of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// How a memory reaches an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delivery {
    /// When it is relevant.
    #[default]
    Recall,
    /// Always, as a standing directive.
    Prompt,
}

impl Delivery {
    /// Its name in files and in the interface.
    pub fn name(self) -> &'static str {
        match self {
            Delivery::Recall => "recall",
            Delivery::Prompt => "prompt",
        }
    }

    /// The delivery of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Delivery::Recall, Delivery::Prompt]
            .into_iter()
            .find(|delivery| delivery.name() == name)
    }
}

/// How a memory came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Extracted from a conversation.
    Capture,
    /// Written on purpose.
    #[default]
    Manual,
    /// Brought in from another store.
    Imported,
}

/// Which part of a vault a memory lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Area {
    /// Recalled and searched.
    Active,
    /// Searched only.
    Cold,
}

/// A part of a memory that is searched. Each format says which of them a
/// memory has and what they weigh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Field {
    /// The one-line title.
    Title,
    /// Other names.
    Aliases,
    /// Topics.
    Tags,
    /// What the text says in short, where the format has such a part.
    Summary,
    /// The text.
    Body,
}

impl Field {
    /// How many there are.
    pub const COUNT: usize = 5;
    /// All of them, in their order.
    pub const ALL: [Field; Field::COUNT] = [
        Field::Title,
        Field::Aliases,
        Field::Tags,
        Field::Summary,
        Field::Body,
    ];
}

/// The first 16 hexadecimal digits of the SHA-256 of some bytes: the revision
/// of a file, or the hash of a body (inkvault contract §1, `hashText`).
pub fn fingerprint(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// What a memory says of itself: everything a format can hold, apart from
/// what follows from the file (see [`Memory`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Metadata {
    /// Unique in the vault.
    pub id: String,
    /// One line, never empty.
    pub title: String,
    /// One of the format's kinds.
    pub kind: String,
    /// Where it stands in its life.
    pub status: Status,
    /// First written.
    pub created: Timestamp,
    /// Last changed.
    pub updated: Timestamp,
    /// Topics.
    pub tags: Vec<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// From 0 to 1.
    pub confidence: f64,
    /// From 0 to 100.
    pub importance: Option<u8>,
    /// Kept in view.
    pub pinned: bool,
    /// How it reaches an agent.
    pub delivery: Delivery,
    /// How it came to be.
    pub source: Source,
    /// The conversation it came from, or empty.
    pub origin: String,
    /// What supports it, or empty.
    pub evidence: String,
    /// Ids it replaces.
    pub supersedes: Vec<String>,
    /// The id that replaced it, or empty.
    pub superseded_by: String,
    /// Ids it contradicts.
    pub conflicts_with: Vec<String>,
    /// What it was in the vault it was converted from, or empty.
    pub converted_from: String,
    /// Its project, in formats that have projects.
    pub scope: Option<String>,
}

impl Metadata {
    /// A memory of which nothing is said yet but its kind: active, half sure,
    /// written on purpose (inkvault contract §1, `coerceEntry`).
    pub fn blank(kind: &str, moment: Timestamp) -> Self {
        Metadata {
            id: String::new(),
            title: String::new(),
            kind: kind.to_owned(),
            status: Status::Active,
            created: moment,
            updated: moment,
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
        }
    }
}

/// What had to be assumed about a memory that is more than a note to the
/// reader: rules of the engine look at it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// The creation date was missing or unusable.
    pub created: bool,
    /// The date of the last change was missing or unusable.
    pub updated: bool,
    /// A status stood there and was not one: the memory is never a directive.
    pub status: bool,
    /// A kind stood there and was not one, or none did: it says nothing about
    /// where the file belongs.
    pub kind: bool,
}

/// A memory as read from its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// What it says of itself.
    pub metadata: Metadata,
    /// Its text.
    pub body: String,
    /// Its file.
    pub path: VaultPath,
    /// Fingerprint of the file's bytes.
    pub revision: String,
    /// Size of the file.
    pub bytes: u64,
    /// Faults tolerated in reading, each with what was assumed.
    pub repairs: Vec<String>,
    /// Assumptions that rules look at.
    pub assumed: Assumptions,
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
