//! What the name and the directory of a note say: its category and topic, its
//! project, and whether it was put away (simple memory design §二, §三.2).

use unicode_normalization::char::is_combining_mark;

use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::memory::{Metadata, Status};
use crate::text::{characters, prompt};

/// Notes that matter everywhere.
pub(super) const COMMON: &str = "common";
/// A directory for each project.
pub(super) const PROJECTS: &str = "projects";
/// What is looked up, never listed.
pub(super) const REFERENCES: &str = "references";
/// Notes that were forgotten.
pub(super) const ARCHIVE: &str = "archive";

/// All of them, in the order in which they are made.
pub(super) const DIRECTORIES: [&str; 4] = [COMMON, REFERENCES, ARCHIVE, PROJECTS];

/// Longest category in characters.
const CATEGORY: usize = 24;
/// Longest topic in characters.
pub(super) const TOPIC: usize = 48;
/// Longest file name in bytes, with room for the number that it can get in the
/// archive: no file system takes more than 255.
const NAME: usize = 240;
/// Longest name of a project in characters.
const PROJECT: usize = 64;

/// Whether a file is the page that explains its directory.
pub(super) fn is_readme(name: &str) -> bool {
    name.eq_ignore_ascii_case("README.md")
}

/// Category and topic of a file name without `.md`. A name without a dash, or
/// with nothing on one side of it, is a topic alone.
pub(super) fn parts(stem: &str) -> (&str, &str) {
    match stem.split_once('-') {
        Some((category, topic)) if !category.is_empty() && !topic.is_empty() => (category, topic),
        _ => ("", stem),
    }
}

/// The file name, without `.md`, of a category and a topic.
pub(super) fn stem(category: &str, topic: &str) -> String {
    if category.is_empty() {
        topic.to_owned()
    } else {
        format!("{category}-{topic}")
    }
}

/// Whether a file name without `.md` has a category.
pub(super) fn has_category(stem: &str) -> bool {
    !parts(stem).0.is_empty()
}

/// The category of a file name, if it has one: such notes are listed.
pub(super) fn category_of_file(name: &str) -> Option<&str> {
    let (category, _) = parts(name.strip_suffix(".md")?);
    (!category.is_empty()).then_some(category)
}

/// Checks what the name of a new note is made of.
///
/// # Errors
/// [`Error::InvalidArgument`], which names the part and says what it can be.
pub(super) fn check(metadata: &Metadata) -> Result<()> {
    let category = &metadata.kind;
    if !is_word(category, CATEGORY) || category.contains('-') {
        return Err(Error::InvalidArgument(format!(
            "kind: `{}` is no category: give 1 to {CATEGORY} letters, digits or `_`",
            shown(category)
        )));
    }
    let topic = &metadata.title;
    if !is_word(topic, TOPIC) {
        return Err(Error::InvalidArgument(format!(
            "title: `{}` is no topic, which becomes part of the file name: give 1 to {TOPIC} letters, digits, `_` or `-`",
            shown(topic)
        )));
    }
    let bytes = file_name(metadata).len();
    if bytes > NAME {
        return Err(Error::InvalidArgument(format!(
            "title: the file name would have {bytes} bytes, at most {NAME} are usable everywhere: give a shorter one"
        )));
    }
    Ok(())
}

/// Checks the name of a project, which becomes a directory.
///
/// # Errors
/// [`Error::InvalidArgument`].
pub(super) fn check_project(project: &str) -> Result<()> {
    let is_plain = |c: char| !matches!(c, '/' | '\\' | '[' | ']');
    let fits = (1..=PROJECT).contains(&characters::count(project))
        && project.chars().all(is_plain)
        && prompt::is_plain_line(project)
        && !project.starts_with('.')
        && project.trim() == project
        && VaultPath::parse(project).is_ok_and(|path| path.as_str() == project);
    if fits {
        return Ok(());
    }
    Err(Error::InvalidArgument(format!(
        "scope: `{}` is no name of a project, which becomes a directory: give 1 to {PROJECT} characters without slash, backslash or bracket that do not begin with a dot",
        shown(project)
    )))
}

/// A topic for a text of which nobody gave one: its first line, as far as it
/// can stand in a file name.
pub(super) fn topic_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty());
    let words = line.unwrap_or_default().split(|c| !is_letter(c));
    let mut topic = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !topic.is_empty() {
            topic.push('-');
        }
        topic.push_str(word);
    }
    characters::cut(&topic, TOPIC)
        .trim_end_matches('-')
        .to_owned()
}

/// The project whose directory a note lies in, put away or not.
pub(super) fn project_of(path: &VaultPath) -> Option<&str> {
    let path = path.as_str();
    let path = below(path, ARCHIVE).unwrap_or(path);
    let (project, _) = below(path, PROJECTS)?.split_once('/')?;
    Some(project)
}

/// Whether a note was put away.
pub(super) fn is_archived(path: &VaultPath) -> bool {
    below(path.as_str(), ARCHIVE).is_some()
}

/// Where a note belongs that lies at `current`: where it is, unless its
/// status, project or name is another one by now.
pub(super) fn place(metadata: &Metadata, current: &VaultPath) -> VaultPath {
    let archived = metadata.status == Status::Archived;
    let mut directory = match (is_archived(current), archived) {
        (false, true) => archive_of(&current.parent()),
        (true, false) => taken_out(&current.parent()),
        _ => current.parent(),
    };
    if project_of(current) != metadata.scope.as_deref() {
        directory = home(metadata.scope.as_deref(), archived);
    }
    let named = parts(current.markdown_stem().unwrap_or_default());
    if named == (metadata.kind.as_str(), metadata.title.as_str()) {
        return directory.join(current.name());
    }
    directory.join(&file_name(metadata))
}

/// The place of a new note.
pub(super) fn new_place(metadata: &Metadata) -> VaultPath {
    let archived = metadata.status == Status::Archived;
    home(metadata.scope.as_deref(), archived).join(&file_name(metadata))
}

fn file_name(metadata: &Metadata) -> String {
    format!("{}.md", stem(&metadata.kind, &metadata.title))
}

fn home(project: Option<&str>, archived: bool) -> VaultPath {
    let directory = match project {
        Some(project) => VaultPath::known(PROJECTS).join(project),
        None => VaultPath::known(COMMON),
    };
    if archived {
        archive_of(&directory)
    } else {
        directory
    }
}

/// Where the notes of a directory go when they are put away: those of
/// `common/`, and loose ones, directly into the archive.
fn archive_of(directory: &VaultPath) -> VaultPath {
    let directory = directory.as_str();
    let kept = match below(directory, COMMON) {
        Some(rest) if names_a_place(rest) => directory,
        Some(rest) => rest,
        None if directory == COMMON => "",
        None => directory,
    };
    inside(ARCHIVE, kept)
}

/// Where the notes of a directory of the archive came from.
fn taken_out(directory: &VaultPath) -> VaultPath {
    let rest = below(directory.as_str(), ARCHIVE).unwrap_or_default();
    let is_whole = match below(rest, COMMON) {
        Some(below_common) => names_a_place(below_common),
        None => is_of(rest, PROJECTS) || is_of(rest, REFERENCES),
    };
    if is_whole {
        return VaultPath::root().join(rest);
    }
    inside(COMMON, rest)
}

/// Whether a directory below `common/` would be taken for another one in the
/// archive, if it lay there under its own name.
fn names_a_place(directory: &str) -> bool {
    let places = [COMMON, PROJECTS, REFERENCES];
    places.iter().any(|place| is_of(directory, place))
}

/// Whether a path is that of a directory or lies below it.
fn is_of(path: &str, directory: &str) -> bool {
    path == directory || below(path, directory).is_some()
}

fn inside(top: &str, rest: &str) -> VaultPath {
    let top = VaultPath::root().join(top);
    if rest.is_empty() { top } else { top.join(rest) }
}

/// What comes after a directory in a path below it.
pub(super) fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    path.strip_prefix(directory)?.strip_prefix('/')
}

fn is_word(text: &str, most: usize) -> bool {
    (1..=most).contains(&characters::count(text)) && text.chars().all(|c| is_letter(c) || c == '-')
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

fn shown(text: &str) -> String {
    characters::one_line(characters::cut(text, 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;

    #[test]
    fn a_name_is_a_category_and_a_topic() {
        for (name, expected) in [
            ("踩坑-端口", ("踩坑", "端口")),
            ("决策-a-b", ("决策", "a-b")),
            ("nodash", ("", "nodash")),
            ("-x", ("", "-x")),
            ("x-", ("", "x-")),
        ] {
            assert_eq!(parts(name), expected, "{name}");
            assert_eq!(stem(expected.0, expected.1), name);
        }
    }

    #[test]
    fn a_topic_can_be_made_of_a_text() {
        let long = "字".repeat(60);
        for (text, topic) in [
            ("\n  Port 8080 is taken!\nmore", "Port-8080-is-taken"),
            ("端口占用：8080。", "端口占用-8080"),
            ("!!!", ""),
            ("", ""),
            (&long, &"字".repeat(TOPIC)),
        ] {
            assert_eq!(topic_of(text), topic, "{text}");
        }
    }

    #[test]
    fn notes_are_put_away_and_taken_out() {
        for (there, away) in [
            ("common/踩坑-a.md", "archive/踩坑-a.md"),
            ("common/sub/踩坑-a.md", "archive/sub/踩坑-a.md"),
            ("common/projects/p/a.md", "archive/common/projects/p/a.md"),
            ("common/common/a.md", "archive/common/common/a.md"),
            ("projects/p/踩坑-a.md", "archive/projects/p/踩坑-a.md"),
            ("references/r/踩坑-a.md", "archive/references/r/踩坑-a.md"),
        ] {
            let (there, away) = (VaultPath::known(there), VaultPath::known(away));
            assert_eq!(place(&metadata(&there, Status::Archived), &there), away);
            assert_eq!(place(&metadata(&away, Status::Active), &away), there);
            for (path, status) in [(&there, Status::Active), (&away, Status::Archived)] {
                assert_eq!(place(&metadata(path, status), path), *path, "stays");
            }
        }
        let loose = VaultPath::known("踩坑-a.md");
        let away = place(&metadata(&loose, Status::Archived), &loose);
        assert_eq!(away.as_str(), "archive/踩坑-a.md");
    }

    #[test]
    fn projects_are_told_by_the_directory() {
        for (path, project) in [
            ("projects/app/踩坑-a.md", Some("app")),
            ("projects/app/sub/踩坑-a.md", Some("app")),
            ("archive/projects/app/踩坑-a.md", Some("app")),
            ("projects/踩坑-a.md", None),
            ("common/踩坑-a.md", None),
            ("ideas/projects/app/a.md", None),
        ] {
            assert_eq!(project_of(&VaultPath::known(path)), project, "{path}");
        }
    }

    #[test]
    fn names_of_projects_are_directories() {
        for name in ["app", "My App", "记忆", "a.b", "a-b_c"] {
            assert!(check_project(name).is_ok(), "{name}");
        }
        let long = "x".repeat(PROJECT + 1);
        for name in [
            "", ".", "..", ".app", "a/b", "a\\b", "a\nb", " a", "a ", "[a]", &long,
        ] {
            assert!(check_project(name).is_err(), "{name:?}");
        }
    }

    fn metadata(path: &VaultPath, status: Status) -> Metadata {
        let (kind, title) = parts(path.markdown_stem().expect("a note"));
        Metadata {
            title: title.to_owned(),
            status,
            scope: project_of(path).map(str::to_owned),
            ..Metadata::blank(kind, Timestamp::default())
        }
    }
}
