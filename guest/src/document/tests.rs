//! Documents as people leave them, read and edited.

use super::*;

/// The canonical order of the contract, as far as the tests need it.
const ORDER: [&str; 5] = ["id", "title", "status", "tags", "origin"];

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| item.to_string()).collect())
}

fn edited(before: &str, edits: &[Edit<'_>]) -> String {
    Document::parse(before).edit(edits, &ORDER)
}

#[test]
fn the_example_of_the_contract_comes_out_exactly() {
    let plain = |text: &str| Value::Plain(text.to_owned());
    let entries = [
        ("id", text("m-20261019-ab12cd")),
        ("title", text("用户偏好：回答用中文")),
        ("kind", text("preference")),
        ("status", text("active")),
        ("created", plain("2026-10-19T10:00:00.000Z")),
        ("updated", plain("2026-10-19T10:00:00.000Z")),
        ("tags", list(&["preference", "language"])),
        ("confidence", Value::number(0.8)),
        ("source", text("capture")),
        ("hash", text("0123456789abcdef")),
        ("origin", text("")),
        ("delivery", text("recall")),
    ];
    let expected = "---\nid: m-20261019-ab12cd\ntitle: 用户偏好：回答用中文\nkind: preference\n\
        status: active\ncreated: 2026-10-19T10:00:00.000Z\nupdated: 2026-10-19T10:00:00.000Z\n\
        tags: [preference, language]\nconfidence: 0.8\nsource: capture\nhash: 0123456789abcdef\n\
        origin: ''\ndelivery: recall\n---\n\n正文 Markdown。";
    assert_eq!(compose(&entries, "正文 Markdown。\n"), expected);
}

#[test]
fn parsing_as_the_contract_says() {
    let plain = Document::parse("无 frontmatter");
    assert_eq!((plain.body(), plain.fields().len()), ("无 frontmatter", 0));
    let unclosed = "---\na: 1\n没有结束";
    assert_eq!(Document::parse(unclosed).body(), unclosed);
    let whole = Document::parse(
        "---\ntitle: 'it''s'\ntags: [a, \"b, c\"]\n\
            confidence: 0.8\norigin: ~\nextra: 12\n---\n\n\nbody",
    );
    assert_eq!(whole.body(), "\nbody");
    let values: Vec<_> = whole
        .fields()
        .iter()
        .map(|field| field.value.clone())
        .collect();
    let tags = list(&["a", "b, c"]);
    assert_eq!(
        values,
        [text("it's"), tags, text("0.8"), text(""), text("12")]
    );
    let twice = Document::parse("---\ntitle: a\ntitle: b\n---\n\nx");
    assert_eq!(
        twice.get("title").map(|field| &field.value),
        Some(&text("a"))
    );
    assert_eq!(
        twice.issues(),
        ["line 3: `title` stands again; the first counts"]
    );
    let nested = Document::parse("---\nk:\n  n: 1\n---\n\nx");
    assert_eq!(nested.issues().len(), 1);
    assert_eq!(nested.fields()[0].raw, "n: 1");
    assert_eq!(
        Document::parse("---\norigin: window\n---\n").fields()[0].value,
        text("")
    );
}

#[test]
fn frontmatter_of_any_line_ending() {
    for (ending, name) in [
        ("\n", LineEnding::Lf),
        ("\r\n", LineEnding::CrLf),
        ("\r", LineEnding::Cr),
    ] {
        let source = "\u{FEFF}--- \nid: x\n\n# c\nmy key : 1\ntags:\n- a\n- b\n---\t\n\nbody\n";
        let source = source.replace('\n', ending);
        let document = Document::parse(&source);
        assert!(document.has_bom() && document.has_frontmatter());
        assert_eq!(document.line_ending(), name);
        assert_eq!(document.body(), format!("body{ending}"));
        let tags = document.get("tags").expect("tags");
        assert_eq!(
            (&tags.value, tags.style),
            (&list(&["a", "b"]), Style::BlockList)
        );
        assert_eq!(document.get("my key").map(|field| field.line), Some(5));
        assert!(document.issues().is_empty());
    }
}

#[test]
fn values_on_several_lines_are_read() {
    let document = Document::parse(
        "---\na: |\n  x\n  # y\n\n  z\n\
            b: [\n  p,\n  q\n]\n\"c: d\": two\n  lines\ne: f: g\n  h\nstray\n---\n",
    );
    let found: Vec<_> = document
        .fields()
        .iter()
        .map(|field| (field.value.clone(), field.style))
        .collect();
    assert_eq!(
        found,
        [
            (text("x\n# y\n\nz\n"), Style::BlockScalar),
            (list(&["p", "q"]), Style::FlowList),
            (text("two lines"), Style::Plain),
            (text("f: g\n  h"), Style::Unreadable),
        ]
    );
    assert_eq!(document.fields()[2].key, "c: d");
    assert_eq!(
        document.issues(),
        [
            "line 13: `e` cannot be read as YAML, and is kept as text",
            "line 15 is not `key: value` and is left alone"
        ]
    );
}

#[test]
fn edits_keep_what_the_user_wrote() {
    let before = "\u{FEFF}---\r\n# mine\r\ntitle:   'Old'   # why\r\n\r\n\
        tags: # topics\r\n    - a\r\n    # odd\r\n    - \"b\"\r\nx-note: @me\r\n---\r\nbody";
    let after = edited(
        before,
        &[
            Edit::Set("title", text("New: one")),
            Edit::Set("tags", list(&["a", "c d"])),
            Edit::Set("status", text("active")),
            Edit::Set("zzz", Value::Plain("1".into())),
            Edit::Set("x-note", text("@me")),
        ],
    );
    assert_eq!(
        after,
        "\u{FEFF}---\r\n# mine\r\ntitle:   'New: one'   # why\r\nstatus: active\r\n\r\n\
            tags: # topics\r\n    - a\r\n    - c d\r\nx-note: @me\r\nzzz: 1\r\n---\r\nbody"
    );
}

#[test]
fn edits_of_every_style() {
    let block = Value::BlockList(vec!["p".into(), "q".into()]);
    for (before, value, after) in [
        ("k:\n", text("v"), "k: v\n"),
        ("k:  # c\n", text("v"), "k: v  # c\n"),
        ("k: # c\n", block.clone(), "k: # c\n  - p\n  - q\n"),
        ("k: v # c\n", block.clone(), "k: # c\n  - p\n  - q\n"),
        ("k: [a] # c\n", block.clone(), "k: [p, q] # c\n"),
        ("k: # c\n- a\n", list(&["p", "q"]), "k: # c\n- p\n- q\n"),
        ("k: # c\n  - a\n", list(&[]), "k: [] # c\n"),
        ("k: |\n  a\n  b\n", text("v"), "k: v\n"),
        ("k: [\n  a\n] # c\n", list(&["p"]), "k: [p]\n"),
        ("k:\n  n: 1\n", text("v"), "k: v\n"),
        ("k: a\n- b\n", block, "k: [p, q]\n- b\n"),
        ("k: null\n", text(""), "k: null\n"),
        ("k: \"a\\x41\"\n", text("aA"), "k: \"a\\x41\"\n"),
        ("'k': a\nk: b\n", text("v"), "'k': v\nk: b\n"),
    ] {
        let (before, after) = (format!("---\n{before}---\n"), format!("---\n{after}---\n"));
        assert_eq!(edited(&before, &[Edit::Set("k", value)]), after, "{before}");
    }
}

#[test]
fn removing_takes_all_that_belongs_to_the_key() {
    let before = "---\na: 1\nk:\n  - x\n  # c\nb: 2\nk: again\n  # more\n# apart\n---\n\nbody";
    assert_eq!(
        edited(before, &[Edit::Remove("k")]),
        "---\na: 1\nb: 2\n# apart\n---\n\nbody"
    );
    assert_eq!(edited(before, &[Edit::Remove("none")]), before);
    let strays = "---\ntags:\nk: x\n- y\n---\n";
    assert_eq!(edited(strays, &[Edit::Remove("k")]), "---\ntags:\n---\n");
}

#[test]
fn new_keys_find_their_place() {
    let set = |key| Edit::Set(key, text("v"));
    assert_eq!(
        edited("---\n---\nb", &[set("x"), set("id")]),
        "---\nid: v\nx: v\n---\nb"
    );
    assert_eq!(
        edited(
            "---\n# c\ntitle: t\ny: z\n---\n",
            &[set("origin"), set("tags"), set("id")]
        ),
        "---\n# c\nid: v\ntitle: t\ntags: v\norigin: v\ny: z\n---\n"
    );
    assert_eq!(
        edited("\u{FEFF}a\r\nb", &[set("id")]),
        "\u{FEFF}---\r\nid: v\r\n---\r\n\r\na\r\nb"
    );
}

#[test]
fn bodies_are_replaced_alone() {
    for (before, body, after) in [
        ("---\na: 1\n---\n\nold\n", "new", "---\na: 1\n---\n\nnew"),
        ("---\na: 1\n---\nold", "new", "---\na: 1\n---\nnew"),
        ("---\na: 1\n---\nold", "\nnew", "---\na: 1\n---\n\n\nnew"),
        ("---\na: 1\n---\n", "new", "---\na: 1\n---\n\nnew"),
        ("---\na: 1\n---", "new", "---\na: 1\n---\n\nnew"),
        (
            "---\r\n---\r\n\r\na\r\nb",
            "a\nb",
            "---\r\n---\r\n\r\na\r\nb",
        ),
        (
            "---\r\n---\r\n\r\na\r\nb",
            "a\nc",
            "---\r\n---\r\n\r\na\r\nc",
        ),
        (
            "---\n---\n\na\r\nb\nc\rd\r\n",
            "a\nnew\nc\nd\n",
            "---\n---\n\na\r\nnew\nc\rd\r\n",
        ),
        ("---\n---\n\na\r\n", "a", "---\n---\n\na"),
        ("old", "new", "new"),
        ("old", "---\nx: y\n---\nz", "---\n---\n\n---\nx: y\n---\nz"),
        ("\u{FEFF}old", "new", "\u{FEFF}new"),
    ] {
        assert_eq!(edited(before, &[Edit::Body(body)]), after, "{before:?}");
    }
}

#[test]
fn large_inputs_take_linear_time() {
    let started = std::time::Instant::now();
    let bracket_lines = format!("k: [{}\n{}", "a,".repeat(1 << 18), "]\n".repeat(1 << 18));
    for inside in [
        "x: y\n".repeat(1 << 18),
        "junk\n".repeat(1 << 18),
        format!("t: {}", "# '\"[{".repeat(1 << 18)),
        format!("t: [{}]", "'a, \"b, ".repeat(1 << 17)),
        format!("t: {}", "[".repeat(1 << 20)),
        format!("t:\n{}", "  - a\n".repeat(1 << 17)),
        format!("t: |\n{}", "  text\n".repeat(1 << 17)),
        "t: [\n a,\n]\n".repeat(1 << 16),
        bracket_lines,
    ] {
        let source = format!("---\n{inside}\n---\n\nbody");
        let document = Document::parse(&source);
        assert_eq!(document.body(), "body");
        assert!(document.issues().len() <= 51);
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}
