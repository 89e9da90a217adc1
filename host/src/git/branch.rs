//! The branch that is checked out, and moving it on.

use git2::{Commit, ErrorCode, Oid, RepositoryState, Tree};

use super::hindrance::Hindrance;

/// The branch that is checked out.
pub(super) struct Branch<'git> {
    git: &'git git2::Repository,
    /// Its full name, as `refs/heads/main`.
    name: String,
    /// Its newest commit; absent where it has none yet.
    tip: Option<Commit<'git>>,
}

impl<'git> Branch<'git> {
    /// The branch as it is now.
    pub(super) fn checked_out(git: &'git git2::Repository) -> Result<Self, Hindrance> {
        if let Some(operation) = under_way(git.state()) {
            return Err(Hindrance::UnderWay(operation));
        }
        let head = git.find_reference("HEAD")?;
        let Some(name) = head.symbolic_target()? else {
            return Err(Hindrance::Detached);
        };
        match head.resolve() {
            Ok(branch) => Ok(Self {
                git,
                name: branch.name()?.to_owned(),
                tip: Some(branch.peel_to_commit()?),
            }),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(Self {
                git,
                name: name.to_owned(),
                tip: None,
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// The newest commit, as the parents of the next.
    pub(super) fn parents(&self) -> Vec<&Commit<'git>> {
        self.tip.iter().collect()
    }

    /// The files of the newest commit; `None` where there is no commit yet.
    pub(super) fn tree(&self) -> Result<Option<Tree<'git>>, git2::Error> {
        self.tip.as_ref().map(Commit::tree).transpose()
    }

    /// Moves the branch on to a commit, if it is still where it was.
    pub(super) fn advance(&self, commit: Oid, message: &str) -> Result<(), Hindrance> {
        let deed = match self.tip {
            Some(_) => "commit",
            None => "commit (initial)",
        };
        let subject = message.lines().next().unwrap_or_default();
        let tip = self.tip.as_ref().map_or(Oid::ZERO_SHA1, Commit::id);
        match self.set(tip, commit, &format!("{deed}: {subject}")) {
            Err(error) if error.code() == ErrorCode::Modified => {
                Err(Hindrance::Moving(self.name.clone()))
            }
            moved => Ok(moved?),
        }
    }

    /// Moves the branch back from a commit that it was moved on to.
    pub(super) fn go_back(&self, commit: Oid) -> Result<(), git2::Error> {
        match &self.tip {
            Some(tip) => self.set(commit, tip.id(), "commit: undone"),
            None => self.git.find_reference(&self.name)?.delete(),
        }
    }

    fn set(&self, from: Oid, to: Oid, entry: &str) -> Result<(), git2::Error> {
        let is_forced = true;
        self.git
            .reference_matching(&self.name, to, is_forced, from, entry)
            .map(drop)
    }
}

/// What a person has begun and not finished.
fn under_way(state: RepositoryState) -> Option<&'static str> {
    Some(match state {
        RepositoryState::Clean => return None,
        RepositoryState::Merge => "a merge",
        RepositoryState::Revert | RepositoryState::RevertSequence => "a revert",
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => "a cherry-pick",
        RepositoryState::Bisect => "a bisection",
        RepositoryState::Rebase
        | RepositoryState::RebaseInteractive
        | RepositoryState::RebaseMerge => "a rebase",
        RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => {
            "applying of patches (`git am`)"
        }
    })
}

#[cfg(test)]
mod tests {
    use git2::Signature;

    use super::*;

    fn commit(git: &git2::Repository, message: &str) -> Oid {
        let branch = Branch::checked_out(git).unwrap();
        let empty = git.treebuilder(None).unwrap().write().unwrap();
        let (tree, parents) = (git.find_tree(empty).unwrap(), branch.parents());
        let who = Signature::now("somebody", "somebody@example.org").unwrap();
        git.commit(None, &who, &who, message, &tree, &parents)
            .unwrap()
    }

    #[test]
    fn a_branch_that_somebody_moved_meanwhile_is_not_moved() {
        let dir = tempfile::tempdir().unwrap();
        let git = git2::Repository::init(dir.path()).unwrap();
        for theirs in ["first", "second"] {
            let branch = Branch::checked_out(&git).unwrap();
            let (ours, theirs) = (commit(&git, "ours"), commit(&git, theirs));
            let meanwhile = Branch::checked_out(&git).unwrap();
            meanwhile.advance(theirs, "theirs").unwrap();
            let refused = branch.advance(ours, "ours");
            assert!(matches!(refused, Err(Hindrance::Moving(_))));
            assert_eq!(git.head().unwrap().target(), Some(theirs));
        }
    }
}
