//! Relations between memories. Each stands on both sides: who was replaced
//! names what replaced it and is named by it, and who contradicts another is
//! contradicted by it.

use std::slice;

use crate::memory::Metadata;

/// What a memory says of another: a key of the frontmatter with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    /// It replaces the other.
    Supersedes,
    /// The other replaces it.
    SupersededBy,
    /// They contradict each other.
    ConflictsWith,
}

impl Relation {
    const ALL: [Relation; 3] = [
        Relation::Supersedes,
        Relation::SupersededBy,
        Relation::ConflictsWith,
    ];

    /// The key.
    pub(super) fn key(self) -> &'static str {
        match self {
            Relation::Supersedes => "supersedes",
            Relation::SupersededBy => "superseded_by",
            Relation::ConflictsWith => "conflicts_with",
        }
    }

    /// What the other memory says then.
    pub(super) fn inverse(self) -> Self {
        match self {
            Relation::Supersedes => Relation::SupersededBy,
            Relation::SupersededBy => Relation::Supersedes,
            Relation::ConflictsWith => Relation::ConflictsWith,
        }
    }

    /// All that a memory says of others.
    pub(super) fn of(metadata: &Metadata) -> impl Iterator<Item = (Relation, &str)> {
        let named = Self::ALL
            .into_iter()
            .flat_map(|relation| relation.ids(metadata).iter().map(move |id| (relation, id)));
        let named = named.map(|(relation, id)| (relation, id.as_str()));
        named.filter(|(_, id)| !id.trim().is_empty())
    }

    /// Whether a memory says that of another.
    pub(super) fn is_said(self, metadata: &Metadata, id: &str) -> bool {
        self.ids(metadata).iter().any(|known| known == id)
    }

    /// Takes it out of what a memory says.
    pub(super) fn end(self, metadata: &mut Metadata, id: &str) {
        let list = match self {
            Relation::Supersedes => &mut metadata.supersedes,
            Relation::ConflictsWith => &mut metadata.conflicts_with,
            Relation::SupersededBy if metadata.superseded_by == id => {
                return metadata.superseded_by.clear();
            }
            Relation::SupersededBy => return,
        };
        list.retain(|known| known != id);
    }

    fn ids(self, metadata: &Metadata) -> &[String] {
        match self {
            Relation::Supersedes => &metadata.supersedes,
            Relation::SupersededBy => slice::from_ref(&metadata.superseded_by),
            Relation::ConflictsWith => &metadata.conflicts_with,
        }
    }
}
