//! The engine's interface, one module for each interface of `wit/`: its
//! records, and the calls of [`Vault`](crate::Vault) that take and give them.

pub mod capture;
pub mod curation;
pub mod types;
pub mod upkeep;
pub mod vault;
pub(crate) mod words;
