//! Which of several files that claim one id keeps it (dsh-memory format §9),
//! on every format where they can.

mod common;

use common::{Layout, found, on_layouts_with, process, text_at};
use inkvault_guest::Error;
use inkvault_guest::environment::Machine;
use inkvault_guest::memory::Status;
use inkvault_guest::vault::{
    BrowseOptions, Change, JournalOptions, Receipt, Severity, UndoTarget, Vault,
};

/// The number of the id that all claim.
const CLAIMED: usize = 1;

/// Three files with one id, of which the first by path is used.
fn three(layout: Layout) -> Machine {
    let machine = layout.machine();
    layout.fill(&machine, 1);
    for name in ["first", "second", "third"] {
        let text = format!("the text of the {name} file");
        let note = layout.note(&layout.id(CLAIMED), name, &text);
        machine.put(&layout.file(&format!("{name}.md")), note);
    }
    machine
}

fn keep(layout: Layout, vault: &mut Vault, name: &str) -> inkvault_guest::Result<Receipt> {
    vault.keep_duplicate(&layout.id(CLAIMED), &layout.file(name), "the newest")
}

/// The memories in the archive, by title.
fn archived(vault: &mut Vault) -> Vec<(String, String)> {
    let options = BrowseOptions {
        statuses: vec![Status::Archived],
        ..BrowseOptions::default()
    };
    let page = vault.browse(&options).expect("a page");
    let memories = page.memories.into_iter();
    let mut named: Vec<_> = memories
        .map(|memory| (memory.metadata.title, memory.metadata.id))
        .collect();
    named.sort();
    named
}

#[test]
fn one_is_kept_and_the_others_are_archived_under_ids_of_their_own() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut vault = layout.open(&machine);
        let id = layout.id(CLAIMED);
        let kept = text_at(&machine, &layout.file("second.md"));
        let receipt = keep(layout, &mut vault, "second.md").expect("kept");
        assert_eq!(receipt.memory.metadata.id, id);
        assert_eq!(receipt.memory.path.as_str(), layout.file("second.md"));
        assert_eq!(text_at(&machine, &layout.file("second.md")), kept);
        assert!(receipt.commit_message.ends_with("second"), "{receipt:?}");

        assert_eq!(found(&mut vault, "text"), [&*id]);
        let memory = vault.get(&id).expect("there");
        assert_eq!(layout.text(&memory), "the text of the second file");
        let archived = archived(&mut vault);
        let titles: Vec<_> = archived.iter().map(|(title, _)| title.as_str()).collect();
        assert_eq!(titles, ["first", "third"]);
        let [(_, first), (_, third)] = &archived[..] else {
            panic!("{archived:?}");
        };
        assert!(first != third && ![first, third].contains(&&id));
        for (name, new) in [("first", first), ("third", third)] {
            let memory = vault.get(new).expect("there");
            assert_eq!(layout.text(&memory), format!("the text of the {name} file"));
            let told = format!(
                "{} is archived as `{new}`: {}",
                layout.file(&format!("{name}.md")),
                memory.path
            );
            assert!(receipt.notes.contains(&told), "{:?}", receipt.notes);
            assert!(
                receipt
                    .changed_paths
                    .contains(&memory.path.as_str().to_owned())
            );
        }
        assert!(vault.overview().expect("an overview").duplicates.is_empty());
        let faults = vault.verify(false).expect("verified").faults;
        assert_eq!(faults, []);
    });
}

#[test]
fn each_file_that_is_archived_is_told_in_the_journal() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut vault = layout.open(&machine);
        let before = layout.journal(&machine).len();
        keep(layout, &mut vault, "third.md").expect("kept");
        assert_eq!(layout.journal(&machine).len(), before + 2);
        for (_, id) in archived(&mut vault) {
            let about = JournalOptions {
                id: Some(id),
                ..JournalOptions::default()
            };
            let lines = vault.journal(&about).expect("a journal");
            let why = format!(
                "{} keeps the id {}: the newest",
                layout.file("third.md"),
                layout.id(CLAIMED)
            );
            assert!(lines.len() == 1 && lines[0].raw.contains(&why), "{lines:?}");
        }
    });
}

#[test]
fn it_is_one_change_and_can_be_undone() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut vault = layout.open(&machine);
        let files = |machine: &Machine| {
            let files = machine.files().into_iter();
            files
                .filter(|(path, _)| layout.shows(path))
                .collect::<Vec<_>>()
        };
        let before = files(&machine);
        let receipt = keep(layout, &mut vault, "second.md").expect("kept");
        assert_ne!(files(&machine), before);
        let position = UndoTarget::Position(receipt.feed_position);
        let undone = vault.undo(&position).expect("undone");
        assert_eq!(files(&machine), before);
        assert_eq!(undone.feed_position, receipt.feed_position + 1);
        let duplicates = vault.overview().expect("an overview").duplicates;
        assert!(
            duplicates.len() == 1 && duplicates[0].paths.len() == 3,
            "{duplicates:?}"
        );
        keep(layout, &mut vault, "third.md").expect("kept after all");
        assert!(vault.overview().expect("an overview").duplicates.is_empty());
    });
}

/// What was archived this way can come back, to the status it had.
#[test]
fn a_file_that_was_archived_can_be_restored() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut vault = layout.open(&machine);
        keep(layout, &mut vault, "second.md").expect("kept");
        let (_, id) = archived(&mut vault).remove(0);
        let restored = vault.change_status(&id, &Change::Restore, None, "");
        let memory = restored.expect("restored").memory;
        assert_eq!(memory.metadata.status, Status::Active);
        assert_eq!(found(&mut vault, "first"), [id]);
    });
}

#[test]
fn what_is_not_to_be_decided_is_refused_and_changes_nothing() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut vault = layout.open(&machine);
        vault.overview().expect("opened");
        let [alone, claimed] = [layout.id(0), layout.id(CLAIMED)];
        let claimant = layout.file("first.md");
        let visible = |machine: &Machine| {
            let mut files = machine.files();
            files.retain(|path, _| layout.shows(path));
            files
        };
        let before = visible(&machine);
        for (id, path, expected) in [
            (&alone, &layout.path(0), "only file"),
            (&claimed, &layout.path(0), "name one of"),
            (&claimed, &layout.file("nowhere.md"), &claimant),
            (&claimed, &"../first.md".to_owned(), "first.md"),
        ] {
            let refused = vault.keep_duplicate(id, path, "");
            assert!(
                matches!(&refused, Err(Error::InvalidArgument(why)) if why.contains(expected)),
                "{id} {path}: {refused:?}"
            );
        }
        let unknown = vault.keep_duplicate(&layout.id(7), &claimant, "");
        assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
        machine.set_read_only(true);
        let refused = keep(layout, &mut layout.open(&machine), "first.md");
        assert_eq!(refused.map(drop), Err(Error::ReadOnly));
        assert_eq!(visible(&machine), before);
    });
}

/// An edit in place makes a fourth file claim the id, another makes one let
/// go of it: the decision is about the files as they are.
#[test]
fn files_that_were_edited_in_place_a_moment_ago_count() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut vault = layout.open(&machine);
        vault.overview().expect("opened");
        let edit = |path: &str, from: usize, to: usize| {
            let text = text_at(&machine, path);
            machine.put(path, text.replace(&layout.id(from), &layout.id(to)));
        };
        edit(&layout.path(0), 0, CLAIMED);
        edit(&layout.file("third.md"), CLAIMED, 3);
        let refused = keep(layout, &mut vault, "third.md");
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{refused:?}"
        );
        keep(layout, &mut vault, "second.md").expect("kept");
        let titles: Vec<_> = archived(&mut vault)
            .into_iter()
            .map(|(title, _)| title)
            .collect();
        assert_eq!(titles, ["first", "note 0"]);
        assert_eq!(found(&mut vault, "third"), [layout.id(3)]);
    });
}

/// Other processes hear of it as of any change.
#[test]
fn another_process_sees_it_at_once() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let mut reader = process(&machine);
        assert_eq!(found(&mut reader.vault, "first"), [layout.id(CLAIMED)]);
        keep(layout, &mut layout.open(&machine), "second.md").expect("kept");
        assert_eq!(found(&mut reader.vault, "second"), [layout.id(CLAIMED)]);
        assert!(found(&mut reader.vault, "first").is_empty());
    });
}

#[test]
fn verify_says_how_to_decide() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let machine = three(layout);
        let faults = layout.open(&machine).verify(true).expect("verified").faults;
        let errors = faults
            .iter()
            .filter(|fault| fault.severity == Severity::Error);
        let told: Vec<_> = errors
            .map(|fault| (fault.path.clone(), fault.fixed))
            .collect();
        let expected = ["second.md", "third.md"].map(|name| (layout.file(name), false));
        assert_eq!(told, expected);
        assert!(
            faults
                .iter()
                .all(|fault| fault.mend.contains("duplicates keep")),
            "{faults:?}"
        );
    });
}

/// A link by name must not lead to the copy instead of the memory that was
/// kept, and no copy takes another's place.
#[test]
fn a_copy_whose_name_is_another_files_gets_one_of_its_own() {
    on_layouts_with(Layout::ids_can_be_claimed, |layout| {
        let Some(elsewhere) = layout.elsewhere else {
            return;
        };
        let machine = three(layout);
        for name in ["first.md", "second.md"] {
            let text = text_at(&machine, &layout.file(name));
            machine.put(&format!("{elsewhere}/{name}"), text);
        }
        let mut vault = layout.open(&machine);
        keep(layout, &mut vault, "second.md").expect("kept");
        let ids: Vec<_> = archived(&mut vault).into_iter().map(|(_, id)| id).collect();
        assert_eq!(ids.len(), 4);
        let memories = ids.iter().map(|id| vault.get(id).expect("there"));
        let own = memories.filter(|memory| memory.path.name().contains(&memory.metadata.id));
        assert_eq!(own.count(), 2, "the other `second`, and one `first`");
        assert_eq!(vault.verify(false).expect("verified").faults, []);
    });
}
