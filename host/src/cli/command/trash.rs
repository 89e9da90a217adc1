//! `inkvault trash` and `inkvault trash empty`.

use inkvault::Vault;
use inkvault::types::Error as Refusal;

use crate::cli::args::{EmptyArgs, TrashAction, TrashArgs};
use crate::cli::failure::Failure;
use crate::cli::moment::Moment;
use crate::cli::output::json::{ToJson, record};
use crate::cli::output::style;
use crate::cli::output::table::{Column, Facts, Table};
use crate::cli::output::text::{counted, day, minute, size};
use crate::cli::session::Session;
use crate::cli::trash::{Forgotten, Trash};

/// What was deleted from the trash.
struct Emptied {
    deleted: Vec<Forgotten>,
    /// How many memories were not old enough.
    kept: u32,
    /// Names of what else is there.
    others: Vec<String>,
}

record!(Emptied {
    deleted,
    kept,
    others,
});

/// Shows what is in the trash, or deletes it.
pub(crate) fn trash(session: &mut Session, args: &TrashArgs) -> Result<(), Failure> {
    match &args.action {
        None => show(session),
        Some(TrashAction::Empty(args)) => empty(session, args),
    }
}

fn show(session: &mut Session) -> Result<(), Failure> {
    let (trash, _) = look(session)?;
    session.answer(&trash, view)
}

/// What is in the trash, and whether the vault can only be read.
fn look(session: &mut Session) -> Result<(Trash, bool), Failure> {
    let summary = session.call("looking at the vault", Vault::overview)?;
    let directory = summary.trash.ok_or_else(|| {
        let format = &summary.format;
        Failure::Refused(format!(
            "a vault of the format {format} has no trash: what is forgotten there is archived"
        ))
    })?;
    let trash = Trash::look(session.directory(), &directory)?;
    Ok((trash, summary.read_only))
}

fn view(trash: &Trash, width: Option<usize>) -> String {
    if trash.memories.is_empty() {
        return format!(
            "The trash is empty.\n{}",
            others_view("other files", &trash.others)
        );
    }
    let mut table = Table::new([
        Column::new("id", style::ID),
        Column::new("forgotten", style::FAINT),
        Column::new("size", style::PLAIN).right(),
        Column::new("title", style::STRONG).flexible(),
    ]);
    for memory in &trash.memories {
        table.row([
            memory.id.clone(),
            minute(&memory.forgotten.to_string()),
            size(memory.bytes),
            memory.title.clone(),
        ]);
    }
    table.render(width) + &others_view("other files", &trash.others)
}

/// What lies there besides forgotten memories.
fn others_view(name: &'static str, others: &[String]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let mut facts = Facts::default();
    facts.each(style::PLAIN, name, others);
    facts.render()
}

fn empty(session: &mut Session, args: &EmptyArgs) -> Result<(), Failure> {
    let (mut trash, is_read_only) = look(session)?;
    if is_read_only {
        return Err(inkvault::Error::from(Refusal::ReadOnly).into());
    }
    let age = args.older_than.as_ref();
    let kept = age.map_or(0, |age| trash.keep_older(age, Moment::now()));
    if !args.yes && !trash.memories.is_empty() {
        agree(session, &trash.memories)?;
    }
    let all = trash.memories.len();
    let (deleted, failures) = delete(session, &trash);
    let emptied = Emptied {
        deleted,
        kept: u32::try_from(kept).unwrap_or(u32::MAX),
        others: trash.others,
    };
    let told = session.answer(&emptied, |emptied, _| emptied_view(emptied));
    Failure::of_some(&failures, all).and(told)
}

/// Asks for consent.
fn agree(session: &mut Session, memories: &[Forgotten]) -> Result<(), Failure> {
    let what = extent(memories);
    match session.consent(&format!("Delete for good {what}?")) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::Refused("nothing was deleted".to_owned())),
        None => Err(Failure::Usage(format!(
            "there is no terminal to ask on; give --yes to delete for good {what}"
        ))),
    }
}

/// How many memories these are, how large and how old, last forgotten first.
fn extent(memories: &[Forgotten]) -> String {
    let count = counted(memories.len() as u64, "memory", "memories");
    let bytes = size(memories.iter().map(|memory| memory.bytes).sum());
    let days = [memories.last(), memories.first()].map(|memory| {
        let time = memory.map(|memory| memory.forgotten.to_string());
        day(&time.unwrap_or_default()).to_owned()
    });
    let when = match days {
        [first, last] if first == last => format!("on {first}"),
        [first, last] => format!("from {first} to {last}"),
    };
    format!("{count} ({bytes}), forgotten {when}")
}

/// Deletes each; what fails is told and does not stop the others.
fn delete(session: &Session, trash: &Trash) -> (Vec<Forgotten>, Vec<Failure>) {
    let (mut deleted, mut failures) = (Vec::new(), Vec::new());
    for memory in &trash.memories {
        match trash.delete(session.directory(), memory) {
            Ok(()) => deleted.push(memory.clone()),
            Err(failure) => {
                failure.tell_of(&memory.id);
                failures.push(failure);
            }
        }
    }
    (deleted, failures)
}

fn emptied_view(emptied: &Emptied) -> String {
    let deleted = match emptied.deleted.as_slice() {
        [] => "Nothing was deleted".to_owned(),
        deleted => format!("Deleted {}", extent(deleted)),
    };
    let kept = match emptied.kept {
        0 => String::new(),
        kept => format!(
            "; kept {}",
            counted(kept, "younger memory", "younger memories")
        ),
    };
    let others = others_view("left", &emptied.others);
    format!(
        "{deleted}{kept}.
{others}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgotten(id: &str, millis: u64) -> Forgotten {
        Forgotten {
            id: id.to_owned(),
            title: "Release day".to_owned(),
            forgotten: Moment::of_millis(millis).unwrap(),
            bytes: 1_536,
            path: format!(".trash/{id}-{millis}.md"),
        }
    }

    fn bare(view: &str) -> String {
        anstream::adapter::strip_str(view).to_string()
    }

    #[test]
    fn the_trash_fits_its_terminal() {
        let trash = Trash {
            directory: ".trash".to_owned(),
            memories: vec![forgotten("m-20261019-ab12cd", 1_760_868_000_123)],
            others: vec!["notes.md".to_owned()],
        };
        let shown = bare(&view(&trash, Some(60)));
        let expected = [
            "id                 forgotten                size  title",
            "m-20261019-ab12cd  2025-10-19 10:00 UTC  1.5 KiB  Release d…",
            "other files  notes.md",
        ];
        assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
        assert_eq!(view(&Trash::default(), None), "The trash is empty.\n");
    }

    #[test]
    fn how_much_goes_is_said_before_and_after() {
        let deleted = vec![
            forgotten("m-2", 1_760_868_000_123),
            forgotten("m-1", 1_760_000_000_000),
        ];
        let told = "2 memories (3.0 KiB), forgotten from 2025-10-09 to 2025-10-19";
        assert_eq!(extent(&deleted), told);
        let mut emptied = Emptied {
            deleted,
            kept: 1,
            others: Vec::new(),
        };
        let shown = bare(&emptied_view(&emptied));
        assert_eq!(shown, format!("Deleted {told}; kept 1 younger memory.\n"));
        emptied.deleted.clear();
        let shown = bare(&emptied_view(&emptied));
        assert_eq!(shown, "Nothing was deleted; kept 1 younger memory.\n");
    }
}
