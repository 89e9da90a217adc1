//! The settings of a vault: its own, with the host's laid over them.

use serde_json::{Map, Value, json};

use crate::error::{Error, Result};
use crate::format::Language;

/// Settings in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Language of generated text.
    pub language: Language,
    /// Hits of a search that names no limit.
    pub search_max_items: u32,
    /// Memories of a recall that names no limit.
    pub recall_max_items: u32,
    /// Tokens of a recall that names no budget.
    pub recall_token_budget: u32,
    /// Characters of the directive block where the call names none.
    pub directive_max_chars: u32,
    /// Phrases that make a captured sentence a directive; none for the
    /// built-in ones.
    pub directive_triggers: Option<Vec<String>>,
    /// How this instance signs the lock, so that a host can give it up for an
    /// instance that is gone.
    pub lock_token: Option<String>,
    /// Where the vault lies on the host, which the engine cannot know.
    pub vault_path: Option<String>,
    /// Whether a host commits each change to git; none for its default. The
    /// engine does nothing with it.
    pub git: Option<bool>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            language: Language::default(),
            search_max_items: 8,
            recall_max_items: 5,
            recall_token_budget: 1_000,
            directive_max_chars: 4_000,
            directive_triggers: None,
            lock_token: None,
            vault_path: None,
            git: None,
        }
    }
}

impl Settings {
    /// The vault's settings, then the host's, over the defaults, of which the
    /// language is the format's; a note for each that is unknown or unusable.
    pub(super) fn layered(
        language: Language,
        layers: [&Map<String, Value>; 2],
    ) -> (Self, Vec<String>) {
        let defaults = Settings {
            language,
            ..Settings::default()
        };
        let mut settings = defaults.clone();
        let mut notes = Vec::new();
        for (name, value) in layers.into_iter().flatten() {
            match settings.set(name, value, &defaults) {
                Ok(true) => {}
                Ok(false) => notes.push(format!("setting `{name}` is unknown and does nothing")),
                Err(wanted) => notes.push(format!(
                    "setting `{name}` is not {wanted}; the default counts"
                )),
            }
        }
        (settings, notes)
    }

    /// All settings as JSON.
    pub fn to_json(&self) -> String {
        json!({
            "language": self.language.code(),
            "searchMaxItems": self.search_max_items,
            "recallMaxItems": self.recall_max_items,
            "recallTokenBudget": self.recall_token_budget,
            "directiveMaxChars": self.directive_max_chars,
            "directiveTriggers": self.directive_triggers,
            "lockToken": self.lock_token,
            "vaultPath": self.vault_path,
            "git": self.git,
        })
        .to_string()
    }

    /// Sets one; false where there is none of that name, and what it should
    /// have been where the value is unusable, which leaves the default.
    fn set(
        &mut self,
        name: &str,
        value: &Value,
        defaults: &Settings,
    ) -> std::result::Result<bool, &'static str> {
        let number = |value: &Value, default: u32| match value
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
        {
            Some(number) if number > 0 => (number, Ok(true)),
            _ => (default, Err("a number from 1")),
        };
        let outcome;
        match name {
            "language" => {
                let language = value.as_str().and_then(Language::of_code);
                self.language = language.unwrap_or(defaults.language);
                return language.map(|_| true).ok_or("`en` or `zh`");
            }
            "searchMaxItems" => {
                (self.search_max_items, outcome) = number(value, defaults.search_max_items)
            }
            "recallMaxItems" => {
                (self.recall_max_items, outcome) = number(value, defaults.recall_max_items)
            }
            "recallTokenBudget" => {
                (self.recall_token_budget, outcome) = number(value, defaults.recall_token_budget)
            }
            "directiveMaxChars" => {
                (self.directive_max_chars, outcome) = number(value, defaults.directive_max_chars)
            }
            "directiveTriggers" => {
                let phrases = value
                    .as_array()
                    .map(|items| items.iter().map(|item| item.as_str().map(str::to_owned)));
                self.directive_triggers = phrases.and_then(Iterator::collect);
                outcome = if self.directive_triggers.is_some() {
                    Ok(true)
                } else {
                    Err("a list of texts")
                };
            }
            "lockToken" => {
                self.lock_token = value
                    .as_str()
                    .filter(|text| is_token(text))
                    .map(str::to_owned);
                outcome = if self.lock_token.is_some() {
                    Ok(true)
                } else {
                    Err("up to 32 letters and digits")
                };
            }
            "vaultPath" => {
                self.vault_path = value.as_str().map(str::to_owned);
                outcome = if self.vault_path.is_some() {
                    Ok(true)
                } else {
                    Err("a text")
                };
            }
            "git" => {
                self.git = value.as_bool();
                outcome = self.git.map(|_| true).ok_or("`true` or `false`");
            }
            _ => outcome = Ok(false),
        }
        outcome
    }
}

/// Whether a text can sign the lock.
pub(super) fn is_token(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The JSON object a host gives.
///
/// # Errors
/// [`Error::InvalidArgument`] where the text is no JSON object.
pub(super) fn parse_object(text: &str) -> Result<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Error::InvalidArgument(
            "settings: give a JSON object such as {\"language\": \"zh\"}".into(),
        )),
        Err(error) => Err(Error::InvalidArgument(format!(
            "settings: no JSON object ({error})"
        ))),
    }
}

/// The `settings` in a vault's `config.json`; empty where there are none. The
/// file is everybody's, so it cannot say how one instance signs the lock.
pub(super) fn of_config(config: Option<&Value>) -> Map<String, Value> {
    let settings = config.and_then(|config| config.get("settings"));
    let mut settings = settings
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    settings.remove("lockToken");
    settings
}
