//! What a body refers to: wikilinks and ids.
//!
//! A Markdown parser says what is text and what is code; code is passed over,
//! since a name in it is an example. Nothing here knows what is in the vault:
//! a [`Reference`] is a name, and who answers to it is for the vault.
//!
//! ```text
//! See [[Release plan]], [[notes/plan#Risks|its risks]] and m-20261019-ab12cd.
//!     └── wikilinks ─────────────────────────────────┘     └── an id ──────┘
//! ```

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TextMergeWithOffset};

use crate::text::characters::is_cjk;

/// How a reference is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// `[[name]]`.
    Link,
    /// `![[name]]`: what it leads to is shown in its place.
    Embed,
    /// An id among the words of the text.
    Id,
}

/// A reference in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// How it is written.
    pub kind: ReferenceKind,
    /// The whole of it, as it stands in the body.
    pub text: String,
    /// What stands between the brackets, before a `|`; or the id.
    pub target: String,
}

impl Reference {
    /// The name it gives: its target without a heading (`#…`), a block (`^…`)
    /// and the suffix `.md`.
    pub fn name(&self) -> &str {
        without_suffix(self.target.split(['#', '^']).next().unwrap_or_default())
    }

    /// The names it may mean, the likeliest first. A title with a `#` in it
    /// is meant whole, although it looks like a title and a heading.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let (whole, name) = (without_suffix(&self.target), self.name());
        let whole = (whole != name).then_some(whole);
        whole.into_iter().chain(Some(name))
    }
}

/// The references in a body, in the order of its text: wikilinks, and words
/// outside of code that are ids; `ends_word` says where a word ends.
///
/// A link to a heading of its own body (`[[#Risks]]`) names nothing and is
/// left out, as is one that goes on in another line.
pub fn references(
    body: &str,
    ends_word: impl Fn(char) -> bool,
    is_id: impl Fn(&str) -> bool,
) -> Vec<Reference> {
    let events = Parser::new_ext(body, Options::ENABLE_WIKILINKS).into_offset_iter();
    let mut found = Vec::new();
    // Where the text begins that belongs to no link and no code.
    let mut free = 0;
    for (event, place) in TextMergeWithOffset::new(events) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => free = place.end,
            Event::Start(tag) => {
                if let Some(link) = wikilink(&tag, body, place.clone()) {
                    free = place.end;
                    found.extend(Some(link).filter(|link| !link.name().is_empty()));
                }
            }
            Event::Text(text) if place.start >= free => {
                found.extend(ids(&text, &ends_word, &is_id));
            }
            _ => {}
        }
    }
    found
}

fn wikilink(tag: &Tag<'_>, body: &str, place: Range<usize>) -> Option<Reference> {
    let (kind, link_type, target) = match tag {
        Tag::Link {
            link_type,
            dest_url,
            ..
        } => (ReferenceKind::Link, link_type, dest_url),
        Tag::Image {
            link_type,
            dest_url,
            ..
        } => (ReferenceKind::Embed, link_type, dest_url),
        _ => return None,
    };
    let LinkType::WikiLink { has_pothole } = link_type else {
        return None;
    };
    if target.contains(['\n', '\r']) {
        return None;
    }
    // In a table the bar is written `\|`.
    let escaped = target.strip_suffix('\\').filter(|_| *has_pothole);
    Some(Reference {
        kind,
        text: body.get(place)?.to_owned(),
        target: escaped.unwrap_or(target).trim().to_owned(),
    })
}

/// Whether a word ends that could be an id: at anything but a letter, a digit,
/// `_` and `-`; and at a CJK character, which no blank sets apart.
pub fn ends_word(c: char) -> bool {
    is_cjk(c) || !(c.is_alphanumeric() || c == '_' || c == '-')
}

/// The words of a text that are ids.
fn ids(
    text: &str,
    ends_word: impl Fn(char) -> bool,
    is_id: impl Fn(&str) -> bool,
) -> impl Iterator<Item = Reference> {
    let ids = text.split(ends_word).filter(move |word| is_id(word));
    ids.map(|id| Reference {
        kind: ReferenceKind::Id,
        text: id.to_owned(),
        target: id.to_owned(),
    })
}

fn without_suffix(name: &str) -> &str {
    let name = name.trim();
    let stem = name.len().saturating_sub(".md".len());
    match name.get(stem..) {
        Some(suffix) if suffix.eq_ignore_ascii_case(".md") => &name[..stem],
        _ => name,
    }
}

#[cfg(test)]
mod tests;
