//! `.inkvault/index.json` (contract §2 `serializeIndex`, §4): written for
//! other tools, never read by this one.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::frontmatter::{source_name, stored_status};
use crate::environment::VaultPath;
use crate::error::Result;
use crate::format::{Export, Exported, Sink, TermView};
use crate::memory::{Memory, fingerprint};
use crate::timestamp::Timestamp;

/// Where it lies.
pub(super) fn path() -> VaultPath {
    VaultPath::known(".inkvault/index.json")
}

/// The index file, written memory by memory.
#[derive(Debug, Default)]
pub(super) struct IndexFile {
    memories: usize,
    newest: f64,
}

impl Export for IndexFile {
    fn path(&self) -> VaultPath {
        path()
    }

    fn begin(&mut self, sink: &mut Sink<'_>) -> Result<()> {
        sink("{\"version\":1,\"entries\":[")
    }

    fn memory(&mut self, exported: Exported<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let Exported { memory, mtime, .. } = exported;
        if self.memories > 0 {
            sink(",")?;
        }
        self.memories += 1;
        self.newest = self.newest.max(mtime);
        let entry = json!({
            "meta": meta(memory),
            "body": memory.body,
            "path": memory.path.as_str(),
            "mtimeMs": mtime,
        });
        sink(&entry.to_string())
    }

    fn end(&mut self, now: Timestamp, terms: &dyn TermView, sink: &mut Sink<'_>) -> Result<()> {
        sink(&format!(
            "],\"search\":{{\"version\":1,\"N\":{},\"avgdl\":{},\"docs\":{{",
            terms.documents(),
            json!(terms.mean_length())
        ))?;
        let mut separator = Separator::default();
        terms.each_document(&mut |id, length| {
            sink(&format!(
                "{}{}:{{\"len\":{length}}}",
                separator.next(),
                json!(id)
            ))
        })?;
        sink("},\"df\":{")?;
        let mut separator = Separator::default();
        terms.each_term(&mut |term, postings| {
            sink(&format!(
                "{}{}:{}",
                separator.next(),
                json!(term),
                postings.len()
            ))
        })?;
        sink("},\"postings\":{")?;
        let mut separator = Separator::default();
        terms.each_term(&mut |term, postings| {
            let mut counts = Separator::default();
            let mut entry = format!("{}{}:{{", separator.next(), json!(term));
            for (id, count) in postings {
                // An id of this format needs no escapes.
                let pair = [counts.next(), "\"", id, "\":", &count.to_string()];
                pair.into_iter().for_each(|piece| entry.push_str(piece));
            }
            entry.push('}');
            sink(&entry)
        })?;
        let built_at = (now.millis() as f64).max(self.newest.ceil());
        sink(&format!("}}}},\"builtAt\":{built_at}}}\n"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    version: u32,
    built_at: f64,
    entries: Vec<IgnoredAny>,
}

/// Why an index file is out of date, if it is (contract §4, 过期判定).
pub(super) fn fault(bytes: &[u8], memories: usize, newest: u64) -> Option<String> {
    match serde_json::from_slice::<Summary>(bytes) {
        Err(_) => Some("it is not in the index's form".into()),
        Ok(summary) if summary.version != 1 => {
            Some(format!("its version is {}, not 1", summary.version))
        }
        Ok(summary) if summary.entries.len() != memories => Some(format!(
            "it has {} memories, the vault has {memories}",
            summary.entries.len()
        )),
        Ok(summary) if summary.built_at < newest as f64 => {
            Some("it is older than the newest memory".into())
        }
        Ok(_) => None,
    }
}

fn meta(memory: &Memory) -> serde_json::Value {
    let metadata = &memory.metadata;
    json!({
        "id": metadata.id,
        "title": metadata.title,
        "kind": metadata.kind,
        "status": stored_status(metadata.status).name(),
        "created": metadata.created.to_string(),
        "updated": metadata.updated.to_string(),
        "tags": metadata.tags,
        "confidence": metadata.confidence,
        "source": source_name(metadata.source),
        "hash": fingerprint(memory.body.as_bytes()),
        "origin": metadata.origin,
        "delivery": metadata.delivery.name(),
    })
}

/// Nothing the first time, a comma after that.
#[derive(Default)]
struct Separator {
    written: bool,
}

impl Separator {
    fn next(&mut self) -> &'static str {
        if std::mem::replace(&mut self.written, true) {
            ","
        } else {
            ""
        }
    }
}
