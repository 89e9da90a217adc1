//! Where a memory lies (dsh-memory format §2): its status decides, then its
//! type. The name of a file is made once and kept for life.

use crate::environment::VaultPath;
use crate::format::Place;
use crate::memory::{Area, Metadata, Status};
use crate::text::characters;

/// Each type with the directory of its memories in force; the first is what
/// an unknown type is taken for (§4).
pub(super) const DIRECTORIES: [(&str, &str); 8] = [
    ("knowledge", "Knowledge"),
    ("profile", "Profile"),
    ("preference", "Preferences"),
    ("project", "Projects"),
    ("project-state", "Projects/State"),
    ("decision", "Decisions"),
    ("experience", "Experiences"),
    ("task", "Tasks"),
];

/// The directories that hold memories.
pub(super) const PLACES: [Place; 11] = [
    place("Profile", Area::Active),
    place("Preferences", Area::Active),
    place("Projects", Area::Active),
    place("Projects/State", Area::Active),
    place("Decisions", Area::Active),
    place("Knowledge", Area::Active),
    place("Experiences", Area::Active),
    place("Tasks", Area::Active),
    place("Inbox", Area::Active),
    place("Conflicts", Area::Active),
    place("Archive", Area::Cold),
];

/// Longest file name in bytes, id and suffix included (design §5).
const NAME_LIMIT: usize = 200;

/// Names that Windows keeps for devices, whatever follows a dot in them.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

const fn place(directory: &'static str, area: Area) -> Place {
    Place {
        directory,
        area,
        depth: 0,
    }
}

/// The directory of a memory.
pub(super) fn directory(kind: &str, status: Status) -> VaultPath {
    let by_kind = || {
        let known = DIRECTORIES.iter().find(|(name, _)| *name == kind);
        known.unwrap_or(&DIRECTORIES[0]).1
    };
    VaultPath::known(match status {
        Status::Active | Status::Stale => by_kind(),
        Status::Pending => "Inbox",
        Status::Conflict => "Conflicts",
        Status::Archived | Status::Superseded => "Archive",
    })
}

/// The name of a new file: title and id, safe on every system and in a
/// wikilink.
pub(super) fn file_name(metadata: &Metadata) -> String {
    let id = &metadata.id;
    let blanked = |c: char| if is_unsafe(c) { ' ' } else { c };
    let title: String = metadata.title.chars().map(blanked).collect();
    let title = characters::one_line(&title);
    // One byte more for what keeps a device's name apart.
    let room = NAME_LIMIT.saturating_sub(id.len() + "_-.md".len());
    let title = characters::cut_bytes(&title, room).trim_matches(['.', ' ']);
    let name = if title.is_empty() {
        format!("{id}.md")
    } else {
        format!("{title}-{id}.md")
    };
    if is_device(&name) {
        format!("_{name}")
    } else {
        name
    }
}

/// The title in a file's name, for a memory that has lost it elsewhere.
pub(super) fn title_in_name<'p>(path: &'p VaultPath, id: &str) -> &'p str {
    let stem = path.markdown_stem().unwrap_or_default();
    let before_id = stem.strip_suffix(id);
    let title = before_id.filter(|title| title.is_empty() || title.ends_with('-'));
    title.unwrap_or(stem).trim_end_matches('-').trim()
}

/// What some file system, or a wikilink, does not take; and what cannot be
/// seen.
fn is_unsafe(c: char) -> bool {
    let is_mark = matches!(
        c,
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '#' | '^' | '[' | ']'
    );
    let is_invisible = matches!(
        c,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
    );
    c.is_control() || is_mark || is_invisible
}

fn is_device(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or_default().trim_end();
    DEVICES
        .iter()
        .any(|device| device.eq_ignore_ascii_case(base))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;

    const ID: &str = "mem_20261017t075957_b1c8069b";

    fn named(title: &str, id: &str) -> String {
        file_name(&Metadata {
            id: id.to_owned(),
            title: title.to_owned(),
            ..Metadata::blank("task", Timestamp::default())
        })
    }

    #[test]
    fn names_are_safe_everywhere() {
        for (title, expected) in [
            ("事实: 来源?", "事实 来源-"),
            ("a/b\\c|d#e^f[[g]]", "a b c d e f g-"),
            ("...hidden. .", "hidden-"),
            ("a\u{202E}b\tc\u{200B}", "a b c-"),
            ("CON.x", "_CON.x-"),
            ("con", "con-"),
            ("??", ""),
        ] {
            assert_eq!(named(title, ID), format!("{expected}{ID}.md"), "{title}");
        }
        assert_eq!(named("", "nul"), "_nul.md");
    }

    #[test]
    fn names_fit_with_their_id() {
        for id in [ID, &"i".repeat(120)] {
            let name = named(&"记".repeat(300), id);
            assert!(
                name.len() <= NAME_LIMIT && name.len() > NAME_LIMIT - 5,
                "{name}"
            );
            assert!(name.ends_with(&format!("-{id}.md")));
        }
    }

    #[test]
    fn a_name_tells_the_title() {
        let path = |name: &str| VaultPath::known(format!("Tasks/{name}.md"));
        for (name, title) in [
            (format!("事实-{ID}"), "事实"),
            ("by hand".to_owned(), "by hand"),
            (ID.to_owned(), ""),
        ] {
            assert_eq!(title_in_name(&path(&name), ID), title);
        }
        assert_eq!(title_in_name(&path("banana"), "a"), "banana");
    }
}
