//! Records of the interface from and to those of the vault: the same fields,
//! nothing decided.

use super::bindings::exports::inkvault::memory::{capture, curation, upkeep, vault as verbs};
use super::bindings::inkvault::memory::types;
use crate::error::Error;
use crate::memory::{self, Memory};
use crate::vault;

/// Each of a list, converted.
pub(super) fn all<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
    list.into_iter().map(Into::into).collect()
}

/// Conversions between enums of the same cases.
macro_rules! same_cases {
    ($ours:path, $theirs:path, [$($case:ident),+]) => {
        impl From<$ours> for $theirs {
            fn from(value: $ours) -> Self {
                use $ours as Ours;
                match value { $(Ours::$case => Self::$case),+ }
            }
        }
        impl From<$theirs> for $ours {
            fn from(value: $theirs) -> Self {
                use $theirs as Theirs;
                match value { $(Theirs::$case => Self::$case),+ }
            }
        }
    };
}

same_cases!(
    memory::Status,
    types::Status,
    [Active, Pending, Stale, Superseded, Conflict, Archived]
);
same_cases!(memory::Delivery, types::Delivery, [Recall, Prompt]);
same_cases!(memory::Source, types::Source, [Capture, Manual, Imported]);
same_cases!(memory::Area, types::Area, [Active, Cold]);
same_cases!(vault::Role, types::Role, [System, User, Assistant, Tool]);
same_cases!(
    vault::DropReason,
    verbs::DropReason,
    [
        Excluded,
        Directive,
        Duplicate,
        Superseded,
        LowConfidence,
        Budget,
        Limit,
        Unreadable
    ]
);
same_cases!(
    vault::SkipReason,
    capture::SkipReason,
    [Duplicate, Similar, Secret]
);
same_cases!(vault::Severity, upkeep::Severity, [Note, Warning, Error]);

impl From<Error> for types::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::InvalidArgument(why) => Self::InvalidArgument(why),
            Error::NotFound(why) => Self::NotFound(why),
            Error::RevisionConflict(why) => Self::RevisionConflict(why),
            Error::AlreadyExists(why) => Self::AlreadyExists(why),
            Error::Unsupported(why) => Self::Unsupported(why),
            Error::Refused(why) => Self::Refused(why),
            Error::Busy(why) => Self::Busy(why),
            Error::ReadOnly => Self::ReadOnly,
            Error::Corrupt(why) => Self::Corrupt(why),
            Error::Io(why) => Self::Io(why),
        }
    }
}

fn metadata(memory: &Memory) -> types::Metadata {
    let hash = memory::fingerprint(memory.body.as_bytes());
    let metadata = memory.metadata.clone();
    types::Metadata {
        id: metadata.id,
        title: metadata.title,
        kind: metadata.kind,
        status: metadata.status.into(),
        created: metadata.created.to_string(),
        updated: metadata.updated.to_string(),
        tags: metadata.tags,
        aliases: metadata.aliases,
        confidence: metadata.confidence,
        importance: metadata.importance,
        pinned: metadata.pinned,
        delivery: metadata.delivery.into(),
        source: metadata.source.into(),
        origin: metadata.origin,
        evidence: metadata.evidence,
        supersedes: metadata.supersedes,
        superseded_by: metadata.superseded_by,
        conflicts_with: metadata.conflicts_with,
        converted_from: metadata.converted_from,
        scope: metadata.scope,
        path: memory.path.as_str().to_owned(),
        revision: memory.revision.clone(),
        hash,
        bytes: memory.bytes,
        repairs: memory.repairs.clone(),
    }
}

impl From<Memory> for types::Metadata {
    fn from(memory: Memory) -> Self {
        metadata(&memory)
    }
}

impl From<Memory> for types::Memory {
    fn from(memory: Memory) -> Self {
        types::Memory {
            metadata: metadata(&memory),
            body: memory.body,
        }
    }
}

impl From<verbs::Draft> for vault::Draft {
    fn from(draft: verbs::Draft) -> Self {
        vault::Draft {
            id: draft.id,
            revision: draft.revision,
            title: draft.title,
            body: draft.body,
            kind: draft.kind,
            status: draft.status.map(Into::into),
            created: draft.created,
            updated: draft.updated,
            tags: draft.tags,
            aliases: draft.aliases,
            confidence: draft.confidence,
            importance: draft.importance,
            pinned: draft.pinned,
            delivery: draft.delivery.map(Into::into),
            source: draft.source.map(Into::into),
            origin: draft.origin,
            evidence: draft.evidence,
            supersedes: draft.supersedes,
            superseded_by: draft.superseded_by,
            conflicts_with: draft.conflicts_with,
            converted_from: draft.converted_from,
            scope: draft.scope,
            path: draft.path,
            overwrite: draft.overwrite,
            allow_secrets: draft.allow_secrets,
            utc_offset_minutes: draft.utc_offset_minutes,
        }
    }
}

impl From<vault::SimilarMemory> for types::SimilarMemory {
    fn from(similar: vault::SimilarMemory) -> Self {
        types::SimilarMemory {
            id: similar.id,
            title: similar.title,
            overlap: similar.overlap,
        }
    }
}

impl From<vault::Receipt> for types::Receipt {
    fn from(receipt: vault::Receipt) -> Self {
        types::Receipt {
            metadata: metadata(&receipt.memory),
            created: receipt.created,
            changed_paths: receipt.changed_paths,
            revisions_before: receipt.revisions_before,
            revisions_after: receipt.revisions_after,
            commit_message: receipt.commit_message,
            similar: all(receipt.similar),
            repairs: receipt.repairs,
            notes: receipt.notes,
            feed_position: receipt.feed_position,
        }
    }
}

impl From<verbs::SearchOptions> for vault::SearchOptions {
    fn from(options: verbs::SearchOptions) -> Self {
        vault::SearchOptions {
            limit: options.limit,
            statuses: all(options.statuses),
            kinds: options.kinds,
            tags: options.tags,
            scope: options.scope,
            areas: all(options.areas),
        }
    }
}

impl From<vault::Hit> for verbs::Hit {
    fn from(hit: vault::Hit) -> Self {
        verbs::Hit {
            metadata: metadata(&hit.memory),
            score: hit.score,
            snippet: hit.snippet,
            matched_terms: hit.matched_terms,
            area: hit.area.into(),
        }
    }
}

impl From<verbs::Message> for vault::Message {
    fn from(message: verbs::Message) -> Self {
        vault::Message {
            role: message.role.into(),
            text: message.text,
            source_kind: message.source_kind,
            thread: message.thread,
        }
    }
}

impl From<verbs::RecallRequest> for vault::RecallRequest {
    fn from(request: verbs::RecallRequest) -> Self {
        vault::RecallRequest {
            messages: all(request.messages),
            query: request.query,
            token_budget: request.token_budget,
            limit: request.limit,
            exclude: request.exclude,
            scope: request.scope,
            areas: all(request.areas),
            explain: request.explain,
        }
    }
}

impl From<vault::RecalledItem> for verbs::RecalledItem {
    fn from(item: vault::RecalledItem) -> Self {
        let factor = |factor: vault::Factor| verbs::Factor {
            name: factor.name,
            value: factor.value,
        };
        verbs::RecalledItem {
            id: item.id,
            title: item.title,
            revision: item.revision,
            tokens: item.tokens,
            score: item.score,
            cut: item.cut,
            factors: item.factors.into_iter().map(factor).collect(),
        }
    }
}

impl From<vault::DroppedItem> for verbs::DroppedItem {
    fn from(item: vault::DroppedItem) -> Self {
        verbs::DroppedItem {
            id: item.id,
            reason: item.reason.into(),
        }
    }
}

impl From<vault::Recalled> for verbs::Recalled {
    fn from(recalled: vault::Recalled) -> Self {
        verbs::Recalled {
            text: recalled.text,
            items: all(recalled.items),
            dropped: all(recalled.dropped),
            tokens: recalled.tokens,
            query: recalled.query,
        }
    }
}

impl From<vault::Directives> for verbs::Directives {
    fn from(directives: vault::Directives) -> Self {
        verbs::Directives {
            text: directives.text,
            ids: directives.ids,
            count: directives.count,
            characters: directives.characters,
            overflow: directives.overflow,
            max_chars: directives.max_chars,
        }
    }
}

impl From<vault::Link> for curation::Link {
    fn from(link: vault::Link) -> Self {
        curation::Link {
            source: link.source,
            target: link.target,
            text: link.text,
        }
    }
}

impl From<capture::CaptureRequest> for vault::CaptureRequest {
    fn from(request: capture::CaptureRequest) -> Self {
        vault::CaptureRequest {
            user_text: request.user_text,
            max_candidates: request.max_candidates,
            min_confidence: request.min_confidence,
            origin: request.origin,
        }
    }
}

impl From<vault::Candidate> for capture::Candidate {
    fn from(candidate: vault::Candidate) -> Self {
        capture::Candidate {
            kind: candidate.kind,
            confidence: candidate.confidence,
            title: candidate.title,
            body: candidate.body,
            tags: candidate.tags,
            rule: candidate.rule,
            delivery: candidate.delivery.into(),
        }
    }
}

impl From<vault::Skipped> for capture::Skipped {
    fn from(skipped: vault::Skipped) -> Self {
        capture::Skipped {
            candidate: skipped.candidate.into(),
            reason: skipped.reason.into(),
            similar: all(skipped.similar),
        }
    }
}

impl From<vault::BadFile> for upkeep::BadFile {
    fn from(bad: vault::BadFile) -> Self {
        upkeep::BadFile {
            path: bad.path,
            reason: bad.reason,
        }
    }
}

impl From<vault::Count> for upkeep::Count {
    fn from(count: vault::Count) -> Self {
        upkeep::Count {
            name: count.name,
            count: count.count,
        }
    }
}

impl From<vault::DuplicateId> for upkeep::DuplicateId {
    fn from(duplicate: vault::DuplicateId) -> Self {
        upkeep::DuplicateId {
            id: duplicate.id,
            paths: duplicate.paths,
        }
    }
}

impl From<vault::RepairedFile> for upkeep::RepairedFile {
    fn from(file: vault::RepairedFile) -> Self {
        upkeep::RepairedFile {
            path: file.path,
            repairs: file.repairs,
        }
    }
}

impl From<vault::Overview> for upkeep::Summary {
    fn from(overview: vault::Overview) -> Self {
        upkeep::Summary {
            format: overview.format,
            language: overview.language,
            read_only: overview.read_only,
            memories: overview.memories,
            statuses: all(overview.statuses),
            kinds: all(overview.kinds),
            scopes: all(overview.scopes),
            directives: overview.directives,
            staged: overview.staged,
            ignored: overview.ignored,
            repaired: overview.repaired,
            repaired_files: all(overview.repaired_files),
            bad_files: all(overview.bad_files),
            duplicates: all(overview.duplicates),
            trash: overview.trash,
            feed_position: overview.feed_position,
            notes: overview.notes,
        }
    }
}

impl From<upkeep::IndexOptions> for vault::IndexOptions {
    fn from(options: upkeep::IndexOptions) -> Self {
        vault::IndexOptions {
            scope: options.scope,
            documents: options.documents,
            max_chars: options.max_chars,
            conversation: options.conversation,
        }
    }
}

impl From<vault::IndexText> for upkeep::IndexText {
    fn from(index: vault::IndexText) -> Self {
        upkeep::IndexText {
            text: index.text,
            entries: index.entries,
            omitted: index.omitted,
            repeated: index.repeated,
        }
    }
}

impl From<upkeep::StagingDraft> for vault::StagingDraft {
    fn from(draft: upkeep::StagingDraft) -> Self {
        vault::StagingDraft {
            text: draft.text,
            scope: draft.scope,
            utc_offset_minutes: draft.utc_offset_minutes,
        }
    }
}

impl From<vault::StagedEntry> for upkeep::Staged {
    fn from(entry: vault::StagedEntry) -> Self {
        upkeep::Staged {
            number: entry.number,
            date: entry.date,
            scope: entry.scope,
            text: entry.text,
        }
    }
}

impl From<vault::StagingReceipt> for upkeep::StagingReceipt {
    fn from(receipt: vault::StagingReceipt) -> Self {
        upkeep::StagingReceipt {
            entry: receipt.entry.into(),
            changed_paths: receipt.changed_paths,
            revisions_before: receipt.revisions_before,
            revisions_after: receipt.revisions_after,
            commit_message: receipt.commit_message,
            notes: receipt.notes,
            feed_position: receipt.feed_position,
        }
    }
}

impl From<vault::Fault> for upkeep::Fault {
    fn from(fault: vault::Fault) -> Self {
        upkeep::Fault {
            path: fault.path,
            severity: fault.severity.into(),
            message: fault.message,
            mend: fault.mend,
            fixed: fault.fixed,
        }
    }
}

impl From<curation::Change> for vault::Change {
    fn from(change: curation::Change) -> Self {
        match change {
            curation::Change::Confirm => vault::Change::Confirm,
            curation::Change::ConfirmInto(id) => vault::Change::ConfirmInto(id),
            curation::Change::Reject => vault::Change::Reject,
            curation::Change::Archive => vault::Change::Archive,
            curation::Change::Restore => vault::Change::Restore,
            curation::Change::Stale => vault::Change::Stale,
            curation::Change::SupersedeBy(id) => vault::Change::SupersedeBy(id),
            curation::Change::ConflictWith(id) => vault::Change::ConflictWith(id),
            curation::Change::MergeInto(id) => vault::Change::MergeInto(id),
            curation::Change::Pin => vault::Change::Pin,
            curation::Change::Unpin => vault::Change::Unpin,
            curation::Change::Promote => vault::Change::Promote,
            curation::Change::Deliver(delivery) => vault::Change::Deliver(delivery.into()),
        }
    }
}

impl From<upkeep::JournalOptions> for vault::JournalOptions {
    fn from(options: upkeep::JournalOptions) -> Self {
        vault::JournalOptions {
            id: options.id,
            operation: options.operation,
            since: options.since,
            limit: options.limit,
        }
    }
}

impl From<curation::UndoTarget> for vault::UndoTarget {
    fn from(target: curation::UndoTarget) -> Self {
        match target {
            curation::UndoTarget::LastOf(id) => vault::UndoTarget::LastOf(id),
            curation::UndoTarget::Position(position) => vault::UndoTarget::Position(position),
        }
    }
}

impl From<vault::JournalEntry> for upkeep::JournalEntry {
    fn from(entry: vault::JournalEntry) -> Self {
        upkeep::JournalEntry {
            time: entry.record.time.to_string(),
            operation: entry.record.operation,
            id: entry.record.id,
            path: entry.record.path,
            detail: entry.record.detail,
            raw: entry.raw,
        }
    }
}
