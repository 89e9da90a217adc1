//! The toolchain of most people: a compiler that ships the std of the target.

use crate::rustc::candidates;
use crate::{TARGET, Toolchain};

/// The command that adds the target to a compiler that rustup manages.
pub const RUSTUP_COMMAND: &str = "rustup target add wasm32-wasip2";

/// Looks for such a compiler, or says why there is none.
pub(crate) fn find() -> Result<Toolchain, String> {
    let candidates = candidates();
    if let Some(rustc) = candidates.iter().find(|rustc| rustc.has_std(TARGET)) {
        return Ok(Toolchain::Shipped {
            rustc: rustc.path.clone(),
        });
    }
    match candidates.first() {
        Some(rustc) => Err(format!("{} has no std for {TARGET}", rustc.path.display())),
        None => Err("there is no rustc".to_owned()),
    }
}
