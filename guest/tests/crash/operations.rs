//! The changing operations, and a vault that has a memory for each of them.

use std::time::Duration;

use inkvault_guest::Result;
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::Status;
use inkvault_guest::vault::{Change, Draft, Earlier, StagingDraft, UndoTarget, Vault};

use crate::common::{Layout, Process, draft, process};

/// Memories of the prepared vault, by their numbers.
pub(crate) const PLAIN: usize = 1;
pub(crate) const OTHER: usize = 2;
pub(crate) const PENDING: usize = 3;
pub(crate) const ARCHIVED: usize = 4;
pub(crate) const FORGOTTEN: usize = 5;
pub(crate) const UPDATED: usize = 6;
pub(crate) const MERGED: usize = 7;
pub(crate) const TARGET: usize = 8;
/// The one that single tests add.
pub(crate) const CLAIMED: usize = 9;
/// One that belongs to a project, where there are projects.
pub(crate) const OF_PROJECT: usize = 10;
/// One that was an entry of the staging pool, where there is one.
pub(crate) const PROMOTED_NOTE: usize = 11;

/// Operations that answer even where they could not do all they are for, and
/// say so.
pub(crate) const LENIENT: [&str; 2] = [REBUILD, MOVE];
pub(crate) const REBUILD: &str = "rebuild";
pub(crate) const MOVE: &str = "move a file to its place";

/// What the process writes that comes after the fault.
pub(crate) const NEXT: &str = "the next process writes";

/// A changing operation.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// What a format must have for it.
    pub(crate) needs: fn(Layout) -> bool,
    pub(crate) run: fn(&mut Vault, Layout) -> Result<()>,
}

/// Entries of the staging pool: one to drop, one to promote.
pub(crate) const ENTRIES: [&str; 2] = ["of no use elsewhere", "of use everywhere"];
/// The one that was promoted; its note and the pool become what they were.
pub(crate) const PROMOTED: &str = "was of use everywhere";

pub(crate) const OPERATIONS: [Operation; 20] = [
    Operation {
        name: "create",
        needs: |_| true,
        run: |vault, _| vault.write(&draft("the brandnew text")).map(drop),
    },
    Operation {
        name: "update",
        needs: |_| true,
        run: |vault, layout| {
            vault
                .write(&of(layout.id(PLAIN), "the brandnew text"))
                .map(drop)
        },
    },
    Operation {
        name: "confirm",
        needs: |layout| layout.pending,
        run: |vault, layout| change(vault, layout.id(PENDING), Change::Confirm),
    },
    Operation {
        name: "reject",
        needs: |layout| layout.pending,
        run: |vault, layout| change(vault, layout.id(PENDING), Change::Reject),
    },
    Operation {
        name: "archive",
        needs: |_| true,
        run: |vault, layout| change(vault, layout.id(PLAIN), Change::Archive),
    },
    Operation {
        name: "restore from the archive",
        needs: |_| true,
        run: |vault, layout| change(vault, layout.id(ARCHIVED), Change::Restore),
    },
    Operation {
        name: "supersede",
        needs: |layout| layout.relations,
        run: |vault, layout| {
            change(
                vault,
                layout.id(PLAIN),
                Change::SupersedeBy(layout.id(OTHER)),
            )
        },
    },
    Operation {
        name: "conflict",
        needs: |layout| layout.relations,
        run: |vault, layout| {
            change(
                vault,
                layout.id(PLAIN),
                Change::ConflictWith(layout.id(OTHER)),
            )
        },
    },
    Operation {
        name: "merge",
        needs: |layout| layout.relations,
        run: |vault, layout| change(vault, layout.id(PLAIN), Change::MergeInto(layout.id(OTHER))),
    },
    Operation {
        name: "forget",
        needs: |_| true,
        run: |vault, layout| vault.forget(&layout.id(PLAIN), None, "of no use").map(drop),
    },
    Operation {
        name: "restore from the trash",
        needs: |_| true,
        run: |vault, layout| change(vault, layout.id(FORGOTTEN), Change::Restore),
    },
    Operation {
        name: "undo an update",
        needs: |_| true,
        run: |vault, layout| {
            vault
                .undo(&UndoTarget::LastOf(layout.id(UPDATED)))
                .map(drop)
        },
    },
    Operation {
        name: "undo a merge",
        needs: |layout| layout.relations,
        run: |vault, layout| vault.undo(&UndoTarget::LastOf(layout.id(MERGED))).map(drop),
    },
    Operation {
        name: "roll back",
        needs: |_| true,
        run: |vault, layout| {
            let (path, content) = (layout.path(UPDATED), old(layout, UPDATED));
            let earlier = Earlier {
                path: &path,
                content: content.as_bytes(),
            };
            let rolled_back = vault.roll_back(&layout.id(UPDATED), earlier, None, "because");
            rolled_back.map(drop)
        },
    },
    Operation {
        name: "promote a note of a project",
        needs: |layout| layout.path_in_project(OF_PROJECT).is_some(),
        run: |vault, layout| {
            let path = layout.path_in_project(OF_PROJECT).unwrap_or_default();
            change(vault, layout.id_in(OF_PROJECT, &path), Change::Promote)
        },
    },
    Operation {
        name: "stage",
        needs: |layout| layout.pool.is_some(),
        run: |vault, _| stage(vault, "one more entry"),
    },
    Operation {
        name: "drop from the pool",
        needs: |layout| layout.pool.is_some(),
        run: |vault, _| vault.staging_drop(1, ENTRIES[0]).map(drop),
    },
    Operation {
        name: "promote from the pool",
        needs: |layout| layout.pool.is_some(),
        run: |vault, _| {
            let note = draft("the brandnew text");
            vault.staging_promote(2, ENTRIES[1], &note).map(drop)
        },
    },
    Operation {
        name: "undo a promotion from the pool",
        needs: |layout| layout.pool.is_some(),
        run: |vault, layout| {
            let undone = vault.undo(&UndoTarget::LastOf(layout.id(PROMOTED_NOTE)));
            undone.map(drop)
        },
    },
    Operation {
        name: REBUILD,
        needs: |_| true,
        run: |vault, _| vault.rebuild_index().map(drop),
    },
];

pub(crate) fn of(id: String, text: &str) -> Draft {
    Draft {
        id: Some(id),
        ..draft(text)
    }
}

pub(crate) fn change(vault: &mut Vault, id: String, change: Change) -> Result<()> {
    vault.change_status(&id, &change, None, "because").map(drop)
}

pub(crate) fn stage(vault: &mut Vault, text: &str) -> Result<()> {
    let entry = StagingDraft {
        text: text.into(),
        ..StagingDraft::default()
    };
    vault.staging_add(&entry).map(drop)
}

/// The file of memory `n` before anything happened to it.
pub(crate) fn old(layout: Layout, n: usize) -> String {
    layout.note(&layout.id(n), "old", &format!("the old text number{n}"))
}

pub(crate) type Opener = Box<dyn Fn(&Machine) -> Process>;

/// A vault with a memory for each operation, and how to open it.
pub(crate) fn prepared(layout: Layout, open_first: bool) -> (Machine, Opener) {
    let machine = layout.machine();
    for n in 0..=TARGET {
        machine.put(&layout.path(n), old(layout, n));
    }
    if let Some(path) = layout.path_in_project(OF_PROJECT) {
        machine.put(&path, old(layout, OF_PROJECT));
    }
    if layout.quarantine.is_some() {
        machine.put(&layout.file("broken.md"), "---\ntitle: no id\n---\n\ntext");
    }
    machine.advance(Duration::from_secs(60));
    // The lock, the folders for staging and undoing and the snapshot are there.
    let mut first = process(&machine).vault;
    if layout.pending {
        let pending = Draft {
            status: Some(Status::Pending),
            ..of(layout.id(PENDING), "waits")
        };
        first.write(&pending).expect("pending");
    }
    change(&mut first, layout.id(ARCHIVED), Change::Archive).expect("archived");
    let forgotten = first.forget(&layout.id(FORGOTTEN), None, "");
    forgotten.expect("forgotten");
    let updated = of(layout.id(UPDATED), "updated");
    first.write(&updated).expect("updated");
    if layout.relations {
        let merge = Change::MergeInto(layout.id(TARGET));
        change(&mut first, layout.id(MERGED), merge).expect("merged");
    }
    if layout.pool.is_some() {
        for text in [ENTRIES[0], ENTRIES[1], PROMOTED] {
            stage(&mut first, text).expect("staged");
        }
        let note = Draft {
            kind: Some(layout.kind.into()),
            title: Some(layout.title(PROMOTED_NOTE)),
            ..Draft::default()
        };
        let promoted = first.staging_promote(3, PROMOTED, &note).expect("promoted");
        assert_eq!(promoted.memory.metadata.id, layout.id(PROMOTED_NOTE));
    }
    first.write(&draft("an earlier memory")).expect("written");
    machine.advance(Duration::from_secs(60));
    let opened = Box::new(move |machine: &Machine| {
        let mut process = process(machine);
        if open_first {
            process.vault.overview().expect("opened");
        }
        process.environment.reset_calls();
        process
    });
    (machine, opened)
}
