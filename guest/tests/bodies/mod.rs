//! What must hold for any bytes at all, one body for each reader of what lies
//! in a vault.
//!
//! A body takes bytes and panics where its property does not hold. `fuzz.rs`
//! gives it what proptest makes up, on every run; the targets in `fuzz/` give
//! it what a fuzzer finds by coverage, for as long as one likes. So a body
//! uses nothing but the engine's public interface and `serde_json`.

mod feed;
mod frontmatter;
mod journal;
mod note;
mod snapshot;

pub(crate) use feed::feed;
pub(crate) use frontmatter::frontmatter;
pub(crate) use journal::journal;
pub(crate) use note::note;
pub(crate) use snapshot::snapshot;

/// Good input for each body, to be damaged.
#[allow(dead_code, reason = "a fuzz target finds its own")]
pub(crate) mod good {
    pub(crate) use super::feed::good as feed;
    pub(crate) use super::frontmatter::good as frontmatter;
    pub(crate) use super::journal::good as journal;
    pub(crate) use super::note::good as note;
    pub(crate) use super::snapshot::good as snapshot;
}
