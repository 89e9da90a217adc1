//! A Markdown file in pieces, without losing a byte of it.
//!
//! [`Document::parse`] finds the frontmatter and reads its entries; nothing it
//! meets makes it fail, since people edit these files by hand. What it had to
//! tolerate is told by [`Document::issues`]. [`Document::edit`] changes single
//! entries or the body and leaves every other byte as it stands (design §7);
//! [`compose`] writes a new file (inkvault contract §0.4 and §1).
//!
//! The frontmatter is scanned line by line by a tolerant scanner of our own:
//! `title: Note: x`, `title: @me` and `title: [草稿] 计划` are what their
//! authors meant. Only a value on several lines goes to a YAML parser
//! (`yaml`), and only that value. What the keys mean is for the formats.
//! What divides a body is told by [`headings`], what it refers to by
//! [`references`].
//!
//! ```text
//! ---                       the first line, BOM before it allowed
//! title: 用户偏好：回答用中文   an entry
//! # anything else           a comment: belongs to no entry
//! tags:                     an entry on three lines
//!   - preference
//!   - language
//! ---
//!                           one blank line belongs to neither
//! The body.
//! ```

mod editing;
mod flow;
mod frontmatter;
mod headings;
mod items;
mod lines;
#[cfg(test)]
mod properties;
mod quoting;
mod references;
mod scalar;
#[cfg(test)]
mod tests;
mod value;
mod yaml;

pub use editing::Edit;
pub use frontmatter::Field;
pub use headings::{Heading, headings, open_fence};
pub use lines::LineEnding;
pub(crate) use lines::lines;
pub use references::{Reference, ReferenceKind, ends_word, references};
pub use value::{Style, Value};

use frontmatter::Frontmatter;

/// The character some editors put at the start of a file.
const BOM: char = '\u{FEFF}';

/// A file's text in pieces.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    text: &'a str,
    has_bom: bool,
    line_ending: LineEnding,
    frontmatter: Option<Frontmatter<'a>>,
    body: &'a str,
}

impl<'a> Document<'a> {
    /// Takes a file's text apart, in time linear in its length.
    ///
    /// There is a frontmatter if the text, after a BOM, begins with a line
    /// `---` and a later line is `---` too, both with trailing blanks allowed
    /// (contract §1, `parseDocument`). Lines end with `\n`, `\r\n` or `\r`.
    pub fn parse(text: &'a str) -> Self {
        let content = text.strip_prefix(BOM).unwrap_or(text);
        let start = text.len() - content.len();
        let frontmatter = Frontmatter::read(text, start);
        let body = frontmatter.as_ref().map_or(start, |front| front.body_start);
        Document {
            text,
            has_bom: start > 0,
            line_ending: LineEnding::of(content),
            frontmatter,
            body: &text[body..],
        }
    }

    /// The entry of a key; where a key stands twice, the first.
    pub fn get(&self, key: &str) -> Option<&Field<'a>> {
        self.fields().iter().find(|field| field.key == key)
    }

    /// The entries in their order, each key once.
    pub fn fields(&self) -> &[Field<'a>] {
        self.frontmatter.as_ref().map_or(&[], |front| &front.fields)
    }

    /// What had to be tolerated in the frontmatter, a sentence each with its
    /// line number: repeated keys, nested or unreadable values, lines that are
    /// no entry. At most 50, and one that tells how many more there are.
    /// Values on several lines that could be read are none: see
    /// [`Field::style`] and [`Field::is_multi_line`].
    pub fn issues(&self) -> &[String] {
        self.frontmatter
            .as_ref()
            .map_or(&[], |front| front.issues.as_slice())
    }

    /// What follows the frontmatter, less one empty line directly after it;
    /// without a frontmatter, everything after the BOM.
    pub fn body(&self) -> &'a str {
        self.body
    }

    /// Whether there is a frontmatter, even an empty one.
    pub fn has_frontmatter(&self) -> bool {
        self.frontmatter.is_some()
    }

    /// Whether the text begins with U+FEFF.
    pub fn has_bom(&self) -> bool {
        self.has_bom
    }

    /// How the first line ends; `\n` where there is only one.
    pub fn line_ending(&self) -> LineEnding {
        self.line_ending
    }
}

/// Writes a new file: `---`, the entries in the given order, `---`, an empty
/// line, and the body without line breaks at its end (contract §1,
/// `stringifyDocument`). Lines of the frontmatter end with `\n`. Values are
/// quoted where any reader of YAML could take them for something else; what
/// was written is read back by [`Document::parse`], whatever the strings hold.
pub fn compose(entries: &[(&str, Value)], body: &str) -> String {
    let mut text = String::from("---\n");
    for (key, value) in entries {
        quoting::write_entry(&mut text, key, value, LineEnding::Lf);
    }
    text.push_str("---\n\n");
    text.push_str(body.trim_end_matches(['\n', '\r']));
    text
}
