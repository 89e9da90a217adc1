//! Symbolic links in a vault: those that stay inside are followed, those that
//! leave it lead nowhere.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use inkvault::types::Error as Refusal;
use inkvault::upkeep::InitOptions;
use inkvault::vault::Draft;
use inkvault::{Error, Vault};
use inkvault_tests::note::{id, note};
use inkvault_tests::{Folder, draft, found};

/// A vault with one memory, beside a directory that is none of its business.
struct Scene {
    outer: Folder,
}

impl Scene {
    fn new() -> Self {
        let outer = Folder::empty();
        outer.put(
            "vault/memory/good.md",
            note(&id(1), "good", "a good memory"),
        );
        outer.put(
            "outside/secret.md",
            note(&id(2), "secret", "a secret memory"),
        );
        let mut vault = Vault::open(outer.at("vault")).expect("the vault opens");
        let made = vault.init("inkvault", &InitOptions::default());
        made.expect("a vault");
        Self { outer }
    }

    fn open(&self) -> Vault {
        Vault::open(self.outer.at("vault")).expect("the vault opens")
    }

    fn secret(&self) -> PathBuf {
        self.outer.at("outside/secret.md")
    }

    fn link(&self, target: impl AsRef<Path>, at: &str) {
        symlink(target, self.outer.at("vault").join(at)).expect("a link");
    }

    /// Moves a directory of the vault outside and leaves a link to it.
    fn put_outside(&self, name: &str) {
        let (inside, outside) = (
            self.outer.at("vault").join(name),
            self.outer.at("elsewhere"),
        );
        fs::rename(&inside, &outside).expect("moved");
        symlink(outside, inside).expect("a link");
    }

    /// All that is not in the vault.
    fn outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = self.outer.files();
        files.retain(|path, _| !path.starts_with(self.outer.at("vault")));
        files
    }
}

/// Whether an answer is an error of the engine about its files.
fn is_refused<T>(answer: &inkvault::Result<T>) -> bool {
    match answer {
        Err(Error::Memory(Refusal::Io(why))) => why.contains("not permitted"),
        // Private files that are links keep the vault from being changed.
        Err(Error::Memory(Refusal::Refused(why))) => why.contains("symbolic link"),
        _ => false,
    }
}

#[test]
fn a_link_that_leaves_is_a_bad_file_and_nothing_more() {
    let scene = Scene::new();
    let secret = scene.secret();
    let with_slash = format!("{}/", secret.display());
    let through_root = format!("/proc/self/root{}", secret.display());
    scene.link(&secret, "memory/absolute.md");
    scene.link("../../outside/secret.md", "memory/relative.md");
    scene.link(with_slash, "memory/slash.md");
    scene.link(through_root, "memory/proc-root.md");
    scene.link("/proc/self/cwd", "memory/proc-cwd.md");
    scene.link("/etc/passwd", "memory/passwd.md");
    scene.link(scene.outer.at("outside"), "memory/directory.md");
    scene.link("../../outside/", "memory/relative-directory.md");
    scene.link("chain-2.md", "memory/chain-1.md");
    scene.link("../chain-3", "memory/chain-2.md");
    scene.link("../outside/secret.md", "chain-3");
    scene.link(scene.outer.at("outside"), "door");
    scene.link("../door/secret.md", "memory/through-a-door.md");
    scene.link("loop.md", "memory/loop.md");
    scene.link("nowhere.md", "memory/dangling.md");
    let outside = scene.outside();

    let mut vault = scene.open();
    assert!(found(&mut vault, "secret").is_empty());
    assert_eq!(found(&mut vault, "memory"), [id(1)]);
    let overview = vault.overview().expect("an overview");
    assert_eq!(overview.memories, 1);
    let bad: Vec<_> = overview
        .bad_files
        .iter()
        .map(|bad| bad.path.as_str())
        .collect();
    assert_eq!(
        bad,
        [
            "memory/absolute.md",
            "memory/chain-1.md",
            "memory/chain-2.md",
            "memory/dangling.md",
            "memory/directory.md",
            "memory/loop.md",
            "memory/passwd.md",
            "memory/proc-cwd.md",
            "memory/proc-root.md",
            "memory/relative-directory.md",
            "memory/relative.md",
            "memory/slash.md",
            "memory/through-a-door.md",
        ]
    );
    for bad in &overview.bad_files {
        assert!(!bad.reason.contains("secret"), "{bad:?}");
    }

    let path = "memory/absolute.md";
    let over = Draft {
        path: Some(path.to_owned()),
        overwrite: true,
        ..draft("over the link")
    };
    assert!(vault.write(&over).is_err());
    vault.write(&draft("usable as ever")).expect("written");
    vault.verify(true).expect("verified");
    vault.rebuild_index().expect("rebuilt");
    assert!(found(&mut vault, "secret").is_empty());
    assert_eq!(found(&mut vault, "usable").len(), 1);
    assert_eq!(scene.outside(), outside);
}

#[test]
fn a_link_that_stays_inside_is_followed() {
    let scene = Scene::new();
    scene
        .outer
        .put("vault/notes/real.md", note(&id(3), "real", "an inner note"));
    scene.link("../notes/real.md", "memory/linked.md");
    let mut vault = scene.open();
    assert_eq!(found(&mut vault, "inner"), [id(3)]);
    assert!(vault.overview().expect("an overview").bad_files.is_empty());
    assert_eq!(
        vault.get(&id(3)).expect("a memory").metadata.path,
        "memory/linked.md"
    );
}

#[test]
fn a_linked_memory_is_not_replaced_by_a_change() {
    let scene = Scene::new();
    let real = scene.outer.at("vault/notes.md");
    fs::write(&real, note(&id(3), "linked", "a linked memory")).expect("written");
    scene.link("../notes.md", "memory/linked.md");
    let mut vault = scene.open();
    let change = Draft {
        id: Some(id(3)),
        ..draft("changed")
    };
    let refused = vault.write(&change);
    let names_the_link = |why: &str| why.contains("memory/linked.md is a symbolic link");
    assert!(
        matches!(&refused, Err(Error::Memory(Refusal::Unsupported(why))) if names_the_link(why)),
        "{refused:?}"
    );
    assert_eq!(found(&mut vault, "linked"), [id(3)]);
    assert!(fs::read_to_string(&real).is_ok_and(|text| text.ends_with("a linked memory")));
}

#[test]
fn memories_that_lie_outside_are_not_there() {
    let scene = Scene::new();
    scene.put_outside("memory");
    let outside = scene.outside();
    let mut vault = scene.open();
    let searched = vault.search("good", &Default::default());
    assert!(is_refused(&searched), "{searched:?}");
    let written = vault.write(&draft("new"));
    assert!(is_refused(&written), "{written:?}");
    assert_eq!(scene.outside(), outside);
}

#[test]
fn memories_that_are_put_outside_while_the_vault_is_open_are_not_there() {
    let scene = Scene::new();
    let mut vault = scene.open();
    assert_eq!(found(&mut vault, "good"), [id(1)]);
    scene.put_outside("memory");
    let outside = scene.outside();
    let searched = vault.search("good", &Default::default());
    assert!(is_refused(&searched), "{searched:?}");
    let written = vault.write(&draft("new"));
    assert!(is_refused(&written), "{written:?}");
    assert_eq!(scene.outside(), outside);
}

/// Each part of the private folder, and the folder itself. Where the link
/// stands in the way of a write, the vault is searched all the same.
#[test]
fn bookkeeping_that_lies_outside_is_not_written() {
    for (part, searched, written) in [
        ("", true, false),
        ("/config.json", false, false),
        ("/feed.jsonl", true, false),
        ("/lock", true, false),
        ("/staging", true, false),
        ("/index.snapshot", true, true),
    ] {
        let scene = Scene::new();
        let first = scene.open().write(&draft("makes every part"));
        first.expect("written");
        let name = format!(".inkvault{part}");
        scene.put_outside(&name);
        let outside = scene.outside();
        let mut vault = scene.open();
        let answers = [
            (
                searched,
                vault.search("good", &Default::default()).map(drop),
            ),
            (written, vault.write(&draft("a second one")).map(drop)),
        ];
        let _ = vault.verify(true);
        let _ = vault.rebuild_index();
        assert_eq!(scene.outside(), outside, "{name}");
        for (allowed, answer) in answers {
            let expected = if allowed {
                answer.is_ok()
            } else {
                is_refused(&answer)
            };
            assert!(expected, "{name}: {answer:?}");
        }
    }
}

/// Lines of the journal would be appended to somebody else's file.
#[test]
fn a_journal_that_lies_outside_keeps_the_vault_from_being_changed() {
    let scene = Scene::new();
    scene
        .open()
        .write(&draft("makes every part"))
        .expect("written");
    scene.put_outside(".inkvault/journal.jsonl");
    let outside = scene.outside();
    let written = scene.open().write(&draft("a second one"));
    assert!(is_refused(&written), "{written:?}");
    assert_eq!(found(&mut scene.open(), "every part").len(), 1);
    assert_eq!(scene.outside(), outside);
}
