//! Taking turns: a change and its commit belong together, so that of several
//! programs each commits what it changed itself.

use std::fs::File;
use std::thread;
use std::time::{Duration, Instant};

use super::Repository;

/// How long a program waits for its turn, at most. Waiting longer is worse
/// than a commit that has to be made by hand.
const LONGEST: Duration = Duration::from_secs(20);

const PAUSE: Duration = Duration::from_millis(10);

/// A file in git's own folder that whoever has its turn holds locked.
const FILE: &str = "inkvault.turn";

/// The turn of whoever holds it; it ends when it is dropped, or with the
/// process.
#[derive(Debug)]
#[must_use]
pub struct Turn {
    _held: Option<File>,
}

impl Repository {
    /// Waits until no other program that takes turns holds one, for at most 20
    /// seconds; then, and where the file cannot be locked, it goes on without.
    pub fn turn(&self) -> Turn {
        Turn {
            _held: self.wait_for_turn(),
        }
    }

    fn wait_for_turn(&self) -> Option<File> {
        let mut options = File::options();
        let options = options.create(true).truncate(false).write(true);
        let file = options.open(self.git.path().join(FILE)).ok()?;
        let began = Instant::now();
        while file.try_lock().is_err() {
            if began.elapsed() > LONGEST {
                return None;
            }
            thread::sleep(PAUSE);
        }
        Some(file)
    }
}
