//! `search` and browsing: filters, limits, what a hit shows.

mod common;

use common::{draft, id, note, vault};
use inkvault_guest::memory::{Area, Status};
use inkvault_guest::vault::{BrowseOptions, Draft, SearchOptions};

#[test]
fn search_filters_before_it_limits() {
    let (_, mut vault) = vault();
    for n in 0..20 {
        let kind = if n % 5 == 0 { "decision" } else { "fact" };
        let tags = Some(vec![if n % 2 == 0 {
            "even".to_owned()
        } else {
            "odd".to_owned()
        }]);
        let status = Some(if n % 4 == 0 {
            Status::Archived
        } else {
            Status::Active
        });
        vault
            .write(&Draft {
                kind: Some(kind.into()),
                tags,
                status,
                ..draft(&format!("shared word {n}"))
            })
            .expect("written");
    }
    let mut count = |options: SearchOptions| vault.search("shared", &options).expect("hits").len();
    assert_eq!(count(SearchOptions::default()), 8);
    let all = || SearchOptions {
        limit: Some(100),
        ..SearchOptions::default()
    };
    assert_eq!(count(all()), 15);
    assert_eq!(
        count(SearchOptions {
            statuses: vec![Status::Archived],
            ..all()
        }),
        5
    );
    assert_eq!(
        count(SearchOptions {
            kinds: vec!["decision".into()],
            limit: Some(2),
            ..all()
        }),
        2
    );
    assert_eq!(
        count(SearchOptions {
            kinds: vec!["decision".into()],
            ..all()
        }),
        3
    );
    assert_eq!(
        count(SearchOptions {
            tags: vec!["odd".into()],
            ..all()
        }),
        10
    );
    assert_eq!(
        count(SearchOptions {
            tags: vec!["odd".into(), "even".into()],
            ..all()
        }),
        0
    );
    assert_eq!(
        count(SearchOptions {
            areas: vec![Area::Cold],
            ..all()
        }),
        0
    );
    assert_eq!(
        count(SearchOptions {
            kinds: vec!["unheard of".into()],
            ..all()
        }),
        0
    );
    assert_eq!(
        count(SearchOptions {
            scope: Some("project".into()),
            ..all()
        }),
        0
    );
    assert_eq!(
        count(SearchOptions {
            limit: Some(0),
            ..all()
        }),
        0
    );
}

#[test]
fn a_hit_shows_where_it_matches() {
    let (_, mut vault) = vault();
    let body = format!(
        "{}\n我们决定采用 pnpm 管理依赖。\n{}",
        "filler ".repeat(100),
        "tail ".repeat(100)
    );
    vault
        .write(&Draft {
            tags: Some(vec!["tooling".into()]),
            ..draft(&body)
        })
        .expect("written");
    let hit = vault
        .search("pnpm 依赖 tooling missing", &SearchOptions::default())
        .expect("hits")
        .remove(0);
    assert!(
        hit.snippet.contains("采用 pnpm 管理依赖") && hit.snippet.chars().count() <= 160,
        "{}",
        hit.snippet
    );
    assert_eq!(hit.matched_terms, ["pnpm", "依赖", "tooling"]);
}

#[test]
fn pages_of_a_list() {
    let (machine, mut vault) = vault();
    for n in 0..5 {
        vault
            .write(&draft(&format!("memory {n}")))
            .expect("written");
        machine.advance(std::time::Duration::from_millis(5));
    }
    let page = vault
        .browse(&BrowseOptions {
            offset: 1,
            limit: Some(2),
            ..BrowseOptions::default()
        })
        .expect("a page");
    let bodies: Vec<_> = page
        .memories
        .iter()
        .map(|memory| memory.body.as_str())
        .collect();
    assert_eq!((page.total, bodies), (5, vec!["memory 3", "memory 2"]));
}

#[test]
fn a_contradicted_memory_is_found_like_a_pending_one() {
    let (machine, mut vault) = vault();
    let text = note(&id(1), "t", "contradicted").replace(
        "status: active",
        "status: pending\nconflicts_with: [m-20261001-000002]",
    );
    machine.put(&format!("memory/{}.md", id(1)), text);
    assert_eq!(common::found(&mut vault, "contradicted"), [id(1)]);
    assert_eq!(
        vault.get(&id(1)).expect("there").metadata.status,
        Status::Conflict
    );
}
