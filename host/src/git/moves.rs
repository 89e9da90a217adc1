//! Where a file came from that a commit has and its parent has not.

use git2::{Delta, Diff, DiffFindOptions, DiffOptions, Oid, Tree};

/// How much of its content a file that was moved has still, in percent: as
/// git has it.
const SIMILAR: u16 = 50;

/// With more files removed at once than this, only one of the same content is
/// looked for: as git has it.
const COMPARED: usize = 1_000;

/// The path in the older tree of what is now, with content `id`, at `path` in
/// the newer one: a file that was removed and is the same, else similar.
/// Considered are those that `may_be`. Where the commit is known to be `of_one`
/// change, the only file that it removed and the only one that it added are
/// one and the same, however unlike.
pub(super) fn source(
    git: &git2::Repository,
    (older, newer): (&Tree<'_>, &Tree<'_>),
    path: &str,
    id: Oid,
    of_one: bool,
    may_be: impl Fn(&str) -> bool,
) -> Result<Option<String>, git2::Error> {
    let diff = git.diff_tree_to_tree(Some(older), Some(newer), None)?;
    let removed: Vec<_> = removed(&diff).filter(|(path, _)| may_be(path)).collect();
    let added: Vec<_> = added(&diff)
        .into_iter()
        .filter(|path| may_be(path))
        .collect();
    let same = removed.iter().filter(|(_, removed)| *removed == id);
    let same = same.max_by_key(|(removed, _)| name(removed) == name(path));
    if let Some((same, _)) = same {
        return Ok(Some(same.clone()));
    }
    if removed.is_empty() || removed.len() > COMPARED {
        return Ok(None);
    }
    let mut options = DiffOptions::new();
    options.disable_pathspec_match(true).pathspec(path);
    for (removed, _) in &removed {
        options.pathspec(removed.as_str());
    }
    let mut diff = git.diff_tree_to_tree(Some(older), Some(newer), Some(&mut options))?;
    let alike = similar(&mut diff, path)?;
    let only = || only_one(&removed, &added, path).filter(|_| of_one);
    Ok(alike.or_else(only))
}

/// The file that was removed, where a commit removed one and added one, and
/// nothing else came or went: a short note that was renamed and written anew
/// is hardly alike.
fn only_one(removed: &[(String, Oid)], added: &[String], path: &str) -> Option<String> {
    match (removed, added) {
        ([(removed, _)], [added]) if added == path => Some(removed.clone()),
        _ => None,
    }
}

/// The files that are new.
fn added(diff: &Diff<'_>) -> Vec<String> {
    let new = diff.deltas().filter(|delta| delta.status() == Delta::Added);
    new.filter_map(|delta| text(delta.new_file().path_bytes()))
        .collect()
}

/// The path of the file that is most like the one at `path`.
fn similar(diff: &mut Diff<'_>, path: &str) -> Result<Option<String>, git2::Error> {
    let mut options = DiffFindOptions::new();
    options
        .renames(true)
        .rename_threshold(SIMILAR)
        .rename_limit(COMPARED);
    diff.find_similar(Some(&mut options))?;
    let moved = diff.deltas().find(|delta| {
        delta.status() == Delta::Renamed && delta.new_file().path_bytes() == Some(path.as_bytes())
    });
    Ok(moved.and_then(|delta| text(delta.old_file().path_bytes())))
}

/// The files that are gone, with their content.
fn removed<'a>(diff: &'a Diff<'_>) -> impl Iterator<Item = (String, Oid)> + 'a {
    let gone = diff
        .deltas()
        .filter(|delta| delta.status() == Delta::Deleted);
    gone.filter_map(|delta| {
        let file = delta.old_file();
        Some((text(file.path_bytes())?, file.id()))
    })
}

fn text(path: Option<&[u8]>) -> Option<String> {
    String::from_utf8(path?.to_vec()).ok()
}

fn name(path: &str) -> Option<&str> {
    path.rsplit('/').next()
}
