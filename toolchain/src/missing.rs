//! What is said when no toolchain can build the component.

use std::fmt;

use crate::{CHOICE, COMPONENT, Choice};

/// Why no toolchain was found; its text is one paragraph that says what to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The environment variable that forces a toolchain has a value that names none.
    Unknown(String),
    /// None of the toolchains that were allowed is complete.
    Neither {
        /// What was allowed.
        choice: Choice,
        /// What each of them lacks.
        reasons: Vec<String>,
    },
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(value) => {
                write!(f, "{CHOICE} is `{value}`: it can be `rustup` or `debian`")
            }
            Self::Neither { choice, reasons } => write!(
                f,
                "no Rust toolchain here can build the WebAssembly component ({}). \
                 Run `cargo xtask setup`, which installs one, or by hand {}; \
                 or name a finished component with {COMPONENT}=FILE.",
                reasons.join("; "),
                choice.remedies()
            ),
        }
    }
}

impl std::error::Error for Missing {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{APT_INSTALL, RUSTUP_COMMAND};

    fn message(choice: Choice) -> String {
        let reasons = vec!["rustc is not there".to_owned()];
        Missing::Neither { choice, reasons }.to_string()
    }

    #[test]
    fn the_message_is_one_paragraph_with_reason_and_remedy() {
        let text = message(Choice::Any);
        assert!(!text.contains('\n'));
        for part in [
            "rustc is not there",
            "cargo xtask setup",
            RUSTUP_COMMAND,
            APT_INSTALL,
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn a_forced_toolchain_has_its_own_remedy_only() {
        assert!(!message(Choice::Debian).contains(RUSTUP_COMMAND));
        assert!(!message(Choice::Shipped).contains(APT_INSTALL));
    }
}
