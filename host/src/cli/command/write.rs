//! `inkvault write`.

use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::Path;

use inkvault::types::Receipt;
use inkvault::vault::Draft;

use crate::cli::args::WriteArgs;
use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::Facts;
use crate::cli::session::{Session, utc_offset_minutes};

/// Writes a memory, or changes one.
pub(crate) fn write(session: &mut Session, args: &WriteArgs) -> Result<(), Failure> {
    let scope = scope(session, args)?;
    let draft = Draft {
        scope,
        ..draft(args)?
    };
    let receipt = session.change("writing", |vault| vault.write(&draft))?;
    session.answer(&receipt, |receipt, _| view(receipt))
}

/// The project; an empty one takes a memory out of its project.
fn scope(session: &Session, args: &WriteArgs) -> Result<Option<String>, Failure> {
    if args.global && args.id.is_some() {
        return Ok(Some(String::new()));
    }
    session.project(args.project.as_deref())
}

fn draft(args: &WriteArgs) -> Result<Draft, Failure> {
    Ok(Draft {
        id: args.id.clone(),
        revision: args.revision.clone(),
        title: args.title.clone(),
        body: body(args)?,
        kind: args.kind.clone(),
        status: args.status,
        tags: args.tags.clone(),
        confidence: args.confidence,
        importance: args.importance,
        pinned: args.pinned,
        delivery: args.delivery,
        source: args.source,
        origin: args.origin.clone(),
        path: args.path.clone(),
        overwrite: args.overwrite,
        allow_secrets: args.allow_secrets,
        utc_offset_minutes: utc_offset_minutes(),
        ..Draft::default()
    })
}

/// The text from wherever it comes. Where a change names other fields, the
/// text on standard input has to be asked for with `--file -`: what lies there
/// by chance must not replace the memory's. Of nothing on standard input a
/// change makes no text; a new memory needs one.
fn body(args: &WriteArgs) -> Result<Option<String>, Failure> {
    let is_named = args.text.is_some() || args.file.is_some();
    let is_change = args.id.is_some();
    if is_change && !is_named && (names_fields(args) || io::stdin().is_terminal()) {
        return Ok(None);
    }
    let text = text_of(args.text.as_deref(), args.file.as_deref())?;
    let is_nothing = is_change && !is_named && text.is_empty();
    Ok((!is_nothing).then_some(text))
}

/// The text of an argument, a file or standard input.
pub(super) fn text_of(text: Option<&str>, file: Option<&Path>) -> Result<String, Failure> {
    match (text, file) {
        (Some(text), _) => Ok(text.to_owned()),
        (None, Some(path)) if path != Path::new("-") => read(path),
        (None, None) if io::stdin().is_terminal() => Err(Failure::Usage(
            "there is no text; give it as TEXT, with --file, or on standard input".to_owned(),
        )),
        (None, _) => standard_input(),
    }
}

/// Whether anything of the memory but its text is given.
fn names_fields(args: &WriteArgs) -> bool {
    let words = [&args.title, &args.kind, &args.origin];
    words.into_iter().any(Option::is_some)
        || args.tags.is_some()
        || args.status.is_some()
        || args.delivery.is_some()
        || args.confidence.is_some()
        || args.importance.is_some()
        || args.pinned.is_some()
        || args.source.is_some()
        || args.project.is_some()
        || args.global
}

/// A file's text.
pub(super) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| Failure::file(path, error))
}

/// All of standard input.
pub(super) fn standard_input() -> Result<String, Failure> {
    let mut text = String::new();
    let read = io::stdin().read_to_string(&mut text);
    read.map_err(|error| Failure::file(Path::new("standard input"), error))?;
    Ok(text)
}

fn view(receipt: &Receipt) -> String {
    let memory = &receipt.metadata;
    let done = if receipt.created {
        "created"
    } else {
        "changed"
    };
    let mut facts = Facts::default();
    facts.add_in(style::ID, done, &memory.id);
    facts.add_in(style::STRONG, "title", &memory.title);
    facts.add("path", &memory.path);
    facts.add("revision", &memory.revision);
    for similar in &receipt.similar {
        let told = format!("{:.2}  {}  {}", similar.overlap, similar.id, similar.title);
        facts.add("similar", told);
    }
    facts.each(style::WARNING, "repaired", &receipt.repairs);
    facts.each(style::WARNING, "note", &receipt.notes);
    facts.render()
}
