//! What each format can hold, and what becomes of kinds and statuses on the
//! way from one to another: all that is particular to a format, in one place.
//!
//! What the engine's own table says of a format is repeated here, since
//! nothing of it crosses the interface; a test holds the two side by side.

use super::report::Field;
use crate::types::Status;

/// What a format can hold, as far as a conversion looks at it.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// Its kinds, the default first.
    pub kinds: &'static [&'static str],
    /// The statuses that can be written.
    pub statuses: &'static [Status],
    /// What it has no place for.
    pub lacks: &'static [Field],
    /// What it holds in keys that its specification does not have.
    pub added: &'static [Field],
    /// The keys of its files; all others are a person's own.
    pub keys: &'static [&'static str],
    /// Longest title in characters.
    pub title_limit: usize,
    /// Most tags.
    pub tag_limit: usize,
    /// Longest text in characters.
    pub body_limit: usize,
    /// Whether tags are in lower case with `-` for blanks, and one of them is
    /// the kind.
    pub plain_tags: bool,
    /// The only values its confidence has, rising; none: it has any.
    pub confidence: &'static [Step],
    /// How sure a memory must be to be recalled.
    pub least_confidence: f64,
    /// Whether a pinned memory is a standing directive.
    pub pinned_is_directive: bool,
    /// The headings that it puts around a plain text.
    pub frame: Option<Frame>,
}

/// A value of a confidence that has only a few.
#[derive(Debug)]
pub struct Step {
    /// The least confidence that is stored as this value.
    pub from: f64,
    /// The value that is read back.
    pub value: f64,
    /// Its word.
    pub name: &'static str,
}

/// The headings around a text.
#[derive(Debug)]
pub struct Frame {
    /// Above the text.
    pub summary: &'static str,
    /// Above what supports it, which is a field of the memory too.
    pub evidence: &'static str,
    /// What stands there where nothing does.
    pub nothing: &'static str,
    /// Above links, which may follow the evidence.
    pub related: &'static str,
}

/// What becomes of kinds and statuses on the way from one format to another.
#[derive(Debug)]
pub struct Pair {
    /// The format that is read.
    pub from: &'static Shape,
    /// The format that is written.
    pub to: &'static Shape,
    /// Every kind of the one with its kind in the other (design §8).
    pub kinds: &'static [(&'static str, &'static str)],
    /// Statuses that the other lacks, with one that is no more in force.
    pub statuses: &'static [(Status, Status)],
}

/// Every pair that can be converted.
pub static PAIRS: [Pair; 2] = [
    Pair {
        from: &INKVAULT,
        to: &DSH_MEMORY,
        kinds: &[
            ("preference", "preference"),
            ("fact", "knowledge"),
            ("decision", "decision"),
            ("project", "project"),
            ("reference", "experience"),
            ("task", "task"),
        ],
        statuses: &[],
    },
    Pair {
        from: &DSH_MEMORY,
        to: &INKVAULT,
        kinds: &[
            ("preference", "preference"),
            ("knowledge", "fact"),
            ("profile", "fact"),
            ("decision", "decision"),
            ("project", "project"),
            ("project-state", "project"),
            ("experience", "reference"),
            ("task", "task"),
        ],
        statuses: &[(Status::Stale, Status::Archived)],
    },
];

/// The format `inkvault`. A memory in conflict is written as pending and is
/// told by what it contradicts.
static INKVAULT: Shape = Shape {
    name: "inkvault",
    kinds: &[
        "fact",
        "preference",
        "decision",
        "project",
        "reference",
        "task",
    ],
    statuses: &[
        Status::Active,
        Status::Pending,
        Status::Superseded,
        Status::Archived,
    ],
    lacks: &[Field::Scope],
    added: &[
        Field::Pinned,
        Field::Importance,
        Field::Aliases,
        Field::Evidence,
        Field::Supersedes,
        Field::SupersededBy,
        Field::ConflictsWith,
        Field::ConvertedFrom,
    ],
    keys: &[
        "id",
        "title",
        "kind",
        "status",
        "created",
        "updated",
        "tags",
        "confidence",
        "source",
        "hash",
        "origin",
        "delivery",
        "pinned",
        "importance",
        "aliases",
        "evidence",
        "supersedes",
        "superseded_by",
        "conflicts_with",
        "converted_from",
    ],
    title_limit: 120,
    tag_limit: 12,
    body_limit: 20_000,
    plain_tags: false,
    confidence: &[],
    least_confidence: 0.0,
    pinned_is_directive: false,
    frame: None,
};

/// The format `dsh-memory`.
static DSH_MEMORY: Shape = Shape {
    name: "dsh-memory",
    kinds: &[
        "knowledge",
        "profile",
        "preference",
        "project",
        "project-state",
        "decision",
        "experience",
        "task",
    ],
    statuses: Status::ALL,
    lacks: &[Field::Source, Field::Scope],
    added: &[Field::Delivery, Field::ConvertedFrom],
    keys: &[
        "id",
        "type",
        "status",
        "title",
        "created_at",
        "updated_at",
        "tags",
        "confidence",
        "importance",
        "pinned",
        "source_sessions",
        "aliases",
        "supersedes",
        "superseded_by",
        "conflicts_with",
        "evidence",
        "schema_version",
        "delivery",
        "converted_from",
    ],
    title_limit: 300,
    tag_limit: 100,
    body_limit: 20_000,
    plain_tags: true,
    confidence: &[
        Step {
            from: 0.0,
            value: 0.3,
            name: "low",
        },
        Step {
            from: 0.6,
            value: 0.6,
            name: "medium",
        },
        Step {
            from: 0.85,
            value: 0.9,
            name: "high",
        },
    ],
    least_confidence: 0.6,
    pinned_is_directive: true,
    frame: Some(Frame {
        summary: "## 核心内容",
        evidence: "## 来源与依据",
        nothing: "（暂无可追溯来源）",
        related: "## 相关记忆",
    }),
};

/// The formats that can be written, by name.
#[must_use]
pub fn targets() -> Vec<&'static str> {
    let mut names: Vec<_> = PAIRS.iter().map(|pair| pair.to.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

impl Pair {
    /// The pair of formats of these names.
    #[must_use]
    pub fn named(from: &str, to: &str) -> Option<&'static Self> {
        let mut pairs = PAIRS.iter();
        pairs.find(|pair| pair.from.name == from && pair.to.name == to)
    }

    /// The way back.
    pub(super) fn back(&self) -> Option<&'static Self> {
        Self::named(self.to.name, self.from.name)
    }

    /// What becomes of a kind. One that is not in the table stays, for the
    /// engine to refuse.
    pub(super) fn kind<'k>(&self, kind: &'k str) -> &'k str {
        let known = self.kinds.iter().find(|(from, _)| *from == kind);
        known.map_or(kind, |(_, to)| to)
    }

    /// What becomes of a status.
    pub(super) fn status(&self, status: Status) -> Status {
        let known = self.statuses.iter().find(|(from, _)| *from == status);
        known.map_or(status, |(_, to)| *to)
    }
}

impl Shape {
    pub(super) fn holds(&self, field: Field) -> bool {
        !self.lacks.contains(&field)
    }

    /// The step that a confidence is stored as, where it has steps.
    pub(super) fn step(&self, confidence: f64) -> Option<&'static Step> {
        let mut falling = self.confidence.iter().rev();
        falling.find(|step| confidence >= step.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_becomes_one_of_the_other_format() {
        for pair in &PAIRS {
            for kind in pair.from.kinds {
                let mapped = pair.kinds.iter().filter(|(from, _)| from == kind);
                assert_eq!(mapped.count(), 1, "{kind} of {}", pair.from.name);
                assert!(pair.to.kinds.contains(&pair.kind(kind)), "{kind}");
            }
            assert_eq!(pair.kinds.len(), pair.from.kinds.len());
        }
    }

    /// Active is what is put before an agent unasked; pending is found.
    #[test]
    fn no_status_becomes_more_in_force() {
        for pair in &PAIRS {
            for &status in Status::ALL {
                let mapped = pair.status(status);
                let is_conflict = mapped == Status::Conflict;
                assert!(pair.to.statuses.contains(&mapped) || is_conflict);
                assert_eq!(mapped == Status::Active, status == Status::Active);
            }
        }
    }

    #[test]
    fn there_is_a_way_back() {
        for pair in &PAIRS {
            let back = pair.back().expect("a way back");
            assert_eq!(
                (back.from.name, back.to.name),
                (pair.to.name, pair.from.name)
            );
        }
        assert!(Pair::named("inkvault", "inkvault").is_none());
        assert_eq!(targets(), ["dsh-memory", "inkvault"]);
    }

    #[test]
    fn a_step_reads_back_as_itself() {
        for step in DSH_MEMORY.confidence {
            let again = DSH_MEMORY.step(step.value).expect("a step");
            assert_eq!(again.name, step.name);
        }
        let name = |confidence| DSH_MEMORY.step(confidence).map(|step| step.name);
        assert_eq!(name(0.0), Some("low"));
        assert_eq!(name(0.59), Some("low"));
        assert_eq!(name(0.84), Some("medium"));
        assert_eq!(name(1.0), Some("high"));
        assert!(INKVAULT.step(0.5).is_none());
    }
}
