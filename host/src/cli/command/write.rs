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
    let draft = draft(args)?;
    let receipt = session.call("writing", |vault| vault.write(&draft))?;
    session.answer(&receipt, |receipt, _| view(receipt))
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
        utc_offset_minutes: utc_offset_minutes(),
        ..Draft::default()
    })
}

/// The text from wherever it comes. Of nothing on standard input a change
/// makes no text; a new memory needs one.
fn body(args: &WriteArgs) -> Result<Option<String>, Failure> {
    if let Some(text) = &args.text {
        return Ok(Some(text.clone()));
    }
    match &args.file {
        Some(path) if path == Path::new("-") => standard_input().map(Some),
        Some(path) => read(path).map(Some),
        None if io::stdin().is_terminal() && args.id.is_some() => Ok(None),
        None if io::stdin().is_terminal() => Err(Failure::Usage(
            "there is no text; give it as TEXT, with --file, or on standard input".to_owned(),
        )),
        None => {
            let text = standard_input()?;
            Ok(Some(text).filter(|text| args.id.is_none() || !text.is_empty()))
        }
    }
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
