//! A plain note, a path of one or a staging pool of any bytes.

#![no_main]

#[allow(dead_code, unused_imports, reason = "each target uses one body")]
#[path = "../../guest/tests/bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::note(bytes));
