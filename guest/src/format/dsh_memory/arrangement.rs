//! The sections of a memory's body (dsh-memory format §3.2), written: a new
//! body, and changes of single parts that leave every other byte alone.
//!
//! Texts have `\n` line ends here; a whole text is all that follows the
//! frontmatter, H1 included.

use std::ops::Range;

use super::sections::{EVIDENCE, Layout, NO_EVIDENCE, RELATED, SUMMARY, Section, trimmed};
use crate::document::{LineEnding, headings, open_fence};
use crate::memory::Memory;

/// All that follows the frontmatter of a new memory: the H1, the text with a
/// heading for its summary, and what it rests on.
pub(super) fn compose(title: &str, body: &str, evidence: &str) -> String {
    let body = given(body, title);
    let layout = Layout::of_body(&body);
    let has_summary = layout.section(SUMMARY).is_some() || layout.lead.is_empty();
    let text = if layout.sections.is_empty() {
        format!("# {title}\n\n## {SUMMARY}\n\n{}\n", closed(&body))
    } else if has_summary {
        format!("# {title}\n\n{body}\n")
    } else {
        format!("# {title}\n\n## {SUMMARY}\n\n{body}\n")
    };
    let text = with_evidence_section(&text);
    if Layout::of_file(&text).evidence().is_empty() || !evidence.trim().is_empty() {
        with_evidence(&text, evidence)
    } else {
        text
    }
}

/// Another title in the H1, if there is one.
pub(super) fn with_title(text: &str, title: &str) -> String {
    match Layout::of_file(text).title {
        Some(heading) => replace(text, heading.line, &format!("# {title}")),
        None => text.to_owned(),
    }
}

/// Another body below the H1. One with sections takes the place of the whole,
/// except for evidence and links that it does not have itself; one without
/// takes the place of the summary.
pub(super) fn with_body(text: &str, body: &str, title: &str) -> String {
    let body = given(body, title);
    let layout = Layout::of_file(text);
    if body == layout.body() {
        return text.to_owned();
    }
    let new = Layout::of_body(&body);
    if !new.sections.is_empty() {
        let body = keeping(&layout, &new, text, &body);
        return put(text, layout.body, text.len(), &body);
    }
    let body = closed(&body);
    match layout.section(SUMMARY) {
        Some(section) => fill(text, section, &body),
        None => {
            let first = layout.sections.first();
            let end = first.map_or(text.len(), |first| first.heading.start);
            put(text, layout.lead, end, &body)
        }
    }
}

/// Other evidence in its section, if there is one; the placeholder for none.
pub(super) fn with_evidence(text: &str, evidence: &str) -> String {
    let layout = Layout::of_file(text);
    let shown = shown_evidence(evidence);
    match layout.section(EVIDENCE) {
        Some(section) if ![&shown, evidence].contains(&layout.evidence()) => {
            let shown = if shown.is_empty() {
                NO_EVIDENCE
            } else {
                &shown
            };
            fill(text, section, shown)
        }
        Some(section) if section.content.is_empty() => fill(text, section, NO_EVIDENCE),
        _ => text.to_owned(),
    }
}

/// Evidence as it stands in its section: nothing in it begins another section
/// or a code block.
fn shown_evidence(evidence: &str) -> String {
    let evidence = LineEnding::Lf.apply(evidence);
    let lines = evidence[trimmed(&evidence, 0..evidence.len())].split('\n');
    let escaped = lines.map(|line| {
        let inner = line.trim_start();
        let blanks = &line[..line.len() - inner.len()];
        let escape = if inner.starts_with(['#', '`', '~']) {
            "\\"
        } else {
            ""
        };
        format!("{blanks}{escape}{inner}")
    });
    escaped.collect::<Vec<_>>().join("\n")
}

/// The body of `target` with a section of what `source` says after the
/// person's own sections.
pub(super) fn fold(target: &Memory, source: &Memory) -> String {
    let body = &target.body;
    let heading = format!(
        "## 补充：{}（{}）",
        source.metadata.title, source.metadata.id
    );
    let said = demoted(&Layout::of_body(&source.body).said());
    let block = format!("{heading}\n\n{said}");
    let at = tail(&Layout::of_body(body));
    insert_apart(body, at, block.trim_end())
}

/// A text as it is given: `\n` line ends, no blank lines around it, and no H1
/// that only repeats the title.
fn given(body: &str, title: &str) -> String {
    let body = LineEnding::Lf.apply(body);
    let layout = Layout::of_file(&body);
    let repeats = layout
        .title
        .as_ref()
        .is_some_and(|heading| heading.name == title);
    if repeats && !layout.body.is_empty() {
        layout.body().to_owned()
    } else {
        body[trimmed(&body, 0..body.len())].to_owned()
    }
}

/// A text whose last code block is closed, so that it does not take in the
/// sections below it.
fn closed(text: &str) -> String {
    match open_fence(text) {
        Some(fence) => format!("{text}\n{fence}"),
        None => text.to_owned(),
    }
}

/// A body with the sections of the present one that it must not lose.
fn keeping(old: &Layout<'_>, new: &Layout<'_>, text: &str, body: &str) -> String {
    let mut kept = body.to_owned();
    for (name, before) in [(EVIDENCE, Some(RELATED)), (RELATED, None)] {
        if new.section(name).is_some() {
            continue;
        }
        if let Some(section) = old.section(name) {
            let at = before.and_then(|name| new.section(name));
            let at = at.map_or(kept.len(), |section| section.heading.start);
            let block = &text[trimmed(text, section.heading.start..section.end)];
            kept = insert_apart(&kept, at, block);
        }
    }
    kept
}

/// A block of lines with an empty line before and after it, outside of a code
/// block that was left open before: the marks of those in it would close that
/// one.
fn insert_apart(text: &str, at: usize, block: &str) -> String {
    if !opens_code(block) {
        return insert_block(text, at, block);
    }
    let before = closed(&text[..at]);
    insert_block(&format!("{before}{}", &text[at..]), before.len(), block)
}

/// Whether there may be marks of code blocks in a text.
fn opens_code(text: &str) -> bool {
    ["```", "~~~"].iter().any(|marks| text.contains(marks))
}

/// A text with a section for the evidence.
fn with_evidence_section(text: &str) -> String {
    let layout = Layout::of_file(text);
    if layout.section(EVIDENCE).is_some() {
        return text.to_owned();
    }
    let related = layout.section(RELATED);
    let at = related.map_or(text.len(), |section| section.heading.start);
    insert_block(text, at, &format!("## {EVIDENCE}\n\n{NO_EVIDENCE}"))
}

/// Where the sections at the end begin that are not the person's own.
fn tail(layout: &Layout<'_>) -> usize {
    let last = layout.sections.iter().rev();
    let generated = last.take_while(|section| [EVIDENCE, RELATED].contains(&section.name));
    let first = generated.last();
    first.map_or(layout.body.end, |section| section.heading.start)
}

/// Text in a section, in the place of what stands there.
fn fill(text: &str, section: &Section<'_>, content: &str) -> String {
    if !section.content.is_empty() {
        return replace(text, section.content.clone(), content);
    }
    let below = section.heading.end..section.end;
    let end = match &text[below.clone()] {
        _ if section.end < text.len() => "\n\n",
        "" => "",
        _ => "\n",
    };
    replace(text, below, &format!("\n\n{content}{end}"))
}

/// Text in a place; where nothing stands there, before `end`.
fn put(text: &str, place: Range<usize>, end: usize, with: &str) -> String {
    if place.is_empty() {
        insert_block(text, end, with)
    } else {
        replace(text, place, with)
    }
}

/// A block of lines with an empty line before and after it.
fn insert_block(text: &str, at: usize, block: &str) -> String {
    let (before, after) = text.split_at(at);
    let lines = |text: &str| text.len() - text.trim_end_matches('\n').len();
    let gap = if before.is_empty() {
        0
    } else {
        2_usize.saturating_sub(lines(before))
    };
    let end = match after {
        "" if before.ends_with('\n') => "\n",
        "" => "",
        _ => "\n\n",
    };
    format!("{before}{}{block}{end}{after}", "\n".repeat(gap))
}

/// A text as a part of a section: every heading a level lower.
fn demoted(text: &str) -> String {
    let mut lower = String::new();
    let mut done = 0;
    for heading in headings(text) {
        lower.push_str(&text[done..heading.line.start]);
        let marks = usize::from(heading.level.clamp(2, 5)) + 1;
        lower.push_str(&"#".repeat(marks));
        done = heading.line.start + usize::from(heading.level);
    }
    lower.push_str(&text[done..]);
    closed(&lower[trimmed(&lower, 0..lower.len())])
}

fn replace(text: &str, place: Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..place.start], &text[place.end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_becomes_the_summary() {
        let expected = "# T\n\n## 核心内容\n\na\n\nb\n\n## 来源与依据\n\n（暂无可追溯来源）\n";
        assert_eq!(compose("T", "\r\n# T\r\n\r\na\r\n\r\nb\r\n", ""), expected);
        let open = compose("T", "~~~~\nx", "e");
        assert_eq!(
            open,
            "# T\n\n## 核心内容\n\n~~~~\nx\n~~~~\n\n## 来源与依据\n\ne\n"
        );
    }

    #[test]
    fn sections_of_a_draft_stay_as_they_are() {
        for (body, evidence, expected) in [
            (
                "a\n\n## b\nc",
                "e",
                "## 核心内容\n\na\n\n## b\nc\n\n## 来源与依据\n\ne",
            ),
            (
                "## b\n\nc",
                "",
                "## b\n\nc\n\n## 来源与依据\n\n（暂无可追溯来源）",
            ),
            (
                "## 核心内容\n\na\n\n## 相关记忆\n\n- [[b]]",
                "## e\n`f`",
                "## 核心内容\n\na\n\n## 来源与依据\n\n\\## e\n\\`f`\n\n## 相关记忆\n\n- [[b]]",
            ),
            ("## 来源与依据\nmine", "", "## 来源与依据\nmine"),
            ("## 来源与依据\nmine", "e", "## 来源与依据\ne"),
            ("## 来源与依据", "", "## 来源与依据\n\n（暂无可追溯来源）"),
            ("## 来源与依据\n## b", "e", "## 来源与依据\n\ne\n\n## b"),
        ] {
            assert_eq!(compose("T", body, evidence), format!("# T\n\n{expected}\n"));
        }
    }

    #[test]
    fn a_plain_text_takes_the_place_of_the_summary_only() {
        for (text, expected) in [
            (
                "# T\n\n## 核心内容\n\nold\n\n## b\nc\n",
                "# T\n\n## 核心内容\n\nnew\n\n## b\nc\n",
            ),
            ("## 核心内容\n## b", "## 核心内容\n\nnew\n\n## b"),
            ("## 核心内容", "## 核心内容\n\nnew"),
            ("# T\nold\n\nmore\n## b\n", "# T\nnew\n## b\n"),
            ("# T\n\n## b\n", "# T\n\nnew\n\n## b\n"),
            ("# T\n", "# T\n\nnew\n"),
            ("", "new"),
            ("old\n", "new\n"),
        ] {
            assert_eq!(with_body(text, "new", "T"), expected, "{text}");
        }
    }

    #[test]
    fn a_text_with_sections_takes_the_place_of_the_whole() {
        let old = "# T\n\n## 核心内容\n\nold\n\n## b\nc\n\n## 来源与依据\n\ne\n\n## 相关记忆\n\n- [[x]]\n";
        for (body, expected) in [
            (
                "## d\n\nnew",
                "## d\n\nnew\n\n## 来源与依据\n\ne\n\n## 相关记忆\n\n- [[x]]",
            ),
            (
                "## 来源与依据\n\nf",
                "## 来源与依据\n\nf\n\n## 相关记忆\n\n- [[x]]",
            ),
            (
                "## 相关记忆\n\n- [[y]]",
                "## 来源与依据\n\ne\n\n## 相关记忆\n\n- [[y]]",
            ),
        ] {
            assert_eq!(
                with_body(old, body, "T"),
                format!("# T\n\n{expected}\n"),
                "{body}"
            );
        }
        let body = Layout::of_file(old).body();
        assert_eq!(with_body(old, body, "T"), old);
    }

    #[test]
    fn a_code_block_left_open_takes_in_nothing_that_is_kept() {
        let old = "# T\n\n## 来源与依据\n\n```\nlog\n```\n\n## 相关记忆\n\n- [[x]]\n";
        for body in [
            "## b\n\n```\ncode",
            "## b\n\n```\ncode\n\n## 相关记忆\n\n- [[y]]",
        ] {
            let new = with_body(old, body, "T");
            let layout = Layout::of_file(&new);
            assert_eq!(layout.evidence(), "```\nlog\n```", "{new}");
            assert!(layout.related().starts_with("- [["), "{new}");
        }
    }

    #[test]
    fn a_block_with_code_is_no_part_of_a_code_block_left_open() {
        let text = "```\nopen\n\n## 来源与依据\n";
        let at = text.find("## ").expect("a heading");
        let new = insert_apart(text, at, "## b\n\n```\nx\n```");
        let layout = Layout::of_body(&new);
        assert!(layout.section("b").is_some() && layout.section(EVIDENCE).is_some());
        assert_eq!(
            insert_apart(text, at, "## b"),
            "```\nopen\n\n## b\n\n## 来源与依据\n"
        );
    }

    #[test]
    fn titles_and_evidence_are_changed_where_they_stand() {
        let text = "\n#  T #\n\n## 来源与依据\ne\nf\n## b\n";
        assert_eq!(
            with_title(text, "U"),
            "\n# U\n\n## 来源与依据\ne\nf\n## b\n"
        );
        assert_eq!(with_title("a\n# T", "U"), "a\n# T");
        assert_eq!(
            with_evidence(text, "g"),
            "\n#  T #\n\n## 来源与依据\ng\n## b\n"
        );
        assert_eq!(with_evidence(text, ""), text.replace("e\nf", NO_EVIDENCE));
        assert_eq!(with_evidence(text, "e\nf"), text);
        assert_eq!(with_evidence("a", "g"), "a");
    }

    #[test]
    fn sections_are_demoted_with_all_that_is_in_them() {
        let section = "## a\n\n# b\n\n###### c\n\n```\n## d\n```\n\n~~~\ne\n\n";
        let expected = "### a\n\n### b\n\n###### c\n\n```\n## d\n```\n\n~~~\ne\n~~~";
        assert_eq!(demoted(section), expected);
    }
}
