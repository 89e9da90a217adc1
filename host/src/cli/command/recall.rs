//! `inkvault recall` and `inkvault directives`: texts for an agent, and what
//! became of the memories behind them.

use std::path::Path;

use inkvault::vault::{
    DirectiveOptions, Directives, Message, RecallRequest, Recalled, RecalledItem,
};

use super::write::{read, standard_input};
use crate::cli::args::{DirectivesArgs, RecallArgs};
use crate::cli::failure::Failure;
use crate::cli::messages;
use crate::cli::output::style::{self, styled};
use crate::cli::output::table::{Column, Table};
use crate::cli::output::text::{counted, lines};
use crate::cli::session::Session;

/// Gathers what is relevant to a query or a conversation.
pub(crate) fn recall(session: &mut Session, args: &RecallArgs) -> Result<(), Failure> {
    if args.query.is_empty() && args.messages.is_none() {
        return Err(Failure::Usage(
            "there is nothing to recall for; give a QUERY, or the conversation with --messages FILE"
                .to_owned(),
        ));
    }
    let request = RecallRequest {
        messages: args
            .messages
            .as_deref()
            .map_or(Ok(Vec::new()), conversation)?,
        query: (!args.query.is_empty()).then(|| args.query.join(" ")),
        token_budget: args.budget,
        limit: args.limit,
        exclude: args.exclude.clone(),
        explain: args.explain,
        ..RecallRequest::default()
    };
    let recalled = session.call("recalling", |vault| vault.recall(&request))?;
    session.answer(&recalled, view)
}

fn conversation(path: &Path) -> Result<Vec<Message>, Failure> {
    let (json, place) = if path == Path::new("-") {
        (standard_input()?, "standard input".to_owned())
    } else {
        (read(path)?, path.display().to_string())
    };
    messages::parse(&json).map_err(|reason| {
        Failure::Usage(format!(
            "{place} holds no conversation: {reason}; `inkvault recall --help` shows the shape"
        ))
    })
}

fn view(recalled: &Recalled, width: Option<usize>) -> String {
    let text = match &recalled.text {
        Some(text) => block(text),
        None => "Nothing to recall.\n\n".to_owned(),
    };
    let mut parts = vec![format!("{text}{}", totals(recalled))];
    if !recalled.items.is_empty() {
        parts.push(items(&recalled.items, width));
    }
    if !recalled.dropped.is_empty() {
        parts.push(dropped(recalled, width));
    }
    parts.join("\n")
}

/// A text for an agent, set off from what is said about it.
fn block(text: &str) -> String {
    format!("{}\n\n", lines(text).trim_end_matches('\n'))
}

fn totals(recalled: &Recalled) -> String {
    let memories = counted(recalled.items.len() as u64, "memory", "memories");
    let tokens = counted(recalled.tokens, "token", "tokens");
    format!(
        "{}\n",
        styled(style::FAINT, &format!("{memories}, {tokens}"))
    )
}

fn items(items: &[RecalledItem], width: Option<usize>) -> String {
    let mut table = Table::new([
        Column::new("score", style::SCORE).right(),
        Column::new("tokens", style::PLAIN).right(),
        Column::new("id", style::ID),
        Column::new("recalled", style::STRONG).flexible(),
    ]);
    for item in items {
        let cut = if item.cut { " (cut)" } else { "" };
        table.row([
            format!("{:.3}", item.score),
            item.tokens.to_string(),
            item.id.clone(),
            format!("{}{cut}", item.title),
        ]);
        for factor in &item.factors {
            table.below(
                style::FAINT,
                &format!("{} {:+.3}", factor.name, factor.value),
            );
        }
    }
    table.render(width)
}

fn dropped(recalled: &Recalled, width: Option<usize>) -> String {
    let mut table = Table::new([
        Column::new("left out", style::ID),
        Column::new("because of", style::PLAIN),
    ]);
    for item in &recalled.dropped {
        table.row([item.id.clone(), item.reason.to_string()]);
    }
    table.render(width)
}

/// Renders the standing directives.
pub(crate) fn directives(session: &mut Session, args: &DirectivesArgs) -> Result<(), Failure> {
    let options = DirectiveOptions {
        max_chars: args.max_chars,
        ..DirectiveOptions::default()
    };
    let directives = session.call("gathering directives", |vault| {
        vault.render_directives(&options)
    })?;
    session.answer(&directives, |directives, _| directives_view(directives))
}

fn directives_view(directives: &Directives) -> String {
    if directives.overflow {
        return format!(
            "The directives take {} characters, more than the {} allowed: none are given.\n",
            directives.characters, directives.max_chars
        );
    }
    let Some(text) = &directives.text else {
        return "There are no directives.\n".to_owned();
    };
    let count = counted(directives.count, "directive", "directives");
    let length = format!(
        "{} of {} characters",
        directives.characters, directives.max_chars
    );
    let totals = styled(style::FAINT, &format!("{count}, {length}"));
    format!("{}{totals}\n", block(text))
}
