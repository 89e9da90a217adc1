//! What concerns single memories: reviewing them, changing where they stand in
//! their life, undoing that, and what refers to what.

use std::ops::RangeInclusive;

use clap::{Args, Subcommand};

/// Review what waits for you: pending memories and those in conflict
///
/// They are numbered, oldest first, so that what comes in meanwhile takes no
/// number that is in use; after a confirmation or rejection the rest moves up.
/// `inbox confirm` and `inbox reject` take these numbers. With --json the
/// number of a memory is its place in the list, counted from 1.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault inbox
  inkvault inbox confirm 1 3
  inkvault inbox reject 2 4-6 --reason 'said in jest'")]
pub(crate) struct InboxArgs {
    #[command(subcommand)]
    pub(crate) decision: Option<Decision>,

    /// Show at most so many [default: 20]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<usize>,
}

/// Show files that claim one id, or decide which of them keeps it
///
/// Of several files with one id only the first by path is used. None is ever
/// chosen or removed without you.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault duplicates
  inkvault duplicates keep m-20261019-ab12cd memory/copy.md")]
pub(crate) struct DuplicatesArgs {
    #[command(subcommand)]
    pub(crate) decision: Option<DuplicatesDecision>,
}

/// What to do with files that claim one id.
#[derive(Debug, Subcommand)]
pub(crate) enum DuplicatesDecision {
    /// Let one file keep the id; the others get ids of their own and are
    /// archived
    Keep(KeepArgs),
}

/// Which file keeps an id.
#[derive(Args, Debug)]
pub(crate) struct KeepArgs {
    /// The id that several files claim
    pub(crate) id: String,

    /// The file that keeps it, relative to the vault
    pub(crate) path: String,

    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// What to do with memories of the inbox.
#[derive(Debug, Subcommand)]
pub(crate) enum Decision {
    /// Make memories active, by their numbers
    ///
    /// Each number is looked up before anything is changed; if one is not in
    /// the inbox, nothing is changed. There is no word for all of them: what
    /// came in after you looked would be confirmed unread.
    #[command(after_long_help = "\
Examples:
  inkvault inbox confirm 1
  inkvault inbox confirm 1 3 5-8")]
    Confirm(Picked),

    /// Put memories into the trash, by their numbers
    ///
    /// Each number is looked up before anything is changed; if one is not in
    /// the inbox, nothing is changed. `inkvault restore ID` brings a memory
    /// back.
    #[command(after_long_help = "\
Examples:
  inkvault inbox reject 2
  inkvault inbox reject 4-6 --reason 'said in jest'")]
    Reject(Picked),
}

/// Memories by their numbers in the inbox.
#[derive(Args, Debug)]
pub(crate) struct Picked {
    /// Numbers of the inbox, and ranges such as 2-5
    #[arg(required = true, value_name = "NUMBER", value_parser = numbers)]
    pub(crate) numbers: Vec<RangeInclusive<usize>>,

    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

/// Changes of where memories stand in their life.
#[derive(Debug, Subcommand)]
pub(crate) enum ChangeCommand {
    Confirm(ConfirmArgs),
    /// Put memories into the trash that are pending or in conflict
    ///
    /// `inkvault restore ID` brings a memory back.
    #[command(after_long_help = "\
Example:
  inkvault reject m-20261019-ab12cd --reason 'said in jest'")]
    Reject(Those),
    /// Take memories out of force, and keep them for reference
    #[command(after_long_help = "\
Example:
  inkvault archive m-20261019-ab12cd --reason 'the project is over'")]
    Archive(Those),
    /// Bring memories back: from the trash or archive, out of date or replaced
    ///
    /// A memory in the trash comes back as it was. Any other gets the status it
    /// had before; where that is not known any more it is pending.
    #[command(after_long_help = "\
Example:
  inkvault restore m-20261019-ab12cd")]
    Restore(Those),
    /// Mark memories as out of date
    ///
    /// They are kept and never recalled. A vault of the format `inkvault` has
    /// no such status: archive them there.
    #[command(after_long_help = "\
Example:
  inkvault stale mem_20261017t075957_b1c8069b")]
    Stale(Those),
    Supersede(SupersedeArgs),
    Conflict(ConflictArgs),
    Merge(MergeArgs),
    /// Keep memories in view
    #[command(after_long_help = "\
Example:
  inkvault pin m-20261019-ab12cd")]
    Pin(Those),
    /// No longer keep memories in view
    #[command(after_long_help = "\
Example:
  inkvault unpin m-20261019-ab12cd")]
    Unpin(Those),
    /// Make memories of a project common to all projects
    #[command(after_long_help = "\
Example:
  inkvault promote projects/app/踩坑-测试端口占用")]
    Promote(Those),
    /// Put memories into the trash, bytes unchanged; in the format simple into
    /// the archive
    ///
    /// `inkvault restore ID` brings a memory back, `inkvault trash` shows what
    /// there is to bring back.
    #[command(after_long_help = "\
Examples:
  inkvault forget m-20261019-ab12cd
  inkvault forget m-20261019-ab12cd m-20261001-3f9a2c --reason 'moved to the wiki'")]
    Forget(Those),
}

/// Memories by their ids, each of which is changed on its own.
#[derive(Args, Debug)]
pub(crate) struct Those {
    /// Ids, as `search`, `list` and `inbox` print them
    ///
    /// Each is a change of its own: what fails is reported and the others go
    /// on. The exit code is that of the first failure. With --json the receipts
    /// are a list.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,

    #[command(flatten)]
    pub(crate) care: Care,
}

/// One memory by its id.
#[derive(Args, Debug)]
pub(crate) struct That {
    /// Its id, as `search`, `list` and `inbox` print it
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) care: Care,
}

/// Why something is changed, and in which state only.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Care {
    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,

    /// Change it only if it still is at this revision; of one memory
    #[arg(long, value_name = "REVISION")]
    pub(crate) revision: Option<String>,
}

/// Make memories active that are pending or in conflict
///
/// A memory in conflict wins: those it contradicted no longer name it. With
/// --into its text is added to another memory instead, and that memory
/// replaces it.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault confirm m-20261019-ab12cd
  inkvault confirm m-20261019-ab12cd --into m-20261001-3f9a2c")]
pub(crate) struct ConfirmArgs {
    #[command(flatten)]
    pub(crate) those: Those,

    /// Fold the text into this memory
    #[arg(long, value_name = "ID")]
    pub(crate) into: Option<String>,
}

/// Mark a memory as replaced by another, which then says so, too
#[derive(Args, Debug)]
#[command(after_long_help = "\
Example:
  inkvault supersede m-20261001-3f9a2c --by m-20261019-ab12cd --reason 'moved to pnpm'")]
pub(crate) struct SupersedeArgs {
    #[command(flatten)]
    pub(crate) that: That,

    /// The memory that replaces it
    #[arg(long, value_name = "ID")]
    pub(crate) by: String,
}

/// Mark two memories as contradicting each other
///
/// Both then wait in the inbox, and neither is recalled, until one is
/// confirmed.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Example:
  inkvault conflict m-20261001-3f9a2c --with m-20261019-ab12cd")]
pub(crate) struct ConflictArgs {
    #[command(flatten)]
    pub(crate) that: That,

    /// The memory that it contradicts
    #[arg(long, value_name = "ID")]
    pub(crate) with: String,
}

/// Fold a memory into another one
///
/// Its text is added to the other memory, which replaces it and from then on
/// answers to its id as well.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Example:
  inkvault merge m-20261019-ab12cd --into m-20261001-3f9a2c")]
pub(crate) struct MergeArgs {
    #[command(flatten)]
    pub(crate) that: That,

    /// The memory that takes its text
    #[arg(long, value_name = "ID")]
    pub(crate) into: String,
}

/// Undo a change
///
/// Name the memory whose last change is to be undone, or the position of any
/// change, which every change prints. Undoing is a change of its own and can be
/// undone. What is needed for it is kept for the last 500 changes, up to
/// 16 MiB.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault undo m-20261019-ab12cd
  inkvault undo --position 12")]
#[group(required = true, multiple = false)]
pub(crate) struct UndoArgs {
    /// Undo the last change of the memory with this id
    pub(crate) id: Option<String>,

    /// Undo the change at this position of the feed
    #[arg(long, value_name = "NUMBER")]
    pub(crate) position: Option<u64>,
}

/// Show what a memory refers to, and what refers to it
///
/// A reference is a link such as [[Release day]], by id, file name, title or
/// alias, or an id in the text.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Example:
  inkvault links m-20261019-ab12cd")]
pub(crate) struct LinksArgs {
    /// Its id, as `search` and `list` print it
    pub(crate) id: String,
}

/// A number of the inbox, or a range of them.
fn numbers(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("neither a number from 1 nor a range such as 2-5".to_owned()),
    };
    let (first, last) = match text.split_once('-') {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?),
    };
    if first > last {
        return Err(format!("a range goes up: write {last}-{first}"));
    }
    Ok(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_single_or_ranges() {
        assert_eq!(numbers("3"), Ok(3..=3));
        assert_eq!(numbers("2-5"), Ok(2..=5));
        assert_eq!(numbers("4-4"), Ok(4..=4));
        assert_eq!(numbers("5-2"), Err("a range goes up: write 2-5".to_owned()));
        for text in ["", "0", "0-3", "-", "2-", "1-2-3", "all", "1.5", "m-1"] {
            assert!(numbers(text).is_err(), "{text}");
        }
    }
}
