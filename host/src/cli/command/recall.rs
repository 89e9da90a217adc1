//! `inkvault recall` and `inkvault directives`: texts for an agent, and what
//! became of the memories behind them.

use std::path::Path;

use inkvault::vault::{
    DirectiveOptions, Directives, DropReason, DroppedItem, Message, RecallRequest, Recalled,
    RecalledItem,
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
        scope: session.project(args.project.as_deref())?,
        areas: args.areas.clone(),
        explain: args.explain,
    };
    let recalled = session.call("recalling", |vault| vault.recall(&request))?;
    session.answer(&recalled, |recalled, _| block(recalled.text.as_deref()))?;
    session.remark(|width| receipt(&recalled, width));
    Ok(())
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

/// What became of the memories that were found.
fn receipt(recalled: &Recalled, width: Option<usize>) -> String {
    if recalled.text.is_none() && recalled.dropped.is_empty() {
        return "Nothing to recall.\n".to_owned();
    }
    let mut parts = vec![format!("\n{}", totals(recalled))];
    if !recalled.items.is_empty() {
        parts.push(items(&recalled.items, width));
    }
    if !recalled.dropped.is_empty() {
        parts.push(dropped(&recalled.dropped, width));
    }
    parts.join("\n")
}

/// A text for an agent; nothing where there is none.
fn block(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!("{}\n", lines(text)))
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

/// Those left out, each with its reason. Those that only came too late are
/// many and are told by their number.
fn dropped(dropped: &[DroppedItem], width: Option<usize>) -> String {
    let told = dropped
        .iter()
        .filter(|item| item.reason != DropReason::Limit);
    let mut table = Table::new([
        Column::new("left out", style::ID),
        Column::new("because of", style::PLAIN),
    ]);
    let mut rows = 0;
    for item in told {
        table.row([item.id.clone(), item.reason.to_string()]);
        rows += 1;
    }
    let mut rendered = String::new();
    if rows > 0 {
        rendered += &table.render(width);
    }
    if rows < dropped.len() {
        let late = format!("{} over the limit", dropped.len() - rows);
        rendered += &format!("{}\n", styled(style::FAINT, &late));
    }
    rendered
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
    session.answer(&directives, |directives, _| {
        block(directives.text.as_deref())
    })?;
    session.remark(|_| directives_receipt(&directives));
    Ok(())
}

fn directives_receipt(directives: &Directives) -> String {
    let Directives {
        characters,
        max_chars,
        ..
    } = directives;
    if directives.overflow {
        return format!(
            "The directives take {characters} characters, more than the {max_chars} allowed: \
             none are given.\n"
        );
    }
    if directives.count == 0 {
        return "There are no directives.\n".to_owned();
    }
    let count = counted(directives.count, "directive", "directives");
    let totals = format!("{count}, {characters} of {max_chars} characters");
    format!("\n{}\n", styled(style::FAINT, &totals))
}
