//! What was done to the vault: its journal and its trash.

use clap::{Args, Subcommand};

use crate::cli::moment::{self, Moment, Span};

/// Show what was done, oldest first
///
/// These are the newest lines of the journal that pass all options. Times are
/// UTC. With --json they are one list; with --follow, too, one record a line.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault journal
  inkvault journal --since 2d --op archive
  inkvault journal --id m-20261019-ab12cd --since 2026-10-01
  inkvault journal --follow --json | jq .id")]
pub(crate) struct JournalArgs {
    /// Only what was done to this memory
    #[arg(long)]
    pub(crate) id: Option<String>,

    /// Only this operation, as the journal names it
    #[arg(long, value_name = "OPERATION")]
    pub(crate) op: Option<String>,

    /// Only what was done since then
    ///
    /// A time such as 2026-10-19, `2026-10-19 10:00` or 2026-10-19T10:00:00+02:00
    /// (UTC where no offset is given), or how long ago: a number with s, min, h,
    /// d or w, such as 2d.
    #[arg(long, value_name = "TIME", value_parser = moment::since)]
    pub(crate) since: Option<Moment>,

    /// At most so many lines, the newest [default: 50]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u32>,

    /// Go on and print each new line, until interrupted
    #[arg(long)]
    pub(crate) follow: bool,
}

/// List what is in the trash, last forgotten first
///
/// `inkvault restore ID` brings a memory back; `inkvault trash empty` deletes.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault trash
  inkvault trash empty --older-than 30d")]
pub(crate) struct TrashArgs {
    #[command(subcommand)]
    pub(crate) action: Option<TrashAction>,
}

/// What to do with the trash.
#[derive(Debug, Subcommand)]
pub(crate) enum TrashAction {
    Empty(EmptyArgs),
}

/// Delete what is in the trash, for good
///
/// On a terminal you are asked first; elsewhere --yes has to be given. Only
/// files that forgotten memories were moved to are deleted; whatever else lies
/// in the trash is left and named. Earlier texts that `inkvault undo` keeps (of
/// at most 500 changes), and what you keep in git, are not touched.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault trash empty
  inkvault trash empty --older-than 30d --yes")]
pub(crate) struct EmptyArgs {
    /// Only what was forgotten longer ago than this
    ///
    /// A number with s, min, h, d or w, such as 12h, 30d or 2w.
    #[arg(long, value_name = "DURATION", value_parser = moment::span)]
    pub(crate) older_than: Option<Span>,

    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}
