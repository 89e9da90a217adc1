//! Host calls of each operation, counted exactly (design §5), on every format.
//! N memories, D directories of the vault.

mod common;

use std::time::Duration;

use common::{Layout, Process, draft, found, on_every_layout, on_layouts_with, process};
use inkvault_guest::Result;
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::Status;
use inkvault_guest::vault::{
    Change, Draft, RecallRequest, Receipt, SearchOptions, StagingDraft, UndoTarget, Vault,
};

const SIZES: [usize; 2] = [100, 5_000];

/// A machine with `count` settled memories, and a process that has opened it.
fn opened(layout: Layout, count: usize) -> (Machine, Process) {
    let machine = layout.machine();
    layout.fill(&machine, count);
    let mut process = process(&machine);
    process
        .vault
        .write(&draft("makes lock and staging folder"))
        .expect("written");
    machine.advance(Duration::from_secs(60));
    process.vault.sync().expect("synced");
    process.environment.reset_calls();
    (machine, process)
}

fn assert_at_most(process: &Process, most: u64, what: &str) {
    let calls = process.environment.calls();
    let trace = process.environment.trace();
    let shown = &trace[..trace.len().min(60)];
    assert!(
        calls <= most,
        "{what}: {calls} calls, at most {most}: {shown:#?}"
    );
}

#[test]
fn reading_calls_do_not_grow_with_the_vault() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        let mut costs = Vec::new();
        for count in SIZES {
            let (_machine, mut process) = opened(layout, count);
            let hits = process
                .vault
                .search("topic3", &SearchOptions::default())
                .expect("hits");
            assert!(!hits.is_empty());
            assert_at_most(&process, 4 + directories + 2 * hits.len() as u64, "search");
            let search = process.environment.calls() - 2 * hits.len() as u64;

            process.environment.reset_calls();
            assert!(found(&mut process.vault, "nowhere").is_empty());
            assert_at_most(&process, 4 + directories, "search without a hit");

            process.environment.reset_calls();
            let request = RecallRequest {
                query: Some("topic3".into()),
                ..RecallRequest::default()
            };
            let recalled = process.vault.recall(&request).expect("recalled");
            assert!(!recalled.items.is_empty());
            assert_at_most(
                &process,
                4 + directories + 2 * recalled.items.len() as u64,
                "recall",
            );
            let recall = process.environment.calls() - 2 * recalled.items.len() as u64;

            process.environment.reset_calls();
            process
                .vault
                .render_directives(&Default::default())
                .expect("directives");
            assert_at_most(&process, 4 + directories, "directives");
            costs.push((search, recall, process.environment.calls()));
        }
        assert_eq!(costs.first(), costs.last());
    });
}

/// Of memories with several lines, four times as many as asked for are read.
#[test]
fn recall_reads_what_it_ranks_by_lines() {
    let layout = Layout::INKVAULT;
    let mut costs = Vec::new();
    for count in SIZES {
        let machine = layout.machine();
        for n in 0..count {
            let body = format!("memory number{n}\nabout topic{} and more", n % 17);
            let note = layout.note(&layout.id(n), &format!("note {n}"), &body);
            machine.put(&layout.path(n), note);
        }
        machine.advance(Duration::from_secs(60));
        let mut process = process(&machine);
        found(&mut process.vault, "nowhere");
        for (limit, read) in [(1, 4), (0, 0)] {
            process.environment.reset_calls();
            found(&mut process.vault, "nowhere");
            let search = process.environment.calls();
            process.environment.reset_calls();
            let request = RecallRequest {
                query: Some("topic3".into()),
                limit: Some(limit),
                ..RecallRequest::default()
            };
            let recalled = process.vault.recall(&request).expect("recalled");
            assert_eq!(recalled.items.len(), limit as usize);
            assert_eq!(
                process.environment.calls(),
                search + 2 * read,
                "limit {limit}"
            );
            costs.push(process.environment.calls());
        }
    }
    assert_eq!(costs[..2], costs[2..]);
}

#[test]
fn a_write_does_not_grow_with_the_vault() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        let mut costs = Vec::new();
        for count in SIZES {
            let (_machine, mut process) = opened(layout, count);
            if layout.pending {
                let pending = Draft {
                    id: Some(layout.id(8)),
                    status: Some(Status::Pending),
                    ..Draft::default()
                };
                process.vault.write(&pending).expect("pending");
            }
            process.environment.reset_calls();
            process
                .vault
                .write(&draft("one more memory"))
                .expect("written");
            assert_at_most(&process, 24 + directories, "write");
            let create = process.environment.calls();
            process.environment.reset_calls();
            process
                .vault
                .write(&Draft {
                    id: Some(layout.id(7)),
                    ..draft("changed")
                })
                .expect("updated");
            let update = process.environment.calls();
            let mut calls = vec![create, update];
            for change in CHANGES.iter().filter(|change| (change.needs)(layout)) {
                process.environment.reset_calls();
                (change.make)(&mut process.vault, layout).expect("changed");
                calls.push(process.environment.calls());
            }
            costs.push(calls);
        }
        assert_eq!(costs.first(), costs.last());
    });
}

/// A change of one or two memories.
struct Changing {
    needs: fn(Layout) -> bool,
    make: fn(&mut Vault, Layout) -> Result<Receipt>,
}

const CHANGES: [Changing; 4] = [
    Changing {
        needs: |layout| layout.pending,
        make: |vault, layout| vault.change_status(&layout.id(8), &Change::Confirm, None, ""),
    },
    Changing {
        needs: |layout| layout.relations,
        make: |vault, layout| {
            vault.change_status(&layout.id(9), &Change::MergeInto(layout.id(10)), None, "")
        },
    },
    Changing {
        needs: |_| true,
        make: |vault, layout| vault.forget(&layout.id(11), None, ""),
    },
    Changing {
        needs: |_| true,
        make: |vault, layout| vault.undo(&UndoTarget::LastOf(layout.id(11))),
    },
];

/// A memory of a project, beyond the numbers of the others.
const OF_PROJECT: usize = 900_000;

/// What it costs at most that a second file or directory is touched: its
/// content is staged, what it replaces is kept, and it is synced.
const SECOND: u64 = 18;

/// What formats with projects and a staging pool have besides.
#[test]
fn changes_of_projects_and_of_the_pool_do_not_grow_with_the_vault() {
    let has = |layout: Layout| layout.pool.is_some() && layout.path_in_project(0).is_some();
    on_layouts_with(has, |layout| {
        let costs = SIZES.map(|count| {
            let (machine, mut process) = opened(layout, count);
            let path = layout.path_in_project(OF_PROJECT).expect("a project");
            machine.put(&path, "what is of use everywhere\n");
            machine.advance(Duration::from_secs(60));
            process.vault.sync().expect("synced");
            // The project has a directory of its own.
            let directories = layout.directories + 1;
            let mut counted = |what: &str, make: &dyn Fn(&mut Vault)| {
                process.environment.reset_calls();
                make(&mut process.vault);
                assert_at_most(&process, 24 + directories + SECOND, what);
                process.environment.calls()
            };
            [
                counted("forget", &|vault| {
                    vault.forget(&layout.id(3), None, "").expect("forgotten");
                }),
                counted("promote", &|vault| {
                    let promoted = vault.change_status(
                        &layout.id_in(OF_PROJECT, &path),
                        &Change::Promote,
                        None,
                        "",
                    );
                    promoted.expect("promoted");
                }),
                counted("stage", &|vault| {
                    let entry = StagingDraft {
                        text: "一句话".into(),
                        ..StagingDraft::default()
                    };
                    vault.staging_add(&entry).expect("staged");
                }),
                counted("promote from the pool", &|vault| {
                    let note = draft("the note that it became");
                    let promoted = vault.staging_promote(1, "一句话", &note);
                    promoted.expect("promoted");
                }),
            ]
        });
        assert_eq!(costs.first(), costs.last());
    });
}

/// Links are found in the few files that can hold them.
#[test]
fn links_do_not_grow_with_the_vault() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        let mut costs = Vec::new();
        for count in SIZES {
            let (_machine, mut process) = opened(layout, count);
            let title = layout.title(42);
            for text in [
                format!("see [[{title}]]"),
                format!("see {}", layout.id(42)),
                format!("{} apart", title.replace(' ', " and ")),
            ] {
                process.vault.write(&draft(&text)).expect("written");
            }
            process.environment.reset_calls();
            let links = process.vault.links(&layout.id(42)).expect("links");
            assert_eq!(links.len(), 2);
            // The memory and the three that hold the words of a name of it.
            assert_at_most(&process, 4 + directories + 2 * 4, "links");
            costs.push(process.environment.calls());
        }
        assert_eq!(costs.first(), costs.last());
    });
}

/// Over many writes the snapshots are paid too.
#[test]
fn writes_stay_cheap_on_average() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        let (_machine, mut process) = opened(layout, 100);
        let writes = 500;
        for n in 0..writes {
            process
                .vault
                .write(&draft(&format!("memory of series {n}")))
                .expect("written");
        }
        assert_at_most(&process, (24 + directories) * writes, "500 writes");
    });
}

#[test]
fn a_first_call_costs_a_look_at_every_file() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        for count in SIZES {
            let (machine, mut first) = opened(layout, count);
            first.vault.rebuild_index().expect("rebuilt");
            machine.advance(Duration::from_secs(60));
            let n = count as u64 + 1;
            let mut process = process(&machine);
            found(&mut process.vault, "nowhere");
            assert_at_most(
                &process,
                3 * n + directories + 40,
                "first call with a snapshot",
            );
            // Reading them all would cost two calls more for each.
            assert!(
                process.environment.calls() < 3 * n + directories + 39,
                "the snapshot was not used"
            );
        }
    });
}

#[test]
fn a_rebuild_reads_every_file_once() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        for count in SIZES {
            let (machine, mut first) = opened(layout, count);
            machine.remove(&layout.private("index.snapshot"));
            machine.advance(Duration::from_secs(60));
            let n = count as u64 + 1;
            let mut process = process(&machine);
            found(&mut process.vault, "nowhere");
            assert_at_most(
                &process,
                5 * n + directories + 40,
                "first call without a snapshot",
            );

            first.environment.reset_calls();
            first.vault.rebuild_index().expect("rebuilt");
            assert_at_most(
                &first,
                5 * n + directories + 60,
                "rebuild-index, its own refresh and export included",
            );
        }
    });
}

#[test]
fn hearing_of_another_process_does_not_grow_with_the_vault() {
    on_every_layout(|layout| {
        let directories = layout.directories;
        let mut costs = Vec::new();
        for count in SIZES {
            let (machine, mut reader) = opened(layout, count);
            let mut writer = process(&machine);
            writer.vault.overview().expect("opened");
            let receipt = writer
                .vault
                .write(&draft("an unheard word"))
                .expect("written");
            reader.environment.reset_calls();
            assert_eq!(
                found(&mut reader.vault, "unheard"),
                [receipt.memory.metadata.id]
            );
            costs.push(reader.environment.calls());
            assert_at_most(
                &reader,
                16 + directories,
                "the search after another's write",
            );
        }
        assert_eq!(costs.first(), costs.last());
    });
}
