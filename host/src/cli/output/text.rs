//! Text that comes from a vault, made fit for a terminal: without control
//! characters, and measured and cut by the columns it takes.

use unicode_width::UnicodeWidthStr as _;

/// Columns the text takes on a terminal; a CJK character takes two.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text if it fits into so many columns, else as much of it as fits with
/// an `…` behind.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut end = 0;
    for (start, character) in text.char_indices() {
        let next = start + character.len_utf8();
        if width(&text[..next]) > room {
            break;
        }
        end = next;
    }
    format!("{}…", text[..end].trim_end())
}

/// The text in one line: line breaks become spaces, and whatever else could
/// steer a terminal is shown as `�`.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split(['\n', '\r', '\t']).map(str::trim).collect();
    let line = words.join(" ");
    harmless(line.trim(), |_| false)
}

/// The text with its lines and tabs, but with nothing else that could steer a
/// terminal.
pub(crate) fn lines(text: &str) -> String {
    harmless(text, |character| matches!(character, '\n' | '\t'))
}

fn harmless(text: &str, keep: impl Fn(char) -> bool) -> String {
    let shown = |character: char| {
        if character.is_control() && !keep(character) {
            char::REPLACEMENT_CHARACTER
        } else {
            character
        }
    };
    text.replace("\r\n", "\n").chars().map(shown).collect()
}

/// `1 memory`, `2 memories`.
pub(crate) fn counted(number: impl Into<u64>, one: &str, many: &str) -> String {
    let number = number.into();
    let word = if number == 1 { one } else { many };
    format!("{number} {word}")
}

/// The day of a time of the interface: `2026-10-19`.
pub(crate) fn day(time: &str) -> &str {
    time.split_once('T').map_or(time, |(day, _)| day)
}

/// The second of a time of the interface, which is in UTC:
/// `2026-10-19 10:00:05`.
pub(crate) fn second(time: &str) -> String {
    match time.split_once('T') {
        Some((day, rest)) if rest.is_char_boundary(8) && rest.ends_with('Z') => {
            format!("{day} {}", &rest[..8])
        }
        _ => time.to_owned(),
    }
}

/// A number of bytes, in the largest unit of which there is one:
/// `999 bytes`, `1.5 KiB`.
pub(crate) fn size(bytes: u64) -> String {
    let tenths = |unit: u64| {
        let tenths = bytes.saturating_mul(10) / unit;
        format!("{}.{}", tenths / 10, tenths % 10)
    };
    match bytes {
        1_048_576.. => format!("{} MiB", tenths(1 << 20)),
        1_024.. => format!("{} KiB", tenths(1 << 10)),
        _ => counted(bytes, "byte", "bytes"),
    }
}

/// The minute of a time of the interface: `2026-10-19 10:00 UTC`.
pub(crate) fn minute(time: &str) -> String {
    match time.split_once('T') {
        Some((day, rest)) if rest.is_char_boundary(5) && rest.ends_with('Z') => {
            format!("{day} {} UTC", &rest[..5])
        }
        _ => time.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("memory"), 6);
        assert_eq!(width("记忆"), 4);
        assert_eq!(width("カナ한글"), 8);
        assert_eq!(width("e\u{301}"), 1);
    }

    #[test]
    fn a_cut_text_fits() {
        assert_eq!(cut("memory", 6), "memory");
        assert_eq!(cut("memory", 5), "memo…");
        assert_eq!(cut("深色主题", 5), "深色…");
        assert_eq!(cut("深色主题", 4), "深…");
        assert_eq!(cut("two words", 5), "two…");
        assert_eq!(cut("memory", 0), "…");
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(one_line("a\nb\tc\r\nd"), "a b c  d");
        assert_eq!(one_line("\x1b[31mred\x07"), "\u{fffd}[31mred\u{fffd}");
        assert_eq!(lines("a\r\n\tb\x1b"), "a\n\tb\u{fffd}");
    }

    #[test]
    fn times_are_shortened() {
        assert_eq!(day("2026-10-19T10:00:00.000Z"), "2026-10-19");
        assert_eq!(minute("2026-10-19T10:00:00.000Z"), "2026-10-19 10:00 UTC");
        assert_eq!(minute("yesterday"), "yesterday");
        assert_eq!(second("2026-10-19T10:00:05.000Z"), "2026-10-19 10:00:05");
        assert_eq!(second("T1Z"), "T1Z");
    }

    #[test]
    fn sizes_are_told_in_their_unit() {
        assert_eq!(size(1), "1 byte");
        assert_eq!(size(1_023), "1023 bytes");
        assert_eq!(size(1_536), "1.5 KiB");
        assert_eq!(size(3 << 20), "3.0 MiB");
    }

    #[test]
    fn numbers_agree_with_their_nouns() {
        assert_eq!(counted(1_u32, "memory", "memories"), "1 memory");
        assert_eq!(counted(0_u32, "memory", "memories"), "0 memories");
    }
}
