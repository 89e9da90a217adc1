//! The list of file names for the start of a conversation (simple memory
//! design §三.1): names, not contents, so that an agent knows what it could
//! read.

use std::collections::BTreeMap;

use super::names;
use crate::format::{Language, Listed, NameList};
use crate::text::{characters, prompt};

/// A line of the list: what stands before the names, and the names in groups.
struct Line {
    label: String,
    groups: Vec<(Option<String>, Vec<String>)>,
}

/// The words of a language.
struct Words {
    header: &'static str,
    closing: &'static str,
    project: &'static str,
    documents: &'static str,
    common: &'static str,
    loose: &'static str,
    /// Between a label and what it introduces.
    colon: &'static str,
    /// Between two groups.
    semicolon: &'static str,
    /// Between two names.
    comma: &'static str,
    /// After the name of a category.
    category: &'static str,
}

/// Renders the list within `most` characters: what does not fit is left out
/// from the end.
pub(super) fn render(listed: &Listed, language: Language, most: usize) -> NameList {
    let lines = lines(listed, words(language));
    let all: usize = lines.iter().map(Line::count).sum();
    let fits = |entries: usize| {
        let text = text(&lines, entries, all, listed.staged, language);
        characters::count(&text) <= most
    };
    let entries = if fits(all) {
        all
    } else {
        // More entries never make a shorter text.
        partition(all, fits)
    };
    NameList {
        text: (entries > 0).then(|| text(&lines, entries, all, listed.staged, language)),
        entries,
        omitted: all - entries,
    }
}

/// The largest number below `all` that fits, 0 where none does.
fn partition(all: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut fitting, mut failing) = (0, all);
    while failing - fitting > 1 {
        let middle = usize::midpoint(fitting, failing);
        if fits(middle) {
            fitting = middle;
        } else {
            failing = middle;
        }
    }
    fitting
}

fn lines(listed: &Listed, words: &Words) -> Vec<Line> {
    let project = format!("{} {}/{}/", words.project, names::PROJECTS, listed.project);
    let common = format!("{} {}/", words.common, names::COMMON);
    let lines = [
        Line::grouped(project, &listed.of_project),
        Line::plain(words.documents.to_owned(), &documents(listed)),
        Line::grouped(common, &listed.common),
        Line::plain(words.loose.to_owned(), &listed.loose),
    ];
    lines.into_iter().filter(|line| line.count() > 0).collect()
}

/// The documents that are worth naming, by the rule for notes.
fn documents(listed: &Listed) -> Vec<String> {
    let documents = listed.documents.iter();
    let shown = documents.filter(|name| !name.starts_with('.') && !names::is_readme(name));
    shown.cloned().collect()
}

fn text(lines: &[Line], entries: usize, all: usize, staged: usize, language: Language) -> String {
    let words = words(language);
    let mut text = words.header.to_owned();
    let mut left = entries;
    for line in lines {
        let shown = line.count().min(left);
        if shown > 0 {
            text.push('\n');
            line.write(shown, words, &mut text);
        }
        left -= shown;
    }
    let remarks = [omitted(all - entries, language), pool(staged, language)];
    for remark in remarks.into_iter().flatten() {
        text.push('\n');
        text.push_str(&remark);
    }
    text.push('\n');
    text.push_str(words.closing);
    text
}

fn omitted(count: usize, language: Language) -> Option<String> {
    (count > 0).then(|| match language {
        Language::Chinese => format!("（另有 {count} 个文件未列出，可搜索）"),
        Language::English => format!("({count} more files are not listed: search for them)"),
    })
}

fn pool(count: usize, language: Language) -> Option<String> {
    (count > 0).then(|| match language {
        Language::Chinese => format!("升格暂存池 staging.md：{count} 条待整理，可提醒用户"),
        Language::English => {
            format!("Staging pool staging.md: {count} waiting to be gone through; remind the user")
        }
    })
}

impl Line {
    /// Names by their categories; those without one are not listed.
    fn grouped(label: String, files: &[String]) -> Self {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for file in sorted(files) {
            if let Some(category) = names::category_of_file(&file) {
                let category = category.to_owned();
                groups.entry(category).or_default().push(file);
            }
        }
        let groups = groups.into_iter();
        Line {
            label,
            groups: groups
                .map(|(category, files)| (Some(category), files))
                .collect(),
        }
    }

    fn plain(label: String, files: &[String]) -> Self {
        Line {
            label,
            groups: vec![(None, sorted(files))],
        }
    }

    fn count(&self) -> usize {
        self.groups.iter().map(|(_, files)| files.len()).sum()
    }

    /// Adds the line with its first `shown` names.
    fn write(&self, shown: usize, words: &Words, text: &mut String) {
        text.push_str(&self.label);
        text.push_str(words.colon);
        let mut left = shown;
        for (at, (category, files)) in self.groups.iter().enumerate() {
            let files = &files[..files.len().min(left)];
            if files.is_empty() {
                break;
            }
            if at > 0 {
                text.push_str(words.semicolon);
            }
            if let Some(category) = category {
                text.push_str(category);
                text.push_str(words.category);
            }
            text.push_str(&files.join(words.comma));
            left -= files.len();
        }
    }
}

/// Names by code unit.
fn sorted(files: &[String]) -> Vec<String> {
    let mut sorted: Vec<_> = files.iter().map(|name| on_its_line(name)).collect();
    sorted.sort_unstable();
    sorted
}

/// A name that cannot begin a line of its own.
fn on_its_line(name: &str) -> String {
    if prompt::is_plain_line(name) {
        return name.to_owned();
    }
    characters::one_line(&prompt::neutralise(name))
}

fn words(language: Language) -> &'static Words {
    match language {
        Language::Chinese => &CHINESE,
        Language::English => &ENGLISH,
    }
}

const CHINESE: Words = Words {
    header: "【记忆索引】相关时按需读全文（单文件 ≤2KB），先活跃后冷区；冷区 references/、archive/ 搜索命中才读：",
    closing: "以上只是文件名，与当前任务无关的不必读。",
    project: "本项目记忆",
    documents: "本项目文档 docs/",
    common: "全局通用经验",
    loose: "记忆根目录游离",
    colon: "：",
    semicolon: "；",
    comma: "、",
    category: "类：",
};

const ENGLISH: Words = Words {
    header: "【Memory index】 Read a whole note when it is relevant (at most 2 KB each), active areas first; the cold areas references/ and archive/ only when a search hits:",
    closing: "These are file names alone: leave what has nothing to do with the task.",
    project: "This project's memories",
    documents: "This project's documents docs/",
    common: "Common to all projects",
    loose: "Loose in the memory root",
    colon: ": ",
    semicolon: "; ",
    comma: ", ",
    category: ": ",
};

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn listed() -> Listed {
        Listed {
            project: "app".to_owned(),
            of_project: names(&["踩坑-b.md", "决策-c.md", "踩坑-a.md"]),
            documents: names(&["guide.md"]),
            common: names(&["流程-d.md"]),
            loose: names(&["nodash.md"]),
            staged: 0,
        }
    }

    #[test]
    fn every_shorter_limit_leaves_out_from_the_end_and_is_kept() {
        let mut listed = listed();
        for staged in [0, 3] {
            listed.staged = staged;
            for language in [Language::Chinese, Language::English] {
                let whole = render(&listed, language, usize::MAX);
                assert_eq!((whole.entries, whole.omitted), (6, 0));
                let longest = characters::count(&whole.text.expect("a text"));
                let mut before = 6;
                for most in (0..=longest).rev() {
                    let list = render(&listed, language, most);
                    assert_eq!(list.entries + list.omitted, 6);
                    assert!(list.entries <= before, "{most}");
                    before = list.entries;
                    assert_eq!(list.text.is_some(), list.entries > 0);
                    let text = list.text.unwrap_or_default();
                    assert!(characters::count(&text) <= most);
                    assert_eq!(text.contains("nodash.md"), list.entries == 6);
                }
                assert_eq!(before, 0);
            }
        }
    }

    #[test]
    fn a_pool_is_mentioned_beside_what_is_listed() {
        let mut listed = listed();
        for (staged, is_mentioned) in [(0, false), (1, true)] {
            listed.staged = staged;
            let text = render(&listed, Language::Chinese, usize::MAX)
                .text
                .expect("a text");
            assert_eq!(text.contains("staging.md"), is_mentioned, "{text}");
        }
        let nothing = Listed {
            staged: 1,
            ..Listed::default()
        };
        assert_eq!(render(&nothing, Language::Chinese, usize::MAX).text, None);
    }
}
