//! `.dsh-memory/index.json`, version 3 (dsh-memory format §5): written for
//! other tools, never read by this one.

use std::collections::BTreeMap;

use serde_json::{Number, Value, json};

use super::frontmatter::{Confidence, distinct};
use super::sections::{Layout, preview};
use super::{FIELD_WEIGHTS, ORDINARY_IMPORTANCE, fields};
use crate::document::{Reference, ends_word, references};
use crate::environment::VaultPath;
use crate::error::Result;
use crate::format::{Export, Exported, Sink, TermView};
use crate::memory::Memory;
use crate::text::tokenizer::Tokenizer;
use crate::timestamp::Timestamp;

/// The version of its form.
pub(super) const VERSION: u64 = 3;

/// Where it lies.
pub(super) fn path() -> VaultPath {
    VaultPath::known(".dsh-memory/index.json")
}

/// The index file, written record by record in the order the vault is read:
/// directory by directory, by name.
#[derive(Debug, Default)]
pub(super) struct IndexFile {
    vault_path: String,
    records: usize,
    newest: f64,
}

impl IndexFile {
    /// Of a vault that lies there on the host; empty where nobody said.
    pub(super) fn of(vault_path: Option<&str>) -> Self {
        IndexFile {
            vault_path: vault_path.unwrap_or_default().to_owned(),
            ..IndexFile::default()
        }
    }
}

impl Export for IndexFile {
    fn path(&self) -> VaultPath {
        path()
    }

    fn begin(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        sink(&format!("{{\"version\":{VERSION},\"records\":["))
    }

    fn memory(&mut self, exported: Exported<'_>, sink: &mut Sink<'_>) -> Result<()> {
        if self.records > 0 {
            sink(",")?;
        }
        self.records += 1;
        self.newest = self.newest.max(exported.mtime);
        sink(&format!("\n{}", record(exported)))
    }

    fn end(&mut self, now: Timestamp, _terms: &dyn TermView, sink: &mut Sink<'_>) -> Result<()> {
        // Never older than what it holds, whatever the clock says.
        let built_at = now.max(Timestamp::from_millis(self.newest.ceil() as i64));
        let vault_path = json!(self.vault_path);
        sink(&format!(
            "\n],\"builtAt\":\"{built_at}\",\"vaultPath\":{vault_path}}}\n"
        ))
    }
}

fn record(exported: Exported<'_>) -> Value {
    let Exported {
        memory,
        bytes,
        mtime,
    } = exported;
    let metadata = &memory.metadata;
    json!({
        "id": metadata.id,
        "path": memory.path.as_str(),
        "type": metadata.kind,
        "status": metadata.status.name(),
        "title": metadata.title,
        "tags": metadata.tags,
        "aliases": metadata.aliases,
        "confidence": Confidence::of(metadata.confidence).name(),
        "importance": metadata.importance.unwrap_or(ORDINARY_IMPORTANCE),
        "pinned": metadata.pinned,
        "createdAt": metadata.created.to_string(),
        "updatedAt": metadata.updated.to_string(),
        "preview": preview(&memory.body),
        "terms": terms(memory),
        "links": links(&memory.body),
        "size": bytes.len(),
        "mtimeMs": number(mtime),
        "checksum": checksum(bytes),
    })
}

/// The weight of each term: over the fields, the field's weight × (1 + ln n)
/// for n occurrences, to six decimals.
fn terms(memory: &Memory) -> BTreeMap<String, Value> {
    let mut weights: BTreeMap<String, f64> = BTreeMap::new();
    for (field, text) in fields(memory) {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        Tokenizer::UnigramsAndBigrams.each(&text, &mut |term| {
            *counts.entry(term.to_owned()).or_default() += 1;
        });
        for (term, count) in counts {
            let weight = FIELD_WEIGHTS[field as usize] * (1.0 + f64::from(count).ln());
            *weights.entry(term).or_default() += weight;
        }
    }
    let rounded = |weight: f64| number((weight * 1e6).round() / 1e6);
    let weights = weights.into_iter();
    weights
        .map(|(term, weight)| (term, rounded(weight)))
        .collect()
}

/// What the links of a memory name, each once.
fn links(body: &str) -> Vec<String> {
    let found = references(Layout::of_body(body).related(), ends_word, |_| false);
    distinct(found.iter().map(Reference::name))
}

/// A number as other tools write it: `8`, not `8.0`.
fn number(number: f64) -> Value {
    let whole = number as i64;
    if whole as f64 == number {
        return whole.into();
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// The fingerprint of a file's bytes in the index file: 32-bit FNV-1a, eight
/// hexadecimal digits (dsh-memory format §5).
pub fn checksum(bytes: &[u8]) -> String {
    let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    let hash = bytes.iter().fold(0x811c_9dc5, step);
    format!("{hash:08x}")
}
