//! The component: the interface of `wit/` over a [`Vault`].
//!
//! The only module that knows wit-bindgen. It keeps one vault for the life of
//! the instance and converts records ([`convert`]); every decision is the
//! vault's.

#![allow(unsafe_code, reason = "wit-bindgen generates the canonical ABI")]

mod convert;

use std::cell::RefCell;

use crate::environment::Wasi;
use crate::error::Result;
use crate::vault::{self, Vault};

#[allow(missing_docs, unreachable_pub, unused_qualifications, clippy::all)]
mod bindings {
    wit_bindgen::generate!({ world: "engine", path: "../wit" });
}

use bindings::exports::inkvault::memory::{capture, curation, upkeep, vault as verbs};
use bindings::inkvault::memory::types;
use convert::all;

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
        id: String,
        change: curation::Change,
        revision: Option<String>,
        reason: String,
    ) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| {
            let receipt = vault.change_status(&id, &change.into(), revision.as_deref(), &reason)?;
            Ok(receipt.into())
        })
    }

    fn links(id: String) -> std::result::Result<Vec<curation::Link>, types::Error> {
        ask(|vault| Ok(all(vault.links(&id)?)))
    }

    fn forget(
        id: String,
        revision: Option<String>,
        reason: String,
    ) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| Ok(vault.forget(&id, revision.as_deref(), &reason)?.into()))
    }

    fn keep_duplicate(
        id: String,
        path: String,
        reason: String,
    ) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| Ok(vault.keep_duplicate(&id, &path, &reason)?.into()))
    }

    fn roll_back(
        id: String,
        path: String,
        content: Vec<u8>,
        revision: Option<String>,
        reason: String,
    ) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| {
            let earlier = vault::Earlier {
                path: &path,
                content: &content,
            };
            let receipt = vault.roll_back(&id, earlier, revision.as_deref(), &reason)?;
            Ok(receipt.into())
        })
    }

    fn undo(target: curation::UndoTarget) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| Ok(vault.undo(&target.into())?.into()))
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
                format: configured.format,
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
        options: upkeep::JournalOptions,
    ) -> std::result::Result<Vec<upkeep::JournalEntry>, types::Error> {
        ask(|vault| Ok(all(vault.journal(&options.into())?)))
    }

    fn render_index(
        options: upkeep::IndexOptions,
    ) -> std::result::Result<upkeep::IndexText, types::Error> {
        ask(|vault| Ok(vault.render_index(&options.into())?.into()))
    }

    fn flow_instruction(language: Option<String>) -> std::result::Result<String, types::Error> {
        ask(|vault| vault.flow_instruction(language.as_deref()))
    }

    fn staging_add(
        entry: upkeep::StagingDraft,
    ) -> std::result::Result<upkeep::StagingReceipt, types::Error> {
        ask(|vault| Ok(vault.staging_add(&entry.into())?.into()))
    }

    fn staging_browse() -> std::result::Result<Vec<upkeep::Staged>, types::Error> {
        ask(|vault| Ok(all(vault.staging_browse()?)))
    }

    fn staging_drop(
        number: u32,
        text: String,
    ) -> std::result::Result<upkeep::StagingReceipt, types::Error> {
        ask(|vault| Ok(vault.staging_drop(number, &text)?.into()))
    }

    fn staging_promote(
        number: u32,
        text: String,
        draft: verbs::Draft,
    ) -> std::result::Result<types::Receipt, types::Error> {
        ask(|vault| Ok(vault.staging_promote(number, &text, &draft.into())?.into()))
    }

    fn break_lock(token: String) -> std::result::Result<bool, types::Error> {
        ask(|vault| vault.break_lock(&token))
    }
}
