//! Where notes go in a format that knows them by their places: all of them are
//! planned before the first is written, so that no two want the same one.

use std::collections::{BTreeMap, BTreeSet};

use super::mapping;
use super::tables::{FileNames, Pair};
use crate::types::Metadata;

/// The place of a note, and what it says of the note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Empty for the vault itself.
    pub(super) directory: String,
    pub(super) category: String,
    pub(super) topic: String,
    pub(super) project: Option<String>,
    /// Whether the topic has a number, since others are alike.
    pub(super) is_numbered: bool,
}

impl Place {
    /// The note's id.
    pub(super) fn id(&self) -> String {
        let Self {
            directory,
            category,
            topic,
            ..
        } = self;
        if directory.is_empty() {
            format!("{category}-{topic}")
        } else {
            format!("{directory}/{category}-{topic}")
        }
    }

    /// The note's file.
    pub(super) fn path(&self) -> String {
        format!("{}.md", self.id())
    }
}

/// The places of notes that are to be written.
#[derive(Debug, Default)]
pub(super) struct Places {
    by_id: BTreeMap<String, Place>,
    /// In lower case: file systems may not tell `A` from `a`.
    taken: BTreeSet<String>,
}

impl Places {
    /// Finds a place for each memory that becomes a note; of several that want
    /// the same, those whose title can stay as it is choose first.
    pub(super) fn plan(pair: &Pair, memories: &[Metadata]) -> Self {
        let mut places = Self::default();
        let Some(names) = &pair.to.file_names else {
            return places;
        };
        let wanted = memories.iter().filter_map(|memory| {
            let place = mapping::place(pair, names, memory)?;
            Some((memory, place))
        });
        let (kept, changed): (Vec<_>, Vec<_>) =
            wanted.partition(|(memory, place)| place.topic == memory.title);
        for (memory, place) in kept.into_iter().chain(changed) {
            let place = places.free(names, place);
            places.by_id.insert(memory.id.clone(), place);
        }
        places
    }

    /// The place of the memory that had that id.
    pub(super) fn of(&self, old: &str) -> Option<&Place> {
        self.by_id.get(old)
    }

    /// The place, numbered where another note has it.
    fn free(&mut self, names: &FileNames, wanted: Place) -> Place {
        let mut place = wanted.clone();
        let mut number = 1;
        while !self.taken.insert(place.id().to_lowercase()) {
            number += 1;
            place.topic = names.numbered(&wanted.topic, number);
            place.is_numbered = true;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::sample;
    use crate::types::Status;

    fn planned(memories: &[Metadata]) -> Vec<String> {
        let pair = Pair::named("inkvault", "simple").expect("a pair");
        let places = Places::plan(pair, memories);
        let ids = memories
            .iter()
            .filter_map(|memory| Some(places.of(&memory.id)?.id()));
        ids.collect()
    }

    fn titled(id: &str, title: &str) -> Metadata {
        Metadata {
            title: title.to_owned(),
            ..sample::metadata(id)
        }
    }

    #[test]
    fn those_that_come_out_alike_are_numbered() {
        let memories = [
            titled("m-1", "Release day!"),
            titled("m-2", "Release-day"),
            titled("m-3", "release day"),
            titled("m-4", "Release-day-2"),
        ];
        assert_eq!(
            planned(&memories),
            [
                "common/背景-Release-day-3",
                "common/背景-Release-day",
                "common/背景-release-day-4",
                "common/背景-Release-day-2"
            ]
        );
    }

    #[test]
    fn each_directory_and_category_has_names_of_its_own() {
        let archived = Metadata {
            status: Status::Archived,
            ..titled("m-2", "a")
        };
        let decision = Metadata {
            kind: "decision".to_owned(),
            ..titled("m-3", "a")
        };
        assert_eq!(
            planned(&[titled("m-1", "a"), archived, decision]),
            ["common/背景-a", "archive/背景-a", "common/决策-a"]
        );
    }

    #[test]
    fn a_title_of_which_nothing_is_left_gives_way_to_the_id() {
        assert_eq!(planned(&[titled("m-1", "?!")]), ["common/背景-m-1"]);
    }

    #[test]
    fn what_waits_is_no_note() {
        let waiting = Metadata {
            status: Status::Pending,
            ..titled("m-1", "a")
        };
        assert_eq!(planned(&[waiting]), [""; 0]);
    }
}
