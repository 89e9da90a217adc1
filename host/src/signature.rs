//! How the instances of one vault handle sign the vault's lock, so that the
//! lock of one that is gone can be told from anybody else's.
//!
//! It is laid over the settings as `lockToken`. Nothing here makes a call.

use std::hash::{BuildHasher as _, RandomState};
use std::process;
use std::time::SystemTime;

use serde_json::{Map, Value};

/// The setting's name.
const SETTING: &str = "lockToken";

/// A name that no other handle has, in this process or any other.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    token: String,
}

impl Signature {
    /// Draws a name: 32 hexadecimal digits.
    pub(crate) fn new() -> Self {
        Self {
            token: format!("{:016x}{:016x}", chance(), chance()),
        }
    }

    /// The name.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// The settings with the name among them. A text that is no JSON object
    /// stays as it is, for the engine to say what is wrong with it.
    pub(crate) fn over(&self, settings: Option<&str>) -> String {
        let Some(settings) = settings else {
            return self.laid_over(Map::new());
        };
        match serde_json::from_str(settings) {
            Ok(Value::Object(settings)) => self.laid_over(settings),
            _ => settings.to_owned(),
        }
    }

    fn laid_over(&self, mut settings: Map<String, Value>) -> String {
        settings.insert(SETTING.to_owned(), self.token().into());
        Value::Object(settings).to_string()
    }
}

/// Whether a note of the engine is about the name, which is none of its
/// caller's business.
pub(crate) fn is_of_signature(note: &str) -> bool {
    note.contains(&format!("`{SETTING}`"))
}

/// Sixty-four bits from the keys of a hash table, which come from the operating
/// system. Processes that were forked have the same keys, so what tells them
/// apart is hashed with them.
fn chance() -> u64 {
    RandomState::new().hash_one((process::id(), SystemTime::now()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_the_lock_can_take() {
        let (one, other) = (Signature::new(), Signature::new());
        assert_ne!(one.token(), other.token());
        assert_eq!(one.token().len(), 32);
        assert!(one.token().bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }

    #[test]
    fn the_name_joins_the_settings() {
        let signature = Signature {
            token: "ab12".to_owned(),
        };
        assert_eq!(signature.over(None), r#"{"lockToken":"ab12"}"#);
        assert_eq!(
            signature.over(Some(r#"{"language": "zh", "lockToken": "mine"}"#)),
            r#"{"language":"zh","lockToken":"ab12"}"#
        );
        assert_eq!(signature.over(Some("[]")), "[]");
        assert_eq!(signature.over(Some("{")), "{");
    }

    #[test]
    fn notes_on_the_name_are_told_from_others() {
        assert!(is_of_signature(
            "setting `lockToken` is unknown and does nothing"
        ));
        assert!(!is_of_signature(
            "setting `lock` is unknown and does nothing"
        ));
    }
}
