//! Ten thousand files that nobody would write on purpose, opened inside the
//! sandbox: no trap, and the good ones among them are found. What each kind of
//! damage must lead to is tested in memory (`guest/tests/fuzz.rs`).

use inkvault_tests::note::{id, numbered};
use inkvault_tests::{Folder, found};

const FILES: usize = 10_000;
/// Every so many files one is good.
const GOOD: usize = 100;

/// Numbers that look drawn and are the same in every run (SplitMix64).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }
}

/// A file of one kind of damage after the other.
fn damaged(n: usize, draw: &mut Draw) -> Vec<u8> {
    let mut good = numbered(FILES + n).into_bytes();
    match n % 9 {
        0 => {
            let length = draw.below(600);
            draw.bytes(length)
        }
        1 => {
            for _ in 0..4 {
                let at = draw.below(good.len());
                good[at] = draw.next() as u8;
            }
            good
        }
        2 => {
            good.truncate(draw.below(good.len()));
            good
        }
        3 => {
            let at = draw.below(good.len());
            let more = draw.bytes(40);
            good.splice(at..at, more);
            good
        }
        4 => framed(&format!(
            "tags: {}x{}",
            "[".repeat(500),
            "]".repeat(draw.below(500))
        )),
        5 => framed(&format!(
            "title: {}",
            "long ".repeat(2_000 + draw.below(2_000))
        )),
        6 => framed("title: \u{202e}txet\u{2066}\0\u{7}\u{1b}[31m\u{feff}").repeat(2),
        7 => String::from_utf8_lossy(&good)
            .replace('\n', "\r\n")
            .into_bytes(),
        _ => [b"\xef\xbb\xbf".as_slice(), &good, b"\n---\n---\nid: x\n"].concat(),
    }
}

fn framed(line: &str) -> Vec<u8> {
    format!("---\nid: m-20261001-zzzzzz\n{line}\n---\n\ntext\n").into_bytes()
}

#[test]
fn ten_thousand_hostile_files_trap_nothing() {
    let folder = Folder::vault();
    let mut draw = Draw(7);
    for n in 0..FILES {
        if n % GOOD == 0 {
            folder.put(&format!("memory/{}.md", id(n)), numbered(n));
        } else {
            folder.put(&format!("memory/hostile{n:05}.md"), damaged(n, &mut draw));
        }
    }
    let mut vault = folder.open();
    for n in (0..FILES).step_by(GOOD) {
        assert!(
            found(&mut vault, &format!("number{n}")).contains(&id(n)),
            "{n}"
        );
    }
    let checked = vault.verify(false).expect("verified");
    assert!(
        checked.faults.len() > FILES / 10,
        "{}",
        checked.faults.len()
    );
    let overview = vault.overview().expect("an overview");
    assert!(overview.bad_files.len() > FILES / 10);
    vault.rebuild_index().expect("rebuilt");
    let left = folder.files().len();
    assert!(left >= FILES, "{left}: nothing is removed");
}
