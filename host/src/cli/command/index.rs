//! `inkvault index` and `flow`: what an agent is told at the start of a
//! conversation, and at its end.

use inkvault::upkeep::{IndexOptions, IndexText};

use crate::cli::args::{FlowArgs, IndexArgs};
use crate::cli::failure::Failure;
use crate::cli::output::json::{ToJson, record};
use crate::cli::output::text::counted;
use crate::cli::session::Session;

/// Prints the list of file names; nothing where there is nothing to list.
pub(crate) fn index(session: &mut Session, args: &IndexArgs) -> Result<(), Failure> {
    let own = session.own_project();
    let named = args.project.as_ref().filter(|name| *name != ".");
    let documents = own
        .as_ref()
        .filter(|own| named.is_none_or(|name| *name == own.name))
        .map_or(Vec::new(), |own| own.documents());
    let options = IndexOptions {
        scope: named.cloned().or(own.map(|own| own.name)),
        documents,
        max_chars: args.max_chars,
        conversation: args.conversation.clone(),
    };
    let index = session.call("listing", |vault| vault.render_index(&options))?;
    session.answer(&index, |index, _| view(index))?;
    if index.omitted > 0 {
        let omitted = counted(index.omitted, "name", "names");
        session.remark(|_| format!("{omitted} left out for the length\n"));
    }
    Ok(())
}

fn view(index: &IndexText) -> String {
    let text = index.text.as_ref();
    text.map_or(String::new(), |text| format!("{text}\n"))
}

/// An instruction for an agent.
struct Flow {
    text: String,
}

record!(Flow { text });

/// Prints the instruction.
pub(crate) fn flow(session: &mut Session, args: &FlowArgs) -> Result<(), Failure> {
    let language = args.language.as_deref();
    let text = session.call("reading", |vault| vault.flow_instruction(language))?;
    session.answer(&Flow { text }, |flow, _| format!("{}\n", flow.text))
}
