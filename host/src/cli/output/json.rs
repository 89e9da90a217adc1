//! The interface's records as JSON: the names of `wit/` with `_` in fields and
//! `-` in words, absent values as `null`, lists as arrays.
//!
//! The fields are named here once more, and the compiler sees to it that none
//! is forgotten.

use inkvault::capture::{Candidate, Proposal, SkipReason, Skipped};
use inkvault::convert::{Affected, Field, Finding, Renamed, Report, Skipped as LeftOut};
use inkvault::curation::{Link, Page};
use inkvault::types::{
    Area, Delivery, Memory, Metadata, Receipt, Role, SimilarMemory, Source, Status,
};
use inkvault::upkeep::{
    BadFile, Count, DuplicateId, Fault, IndexText, JournalEntry, RebuildReport, RepairedFile,
    Severity, Staged, StagingReceipt, Summary, SyncReport, Verification,
};
use inkvault::vault::{Directives, DropReason, DroppedItem, Factor, Hit, Recalled, RecalledItem};
use serde_json::Value;

use crate::cli::moment::Moment;

/// What can be printed as JSON.
pub(crate) trait ToJson {
    /// The value as JSON.
    fn to_json(&self) -> Value;
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToJson::to_json)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> Value {
        self.iter().map(ToJson::to_json).collect()
    }
}

macro_rules! plain {
    ($($type:ty),+ $(,)?) => {
        $(impl ToJson for $type {
            fn to_json(&self) -> Value {
                self.clone().into()
            }
        })+
    };
}

macro_rules! words {
    ($($type:ty),+ $(,)?) => {
        $(impl ToJson for $type {
            fn to_json(&self) -> Value {
                self.name().into()
            }
        })+
    };
}

macro_rules! record {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        impl ToJson for $type {
            fn to_json(&self) -> serde_json::Value {
                // No `..`: a field that is not named does not compile.
                let Self { $($field),+ } = self;
                let mut fields = serde_json::Map::new();
                $(fields.insert(stringify!($field).to_owned(), $field.to_json());)+
                fields.into()
            }
        }
    };
}

pub(crate) use record;

plain!(String, bool, u8, u32, u64, f64);

impl ToJson for Moment {
    fn to_json(&self) -> Value {
        self.to_string().into()
    }
}

words!(
    Area, Delivery, DropReason, Field, Role, Severity, SkipReason, Source, Status
);

record!(Metadata {
    id,
    title,
    kind,
    status,
    created,
    updated,
    tags,
    aliases,
    confidence,
    importance,
    pinned,
    delivery,
    source,
    origin,
    evidence,
    supersedes,
    superseded_by,
    conflicts_with,
    converted_from,
    scope,
    path,
    revision,
    hash,
    bytes,
    repairs,
});

record!(Memory { metadata, body });

record!(SimilarMemory { id, title, overlap });

record!(Receipt {
    metadata,
    created,
    changed_paths,
    revisions_before,
    revisions_after,
    commit_message,
    similar,
    repairs,
    notes,
    feed_position,
});

record!(Candidate {
    kind,
    confidence,
    title,
    body,
    tags,
    rule,
    delivery,
});

record!(Skipped {
    candidate,
    reason,
    similar,
});

record!(Proposal { filed, skipped });

record!(Hit {
    metadata,
    score,
    snippet,
    matched_terms,
    area,
});

record!(Factor { name, value });

record!(RecalledItem {
    id,
    title,
    revision,
    tokens,
    score,
    cut,
    factors,
});

record!(DroppedItem { id, reason });

record!(Recalled {
    text,
    items,
    dropped,
    tokens,
    query,
});

record!(Directives {
    text,
    ids,
    count,
    characters,
    overflow,
    max_chars,
});

record!(Page { memories, total });

record!(Link {
    source,
    target,
    text,
});

record!(JournalEntry {
    time,
    operation,
    id,
    path,
    detail,
    raw,
});

record!(IndexText {
    text,
    entries,
    omitted,
    repeated,
});

record!(Staged {
    number,
    date,
    scope,
    text,
});

record!(StagingReceipt {
    entry,
    changed_paths,
    revisions_before,
    revisions_after,
    commit_message,
    notes,
    feed_position,
});

record!(Count { name, count });

record!(BadFile { path, reason });
record!(RepairedFile { path, repairs });

record!(DuplicateId { id, paths });

record!(Summary {
    format,
    language,
    read_only,
    memories,
    statuses,
    kinds,
    scopes,
    directives,
    staged,
    ignored,
    repaired,
    repaired_files,
    bad_files,
    duplicates,
    trash,
    feed_position,
    notes,
});

record!(SyncReport {
    memories,
    added,
    changed,
    removed,
    bad_files,
});

record!(RebuildReport {
    memories,
    quarantined,
    exported,
    notes,
});

record!(Fault {
    path,
    severity,
    message,
    mend,
    fixed,
});

record!(Verification { checked, faults });

record!(Affected { id, detail });

record!(Finding {
    field,
    what,
    memories,
});

record!(LeftOut { id, path, reason });

record!(Renamed { old, new });

record!(Report {
    from,
    to,
    memories,
    converted,
    mapped,
    kept,
    lost,
    skipped,
    ignored,
    ids,
});

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_record_keeps_the_names_of_the_interface() {
        let dropped = DroppedItem {
            id: "m-1".to_owned(),
            reason: DropReason::LowConfidence,
        };
        let recalled = Recalled {
            text: None,
            items: Vec::new(),
            dropped: vec![dropped],
            tokens: 0,
            query: "深色".to_owned(),
        };
        let expected = json!({
            "text": null,
            "items": [],
            "dropped": [{"id": "m-1", "reason": "low-confidence"}],
            "tokens": 0,
            "query": "深色",
        });
        assert_eq!(recalled.to_json(), expected);
    }

    #[test]
    fn fields_keep_their_order() {
        let item = RecalledItem {
            id: "m-1".to_owned(),
            title: "Tabs".to_owned(),
            revision: "0123456789abcdef".to_owned(),
            tokens: 12,
            score: 3.25,
            cut: false,
            factors: vec![Factor {
                name: "tabs".to_owned(),
                value: 3.25,
            }],
        };
        assert_eq!(
            item.to_json().to_string(),
            r#"{"id":"m-1","title":"Tabs","revision":"0123456789abcdef","tokens":12,"score":3.25,"cut":false,"factors":[{"name":"tabs","value":3.25}]}"#
        );
    }
}
