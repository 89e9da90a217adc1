//! A sign of life for what takes longer than a second, on standard error and
//! only on a terminal.

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

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
