//! The feed: how instances hear of each other's changes.
//!
//! One JSON line a change, appended by the holder of the lock and numbered,
//! the first with 1. A reader keeps its place and reads on from there; where the file was
//! replaced or has a gap it says so, and the reader looks at everything.

use serde::{Deserialize, Serialize};

use super::intent::Intent;
use super::steps::Step;
use crate::environment::{self, Environment, IoErrorKind, Open, VaultPath};
use crate::error::Result;

/// The highest position there can be: what other tools can still count with.
const HIGHEST: u64 = 1 << 53;

/// Lines that are kept when the feed is cut.
pub const KEPT: usize = 1_000;

/// The time of a directory before and after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryTimes {
    /// The directory.
    pub path: VaultPath,
    /// Right before the change.
    pub before: u64,
    /// As it was after the change.
    pub after: u64,
}

/// One line of the feed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Announcement {
    /// Its position, from 1.
    pub seq: u64,
    /// What was done.
    pub op: String,
    /// To which memory; empty for none.
    pub id: String,
    /// The files that changed, in the order of the steps.
    pub files: Vec<FileChange>,
    /// Directories with their times before and after, nanoseconds since 1970.
    /// Empty where they are not known; readers then look for themselves.
    pub dirs: Vec<(String, u64, u64)>,
}

/// What a change did to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// Its place before; empty where it is the same.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub from: String,
    /// The memory whose file it is; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The id that the change took from the memory; empty where it stayed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id_before: String,
    /// Revision before; empty where there was none.
    pub before: String,
    /// Revision afterwards.
    pub after: String,
    /// The status that the change ended; empty where it stayed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status_before: String,
    /// The status that the change began; empty where it stayed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub status_after: String,
}

impl From<&Step> for FileChange {
    fn from(step: &Step) -> Self {
        let (from, path) = step.places();
        let (before, after) = step.revisions();
        FileChange {
            path: path.as_str().to_owned(),
            from: from
                .map(|from| from.as_str().to_owned())
                .unwrap_or_default(),
            id: step.id.clone(),
            id_before: step.id_before.clone(),
            before: before.to_owned(),
            after: after.to_owned(),
            status_before: step.status_before.clone(),
            status_after: step.status_after.clone(),
        }
    }
}

impl Announcement {
    /// The files to look at, old places too.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter();
        let paths = files.flat_map(|file| [file.from.as_str(), file.path.as_str()]);
        paths.filter(|path| !path.is_empty())
    }

    pub(super) fn of(intent: &Intent, directories: &[DirectoryTimes]) -> Self {
        let times =
            |times: &DirectoryTimes| (times.path.as_str().to_owned(), times.before, times.after);
        Announcement {
            seq: intent.position,
            op: intent.operation.clone(),
            id: intent.id.clone(),
            files: intent.steps.iter().map(FileChange::from).collect(),
            dirs: directories.iter().map(times).collect(),
        }
    }
}

/// What a reader hears.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// These changes, none being none.
    Changes(Vec<Announcement>),
    /// The feed does not go on from where the reader was.
    Unknown,
}

/// A reader's place in the feed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    position: u64,
    offset: u64,
    /// Size and time of the file at the last look.
    seen: Option<(u64, u64)>,
}

impl Cursor {
    /// A place that was kept: the position of the last line and the bytes up
    /// to its end.
    pub fn at(position: u64, offset: u64) -> Self {
        Cursor {
            position: position.min(HIGHEST),
            offset,
            seen: None,
        }
    }

    /// Position of the last change heard of; 0 before the first.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Bytes of the feed up to there.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Hears of the changes since. Costs one call where there are none.
    ///
    /// # Errors
    /// What the file system answers; a feed that is not there has no lines.
    pub fn poll(&mut self, environment: &dyn Environment, path: &VaultPath) -> Result<News> {
        let stat = match environment.stat(path) {
            Ok(stat) => stat,
            Err(error) if error.kind == IoErrorKind::NotFound => {
                let was_empty = self.position == 0;
                *self = Cursor::default();
                return Ok(if was_empty {
                    News::Changes(Vec::new())
                } else {
                    News::Unknown
                });
            }
            Err(error) => return Err(error.into()),
        };
        // After this reader's own line the time is not known, but the end is.
        let at_end = self.seen.is_none() && self.position > 0 && stat.size == self.offset;
        if at_end || self.seen == Some((stat.size, stat.mtime)) {
            self.seen = Some((stat.size, stat.mtime));
            return Ok(News::Changes(Vec::new()));
        }
        self.seen = Some((stat.size, stat.mtime));
        let news = match self.read_on(environment, path) {
            Ok(Some(news)) => Ok(News::Changes(news)),
            Ok(None) => self.start_over(environment, path),
            Err(error) => Err(error),
        };
        news.inspect_err(|_| self.seen = None)
    }

    /// Appends a line and moves past it; only for the holder of the lock,
    /// whose place is at the end.
    pub(super) fn announce(
        &mut self,
        environment: &dyn Environment,
        path: &VaultPath,
        announcement: &Announcement,
    ) -> std::result::Result<(), environment::IoError> {
        let mut line = serde_json::to_string(announcement).unwrap_or_default();
        if self.seen.is_some_and(|(size, _)| size != self.offset) {
            // Half a line stands at the end: close it first.
            line.insert(0, '\n');
        }
        environment::append_line(environment, path, &line)?;
        self.position = announcement.seq;
        self.offset += line.len() as u64 + 1;
        self.seen = None;
        Ok(())
    }

    /// The lines from the reader's place on; none where they do not follow.
    fn read_on(
        &mut self,
        environment: &dyn Environment,
        path: &VaultPath,
    ) -> Result<Option<Vec<Announcement>>> {
        let bytes = read_from(environment, path, self.offset)?;
        let lines = parse(&bytes);
        let follows = match lines.first() {
            Some((_, first)) => first.seq == self.position + 1,
            None => bytes.is_empty() && self.offset == 0,
        };
        if !follows || !is_gapless(&lines) {
            return Ok(None);
        }
        Ok(Some(self.pass_over(lines)))
    }

    /// Reads the whole feed. Lines that follow on the reader's place are
    /// news; otherwise nothing is known but the new place.
    fn start_over(&mut self, environment: &dyn Environment, path: &VaultPath) -> Result<News> {
        let mut lines = parse(&read_from(environment, path, 0)?);
        let position = self.position;
        let continues = position > 0
            && is_gapless(&lines)
            && lines
                .first()
                .is_some_and(|(_, first)| first.seq <= position + 1)
            && lines.last().is_some_and(|(_, last)| last.seq >= position);
        *self = Cursor {
            seen: self.seen,
            ..Cursor::default()
        };
        if !continues {
            self.pass_over(lines);
            return Ok(News::Unknown);
        }
        let old: Vec<_> = lines
            .iter()
            .take_while(|(_, line)| line.seq <= position)
            .cloned()
            .collect();
        let new = lines.split_off(old.len());
        self.pass_over(old);
        Ok(News::Changes(self.pass_over(new)))
    }

    fn pass_over(&mut self, lines: Vec<(u64, Announcement)>) -> Vec<Announcement> {
        if let Some((_, last)) = lines.last() {
            self.position = last.seq;
        }
        self.offset += lines.iter().map(|(length, _)| length).sum::<u64>();
        lines.into_iter().map(|(_, line)| line).collect()
    }
}

/// Whether the feed tells of a change already.
pub(super) fn tells_of(
    environment: &dyn Environment,
    path: &VaultPath,
    intent: &Intent,
) -> Result<bool> {
    let expected = Announcement::of(intent, &[]);
    let is_told = |line: &Announcement| {
        let known = Announcement {
            dirs: Vec::new(),
            ..line.clone()
        };
        known == expected
    };
    Ok(history(environment, path)?.iter().any(is_told))
}

/// The changes that the feed still tells of, oldest first.
///
/// # Errors
/// What the file system answers; a feed that is not there tells of none.
pub fn history(environment: &dyn Environment, path: &VaultPath) -> Result<Vec<Announcement>> {
    let bytes = match environment::read_file(environment, path) {
        Ok((bytes, _)) => bytes,
        Err(error) if error.kind == IoErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    Ok(parse(&bytes).into_iter().map(|(_, line)| line).collect())
}

/// The feed cut to its last lines, and how many bytes that leaves.
pub fn cut(environment: &dyn Environment, path: &VaultPath) -> Result<Option<Vec<u8>>> {
    let bytes = read_from(environment, path, 0)?;
    let ends: Vec<_> = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    let Some(cut) = ends.len().checked_sub(KEPT + 1).and_then(|at| ends.get(at)) else {
        return Ok(None);
    };
    Ok(bytes.get(*cut..).map(<[u8]>::to_vec))
}

/// Whole lines with their lengths. A line that is not one of ours counts to
/// the length of the next; what follows the last line end is not read yet.
fn parse(bytes: &[u8]) -> Vec<(u64, Announcement)> {
    let mut lines = Vec::new();
    let mut length = 0;
    for line in bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
    {
        length += line.len() as u64;
        let announcement = serde_json::from_slice::<Announcement>(line).ok();
        if let Some(announcement) = announcement.filter(|line| line.seq <= HIGHEST) {
            lines.push((std::mem::take(&mut length), announcement));
        }
    }
    lines
}

fn is_gapless(lines: &[(u64, Announcement)]) -> bool {
    lines
        .windows(2)
        .all(|pair| matches!(pair, [(_, a), (_, b)] if a.seq + 1 == b.seq))
}

fn read_from(environment: &dyn Environment, path: &VaultPath, offset: u64) -> Result<Vec<u8>> {
    let file = environment.open(path, Open::Read)?;
    let mut bytes = Vec::new();
    loop {
        let part = file.read(environment::READ_LIMIT, offset + bytes.len() as u64)?;
        if part.is_empty() {
            return Ok(bytes);
        }
        bytes.extend_from_slice(&part);
    }
}
