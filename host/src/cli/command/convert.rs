//! `inkvault convert`: from a vault of one format to a new vault of another.

use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use inkvault::Vault;
use inkvault::convert::{self, Finding, Pair, Report, Skipped};

use crate::cli::args::ConvertArgs;
use crate::cli::failure::Failure;
use crate::cli::output::style::{self, styled};
use crate::cli::output::table::{Column, Facts, Table};
use crate::cli::output::text::{counted, one_line};
use crate::cli::session::{Session, utc_offset_minutes};

/// How many lines each part of the report has at most.
const LINES: usize = 12;

/// How many ids are named for what concerns many memories.
const EXAMPLES: usize = 3;

/// Where a conversion leads from and to.
struct Way {
    source: PathBuf,
    target: PathBuf,
    is_dry: bool,
}

/// Makes a vault of another format, or says what would become of it.
pub(crate) fn convert(session: &mut Session, args: &ConvertArgs) -> Result<(), Failure> {
    let way = Way {
        source: session.directory().to_owned(),
        target: free_place(session.directory(), &args.target)?,
        is_dry: args.dry_run,
    };
    let summary = session.call("looking at the vault", Vault::overview)?;
    let pair = Pair::named(&summary.format, &args.to)
        .ok_or_else(|| Failure::Usage(no_way(&summary.format, &args.to)))?;
    let mut target = None;
    if !args.dry_run {
        target = Some(made(session, &way.target)?);
    }
    let converted = session.steps("converting", |source, progress| {
        let offset = utc_offset_minutes();
        convert::convert(source, pair, target.as_mut(), offset, progress)
    });
    match converted {
        Ok(report) => tell(session, &report, &way),
        Err(stopped) if stopped.report.ids.is_empty() => Err(stopped.source.into()),
        Err(stopped) => {
            tell(session, &stopped.report, &way).or_else(told_already)?;
            Err(halted(&stopped.report, &way, stopped.source))
        }
    }
}

/// The answer is cut short, and what went wrong is still to be told.
fn told_already(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::LeftOut(_) => Ok(()),
        failure if failure.is_closed_output() => Ok(()),
        failure => Err(failure),
    }
}

fn no_way(from: &str, to: &str) -> String {
    if from == to {
        format!("the vault has the format `{to}` already; copy its directory to have it twice")
    } else {
        format!("there is no way from `{from}` to `{to}`; see `inkvault convert --help`")
    }
}

fn halted(report: &Report, way: &Way, source: inkvault::Error) -> Failure {
    Failure::Halted {
        written: report.converted,
        all: report.memories,
        target: way.target.display().to_string(),
        source,
    }
}

/// The absolute path of a directory that a vault can be made in.
fn free_place(source: &Path, target: &Path) -> Result<PathBuf, Failure> {
    let place = absolute(target)?;
    let shown = target.display();
    let refuse = |why: String| Err(Failure::Usage(why));
    if place.starts_with(source) || source.starts_with(&place) {
        return refuse(format!(
            "{shown} is in the vault or around it; name a directory beside {}",
            source.display()
        ));
    }
    match fs::read_dir(&place).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(place),
        Ok(false) => refuse(format!(
            "{shown} is not empty; name a directory that is not there yet, or an empty one"
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(place),
        Err(error) if error.kind() == ErrorKind::NotADirectory => refuse(format!(
            "{shown} is no directory; name one that is not there yet, or an empty one"
        )),
        Err(error) => Err(Failure::file(target, error)),
    }
}

/// The path without links and `..`, whether or not all of it is there yet.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    let failed = |error| Failure::file(path, error);
    let whole = std::path::absolute(path).map_err(failed)?;
    let there = whole.ancestors().find(|above| above.exists());
    let there = there.unwrap_or(Path::new("/"));
    let missing = whole.strip_prefix(there).unwrap_or(Path::new(""));
    if missing
        .components()
        .any(|part| part == Component::ParentDir)
    {
        return Err(Failure::Usage(format!(
            "{} goes up from a directory that is not there; name it without `..`",
            path.display()
        )));
    }
    let there = fs::canonicalize(there).map_err(failed)?;
    Ok(there.components().chain(missing.components()).collect())
}

/// The directory of the new vault, opened.
fn made(session: &Session, target: &Path) -> Result<Vault, Failure> {
    if session.is_read_only() {
        return Err(Failure::Usage(
            "with --read-only no vault is made; see what would be done with --dry-run".to_owned(),
        ));
    }
    fs::create_dir_all(target).map_err(|error| Failure::file(target, error))?;
    session.open_another(target)
}

/// Prints the report; a failure where something was left out, whoever reads it.
fn tell(session: &mut Session, report: &Report, way: &Way) -> Result<(), Failure> {
    let printed = session.answer(report, |report, width| view(report, way, width));
    let left_out = report.skipped.len();
    match printed {
        Err(failure) if !failure.is_closed_output() => Err(failure),
        _ if left_out > 0 => Err(Failure::LeftOut(left_out)),
        printed => printed,
    }
}

fn view(report: &Report, way: &Way, width: Option<usize>) -> String {
    let mut shown = head(report, way).render();
    for (heading, findings) in [
        ("The same in other terms", &report.mapped),
        ("Kept in added keys", &report.kept),
        ("Not carried over", &report.lost),
    ] {
        shown += &section(heading, findings, width);
    }
    shown + &left_out(&report.skipped)
}

fn head(report: &Report, way: &Way) -> Facts {
    let memories = counted(report.memories, "memory", "memories");
    let told = if report.converted == report.memories {
        memories
    } else {
        format!("{} of {memories}", report.converted)
    };
    let done = if way.is_dry {
        "to convert"
    } else {
        "converted"
    };
    let mut facts = Facts::default();
    facts.add_in(style::STRONG, done, told);
    let place = |directory: &Path, format: &str| format!("{} ({format})", directory.display());
    facts.add("from", place(&way.source, &report.from));
    facts.add("to", place(&way.target, &report.to));
    if report.ignored > 0 {
        let files = counted(report.ignored, "file", "files");
        facts.add("left alone", format!("{files} without frontmatter"));
    }
    facts
}

/// What became of parts of memories, each with a few of them.
fn section(heading: &str, findings: &[Finding], width: Option<usize>) -> String {
    if findings.is_empty() {
        return String::new();
    }
    let mut table = Table::new([
        Column::new("", style::SCORE).right(),
        Column::new("", style::STRONG),
        Column::new("", style::PLAIN).flexible(),
        Column::new("", style::ID).flexible(),
    ]);
    for finding in findings.iter().take(LINES) {
        table.row([
            finding.memories.len().to_string(),
            finding.field.name().to_owned(),
            finding.what.clone(),
            examples(finding),
        ]);
    }
    let rows = table.render_rows(width);
    let heading = styled(style::FAINT, heading);
    format!("\n{heading}\n{rows}{}", rest(findings.len()))
}

/// The ids of a few memories.
fn examples(finding: &Finding) -> String {
    let ids = finding.memories.iter().map(|memory| memory.id.as_str());
    let mut ids: Vec<_> = ids.take(EXAMPLES).collect();
    if finding.memories.len() > EXAMPLES {
        ids.push("…");
    }
    ids.join(", ")
}

/// What was left out. It is not cut: why has to be read whole.
fn left_out(skipped: &[Skipped]) -> String {
    if skipped.is_empty() {
        return String::new();
    }
    let shown = skipped.iter().take(LINES);
    let lines: String = shown
        .map(|skipped| format!("  {}\n", line(skipped)))
        .collect();
    let heading = styled(style::FAINT, "Left out");
    format!("\n{heading}\n{lines}{}", rest(skipped.len()))
}

fn line(skipped: &Skipped) -> String {
    let Skipped { id, path, reason } = skipped;
    let names = [id, path].into_iter().filter(|name| !name.is_empty());
    let names = names
        .map(|name| one_line(name))
        .collect::<Vec<_>>()
        .join(", ");
    let reason = one_line(reason);
    if names.is_empty() {
        return reason;
    }
    format!("{}: {reason}", styled(style::WARNING, &names))
}

/// That there is more than is shown.
fn rest(all: usize) -> String {
    if all <= LINES {
        return String::new();
    }
    let told = format!("  and {} more; --json has all of it", all - LINES);
    format!("{}\n", styled(style::FAINT, &told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkvault::convert::{Affected, Field};

    fn finding(what: &str, ids: &[&str]) -> Finding {
        let affected = |id: &&str| Affected {
            id: (*id).to_owned(),
            detail: String::new(),
        };
        Finding {
            field: Field::Kind,
            what: what.to_owned(),
            memories: ids.iter().map(affected).collect(),
        }
    }

    fn report() -> Report {
        Report {
            from: "inkvault".to_owned(),
            to: "dsh-memory".to_owned(),
            memories: 4,
            converted: 4,
            mapped: Vec::new(),
            kept: Vec::new(),
            lost: Vec::new(),
            skipped: Vec::new(),
            ignored: 0,
            ids: Vec::new(),
        }
    }

    fn shown(report: &Report, width: usize) -> String {
        let way = Way {
            source: "/notes".into(),
            target: "/new".into(),
            is_dry: false,
        };
        anstream::adapter::strip_str(&view(report, &way, Some(width))).to_string()
    }

    const HEAD: &str =
        "converted  4 memories\nfrom       /notes (inkvault)\nto         /new (dsh-memory)\n";

    #[test]
    fn a_report_fits_its_terminal() {
        let long = Report {
            mapped: vec![finding(
                "fact becomes knowledge",
                &["m-1", "m-2", "m-3", "m-4"],
            )],
            ..report()
        };
        let section = "\nThe same in other terms\n4  kind  fact becomes…   m-1, m-2, m-…\n";
        assert_eq!(shown(&long, 38), format!("{HEAD}{section}"));
        assert_eq!(shown(&report(), 38), HEAD);
    }

    #[test]
    fn a_long_report_is_bounded() {
        let one = Skipped {
            id: "m-1".to_owned(),
            path: String::new(),
            reason: "too\nlong".to_owned(),
        };
        let report = Report {
            lost: (0..100)
                .map(|n| finding(&n.to_string(), &["m-1"]))
                .collect(),
            skipped: vec![one; 100],
            ..report()
        };
        let shown = shown(&report, 80);
        let rest = "  and 88 more; --json has all of it\n";
        assert_eq!(shown.matches(rest).count(), 2, "{shown}");
        assert_eq!(shown.matches("  m-1: too long\n").count(), LINES);
        assert!(shown.lines().count() < 40, "{shown}");
    }

    #[test]
    fn a_place_that_is_not_there_yet_is_found_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        let place = |path: &str| absolute(&folder.path().join(path)).ok();
        assert_eq!(place("new"), Some(real.join("new")));
        assert_eq!(place("."), Some(real.clone()));
        assert_eq!(place("a/b"), Some(real.join("a/b")));
        assert_eq!(place("a/../b"), None);
    }
}
