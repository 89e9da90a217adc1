//! Moments in time: UTC, milliseconds, RFC 3339.

use std::fmt;

use time::format_description::well_known::Rfc3339;
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

const EARLIEST: i64 = -62_135_596_800_000; // 0001-01-01
const LATEST: i64 = 253_402_300_799_999; // 9999-12-31

/// A moment: milliseconds since 1970-01-01T00:00:00Z, years 1 to 9999.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// A moment from milliseconds since 1970; years outside 1 to 9999 are
    /// brought to the nearest end.
    pub fn from_millis(millis: i64) -> Self {
        Timestamp(millis.clamp(EARLIEST, LATEST))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// The day in UTC, `20261019`.
    pub fn compact_date(self) -> String {
        let date = self.date_time().date();
        format!(
            "{:04}{:02}{:02}",
            date.year(),
            u8::from(date.month()),
            date.day()
        )
    }

    /// The day at an offset from UTC in minutes, `2026-10-19`.
    pub fn local_date(self, offset_minutes: i16) -> String {
        let local = Timestamp::from_millis(self.0 + i64::from(offset_minutes) * 60_000);
        let date = local.date_time().date();
        format!(
            "{:04}-{:02}-{:02}",
            date.year(),
            u8::from(date.month()),
            date.day()
        )
    }

    /// Reads what people and programs write as a date: RFC 3339, a date, a
    /// date and a time with a blank or `T` between, with or without seconds,
    /// fraction and offset (UTC where there is none), or milliseconds since
    /// 1970 in digits (inkvault contract §1, dsh-memory format §4).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if is_millis(text) {
            return text.parse().ok().map(Timestamp::from_millis);
        }
        let (date, rest) = split_date(text)?;
        let rest = rest.strip_prefix(['T', 't', ' ']).map(str::trim_start);
        let Some(rest) = rest.filter(|rest| !rest.is_empty()) else {
            return (text.len() == 10).then(|| Self::at(date, Time::MIDNIGHT, UtcOffset::UTC));
        };
        let (clock, offset) = split_offset(rest)?;
        Some(Self::at(date, parse_clock(clock)?, offset))
    }

    fn at(date: Date, time: Time, offset: UtcOffset) -> Self {
        let moment = PrimitiveDateTime::new(date, time).assume_offset(offset);
        Timestamp::from_millis((moment.unix_timestamp_nanos() / 1_000_000) as i64)
    }

    fn date_time(self) -> OffsetDateTime {
        let nanos = i128::from(self.0) * 1_000_000;
        OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap_or(OffsetDateTime::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    /// `2026-10-19T10:00:00.000Z`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = self.date_time();
        let seconds = moment
            .replace_nanosecond(0)
            .unwrap_or(moment)
            .format(&Rfc3339);
        let seconds = seconds.map_err(|_| fmt::Error)?;
        write!(
            formatter,
            "{}.{:03}Z",
            seconds.trim_end_matches('Z'),
            moment.millisecond()
        )
    }
}

fn is_millis(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (9..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn split_date(text: &str) -> Option<(Date, &str)> {
    let (date, rest) = text.split_at_checked(10)?;
    let mut parts = date.splitn(3, ['-', '/']);
    let year: i32 = digits(parts.next()?, 4)?.into();
    let month = u8::try_from(digits(parts.next()?, 2)?).ok()?;
    let day = u8::try_from(digits(parts.next()?, 2)?).ok()?;
    let date = Date::from_calendar_date(year, month.try_into().ok()?, day).ok()?;
    (year > 0).then_some((date, rest))
}

fn split_offset(text: &str) -> Option<(&str, UtcOffset)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock.trim_end(), UtcOffset::UTC));
    }
    let Some(at) = text.rfind(['+', '-']) else {
        return Some((text, UtcOffset::UTC));
    };
    let sign = if text[at..].starts_with('-') { -1 } else { 1 };
    let offset = text[at + 1..].replace(':', "");
    let hours = i32::from(digits(offset.get(..2)?, 2)?);
    let minutes = match offset.get(2..) {
        Some("") | None => 0,
        Some(minutes) => i32::from(digits(minutes, 2)?),
    };
    let offset = UtcOffset::from_whole_seconds(sign * (hours * 60 + minutes) * 60).ok()?;
    Some((text[..at].trim_end(), offset))
}

fn parse_clock(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let hour = u8::try_from(digits(parts.next()?, 2)?).ok()?;
    let minute = u8::try_from(digits(parts.next()?, 2)?).ok()?;
    let second = parts.next().map_or(Some(0), |part| digits(part, 2))?;
    let is_number = fraction.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || fraction.len() > 9 || !is_number {
        return None;
    }
    let millis = format!("{fraction:0<3}");
    let millis = digits(millis.get(..3)?, 3)?;
    Time::from_hms_milli(hour, minute, u8::try_from(second).ok()?, millis).ok()
}

fn digits(text: &str, length: usize) -> Option<u16> {
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (text.len() == length && all_digits)
        .then(|| text.parse().ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Timestamp::parse(text).map(|moment| moment.to_string())
    }

    #[test]
    fn dates_as_people_write_them() {
        for (text, expected) in [
            ("2026-10-17", "2026-10-17T00:00:00.000Z"),
            ("2026-10-17 03:12", "2026-10-17T03:12:00.000Z"),
            ("2026-10-17T11:12:00+08:00", "2026-10-17T03:12:00.000Z"),
            ("2026-10-17T11:12:00.5-0330", "2026-10-17T14:42:00.500Z"),
            ("2026-10-19T10:00:00.123Z", "2026-10-19T10:00:00.123Z"),
            ("1760000000000", "2025-10-09T08:53:20.000Z"),
            ("0001-01-01", "0001-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_date() {
        for text in [
            "",
            "x",
            "2026",
            "2026-13-01",
            "2026-02-30",
            "2026-10-17T",
            "2026-10-17 25:00",
            "２０２６-10-17",
            "2026-10-17Tgarbage",
            "2026-10-17T10:00:00.123xyzZ",
            "2026-10-1日",
            "2026-10-17 10:00:00.1234567890",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn days() {
        let moment = Timestamp::parse("2026-10-19T23:30:00Z").expect("a date");
        assert_eq!(moment.compact_date(), "20261019");
        assert_eq!(moment.local_date(60), "2026-10-20");
        assert_eq!(moment.local_date(-60), "2026-10-19");
    }
}
