//! Writing a memory's file: a new one, and changes that leave every other
//! byte as it stands (dsh-memory format §3, design §7).

use super::frontmatter::{KEYS, key_of, later_version, values};
use super::sections::{EVIDENCE, Layout};
use super::{SCHEMA_VERSION, arrangement, reading};
use crate::document::{Document, Edit, LineEnding, Value};
use crate::environment::VaultPath;
use crate::error::{Error, Result};
use crate::memory::{Memory, Metadata};

/// The bytes of a new file, which ends with a line end.
pub(super) fn compose(metadata: &Metadata, body: &str) -> Vec<u8> {
    let body = arrangement::compose(&metadata.title, body, &metadata.evidence);
    let entries = KEYS.into_iter().zip(values(metadata, &[]));
    let edits = entries.filter_map(|(key, value)| Some(Edit::Set(key, value?)));
    let edits: Vec<_> = edits.chain([Edit::Body(&body)]).collect();
    let empty = Document::parse("---\n---\n\n");
    empty.edit(&edits, &KEYS).into_bytes()
}

/// The bytes of a changed file: the parts of the body that change, the keys
/// whose values do, those that were given where something else is stored, and
/// dates that had to be assumed.
///
/// # Errors
/// [`Error::Corrupt`] where the file has lost its frontmatter,
/// [`Error::Unsupported`] where it has a later `schema_version`.
pub(super) fn edit(
    text: &str,
    before: &Memory,
    after: &Metadata,
    body: Option<&str>,
    given: &[&str],
) -> Result<Vec<u8>> {
    check(&Document::parse(text), &before.path)?;
    let given: Vec<_> = given.iter().map(|name| key_of(name)).collect();
    let mut after = after.clone();
    keep_one_category(&mut after, &before.metadata, &given);
    let text = with_body(text, before, &mut after, body, &given);
    let document = Document::parse(&text);
    let changes = changes(&document, before, &after, &given);
    Ok(document.edit(&changes, &KEYS).into_bytes())
}

/// Whether a file can be changed.
fn check(document: &Document<'_>, path: &VaultPath) -> Result<()> {
    if !document.has_frontmatter() {
        return Err(Error::Corrupt(format!(
            "{path}: it has lost its frontmatter: restore it, from `---` to `---`"
        )));
    }
    match later_version(document) {
        None => Ok(()),
        Some(version) => Err(Error::Unsupported(format!(
            "{path}: its `schema_version` is {version}, of which this program knows only {SCHEMA_VERSION}: \
             change it with the program that wrote it"
        ))),
    }
}

/// Makes the changes of the body, part by part. Evidence that a new body
/// brings along is taken over, unless other evidence was given.
fn with_body(
    text: &str,
    before: &Memory,
    after: &mut Metadata,
    body: Option<&str>,
    given: &[&str],
) -> String {
    let mut text = text.to_owned();
    let old = &before.metadata;
    let mut is_told = after.evidence != old.evidence || given.contains(&"evidence");
    if after.title != old.title {
        text = rewritten(&text, |text| arrangement::with_title(text, &after.title));
    }
    if let Some(body) = body {
        text = rewritten(&text, |text| {
            arrangement::with_body(text, body, &after.title)
        });
        if let Some(brought) = brought_evidence(&before.body, body).filter(|_| !is_told) {
            is_told = true;
            if !brought.is_empty() {
                after.evidence = brought;
            }
        }
    }
    if is_told {
        text = rewritten(&text, |text| {
            arrangement::with_evidence(text, &after.evidence)
        });
    }
    text
}

/// What stands in the evidence section of a new body, if it has one that is
/// not as it was.
fn brought_evidence(old: &str, new: &str) -> Option<String> {
    let new = LineEnding::Lf.apply(new);
    let layout = Layout::of_body(&new);
    layout.section(EVIDENCE)?;
    let brought = layout.evidence();
    (brought != Layout::of_body(old).evidence()).then(|| brought.to_owned())
}

/// A file with one change made to all that follows its frontmatter.
fn rewritten(text: &str, change: impl FnOnce(&str) -> String) -> String {
    let document = Document::parse(text);
    let body = change(&LineEnding::Lf.apply(document.body()));
    document.edit(&[Edit::Body(&body)], &KEYS)
}

/// What is to be changed in the frontmatter.
fn changes(
    document: &Document<'_>,
    before: &Memory,
    after: &Metadata,
    given: &[&str],
) -> Vec<Edit<'static>> {
    let sessions = reading::sessions(document);
    let others = sessions.get(1..).unwrap_or_default();
    let old = values(&before.metadata, others);
    let new = values(after, others);
    let is_due = |key| match key {
        "created_at" => before.assumed.created,
        "updated_at" => before.assumed.updated,
        _ => given.contains(&key),
    };
    let stands = |key, value: &Value| {
        document
            .get(key)
            .is_some_and(|field| field.value.same_as(value))
    };
    let mut edits = Vec::new();
    for (key, (old, new)) in KEYS.into_iter().zip(old.into_iter().zip(new)) {
        match new {
            Some(new) if old.as_ref() != Some(&new) => edits.push(Edit::Set(key, new)),
            Some(new) if is_due(key) && !stands(key, &new) => edits.push(Edit::Set(key, new)),
            None if old.is_some() => edits.push(Edit::Remove(key)),
            _ => {}
        }
    }
    edits
}

/// A memory whose kind changed is no longer of the old category, unless its
/// tags were given.
fn keep_one_category(after: &mut Metadata, before: &Metadata, given: &[&str]) {
    if after.kind != before.kind && !given.contains(&"tags") {
        after.tags.retain(|tag| *tag != before.kind);
    }
}
