//! References and relations that lead to no memory, and relations that stand
//! on one side alone.
//!
//! They are gathered while the files are read and looked up afterwards, when
//! all names are known. A link may well lead to a note that is none of ours:
//! such a file is asked for before anything is said.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::verify::{Severity, Verification};
use crate::document::{Reference, ReferenceKind};
use crate::environment::{self, Environment, VaultPath};
use crate::format::Format;
use crate::memory::{Memory, Status};
use crate::text::characters;
use crate::vault::curate::read_trash_name;
use crate::vault::links::references_of;
use crate::vault::names::{self, Files, Names};
use crate::vault::relations::Relation;
use crate::vault::state::State;

/// So many of one memory are told one by one.
const TOLD: usize = 20;
/// Longest part of a reference that is shown, in characters.
const SHOWN: usize = 80;

/// What a memory refers to: each name once.
pub(super) struct Mentions {
    id: String,
    status: Status,
    path: VaultPath,
    references: Vec<Reference>,
    /// What it says of others, by their ids.
    relations: Vec<(Relation, String)>,
}

/// A mention that leads to no memory.
struct Dangling<'m> {
    /// The file it stands in.
    path: &'m VaultPath,
    /// What it names.
    name: &'m str,
    /// What is wrong, a sentence without its end.
    message: String,
    mend: &'static str,
}

impl Mentions {
    /// What a memory refers to; none where that is nothing.
    pub(super) fn of(memory: &Memory, format: &dyn Format) -> Option<Self> {
        let mut references = references_of(memory, format);
        let mut seen = BTreeSet::new();
        references.retain(|reference| seen.insert(reference.target.clone()));
        let relations = Relation::of(&memory.metadata);
        let relations: Vec<_> = relations.map(|(of, id)| (of, id.to_owned())).collect();
        let is_something = !references.is_empty() || !relations.is_empty();
        is_something.then(|| Mentions {
            id: memory.metadata.id.clone(),
            status: memory.metadata.status,
            path: memory.path.clone(),
            references,
            relations,
        })
    }

    /// What it says of others: its id, the relation and theirs.
    fn said(&self) -> impl Iterator<Item = Said<'_>> {
        let relations = self.relations.iter();
        relations.map(|(relation, other)| (&*self.id, *relation, &**other))
    }

    /// What is wrong with a status that does not go with the relations.
    fn out_of_step(&self) -> Option<String> {
        let fits = |relation| match relation {
            Relation::Supersedes => true,
            Relation::SupersededBy => [Status::Superseded, Status::Archived].contains(&self.status),
            Relation::ConflictsWith => self.status == Status::Conflict,
        };
        let (_, relation, _) = self.said().find(|(_, relation, _)| !fits(*relation))?;
        Some(format!(
            "it is {} although it has a `{}`",
            self.status,
            relation.key()
        ))
    }
}

/// A memory's id, what it says of another, and that one's id.
type Said<'m> = (&'m str, Relation, &'m str);

impl State {
    /// Reports what leads to no memory.
    pub(super) fn report_dangling(
        &self,
        environment: &dyn Environment,
        mentions: &[Mentions],
        verification: &mut Verification,
    ) {
        let mut lookup = Lookup::new(self, environment);
        let mut trash = None;
        for mentions in mentions {
            let dangling = lookup.dangling(mentions);
            for one in dangling.iter().take(TOLD) {
                let trash = trash.get_or_insert_with(|| self.trash(environment));
                report(one, trash.get(one.name), verification);
            }
            if let Some(more) = dangling.len().checked_sub(TOLD).filter(|more| *more > 0) {
                let message = format!("{more} more of its references lead to no memory");
                let mend = "mend those that are told, then verify again";
                verification.report(mentions.path.as_str(), Severity::Note, message, mend);
            }
        }
    }

    /// Reports relations of which the other memory says nothing, and those
    /// that do not go with the memory's status.
    pub(super) fn report_one_sided(&self, mentions: &[Mentions], verification: &mut Verification) {
        let said: HashSet<Said<'_>> = mentions.iter().flat_map(Mentions::said).collect();
        let is_one_sided = |(id, relation, other): &Said<'_>| {
            self.index.find(other).is_some() && !said.contains(&(other, relation.inverse(), id))
        };
        for mentions in mentions {
            let path = mentions.path.as_str();
            for (_, relation, other) in mentions.said().filter(is_one_sided).take(TOLD) {
                let message = format!(
                    "`{}` names `{}`, whose `{}` does not name it",
                    relation.key(),
                    shown(other),
                    relation.inverse().key()
                );
                let mend = "write it on both sides, or take it out here";
                verification.report(path, Severity::Note, message, mend);
            }
            if let Some(message) = mentions.out_of_step() {
                let mend = "correct the status, or take the relation out on both sides";
                verification.report(path, Severity::Note, message, mend);
            }
        }
    }

    /// The files in the trash by the names of the memories they hold.
    fn trash(&self, environment: &dyn Environment) -> BTreeMap<String, VaultPath> {
        let Some(trash) = self.format.capabilities().trash.map(VaultPath::known) else {
            return BTreeMap::new();
        };
        // One that cannot be read has nothing to add to a note.
        let entries = environment::list_sorted(environment, &trash).unwrap_or_default();
        let files = entries.iter().map(|entry| trash.join(&entry.name));
        files
            .filter_map(|file| Some((read_trash_name(&file)?.0.to_owned(), file)))
            .collect()
    }
}

/// Looks up what mentions lead to.
struct Lookup<'s> {
    environment: &'s dyn Environment,
    names: Names<'s>,
    /// Files in the vault's directories that hold no memory.
    passed_over: Files<'s>,
    /// Files elsewhere that were asked for, and whether they are there.
    elsewhere: HashMap<VaultPath, bool>,
}

impl<'s> Lookup<'s> {
    fn new(state: &'s State, environment: &'s dyn Environment) -> Self {
        let mut passed_over = Files::default();
        for path in state.skipped.keys() {
            passed_over.add(path, path);
        }
        Lookup {
            environment,
            names: Names::of(&state.index),
            passed_over,
            elsewhere: HashMap::new(),
        }
    }

    fn dangling<'m>(&mut self, mentions: &'m Mentions) -> Vec<Dangling<'m>> {
        let path = &mentions.path;
        let references = mentions.references.iter();
        let mut dangling: Vec<_> = references
            .filter(|reference| !self.leads_somewhere(reference, path))
            .map(|reference| Dangling::reference(path, reference))
            .collect();
        let relations = mentions.relations.iter();
        let unknown = relations.filter(|(_, id)| !self.names.has_id(id));
        dangling.extend(unknown.map(|(relation, id)| Dangling::relation(path, relation.key(), id)));
        dangling
    }

    fn leads_somewhere(&mut self, reference: &Reference, source: &VaultPath) -> bool {
        let name = reference.name();
        self.names.resolve(reference, source).is_some()
            || self.passed_over.find(name, source).is_some()
            || is_attachment(reference)
            || (reference.kind != ReferenceKind::Id && self.is_file(name, source))
    }

    /// Whether a file of the vault is what a link means: a note, or a file
    /// that is named with its extension.
    fn is_file(&mut self, name: &str, source: &VaultPath) -> bool {
        let is_relative = name.starts_with("./") || name.starts_with("../");
        let directory = if is_relative {
            source.parent()
        } else {
            VaultPath::root()
        };
        let extended = has_extension(name).then(|| name.to_owned());
        let candidates = [Some(format!("{name}.md")), extended];
        let mut paths = candidates
            .into_iter()
            .flatten()
            .filter_map(|name| names::from_directory(&directory, &name));
        paths.any(|path| self.is_there(path))
    }

    fn is_there(&mut self, path: VaultPath) -> bool {
        let environment = self.environment;
        let asked = self.elsewhere.entry(path);
        *asked.or_insert_with_key(|path| environment.stat(path).is_ok())
    }
}

impl<'m> Dangling<'m> {
    fn reference(path: &'m VaultPath, reference: &'m Reference) -> Self {
        let shown = shown(&reference.text);
        let (message, mend) = if reference.kind == ReferenceKind::Id {
            (
                format!("`{shown}` is the id of no memory"),
                "correct the id, or leave it",
            )
        } else {
            (
                format!("`{shown}` leads to no memory, and to no file of that path"),
                "write that memory or correct the name; or leave it, where it means a note kept elsewhere",
            )
        };
        Dangling {
            path,
            name: reference.name(),
            message,
            mend,
        }
    }

    fn relation(path: &'m VaultPath, key: &str, id: &'m str) -> Self {
        Dangling {
            path,
            name: id,
            message: format!("`{key}` names `{}`, which is no memory", shown(id)),
            mend: "correct the id, or take it out of the frontmatter",
        }
    }
}

fn report(dangling: &Dangling<'_>, trashed: Option<&VaultPath>, verification: &mut Verification) {
    let (message, mend) = match trashed {
        None => (dangling.message.clone(), dangling.mend),
        Some(file) => (
            format!("{}: it is in the trash, as {file}", dangling.message),
            "`restore` brings it back; or take the reference out",
        ),
    };
    verification.report(dangling.path.as_str(), Severity::Note, message, mend);
}

/// Whether something other than a note is embedded, such as a picture:
/// Obsidian looks for it in every folder, and it is no memory anyway.
fn is_attachment(reference: &Reference) -> bool {
    reference.kind == ReferenceKind::Embed && has_extension(reference.name())
}

/// Whether a name ends like that of a file: in a dot and a short word that
/// begins with a letter.
fn has_extension(name: &str) -> bool {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.len() <= 8
        && extension.starts_with(|first: char| first.is_ascii_alphabetic())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn shown(text: &str) -> String {
    characters::cut(&characters::one_line(text), SHOWN).to_owned()
}
