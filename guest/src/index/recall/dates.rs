//! Dates that a question names, and how well a time fits them.

use time::{Date, Month};

/// Days outside a date over which the match falls to nothing.
const FADING: f64 = 14.0;
/// How well a time in the right year fits where only a year was named.
const YEAR_ALONE: f64 = 0.5;
const DAY: i64 = 86_400_000;
/// The Julian day of 1970-01-01.
const EPOCH: i64 = 2_440_588;

/// A date as it was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A day.
    Day(Date),
    /// A month of a year.
    Month(i32, Month),
    /// A month of whatever year.
    AnyYear(Month),
    /// A year.
    Year(i32),
}

/// How well a time, in milliseconds since 1970, fits the best of the dates: 0
/// to 1.
pub(super) fn fit(dates: &[Asked], created: Option<i64>) -> f64 {
    let Some(created) = created.filter(|_| !dates.is_empty()).and_then(day_of) else {
        return 0.0;
    };
    let fits = dates.iter().map(|asked| fit_one(*asked, created));
    fits.fold(0.0, f64::max)
}

fn day_of(millis: i64) -> Option<Date> {
    let day = i32::try_from(millis.div_euclid(DAY) + EPOCH).ok()?;
    Date::from_julian_day(day).ok()
}

fn fit_one(asked: Asked, created: Date) -> f64 {
    match asked {
        Asked::Day(day) => fading(days_between(day, created)),
        Asked::Month(year, month) => {
            let first = Date::from_calendar_date(year, month, 1);
            let last = Date::from_calendar_date(year, month, month.length(year));
            let (Ok(first), Ok(last)) = (first, last) else {
                return 0.0;
            };
            if (first..=last).contains(&created) {
                return 1.0;
            }
            fading(days_between(first, created).min(days_between(last, created)))
        }
        Asked::AnyYear(month) => f64::from(u8::from(created.month() == month)),
        Asked::Year(year) if created.year() == year => YEAR_ALONE,
        Asked::Year(_) => 0.0,
    }
}

fn days_between(one: Date, other: Date) -> i32 {
    (one.to_julian_day() - other.to_julian_day()).abs()
}

fn fading(days: i32) -> f64 {
    (1.0 - f64::from(days) / FADING).max(0.0)
}

/// The dates that a text names, in its order: `8 May 2023`, `May 8th, 2023`,
/// `2023-05-08`, `2023年5月8日`, `May 2023`, `2023年5月`, `in May`, `5月`, `2023`.
pub(super) fn named_in(text: &str) -> Vec<Asked> {
    let pieces = pieces(text);
    let mut dates = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        let last = at.checked_sub(1).map(|last| &pieces[last]);
        match date_at(&pieces[at..], last) {
            Some((date, length)) => {
                dates.push(date);
                at += length;
            }
            None => at += 1,
        }
    }
    dates
}

/// A piece of a text that can be part of a date.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Number(u32, usize),
    Month(Month, Naming),
    /// 年, 月, 日, or what joins numbers.
    Mark(char),
    /// A word after which a month stands.
    Before,
    Other,
}

/// How surely a word names a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    Sure,
    /// It can be another word, too, as `may`: only beside a number or after a
    /// word such as `in`.
    Unsure,
}

fn date_at(pieces: &[Piece], last: Option<&Piece>) -> Option<(Asked, usize)> {
    let day = |piece: Option<&Piece>| match piece {
        Some(Piece::Number(day @ 1..=31, 1 | 2)) => Some(*day as u8),
        _ => None,
    };
    let year = |piece: Option<&Piece>| match piece {
        Some(Piece::Number(year @ 1900..=2099, 4)) => Some(*year as i32),
        _ => None,
    };
    let of_month = |month: Month, day: u8, year: Option<i32>, length: usize| match year {
        Some(year) => {
            let date = Date::from_calendar_date(year, month, day).ok()?;
            Some((Asked::Day(date), length + 1))
        }
        None => Some((Asked::AnyYear(month), length)),
    };
    match pieces {
        [Piece::Number(..), Piece::Month(month, _), rest @ ..] if day(pieces.first()).is_some() => {
            of_month(*month, day(pieces.first())?, year(rest.first()), 2)
        }
        [Piece::Month(month, _), second, ..] if day(Some(second)).is_some() => {
            of_month(*month, day(Some(second))?, year(pieces.get(2)), 2)
        }
        [Piece::Month(month, _), second, ..] if year(Some(second)).is_some() => {
            Some((Asked::Month(year(Some(second))?, *month), 2))
        }
        [Piece::Month(month, naming), ..] => {
            let is_meant = *naming == Naming::Sure || last == Some(&Piece::Before);
            is_meant.then_some((Asked::AnyYear(*month), 1))
        }
        [Piece::Number(..), Piece::Mark(mark), ..] => numeric(pieces, *mark),
        [first, ..] => year(Some(first)).map(|year| (Asked::Year(year), 1)),
        [] => None,
    }
}

/// A date in numbers that are joined by marks.
fn numeric(pieces: &[Piece], mark: char) -> Option<(Asked, usize)> {
    let number = |at: usize| match pieces.get(at) {
        Some(Piece::Number(number, _)) => Some(*number),
        _ => None,
    };
    let month = |number: u32| Month::try_from(u8::try_from(number).ok()?).ok();
    let first = number(0)?;
    if mark == '月' {
        return Some((Asked::AnyYear(month(first)?), 2));
    }
    if !(1900..=2099).contains(&first) {
        return None;
    }
    let year = first as i32;
    let Some(month) = number(2).and_then(month) else {
        return Some((Asked::Year(year), 2));
    };
    let is_joined =
        matches!(pieces.get(3), Some(Piece::Mark(next)) if *next == mark || *next == '月');
    let day = number(4).and_then(|day| u8::try_from(day).ok());
    let date = day.and_then(|day| Date::from_calendar_date(year, month, day).ok());
    Some(match date.filter(|_| is_joined) {
        Some(date) => (Asked::Day(date), 5),
        None => (Asked::Month(year, month), 3),
    })
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_part: fn(char) -> bool = match first {
            '0'..='9' => |c| c.is_ascii_digit(),
            _ if first.is_ascii_alphabetic() => |c| c.is_ascii_alphabetic(),
            _ => {
                match first {
                    '年' | '月' | '-' | '/' | '.' => pieces.push(Piece::Mark(first)),
                    _ if first.is_alphabetic() && !matches!(first, '日' | '号') => {
                        pieces.push(Piece::Other);
                    }
                    _ => {}
                }
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        pieces.extend(piece(word));
        rest = after;
    }
    pieces
}

/// What a run of digits or letters is; none for what stands inside dates and
/// says nothing.
fn piece(word: &str) -> Option<Piece> {
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(match word.parse() {
            Ok(number) => Piece::Number(number, word.len()),
            Err(_) => Piece::Other,
        });
    }
    let lower = word.to_ascii_lowercase();
    match lower.as_str() {
        "of" | "th" | "st" | "nd" | "rd" => return None,
        "in" | "during" | "since" | "until" | "till" | "last" | "next" | "this" | "by"
        | "early" | "late" | "mid" | "before" | "after" | "from" => return Some(Piece::Before),
        _ => {}
    }
    let month = MONTHS.iter().find(|(name, ..)| *name == lower);
    Some(month.map_or(Piece::Other, |(_, month, naming)| {
        Piece::Month(*month, *naming)
    }))
}

const MONTHS: [(&str, Month, Naming); 23] = [
    ("january", Month::January, Naming::Sure),
    ("february", Month::February, Naming::Sure),
    ("march", Month::March, Naming::Unsure),
    ("april", Month::April, Naming::Sure),
    ("may", Month::May, Naming::Unsure),
    ("june", Month::June, Naming::Sure),
    ("july", Month::July, Naming::Sure),
    ("august", Month::August, Naming::Sure),
    ("september", Month::September, Naming::Sure),
    ("october", Month::October, Naming::Sure),
    ("november", Month::November, Naming::Sure),
    ("december", Month::December, Naming::Sure),
    ("jan", Month::January, Naming::Unsure),
    ("feb", Month::February, Naming::Unsure),
    ("mar", Month::March, Naming::Unsure),
    ("apr", Month::April, Naming::Unsure),
    ("jun", Month::June, Naming::Unsure),
    ("jul", Month::July, Naming::Unsure),
    ("aug", Month::August, Naming::Unsure),
    ("sep", Month::September, Naming::Unsure),
    ("oct", Month::October, Naming::Unsure),
    ("nov", Month::November, Naming::Unsure),
    ("dec", Month::December, Naming::Unsure),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;

    fn day(year: i32, month: Month, day: u8) -> Asked {
        Asked::Day(Date::from_calendar_date(year, month, day).expect("a date"))
    }

    #[test]
    fn dates_as_people_name_them() {
        let eighth = day(2023, Month::May, 8);
        let may = Asked::Month(2023, Month::May);
        for (text, expected) in [
            ("on 8 May 2023?", vec![eighth]),
            ("May 8th, 2023", vec![eighth]),
            ("the 8th of May, 2023", vec![eighth]),
            ("2023-05-08", vec![eighth]),
            ("2023/5/8 and 2022", vec![eighth, Asked::Year(2022)]),
            ("2023年5月8日去了哪", vec![eighth]),
            ("2023年5月", vec![may]),
            ("2023年", vec![Asked::Year(2023)]),
            ("in May 2023", vec![may]),
            ("in May", vec![Asked::AnyYear(Month::May)]),
            ("5月8日", vec![Asked::AnyYear(Month::May)]),
            ("What may she do?", vec![]),
            ("in August", vec![Asked::AnyYear(Month::August)]),
            ("version 3.2, 40 people", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(named_in(text), expected, "{text}");
        }
    }

    #[test]
    fn times_fit_by_their_distance() {
        let fit_none = fit(&named_in("2023"), None);
        let created = |text: &str| Timestamp::parse(text).map(Timestamp::millis);
        for (asked, time, expected) in [
            ("8 May 2023", "2023-05-08", 1.0),
            ("8 May 2023", "2023-05-15", 0.5),
            ("8 May 2023", "2023-06-08", 0.0),
            ("May 2023", "2023-05-31", 1.0),
            ("May 2023", "2023-06-07", 0.5),
            ("in May", "2019-05-31", 1.0),
            ("in May", "2019-06-01", 0.0),
            ("2023", "2023-12-31", 0.5),
            ("2023 or 8 May 2023", "2023-05-08", 1.0),
            ("nothing", "2023-05-08", 0.0),
        ] {
            let fit = fit(&named_in(asked), created(time));
            assert!((fit - expected).abs() < 1e-9, "{asked} {time}: {fit}");
        }
        assert_eq!(fit_none, 0.0);
    }
}
