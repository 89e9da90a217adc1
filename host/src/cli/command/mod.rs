//! What each command asks of the vault, and how its answer is laid out for a
//! person. Views are plain functions from an answer to text.

pub(crate) mod browse;
pub(crate) mod capture;
pub(crate) mod recall;
pub(crate) mod search;
pub(crate) mod upkeep;
pub(crate) mod write;
