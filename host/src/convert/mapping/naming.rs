//! What a memory is called in another format, where that puts it, and what its
//! tags say.

use super::{Fate, Field, Mapping, becomes};
use crate::convert::file_names;
use crate::convert::places::Place;
use crate::convert::pool;
use crate::convert::tables::{FileNames, Pair};
use crate::convert::text::{cut, plain_tag};
use crate::types::{Metadata, Status};

/// The place that a memory is to have in a format that knows it by its place;
/// none where it becomes no note. That of one that comes back is the one it
/// had, unless it was put away or taken out meanwhile.
pub(in crate::convert) fn place(
    pair: &Pair,
    names: &FileNames,
    memory: &Metadata,
) -> Option<Place> {
    let mut mapping = Mapping::of(pair, memory);
    let status = mapping.status();
    if pair.to.pool_for(status).is_some() {
        return None;
    }
    let is_archived = status == Status::Archived;
    let project = mapping.project();
    let original = mapping.original.as_ref();
    let before = original.and_then(|original| original.note(pair.to.pool.as_ref()));
    let before = before.filter(|path| names.is_archived(path) == is_archived);
    let directory = match before {
        Some(path) => file_names::split(path).0.to_owned(),
        None => names.home(project.as_deref(), is_archived),
    };
    let topic = Some(names.topic(&memory.title)).filter(|topic| !topic.is_empty());
    Some(Place {
        directory,
        category: mapping.kind(),
        topic: topic.unwrap_or_else(|| names.topic(&memory.id)),
        project,
        is_numbered: false,
    })
}

impl Mapping<'_> {
    /// The title, as long as the other format has room for it.
    pub(super) fn title(&mut self) -> String {
        if let (Some(place), Some(names)) = (self.aside.place, &self.to.file_names) {
            return self.topic(place, names);
        }
        let title = &self.memory.title;
        let kept = cut(title, self.to.title_limit);
        if kept == title.as_str() {
            return title.clone();
        }
        let what = format!(
            "cut to {} characters; the whole one stays as an alias",
            self.to.title_limit
        );
        self.remark_in(Fate::Lost, Field::Title, what, title.clone());
        kept.to_owned()
    }

    /// The title as a part of the name of a file.
    fn topic(&mut self, place: &Place, names: &FileNames) -> String {
        let (title, topic) = (&self.memory.title, &place.topic);
        let detail = becomes(title, topic);
        if place.is_numbered {
            let what = "numbered: another note there has the same name";
            self.remark_in(Fate::Mapped, Field::Title, what, detail.clone());
        }
        if names.cuts(title) {
            let what = format!("cut to {} characters", names.topic);
            self.remark_in(Fate::Lost, Field::Title, what, detail);
        } else if names.topic(title) != *title {
            let what = "spelled as a part of a file name";
            self.remark_in(Fate::Mapped, Field::Title, what, detail);
        }
        topic.clone()
    }

    /// Its other names, its id, the name of its file where that is what links
    /// go by, and its title where that was cut. An entry of a pool has no name.
    pub(super) fn aliases(&self, title: &str) -> Vec<String> {
        let mut aliases = self.memory.aliases.clone();
        if !pool::is_entry(self.from, self.memory) {
            aliases.push(self.memory.id.clone());
            let (_, name) = file_names::split(&self.memory.id);
            let goes_by_it = self.from.file_names.is_some() && name != self.memory.id;
            aliases.extend(goes_by_it.then(|| name.to_owned()));
        }
        if title != self.memory.title {
            aliases.push(self.memory.title.clone());
        }
        aliases
    }

    /// The tags, spelled as the other format has them.
    pub(super) fn tags(&mut self) -> Vec<String> {
        let mut tags = self.memory.tags.clone();
        if self.from.plain_tags && !self.to.plain_tags && tags.last() == Some(&self.memory.kind) {
            tags.pop();
            let what = "the tag of the kind is left out: the kind says it";
            self.remark(Fate::Mapped, Field::Tags, what);
        }
        self.tag_category_and_project(&mut tags);
        if self.to.plain_tags && !self.from.plain_tags {
            tags = self.plain_tags(&tags);
            let what = "the kind is one of them";
            self.remark(Fate::Mapped, Field::Tags, what);
        }
        let limit = self.to.tag_limit;
        if self.to.holds(Field::Tags) && tags.len() > limit {
            let beyond = tags.split_off(limit).join(", ");
            let what = format!("those beyond the first {limit}");
            self.remark_in(Fate::Lost, Field::Tags, what, beyond);
        }
        tags
    }

    /// Has a category that somebody made up and a project among the tags of a
    /// format that has neither.
    fn tag_category_and_project(&mut self, tags: &mut Vec<String>) {
        let Metadata { kind, scope, .. } = self.memory;
        if !kind.is_empty() && !self.from.kinds.contains(&kind.as_str()) {
            let what = "the category is one of them";
            self.remark_in(Fate::Mapped, Field::Tags, what, kind.clone());
            tags.push(kind.clone());
        }
        let scope = scope.iter().filter(|_| !self.to.holds(Field::Scope));
        for scope in scope {
            self.remark_in(Fate::Mapped, Field::Scope, "becomes a tag", scope.clone());
            tags.push(scope.clone());
        }
    }

    /// Tags in lower case, without `#`, with `-` for blanks, each once.
    fn plain_tags(&mut self, tags: &[String]) -> Vec<String> {
        let mut plain: Vec<String> = Vec::new();
        let mut changed = Vec::new();
        for tag in tags {
            let spelled = plain_tag(tag);
            if spelled != *tag {
                changed.push(becomes(tag, &spelled));
            }
            if !spelled.is_empty() && !plain.contains(&spelled) {
                plain.push(spelled);
            }
        }
        if !changed.is_empty() {
            let what = "in lower case, without `#`, with `-` for blanks";
            self.remark_in(Fate::Mapped, Field::Tags, what, changed.join(", "));
        }
        plain
    }
}
