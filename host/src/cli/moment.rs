//! Moments and spans of time: as a person writes them on the command line, and
//! as the interface writes them (UTC, RFC 3339 with milliseconds).

use std::fmt;

use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

const OF_INTERFACE: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");
const DAY_AND_CLOCK: &[BorrowedFormatItem<'_>] = format_description!(
    version = 2,
    "[year]-[month]-[day][first [T][ ]][hour]:[minute][optional [:[second]]]"
);

/// What a span may look like, in words.
const SPANS: &str = "a number with s, min, h, d or w, such as 12h, 30d or 2w";

/// A moment, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(OffsetDateTime);

impl Moment {
    pub(crate) fn now() -> Self {
        Self(OffsetDateTime::now_utc())
    }

    /// So many milliseconds after the beginning of 1970; `None` beyond the
    /// year 9999.
    pub(crate) fn of_millis(millis: u64) -> Option<Self> {
        let nanos = i128::from(millis) * 1_000_000;
        OffsetDateTime::from_unix_timestamp_nanos(nanos)
            .ok()
            .map(Self)
    }

    /// So much earlier; where no year is left for that, 1970.
    pub(crate) fn before(self, span: &Span) -> Self {
        let earlier = self.0.checked_sub(span.length);
        Self(earlier.unwrap_or(OffsetDateTime::UNIX_EPOCH))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.format(OF_INTERFACE).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

/// A span of time, shown as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    text: String,
    length: Duration,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Reads a span such as `30d`.
pub(crate) fn span(text: &str) -> Result<Span, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let number: u32 = number.parse().map_err(|_| format!("not {SPANS}"))?;
    let seconds = match unit {
        "s" => 1,
        "min" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        "m" => return Err("`m` may be minutes or months: write 5min or 30d".to_owned()),
        _ => return Err(format!("not {SPANS}")),
    };
    Ok(Span {
        text: text.to_owned(),
        length: Duration::seconds(i64::from(number) * seconds),
    })
}

/// Reads a moment, or a span as how long ago that was.
pub(crate) fn since(text: &str) -> Result<Moment, String> {
    let ago = |span: Span| Moment::now().before(&span);
    match moment(text.trim()) {
        Some(moment) => Ok(moment),
        None => span(text).map(ago).map_err(|reason| {
            format!("neither a time such as 2026-10-19 or `2026-10-19 10:00` nor how long ago that was: {reason}")
        }),
    }
}

/// Reads a moment; UTC where no offset is given, midnight where no time is.
fn moment(text: &str) -> Option<Moment> {
    if let Ok(moment) = OffsetDateTime::parse(text, &Rfc3339) {
        return Some(Moment(moment.to_offset(time::UtcOffset::UTC)));
    }
    let text = text.strip_suffix('Z').unwrap_or(text);
    let midnight = |day: Date| day.midnight();
    let clock = PrimitiveDateTime::parse(text, DAY_AND_CLOCK);
    let moment = clock.or_else(|_| Date::parse(text, DAY).map(midnight));
    moment.ok().map(|moment| Moment(moment.assume_utc()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        span(text).ok().map(|span| span.length.whole_seconds())
    }

    #[test]
    fn spans_are_a_number_and_a_unit() {
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("45min"), Some(2_700));
        assert_eq!(seconds("12h"), Some(43_200));
        assert_eq!(seconds(" 30d "), Some(2_592_000));
        assert_eq!(seconds("2w"), Some(1_209_600));
        assert_eq!(seconds("0d"), Some(0));
        assert_eq!(seconds("4294967295w"), Some(2_597_596_220_016_000));
        assert_eq!(span("30d").unwrap().to_string(), "30d");
    }

    #[test]
    fn what_is_no_span_is_told_what_one_is() {
        for text in [
            "",
            "d",
            "30",
            "-1d",
            "1.5h",
            "30 d",
            "1d12h",
            "30days",
            "三d",
            "99999999999d",
        ] {
            let reason = span(text).unwrap_err();
            assert!(
                reason.contains("such as 12h, 30d or 2w"),
                "{text}: {reason}"
            );
        }
    }

    /// A month that is taken for a minute would empty the trash.
    #[test]
    fn minutes_are_not_taken_for_months() {
        assert!(span("1m").unwrap_err().contains("5min or 30d"));
    }

    #[test]
    fn moments_as_people_write_them() {
        for (text, expected) in [
            ("2026-10-19", "2026-10-19T00:00:00.000Z"),
            ("2026-10-19 10:00", "2026-10-19T10:00:00.000Z"),
            ("2026-10-19T10:00:30", "2026-10-19T10:00:30.000Z"),
            ("2026-10-19T10:00Z", "2026-10-19T10:00:00.000Z"),
            ("2026-10-19T10:00:00.123Z", "2026-10-19T10:00:00.123Z"),
            ("2026-10-19T12:00:00+02:00", "2026-10-19T10:00:00.000Z"),
        ] {
            let moment = since(text).unwrap();
            assert_eq!(moment.to_string(), expected, "{text}");
        }
        for text in ["2026-02-30", "2026-10-19T", "2026-10-19 25:00", "yesterday"] {
            assert!(since(text).unwrap_err().contains("how long ago"), "{text}");
        }
    }

    #[test]
    fn how_long_ago_is_a_moment() {
        let earlier = Moment::now().before(&span("2d").unwrap());
        let later = Moment::now().before(&span("47h").unwrap());
        let moment = since("2d").unwrap();
        assert!(earlier <= moment && moment < later, "{moment}");
        assert_eq!(
            since("4294967295w").unwrap().to_string(),
            "1970-01-01T00:00:00.000Z"
        );
    }

    #[test]
    fn milliseconds_are_a_moment() {
        let moment = Moment::of_millis(1_760_868_000_123).unwrap();
        assert_eq!(moment.to_string(), "2025-10-19T10:00:00.123Z");
        assert_eq!(Moment::of_millis(u64::MAX), None);
    }
}
