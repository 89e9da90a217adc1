//! The versions of a file, and what it was at one of them.

use git2::{Commit, ErrorCode};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Repository;
use super::blob::Blob;
use super::error::{Error, Result};
use super::way::{Stop, Way};

/// One version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The commit's full id.
    pub id: String,
    /// When it was made: RFC 3339, UTC.
    pub time: String,
    /// The name of who made it.
    pub author: String,
    /// The first line of its message.
    pub message: String,
    /// What the file was called, relative to the vault.
    pub path: String,
    /// What the commit did to the file.
    pub deed: Deed,
}

/// What a commit did to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It was not there before.
    Added,
    /// Its content, or its kind.
    Changed,
    /// It was called otherwise before. Its content may have changed too.
    Moved {
        /// What it was called, relative to the vault.
        from: String,
    },
    /// It is not there any more.
    Removed,
}

/// A file as it was at a revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// What it was called, relative to the vault.
    pub path: String,
    /// Its bytes as git keeps them; of a symbolic link where it points to.
    pub bytes: Vec<u8>,
    /// The full id of the commit that the revision names.
    pub id: String,
}

impl Repository {
    /// The versions of a file, newest first, at most `limit`; none where git
    /// never had such a file. A file that was moved is followed to what it was
    /// called before.
    ///
    /// # Errors
    ///
    /// When the path is none in the vault, or the repository cannot be read.
    pub fn history(&self, path: &str, limit: usize) -> Result<Vec<Version>> {
        let mut versions = Vec::new();
        for stop in self.way_back(path)? {
            if versions.len() == limit {
                break;
            }
            let stop = stop.map_err(|error| self.unusable(&error))?;
            versions.extend(self.version(stop));
        }
        Ok(versions)
    }

    /// A file as it was at a revision, under whatever name it had then. The
    /// revision is anything that names a commit in git: a short id, `HEAD~2`,
    /// a tag.
    ///
    /// # Errors
    ///
    /// When the path is none in the vault, the revision names no commit or
    /// does not have the file, or the repository cannot be read.
    pub fn content(&self, path: &str, revision: &str) -> Result<Content> {
        self.content_at(path, revision)?
            .ok_or_else(|| Error::Absent {
                path: path.to_owned(),
                revision: revision.to_owned(),
            })
    }

    /// The same; `None` where the revision does not have the file.
    pub(super) fn content_at(&self, path: &str, revision: &str) -> Result<Option<Content>> {
        let commit = self.commit_named(revision)?;
        let named = self.named_at(path, &commit)?;
        let content = || -> Result<_, git2::Error> {
            let tree = commit.tree()?;
            for path in named {
                if let Some(blob) = Blob::of(&tree, &path)? {
                    let bytes = self.git.find_blob(blob.id)?.content().to_vec();
                    return Ok(Some((path, bytes)));
                }
            }
            Ok(None)
        };
        let content = content().map_err(|error| self.unusable(&error))?;
        Ok(content.map(|(path, bytes)| Content {
            path: self.in_vault(&path).unwrap_or(&path).to_owned(),
            bytes,
            id: commit.id().to_string(),
        }))
    }

    fn commit_named(&self, revision: &str) -> Result<Commit<'_>> {
        let object = self.git.revparse_single(revision);
        let commit = object.and_then(|object| object.peel_to_commit());
        commit.map_err(|error| Error::Revision {
            revision: revision.to_owned(),
            reason: error.message().to_owned(),
        })
    }

    /// What the file was called at the commit, in the repository. Where the
    /// way back does not lead through the commit, these are the names it has
    /// ever had, newest first.
    fn named_at(&self, path: &str, commit: &Commit<'_>) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for stop in self.way_back(path)? {
            let stop = stop.map_err(|error| self.unusable(&error))?;
            if stop.commit.id() == commit.id() {
                return Ok(vec![stop.path]);
            }
            if names.last() != Some(&stop.path) {
                names.push(stop.path);
            }
        }
        Ok(names)
    }

    fn way_back(&self, path: &str) -> Result<Way<'_>> {
        let path = self.in_repository(path).ok_or_else(|| Error::Path {
            path: path.to_owned(),
        })?;
        let newest = match self.git.head() {
            Ok(head) => head.peel_to_commit().map(Some),
            Err(error) if is_unborn(&error) => Ok(None),
            Err(error) => Err(error),
        };
        let newest = newest.map_err(|error| self.unusable(&error))?;
        Ok(Way::new(self, path, newest))
    }

    fn version(&self, stop: Stop<'_>) -> Option<Version> {
        let author = stop.commit.author();
        Some(Version {
            id: stop.commit.id().to_string(),
            time: moment(author.when().seconds()),
            author: String::from_utf8_lossy(author.name_bytes()).into_owned(),
            message: first_line(stop.commit.message_bytes()),
            path: self.in_vault(&stop.path)?.to_owned(),
            deed: stop.deed?,
        })
    }
}

fn is_unborn(error: &git2::Error) -> bool {
    matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound)
}

fn first_line(message: &[u8]) -> String {
    let message = String::from_utf8_lossy(message);
    message
        .trim_start()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Seconds since 1970 as a text; a moment beyond all calendars as 1970.
fn moment(seconds: i64) -> String {
    let moment = OffsetDateTime::from_unix_timestamp(seconds);
    let text = moment.map(|moment| moment.format(&Rfc3339));
    match text {
        Ok(Ok(text)) => text,
        _ => "1970-01-01T00:00:00Z".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_utc_whatever_it_is() {
        assert_eq!(moment(1_792_404_000), "2026-10-19T10:00:00Z");
        assert_eq!(moment(i64::MAX), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn the_first_line_of_a_message_is_told() {
        assert_eq!(
            first_line("mem: 记 缩进\n\nwhy\n".as_bytes()),
            "mem: 记 缩进"
        );
        assert_eq!(first_line(b""), "");
    }
}
