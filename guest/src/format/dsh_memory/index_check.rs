//! Whether `.dsh-memory/index.json` still describes the vault (dsh-memory
//! format §5.1). Only its shape is looked at, and nothing of it is kept, so
//! that a large one costs no memory.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::index_file::VERSION;
use crate::timestamp::Timestamp;

/// Why an index file is dropped and built anew, if it is: for a vault of so
/// many memories whose newest file was changed at `newest` milliseconds since
/// 1970, and which lies at `vault_path` as far as anybody said.
pub(super) fn fault(
    bytes: &[u8],
    memories: usize,
    newest: u64,
    vault_path: Option<&str>,
) -> Option<String> {
    let head: Head = match serde_json::from_slice(bytes) {
        Ok(head) => head,
        Err(error) => return Some(format!("it is not in the index's form ({error})")),
    };
    head.fault(newest, vault_path)
        .or_else(|| match serde_json::from_slice::<Body>(bytes) {
            Err(error) => Some(format!(
                "its `records` are not in the index's form ({error})"
            )),
            Ok(body) if body.records.len() != memories => Some(format!(
                "it has {} memories, the vault has {memories}",
                body.records.len()
            )),
            Ok(_) => None,
        })
}

/// Where the vault lies, as an index file says.
pub(super) fn vault_path(bytes: &[u8]) -> Option<String> {
    let head: Head = serde_json::from_slice(bytes).ok()?;
    let path = head.vault_path?.as_str()?.to_owned();
    (!path.is_empty()).then_some(path)
}

/// What stands beside the records.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    version: Option<serde_json::Value>,
    built_at: Option<serde_json::Value>,
    vault_path: Option<serde_json::Value>,
}

impl Head {
    fn fault(&self, newest: u64, vault_path: Option<&str>) -> Option<String> {
        let text = |value: &Option<serde_json::Value>| {
            let text = value.as_ref().and_then(serde_json::Value::as_str);
            text.map(str::to_owned)
        };
        let version = self.version.as_ref();
        if version.and_then(serde_json::Value::as_u64) != Some(VERSION) {
            let found = version.map_or("missing".to_owned(), ToString::to_string);
            return Some(format!("its version is {found}, not {VERSION}"));
        }
        let Some(there) = text(&self.vault_path) else {
            return Some("it does not say of which vault it is (`vaultPath`)".into());
        };
        if let Some(here) = vault_path.filter(|here| !is_same_place(here, &there)) {
            return Some(format!("it is of the vault at `{there}`, not of `{here}`"));
        }
        let built_at = text(&self.built_at).and_then(|text| Timestamp::parse(&text));
        let is_old = built_at.is_none_or(|built_at| built_at.millis() < newest as i64);
        is_old.then(|| "it is older than the newest memory".into())
    }
}

/// Whether two paths of a host name one place, whichever slash they use.
fn is_same_place(one: &str, other: &str) -> bool {
    let plain = |path: &str| path.replace('\\', "/").trim_end_matches('/').to_owned();
    plain(one) == plain(other)
}

#[derive(Deserialize)]
struct Body {
    records: Vec<Record>,
}

/// The shape of a record: every field, by its type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are only checked for their type")]
struct Record {
    id: Text,
    path: Text,
    r#type: Text,
    status: Text,
    title: Text,
    tags: Vec<Text>,
    aliases: Vec<Text>,
    confidence: Text,
    importance: f64,
    pinned: bool,
    created_at: Text,
    updated_at: Text,
    preview: Text,
    terms: Terms,
    links: Vec<Text>,
    size: f64,
    mtime_ms: f64,
    checksum: Text,
}

/// A text that is not kept.
struct Text;

/// A map from texts to numbers that is not kept.
struct Terms;

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text)
    }
}

impl Visitor<'_> for Text {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_str<E: Error>(self, _text: &str) -> Result<Self, E> {
        Ok(Text)
    }
}

impl<'de> Deserialize<'de> for Terms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Terms)
    }
}

impl<'de> Visitor<'de> for Terms {
    type Value = Terms;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map from terms to numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, f64>()?.is_some() {}
        Ok(Terms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = r#"{"id":"a","path":"p","type":"task","status":"active","title":"t","tags":["task"],
        "aliases":[],"confidence":"high","importance":85,"pinned":false,"createdAt":"","updatedAt":"",
        "preview":"\u4e2d","terms":{"t":8.5},"links":["x"],"size":1,"mtimeMs":1.5,"checksum":"0"}"#;

    fn check(record: &str) -> Option<String> {
        let text = format!(
            r#"{{"version":3,"builtAt":"2026-10-17T07:59:20.596Z","vaultPath":"D:\\v","records":[{record}]}}"#
        );
        fault(text.as_bytes(), 1, 0, Some("D:/v/"))
    }

    #[test]
    fn every_field_of_a_record_has_its_type() {
        assert_eq!(check(RECORD), None);
        for (right, wrong) in [
            ("\"a\"", "1"),
            ("[\"task\"]", "\"task\""),
            ("[\"x\"]", "[1]"),
            ("85", "\"85\""),
            ("85", "null"),
            ("false", "\"false\""),
            ("8.5", "\"8.5\""),
            ("{\"t\":8.5}", "[8.5]"),
            ("\"checksum\"", "\"other\""),
        ] {
            let why = check(&RECORD.replace(right, wrong)).unwrap_or_default();
            assert!(why.contains("`records`"), "{right} {wrong}: {why}");
        }
    }

    #[test]
    fn an_index_that_is_too_small_or_too_old() {
        assert!(check("").is_some_and(|why| why.contains("it has 0 memories")));
        let text =
            r#"{"version":3,"builtAt":"2026-10-17T07:59:20.596Z","vaultPath":"","records":[]}"#;
        assert_eq!(fault(text.as_bytes(), 0, 1_792_223_960_596, None), None);
        let newer = fault(text.as_bytes(), 0, 1_792_223_960_597, None);
        assert!(newer.is_some_and(|why| why.contains("older")));
        assert_eq!(vault_path(text.as_bytes()), None);
    }
}
