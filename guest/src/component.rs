//! The component: the interface of `wit/` over a [`Vault`].
//!
//! The only file that knows wit-bindgen. It converts records and keeps one
//! vault for the life of the instance; every decision is the vault's.

#![allow(unsafe_code, reason = "wit-bindgen generates the canonical ABI")]

use std::cell::RefCell;

use crate::environment::Wasi;
use crate::error::{Error, Result};
use crate::memory::{self, Memory};
use crate::vault::{self, Vault};

#[allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all)]
mod bindings {
    wit_bindgen::generate!({ world: "engine", path: "../wit" });
}

use bindings::exports::inkvault::memory::{capture, curation, upkeep, vault as verbs};
use bindings::inkvault::memory::types;

struct Component;

bindings::export!(Component with_types_in bindings);

thread_local! {
    static VAULT: RefCell<Option<Vault>> = const { RefCell::new(None) };
}

/// Asks the vault of this instance.
fn ask<T>(question: impl FnOnce(&mut Vault) -> Result<T>) -> std::result::Result<T, types::Error> {
    VAULT.with(|slot| {
        let mut slot = slot
            .try_borrow_mut()
            .map_err(|_| types::Error::Other("the vault is in use".into()))?;
        if slot.is_none() {
            let environment = Wasi::open().map_err(|_| {
                types::Error::NotFound(
                    "the host preopens no directory: give the component the vault's".into(),
                )
            })?;
            *slot = Some(Vault::new(Box::new(environment)));
        }
        match slot.as_mut() {
            Some(vault) => question(vault).map_err(Into::into),
            None => Err(types::Error::Other("the vault could not be kept".into())),
        }
    })
}

fn not_built<T>(what: &str) -> std::result::Result<T, types::Error> {
    Err(types::Error::Unsupported(format!(
        "{what} is not part of this version"
    )))
}

impl verbs::Guest for Component {
    fn write(draft: verbs::Draft) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| Ok(vault.write(&draft.into())?.into()))
    }

    fn search(
        query: String,
        options: verbs::SearchOptions,
    ) -> std::result::Result<Vec<verbs::Hit>, types::Error> {
        ask(|vault| Ok(all(vault.search(&query, &options.into())?)))
    }

    fn recall(request: verbs::RecallRequest) -> std::result::Result<verbs::Recalled, types::Error> {
        ask(|vault| Ok(vault.recall(&request.into())?.into()))
    }

    fn render_directives(
        options: verbs::DirectiveOptions,
    ) -> std::result::Result<verbs::Directives, types::Error> {
        ask(|vault| {
            let options = vault::DirectiveOptions {
                max_chars: options.max_chars,
                scope: options.scope,
            };
            Ok(vault.render_directives(&options)?.into())
        })
    }
}

impl curation::Guest for Component {
    fn get(id: String) -> std::result::Result<types::Memory, types::Error> {
        ask(|vault| Ok(vault.get(&id)?.into()))
    }

    fn browse(
        options: curation::BrowseOptions,
    ) -> std::result::Result<curation::Page, types::Error> {
        ask(|vault| {
            let page = vault.browse(&vault::BrowseOptions {
                statuses: all(options.statuses),
                kinds: options.kinds,
                tags: options.tags,
                scope: options.scope,
                areas: all(options.areas),
                offset: options.offset,
                limit: options.limit,
            })?;
            Ok(curation::Page {
                memories: all(page.memories),
                total: page.total,
            })
        })
    }

    fn change_status(
        _id: String,
        _change: curation::Change,
        _revision: Option<String>,
        _reason: String,
    ) -> std::result::Result<types::Receipt, types::Error> {
        not_built("change-status")
    }

    fn links(_id: String) -> std::result::Result<Vec<curation::Link>, types::Error> {
        not_built("links")
    }

    fn forget(
        _id: String,
        _revision: Option<String>,
        _reason: String,
    ) -> std::result::Result<types::Receipt, types::Error> {
        not_built("forget")
    }

    fn undo(_target: curation::UndoTarget) -> std::result::Result<types::Receipt, types::Error> {
        not_built("undo")
    }
}

impl capture::Guest for Component {
    fn extract(
        request: capture::CaptureRequest,
    ) -> std::result::Result<Vec<capture::Candidate>, types::Error> {
        ask(|vault| Ok(all(vault.extract(&request.into()))))
    }

    fn remember_intent(text: String) -> bool {
        vault::remember_intent(&text)
    }

    fn propose(
        request: capture::CaptureRequest,
    ) -> std::result::Result<capture::Proposal, types::Error> {
        ask(|vault| {
            let proposal = vault.propose(&request.into())?;
            Ok(capture::Proposal {
                filed: all(proposal.filed),
                skipped: all(proposal.skipped),
            })
        })
    }
}

impl upkeep::Guest for Component {
    fn init(
        format: String,
        options: upkeep::InitOptions,
    ) -> std::result::Result<upkeep::Initialised, types::Error> {
        ask(|vault| {
            let made = vault.init(&format, options.language.as_deref())?;
            Ok(upkeep::Initialised {
                format: made.format,
                made: made.made,
                existed: made.existed,
                commit_message: made.commit_message,
            })
        })
    }

    fn configure(settings: String) -> std::result::Result<upkeep::Configured, types::Error> {
        ask(|vault| {
            let configured = vault.configure(&settings)?;
            Ok(upkeep::Configured {
                settings: configured.settings,
                notes: configured.notes,
            })
        })
    }

    fn overview() -> std::result::Result<upkeep::Summary, types::Error> {
        ask(|vault| Ok(vault.overview()?.into()))
    }

    fn sync() -> std::result::Result<upkeep::SyncReport, types::Error> {
        ask(|vault| {
            let report = vault.sync()?;
            Ok(upkeep::SyncReport {
                memories: report.memories,
                added: report.added,
                changed: report.changed,
                removed: report.removed,
                bad_files: all(report.bad_files),
            })
        })
    }

    fn rebuild_index() -> std::result::Result<upkeep::RebuildReport, types::Error> {
        ask(|vault| {
            let report = vault.rebuild_index()?;
            Ok(upkeep::RebuildReport {
                memories: report.memories,
                quarantined: report.quarantined,
                exported: report.exported,
                notes: report.notes,
            })
        })
    }

    fn verify(fix: bool) -> std::result::Result<upkeep::Verification, types::Error> {
        ask(|vault| {
            let verification = vault.verify(fix)?;
            Ok(upkeep::Verification {
                checked: verification.checked,
                faults: all(verification.faults),
            })
        })
    }

    fn journal(
        _options: upkeep::JournalOptions,
    ) -> std::result::Result<Vec<upkeep::JournalEntry>, types::Error> {
        not_built("journal")
    }

    fn render_index(
        _options: upkeep::IndexOptions,
    ) -> std::result::Result<upkeep::IndexText, types::Error> {
        not_built("render-index")
    }

    fn flow_instruction(_language: Option<String>) -> std::result::Result<String, types::Error> {
        not_built("flow-instruction")
    }

    fn staging_add(
        _entry: upkeep::StagingDraft,
    ) -> std::result::Result<upkeep::StagingReceipt, types::Error> {
        not_built("staging-add")
    }

    fn staging_browse() -> std::result::Result<Vec<upkeep::Staged>, types::Error> {
        not_built("staging-browse")
    }

    fn staging_drop(
        _number: u32,
        _text: String,
    ) -> std::result::Result<upkeep::StagingReceipt, types::Error> {
        not_built("staging-drop")
    }

    fn break_lock(_token: String) -> std::result::Result<bool, types::Error> {
        not_built("break-lock")
    }
}

/// Each of a list, converted.
fn all<A, B: From<A>>(list: Vec<A>) -> Vec<B> {
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
            staged: 0,
            ignored: overview.ignored,
            repaired: overview.repaired,
            bad_files: all(overview.bad_files),
            duplicates: all(overview.duplicates),
            feed_position: overview.feed_position,
            notes: overview.notes,
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
