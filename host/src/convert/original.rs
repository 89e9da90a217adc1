//! What a memory was before it was converted: the words of `converted-from`.

use std::fmt;

use super::tables::{FileNames, Pool};
use crate::types::{Metadata, Status};

/// Stands for a kind where there was none.
const NO_KIND: &str = "-";

/// A memory as it was in another vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Original {
    pub(super) format: String,
    pub(super) kind: String,
    pub(super) status: Status,
    /// Of an entry of a staging pool: its name, and the project it came from.
    pub(super) id: String,
}

impl Original {
    /// A memory of a vault of that format.
    pub(super) fn of(format: &str, memory: &Metadata) -> Self {
        Self {
            format: format.to_owned(),
            kind: memory.kind.clone(),
            status: memory.status,
            id: memory.id.clone(),
        }
    }

    /// An entry of a staging pool.
    pub(super) fn of_entry(format: &str, entry: &Metadata) -> Self {
        let scope = entry.scope.as_deref().unwrap_or_default();
        let id = format!("{} {scope}", entry.id).trim_end().to_owned();
        Self {
            id,
            ..Self::of(format, entry)
        }
    }

    /// The path of the note that it was; none where it was an entry of the
    /// pool.
    pub(super) fn note(&self, pool: Option<&Pool>) -> Option<&str> {
        Some(&*self.id).filter(|_| self.entry(pool).is_none())
    }

    /// The project that it belonged to.
    pub(super) fn project<'o>(&'o self, names: &FileNames, pool: Option<&Pool>) -> Option<&'o str> {
        match self.entry(pool) {
            Some(entry) => entry.split_once(' ').map(|(_, project)| project),
            None => names.project_of(&self.id),
        }
    }

    /// Number and project of an entry.
    fn entry(&self, pool: Option<&Pool>) -> Option<&str> {
        self.id.strip_prefix(pool?.file)?.strip_prefix('#')
    }

    /// Reads the words; none where they say something else.
    pub(super) fn read(words: &str) -> Option<Self> {
        let mut words = words.splitn(4, ' ').map(str::to_owned);
        Some(Self {
            format: words.next()?,
            kind: words.next().map(named)?,
            status: words.next()?.parse().ok()?,
            id: words.next()?,
        })
    }
}

fn named(kind: String) -> String {
    if kind == NO_KIND { String::new() } else { kind }
}

impl fmt::Display for Original {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            format,
            kind,
            status,
            id,
        } = self;
        let kind = match kind.as_str() {
            "" => NO_KIND.to_owned(),
            kind => kind.replace(char::is_whitespace, "_"),
        };
        write!(f, "{format} {kind} {status} {id}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::tables::Pair;

    #[test]
    fn the_words_read_back() {
        let words = "dsh-memory project-state stale mem_20261017t075957_b1c8069b";
        let original = Original::read(words).expect("an original");
        assert_eq!(original.status, Status::Stale);
        assert_eq!(original.to_string(), words);
    }

    #[test]
    fn a_note_without_a_category_had_none() {
        let words = "simple - active projects/app/my notes";
        let original = Original::read(words).expect("an original");
        assert_eq!(
            (original.kind.as_str(), original.id.as_str()),
            ("", "projects/app/my notes")
        );
        assert_eq!(original.to_string(), words);
    }

    #[test]
    fn the_words_read_back_whatever_a_category_is() {
        let original = Original {
            format: "simple".to_owned(),
            kind: "my own".to_owned(),
            status: Status::Active,
            id: "common/my own-a".to_owned(),
        };
        let read = Original::read(&original.to_string()).expect("an original");
        assert_eq!(read.kind, "my_own");
        assert_eq!(read.id, original.id);
    }

    #[test]
    fn the_project_is_in_the_place() {
        let pair = Pair::named("simple", "inkvault").expect("a pair");
        let names = pair.from.file_names.as_ref().expect("names of files");
        for (id, project) in [
            ("projects/app/踩坑-端口", Some("app")),
            ("archive/projects/My App/踩坑-端口", Some("My App")),
            ("common/踩坑-端口", None),
            ("staging.md#3 My App", Some("My App")),
            ("staging.md#3", None),
        ] {
            let words = format!("simple - pending {id}");
            let original = Original::read(&words).expect("an original");
            let found = original.project(names, pair.from.pool.as_ref());
            assert_eq!(found, project, "{id}");
        }
    }

    #[test]
    fn other_words_are_none() {
        for words in ["", "dsh-memory", "from my old notes, 2019", "a b active"] {
            assert_eq!(Original::read(words), None, "{words}");
        }
    }
}
