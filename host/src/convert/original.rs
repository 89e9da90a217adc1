//! What a memory was before it was converted: the words of `converted-from`.

use std::fmt;

use crate::types::{Metadata, Status};

/// A memory as it was in another vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Original {
    pub(super) format: String,
    pub(super) kind: String,
    pub(super) status: Status,
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

    /// Reads the words; none where they say something else.
    pub(super) fn read(words: &str) -> Option<Self> {
        let mut words = words.splitn(4, ' ').map(str::to_owned);
        Some(Self {
            format: words.next()?,
            kind: words.next()?,
            status: words.next()?.parse().ok()?,
            id: words.next()?,
        })
    }
}

impl fmt::Display for Original {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            format,
            kind,
            status,
            id,
        } = self;
        write!(f, "{format} {kind} {status} {id}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_read_back() {
        let words = "dsh-memory project-state stale mem_20261017t075957_b1c8069b";
        let original = Original::read(words).expect("an original");
        assert_eq!(original.status, Status::Stale);
        assert_eq!(original.to_string(), words);
    }

    #[test]
    fn other_words_are_none() {
        for words in ["", "dsh-memory", "from my old notes, 2019", "a b active"] {
            assert_eq!(Original::read(words), None, "{words}");
        }
    }
}
