//! The sections of a memory's body (dsh-memory format §3.2), read.
//!
//! `## ` headings divide the body. Three of them have a meaning: the summary,
//! what it rests on, and what it is related to; all others are the person's
//! own. Texts have `\n` line ends here.
//!
//! ```text
//! # title            the H1, no part of the body
//! leading text       the summary, where no section is
//! ## 核心内容          the summary
//! ## anything        a person's own
//! ## 来源与依据         the evidence
//! ## 相关记忆          wikilinks
//! ```

use std::ops::Range;

use crate::document::{Heading, headings};
use crate::text::characters;

/// The heading of the summary.
pub(super) const SUMMARY: &str = "核心内容";
/// The heading of the evidence.
pub(super) const EVIDENCE: &str = "来源与依据";
/// The heading of the links.
pub(super) const RELATED: &str = "相关记忆";
/// What stands below [`EVIDENCE`] where there is none.
pub(super) const NO_EVIDENCE: &str = "（暂无可追溯来源）";

/// Characters of a summary that other tools are shown (§5, §7).
const PREVIEW: usize = 160;

/// Most sections that are told apart; what follows is one more, without a name
/// and a person's own.
const MOST_SECTIONS: usize = 1_000;

/// Where everything lies in a text, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Layout<'t> {
    text: &'t str,
    /// The H1, where it is the first thing in a file.
    pub(super) title: Option<Heading<'t>>,
    /// Everything below the H1, without the blank lines around it.
    pub(super) body: Range<usize>,
    /// What stands before the first section, likewise.
    pub(super) lead: Range<usize>,
    /// The sections in their order.
    pub(super) sections: Vec<Section<'t>>,
}

/// A `## ` heading and what stands below it.
#[derive(Clone, Debug)]
pub(super) struct Section<'t> {
    /// What the heading says.
    pub(super) name: &'t str,
    /// The line of the heading, without its line break.
    pub(super) heading: Range<usize>,
    /// What stands below it, without the blank lines around it.
    pub(super) content: Range<usize>,
    /// Where the next section begins.
    pub(super) end: usize,
    /// Why it is left out when the memory is read, if it is (§4).
    pub(super) fault: Option<Fault>,
}

/// What can be wrong with a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Its heading says nothing.
    Nameless,
    /// One with a meaning that stands a second time.
    Repeated,
}

impl<'t> Layout<'t> {
    /// Of all that follows a file's frontmatter.
    pub(super) fn of_file(text: &'t str) -> Self {
        let mut headings = headings(text).peekable();
        let is_title =
            |first: &Heading<'_>| first.level == 1 && text[..first.line.start].trim().is_empty();
        let title = headings.next_if(is_title);
        Self::below(text, title, headings)
    }

    /// Of a body, which has no H1 of its own.
    pub(super) fn of_body(text: &'t str) -> Self {
        Self::below(text, None, headings(text))
    }

    fn below(
        text: &'t str,
        title: Option<Heading<'t>>,
        headings: impl Iterator<Item = Heading<'t>>,
    ) -> Self {
        let start = title.as_ref().map_or(0, |title| title.next);
        let dividing = headings.filter(|heading| heading.level == 2);
        let dividing: Vec<_> = dividing.take(MOST_SECTIONS + 1).collect();
        let starts = dividing.iter().map(|heading| heading.line.start);
        let ends = starts.chain([text.len()]).skip(1);
        let mut sections: Vec<Section<'t>> = Vec::new();
        for (heading, end) in dividing.iter().zip(ends) {
            let is_rest = sections.len() == MOST_SECTIONS;
            let (name, start, fault) = if is_rest {
                ("", heading.line.start, None)
            } else {
                (heading.name, heading.next, fault(heading.name, &sections))
            };
            sections.push(Section {
                name,
                heading: heading.line.clone(),
                content: trimmed(text, start..end),
                end,
                fault,
            });
        }
        let first = sections.first();
        let first = first.map_or(text.len(), |first| first.heading.start);
        Layout {
            text,
            title,
            body: trimmed(text, start..text.len()),
            lead: trimmed(text, start..first),
            sections,
        }
    }

    /// The first section of a name.
    pub(super) fn section(&self, name: &str) -> Option<&Section<'t>> {
        self.sections.iter().find(|section| section.name == name)
    }

    /// Everything below the H1.
    pub(super) fn body(&self) -> &'t str {
        &self.text[self.body.clone()]
    }

    /// What the memory says in short.
    pub(super) fn summary(&self) -> &'t str {
        let summary = self.section(SUMMARY);
        let place = summary.map_or(&self.lead, |section| &section.content);
        &self.text[place.clone()]
    }

    /// What supports it, the placeholder being nothing.
    pub(super) fn evidence(&self) -> &'t str {
        let evidence = self.content(EVIDENCE);
        let inner = evidence.trim().trim_matches(['（', '）', '(', ')']);
        if inner == NO_EVIDENCE.trim_matches(['（', '）']) {
            ""
        } else {
            evidence
        }
    }

    /// The text that holds its links.
    pub(super) fn related(&self) -> &'t str {
        self.content(RELATED)
    }

    /// Everything but the summary: leading text above it, the person's own
    /// sections with their headings, the evidence and the links.
    pub(super) fn rest(&self) -> String {
        let mut parts = Vec::new();
        if self.section(SUMMARY).is_some() {
            parts.push(&self.text[self.lead.clone()]);
        }
        for section in self
            .sections
            .iter()
            .filter(|section| section.fault.is_none())
        {
            match section.name {
                SUMMARY => {}
                EVIDENCE => parts.push(self.evidence()),
                RELATED => parts.push(self.related()),
                name => parts.extend([name, &self.text[section.content.clone()]]),
            }
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n")
    }

    /// What the memory says, without the headings that only order its file,
    /// its evidence and its links.
    pub(super) fn said(&self) -> String {
        let lead = self.section(SUMMARY).map(|_| &self.text[self.lead.clone()]);
        let own = self.own().map(|section| {
            let place = trimmed(self.text, section.heading.start..section.end);
            &self.text[place]
        });
        let parts = lead.into_iter().chain([self.summary()]).chain(own);
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }

    /// The sections that are the person's own.
    pub(super) fn own(&self) -> impl Iterator<Item = &Section<'t>> {
        let usable = self
            .sections
            .iter()
            .filter(|section| section.fault.is_none());
        usable.filter(|section| !is_generated(section.name))
    }

    /// What was left out, a sentence for each kind of fault.
    pub(super) fn repairs(&self) -> Vec<String> {
        let kinds = [
            (Fault::Nameless, "without a name"),
            (
                Fault::Repeated,
                "that stand again, the first of which count,",
            ),
        ];
        let told = kinds.into_iter().filter_map(|(kind, what)| {
            let faults = self.sections.iter().filter_map(|section| section.fault);
            let count = faults.filter(|fault| *fault == kind).count();
            (count > 0).then(|| format!("sections {what} were left out: {count}"))
        });
        told.collect()
    }

    fn content(&self, name: &str) -> &'t str {
        let section = self.section(name);
        section.map_or("", |section| &self.text[section.content.clone()])
    }
}

/// The beginning of a memory's summary on one line; of its other text where
/// it has none.
pub(super) fn preview(body: &str) -> String {
    let layout = Layout::of_body(body);
    let mut line = characters::one_line(layout.summary());
    if line.is_empty() {
        line = characters::one_line(&layout.rest());
    }
    characters::cut(&line, PREVIEW).trim_end().to_owned()
}

/// A part of a text without the blank lines around it; the blanks before its
/// first word are part of it.
pub(super) fn trimmed(text: &str, part: Range<usize>) -> Range<usize> {
    let inside = &text[part.clone()];
    if inside.trim().is_empty() {
        return part.start..part.start;
    }
    let first = inside.len() - inside.trim_start().len();
    let start = inside[..first].rfind('\n').map_or(0, |at| at + 1);
    let last = inside.trim_end().len();
    let end = inside[last..]
        .find('\n')
        .map_or(inside.len(), |at| last + at);
    part.start + start..part.start + end
}

fn is_generated(name: &str) -> bool {
    [SUMMARY, EVIDENCE, RELATED].contains(&name)
}

/// What is wrong with a section of that name after those before it.
fn fault(name: &str, before: &[Section<'_>]) -> Option<Fault> {
    if name.is_empty() {
        return Some(Fault::Nameless);
    }
    let is_repeated = is_generated(name) && before.iter().any(|section| section.name == name);
    is_repeated.then_some(Fault::Repeated)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = "\n# T\n\nlead\n\n## 核心内容\n\n  say\n\n```\n## no\n```\n\n## Own\nmine\n### deeper\n\n## 来源与依据\n\n（暂无可追溯来源）\n\n## 相关记忆\n\n- [[a]]\n";

    #[test]
    fn every_part_is_found() {
        let layout = Layout::of_file(NOTE);
        assert_eq!(layout.title.as_ref().map(|title| title.name), Some("T"));
        assert!(layout.body().starts_with("lead\n") && layout.body().ends_with("[[a]]"));
        assert_eq!(layout.summary(), "  say\n\n```\n## no\n```");
        assert_eq!(layout.evidence(), "");
        assert_eq!(layout.related(), "- [[a]]");
        assert_eq!(layout.rest(), "lead\nOwn\nmine\n### deeper\n- [[a]]");
        assert_eq!(
            layout.said(),
            "lead\n\n  say\n\n```\n## no\n```\n\n## Own\nmine\n### deeper"
        );
    }

    #[test]
    fn leading_text_is_the_summary_where_there_is_no_section() {
        let layout = Layout::of_file("a\n\n# b\n\n## c\nd");
        assert!(layout.title.is_none());
        assert_eq!(
            (layout.summary(), layout.rest().as_str()),
            ("a\n\n# b", "c\nd")
        );
        assert_eq!(Layout::of_file("# T\n").body(), "");
    }

    #[test]
    fn what_is_malformed_is_left_out() {
        let layout = Layout::of_body("## 核心内容\na\n##\nb\n## 核心内容\nc\n## d\ne");
        assert_eq!((layout.summary(), layout.rest().as_str()), ("a", "d\ne"));
        let faults = layout
            .sections
            .iter()
            .filter(|section| section.fault.is_some());
        assert_eq!(faults.count(), 2);
    }

    #[test]
    fn what_stands_below_too_many_sections_is_a_persons_own() {
        let many = "## a\n\n".repeat(MOST_SECTIONS - 1);
        let text = format!("{many}## 来源与依据\n\ne\n\n## b\n\nmine\n\n## 核心内容\n\nc\n");
        let layout = Layout::of_body(&text);
        assert_eq!((layout.evidence(), layout.summary()), ("e", ""));
        assert!(
            layout
                .rest()
                .ends_with("e\n## b\n\nmine\n\n## 核心内容\n\nc")
        );
        assert!(
            layout
                .said()
                .ends_with("\n\n## b\n\nmine\n\n## 核心内容\n\nc")
        );
    }

    #[test]
    fn previews_are_one_short_line() {
        assert_eq!(preview("a\n\nb"), "a b");
        assert_eq!(preview("## c\n\nd"), "c d");
        assert_eq!(characters::count(&preview(&"字".repeat(300))), 160);
    }
}
