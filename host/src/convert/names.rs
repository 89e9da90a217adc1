//! Which memory is meant by a name, and what it is called in the new vault.

use std::collections::BTreeMap;

use super::file_names;
use crate::types::Metadata;
use crate::vault::Draft;

/// The names of a vault's memories.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Old ids by the names they answer to: the id itself, and aliases that
    /// are nobody's id.
    owners: BTreeMap<String, String>,
    /// New ids by old ones, as far as memories were carried over.
    new: BTreeMap<String, String>,
}

impl Names {
    /// Those of memories that are in the order of their ids: of several with
    /// one alias the first answers to it.
    pub(super) fn of(memories: &[Metadata]) -> Self {
        let mut owners = BTreeMap::new();
        for memory in memories {
            owners.insert(memory.id.clone(), memory.id.clone());
        }
        for memory in memories {
            for alias in &memory.aliases {
                let owner = owners.entry(alias.clone());
                owner.or_insert_with(|| memory.id.clone());
            }
        }
        Self {
            owners,
            new: BTreeMap::new(),
        }
    }

    /// Gives a memory its new id.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        self.new.insert(old.to_owned(), new.to_owned());
    }

    /// Whether a memory refers to others: in a relation, or by an alias that
    /// is the id of one which was folded into it.
    pub(super) fn refers(&self, memory: &Metadata) -> bool {
        let mut aliases = memory.aliases.iter();
        related(memory).next().is_some() || aliases.any(|alias| self.is_other(memory, alias))
    }

    /// The memories of the old vault that a memory relates to and that are not
    /// in the new one.
    pub(super) fn left_behind(&self, memory: &Metadata) -> Vec<String> {
        let is_left = |name: &&String| {
            let owner = self.owners.get(*name);
            owner.is_some_and(|id| !self.new.contains_key(id))
        };
        related(memory).filter(is_left).cloned().collect()
    }

    /// A memory's relations by new ids. What leads nowhere stays as it is.
    pub(super) fn relations(&self, memory: &Metadata) -> Draft {
        let all = |names: &[String]| {
            let names = names.iter().map(|name| self.now(name));
            Some(names.collect::<Vec<_>>()).filter(|names| !names.is_empty())
        };
        let superseded_by = Some(&memory.superseded_by).filter(|id| !id.is_empty());
        Draft {
            supersedes: all(&memory.supersedes),
            superseded_by: superseded_by.map(|id| self.now(id)),
            conflicts_with: all(&memory.conflicts_with),
            ..Draft::default()
        }
    }

    /// A memory's aliases, in which the ids of others are the new ones; none
    /// where that changes nothing.
    pub(super) fn aliases(
        &self,
        memory: &Metadata,
        aliases: Option<&[String]>,
    ) -> Option<Vec<String>> {
        let aliases = aliases.filter(|aliases| {
            let mut aliases = aliases.iter();
            aliases.any(|alias| self.is_other(memory, alias))
        })?;
        let renamed = aliases.iter().map(|alias| {
            if self.is_other(memory, alias) {
                self.now(alias)
            } else {
                alias.clone()
            }
        });
        Some(renamed.collect())
    }

    /// Whether a memory is called by its id or an alias in a text, or there may
    /// be a link by another name.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let mut words = text.split(|c| !is_in_word(c));
        text.contains("[[") || words.any(|word| self.owners.contains_key(word))
    }

    /// Whether a reference in a text to what was a memory leads to it, in a
    /// format that knows it by its place.
    pub(super) fn leads(&self, reference: &str, old: &str) -> bool {
        let Some(new) = self.new.get(old) else {
            return false;
        };
        let (_, file) = file_names::split(new);
        let topic = file.split_once('-').map_or(file, |(_, topic)| topic);
        [new, file, topic].contains(&name_in(reference))
    }

    fn is_other(&self, memory: &Metadata, alias: &String) -> bool {
        *alias != memory.id && self.owners.get(alias) == Some(alias)
    }

    fn now(&self, name: &str) -> String {
        let new = self.owners.get(name).and_then(|id| self.new.get(id));
        new.map_or(name, String::as_str).to_owned()
    }
}

/// The name that a reference gives: a wikilink without what it shows and the
/// place in the note, or the name itself.
fn name_in(reference: &str) -> &str {
    let link = reference.trim_start_matches('!');
    let link = link.trim_start_matches('[').trim_end_matches(']');
    let name = link
        .split(['|', '#', '^'])
        .next()
        .unwrap_or_default()
        .trim();
    name.strip_suffix(".md").unwrap_or(name)
}

/// The names of all that a memory relates to.
fn related(memory: &Metadata) -> impl Iterator<Item = &String> {
    let superseded_by = Some(&memory.superseded_by).filter(|id| !id.is_empty());
    let lists = memory.supersedes.iter().chain(&memory.conflicts_with);
    lists.chain(superseded_by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::sample;

    fn three() -> [Metadata; 3] {
        let one = Metadata {
            aliases: vec!["first".into(), "m-2".into()],
            supersedes: vec!["m-2".into(), "third".into(), "m-9".into()],
            ..sample::metadata("m-1")
        };
        let two = Metadata {
            superseded_by: "m-1".into(),
            ..sample::metadata("m-2")
        };
        let three = Metadata {
            aliases: vec!["third".into(), "first".into()],
            ..sample::metadata("m-3")
        };
        [one, two, three]
    }

    #[test]
    fn relations_lead_to_the_same_memories_as_before() {
        let [one, two, three] = three();
        let mut names = Names::of(&[one.clone(), two.clone(), three.clone()]);
        for (old, new) in [("m-1", "n-1"), ("m-2", "n-2"), ("m-3", "n-3")] {
            names.rename(old, new);
        }
        assert!(names.refers(&one) && names.refers(&two) && !names.refers(&three));
        let relations = names.relations(&one);
        let expected = ["n-2", "n-3", "m-9"].map(str::to_owned);
        assert_eq!(relations.supersedes.as_deref(), Some(&expected[..]));
        assert_eq!(relations.superseded_by, None);
        assert_eq!(relations.conflicts_with, None);
        let superseded = names.relations(&two).superseded_by;
        assert_eq!(superseded.as_deref(), Some("n-1"));
    }

    #[test]
    fn a_link_leads_to_a_note_by_its_place_its_file_or_its_topic() {
        let mut names = Names::of(&three());
        names.rename("m-1", "projects/app/踩坑-a-b");
        for (reference, leads) in [
            ("[[projects/app/踩坑-a-b]]", true),
            ("projects/app/踩坑-a-b", true),
            ("![[踩坑-a-b.md|see there]]", true),
            ("[[a-b#Risks]]", true),
            ("[[a b]]", false),
            ("m-1", false),
        ] {
            assert_eq!(names.leads(reference, "m-1"), leads, "{reference}");
        }
        assert!(!names.leads("[[m-2]]", "m-2"), "not carried over");
    }

    #[test]
    fn only_aliases_that_are_ids_of_others_change() {
        let [one, two, three] = three();
        let mut names = Names::of(&[one.clone(), two.clone(), three.clone()]);
        names.rename("m-1", "n-1");
        names.rename("m-2", "n-2");
        let written = ["first", "m-2", "m-1"].map(str::to_owned);
        let aliases = names.aliases(&one, Some(&written)).expect("a change");
        assert_eq!(aliases, ["first", "n-2", "m-1"]);
        assert_eq!(names.aliases(&three, Some(&three.aliases)), None);
        assert_eq!(names.left_behind(&one), ["third"], "not yet carried over");
        assert!(names.left_behind(&two).is_empty());
    }
}
