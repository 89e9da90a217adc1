//! The command line: every flag and its help, once. Those of single memories
//! are in [`curation`], those of what was done in [`history`], those of earlier
//! versions in [`versions`], what belongs to projects in [`projects`], that of
//! another format in [`conversion`].

mod conversion;
mod curation;
mod history;
mod projects;
mod versions;

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueHint};
use inkvault::types::{Area, Delivery, Source, Status, UnknownWord};

pub(crate) use conversion::ConvertArgs;
pub(crate) use curation::{
    Care, ChangeCommand, Decision, DuplicatesArgs, DuplicatesDecision, InboxArgs, LinksArgs,
    Picked, That, Those, UndoArgs,
};
pub(crate) use history::{EmptyArgs, JournalArgs, TrashAction, TrashArgs};
pub(crate) use projects::{
    FlowArgs, IndexArgs, StageArgs, StagedPromotion, StagedRemoval, StagingAction, StagingArgs,
};
pub(crate) use versions::{DiffArgs, HistoryArgs, RollbackArgs};

/// Long-term memory for AI agents, kept as plain Markdown files.
///
/// A vault is a directory of Markdown files that you can read, edit and put
/// under version control. Each file is one memory. This command writes and
/// finds them, and keeps them in order.
#[derive(Debug, Parser)]
#[command(
    name = "inkvault",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    after_long_help = EXAMPLES
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  inkvault init notes                            make a vault
  export INKVAULT_DIR=notes                      use it from here on
  inkvault write 'Prefers tabs' --kind preference
  inkvault search tabs
  inkvault recall --messages chat.json --json    what an agent should know now
  inkvault inbox                                 what waits to be confirmed
  inkvault verify --fix                          check every file

Environment:
  INKVAULT_DIR        the vault's directory
  INKVAULT_CACHE_DIR  where the compiled engine is kept; empty: nowhere
  NO_COLOR            print without colour

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 changed by someone
else in the meantime (revision conflict).";

/// What every command understands.
#[derive(Args, Debug)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The vault's directory [default: the current directory]
    #[arg(long, global = true, env = "INKVAULT_DIR", value_name = "DIR")]
    #[arg(value_hint = ValueHint::DirPath, hide_env_values = true, value_parser = path())]
    pub(crate) vault: Option<PathBuf>,

    /// Print one JSON document instead of text
    ///
    /// It is the record of the interface (the files `wit/*.wit`), with `_` in
    /// the names of its fields and `-` in the words of its enumerations.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    /// Change nothing in the vault
    #[arg(long, global = true)]
    pub(crate) read_only: bool,

    /// Commit each change to git; `--git=false` none [default: for the format
    /// simple, or what the vault's setting `git` says]
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    pub(crate) git: Option<bool>,

    /// Use another build of the engine: a WebAssembly component
    #[arg(long, global = true, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) component: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(InitArgs),
    Write(Box<WriteArgs>),
    Capture(CaptureArgs),
    Search(SearchArgs),
    Recall(RecallArgs),
    Directives(DirectivesArgs),
    Show(ShowArgs),
    List(ListArgs),
    Links(LinksArgs),
    Index(IndexArgs),
    Flow(FlowArgs),
    Inbox(InboxArgs),
    Staging(StagingArgs),
    Duplicates(DuplicatesArgs),
    #[command(flatten)]
    Change(ChangeCommand),
    Undo(UndoArgs),
    History(HistoryArgs),
    Diff(DiffArgs),
    Rollback(RollbackArgs),
    Journal(JournalArgs),
    Trash(TrashArgs),
    /// Describe the vault
    Status,
    /// List the projects, with how many active memories each has
    Projects,
    /// Look at every file now
    ///
    /// Files that were added, moved or removed are noticed by every command;
    /// edits in place by other programs are noticed at the latest by this one.
    Sync,
    Verify(VerifyArgs),
    /// Build the index anew from the Markdown files
    ///
    /// Files that hold no usable memory are moved to quarantine where the
    /// format has one. Files that other tools of the format read are written.
    Rebuild,
    Convert(ConvertArgs),
    Completions(CompletionsArgs),
}

/// Make a vault, or complete one
///
/// The directory is made when it is missing. What is there already stays as
/// it is.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault init
  inkvault init notes --language zh
  inkvault init 'DSH Memory' --format dsh-memory
  inkvault init ~/Documents/DSH/memory --format simple")]
pub(crate) struct InitArgs {
    /// The directory [default: the one of --vault]
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) dir: Option<PathBuf>,

    /// Language of the text that is generated [default: en; zh for simple]
    #[arg(long, value_name = "LANG", value_parser = ["en", "zh"])]
    pub(crate) language: Option<String>,

    /// How the vault is laid out [default: as it is, and inkvault for a new one]
    #[arg(long, value_parser = ["inkvault", "dsh-memory", "simple"])]
    pub(crate) format: Option<String>,
}

/// Write a memory, or change one
///
/// The text is TEXT, the content of --file, or what comes in on standard
/// input when that is no terminal. With --id the memory of that name is
/// changed: what is not given keeps its value, and without any text (or with
/// nothing on standard input) so does the text. Where a change names anything
/// else, such as a title or a status, standard input is read only for
/// `--file -`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault write 'Prefers tabs over spaces' --kind preference --tag editor
  inkvault write --file note.md --title 'Release plan' --kind project
  git log -1 --format=%B | inkvault write --title 'The last commit'
  inkvault write --id m-20261019-ab12cd --status archived
  inkvault write --id m-20261019-ab12cd --revision 0123456789abcdef 'New text'
  inkvault write --id m-20261019-ab12cd --title 'New title' --file - < text.md
  inkvault write --project . --kind 踩坑 --title 测试端口占用 '先查 8080'")]
pub(crate) struct WriteArgs {
    /// The text, Markdown, at most 20,000 characters (in simple 2,048 bytes)
    pub(crate) text: Option<String>,

    /// Take the text from a file; `-` is standard input
    #[arg(long, conflicts_with = "text", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,

    /// One line [default: the first line of the text]
    ///
    /// In the format `simple` it becomes part of the file name: 1 to 48
    /// letters, digits, `_` or `-`.
    #[arg(long)]
    pub(crate) title: Option<String>,

    /// What it is about, one of the format's kinds
    ///
    /// In the format `inkvault`: preference, fact, decision, project,
    /// reference, task; default: fact. In `dsh-memory`: knowledge, profile,
    /// preference, project, project-state, decision, experience, task; default:
    /// knowledge. In `simple` any word, such as 踩坑, 流程, 决策, 偏好, 背景;
    /// default: 背景.
    #[arg(long)]
    pub(crate) kind: Option<String>,

    /// A topic; give it several times for several, once empty for none
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Option<Vec<String>>,

    /// Where it stands in its life [default: active]
    #[arg(long, value_parser = words(Status::ALL, Status::name))]
    pub(crate) status: Option<Status>,

    /// How it reaches an agent: when relevant, or always [default: recall]
    #[arg(long, value_parser = words(Delivery::ALL, Delivery::name))]
    pub(crate) delivery: Option<Delivery>,

    /// How sure it is, from 0 to 1 [default: 0.5]
    #[arg(long, value_name = "SHARE", value_parser = confidence)]
    pub(crate) confidence: Option<f64>,

    /// How much it matters, from 0 to 100
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(..=100))]
    pub(crate) importance: Option<u8>,

    /// Keep it in view; `--pinned=false` no longer
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "true")]
    pub(crate) pinned: Option<bool>,

    /// How it came to be [default: manual]
    #[arg(long, value_parser = words(Source::ALL, Source::name))]
    pub(crate) source: Option<Source>,

    /// The conversation it comes from
    #[arg(long)]
    pub(crate) origin: Option<String>,

    /// Change the memory of this id
    #[arg(long)]
    pub(crate) id: Option<String>,

    /// Change it only if it still is at this revision
    #[arg(long, requires = "id")]
    pub(crate) revision: Option<String>,

    /// It belongs to the project NAME; `.` is that of the working directory
    ///
    /// In formats that have projects (`simple`). The project of a directory is
    /// the nearest one above with a `.git` in it, at most 12 levels up, else
    /// the directory itself.
    #[arg(long, value_name = "NAME", conflicts_with = "global")]
    pub(crate) project: Option<String>,

    /// It belongs to no project, which is the default
    #[arg(long)]
    pub(crate) global: bool,

    /// Put a new memory into this file of the vault
    #[arg(long, conflicts_with = "id")]
    pub(crate) path: Option<String>,

    /// Replace what is at --path, or in the format `simple` what has that name
    #[arg(long, conflicts_with = "id")]
    pub(crate) overwrite: bool,

    /// Store the text even if it looks like a credential
    #[arg(long)]
    pub(crate) allow_secrets: bool,
}

/// Find memories by their words, best first
///
/// Looks in active and pending memories, unless --status says otherwise; in
/// the format `simple` also in references and in the archive, after all
/// others.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault search dark mode
  inkvault search 深色主题 --kind preference --limit 3
  inkvault search release --status active --tag work --json")]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(required = true)]
    pub(crate) query: Vec<String>,

    /// At most so many hits [default: 8]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u32>,

    #[command(flatten)]
    pub(crate) filter: Filter,
}

/// Which memories count.
#[derive(Args, Debug)]
pub(crate) struct Filter {
    /// Only memories of this status; give it several times for several
    #[arg(long = "status", value_name = "STATUS", value_parser = words(Status::ALL, Status::name))]
    pub(crate) statuses: Vec<Status>,

    /// Only memories of this kind; give it several times for several
    #[arg(long = "kind", value_name = "KIND")]
    pub(crate) kinds: Vec<String>,

    /// Only memories with this tag; give it several times for all of several
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,

    /// Only memories of the project NAME; `.` is that of the working directory
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,

    /// Only memories in this part of the vault: active, or cold such as an
    /// archive
    #[arg(long = "area", value_name = "AREA", value_parser = words(Area::ALL, Area::name))]
    pub(crate) areas: Vec<Area>,
}

/// File what is worth remembering in what a person said
///
/// The words are those of one turn: TEXT, the content of --file, or what comes
/// in on standard input. What rules find in them is filed as pending; what the
/// vault holds already and what looks like a credential is not. Review what was
/// filed with `inkvault inbox`, or confirm one with `inkvault confirm ID`.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault capture '记住：周五发版。'
  inkvault capture --dry-run 'We decided to use pnpm.'")]
pub(crate) struct CaptureArgs {
    /// What was said
    pub(crate) text: Option<String>,

    /// Take the text from a file; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "text", value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,

    /// Only show what would be filed
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// At most so many [default: 2]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max: Option<u32>,

    /// Only what is at least as sure, from 0 to 1 [default: 0.6]
    #[arg(long, value_name = "SHARE")]
    pub(crate) min_confidence: Option<f64>,

    /// The conversation it comes from
    #[arg(long)]
    pub(crate) origin: Option<String>,
}

/// Gather what is relevant to a conversation into a text of bounded size
///
/// Give a QUERY, or the conversation so far as JSON: an array of messages
/// such as {"role": "user", "text": "…"}. `content` is taken for `text`, as
/// a string or as blocks of type `text`; `source_kind` and `thread` are
/// optional. Memories are recalled for what the person said.
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault recall which editor does she use
  inkvault recall --messages chat.json --budget 500
  jq .messages chat.json | inkvault recall --messages - --json
  inkvault recall tabs --explain
  inkvault recall 端口 --project app")]
pub(crate) struct RecallArgs {
    /// What to look for
    #[arg(conflicts_with = "messages")]
    pub(crate) query: Vec<String>,

    /// The conversation, a JSON file; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) messages: Option<PathBuf>,

    /// At most so many tokens of text [default: 1000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<u32>,

    /// At most so many memories [default: 5]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u32>,

    /// Leave this memory out; give it several times for several
    #[arg(long, value_name = "ID")]
    pub(crate) exclude: Vec<String>,

    /// The project NAME: its memories and those of no project; `.` is that of
    /// the working directory [default: memories of all projects]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,

    /// Look in this part of the vault [default: active]
    #[arg(long = "area", value_name = "AREA", value_parser = words(Area::ALL, Area::name))]
    pub(crate) areas: Vec<Area>,

    /// Say where each score comes from
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Print the standing directives for a system prompt
///
/// These are the active memories whose delivery is `prompt`. If together they
/// are longer than allowed, none is printed.
#[derive(Args, Debug)]
pub(crate) struct DirectivesArgs {
    /// At most so many characters [default: 4000]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_chars: Option<u32>,
}

/// Show a memory
#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// Its id, as `search` and `list` print it
    pub(crate) id: String,
}

/// List memories, last changed first
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault list --status pending
  inkvault list --kind decision --limit 20 --offset 20")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) filter: Filter,

    /// At most so many [default: 50]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u32>,

    /// Skip so many
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) offset: u32,
}

/// Read every file and report each fault
///
/// The exit code is 1 if there is an error that was not mended.
#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Mend what can be mended without touching a memory's text
    #[arg(long)]
    pub(crate) fix: bool,
}

/// Print a script that completes this command in a shell
#[derive(Args, Debug)]
#[command(after_long_help = "\
Examples:
  inkvault completions bash > ~/.local/share/bash-completion/completions/inkvault
  inkvault completions fish > ~/.config/fish/completions/inkvault.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Takes the words of an enumeration of the interface.
fn words<T>(all: &'static [T], name: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + std::str::FromStr<Err = UnknownWord> + 'static,
{
    PossibleValuesParser::new(all.iter().map(move |value| name(*value)))
        .try_map(|word| word.parse::<T>())
}

/// Takes a path that may be empty: an environment variable that is set to
/// nothing is as good as none.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

fn confidence(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn words_of_the_interface_are_taken() {
        let cli = Cli::try_parse_from(["inkvault", "list", "--status", "archived"]).unwrap();
        let Command::List(args) = cli.command else {
            panic!("not a list")
        };
        assert_eq!(args.filter.statuses, [Status::Archived]);
    }

    #[test]
    fn pinning_is_a_flag_that_can_be_taken_back() {
        let pinned = |arguments: &[&str]| {
            let all = ["inkvault", "write"].iter().chain(arguments);
            match Cli::try_parse_from(all).unwrap().command {
                Command::Write(args) => (args.pinned, args.text),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(pinned(&[]), (None, None));
        assert_eq!(
            pinned(&["--pinned", "text"]),
            (Some(true), Some("text".to_owned()))
        );
        assert_eq!(pinned(&["--pinned=false"]), (Some(false), None));
    }

    #[test]
    fn a_share_lies_between_nothing_and_all() {
        assert_eq!(confidence("0.7"), Ok(0.7));
        assert!(confidence("1.1").is_err());
        assert!(confidence("NaN").is_err());
    }
}
