//! What a conversion says it did: nothing is changed or left out that is not
//! named here.

/// A part of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// What it is about.
    Kind,
    /// Where it stands in its life.
    Status,
    /// Its one line.
    Title,
    /// Its text.
    Text,
    /// When it was first written.
    Created,
    /// When it was last changed.
    Updated,
    /// Topics.
    Tags,
    /// Other names.
    Aliases,
    /// How sure it is.
    Confidence,
    /// How much it matters.
    Importance,
    /// Kept in view.
    Pinned,
    /// How it reaches an agent.
    Delivery,
    /// How it came to be.
    Source,
    /// The conversation it came from.
    Origin,
    /// What supports it.
    Evidence,
    /// What it replaces.
    Supersedes,
    /// What replaced it.
    SupersededBy,
    /// What it contradicts.
    ConflictsWith,
    /// What it was in the vault it was converted from.
    ConvertedFrom,
    /// Its project.
    Scope,
    /// Other memories, by any of these relations.
    References,
    /// Keys of its file that the format does not know.
    OtherKeys,
    /// What had to be assumed in reading it.
    Repairs,
}

impl Field {
    /// Its name, as the interface has it where it is a field there.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kind => "kind",
            Self::Status => "status",
            Self::Title => "title",
            Self::Text => "text",
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Tags => "tags",
            Self::Aliases => "aliases",
            Self::Confidence => "confidence",
            Self::Importance => "importance",
            Self::Pinned => "pinned",
            Self::Delivery => "delivery",
            Self::Source => "source",
            Self::Origin => "origin",
            Self::Evidence => "evidence",
            Self::Supersedes => "supersedes",
            Self::SupersededBy => "superseded-by",
            Self::ConflictsWith => "conflicts-with",
            Self::ConvertedFrom => "converted-from",
            Self::Scope => "scope",
            Self::References => "references",
            Self::OtherKeys => "other-keys",
            Self::Repairs => "repairs",
        }
    }
}

/// What became of a part of a memory that is not simply carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It says the same in the other format's terms.
    Mapped,
    /// It stands in a key that the other format's specification does not have.
    Kept,
    /// The other format has no place for it.
    Lost,
}

/// What became of a part of some memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The part.
    pub field: Field,
    /// What became of it; empty where the part says it all.
    pub what: String,
    /// The memories.
    pub memories: Vec<Affected>,
}

/// A memory that something is said of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affected {
    /// Its id in the vault that was read.
    pub id: String,
    /// What is particular to it, such as the tags that were left out.
    pub detail: String,
}

/// A memory, or a file that should be one, that was not carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its id; empty where it has no usable one.
    pub id: String,
    /// Its file; empty where it is not known.
    pub path: String,
    /// Why, and what to do about it.
    pub reason: String,
}

/// The id of a memory before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// In the vault that was read.
    pub old: String,
    /// In the vault that was written.
    pub new: String,
}

/// What a conversion did, or would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The format that was read.
    pub from: String,
    /// The format that was written.
    pub to: String,
    /// Memories that were there.
    pub memories: u32,
    /// Memories that were carried over; in a dry run, that would be.
    pub converted: u32,
    /// What says the same in other terms.
    pub mapped: Vec<Finding>,
    /// What stands in added keys.
    pub kept: Vec<Finding>,
    /// What could not be carried.
    pub lost: Vec<Finding>,
    /// What was not carried over at all.
    pub skipped: Vec<Skipped>,
    /// Files without frontmatter, which are nobody's memories and were left
    /// alone.
    pub ignored: u32,
    /// Old and new ids, in the order they were written; none in a dry run.
    pub ids: Vec<Renamed>,
}

impl Report {
    pub(super) fn new(from: &str, to: &str) -> Self {
        Self {
            from: from.to_owned(),
            to: to.to_owned(),
            memories: 0,
            converted: 0,
            mapped: Vec::new(),
            kept: Vec::new(),
            lost: Vec::new(),
            skipped: Vec::new(),
            ignored: 0,
            ids: Vec::new(),
        }
    }

    /// Adds what became of a part of a memory to others of the same fate.
    pub(super) fn add(&mut self, id: &str, remark: Remark) {
        let findings = match remark.fate {
            Fate::Mapped => &mut self.mapped,
            Fate::Kept => &mut self.kept,
            Fate::Lost => &mut self.lost,
        };
        let affected = Affected {
            id: id.to_owned(),
            detail: remark.detail,
        };
        let key = (remark.field, remark.what.as_str());
        let place = findings.binary_search_by(|known| (known.field, known.what.as_str()).cmp(&key));
        match place {
            Ok(at) => findings[at].memories.push(affected),
            Err(at) => findings.insert(
                at,
                Finding {
                    field: remark.field,
                    what: remark.what,
                    memories: vec![affected],
                },
            ),
        }
    }
}

/// What became of a part of one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remark {
    pub(super) fate: Fate,
    pub(super) field: Field,
    pub(super) what: String,
    pub(super) detail: String,
}

impl Remark {
    pub(super) fn new(fate: Fate, field: Field, what: impl Into<String>) -> Self {
        Self {
            fate,
            field,
            what: what.into(),
            detail: String::new(),
        }
    }

    pub(super) fn detailed(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_alike_is_gathered() {
        let mut report = Report::new("inkvault", "dsh-memory");
        for (id, field, what) in [
            ("m-1", Field::Tags, "cut"),
            ("m-2", Field::Kind, "b"),
            ("m-3", Field::Kind, "a"),
            ("m-4", Field::Tags, "cut"),
        ] {
            report.add(id, Remark::new(Fate::Lost, field, what));
        }
        let told = report.lost.iter().map(|finding| {
            let ids = finding.memories.iter().map(|memory| memory.id.as_str());
            (finding.what.as_str(), ids.collect::<Vec<_>>())
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("a", vec!["m-3"]),
                ("b", vec!["m-2"]),
                ("cut", vec!["m-1", "m-4"])
            ]
        );
        assert!(report.mapped.is_empty());
    }
}
