//! What `wasmtime` generates from `wit/`: the records, and the calls into the
//! engine. The records are the public types of this crate; the calls stay
//! inside it. Nothing is written by hand here.

#![allow(
    unsafe_code,
    reason = "generated: the derives of the component model and typed calls"
)]

wasmtime::component::bindgen!({
    path: "../wit",
    world: "engine",
    additional_derives: [PartialEq],
    require_store_data_send: true,
});
