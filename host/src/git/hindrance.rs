//! Why no commit was made, in words for a receipt: what is the matter, and
//! what to do.

use std::io;
use std::path::PathBuf;

use git2::ErrorCode;

/// With more files than this, the command that commits them is not spelled
/// out.
const SPELLED_OUT: usize = 8;

/// Why no commit was made.
#[derive(Debug, thiserror::Error)]
pub(super) enum Hindrance {
    /// Another git holds a lock.
    #[error(
        "another git is at work on the repository ({0}); \
         when it is done, commit the change yourself; \
         if none is running, a lock was left behind and can be removed"
    )]
    Busy(String),

    /// The branch was moved by another git, again and again.
    #[error(
        "another git commits to `{0}` all the time; when it is done, commit the change yourself"
    )]
    Moving(String),

    #[error("{0} is under way; finish it or abort it, then commit the change yourself")]
    UnderWay(&'static str),

    #[error(
        "no branch is checked out (detached HEAD); \
         check one out with `git switch`, then commit the change yourself"
    )]
    Detached,

    #[error("there are conflicts to resolve; resolve them, then commit the change yourself")]
    Conflicts,

    /// Files were not as last committed before the change already.
    #[error(
        "{} not as last committed before this change, and what else was changed there is not \
         for inkvault to commit; look at it, then {}",
        being(edited),
        commit_of(all)
    )]
    Edited {
        /// These files.
        edited: Vec<String>,
        /// All files that would have been committed.
        all: Vec<String>,
    },

    /// Files were there before the change and git never had them.
    #[error(
        "{} not in git before this change, and what a person wrote there is theirs to add; {}",
        being(unknown),
        commit_of(all)
    )]
    Unknown {
        /// These files.
        unknown: Vec<String>,
        /// All files that would have been committed.
        all: Vec<String>,
    },

    /// Files are not as the change left them.
    #[error(
        "{} changed by somebody else since this change; look at it, then {}",
        being(changed),
        commit_of(changed)
    )]
    ChangedSince {
        /// These files.
        changed: Vec<String>,
    },

    /// Another version of files is staged.
    #[error(
        "{} staged in another version; look at it, then {}",
        being(staged),
        commit_of(all)
    )]
    Staged {
        /// These files.
        staged: Vec<String>,
        /// All files that would have been committed.
        all: Vec<String>,
    },

    #[error(
        "`{path}` has git's filter `{filter}`, which only git itself can apply; \
         commit the change yourself"
    )]
    Filtered {
        /// The file, in the repository.
        path: String,
        /// The filter, or the encoding.
        filter: String,
    },

    #[error("`{0}` is no path in the vault")]
    Path(String),

    #[error("{}: {source}", path.display())]
    Disk { path: PathBuf, source: io::Error },

    #[error("{}", .0.message())]
    Git(git2::Error),
}

impl Hindrance {
    /// Whether it may have gone a moment later.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Moving(_))
    }
}

impl From<git2::Error> for Hindrance {
    fn from(error: git2::Error) -> Self {
        match error.code() {
            ErrorCode::Locked => Self::Busy(error.message().to_owned()),
            _ => Self::Git(error),
        }
    }
}

/// `a.md` was; `a.md` and `b.md` were.
fn being(paths: &[String]) -> String {
    let verb = if paths.len() == 1 { "was" } else { "were" };
    format!("{} {verb}", listed(paths))
}

/// The paths in a sentence; of many only the first.
pub(super) fn listed(paths: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = paths.iter().take(SHOWN).map(|path| format!("`{path}`"));
    let mut shown: Vec<_> = shown.collect();
    if paths.len() > SHOWN {
        shown.push(format!("{} more", paths.len() - SHOWN));
    }
    match shown.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// How to commit the files.
fn commit_of(paths: &[String]) -> String {
    if paths.len() > SPELLED_OUT {
        return "`git add` the files that were changed and run `git commit`".to_owned();
    }
    let quoted: Vec<_> = paths.iter().map(|path| quoted(path)).collect();
    let quoted = quoted.join(" ");
    format!("run `git add -- {quoted} && git commit -- {quoted}` in the vault")
}

/// A path as a shell takes it for one word.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("{number}.md")).collect()
    }

    #[test]
    fn files_are_listed_as_a_sentence_does() {
        assert_eq!(listed(&paths(1)), "`1.md`");
        assert_eq!(listed(&paths(3)), "`1.md`, `2.md` and `3.md`");
        assert_eq!(listed(&paths(9)), "`1.md`, `2.md`, `3.md` and 6 more");
    }

    #[test]
    fn a_command_takes_each_path_for_one_word() {
        let paths = ["a b.md", "踩坑.md", "it's.md"].map(str::to_owned);
        assert_eq!(
            commit_of(&paths),
            r"run `git add -- 'a b.md' 踩坑.md 'it'\''s.md' && git commit -- 'a b.md' 踩坑.md 'it'\''s.md'` in the vault"
        );
    }
}
