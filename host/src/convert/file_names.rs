//! Names of files that are made of category and topic, and directories that
//! say project and status.

use super::tables::FileNames;

impl FileNames {
    /// Whether a word can be a category.
    pub(super) fn takes_category(&self, word: &str) -> bool {
        is_name(word, self.category) && !word.contains('-')
    }

    /// A title as a topic: what cannot stand in one becomes `-`. Empty where
    /// nothing is left.
    pub(super) fn topic(&self, title: &str) -> String {
        if is_name(title, self.topic) {
            return title.to_owned();
        }
        shortened(&in_words(title), self.topic)
    }

    /// Whether only a part of a title becomes the topic.
    pub(super) fn cuts(&self, title: &str) -> bool {
        in_words(title).chars().count() > self.topic
    }

    /// A topic with a number, which tells it from others that are alike.
    pub(super) fn numbered(&self, topic: &str, number: usize) -> String {
        let suffix = format!("-{number}");
        let most = self.topic.saturating_sub(suffix.len());
        shortened(topic, most) + &suffix
    }

    /// The directory of new notes of a project, or of none.
    pub(super) fn home(&self, project: Option<&str>, is_archived: bool) -> String {
        let of_project = project.map(|project| format!("{}/{project}", self.projects));
        match (of_project, is_archived) {
            (None, false) => self.common.to_owned(),
            (None, true) => self.archive.to_owned(),
            (Some(directory), false) => directory,
            (Some(directory), true) => format!("{}/{directory}", self.archive),
        }
    }

    /// Whether a note of that path was put away.
    pub(super) fn is_archived(&self, path: &str) -> bool {
        below(path, self.archive).is_some()
    }

    /// The project of a note, by its path.
    pub(super) fn project_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let path = below(path, self.archive).unwrap_or(path);
        let (project, _) = below(path, self.projects)?.split_once('/')?;
        Some(project)
    }
}

/// The directory of a path, and what comes after it.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    path.strip_prefix(directory)?.strip_prefix('/')
}

fn in_words(title: &str) -> String {
    let words = title.split(|c| !is_letter(c));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn shortened(topic: &str, most: usize) -> String {
    let cut: String = topic.chars().take(most).collect();
    cut.trim_end_matches('-').to_owned()
}

fn is_name(word: &str, most: usize) -> bool {
    (1..=most).contains(&word.chars().count()) && word.chars().all(|c| is_letter(c) || c == '-')
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::tables::Pair;

    fn names() -> &'static FileNames {
        let pair = Pair::named("inkvault", "simple").expect("a pair");
        pair.to.file_names.as_ref().expect("names of files")
    }

    #[test]
    fn what_cannot_stand_in_a_topic_becomes_a_dash() {
        let long = "字".repeat(49);
        for (title, topic) in [
            ("端口_8080", "端口_8080"),
            ("a--b", "a--b"),
            ("Notes: a “quoted” title", "Notes-a-quoted-title"),
            ("@me [草稿] 计划 #3", "me-草稿-计划-3"),
            ("a - b", "a-b"),
            ("../x", "x"),
            ("?!", ""),
            (&long, &long[..48 * 3]),
        ] {
            assert_eq!(names().topic(title), topic, "{title}");
        }
        assert!(names().cuts(&long) && !names().cuts(&long[..48 * 3]));
        let ends_in_a_dash = format!("{} b", "a".repeat(47));
        assert_eq!(names().topic(&ends_in_a_dash), "a".repeat(47));
    }

    #[test]
    fn a_number_fits_into_a_topic() {
        assert_eq!(names().numbered("端口", 2), "端口-2");
        let numbered = names().numbered(&"字".repeat(48), 10);
        assert_eq!(numbered, format!("{}-10", "字".repeat(45)));
    }

    #[test]
    fn a_category_is_one_word() {
        for (word, is_one) in [
            ("复盘", true),
            ("a_1", true),
            ("", false),
            ("a-b", false),
            ("a b", false),
        ] {
            assert_eq!(names().takes_category(word), is_one, "{word}");
        }
        assert!(names().takes_category(&"字".repeat(24)));
        assert!(!names().takes_category(&"字".repeat(25)));
    }

    #[test]
    fn directories_say_project_and_status() {
        for (directory, project, is_archived) in [
            ("common", None, false),
            ("archive", None, true),
            ("projects/app", Some("app"), false),
            ("archive/projects/app", Some("app"), true),
        ] {
            assert_eq!(names().home(project, is_archived), directory);
            let path = format!("{directory}/踩坑-端口");
            assert_eq!(names().project_of(&path), project);
            assert_eq!(names().is_archived(&path), is_archived);
        }
        assert_eq!(names().project_of("projects/踩坑-端口"), None);
        assert_eq!(names().project_of("references/projects/a/b"), None);
    }
}
