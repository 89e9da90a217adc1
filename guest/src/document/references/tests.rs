//! References as people and agents write them, and what is none.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;

const ID: &str = "m-20261019-ab12cd";

fn is_id(word: &str) -> bool {
    word.len() == ID.len() && word.starts_with("m-2026")
}

/// The names in a body.
fn names(body: &str) -> Vec<String> {
    let found = references(body, ends_word, is_id);
    found
        .iter()
        .map(|reference| reference.name().to_owned())
        .collect()
}

#[test]
fn references_come_in_the_order_of_the_text() {
    let body = format!("See [[b|shown]],\n> ![[a]] and {ID}\n\n* [[memory/c.md#Risks]]\n");
    let found = references(&body, ends_word, is_id);
    let seen: Vec<_> = found
        .iter()
        .map(|reference| (reference.kind, reference.name(), reference.text.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            (ReferenceKind::Link, "b", "[[b|shown]]"),
            (ReferenceKind::Embed, "a", "![[a]]"),
            (ReferenceKind::Id, ID, ID),
            (ReferenceKind::Link, "memory/c", "[[memory/c.md#Risks]]"),
        ]
    );
}

#[test]
fn headings_blocks_and_suffixes_are_no_part_of_a_name() {
    for (link, name) in [
        ("[[a#Heading]]", "a"),
        ("[[a#Heading#Sub]]", "a"),
        ("[[a#^block]]", "a"),
        ("[[a^block]]", "a"),
        ("[[ a ]]", "a"),
        ("[[a.MD]]", "a"),
        ("[[a.md#Heading|shown]]", "a"),
        ("[[a_b_c]]", "a_b_c"),
        ("[[v1.0]]", "v1.0"),
        ("[[发布计划|计划]]", "发布计划"),
        ("[[发布：计划（草稿）]]", "发布：计划（草稿）"),
        ("[[a|b|c]]", "a"),
        ("[[a|]]", "a"),
        ("**[[a]]**", "a"),
        ("见[[a]]。", "a"),
    ] {
        assert_eq!(names(link), [name], "{link}");
    }
}

#[test]
fn a_title_with_a_number_sign_may_be_meant_whole() {
    let found = references("[[Fix issue #12.md]] [[plain]]", ends_word, is_id);
    let names = |at: usize| found[at].names().collect::<Vec<_>>();
    assert_eq!(names(0), ["Fix issue #12", "Fix issue"]);
    assert_eq!(names(1), ["plain"]);
}

#[test]
fn what_names_nothing_is_no_reference() {
    for body in [
        "",
        "[[]]",
        "[[ ]]",
        "[[|shown]]",
        "[[#Heading]]",
        "[[^block]]",
        "[[.md]]",
        "[[a\nb]]",
        "[a](b.md)",
        "[a]",
        "[ [a] ]",
        "[[a]",
        "\\[\\[a\\]\\]",
        "<!-- [[a]] -->",
    ] {
        assert_eq!(names(body), [""; 0], "{body:?}");
    }
}

#[test]
fn code_is_passed_over() {
    for code in [
        "`[[a]]`",
        "`` [[a]] ` ``",
        "```\n[[a]]\n```",
        "~~~md\n[[a]]\n~~~",
        "    [[a]]",
        "> ```\n> [[a]]\n> ```",
    ] {
        let with_id = code.replace("[[a]]", ID);
        assert_eq!(names(code), [""; 0], "{code:?}");
        assert_eq!(names(&with_id), [""; 0], "{with_id:?}");
        assert_eq!(names(&format!("{code}\n\n[[b]] {ID}")), ["b", ID]);
    }
    let never_closed = format!("[[b]] `[[c]]\n\n```\n[[a]] {ID}");
    assert_eq!(names(&never_closed), ["b", "c"]);
}

#[test]
fn ids_are_whole_words() {
    for text in [
        format!("see {ID}."),
        format!("({ID})"),
        format!("参见{ID}的说明"),
        format!("_{ID}_"),
        format!("# {ID}"),
        format!("[{ID}](https://example.com)"),
        format!("memory/{ID}.md"),
        format!("one\n{ID}\ntwo"),
    ] {
        assert_eq!(names(&text), [ID], "{text}");
    }
    for text in [
        format!("x{ID}"),
        format!("{ID}-2"),
        format!("{ID}é"),
        format!("x_{ID}_"),
        format!("a-{ID}"),
    ] {
        assert_eq!(names(&text), [""; 0], "{text}");
    }
}

#[test]
fn an_id_in_a_link_is_one_reference() {
    assert_eq!(names(&format!("[[{ID}]]")), [ID]);
    assert_eq!(names(&format!("[[{ID}|{ID}]]")), [ID]);
    assert_eq!(names(&format!("[[a|*{ID}* and more]] {ID}")), ["a", ID]);
}

#[test]
fn a_table_may_escape_the_bar() {
    let table = "| a | b |\n|---|---|\n| [[one|1]] | [[two\\|2]] |\n| x | [[three]] |";
    assert_eq!(names(table), ["one", "two", "three"]);
}

#[test]
fn brackets_in_brackets() {
    assert_eq!(names("[[a [[b]] c]]"), ["b"]);
    assert_eq!(names("[[[a]]]"), ["a"]);
    assert_eq!(names("[see [[a]]](b.md)"), ["a"]);
    assert_eq!(names("![[a]][[b]]![[c]]"), ["a", "b", "c"]);
}

#[test]
fn a_large_body_takes_no_more_than_its_length() {
    for piece in [
        "[[", "]]", "[[a]]", "![[", "[[a|", "`[[", "> [[a", "_[[a_b", "[[a](", "m-2026 ",
    ] {
        let body = piece.repeat(200_000);
        let began = Instant::now();
        references(&body, ends_word, is_id);
        assert!(began.elapsed() < Duration::from_secs(10), "{piece}");
    }
}

/// Text with all that is hard about links in it.
fn tricky() -> impl Strategy<Value = String> {
    let pieces = vec![
        "[[", "]]", "[", "]", "![[", "|", "\\", "#", "^", ".md", "a", "_", "*", "`", "```", "\n",
        "\r\n", "    ", "> ", "- ", "| ", "<", ">", "<!--", "(", ")", "&amp;", "记忆", "é", "\0",
        "\u{FEFF}", "😀", ID,
    ];
    let piece = prop_oneof![
        1 => any::<char>().prop_map(String::from),
        6 => prop::sample::select(pieces).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_body_can_be_read(body in prop_oneof![any::<String>(), tricky()]) {
        let mut rest = body.as_str();
        for reference in references(&body, ends_word, is_id) {
            prop_assert!(!reference.name().is_empty());
            prop_assert!(reference.text.contains(&reference.target));
            prop_assert!(reference.names().count() <= 2);
            // Ids may have been written with escapes.
            if reference.kind != ReferenceKind::Id {
                let at = rest.find(&reference.text);
                prop_assert!(at.is_some(), "{:?} out of order", reference);
                rest = &rest[at.unwrap_or_default() + reference.text.len()..];
            }
        }
    }
}
