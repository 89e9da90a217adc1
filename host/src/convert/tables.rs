//! What each format can hold, and what becomes of kinds and statuses on the
//! way from one to another: all that is particular to a format, in one place.
//!
//! What the engine's own table says of a format is repeated here, since
//! nothing of it crosses the interface; a test holds the two side by side.

mod shapes;

use super::report::Field;
use crate::types::Status;
use shapes::{DSH_MEMORY, INKVAULT, SIMPLE};

/// What a format can hold, as far as a conversion looks at it.
#[derive(Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// Its kinds, the default first; those it suggests, where any can be given.
    pub kinds: &'static [&'static str],
    /// The statuses that can be written.
    pub statuses: &'static [Status],
    /// What it has no place for.
    pub lacks: &'static [Field],
    /// What it holds in keys that its specification does not have.
    pub added: &'static [Field],
    /// The keys that are read of its files, all others being a person's own.
    pub keys: &'static [&'static str],
    /// Whether it says when a memory was made and changed, to the millisecond;
    /// else only the day it was made.
    pub keeps_times: bool,
    /// What the names of its files say, where kind and title stand nowhere
    /// else: any word can be a kind then.
    pub file_names: Option<FileNames>,
    /// Where memories go that wait for a person, where they can be no others.
    pub pool: Option<Pool>,
    /// The directory of active memories that are searched and never recalled
    /// unasked.
    pub searched_only: Option<&'static str>,
    /// Longest title in characters.
    pub title_limit: usize,
    /// Most tags.
    pub tag_limit: usize,
    /// Longest text.
    pub body_limit: BodyLimit,
    /// Whether tags are in lower case with `-` for blanks, and one of them is
    /// the kind.
    pub plain_tags: bool,
    /// The only values its confidence has, rising; none: it has any.
    pub confidence: &'static [Step],
    /// How sure a memory is of which nobody says it.
    pub default_confidence: f64,
    /// How sure a memory must be to be recalled.
    pub least_confidence: f64,
    /// Whether a pinned memory is a standing directive.
    pub pinned_is_directive: bool,
    /// The headings that it puts around a plain text.
    pub frame: Option<Frame>,
}

/// How long a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyLimit {
    /// So many characters.
    Characters(usize),
    /// So many bytes, blanks around the text not counted.
    Bytes(usize),
}

/// The names of files that are made of category and topic, in directories for
/// projects and for what was put away.
#[derive(Debug)]
pub struct FileNames {
    /// Longest category in characters.
    pub category: usize,
    /// Longest topic in characters.
    pub topic: usize,
    /// The directory of what belongs to no project.
    pub common: &'static str,
    /// The directory of the projects' directories.
    pub projects: &'static str,
    /// The directory of what was put away.
    pub archive: &'static str,
}

/// A file of lines that wait to be confirmed.
#[derive(Debug)]
pub struct Pool {
    /// The file.
    pub file: &'static str,
    /// Longest entry in characters.
    pub entry_limit: usize,
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
pub static PAIRS: [Pair; 6] = [
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
    Pair {
        from: &INKVAULT,
        to: &SIMPLE,
        kinds: &[
            ("preference", "偏好"),
            ("fact", "背景"),
            ("decision", "决策"),
            ("project", "背景"),
            ("reference", "踩坑"),
            ("task", "流程"),
        ],
        statuses: TO_SIMPLE,
    },
    Pair {
        from: &SIMPLE,
        to: &INKVAULT,
        kinds: &[
            ("偏好", "preference"),
            ("背景", "fact"),
            ("决策", "decision"),
            ("踩坑", "reference"),
            ("流程", "reference"),
        ],
        statuses: &[],
    },
    Pair {
        from: &DSH_MEMORY,
        to: &SIMPLE,
        kinds: &[
            ("preference", "偏好"),
            ("knowledge", "背景"),
            ("profile", "背景"),
            ("decision", "决策"),
            ("project", "背景"),
            ("project-state", "背景"),
            ("experience", "踩坑"),
            ("task", "流程"),
        ],
        statuses: TO_SIMPLE,
    },
    Pair {
        from: &SIMPLE,
        to: &DSH_MEMORY,
        kinds: &[
            ("偏好", "preference"),
            ("背景", "knowledge"),
            ("决策", "decision"),
            ("踩坑", "experience"),
            ("流程", "experience"),
        ],
        statuses: &[],
    },
];

/// What is no more in force is put away; what waits goes to the pool.
const TO_SIMPLE: &[(Status, Status)] = &[
    (Status::Stale, Status::Archived),
    (Status::Superseded, Status::Archived),
];

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

    /// What becomes of a kind. One that somebody made up becomes the default
    /// one; where there can be none of those, it stays for the engine to
    /// refuse.
    pub(super) fn kind<'k>(&self, kind: &'k str) -> &'k str {
        let known = self.kinds.iter().find(|(from, _)| *from == kind);
        let default = self.to.kinds.first().filter(|_| self.from.takes_any_kind());
        known.map_or(default.copied().unwrap_or(kind), |(_, to)| to)
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

    /// Whether a kind can be any word.
    pub(super) fn takes_any_kind(&self) -> bool {
        self.file_names.is_some()
    }

    /// Whether a memory can have that kind.
    pub(super) fn takes_kind(&self, kind: &str) -> bool {
        match &self.file_names {
            Some(names) => names.takes_category(kind),
            None => self.kinds.contains(&kind),
        }
    }

    /// The pool, where a memory of that status can only be an entry of it.
    pub(super) fn pool_for(&self, status: Status) -> Option<&Pool> {
        let waits = matches!(status, Status::Pending | Status::Conflict);
        let pool = self.pool.as_ref();
        pool.filter(|_| waits && !self.statuses.contains(&status))
    }

    /// The step that a confidence is stored as, where it has steps.
    pub(super) fn step(&self, confidence: f64) -> Option<&'static Step> {
        let mut falling = self.confidence.iter().rev();
        falling.find(|step| confidence >= step.from)
    }
}

impl BodyLimit {
    /// Checks the length of a text.
    ///
    /// # Errors
    ///
    /// What is too long, and what to do about it.
    pub(super) fn check(self, text: &str) -> Result<(), String> {
        let (length, most, unit) = match self {
            Self::Characters(most) => (text.chars().count(), most, "characters"),
            Self::Bytes(most) => (text.trim().len(), most, "bytes"),
        };
        if length <= most {
            return Ok(());
        }
        Err(format!(
            "its text has {length} {unit}, {most} fit into one memory: split it"
        ))
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
                let is_told_otherwise =
                    mapped == Status::Conflict || pair.to.pool_for(mapped).is_some();
                let is_known = pair.from.statuses.contains(&status);
                let is_written = pair.to.statuses.contains(&mapped) || is_told_otherwise;
                assert!(is_written || !is_known, "{status} of {}", pair.from.name);
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
        assert_eq!(targets(), ["dsh-memory", "inkvault", "simple"]);
    }

    #[test]
    fn a_category_that_somebody_made_up_becomes_the_default_kind() {
        let from_simple = |to| Pair::named("simple", to).expect("a pair");
        for category in ["复盘", "", "my own"] {
            assert_eq!(from_simple("inkvault").kind(category), "fact");
            assert_eq!(from_simple("dsh-memory").kind(category), "knowledge");
        }
        let between = Pair::named("inkvault", "dsh-memory").expect("a pair");
        assert_eq!(between.kind("复盘"), "复盘", "for the engine to refuse");
    }

    #[test]
    fn only_what_waits_goes_to_the_pool() {
        let pooled = Status::ALL.iter();
        let pooled = pooled.filter(|status| SIMPLE.pool_for(**status).is_some());
        assert!(pooled.eq(&[Status::Pending, Status::Conflict]));
        let elsewhere = |status: &Status| DSH_MEMORY.pool_for(*status).is_some();
        assert!(!Status::ALL.iter().any(elsewhere));
    }

    #[test]
    fn a_text_is_measured_as_the_format_does() {
        let bytes = BodyLimit::Bytes(6);
        assert!(bytes.check(" 字字\n").is_ok());
        assert!(bytes.check("字字a").is_err());
        let characters = BodyLimit::Characters(2);
        assert!(characters.check("字字").is_ok());
        assert!(characters.check("字字a").is_err());
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
