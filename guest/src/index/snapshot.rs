//! The index on disk: compact, checked, disposable.
//!
//! Layout: magic, checksum of all that follows, length of the header, the
//! header (postcard), the terms' text, the encoded postings. The postings
//! stay as they are read and are decoded by the query that wants them. A
//! snapshot that is damaged, of another version or of another vault's format
//! is none; the caller rebuilds. Its checksum tells damage, not intent: whoever
//! can write the file can make it right, so what the index rests on is looked
//! at besides.

use serde::{Deserialize, Serialize};

use super::dictionary::Dictionary;
use super::documents::{Document, Documents};
use super::freshness::SkippedFiles;
use super::postings::Postings;
use super::recall::{Lookups, Order};
use super::stems::Stems;
use super::{Index, Scratch, Symbols, Weighing};
use crate::environment::VaultPath;
use crate::text::stems;
use crate::text::tokenizer::{self, Tokenizer};

const MAGIC: [u8; 8] = *b"inkvidx\x04";
const PREAMBLE: usize = 24;

/// What a snapshot was made of and how far it goes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Extent {
    /// Files that hold no memory.
    pub skipped: SkippedFiles,
    /// Position in the feed of the last change it covers.
    pub feed_position: u64,
    /// Bytes of the feed up to there.
    pub feed_offset: u64,
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    tokenizer: u32,
    stemmer: u32,
    extent: Extent,
    documents: Vec<Document>,
    symbols: Vec<Box<str>>,
    text_length: u64,
    ends: Vec<u32>,
    stems: Vec<Box<str>>,
    /// For each term its stem, from 1; 0 for a term that is its own.
    stem_of: Vec<u32>,
    lists: Vec<List>,
}

#[derive(Serialize, Deserialize)]
struct List {
    length: u32,
    last: u32,
}

/// The bytes of a snapshot.
pub fn encode(index: &Index, format: &str, extent: Extent) -> Vec<u8> {
    let (text, ends) = index.dictionary.parts();
    let (stems, stem_of) = index.stems.parts();
    let list = |postings: &Postings| List {
        length: postings.sealed_length + postings.tail.len() as u32,
        last: postings.last,
    };
    let header = Header {
        format: format.to_owned(),
        tokenizer: tokenizer::VERSION,
        stemmer: stems::VERSION,
        extent,
        documents: index.documents.all().to_vec(),
        symbols: index.symbols.names.clone(),
        text_length: text.len() as u64,
        ends: ends.to_vec(),
        stems: stems.into_iter().map(Box::from).collect(),
        stem_of: stem_of.to_vec(),
        lists: index.postings.iter().map(list).collect(),
    };
    let header = postcard::to_allocvec(&header).unwrap_or_default();
    let postings: usize = index
        .postings
        .iter()
        .map(|list| list.sealed_length as usize + list.tail.len())
        .sum();
    let mut bytes = Vec::with_capacity(PREAMBLE + header.len() + text.len() + postings);
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&(header.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(text.as_bytes());
    for list in &index.postings {
        let start = list.sealed_start as usize;
        bytes.extend_from_slice(
            index
                .sealed
                .get(start..start + list.sealed_length as usize)
                .unwrap_or_default(),
        );
        bytes.extend_from_slice(&list.tail);
    }
    let checksum = checksum(&bytes[16..]);
    bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The index in a snapshot's bytes; none where they are not one for this
/// format and tokenizer, whole, undamaged and consistent.
pub fn decode(
    bytes: Vec<u8>,
    format: &str,
    tokenizer: Tokenizer,
    weighing: Weighing,
) -> Option<(Index, Extent)> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    if bytes.get(..8)? != MAGIC || number(8)? != checksum(bytes.get(16..)?) {
        return None;
    }
    let header_end = PREAMBLE.checked_add(usize::try_from(number(16)?).ok()?)?;
    let header: Header = postcard::from_bytes(bytes.get(PREAMBLE..header_end)?).ok()?;
    if header.format != format
        || header.tokenizer != tokenizer::VERSION
        || header.stemmer != stems::VERSION
        || header.stem_of.len() != header.ends.len()
        || header.lists.len() != header.ends.len()
        || !header.documents.iter().all(is_usable)
    {
        return None;
    }
    let text_end = header_end.checked_add(usize::try_from(header.text_length).ok()?)?;
    let text = std::str::from_utf8(bytes.get(header_end..text_end)?)
        .ok()?
        .to_owned();
    let postings = place(&header.lists, text_end, bytes.len())?;
    let index = Index {
        tokenizer,
        weighing,
        documents: Documents::restore(header.documents),
        dictionary: Dictionary::restore(text, header.ends)?,
        stems: Stems::restore(&header.stems, &header.stem_of)?,
        postings,
        sealed: bytes,
        symbols: Symbols::restore(header.symbols),
        scratch: Scratch::default(),
        order: Order::default(),
        lookups: Lookups::default(),
    };
    index.is_consistent().then_some((index, header.extent))
}

/// Whether a document has a path of the vault and a length that can be
/// counted.
fn is_usable(document: &Document) -> bool {
    let mut lengths = document.lengths.iter();
    let length = lengths.try_fold(0u32, |sum, length| sum.checked_add(*length));
    let path = VaultPath::parse(&document.path);
    length.is_some() && path.is_ok_and(|path| path.as_str() == &*document.path)
}

/// The lists one after the other from `start`; none unless they end at `end`.
fn place(lists: &[List], start: usize, end: usize) -> Option<Vec<Postings>> {
    let mut start = u32::try_from(start).ok()?;
    let mut placed = Vec::with_capacity(lists.len());
    for list in lists {
        placed.push(Postings {
            sealed_start: start,
            sealed_length: list.length,
            tail: Vec::new(),
            last: list.last,
        });
        start = start.checked_add(list.length)?;
    }
    (start as usize == end).then_some(placed)
}

/// FNV-1a over eight bytes at a time, then the rest byte by byte.
pub fn checksum(bytes: &[u8]) -> u64 {
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = word.try_into().map_or(0, u64::from_le_bytes);
        hash = (hash ^ word).wrapping_mul(PRIME);
        hash ^= hash >> 32;
    }
    for byte in words.remainder() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(PRIME);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{FileMark, Manner, Standing};
    use crate::memory::{Area, Delivery, Field, Status};

    fn document(path: &str, id: &str) -> Document {
        Document {
            id: id.into(),
            path: path.into(),
            title: "".into(),
            aliases: [].into(),
            kind: 0,
            tags: [].into(),
            scope: None,
            status: Status::Active,
            area: Area::Active,
            delivery: Delivery::Recall,
            prior: 1_000,
            pinned: false,
            confidence: 500,
            status_assumed: false,
            repaired: false,
            importance: None,
            updated: 0,
            created: None,
            known_since: None,
            thread: None,
            in_conversation: false,
            manner: Manner::default(),
            lengths: [1; Field::COUNT],
            distinct: 1,
            mark: FileMark::default(),
            standing: Standing::Live,
        }
    }

    /// A snapshot of these documents whose checksum is right.
    fn forged(documents: Vec<Document>) -> Option<(Index, Extent)> {
        let header = Header {
            format: "inkvault".into(),
            tokenizer: tokenizer::VERSION,
            stemmer: stems::VERSION,
            extent: Extent::default(),
            documents,
            symbols: Vec::new(),
            text_length: 0,
            ends: Vec::new(),
            stems: Vec::new(),
            stem_of: Vec::new(),
            lists: Vec::new(),
        };
        let header = postcard::to_allocvec(&header).expect("a header");
        let rest = [&(header.len() as u64).to_le_bytes(), header.as_slice()].concat();
        let checksum = checksum(&rest).to_le_bytes();
        let bytes = [&MAGIC, checksum.as_slice(), &rest].concat();
        decode(
            bytes,
            "inkvault",
            Tokenizer::Bigrams,
            Weighing::Saturating([1.0; Field::COUNT]),
        )
    }

    #[test]
    fn a_forged_snapshot_that_contradicts_itself_is_none() {
        let good = || document("memory/a.md", "a");
        assert!(forged(vec![good(), document("memory/b.md", "b")]).is_some());
        for path in ["../a.md", "/a.md", "a//b.md", "", "a\0.md", "C:\\a.md"] {
            assert!(forged(vec![document(path, "a")]).is_none(), "{path}");
        }
        assert!(forged(vec![good(), document("memory/a.md", "b")]).is_none());
        assert!(forged(vec![good(), document("memory/b.md", "a")]).is_none());
        let shadowed = Document {
            standing: Standing::Shadowed,
            ..good()
        };
        assert!(forged(vec![shadowed]).is_none());
        let endless = Document {
            lengths: [u32::MAX; Field::COUNT],
            ..good()
        };
        assert!(forged(vec![endless]).is_none());
    }
}
