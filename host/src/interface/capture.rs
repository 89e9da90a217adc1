//! Finding what is worth remembering in what a person said
//! (`wit/capture.wit`).

use crate::error::Result;
use crate::open::{Call, Vault};

pub use crate::bindings::exports::inkvault::memory::capture::{
    Candidate, CaptureRequest, Proposal, SkipReason, Skipped,
};

impl Vault {
    /// Finds candidates by rules; touches no file.
    ///
    /// # Errors
    ///
    /// The engine answers `invalid-argument`, `unsupported` or `io`.
    pub fn extract(&mut self, request: &CaptureRequest) -> Result<Vec<Candidate>> {
        self.call(Call::read("extract"), |engine, store| {
            engine
                .inkvault_memory_capture()
                .call_extract(store, request)
        })
    }

    /// Whether the text asks outright to remember something.
    ///
    /// # Errors
    ///
    /// A trap or a limit; the engine itself always answers.
    pub fn remember_intent(&mut self, text: &str) -> Result<bool> {
        self.call(Call::read("remember-intent"), |engine, store| {
            let capture = engine.inkvault_memory_capture();
            Ok(Ok(capture.call_remember_intent(store, text)?))
        })
    }

    /// Finds candidates and files them as pending; never changes another
    /// memory.
    ///
    /// # Errors
    ///
    /// The engine answers `not-found` (no vault there), `invalid-argument`,
    /// `unsupported`, `busy`, `read-only` or `io`.
    pub fn propose(&mut self, request: &CaptureRequest) -> Result<Proposal> {
        self.call(Call::change("propose"), |engine, store| {
            engine
                .inkvault_memory_capture()
                .call_propose(store, request)
        })
    }
}

/// The engine's defaults, and nothing said yet: give `user_text`.
impl Default for CaptureRequest {
    fn default() -> Self {
        Self {
            user_text: String::new(),
            assistant_text: None,
            turn: None,
            max_candidates: None,
            min_confidence: None,
            origin: None,
        }
    }
}
