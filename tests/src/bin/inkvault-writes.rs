//! Takes part in a vault that several processes share:
//! `inkvault-writes DIRECTORY WORD WRITES`.
//!
//! A line on standard output is the acknowledgement of a write; nothing is
//! printed for one that did not come back.

use std::io::Write as _;

use inkvault::Vault;
use inkvault_tests::sharing::{Done, take_part};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [directory, word, writes] = arguments.as_slice() else {
        return Err("usage: inkvault-writes DIRECTORY WORD WRITES".into());
    };
    let mut vault = Vault::open(directory)?;
    take_part(&mut vault, word, writes.parse()?, |done| {
        let line = match done {
            Done::Created { id } => format!("created {id}"),
            Done::Added { id, revision, line } => format!("added {id} {revision} {line}"),
        };
        let mut acknowledged = std::io::stdout().lock();
        // Nobody listens any more: the vault is what counts.
        let _ = writeln!(acknowledged, "{line} .");
        let _ = acknowledged.flush();
    });
    Ok(())
}
