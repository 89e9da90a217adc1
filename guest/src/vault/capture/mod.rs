//! Capture: finding what is worth remembering in what a person said (contract
//! §5), and filing it as pending.

mod rules;

use rules::{DECISION, DIRECTIVES, EXPLICIT, PREFERENCE, RULES, Rule};

use super::reading::Reading;
use super::state::State;
use super::{Draft, Receipt, SimilarMemory, Vault};
use crate::error::{Error, Result};
use crate::format::Format;
use crate::memory::{Delivery, Source, Status};
use crate::text::{characters, secrets, sentences};

/// Most candidates of a turn (`MAX_CANDIDATES_PER_TURN`).
const CANDIDATES: u32 = 2;
/// Least confidence (`MIN_CONFIDENCE`).
const CONFIDENCE: f64 = 0.6;
/// Most characters of a turn that are looked at.
const LOOKED_AT: usize = 20_000;
/// Fewest and most characters of a sentence.
const SENTENCE: std::ops::RangeInclusive<usize> = 4..=500;
/// Most characters of a title.
const TITLE: usize = 80;
/// Overlap from which a candidate says what a memory says.
const SAME_FROM: f64 = 0.85;
/// Least ratio of the two lengths for that.
const LENGTHS_FROM: f64 = 0.5;

/// What was said in one turn. Only the person's words are looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaptureRequest {
    /// The person's words.
    pub user_text: String,
    /// Most candidates; none for 2.
    pub max_candidates: Option<u32>,
    /// Least confidence; none for 0.6.
    pub min_confidence: Option<f64>,
    /// The conversation.
    pub origin: Option<String>,
}

/// Something that may be worth remembering.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// What it is about.
    pub kind: String,
    /// How sure the rule is.
    pub confidence: f64,
    /// One line.
    pub title: String,
    /// The sentence.
    pub body: String,
    /// The kind and the rule.
    pub tags: Vec<String>,
    /// The rule that found it.
    pub rule: String,
    /// `Prompt` where it is worded as a standing directive.
    pub delivery: Delivery,
}

/// Why a candidate was not filed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// The vault holds the same text.
    Duplicate,
    /// The vault holds nearly the same text.
    Similar,
    /// It looks like a credential.
    Secret,
}

/// A candidate that was not filed.
#[derive(Clone, Debug, PartialEq)]
pub struct Skipped {
    /// The candidate.
    pub candidate: Candidate,
    /// Why.
    pub reason: SkipReason,
    /// The memories that hold it already.
    pub similar: Vec<SimilarMemory>,
}

/// What became of the candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proposed {
    /// Filed as pending.
    pub filed: Vec<Receipt>,
    /// Not filed.
    pub skipped: Vec<Skipped>,
}

impl State {
    /// Candidates are filed as pending: the format must know such memories.
    fn require_pending(&self) -> Result<()> {
        if self.format.capabilities().has_status(Status::Pending) {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "a vault of format `{}` has no pending memories: put what is found into its staging pool",
            self.format.name()
        )))
    }
}

impl Vault {
    /// Finds candidates by rules; touches no file. The phrases that make a
    /// directive are the vault's setting once it is open, before that the
    /// host's.
    pub fn extract(&self, request: &CaptureRequest) -> Vec<Candidate> {
        let settings = self.settings();
        extract(request, settings.directive_triggers.as_deref())
    }

    /// Finds candidates and files them as pending; never changes another
    /// memory.
    ///
    /// # Errors
    /// Those of [`Vault::write`]; what was filed before stays filed.
    pub fn propose(&mut self, request: &CaptureRequest) -> Result<Proposed> {
        let (environment, state) = self.fresh()?;
        state.require_changeable(environment)?;
        state.require_pending()?;
        let triggers = state.settings.directive_triggers.clone();
        let mut proposed = Proposed::default();
        for candidate in extract(request, triggers.as_deref()) {
            match self.objection(&candidate)? {
                Some((reason, similar)) => proposed.skipped.push(Skipped {
                    candidate,
                    reason,
                    similar,
                }),
                None => {
                    let format = self.open()?.1.format;
                    let draft = draft_of(candidate, format, request.origin.clone());
                    proposed.filed.push(self.write(&draft)?);
                }
            }
        }
        Ok(proposed)
    }

    /// Why a candidate is not filed, with the memories that hold it already.
    fn objection(
        &mut self,
        candidate: &Candidate,
    ) -> Result<Option<(SkipReason, Vec<SimilarMemory>)>> {
        if secrets::find(&candidate.body).is_some() {
            return Ok(Some((SkipReason::Secret, Vec::new())));
        }
        let (environment, state) = self.fresh()?;
        let length = state.format.tokenizer().tokens(&candidate.body).len() as f64;
        let mut similar = Vec::new();
        let mut reason = SkipReason::Similar;
        for found in state.index.similar(&candidate.body, SAME_FROM, usize::MAX) {
            let Some(document) = state.index.document(found.document) else {
                continue;
            };
            let other = f64::from(document.said_length());
            if length.min(other) < LENGTHS_FROM * length.max(other) {
                continue;
            }
            similar.push(SimilarMemory {
                id: document.id.to_string(),
                title: document.title.to_string(),
                overlap: found.overlap,
            });
            if found.overlap >= 1.0
                && let Reading::Memory(memory) = state.read(environment, found.document)?
                && normalised(&state.format.said(&memory)) == normalised(&candidate.body)
            {
                reason = SkipReason::Duplicate;
            }
        }
        Ok((!similar.is_empty()).then_some((reason, similar)))
    }
}

/// Whether a text asks outright to remember something
/// (`detectRememberIntent`).
pub fn remember_intent(text: &str) -> bool {
    let text = lowered(text);
    RULES
        .iter()
        .filter(|rule| rule.name == EXPLICIT)
        .any(|rule| rule.applies_to(&text))
}

/// Finds candidates (`extractCandidates`): by priority of the rule, then by
/// place; each text once. `triggers` stand in for the built-in phrases that
/// make a directive; none of them makes none.
pub fn extract(request: &CaptureRequest, triggers: Option<&[String]>) -> Vec<Candidate> {
    let text = cleaned(&request.user_text);
    let least = request.min_confidence.unwrap_or(CONFIDENCE);
    let most = request.max_candidates.unwrap_or(CANDIDATES) as usize;
    let mut found: Vec<(usize, Candidate)> = Vec::new();
    for sentence in sentences::split(&text) {
        let Some((priority, rule)) = rule_for(sentence) else {
            continue;
        };
        let known = found.iter().any(|(_, other)| other.body == sentence);
        if rule.confidence >= least && !known {
            found.push((priority, candidate(sentence, rule, triggers)));
        }
    }
    found.sort_by_key(|(priority, _)| *priority);
    found
        .into_iter()
        .take(most)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// The first rule that applies to a sentence, with its priority.
fn rule_for(sentence: &str) -> Option<(usize, &'static Rule)> {
    if !SENTENCE.contains(&characters::count(sentence)) {
        return None;
    }
    let lower = lowered(sentence);
    let is_question = sentence.ends_with(['?', '？']);
    let states =
        |rule: &&Rule| [EXPLICIT, DECISION].contains(&rule.name) && rule.applies_to(&lower);
    if is_question && !RULES.iter().any(|rule| states(&rule)) {
        return None;
    }
    RULES
        .iter()
        .enumerate()
        .find(|(_, rule)| rule.applies_to(&lower))
}

fn candidate(sentence: &str, rule: &Rule, triggers: Option<&[String]>) -> Candidate {
    let lower = lowered(sentence);
    let preference = RULES.iter().find(|rule| rule.name == PREFERENCE);
    let prefers = preference.is_some_and(|rule| rule.applies_to(&lower));
    let kind = if rule.name == EXPLICIT && prefers {
        PREFERENCE
    } else {
        rule.kind
    };
    let mut tags = vec![kind.to_owned(), rule.name.to_owned()];
    tags.dedup();
    let title = characters::cut(sentence.lines().next().unwrap_or_default(), TITLE);
    Candidate {
        kind: kind.to_owned(),
        confidence: rule.confidence,
        title: title.trim_end().to_owned(),
        body: sentence.to_owned(),
        tags,
        rule: rule.name.to_owned(),
        delivery: delivery(&lower, triggers),
    }
}

fn delivery(sentence: &str, triggers: Option<&[String]>) -> Delivery {
    let is_directive = match triggers {
        None => DIRECTIVES.iter().any(|phrase| phrase.stands_in(sentence)),
        Some(phrases) => phrases.iter().any(|phrase| {
            let phrase = lowered(phrase);
            !phrase.trim().is_empty() && rules::contains(sentence, &phrase, &[])
        }),
    };
    if is_directive {
        Delivery::Prompt
    } else {
        Delivery::Recall
    }
}

fn draft_of(candidate: Candidate, format: &dyn Format, origin: Option<String>) -> Draft {
    let kind = format
        .captured_kind(&candidate.kind, &candidate.rule)
        .to_owned();
    Draft {
        title: Some(candidate.title),
        body: Some(candidate.body),
        kind: Some(kind),
        status: Some(Status::Pending),
        tags: Some(candidate.tags),
        confidence: Some(candidate.confidence),
        delivery: Some(candidate.delivery),
        source: format
            .capabilities()
            .holds
            .source
            .then_some(Source::Capture),
        origin,
        ..Draft::default()
    }
}

/// A text without zero-width characters and with each run of horizontal white
/// space as one blank; line ends stay, since they end sentences.
fn cleaned(text: &str) -> String {
    let mut cleaned = String::new();
    for character in characters::cut(text, LOOKED_AT).chars() {
        match character {
            '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' => {}
            '\n' | '\r' => cleaned.push('\n'),
            blank if blank.is_whitespace() => {
                if !cleaned.ends_with([' ', '\n']) {
                    cleaned.push(' ');
                }
            }
            character => cleaned.push(character),
        }
    }
    cleaned
}

fn lowered(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// What two texts have in common when they say the same: case, blanks and the
/// marks at the end do not count.
fn normalised(text: &str) -> String {
    let text = characters::one_line(&text.to_lowercase());
    text.trim_end_matches(|c: char| c.is_whitespace() || "。.!！?？;；…".contains(c))
        .to_owned()
}

impl Rule {
    fn applies_to(&self, sentence: &str) -> bool {
        self.phrases.iter().any(|phrase| phrase.stands_in(sentence))
    }
}
