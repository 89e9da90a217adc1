//! What the feed tells of the statuses that a memory had.

use crate::change::feed::{Announcement, FileChange};
use crate::memory::{Memory, Status};

/// The status that a memory is restored to: the last one that was nearer to
/// being in force than the one it has; superseded only where it still
/// `is_replaced`. Pending where the feed does not tell, or where the file was
/// changed by hand since: what a person wrote there later counts for more.
pub(super) fn status_before(
    history: &[Announcement],
    memory: &Memory,
    is_replaced: bool,
) -> Status {
    let present = memory.metadata.status;
    let can_be = |status| {
        distance(status) < distance(present) && (status != Status::Superseded || is_replaced)
    };
    let (mut status, mut revision) = (present, memory.revision.as_str());
    for file in changes_of(history, &memory.metadata.id) {
        if file.after != revision {
            break;
        }
        if let Some(ended) = Status::named(&file.status_before) {
            if Status::named(&file.status_after) != Some(status) {
                break;
            }
            match ended {
                // What it was in conflict with went on without it.
                Status::Conflict => return Status::Pending,
                ended if can_be(ended) => return ended,
                _ => {}
            }
            status = ended;
        }
        revision = &file.before;
    }
    Status::Pending
}

/// The changes of a memory's file, the last one first.
fn changes_of<'h>(
    history: &'h [Announcement],
    id: &'h str,
) -> impl Iterator<Item = &'h FileChange> {
    let files = history.iter().rev().flat_map(|change| &change.files);
    files.filter(move |file| file.id == id)
}

/// How far a status is from being in force.
fn distance(status: Status) -> u8 {
    match status {
        Status::Active | Status::Pending | Status::Conflict => 0,
        Status::Stale | Status::Superseded => 1,
        Status::Archived => 2,
    }
}
