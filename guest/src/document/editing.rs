//! Changing single entries or the body, and not a byte besides (design §7).

use std::ops::Range;

use super::frontmatter::{Field, Frontmatter};
use super::lines::{Line, lines, lines_from_end};
use super::value::{Style, Value};
use super::{BOM, Document, items, quoting};

/// One change of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit<'e> {
    /// Gives a key a value, in its place if it has one.
    Set(&'e str, Value),
    /// Takes a key out, every time it stands there.
    Remove(&'e str),
    /// Puts another body in the place of the present one. Its line breaks
    /// become those of the file; the lines that stay at its beginning and at
    /// its end keep their own.
    Body(&'e str),
}

/// A stretch of the text and what comes into its place.
struct Patch {
    at: Range<usize>,
    with: String,
}

impl Patch {
    fn insert(at: usize, with: String) -> Self {
        Patch { at: at..at, with }
    }
}

impl Document<'_> {
    /// The text with some changes made; of several for one key, or for the
    /// body, the last counts.
    ///
    /// Only the bytes of the named entries change. Keys keep their spelling and
    /// place, a value of one line keeps the comment after it, a list keeps its
    /// style and indentation, and a value that is equal already keeps its
    /// quotes too: editing twice is editing once. A new key comes after the
    /// entries that stand before it in `order`, as near to it as they do there,
    /// or before the first entry if there are none; a key that is not in
    /// `order` comes last. A document without frontmatter gets one when a key
    /// is set, or when its new body would be taken for one.
    pub fn edit(&self, edits: &[Edit<'_>], order: &[&str]) -> String {
        let wanted = Wanted::of(edits);
        match &self.frontmatter {
            Some(front) => self.edit_within(front, &wanted, order),
            None => self.edit_without(&wanted, order),
        }
    }

    fn edit_within(&self, front: &Frontmatter<'_>, wanted: &Wanted<'_>, order: &[&str]) -> String {
        let mut patches = self.new_entries(front, wanted, order);
        for &(key, value) in &wanted.keys {
            let field = self.get(key);
            match value {
                Some(value) => patches.extend(field.into_iter().flat_map(|f| self.set(f, value))),
                None => patches.extend(removals(front, field, key)),
            }
        }
        patches.extend(wanted.body.and_then(|body| self.replace_body(front, body)));
        self.apply(patches)
    }

    /// Entries for the keys that are not there, each at its place.
    fn new_entries(
        &self,
        front: &Frontmatter<'_>,
        wanted: &Wanted<'_>,
        order: &[&str],
    ) -> Vec<Patch> {
        let missing = wanted
            .keys
            .iter()
            .filter(|(key, _)| self.get(key).is_none());
        let mut missing: Vec<(&str, &Value)> = missing
            .filter_map(|&(key, value)| Some((key, value?)))
            .collect();
        missing.sort_by_key(|(key, _)| rank(key, order));
        let entry = |&(key, value): &(&str, &Value)| {
            let mut text = String::new();
            quoting::write_entry(&mut text, key, value, self.line_ending);
            Patch::insert(place_for(key, front, order), text)
        };
        missing.iter().map(entry).collect()
    }

    /// What gives an entry another value.
    fn set(&self, field: &Field<'_>, value: &Value) -> Vec<Patch> {
        if field.value.same_as(value) {
            return Vec::new();
        }
        let place = &field.place;
        let keeps_lines = field.style == Style::BlockList;
        let may_have_lines = !place.has_strays && field.style != Style::FlowList;
        let list = value.list();
        let wants_lines = match value {
            Value::List(_) => keeps_lines,
            Value::BlockList(_) => keeps_lines || may_have_lines,
            Value::Text(_) | Value::Plain(_) => false,
        };
        let (on_line, below) = if wants_lines && !list.is_empty() {
            let lines = &self.text[place.header_end..place.last_end];
            let indent = if keeps_lines {
                items::indent(lines)
            } else {
                quoting::INDENT
            };
            (
                String::new(),
                quoting::item_lines(&list, indent, self.line_ending),
            )
        } else {
            (quoting::inline(value), String::new())
        };
        lay_out(field, &on_line, below).into()
    }

    fn replace_body(&self, front: &Frontmatter<'_>, body: &str) -> Option<Patch> {
        let body = self.line_ending.apply(body);
        if body == self.line_ending.apply(self.body) {
            return None;
        }
        let ending = self.line_ending.as_str();
        let would_lose_a_line = body.starts_with(['\n', '\r']);
        let gap = if body.is_empty() || front.has_gap {
            String::new()
        } else if !front.closing.is_ended() {
            ending.repeat(2)
        } else if self.body.is_empty() || would_lose_a_line {
            ending.to_owned()
        } else {
            String::new()
        };
        if gap.is_empty() {
            return Some(self.replace_lines(front.body_start, &body));
        }
        Some(Patch {
            at: front.body_start..self.text.len(),
            with: gap + &body,
        })
    }

    /// Replaces what lies between the lines that a body shares with the
    /// present one at its beginning and at its end.
    fn replace_lines(&self, body_start: usize, body: &str) -> Patch {
        let (old, new) = (&self.text[body_start..], body);
        let same = |(one, other): &(Line, Line), old: &str, new: &str| {
            one.content(old) == other.content(new) && one.is_ended() == other.is_ended()
        };
        let shared = lines(old, 0..old.len()).zip(lines(new, 0..new.len()));
        let shared = shared.take_while(|pair| same(pair, old, new)).last();
        let (from, new_from) = shared.map_or((0, 0), |(one, other)| (one.next, other.next));
        let (old, new) = (&old[from..], &new[new_from..]);
        let shared = lines_from_end(old).zip(lines_from_end(new));
        let shared = shared.take_while(|pair| same(pair, old, new)).last();
        let ends = (old.len(), new.len());
        let (to, new_to) = shared.map_or(ends, |(one, other)| (one.start, other.start));
        let start = body_start + from;
        Patch {
            at: start..start + to,
            with: new[..new_to].to_owned(),
        }
    }

    /// Changes a document that has no frontmatter.
    fn edit_without(&self, wanted: &Wanted<'_>, order: &[&str]) -> String {
        let body = wanted.body.map(|body| self.line_ending.apply(body));
        let body = body.filter(|body| *body != self.line_ending.apply(self.body));
        let body = body.as_deref().unwrap_or(self.body);
        let bom = &self.text[..self.text.len() - self.body.len()];
        let mut entries: Vec<(&str, &Value)> = wanted
            .keys
            .iter()
            .filter_map(|&(key, value)| Some((key, value?)))
            .collect();
        entries.sort_by_key(|(key, _)| rank(key, order));
        let plain = format!("{bom}{body}");
        if entries.is_empty() && is_all_body(&plain, bom) {
            return plain;
        }
        let ending = self.line_ending;
        let mut text = format!("{bom}---{}", ending.as_str());
        for (key, value) in entries {
            quoting::write_entry(&mut text, key, value, ending);
        }
        text + "---" + &ending.as_str().repeat(2) + body
    }

    fn apply(&self, mut patches: Vec<Patch>) -> String {
        patches.sort_by_key(|patch| (patch.at.start, patch.at.end));
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for patch in patches {
            join(&mut text, &self.text[done..patch.at.start]);
            join(&mut text, &patch.with);
            done = patch.at.end;
        }
        join(&mut text, &self.text[done..]);
        text
    }
}

/// Appends a part, without making one line break of two where a file mixes
/// `\r` and `\n`.
fn join(text: &mut String, part: &str) {
    if text.ends_with('\r') && part.starts_with('\n') {
        text.push('\n');
    }
    text.push_str(part);
}

/// The last word on every key, in the order of first mention, and on the body.
#[derive(Default)]
struct Wanted<'e> {
    /// With its value, or none to remove it.
    keys: Vec<(&'e str, Option<&'e Value>)>,
    body: Option<&'e str>,
}

impl<'e> Wanted<'e> {
    fn of(edits: &'e [Edit<'e>]) -> Self {
        let mut wanted = Wanted::default();
        for edit in edits {
            match edit {
                Edit::Set(key, value) => wanted.key(key, Some(value)),
                Edit::Remove(key) => wanted.key(key, None),
                Edit::Body(body) => wanted.body = Some(body),
            }
        }
        wanted
    }

    fn key(&mut self, key: &'e str, value: Option<&'e Value>) {
        match self.keys.iter_mut().find(|(known, _)| *known == key) {
            Some(known) => known.1 = value,
            None => self.keys.push((key, value)),
        }
    }
}

/// Puts another value, part of it on the line of the key and part below, in
/// the place of the present one.
fn lay_out(field: &Field<'_>, on_line: &str, below: String) -> [Patch; 2] {
    let place = &field.place;
    let (at, blank) = if field.is_multi_line() && !place.has_empty_header {
        (place.key_end..place.header_end, " ")
    } else if place.value.is_empty() {
        (place.key_end..place.key_end, " ")
    } else if on_line.is_empty() {
        (place.key_end..place.value.end, "")
    } else {
        (place.value.clone(), "")
    };
    let blank = if on_line.is_empty() { "" } else { blank };
    let first = Patch {
        at,
        with: format!("{blank}{on_line}"),
    };
    [
        first,
        Patch {
            at: place.header_end..place.last_end,
            with: below,
        },
    ]
}

fn removals<'r>(
    front: &'r Frontmatter<'_>,
    field: Option<&'r Field<'_>>,
    key: &'r str,
) -> impl Iterator<Item = Patch> + 'r {
    let first = field.map(|field| field.place.span.clone());
    let others = front.repeats.iter().filter(move |(known, _)| known == key);
    let spans = first
        .into_iter()
        .chain(others.map(|(_, span)| span.clone()));
    spans.map(|at| Patch {
        at,
        with: String::new(),
    })
}

/// Place of a key in the canonical order; those not in it come after.
fn rank(key: &str, order: &[&str]) -> usize {
    order
        .iter()
        .position(|known| *known == key)
        .unwrap_or(order.len())
}

/// Where an entry with a new key is put in.
fn place_for(key: &str, front: &Frontmatter<'_>, order: &[&str]) -> usize {
    let own = rank(key, order);
    if own == order.len() {
        return front.closing.start;
    }
    let before = front
        .fields
        .iter()
        .filter(|field| rank(&field.key, order) < own);
    match before.max_by_key(|field| rank(&field.key, order)) {
        Some(field) => field.place.span.end,
        None => front
            .fields
            .first()
            .map_or(front.closing.start, |field| field.place.span.start),
    }
}

/// Whether a text would be read as a body alone, after this BOM or none.
fn is_all_body(text: &str, bom: &str) -> bool {
    let read = Document::parse(text);
    !read.has_frontmatter() && read.has_bom() == bom.starts_with(BOM)
}
