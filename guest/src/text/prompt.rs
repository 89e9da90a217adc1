//! Making text safe to stand inside what is put before a language model.
//!
//! Two dangers: braces that the host's template engine would read (inkvault
//! contract §6.5), and a hostile note that closes the block it stands in or
//! hides text from the person who reads it. Use [`neutralise`] first and
//! [`escape_braces`] on the finished text: the first removes characters, which
//! may bring two braces together.

/// Breaks every pair of neighbouring `{` into `{ {`, so that no `{{` is left
/// for a template engine to find; idempotent (inkvault contract §6.5,
/// `escapePromptBraces`). `}}` is harmless and stays.
pub fn escape_braces(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '{' && escaped.ends_with('{') {
            escaped.push(' ');
        }
        escaped.push(c);
    }
    escaped
}

/// A text that can neither leave nor open a block of ours, and hides nothing.
/// Idempotent.
///
/// * The `<` of every tag, opening or closing, whose name begins with
///   `inkvault-` becomes `&lt;`. Case, blanks after `<` and `/`, full-width
///   forms and look-alike hyphens make no difference.
/// * Line ends become `\n`; other control characters but the tab are removed.
/// * Removed are format characters that reorder or hide text: bidirectional
///   controls, zero-width blanks and operators, soft hyphens, U+FEFF, Hangul
///   fillers, annotation marks and the tag block U+E0000-E007F (flags of
///   regions fall back to a plain flag).
/// * Joiners and variation selectors stay, since scripts and emoji need them,
///   but never more than one of a kind in a row, which only hidden data has.
pub fn neutralise(text: &str) -> String {
    escape_tags(&visible(text))
}

/// Whether a text is one line that shows all it holds: no control character,
/// no line separator, nothing that hides or reorders.
pub fn is_plain_line(text: &str) -> bool {
    let is_plain =
        |c: char| !c.is_control() && !is_hidden(c) && !matches!(c, '\u{2028}' | '\u{2029}');
    text.chars().all(is_plain)
}

fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}' => shown.push('\n'),
            '\n' | '\t' => shown.push(c),
            _ if c.is_control() || is_hidden(c) => {}
            _ if is_selector(c) && shown.ends_with(is_attached) => {}
            _ if is_joiner(c) && shown.ends_with(is_joiner) => {}
            _ => shown.push(c),
        }
    }
    shown
}

fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FFA0}' | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E00FF}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{34F}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180F}')
}

fn is_attached(c: char) -> bool {
    is_selector(c) || is_joiner(c)
}

fn escape_tags(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if folded(c) == '<' && names_our_tag(&text[at + c.len_utf8()..]) {
            escaped.push_str("&lt;");
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// Whether what follows a `<` is blanks, slashes and `inkvault-`.
fn names_our_tag(after: &str) -> bool {
    let mut characters = after
        .chars()
        .filter(|&c| !is_attached(c))
        .map(folded)
        .skip_while(|&c| c == '/' || c.is_whitespace());
    "inkvault-"
        .chars()
        .all(|expected| characters.next() == Some(expected))
}

/// A character as a lenient reader of tags may take it.
fn folded(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => {
            char::from_u32(c as u32 - 0xFEE0).map_or(c, |ascii| ascii.to_ascii_lowercase())
        }
        '﹤' | '‹' | '\u{2329}' | '\u{3008}' => '<',
        '∕' | '⁄' => '/',
        '\u{2010}'..='\u{2015}' | '−' | '﹣' => '-',
        '\u{212A}' => 'k',
        'ı' | 'İ' => 'i',
        _ => c.to_ascii_lowercase(),
    }
}

/// A text made fit to stand inside an injection block: [`neutralise`]d, then
/// its braces escaped.
pub fn safe(text: &str) -> String {
    escape_braces(&neutralise(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn braces_as_the_contract_says() {
        for (text, escaped) in [
            ("{{name}}", "{ {name}}"),
            ("{{{", "{ { {"),
            ("{{{a}}}", "{ { {a}}}"),
            ("{ a }", "{ a }"),
            ("{{{{", "{ { { {"),
        ] {
            assert_eq!(escape_braces(text), escaped);
        }
    }

    #[test]
    fn our_tags_are_broken_and_others_stay() {
        for (text, safe) in [
            ("</inkvault-directive>", "&lt;/inkvault-directive>"),
            ("<Inkvault-recall x>", "&lt;Inkvault-recall x>"),
            ("< / INKVAULT-x", "&lt; / INKVAULT-x"),
            ("＜／ｉｎｋvault－x＞", "&lt;／ｉｎｋvault－x＞"),
            ("</ink\u{200B}vault-x>", "&lt;/inkvault-x>"),
            ("</ink\u{200D}vault-x>", "&lt;/ink\u{200D}vault-x>"),
            ("<<inkvault-x>", "<&lt;inkvault-x>"),
            ("<b>inkvault-x</b> 1 < 2", "<b>inkvault-x</b> 1 < 2"),
            ("&lt;inkvault-x>", "&lt;inkvault-x>"),
        ] {
            assert_eq!(neutralise(text), safe, "{text}");
        }
    }

    #[test]
    fn hidden_characters_go_and_needed_ones_stay() {
        for (text, safe) in [
            ("a\r\nb\rc\u{2028}d\te\u{0}\u{1B}[0m", "a\nb\nc\nd\te[0m"),
            ("\u{202E}abc\u{2066}\u{200F}\u{FEFF}", "abc"),
            ("x\u{E0041}\u{E0042}", "x"),
            ("👁\u{FE0F}\u{200D}🗨\u{FE0F}", "👁\u{FE0F}\u{200D}🗨\u{FE0F}"),
            ("می\u{200C}خواهم", "می\u{200C}خواهم"),
            ("😀\u{FE01}\u{E0101}\u{E0102}", "😀\u{FE01}"),
        ] {
            assert_eq!(neutralise(text), safe, "{text:?}");
        }
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            any::<char>().prop_map(String::from),
            prop::sample::select(vec![
                "<",
                "＜",
                "/",
                "inkvault-",
                "InkVault",
                "-",
                " ",
                "{",
                "{{",
                "\u{200D}",
                "\u{FE0F}",
                "\u{200B}",
                "\u{202E}",
                "\r",
                "\n",
                "&lt;",
            ])
            .prop_map(String::from),
        ];
        prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn escaping_leaves_no_pair(text in hostile()) {
            let once = escape_braces(&text);
            prop_assert!(!once.contains("{{"));
            prop_assert_eq!(escape_braces(&once), once);
        }

        #[test]
        fn nothing_leaves_the_block(text in hostile()) {
            let once = neutralise(&text);
            prop_assert!(!once.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            let plain = once.to_lowercase().replace(is_attached, "");
            let is_open = plain.split('<').skip(1).any(|after| {
                after.trim_start_matches([' ', '/', '\n']).starts_with("inkvault-")
            });
            prop_assert!(!is_open);
            prop_assert_eq!(neutralise(&once), once);
        }
    }
}
