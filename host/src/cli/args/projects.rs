//! What belongs to projects: the list of file names for the start of a
//! conversation, what an agent is told to do, and the staging pool.

use clap::{Args, Subcommand};

/// Print the list of file names for the start of a conversation
///
/// Those of the project, of its `docs` directory, and those common to all
/// projects, by category: names, not contents. Without --project the project is
/// that of the working directory; where there is none, nothing is printed. For
/// vaults of the format `simple`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault index
  inkvault index --project app --max-chars 2000
  inkvault index --conversation 4711        once for each conversation")]
pub(crate) struct IndexArgs {
    /// The project [default: `.`, that of the working directory]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,

    /// At most so many characters; names that do not fit are left out
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_chars: Option<u32>,

    /// The id of a conversation, which gets the list once
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
}

/// Print what to tell an agent so that it files what is worth remembering
///
/// Six steps: review, propose, wait for you to confirm, write, show, commit.
/// The text needs nothing else to be read.
#[derive(Args, Debug)]
pub(crate) struct FlowArgs {
    /// Its language [default: the vault's]
    #[arg(long, value_name = "LANG", value_parser = ["en", "zh"])]
    pub(crate) language: Option<String>,
}

/// Go through the staging pool: what may be of use beyond its project
///
/// Entries are numbered in the order of the file. For vaults of the format
/// `simple`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault staging
  inkvault staging add --project . '重试要带抖动'
  inkvault staging promote 1 --kind 流程 --title 重试
  inkvault staging drop 2 --entry 重试")]
pub(crate) struct StagingArgs {
    #[command(subcommand)]
    pub(crate) action: Option<StagingAction>,
}

/// What to do with the staging pool.
#[derive(Debug, Subcommand)]
pub(crate) enum StagingAction {
    /// Add an entry
    Add(StageArgs),
    /// Make an entry a note of no project, and remove it from the pool
    Promote(Box<StagedPromotion>),
    /// Remove an entry
    Drop(StagedRemoval),
}

/// An entry to add.
#[derive(Args, Debug)]
pub(crate) struct StageArgs {
    /// One line
    pub(crate) text: String,

    /// It comes from the project NAME; `.` is that of the working directory
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
}

/// An entry that becomes a note.
#[derive(Args, Debug)]
pub(crate) struct StagedPromotion {
    /// Its number
    pub(crate) number: u32,

    /// The note's text [default: what the entry says]
    pub(crate) text: Option<String>,

    /// The note's category [default: 背景]
    #[arg(long)]
    pub(crate) kind: Option<String>,

    /// The note's topic [default: from the text]
    #[arg(long)]
    pub(crate) title: Option<String>,

    /// Replace the note of that name
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Only if that is how the entry begins: numbers move when others add or
    /// remove
    #[arg(long = "entry", value_name = "TEXT")]
    pub(crate) begins: Option<String>,
}

/// An entry to remove.
#[derive(Args, Debug)]
pub(crate) struct StagedRemoval {
    /// Its number
    pub(crate) number: u32,

    /// Only if that is how it begins: numbers move when others add or remove
    #[arg(long = "entry", value_name = "TEXT")]
    pub(crate) begins: Option<String>,
}
