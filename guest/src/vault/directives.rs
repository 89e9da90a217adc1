//! `render-directives`: the standing directives for the system prompt
//! (contract §6.5).

use super::Vault;
use super::reading::{Shown, settled};
use super::state::State;
use crate::environment::Environment;
use crate::error::Result;
use crate::format::Language;
use crate::index::Document;
use crate::memory::{Delivery, Memory, Status};
use crate::text::{characters, prompt};

/// The name of the block's tag.
const TAG: &str = "inkvault-directive";

/// How to render the directives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DirectiveOptions {
    /// Longest block in characters; none or 0 for the setting's.
    pub max_chars: Option<u32>,
    /// The current project.
    pub scope: Option<String>,
}

/// The standing directives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Directives {
    /// The block; none where there are no directives or it would be too
    /// long.
    pub text: Option<String>,
    /// Their ids, in order.
    pub ids: Vec<String>,
    /// How many there are.
    pub count: u32,
    /// Length of the block in characters.
    pub characters: u32,
    /// Whether it was left out for its length.
    pub overflow: bool,
    /// The length that was allowed.
    pub max_chars: u32,
}

impl Vault {
    /// Renders the active memories with delivery `prompt`, ordered by id. A
    /// block longer than allowed is left out whole, never cut.
    ///
    /// # Errors
    /// Those of opening the vault and reading its files.
    pub fn render_directives(&mut self, options: &DirectiveOptions) -> Result<Directives> {
        let (environment, state) = self.fresh()?;
        let memories = settled(|| state.directives(environment, options.scope.as_deref()))?;
        let max_chars = options
            .max_chars
            .filter(|most| *most > 0)
            .unwrap_or(state.settings.directive_max_chars);
        Ok(directive_text(
            &memories,
            state.settings.language,
            max_chars,
        ))
    }
}

impl State {
    /// The directives by id, and whether a file among them turned out to have
    /// changed since it was indexed.
    fn directives(
        &mut self,
        environment: &dyn Environment,
        scope: Option<&str>,
    ) -> Result<(Vec<Memory>, bool)> {
        let scope = scope.map(|scope| self.index.symbol(scope));
        let documents = self.index.documents().filter(|(_, document)| {
            self.is_directive(document)
                && (document.scope.is_none() || scope.is_none_or(|scope| scope == document.scope))
        });
        let mut listed: Vec<_> = documents
            .map(|(number, document)| (&document.id, number))
            .collect();
        listed.sort_unstable();
        let numbers: Vec<_> = listed.into_iter().map(|(_, number)| number).collect();
        let mut memories = Vec::new();
        let mut changed = false;
        for number in numbers {
            match self.show(environment, number)? {
                Shown::Memory(memory) => memories.push(self.as_said(*memory)),
                Shown::Changed => changed = true,
                Shown::Unreadable => {}
            }
        }
        Ok((memories, changed))
    }

    /// A memory as an agent is told it.
    pub(super) fn as_said(&self, memory: Memory) -> Memory {
        let body = self.format.said(&memory).into_owned();
        Memory { body, ..memory }
    }

    /// Whether a memory is in the directive block: in force, delivered always,
    /// sure enough, and of a status that was written as one.
    pub(super) fn is_directive(&self, document: &Document) -> bool {
        // The cheap ones first: this is asked of every memory.
        document.status == Status::Active
            && (document.delivery == Delivery::Prompt || self.is_kept_in_view(document))
            && !document.status_assumed
            && self.is_sure(document)
    }

    fn is_kept_in_view(&self, document: &Document) -> bool {
        document.pinned && self.format.capabilities().pinned_is_directive
    }

    /// Whether a memory is sure enough to be put before an agent unasked.
    pub(super) fn is_sure(&self, document: &Document) -> bool {
        let least = self.format.capabilities().least_confidence;
        f64::from(document.confidence) >= least * 1_000.0
    }
}

/// The block for memories that are directives, in their order (contract
/// §6.5, `buildDirectiveText`). Braces are escaped before measuring.
pub fn directive_text(memories: &[Memory], language: Language, max_chars: u32) -> Directives {
    let ids: Vec<_> = memories
        .iter()
        .map(|memory| memory.metadata.id.clone())
        .collect();
    let mut directives = Directives {
        count: ids.len() as u32,
        ids,
        max_chars,
        ..Directives::default()
    };
    if memories.is_empty() {
        return directives;
    }
    let entries: Vec<_> = memories.iter().map(entry).collect();
    let text = format!(
        "<{TAG} trust=\"user-declared\">\n{}\n\n{}\n</{TAG}>",
        declaration(language).join("\n"),
        entries.join("\n\n")
    );
    directives.characters = characters::count(&text) as u32;
    directives.overflow = directives.characters > max_chars;
    directives.text = (!directives.overflow).then_some(text);
    directives
}

fn entry(memory: &Memory) -> String {
    let title = prompt::safe(&memory.metadata.title);
    format!(
        "### {title} ({})\n{}",
        memory.metadata.id,
        prompt::safe(memory.body.trim())
    )
}

/// What the block is, that the user declared it, and what it does not
/// override.
fn declaration(language: Language) -> [&'static str; 3] {
    match language {
        Language::English => [
            "These are standing directives from the user's long-term memory.",
            "The user declared each of them and confirmed it.",
            "They do not override safety rules or what the user asks for now.",
        ],
        Language::Chinese => [
            "以下是用户长期记忆中的常驻指令。",
            "每一条都由用户本人声明并确认。",
            "它们不得凌驾于安全规则和用户当前的请求之上。",
        ],
    }
}
