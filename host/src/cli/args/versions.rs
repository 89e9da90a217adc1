//! Earlier versions of a memory, as git keeps them.

use clap::Args;

/// List the versions of a memory that are in git, newest first
///
/// Moves are followed. For every vault that lies in a git repository.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault history common/踩坑-测试端口占用
  inkvault history m-20261019-ab12cd --limit 5")]
pub(crate) struct HistoryArgs {
    /// Its id; also that of a memory that is gone
    pub(crate) id: String,

    /// At most so many [default: 20]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: Option<u16>,
}

/// Show how a memory differs from an earlier version
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault diff common/踩坑-测试端口占用
  inkvault diff m-20261019-ab12cd --from 1a2b3c4 --to 5d6e7f8")]
pub(crate) struct DiffArgs {
    /// Its id
    pub(crate) id: String,

    /// The earlier version, as git names it [default: HEAD, the last commit]
    #[arg(long, value_name = "REV")]
    pub(crate) from: Option<String>,

    /// The later version [default: the file as it is]
    #[arg(long, value_name = "REV")]
    pub(crate) to: Option<String>,
}

/// Make a memory what it was at an earlier version, its place included
///
/// A memory that is gone comes back. This is a change of its own: it can be
/// undone, and it is committed like any other.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Example:
  inkvault rollback common/踩坑-测试端口占用 --to 1a2b3c4")]
pub(crate) struct RollbackArgs {
    /// Its id; also that of a memory that is gone
    pub(crate) id: String,

    /// The version, as git names it: an id such as `inkvault history` shows,
    /// or HEAD~1
    #[arg(long, value_name = "REV")]
    pub(crate) to: String,

    /// Only if it still is at this revision
    #[arg(long, value_name = "REVISION")]
    pub(crate) revision: Option<String>,

    /// Why, for the journal
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}
