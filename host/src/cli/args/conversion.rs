//! From one format to another.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueHint};
use inkvault::convert;

/// Make a vault of another format from the memories of a vault
///
/// SRC is only read. Every memory becomes a new one in DST, with an id of the
/// new format; its old id stays an alias, so that it is found by either, and
/// what refers to it by a relation refers to the new one. Kind, status and id
/// that it had are kept in `converted_from`, so that converting back restores
/// kind and status.
///
/// The format simple has neither aliases nor such keys: what its notes cannot
/// say is listed, and what is pending or in conflict goes to its staging pool.
///
/// What is mapped, what is kept in keys that the format does not have of its
/// own, and what cannot be carried over is listed; with --json all of it. A
/// memory that does not fit is left out and named, never cut; the exit code is
/// then 1. Trash, journal and settings other than the language stay behind.
///
/// Should it stop half way, what was written stays in DST. Nothing is deleted.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault convert notes notes-dsh --to dsh-memory --dry-run
  inkvault convert notes notes-dsh --to dsh-memory
  inkvault convert 'DSH Memory' notes --to inkvault --json > report.json
  inkvault convert notes memory --to simple")]
pub(crate) struct ConvertArgs {
    /// The vault to read
    #[arg(value_name = "SRC", value_hint = ValueHint::DirPath)]
    pub(crate) source: PathBuf,

    /// The directory of the new vault: one that is not there yet, or empty
    #[arg(value_name = "DST", value_hint = ValueHint::DirPath)]
    pub(crate) target: PathBuf,

    /// The format of the new vault
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(convert::targets()))]
    pub(crate) to: String,

    /// Only say what would be done
    #[arg(long)]
    pub(crate) dry_run: bool,
}
