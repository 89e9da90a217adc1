//! Who answers to a name: the ids, file names, titles and aliases of a vault.

use std::borrow::Cow;

use foldhash::HashMap;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::document::Reference;
use crate::environment::VaultPath;
use crate::index::Index;

/// The names of all live memories, each with the id of the one that answers
/// to it. Names are compared in NFC, so that it does not matter on which
/// system a file was named. Where several memories have a name, the first by
/// id answers.
#[derive(Debug, Default)]
pub(super) struct Names<'i> {
    ids: Lookup<'i>,
    files: Files<'i>,
    titles: Lookup<'i>,
    aliases: Lookup<'i>,
}

/// Files by the names that links give them, without `.md`.
#[derive(Debug, Default)]
pub(super) struct Files<'i> {
    paths: Lookup<'i>,
    stems: Lookup<'i>,
    /// Paths and bare names in lower case.
    folded: Lookup<'i>,
}

type Lookup<'i> = HashMap<Cow<'i, str>, &'i str>;

impl<'i> Names<'i> {
    /// The names in an index.
    pub(super) fn of(index: &'i Index) -> Self {
        let mut names = Names::default();
        for (_, document) in index.documents() {
            let id = &*document.id;
            claim(&mut names.ids, nfc(id), id);
            names.files.add(&document.path, id);
            claim(&mut names.titles, nfc(&document.title), id);
            for alias in &document.aliases {
                claim(&mut names.aliases, nfc(alias), id);
            }
        }
        names
    }

    /// The memory that a reference in the file at `source` leads to: the one
    /// with that id, file name, title or alias, in this order.
    pub(super) fn resolve(&self, reference: &Reference, source: &VaultPath) -> Option<&'i str> {
        reference.names().find_map(|name| {
            let name = nfc(name);
            let of_id = self.ids.get(&name).copied();
            of_id
                .or_else(|| self.files.find(&name, source))
                .or_else(|| self.titles.get(&name).copied())
                .or_else(|| self.aliases.get(&name).copied())
        })
    }

    /// Whether a memory has that id, or had it before it was merged.
    pub(super) fn has_id(&self, id: &str) -> bool {
        let id = nfc(id);
        self.ids.contains_key(&id) || self.aliases.contains_key(&id)
    }
}

impl<'i> Files<'i> {
    /// Adds a file; `id` is what [`Self::find`] answers for it.
    pub(super) fn add(&mut self, path: &'i str, id: &'i str) {
        let path = path.strip_suffix(".md").unwrap_or(path);
        let stem = last_part(path);
        claim(&mut self.paths, nfc(path), id);
        claim(&mut self.stems, nfc(stem), id);
        for name in [path, stem] {
            claim(&mut self.folded, folded(name), id);
        }
    }

    /// The file of a name as Obsidian finds it: by its path in the vault, by
    /// its path from the directory of `source`, by its bare name; and, if all
    /// else fails, by one of these in other letter cases.
    pub(super) fn find(&self, name: &str, source: &VaultPath) -> Option<&'i str> {
        let name = nfc(name);
        let beside = from_directory(&source.parent(), &name);
        let beside = beside.as_ref().map(|path| nfc(path.as_str()));
        let of_path = |name: &str| self.paths.get(name).copied();
        let of_any_case = |name: &str| self.folded.get(&*folded(name)).copied();
        of_path(&name)
            .or_else(|| of_path(beside.as_deref()?))
            .or_else(|| self.stems.get(&name).copied())
            .or_else(|| of_any_case(&name))
            .or_else(|| of_any_case(beside.as_deref()?))
    }
}

/// The path that a name means in a directory; none where it leaves the vault
/// or is no path.
pub(super) fn from_directory(directory: &VaultPath, name: &str) -> Option<VaultPath> {
    if directory.is_root() {
        return VaultPath::parse(name).ok();
    }
    VaultPath::parse(&format!("{directory}/{name}")).ok()
}

/// A text in NFC.
fn nfc(text: &str) -> Cow<'_, str> {
    if is_nfc(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// A text in NFC and in lower case.
fn folded(text: &str) -> Cow<'_, str> {
    let text = nfc(text);
    if text.chars().any(char::is_uppercase) {
        Cow::Owned(text.to_lowercase())
    } else {
        text
    }
}

/// Gives a name to a memory, unless one before it by id has it.
fn claim<'i>(lookup: &mut Lookup<'i>, name: Cow<'i, str>, id: &'i str) {
    let first = lookup.entry(name).or_insert(id);
    *first = id.min(*first);
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_as_obsidian_finds_them() {
        let mut files = Files::default();
        let paths = [
            "a/Plan.md",
            "b/Plan.md",
            "b/c/Plan.md",
            "PLAN.md",
            "d/Note.md",
        ];
        for path in paths {
            files.add(path, path);
        }
        let source = VaultPath::known("b/from.md");
        for (name, path) in [
            ("a/Plan", Some("a/Plan.md")),
            ("PLAN", Some("PLAN.md")),
            ("Plan", Some("b/Plan.md")),
            ("./Plan", Some("b/Plan.md")),
            ("c/Plan", Some("b/c/Plan.md")),
            ("../a/Plan", Some("a/Plan.md")),
            ("Note", Some("d/Note.md")),
            ("plan", Some("PLAN.md")),
            ("A/PLAN", Some("a/Plan.md")),
            ("c/plan", Some("b/c/Plan.md")),
            ("note", Some("d/Note.md")),
            ("x/Plan", None),
            ("../../a/Plan", None),
            ("", None),
        ] {
            assert_eq!(files.find(name, &source), path, "{name}");
        }
        let elsewhere = VaultPath::known("from.md");
        assert_eq!(
            files.find("Plan", &elsewhere),
            Some("a/Plan.md"),
            "the first"
        );
    }
}
