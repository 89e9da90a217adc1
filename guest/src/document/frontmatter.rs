//! The frontmatter: which lines belong to which entry.
//!
//! An entry begins with `key: value` at the margin. What is indented below it
//! belongs to it, and so do list items at the margin below an empty value.
//! Comments and empty lines at the margin belong to no entry. A line that fits
//! none of this is told as an issue and otherwise left alone.

use std::borrow::Cow;
use std::ops::Range;

use foldhash::{HashSet, HashSetExt};

use super::flow;
use super::lines::{Line, break_length, is_blank, lines};
use super::scalar;
use super::value::{Found, Style, Value, is_block_header, read_line};
use super::{items, yaml};
use crate::text::characters::cut;

/// Most issues that are told one by one.
const MOST_ISSUES: usize = 50;

/// Most characters of a key that are repeated in an issue.
const KEY_SHOWN: usize = 60;

/// One entry of the frontmatter.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    /// Its key, without quotes.
    pub key: Cow<'a, str>,
    /// What it holds: [`Value::Text`] or [`Value::List`].
    pub value: Value,
    /// How the value stands in the file.
    pub style: Style,
    /// The value as it stands in the file, quotes and all, without a comment
    /// after a value of one line.
    pub raw: &'a str,
    /// The line it begins on, the first line of the file being 1.
    pub line: usize,
    pub(super) place: Place,
}

impl Field<'_> {
    /// Whether the value goes on below the line of its key.
    pub fn is_multi_line(&self) -> bool {
        self.place.last_end > self.place.header_end
    }
}

/// Where an entry lies in the text, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// All its lines, with the last line break and indented comments below.
    pub(super) span: Range<usize>,
    /// After the colon.
    pub(super) key_end: usize,
    /// The value, if it is on the line of the key.
    pub(super) value: Range<usize>,
    /// Before the line break of the first line.
    pub(super) header_end: usize,
    /// Before the line break of the last line of the value.
    pub(super) last_end: usize,
    /// Nothing but a comment follows the key on its line.
    pub(super) has_empty_header: bool,
    /// List items or brackets follow that are not its value.
    pub(super) has_strays: bool,
}

/// The frontmatter of a file.
#[derive(Clone, Debug)]
pub(super) struct Frontmatter<'a> {
    pub(super) fields: Vec<Field<'a>>,
    /// Entries whose key stood before: the key and all their lines.
    pub(super) repeats: Vec<(Cow<'a, str>, Range<usize>)>,
    pub(super) issues: Vec<String>,
    /// The closing line.
    pub(super) closing: Line,
    /// Where the body begins.
    pub(super) body_start: usize,
    /// Whether an empty line stands before the body.
    pub(super) has_gap: bool,
}

impl<'a> Frontmatter<'a> {
    /// Reads the frontmatter that begins at `start`, if one does.
    pub(super) fn read(text: &'a str, start: usize) -> Option<Self> {
        let mut all = lines(text, start..text.len());
        let opening = all.next().filter(|line| is_fence(line.content(text)))?;
        let closing = all.find(|line| is_fence(line.content(text)))?;
        let gap = break_length(&text.as_bytes()[closing.next..]);
        let mut scan = Scan::new(text);
        for (index, line) in lines(text, opening.next..closing.start).enumerate() {
            scan.line(line, index + 2);
        }
        scan.close();
        Some(Frontmatter {
            fields: scan.fields,
            repeats: scan.repeats,
            issues: scan.issues.into_sentences(),
            closing,
            body_start: closing.next + gap,
            has_gap: gap > 0,
        })
    }
}

/// `---`, with blanks after it.
fn is_fence(line: &str) -> bool {
    line.strip_prefix("---")
        .is_some_and(|rest| rest.chars().all(is_blank))
}

/// What a line is to the entry above it.
enum Kind<'a> {
    /// Nothing: an empty line or a comment at the margin.
    Apart,
    /// An indented comment: goes where the entry goes.
    Remark,
    /// A line of its value.
    Value,
    /// A line that would like to be.
    Stray,
    /// The next entry: its key and where the key ends.
    Entry(Cow<'a, str>, usize),
    /// No entry either.
    Unknown,
}

/// An entry whose end is not yet known.
struct Open<'a> {
    key: Cow<'a, str>,
    line: usize,
    place: Place,
    is_block_scalar: bool,
    /// Whether its value is a bracket that does not close on its line; asked
    /// only where a line begins with a closing one.
    awaits_bracket: Option<bool>,
}

/// The scan over the lines.
struct Scan<'a> {
    text: &'a str,
    open: Option<Open<'a>>,
    seen: HashSet<Cow<'a, str>>,
    fields: Vec<Field<'a>>,
    repeats: Vec<(Cow<'a, str>, Range<usize>)>,
    issues: Issues,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        Scan {
            text,
            open: None,
            seen: HashSet::new(),
            fields: Vec::new(),
            repeats: Vec::new(),
            issues: Issues::default(),
        }
    }

    fn line(&mut self, line: Line, number: usize) {
        match self.kind(line.content(self.text)) {
            Kind::Apart => {}
            Kind::Remark => self.extend(|place| place.span.end = line.next),
            Kind::Value => self.extend(|place| {
                place.last_end = line.end;
                place.span.end = line.next;
            }),
            Kind::Stray => {
                self.extend(|place| {
                    place.has_strays = true;
                    place.span.end = line.next;
                });
                self.unknown(number);
            }
            Kind::Entry(key, key_end) => {
                self.close();
                self.open = Some(Open::new(
                    self.text,
                    key,
                    line.start + key_end,
                    line,
                    number,
                ));
            }
            Kind::Unknown => {
                self.close();
                self.unknown(number);
            }
        }
    }

    fn kind(&mut self, content: &'a str) -> Kind<'a> {
        let trimmed = content.trim_start_matches(is_blank);
        let is_indented = trimmed.len() < content.len();
        let in_block_scalar = self
            .open
            .as_ref()
            .is_some_and(|open| open.is_block_scalar && !open.place.has_strays);
        if trimmed.is_empty() || (trimmed.starts_with('#') && !is_indented) {
            return Kind::Apart;
        }
        if trimmed.starts_with('#') && !in_block_scalar {
            return Kind::Remark;
        }
        if let Some(open) = &mut self.open {
            let is_item = items::is_item(content);
            let is_bracket = content.starts_with([']', '}']);
            if is_indented || is_item || is_bracket {
                let is_value = !open.place.has_strays
                    && (is_indented
                        || (is_item && open.place.has_empty_header)
                        || (is_bracket && open.awaits_bracket(self.text)));
                return if is_value { Kind::Value } else { Kind::Stray };
            }
        }
        match read_key(content) {
            Some((key, end)) if !is_indented => Kind::Entry(key, end),
            _ => Kind::Unknown,
        }
    }

    fn extend(&mut self, change: impl FnOnce(&mut Place)) {
        if let Some(open) = &mut self.open {
            change(&mut open.place);
        }
    }

    fn unknown(&mut self, number: usize) {
        self.issues
            .add(|| format!("line {number} is not `key: value` and is left alone"));
    }

    /// Reads the value of the entry that ends here.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if !self.seen.insert(open.key.clone()) {
            self.issues
                .about(open.line, &open.key, "stands again; the first counts");
            self.repeats.push((open.key, open.place.span));
            return;
        }
        let (field, has_unknown_escape) = open.read(self.text);
        if has_unknown_escape {
            let fault = "has an unknown escape, which is kept as it stands";
            self.issues.about(field.line, &field.key, fault);
        }
        if let Some(fault) = fault(field.style) {
            self.issues.about(field.line, &field.key, fault);
        }
        self.fields.push(field);
    }
}

fn fault(style: Style) -> Option<&'static str> {
    match style {
        Style::Nested => Some("holds values in values, and is kept as text"),
        Style::Unreadable => Some("cannot be read as YAML, and is kept as text"),
        _ => None,
    }
}

impl<'a> Open<'a> {
    fn new(text: &'a str, key: Cow<'a, str>, key_end: usize, line: Line, number: usize) -> Self {
        let header = &text[key_end..line.end];
        let value = header.trim_start_matches(is_blank);
        let value_start = line.end - value.len();
        let place = Place {
            span: line.start..line.next,
            key_end,
            value: value_start..value_start,
            header_end: line.end,
            last_end: line.end,
            has_empty_header: scalar::without_comment(value).is_empty(),
            has_strays: false,
        };
        let is_block_scalar = is_block_header(value);
        Open {
            key,
            line: number,
            place,
            is_block_scalar,
            awaits_bracket: None,
        }
    }

    fn awaits_bracket(&mut self, text: &str) -> bool {
        let value = &text[self.place.value.start..self.place.header_end];
        *self
            .awaits_bracket
            .get_or_insert_with(|| value.starts_with(['[', '{']) && flow::read(value).is_none())
    }

    /// Reads the value; also says whether an escape in it is unknown.
    fn read(mut self, text: &'a str) -> (Field<'a>, bool) {
        let Place {
            key_end,
            header_end,
            last_end,
            has_empty_header,
            ..
        } = self.place;
        if last_end == header_end {
            let Found {
                value,
                style,
                at,
                has_unknown_escape,
            } = read_line(&text[key_end..header_end]);
            self.place.value = key_end + at.start..key_end + at.end;
            let raw = &text[self.place.value.clone()];
            return (self.field(value, style, raw), has_unknown_escape);
        }
        let raw = text[key_end..last_end].trim();
        let listed = has_empty_header
            .then(|| items::read(&text[header_end..last_end]))
            .flatten();
        let (value, style) = match listed {
            Some(items) => (Value::List(items), Style::BlockList),
            None => yaml::read(&text[key_end..last_end])
                .unwrap_or_else(|style| (Value::Text(raw.to_owned()), style)),
        };
        (self.field(value, style, raw), false)
    }

    fn field(self, value: Value, style: Style, raw: &'a str) -> Field<'a> {
        Field {
            key: self.key,
            value,
            style,
            raw,
            line: self.line,
            place: self.place,
        }
    }
}

/// The key of an entry, and where what follows its colon begins; none where
/// the line is no entry.
fn read_key(line: &str) -> Option<(Cow<'_, str>, usize)> {
    if items::is_item(line) || line.starts_with([']', '}']) {
        return None;
    }
    let ends_key = |at: usize| line[at + 1..].chars().next().is_none_or(is_blank);
    if let Some(quoted) = scalar::quoted(line) {
        let after = line[quoted.length..].trim_start_matches(is_blank);
        let colon = line.len() - after.len();
        if after.starts_with(':') && ends_key(colon) {
            return Some((Cow::Owned(quoted.text), colon + 1));
        }
    }
    let (colon, _) = line.match_indices(':').find(|&(at, _)| ends_key(at))?;
    let key = line[..colon].trim_end_matches(is_blank);
    (!key.is_empty()).then_some((Cow::Borrowed(key), colon + 1))
}

/// Issues, so many as are worth telling.
#[derive(Default)]
struct Issues {
    told: Vec<String>,
    more: usize,
}

impl Issues {
    fn about(&mut self, line: usize, key: &str, fault: &str) {
        let key = cut(key, KEY_SHOWN);
        self.add(|| format!("line {line}: `{key}` {fault}"));
    }

    fn add(&mut self, sentence: impl FnOnce() -> String) {
        if self.told.len() < MOST_ISSUES {
            self.told.push(sentence());
        } else {
            self.more += 1;
        }
    }

    fn into_sentences(mut self) -> Vec<String> {
        if self.more > 0 {
            self.told.push(format!("and {} more", self.more));
        }
        self.told
    }
}
