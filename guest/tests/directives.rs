//! `render-directives`: which memories, in which form, and when none.

mod common;

use common::{draft, id, note, vault};
use inkvault_guest::memory::{Delivery, Status};
use inkvault_guest::vault::{DirectiveOptions, Draft, Vault};

#[test]
fn directives_are_whole_or_left_out() {
    let (machine, mut vault) = vault();
    let directive = |body: &str| Draft {
        title: Some("t".into()),
        delivery: Some(Delivery::Prompt),
        ..draft(body)
    };
    let empty = vault
        .render_directives(&DirectiveOptions::default())
        .expect("directives");
    assert_eq!(
        (empty.text, empty.count, empty.overflow, empty.max_chars),
        (None, 0, false, 4_000)
    );
    let written = vault.write(&directive("{{a")).expect("written").memory;
    let one = vault
        .render_directives(&DirectiveOptions::default())
        .expect("directives");
    let text = one.text.expect("a text");
    assert!(
        text.contains(&format!(
            "### t ({})\n{{ {{a\n</inkvault-directive>",
            written.metadata.id
        )),
        "{text}"
    );
    assert_eq!(
        text.lines()
            .take(4)
            .filter(|line| line.ends_with('.'))
            .count(),
        3,
        "{text}"
    );
    let update = |vault: &mut Vault, body: &str| {
        vault
            .write(&Draft {
                id: Some(written.metadata.id.clone()),
                ..draft(body)
            })
            .expect("updated");
        vault
            .render_directives(&DirectiveOptions::default())
            .expect("directives")
    };
    let frame = one.characters as usize - "{ {a".chars().count();
    let fits = update(&mut vault, &"字".repeat(4_000 - frame));
    assert_eq!(
        (fits.characters, fits.overflow, fits.text.is_some()),
        (4_000, false, true)
    );
    let over = update(&mut vault, &"字".repeat(4_001 - frame));
    assert_eq!(
        (over.characters, over.overflow, over.text, over.count),
        (4_001, true, None, 1)
    );
    let braces = update(&mut vault, &format!("{{{{{}", "字".repeat(3_998 - frame)));
    assert_eq!(
        (braces.characters, braces.overflow),
        (4_001, true),
        "braces are escaped before measuring"
    );
    machine.put(
        &format!("memory/{}.md", id(5)),
        note(&id(5), "x", "b")
            .replace("status: active", "status: aktiv")
            .replace("delivery: recall", "delivery: prompt"),
    );
    assert_eq!(
        vault
            .render_directives(&DirectiveOptions::default())
            .expect("directives")
            .count,
        1,
        "an invalid status is never a directive"
    );
}

#[test]
fn pending_memories_keep_their_delivery_and_stay_out() {
    let (_, mut vault) = vault();
    let pending = Draft {
        status: Some(Status::Pending),
        delivery: Some(Delivery::Prompt),
        ..draft("always")
    };
    let id = vault.write(&pending).expect("written").memory.metadata.id;
    let memory = vault.get(&id).expect("there");
    assert_eq!(
        (memory.metadata.status, memory.metadata.delivery),
        (Status::Pending, Delivery::Prompt)
    );
    assert_eq!(
        vault
            .render_directives(&DirectiveOptions::default())
            .expect("directives")
            .count,
        0
    );
    vault
        .write(&Draft {
            id: Some(id),
            status: Some(Status::Active),
            ..Draft::default()
        })
        .expect("updated");
    assert_eq!(
        vault
            .render_directives(&DirectiveOptions::default())
            .expect("directives")
            .count,
        1
    );
}
