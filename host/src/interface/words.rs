//! The words the interface has for the values of its enumerations, so that no
//! host spells them a second time.

use std::fmt;
use std::str::FromStr;

use super::capture::SkipReason;
use super::types::{Area, Delivery, Role, Source, Status};
use super::upkeep::Severity;
use super::vault::DropReason;

/// A word that is no value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not one of {}", expected.join(", "))]
pub struct UnknownWord {
    /// The word that was given.
    pub word: String,
    /// Those that are known, in the order of the interface.
    pub expected: Vec<&'static str>,
}

macro_rules! words {
    ($type:ident { $($value:ident => $word:literal),+ $(,)? }) => {
        impl $type {
            /// Every value, in the order of the interface.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The word the interface has for this value.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }

        impl FromStr for $type {
            type Err = UnknownWord;

            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                let known = Self::ALL.iter().find(|value| value.name() == word);
                known.copied().ok_or_else(|| UnknownWord {
                    word: word.to_owned(),
                    expected: Self::ALL.iter().map(|value| value.name()).collect(),
                })
            }
        }
    };
}

words!(Status {
    Active => "active",
    Pending => "pending",
    Stale => "stale",
    Superseded => "superseded",
    Conflict => "conflict",
    Archived => "archived",
});

words!(Delivery {
    Recall => "recall",
    Prompt => "prompt",
});

words!(Source {
    Capture => "capture",
    Manual => "manual",
    Imported => "imported",
});

words!(Role {
    System => "system",
    User => "user",
    Assistant => "assistant",
    Tool => "tool",
});

words!(Area {
    Active => "active",
    Cold => "cold",
});

words!(DropReason {
    Excluded => "excluded",
    Directive => "directive",
    Duplicate => "duplicate",
    Superseded => "superseded",
    LowConfidence => "low-confidence",
    Budget => "budget",
    Limit => "limit",
    Unreadable => "unreadable",
});

words!(Severity {
    Note => "note",
    Warning => "warning",
    Error => "error",
});

words!(SkipReason {
    Duplicate => "duplicate",
    Similar => "similar",
    Secret => "secret",
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for value in DropReason::ALL {
            assert_eq!(value.name().parse(), Ok(*value));
        }
    }

    #[test]
    fn an_unknown_word_is_told_what_is_known() {
        let error = "spoken".parse::<Delivery>().unwrap_err();
        assert_eq!(error.to_string(), "`spoken` is not one of recall, prompt");
    }
}
