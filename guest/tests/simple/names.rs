//! What a note can be called, and how it comes by a name nobody gave it.

use inkvault_guest::Error;
use inkvault_guest::memory::Status;
use inkvault_guest::vault::Draft;

use crate::common::draft;
use crate::{note, root, shown};

fn of_project(project: &str) -> Draft {
    Draft {
        scope: Some(project.into()),
        ..note("踩坑", "端口", "x")
    }
}

#[test]
fn names_within_the_limits_are_taken_as_they_are() {
    let (category, topic) = ("类".repeat(24), "题".repeat(48));
    for (draft, path) in [
        (
            note(&category, &topic, "x"),
            format!("common/{category}-{topic}.md"),
        ),
        (note("x", "y", "x"), "common/x-y.md".into()),
        (
            note("自造_1", "a-b_c-2", "x"),
            "common/自造_1-a-b_c-2.md".into(),
        ),
        (
            of_project("My App v1.0"),
            "projects/My App v1.0/踩坑-端口.md".into(),
        ),
        (
            of_project(&"p".repeat(64)),
            format!("projects/{}/踩坑-端口.md", "p".repeat(64)),
        ),
        // Nothing belongs to no project, and one line is made of the name.
        (of_project(""), "common/踩坑-端口.md".into()),
        (note("踩坑", " 端口\n", "x"), "common/踩坑-端口.md".into()),
        (
            draft("先看 8080 端口，再启动！\n\n更多"),
            "common/背景-先看-8080-端口-再启动.md".into(),
        ),
        (
            draft("\n\n# Title: of it\ntext"),
            "common/背景-Title-of-it.md".into(),
        ),
        (
            draft(&"长".repeat(60)),
            format!("common/背景-{}.md", "长".repeat(48)),
        ),
    ] {
        let (machine, mut vault) = root();
        let written = vault.write(&draft).expect(&path).memory;
        assert_eq!(written.path.as_str(), path);
        assert!(machine.bytes(&path).is_some());
        let id = path.trim_end_matches(".md");
        for asked in [id, &path] {
            assert_eq!(vault.get(asked).expect("there").metadata.id, id);
        }
    }
}

#[test]
fn other_names_are_refused_and_the_error_names_the_field() {
    let (machine, mut vault) = root();
    let before = shown(&machine);
    let long = |c: &str, times: usize| c.repeat(times);
    let kinds = [
        "",
        "a-b",
        "a b",
        "a/b",
        "..",
        "a.b",
        "a:b",
        "类\u{202e}",
        &long("类", 25),
    ];
    let titles = [
        "a/b",
        "../x",
        "a b",
        "a.md",
        "a\\b",
        "a:b",
        "a?b",
        "a*",
        "a\u{0}b",
        "…",
        "a\u{200b}b",
        &long("题", 49),
    ];
    let projects = [
        "..",
        ".",
        ".git",
        "a/b",
        "/a",
        "a\\b",
        "a\nb",
        " a",
        "a ",
        "[a]",
        "a\u{0}",
        &long("p", 65),
        &long("项", 65),
        // 256 bytes, more than a name can have.
        &long("\u{20000}", 64),
    ];
    let kinds = kinds.map(|kind| (note(kind, "t", "x"), "kind"));
    let titles = titles.map(|title| (note("k", title, "x"), "title"));
    let projects = projects.map(|project| (of_project(project), "scope"));
    for (draft, field) in kinds.into_iter().chain(titles).chain(projects) {
        let refused = vault.write(&draft).map(|receipt| receipt.memory.path);
        assert!(
            matches!(&refused, Err(Error::InvalidArgument(why)) if why.starts_with(field)),
            "{draft:?}: {refused:?}"
        );
    }
    let nameless = vault.write(&draft("！！！"));
    assert!(
        matches!(&nameless, Err(Error::InvalidArgument(why)) if why.starts_with("title")),
        "{nameless:?}"
    );
    assert_eq!(shown(&machine), before);
}

/// Characters of four bytes make a name longer than a file system takes: it is
/// refused, with room for the number that a name gets in the archive.
#[test]
fn a_name_of_too_many_bytes_is_refused() {
    let (_, mut vault) = root();
    let wide = |count: usize| "\u{20000}".repeat(count);
    let refused = vault.write(&note(&wide(24), &wide(48), "x"));
    assert!(
        matches!(refused, Err(Error::InvalidArgument(_))),
        "{refused:?}"
    );
    let longest = note(&wide(24), &wide(35), "x");
    for count in 0..3 {
        let written = vault.write(&longest).expect("240 bytes").memory;
        let away = vault
            .forget(&written.metadata.id, None, "")
            .expect("forgotten");
        assert!(away.memory.path.name().len() <= 255, "{count}");
    }
}

#[test]
fn a_path_must_say_what_scope_kind_and_title_say() {
    let (machine, mut vault) = root();
    let at = |path: &str, scope: Option<&str>| Draft {
        path: Some(path.into()),
        scope: scope.map(str::to_owned),
        ..draft("x")
    };
    let before = shown(&machine);
    for (draft, field) in [
        (at("projects/app/踩坑-x.md", None), "path"),
        (at("projects/app/踩坑-x.md", Some("lib")), "path"),
        (at("common/踩坑-x.md", Some("app")), "path"),
        (at("archive/踩坑-x.md", None), "path"),
        (
            Draft {
                status: Some(Status::Archived),
                ..at("common/踩坑-x.md", None)
            },
            "path",
        ),
        (at("common/踩坑-x.txt", None), "path"),
        (at("common/.踩坑-x.md", None), "path"),
        (at("common/nodash.md", None), "kind"),
        (
            Draft {
                kind: Some("流程".into()),
                ..at("common/踩坑-x.md", None)
            },
            "kind",
        ),
        (
            Draft {
                title: Some("y".into()),
                ..at("common/踩坑-x.md", None)
            },
            "title",
        ),
    ] {
        let refused = vault.write(&draft).map(|receipt| receipt.memory.path);
        assert!(
            matches!(&refused, Err(Error::InvalidArgument(why)) if why.starts_with(field)),
            "{draft:?}: {refused:?}"
        );
    }
    for path in ["../x.md", "/common/踩坑-x.md", "common/../../踩坑-x.md"] {
        let refused = vault.write(&at(path, None));
        assert!(
            matches!(refused, Err(Error::InvalidArgument(_))),
            "{refused:?}"
        );
    }
    assert_eq!(shown(&machine), before);
    for (draft, id) in [
        (at("common/踩坑-x.md", None), "common/踩坑-x"),
        (
            at("projects/app/踩坑-x.md", Some("app")),
            "projects/app/踩坑-x",
        ),
        (
            Draft {
                kind: Some("流程".into()),
                title: Some("y".into()),
                ..at("common/流程-y.md", None)
            },
            "common/流程-y",
        ),
        (
            Draft {
                status: Some(Status::Archived),
                ..at("archive/projects/app/踩坑-x.md", Some("app"))
            },
            "archive/projects/app/踩坑-x",
        ),
    ] {
        let written = vault.write(&draft).expect(id).memory;
        assert_eq!(written.metadata.id, id);
    }
}

/// Letters of every script, with the marks that belong to them.
#[test]
fn letters_of_every_script_can_be_a_topic() {
    let (_, mut vault) = root();
    for topic in ["हिन्दी", "cafe\u{301}", "ภาษาไทย", "العربية", "한국어"]
    {
        let written = vault.write(&note("踩坑", topic, "x")).expect(topic);
        assert_eq!(written.memory.metadata.title, topic);
    }
}
