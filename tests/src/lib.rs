//! What several of the tests need: a [`Folder`] on the disk to keep a vault
//! in, notes as a person would write them, the built [`command`],
//! what it has [`shown`], [`various`] memories, and a [`WorkTree`] of git.
//!
//! The tests are in `tests/tests/`. They need the component as it is built,
//! the real file system, or several processes; what can be shown in memory is
//! shown in `guest/tests/`.

pub mod command;
pub mod folder;
pub mod note;
pub mod sharing;
pub mod shown;
pub mod various;
pub mod work_tree;

pub use folder::{Folder, draft, found};
pub use work_tree::WorkTree;
