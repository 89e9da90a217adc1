//! `inkvault capture`.

use inkvault::capture::{Candidate, CaptureRequest, Proposal, Skipped};
use inkvault::types::{Delivery, Receipt};

use super::write::text_of;
use crate::cli::args::CaptureArgs;
use crate::cli::failure::Failure;
use crate::cli::output::style;
use crate::cli::output::table::{Column, Table};
use crate::cli::session::Session;

/// Files what is worth remembering, or only shows what would be.
pub(crate) fn capture(session: &mut Session, args: &CaptureArgs) -> Result<(), Failure> {
    let request = CaptureRequest {
        user_text: text_of(args.text.as_deref(), args.file.as_deref())?,
        assistant_text: None,
        turn: None,
        max_candidates: args.max,
        min_confidence: args.min_confidence,
        origin: args.origin.clone(),
    };
    if args.dry_run {
        let found = session.call("reading", |vault| vault.extract(&request))?;
        return session.answer(&found, |found, width| candidates_view(found, width));
    }
    let proposal = session.change("filing", |vault| vault.propose(&request))?;
    session.answer(&proposal, proposal_view)
}

fn table() -> Table {
    Table::new([
        Column::new("outcome", style::PLAIN),
        Column::new("kind", style::PLAIN),
        Column::new("sure", style::SCORE).right(),
        Column::new("text", style::STRONG).flexible(),
    ])
}

fn candidates_view(found: &[Candidate], width: Option<usize>) -> String {
    if found.is_empty() {
        return "Nothing worth remembering was found.\n".to_owned();
    }
    let mut table = table();
    for candidate in found {
        table.row(row("found", candidate));
    }
    table.render(width)
}

fn proposal_view(proposal: &Proposal, width: Option<usize>) -> String {
    if proposal.filed.is_empty() && proposal.skipped.is_empty() {
        return "Nothing worth remembering was found.\n".to_owned();
    }
    let mut table = table();
    for receipt in &proposal.filed {
        table.row(filed(receipt));
        table.below(style::ID, &receipt.metadata.id);
    }
    for Skipped {
        candidate,
        reason,
        similar,
    } in &proposal.skipped
    {
        table.row(row(&reason.to_string(), candidate));
        for similar in similar {
            table.below(style::FAINT, &format!("{}  {}", similar.id, similar.title));
        }
    }
    table.render(width)
}

fn filed(receipt: &Receipt) -> [String; 4] {
    let memory = &receipt.metadata;
    let kind = kind(&memory.kind, memory.delivery);
    let sure = format!("{:.2}", memory.confidence);
    ["pending".to_owned(), kind, sure, memory.title.clone()]
}

fn row(outcome: &str, candidate: &Candidate) -> [String; 4] {
    let kind = kind(&candidate.kind, candidate.delivery);
    let sure = format!("{:.2}", candidate.confidence);
    [outcome.to_owned(), kind, sure, candidate.title.clone()]
}

/// The kind, and that it would be a directive.
pub(super) fn kind(kind: &str, delivery: Delivery) -> String {
    match delivery {
        Delivery::Recall => kind.to_owned(),
        Delivery::Prompt => format!("{kind} (directive)"),
    }
}
