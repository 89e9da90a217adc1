//! Writes memories into a vault, one after the other, until it is killed:
//! `inkvault-writes DIRECTORY WORD`.
//!
//! Each holds the word and its number. An id on standard output is the
//! acknowledgement; nothing is printed for a write that did not come back.

use std::io::Write as _;

use inkvault::Vault;
use inkvault_tests::draft;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(directory), Some(word)) = (arguments.next(), arguments.next()) else {
        return Err("usage: inkvault-writes DIRECTORY WORD".into());
    };
    let mut vault = Vault::open(directory)?;
    for number in 0_u64.. {
        let receipt = vault.write(&draft(&format!("{word} number {number}")))?;
        let mut acknowledged = std::io::stdout().lock();
        writeln!(acknowledged, "{}", receipt.metadata.id)?;
        acknowledged.flush()?;
    }
    Ok(())
}
