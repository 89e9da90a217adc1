//! What a format can hold, and where: the table in which the formats differ.

use crate::memory::{Area, Status};

/// The names a memory's kind can have.
#[derive(Clone, Copy, Debug)]
pub enum Kinds {
    /// These and no others; the first is the default.
    Closed(&'static [&'static str]),
    /// Any name the format's rules allow; these are suggested, the first is
    /// the default.
    Open(&'static [&'static str]),
}

/// How long a text may be.
#[derive(Clone, Copy, Debug)]
pub enum BodyLimit {
    /// So many characters.
    Characters(usize),
    /// So many bytes of UTF-8, blanks around the text not counted.
    Bytes(usize),
}

/// How memories come by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// One is drawn when a memory is written, and kept for its life.
    Drawn,
    /// A memory is known by the place of its file: it has another id when it
    /// is moved or renamed, and what it is called decides its place.
    Places,
}

/// The optional values a format can hold, one flag each.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holds {
    /// Topics.
    pub tags: bool,
    /// Other names.
    pub aliases: bool,
    /// How sure it is.
    pub confidence: bool,
    /// How much it matters.
    pub importance: bool,
    /// Kept in view.
    pub pinned: bool,
    /// Standing directives.
    pub delivery: bool,
    /// How it came to be.
    pub source: bool,
    /// The conversation it came from.
    pub origin: bool,
    /// What supports it.
    pub evidence: bool,
    /// What it replaces, what replaced it, what it contradicts.
    pub relations: bool,
    /// What it was in the vault it was converted from.
    pub converted_from: bool,
    /// Projects.
    pub scope: bool,
}

/// What a format can hold.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// The kinds.
    pub kinds: Kinds,
    /// The statuses a memory can be given.
    pub statuses: &'static [Status],
    /// The optional values.
    pub holds: Holds,
    /// How memories come by their ids.
    pub ids: Ids,
    /// What lies in cold areas, and what is archived, is found by a search
    /// that does not ask for it, after all that is active.
    pub searches_cold: bool,
    /// Longest title in characters.
    pub title_limit: usize,
    /// Most tags.
    pub tag_limit: usize,
    /// Longest text.
    pub body_limit: BodyLimit,
    /// How many active memories there should be at most, if the format says.
    pub most_active: Option<usize>,
    /// Where bad files are moved by `rebuild-index` and `verify`, if at all.
    pub quarantine: Option<&'static str>,
    /// Where forgotten memories are moved; none where they are archived.
    pub trash: Option<&'static str>,
    /// How sure a new memory is of which nobody says it.
    pub default_confidence: f64,
    /// How sure a memory is at least once a person confirmed it.
    pub confirmed_confidence: f64,
    /// How sure a memory must be to be recalled and to be a directive.
    pub least_confidence: f64,
    /// A pinned memory is a directive, whatever its delivery.
    pub pinned_is_directive: bool,
}

impl Capabilities {
    /// Whether a memory can be given that status.
    pub fn has_status(&self, status: Status) -> bool {
        self.statuses.contains(&status)
    }
}

/// A directory that holds memories.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The directory; empty for the vault itself.
    pub directory: &'static str,
    /// Which part of the vault it is.
    pub area: Area,
    /// How many levels of directories below it are read too.
    pub depth: u8,
}
