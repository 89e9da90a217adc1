//! A sign of life for what takes longer than a second, on standard error and
//! only on a terminal.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// What is faster needs no sign.
const PATIENCE: Duration = Duration::from_secs(1);

const FRAME: Duration = Duration::from_millis(100);

/// Does `work`, and says so if it takes long.
pub(crate) fn during<T>(what: &'static str, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let spinner = spinner(what);
                // Ends when the other side is dropped.
                let _ = is_done.recv();
                spinner.finish_and_clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// How far work of many steps is; shown once it has taken long.
pub(crate) struct Steps {
    what: &'static str,
    begun: Instant,
    is_seen: bool,
    bar: Option<ProgressBar>,
}

impl Steps {
    pub(crate) fn new(what: &'static str) -> Self {
        Self {
            what,
            begun: Instant::now(),
            is_seen: io::stderr().is_terminal(),
            bar: None,
        }
    }

    /// So many steps of all are done.
    pub(crate) fn at(&mut self, done: usize, all: usize) {
        if self.is_seen && self.begun.elapsed() >= PATIENCE {
            let bar = self.bar.get_or_insert_with(|| bar(self.what, self.begun));
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(what: &'static str, begun: Instant) -> ProgressBar {
    let bar = ProgressBar::no_length()
        .with_elapsed(begun.elapsed())
        .with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{msg} … {human_pos} of {human_len} {elapsed}")
    {
        bar.set_style(style);
    }
    bar
}

fn spinner(what: &'static str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner()
        .with_elapsed(PATIENCE)
        .with_message(what);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} … {elapsed}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(FRAME);
    spinner
}
