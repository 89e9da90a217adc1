//! Bytes that were made to hurt: good input that was damaged, and files of
//! the kinds that readers stumble over.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use crate::common::Layout;

/// What happens to bytes on their way. Places are taken modulo the length.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    /// A bit is turned.
    Flip { at: usize, bit: u8 },
    /// The end is lost.
    Truncate { at: usize },
    /// Something else comes between.
    Splice { at: usize, with: Vec<u8> },
    /// A part stands twice.
    Duplicate { from: usize, length: usize },
}

impl Damage {
    fn any() -> impl Strategy<Value = Self> {
        let place = any::<u16>().prop_map(usize::from);
        let bytes = prop::collection::vec(any::<u8>(), 0..20);
        prop_oneof![
            4 => (place.clone(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip { at, bit }),
            1 => place.clone().prop_map(|at| Damage::Truncate { at }),
            2 => (place.clone(), bytes).prop_map(|(at, with)| Damage::Splice { at, with }),
            2 => (place, 0..200_usize).prop_map(|(from, length)| Damage::Duplicate { from, length }),
        ]
    }

    fn apply(&self, bytes: &mut Vec<u8>) {
        let places = bytes.len().max(1);
        match self {
            Damage::Flip { at, bit } => {
                if let Some(byte) = bytes.get_mut(at % places) {
                    *byte ^= 1 << bit;
                }
            }
            Damage::Truncate { at } => bytes.truncate(at % places),
            Damage::Splice { at, with } => {
                let at = (at % places).min(bytes.len());
                bytes.splice(at..at, with.iter().copied());
            }
            Damage::Duplicate { from, length } => {
                let from = (from % places).min(bytes.len());
                let end = (from + length).min(bytes.len());
                let part = bytes[from..end].to_vec();
                bytes.splice(end..end, part);
            }
        }
    }
}

/// One of some good inputs, damaged up to four times.
pub(crate) fn damaged(good: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let damages = prop::collection::vec(Damage::any(), 1..5);
    (prop::sample::select(good), damages).prop_map(|(mut bytes, damages)| {
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        bytes
    })
}

/// A kind of file that readers stumble over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A memory that was damaged.
    Damaged,
    /// Random bytes.
    Random,
    /// A value nested hundreds of levels deep.
    DeepYaml,
    /// A line of thousands of characters.
    HugeLine,
    /// Byte order marks.
    Bom,
    /// Line ends of other systems.
    Crlf,
    /// NUL characters.
    Nul,
    /// Characters that turn or hide text.
    Bidi,
    /// Control characters.
    Control,
}

impl Class {
    /// All of them.
    pub(crate) const ALL: [Class; 9] = [
        Class::Damaged,
        Class::Random,
        Class::DeepYaml,
        Class::HugeLine,
        Class::Bom,
        Class::Crlf,
        Class::Nul,
        Class::Bidi,
        Class::Control,
    ];

    /// Files of that kind, in vaults of a format.
    pub(crate) fn files(self, layout: Layout) -> BoxedStrategy<Vec<u8>> {
        let note = || note(layout);
        let strewn = |texts| strewn(layout, texts);
        match self {
            Class::Damaged => note()
                .prop_flat_map(|note| damaged(vec![note.into()]))
                .boxed(),
            Class::Random => random_bytes().boxed(),
            Class::DeepYaml => (note(), deep_value())
                .prop_map(move |(note, value)| with_entry(layout, &note, &value))
                .boxed(),
            Class::HugeLine => (note(), huge_line())
                .prop_map(move |(note, line)| with_entry(layout, &note, &line))
                .boxed(),
            Class::Bom => strewn(&["\u{FEFF}"])
                .prop_map(|text| [b"\xef\xbb\xbf", text.as_slice()].concat())
                .boxed(),
            Class::Crlf => (strewn(&["\r\n", "\r", "\n\r"]), any::<bool>())
                .prop_map(|(text, all)| if all { with_crlf(&text) } else { text })
                .boxed(),
            Class::Nul => strewn(&["\0"]),
            Class::Bidi => strewn(&[
                "\u{202E}", "\u{202C}", "\u{2066}", "\u{2069}", "\u{200F}", "\u{200B}", "\u{2060}",
            ]),
            Class::Control => strewn(&[
                "\u{1}",
                "\u{8}",
                "\u{b}",
                "\u{c}",
                "\u{1b}[2J",
                "\u{7f}",
                "\u{85}",
                "\u{2028}",
            ]),
        }
    }

    /// Whether a file has what makes it one of that kind.
    pub(crate) fn shows_in(self, file: &[u8]) -> bool {
        let text = String::from_utf8_lossy(file);
        let has = |characters: &[char]| text.contains(characters);
        match self {
            Class::Damaged | Class::Random => true,
            Class::DeepYaml => depth(&text) >= 100,
            Class::HugeLine => text.lines().any(|line| line.chars().count() >= 4_000),
            Class::Bom => text.starts_with('\u{FEFF}'),
            Class::Crlf => has(&['\r']),
            Class::Nul => has(&['\0']),
            Class::Bidi => has(&[
                '\u{202E}', '\u{202C}', '\u{2066}', '\u{2069}', '\u{200F}', '\u{200B}', '\u{2060}',
            ]),
            Class::Control => text
                .chars()
                .any(|c| (c.is_control() && !"\n\r\0".contains(c)) || c == '\u{2028}'),
        }
    }
}

/// Draws from strategies, the same on every run.
pub(crate) struct Draw {
    runner: TestRunner,
}

impl Draw {
    pub(crate) fn new() -> Self {
        let config = Config {
            rng_seed: RngSeed::Fixed(2026),
            ..Config::default()
        };
        Draw {
            runner: TestRunner::new(config),
        }
    }

    pub(crate) fn one<T: std::fmt::Debug>(&mut self, strategy: &BoxedStrategy<T>) -> T {
        let tree = strategy.new_tree(&mut self.runner);
        tree.expect("a strategy that rejects nothing").current()
    }
}

/// Ids of hostile files begin here.
const FIRST: usize = 900_000;

/// A memory of its own id; its words are those of no good one.
fn note(layout: Layout) -> impl Strategy<Value = String> {
    const WORDS: [&str; 8] = ["a", "word", "# ", "记忆", "\n", "- x", "[[link]]", "😀"];
    let words = prop::collection::vec(prop::sample::select(WORDS.to_vec()), 0..20);
    (0..100_000_usize, words).prop_map(move |(n, words)| {
        let id = layout.id(FIRST + n);
        layout.note(&id, &words.len().to_string(), &words.join(" "))
    })
}

/// Up to 2,000 bytes, drawn at once.
fn random_bytes() -> impl Strategy<Value = Vec<u8>> {
    (any::<u64>(), 1..2_000_usize).prop_map(|(seed, length)| {
        let step = |state: &u64| Some(state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1));
        let states = std::iter::successors(Some(seed), step);
        states
            .map(|state| (state >> 56) as u8)
            .take(length)
            .collect()
    })
}

/// A note with another entry; where notes have none, in its text.
fn with_entry(layout: Layout, note: &str, value: &str) -> Vec<u8> {
    if layout.frontmatter {
        note.replacen("tags:", &format!("x: {value}\ntags:"), 1)
    } else {
        format!("{note}x: {value}\n")
    }
    .into()
}

fn deep_value() -> impl Strategy<Value = String> {
    let blocks = |depth: usize| -> String {
        (1..depth)
            .map(|level| format!("\n{}a:", " ".repeat(level)))
            .collect()
    };
    let lists = |depth: usize| format!("\n  {}x", "- ".repeat(depth));
    let open = |depth: usize| "[".repeat(depth);
    let flows = |depth: usize| format!("{}x{}", "{a: [".repeat(depth), "]}".repeat(depth));
    prop_oneof![
        (101..200_usize).prop_map(blocks),
        (100..2_000_usize).prop_map(lists),
        (100..5_000_usize).prop_map(open),
        (100..2_000_usize).prop_map(flows),
    ]
}

fn huge_line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "x", "ab ", "记忆", "'", "\"", "a, ", "# ", "&a ", "😀",
    ]);
    (piece, 4_000..10_000_usize).prop_map(|(piece, times)| piece.repeat(times))
}

/// A note with some of these texts at places in it.
fn strewn(layout: Layout, texts: &[&'static str]) -> BoxedStrategy<Vec<u8>> {
    let text = prop::sample::select(texts.to_vec());
    let places = prop::collection::vec((any::<prop::sample::Index>(), text), 1..10);
    (note(layout), places)
        .prop_map(|(note, places)| strew(note, &places))
        .boxed()
}

fn strew(mut note: String, places: &[(prop::sample::Index, &str)]) -> Vec<u8> {
    for (place, text) in places {
        let mut at = place.index(note.len() + 1);
        while !note.is_char_boundary(at) {
            at -= 1;
        }
        note.insert_str(at, text);
    }
    note.into()
}

fn with_crlf(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).replace('\n', "\r\n").into()
}

/// How deep a text opens brackets, lists or blocks.
fn depth(text: &str) -> usize {
    let brackets = text.matches(['[', '{']).count();
    let dashes = text.matches("- ").count();
    let indented = text
        .lines()
        .map(|line| line.len() - line.trim_start().len())
        .max();
    brackets.max(dashes).max(indented.unwrap_or(0))
}
