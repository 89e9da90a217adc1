//! `recall`: what is relevant, packed into a text of bounded size (contract
//! §6).

mod candidates;
mod duplicates;
mod packing;

use candidates::Found;
use packing::Packing;

use super::Vault;
use super::reading::settled;
use crate::error::Result;
pub use crate::index::recall::Factor;
use crate::memory::Area;

/// Who said a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The system prompt.
    System,
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// What put it into the conversation; none or `human` for the person.
    pub source_kind: Option<String>,
    /// The conversation's id.
    pub thread: Option<String>,
}

/// What to recall.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecallRequest {
    /// The conversation, oldest first; used where there is no `query`.
    pub messages: Vec<Message>,
    /// What to look for.
    pub query: Option<String>,
    /// Most tokens of text; none for the setting's.
    pub token_budget: Option<u32>,
    /// Most memories; none for the setting's.
    pub limit: Option<u32>,
    /// Ids not to recall.
    pub exclude: Vec<String>,
    /// The current project: its memories and global ones.
    pub scope: Option<String>,
    /// Empty: the active area.
    pub areas: Vec<Area>,
    /// Fill in the factors of the scores.
    pub explain: bool,
}

/// A memory in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct RecalledItem {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The revision that was quoted.
    pub revision: String,
    /// Tokens of its part of the text.
    pub tokens: u32,
    /// Its score, six decimals.
    pub score: f64,
    /// Whether its text was cut.
    pub cut: bool,
    /// Where the score came from.
    pub factors: Vec<Factor>,
}

/// Why a memory that was found is not in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The caller excluded it.
    Excluded,
    /// It is a directive.
    Directive,
    /// It says the same as another.
    Duplicate,
    /// Another memory replaced it.
    Superseded,
    /// It is not sure enough.
    LowConfidence,
    /// It does not fit what is left of the budget.
    Budget,
    /// There are as many as asked for.
    Limit,
    /// Its file could not be read.
    Unreadable,
}

/// A memory that was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedItem {
    /// Its id.
    pub id: String,
    /// Why.
    pub reason: DropReason,
}

/// What was recalled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recalled {
    /// The text to inject; none where nothing was found.
    pub text: Option<String>,
    /// The memories in it.
    pub items: Vec<RecalledItem>,
    /// Those left out, by score.
    pub dropped: Vec<DroppedItem>,
    /// Tokens of the text.
    pub tokens: u32,
    /// The words that were looked for.
    pub query: String,
}

impl Vault {
    /// Finds the active memories that are relevant and packs them into a
    /// text; the same vault and request give the same text.
    ///
    /// # Errors
    /// Those of opening the vault and reading its files.
    pub fn recall(&mut self, request: &RecallRequest) -> Result<Recalled> {
        let (environment, state) = self.fresh()?;
        let query = query_of(request);
        let limit = request.limit.unwrap_or(state.settings.recall_max_items) as usize;
        let token_budget = request
            .token_budget
            .unwrap_or(state.settings.recall_token_budget);
        let language = state.settings.language;
        let tokenizer = state.format.tokenizer();
        settled(|| {
            let mut packing = Packing::new(token_budget, limit, language, tokenizer);
            let (found, mut changed) = state.found(environment, &query, limit, request)?;
            for found in found {
                changed |= state.consider(environment, found, &mut packing)?;
            }
            Ok((packing.finish(query.clone()), changed))
        })
    }

    /// The ids of the memories that a recall would consider and their scores,
    /// best first, `limit` at most: its ranking without its packing, to be
    /// measured.
    ///
    /// # Errors
    /// Those of [`Self::recall`].
    pub fn recall_order(&mut self, request: &RecallRequest) -> Result<Vec<(String, f64)>> {
        let (environment, state) = self.fresh()?;
        let query = query_of(request);
        let limit = request.limit.unwrap_or(state.settings.recall_max_items) as usize;
        let found = settled(|| state.found(environment, &query, limit, request))?;
        let ranked = found.iter().filter(|found| found.refusal.is_none());
        Ok(ranked.take(limit).map(Found::ranked).collect())
    }
}

fn query_of(request: &RecallRequest) -> String {
    match &request.query {
        Some(query) => query.clone(),
        None => query_of_messages(&request.messages),
    }
}

/// The words of the person in a conversation: messages of role user whose
/// source is absent or `human`, so that no injection is taken for a question
/// (contract §6, `extractQueryText`).
pub fn query_of_messages(messages: &[Message]) -> String {
    let of_person = |message: &&Message| {
        let source = message.source_kind.as_deref();
        message.role == Role::User
            && source.is_none_or(|source| source.is_empty() || source == "human")
    };
    let texts: Vec<_> = messages
        .iter()
        .filter(of_person)
        .map(|message| message.text.as_str())
        .collect();
    texts.join("\n")
}
