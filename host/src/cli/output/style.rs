//! The few styles there are, by what they stand for.

use anstyle::{AnsiColor, Style};

/// No style at all.
pub(crate) const PLAIN: Style = Style::new();

/// What the eye should find first.
pub(crate) const STRONG: Style = Style::new().bold();

/// What is there in case it is needed.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Numbers that rank.
pub(crate) const SCORE: Style = AnsiColor::Green.on_default();

/// Names to be given back to a command.
pub(crate) const ID: Style = AnsiColor::Cyan.on_default();

/// What a person should look at.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default();

/// What went wrong.
pub(crate) const FAILURE: Style = AnsiColor::Red.on_default().bold();

/// The text in the style; the empty text stays empty.
pub(crate) fn styled(style: Style, text: &str) -> String {
    if text.is_empty() || style == PLAIN {
        text.to_owned()
    } else {
        format!("{style}{text}{style:#}")
    }
}
