//! What the component asks of a host and what it offers: nothing but files,
//! clocks, random numbers and an empty process, and the four interfaces.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use inkvault_tests::command;
use wasmtime::Engine;
use wasmtime::component::Component;
use wasmtime::component::types::{Component as ComponentType, ComponentItem};

/// What a host may be asked for. A toolchain need not ask for all of it.
const IMPORTS: [&str; 20] = [
    "inkvault:memory/types",
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

const EXPORTS: [&str; 4] = [
    "inkvault:memory/capture@0.1.0",
    "inkvault:memory/curation@0.1.0",
    "inkvault:memory/upkeep@0.1.0",
    "inkvault:memory/vault@0.1.0",
];

static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::default);

static COMPONENT: LazyLock<ComponentType> = LazyLock::new(|| {
    let component = Component::from_file(&ENGINE, command::component());
    component.expect("a component").component_type()
});

/// An interface's name without its version.
fn unversioned(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

/// How many functions an import or export of the component has; none where it
/// is no interface.
fn functions(item: &ComponentItem) -> Option<usize> {
    let ComponentItem::ComponentInstance(interface) = item else {
        return None;
    };
    let is_function = |item: &ComponentItem| matches!(item, ComponentItem::ComponentFunc(_));
    let items = interface.exports(&ENGINE).map(|(_, item)| item.ty);
    Some(items.filter(is_function).count())
}

#[test]
fn it_asks_for_nothing_beyond_files_clocks_and_chance() {
    let allowed = BTreeSet::from(IMPORTS);
    let asked: BTreeSet<_> = COMPONENT
        .imports(&ENGINE)
        .map(|(name, _)| unversioned(name))
        .collect();
    let beyond: Vec<_> = asked.difference(&allowed).collect();
    assert!(beyond.is_empty(), "{beyond:?}");
    assert!(asked.contains("wasi:filesystem/types"), "{asked:?}");
}

/// A host that knows WASI 0.2 in any version can load it.
#[test]
fn it_asks_for_one_generation_of_wasi() {
    for (name, _) in COMPONENT.imports(&ENGINE) {
        if name.starts_with("wasi:") {
            let version = name.split('@').nth(1).unwrap_or_default();
            assert!(version.starts_with("0.2."), "{name}");
        }
    }
}

#[test]
fn its_own_import_is_a_vocabulary_without_functions() {
    let own = COMPONENT
        .imports(&ENGINE)
        .filter(|(name, _)| name.starts_with("inkvault:"));
    for (name, item) in own {
        assert_eq!(functions(&item.ty), Some(0), "{name}");
    }
}

/// A function of the world itself would take the name of one of libc's.
#[test]
fn it_offers_the_four_interfaces_and_no_function_beside_them() {
    let mut offered: Vec<_> = COMPONENT.exports(&ENGINE).collect();
    offered.sort_by_key(|(name, _)| *name);
    let names: Vec<_> = offered.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, EXPORTS);
    for (name, item) in offered {
        assert!(functions(&item.ty).is_some_and(|count| count > 0), "{name}");
    }
}
