//! Parsing a date, as forgiving as moment.js: text that no token of the format matches is skipped.

use std::sync::LazyLock;

use jiff::civil::{Date, DateTime, ISOWeekDate, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use regex::Regex;

use super::Moment;
use super::tokens::{Part, Token, split_format};
use crate::names::{MONTHS, WEEKDAYS};

/// The parts of a date that a text gives.
#[derive(Default)]
struct DateParts {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    day_of_year: Option<i16>,
    /// The ISO year and week, and the week's Monday-based weekday.
    iso_week: (Option<i16>, Option<i8>),
    iso_weekday: Option<i8>,
    /// The year and the week that begins on Sunday.
    week: (Option<i16>, Option<i16>),
    /// The weekday, 0 for Sunday.
    weekday: Option<i8>,
    hour: Option<i8>,
    minute: Option<i8>,
    second: Option<i8>,
    millisecond: Option<i16>,
    is_afternoon: Option<bool>,
    /// The offset in minutes east of UTC.
    offset: Option<i32>,
    instant: Option<Timestamp>,
}

/// Digits and names at the start of what a token matches.
struct Patterns {
    digits: Regex,
    signed: Regex,
    word: Regex,
    ordinal: Regex,
    offset: Regex,
    meridiem: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let compile = |pattern| Regex::new(pattern).ok();
    Some(Patterns {
        digits: compile(r"[0-9]+")?,
        signed: compile(r"[+-]?[0-9]+(?:\.[0-9]{1,3})?")?,
        word: compile(r"[A-Za-z]+")?,
        ordinal: compile(r"[0-9]{1,2}(?:th|st|nd|rd)")?,
        offset: compile(r"Z|[+-][0-9]{2}(?::?[0-9]{2})?")?,
        meridiem: compile(r"[AaPp]\.?[Mm]?\.?")?,
    })
});

/// The shapes of dates with the formats that read them, and the shape of a time.
type IsoShapes = (Vec<(Regex, &'static str)>, Regex);

/// Shapes of ISO 8601, and the formats that read them.
const ISO_DATES: [(&str, &str); 8] = [
    (r"^\d{4}-\d{2}-\d{2}", "YYYY-MM-DD"),
    (r"^\d{4}-W\d{2}-\d", "GGGG-[W]WW-E"),
    (r"^\d{4}-W\d{2}", "GGGG-[W]WW"),
    (r"^\d{4}-\d{3}", "YYYY-DDDD"),
    (r"^\d{4}-\d{2}", "YYYY-MM"),
    (r"^\d{8}", "YYYYMMDD"),
    (r"^\d{6}", "YYYYMM"),
    (r"^\d{4}", "YYYY"),
];
const ISO_TIME: &str =
    r"^[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$";

impl Moment {
    /// Parses a date by a format of moment.js. Missing parts larger than those given are those of `now`;
    /// smaller ones are the first.
    pub fn parse(text: &str, format: &str, now: &Self) -> Self {
        Self(DateParts::parse(text, format).and_then(|given| given.resolve(now)))
    }

    /// Parses a date of ISO 8601.
    pub fn parse_iso(text: &str, now: &Self) -> Self {
        static SHAPES: LazyLock<Option<IsoShapes>> = LazyLock::new(|| {
            let shape = |(shape, format)| Some((Regex::new(shape).ok()?, format));
            let dates = ISO_DATES.into_iter().map(shape).collect::<Option<_>>()?;
            Some((dates, Regex::new(ISO_TIME).ok()?))
        });
        let text = text.trim();
        let read = || {
            let (dates, time) = SHAPES.as_ref()?;
            let (date, format) =
                dates.iter().find_map(|(shape, format)| Some((shape.find(text)?, format)))?;
            let mut given = DateParts::parse(date.as_str(), format)?;
            let rest = &text[date.end()..];
            if !rest.is_empty() {
                let time = time.captures(rest)?;
                let number = |at: usize| time.get(at).and_then(|part| part.as_str().parse().ok());
                (given.hour, given.minute, given.second) = (number(1), number(2), number(3));
                given.millisecond = time.get(4).and_then(|part| parse_fraction(part.as_str()));
                given.offset = time.get(5).and_then(|part| parse_offset(part.as_str()));
            }
            given.resolve(now)
        };
        Self(read())
    }
}

impl DateParts {
    /// Parses a text by a format; `None` if no token matches, or a name is unknown.
    fn parse(text: &str, format: &str) -> Option<Self> {
        let mut given = Self::default();
        let mut rest = text;
        let mut matched = false;
        for part in split_format(format) {
            match part {
                Part::Literal(literal) => {
                    for c in literal.chars() {
                        if let Some(at) = rest.find(c) {
                            rest = &rest[at + c.len_utf8()..];
                        }
                    }
                }
                Part::Token(token) => {
                    if let Some((found, after)) = find_token(rest, token) {
                        given.set_part(token, found)?;
                        matched = true;
                        rest = after;
                    }
                }
            }
        }
        matched.then_some(given)
    }

    /// Sets the part that a token stands for; `None` if the text is no value of it.
    fn set_part(&mut self, token: Token, text: &str) -> Option<()> {
        let number = || text.trim_start_matches('+').parse::<i32>().ok();
        let small = || number().and_then(|number| i8::try_from(number).ok());
        let short = || number().and_then(|number| i16::try_from(number).ok());
        match token {
            Token::Year | Token::EraYear | Token::Year4 | Token::Year5 | Token::Year6 => {
                self.year = Some(if text.len() == 2 { full_year(short()?) } else { short()? });
            }
            Token::Year2 => self.year = Some(full_year(short()?)),
            Token::Month | Token::Month2 | Token::MonthOrdinal => self.month = Some(small()?),
            Token::MonthShort | Token::MonthLong => {
                self.month = Some(find_name(&MONTHS, text)? + 1);
            }
            Token::Quarter | Token::QuarterOrdinal => self.month = Some((small()? - 1) * 3 + 1),
            Token::Day | Token::Day2 => self.day = Some(small()?),
            Token::DayOrdinal => self.day = text[..text.len() - 2].parse().ok(),
            Token::DayOfYear | Token::DayOfYear3 | Token::DayOfYearOrdinal => {
                self.day_of_year = Some(short()?);
            }
            Token::Weekday | Token::WeekdayOrdinal => self.weekday = Some(small()?),
            Token::WeekdayMin | Token::WeekdayShort | Token::WeekdayLong => {
                self.weekday = Some(find_name(&WEEKDAYS, text)?);
            }
            Token::IsoWeekday => self.iso_weekday = Some(small()?),
            Token::Week | Token::Week2 | Token::WeekOrdinal => self.week.1 = Some(short()?),
            Token::WeekYear | Token::WeekYear2 => self.week.0 = Some(parse_year(text, short()?)),
            Token::IsoWeek | Token::IsoWeek2 | Token::IsoWeekOrdinal => {
                self.iso_week.1 = Some(small()?);
            }
            Token::IsoWeekYear | Token::IsoWeekYear2 => {
                self.iso_week.0 = Some(parse_year(text, short()?));
            }
            other => self.take_time(other, text)?,
        }
        Some(())
    }

    fn take_time(&mut self, token: Token, text: &str) -> Option<()> {
        let small = |text: &str| text.parse::<i8>().ok();
        match token {
            Token::Hour | Token::Hour2 | Token::HalfHour | Token::HalfHour2 => {
                self.hour = Some(small(text)?);
            }
            Token::ClockHour | Token::ClockHour2 => self.hour = Some(small(text)? % 24),
            Token::Minute | Token::Minute2 => self.minute = Some(small(text)?),
            Token::Second | Token::Second2 => self.second = Some(small(text)?),
            Token::HourMinute | Token::HalfHourMinute => {
                let split = text.len().checked_sub(2)?;
                self.hour = Some(small(&text[..split])?);
                self.minute = Some(small(&text[split..])?);
            }
            Token::HourMinuteSecond | Token::HalfHourMinuteSecond => {
                let split = text.len().checked_sub(4)?;
                self.hour = Some(small(&text[..split])?);
                self.minute = Some(small(&text[split..split + 2])?);
                self.second = Some(small(&text[split + 2..])?);
            }
            Token::Fraction(_) => self.millisecond = parse_fraction(text),
            Token::MeridiemLower | Token::MeridiemUpper => {
                self.is_afternoon = Some(text.starts_with(['p', 'P']));
            }
            Token::Offset | Token::OffsetCompact => self.offset = Some(parse_offset(text)?),
            Token::Seconds => {
                let seconds: f64 = text.parse().ok()?;
                #[expect(clippy::cast_possible_truncation, reason = "casts from floats saturate")]
                let milliseconds = (seconds * 1000.0) as i64;
                self.instant = Some(Timestamp::from_millisecond(milliseconds).ok()?);
            }
            Token::Milliseconds => {
                self.instant = Some(Timestamp::from_millisecond(text.parse().ok()?).ok()?);
            }
            _ => {}
        }
        Some(())
    }

    /// The date that the parts give; `None` if there is none, such as 31 February.
    fn resolve(self, now: &Moment) -> Option<jiff::Zoned> {
        let now = now.zoned()?;
        let zone = now.time_zone().clone();
        if let Some(instant) = self.instant {
            return Some(instant.to_zoned(zone));
        }
        let (mut hour, midnight) = match self.hour.unwrap_or(0) {
            24 => (0, 1),
            hour => (hour, 0),
        };
        match self.is_afternoon {
            Some(true) if hour < 12 => hour += 12,
            Some(false) if hour == 12 => hour = 0,
            _ => {}
        }
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        let subsecond = i32::from(self.millisecond.unwrap_or(0)) * 1_000_000;
        let time = Time::new(hour, minute, second, subsecond).ok()?;
        let date = self.date(now.date())?.checked_add(midnight.days()).ok()?;
        let at = DateTime::from_parts(date, time);
        Some(match self.offset {
            Some(minutes) => {
                let utc = at.checked_sub(minutes.minutes()).ok()?;
                utc.to_zoned(TimeZone::UTC).ok()?.with_time_zone(zone)
            }
            None => at.to_zoned(zone).ok()?,
        })
    }

    fn date(&self, today: Date) -> Option<Date> {
        if let Some(day) = self.day_of_year {
            let year = self.year.unwrap_or(today.year());
            let date = Date::new(year, 1, 1).ok()?.checked_add(i32::from(day - 1).days()).ok()?;
            return (day > 0 && date.year() == year).then_some(date);
        }
        if self.month.is_none() && self.day.is_none() {
            if self.iso_week != (None, None) || self.iso_weekday.is_some() {
                return self.iso_date(today);
            }
            if self.week != (None, None) || self.weekday.is_some() {
                return self.week_date(today);
            }
        }
        let year = self.year.unwrap_or(today.year());
        let usual = if self.year.is_none() { today.month() } else { 1 };
        let month = self.month.unwrap_or(usual);
        let usual = if self.year.is_none() && self.month.is_none() { today.day() } else { 1 };
        let date = Date::new(year, month, self.day.unwrap_or(usual)).ok()?;
        let is_named = |weekday| date.weekday().to_sunday_zero_offset() == weekday;
        self.weekday.is_none_or(is_named).then_some(date)
    }

    fn iso_date(&self, today: Date) -> Option<Date> {
        let current = today.iso_week_date();
        let year = self.iso_week.0.or(self.year).unwrap_or(current.year());
        let week =
            self.iso_week.1.unwrap_or(if self.iso_week.0.is_some() { 1 } else { current.week() });
        let weekday = Weekday::from_monday_one_offset(self.iso_weekday.unwrap_or(1)).ok()?;
        Some(ISOWeekDate::new(year, week, weekday).ok()?.date())
    }

    fn week_date(&self, today: Date) -> Option<Date> {
        let current = super::calendar::Week::from_date(today, Weekday::Sunday);
        let year = self.week.0.or(self.year).unwrap_or(current.year);
        let week = self.week.1.unwrap_or(current.number);
        let weekday = self.weekday.unwrap_or(0);
        if !(1..=53).contains(&week) || !(0..=6).contains(&weekday) {
            return None;
        }
        let first = Date::new(year, 1, 1).ok()?;
        let days = i32::from(week - 1) * 7 + i32::from(weekday)
            - i32::from(first.weekday().to_sunday_zero_offset());
        first.checked_add(days.days()).ok()
    }
}

/// What a token matches first in a text, and the text after it.
fn find_token(text: &str, token: Token) -> Option<(&str, &str)> {
    let patterns = PATTERNS.as_ref()?;
    let (pattern, most) = match token {
        Token::MonthShort
        | Token::MonthLong
        | Token::WeekdayMin
        | Token::WeekdayShort
        | Token::WeekdayLong => (&patterns.word, usize::MAX),
        Token::DayOrdinal => (&patterns.ordinal, usize::MAX),
        Token::MeridiemLower | Token::MeridiemUpper => (&patterns.meridiem, usize::MAX),
        Token::Offset | Token::OffsetCompact => (&patterns.offset, usize::MAX),
        Token::Year | Token::EraYear | Token::Milliseconds | Token::Seconds => {
            (&patterns.signed, usize::MAX)
        }
        Token::DayOfYear | Token::DayOfYear3 => (&patterns.digits, 3),
        Token::Quarter | Token::Weekday | Token::IsoWeekday => (&patterns.digits, 1),
        Token::Year4
        | Token::WeekYear
        | Token::IsoWeekYear
        | Token::HourMinute
        | Token::HalfHourMinute => (&patterns.digits, 4),
        Token::Year5 | Token::Year6 | Token::HourMinuteSecond | Token::HalfHourMinuteSecond => {
            (&patterns.digits, 6)
        }
        Token::Fraction(digits) => (&patterns.digits, digits.max(3)),
        Token::ZoneName | Token::Era | Token::EraLong => return None,
        _ => (&patterns.digits, 2),
    };
    let found = pattern.find(text)?;
    let end = found.start() + found.len().min(most);
    Some((&text[found.start()..end], &text[end..]))
}

/// The position of the name that the text begins, by its first three letters.
fn find_name(names: &[&str], text: &str) -> Option<i8> {
    let text = text.to_ascii_lowercase();
    let fits = |name: &&str| {
        let name = name.to_ascii_lowercase();
        text.len() >= 2 && (name.starts_with(&text) || text.starts_with(&name[..3]))
    };
    i8::try_from(names.iter().position(fits)?).ok()
}

/// The year that two digits mean: 1969 to 2068.
fn full_year(year: i16) -> i16 {
    if year > 68 { 1900 + year } else { 2000 + year }
}

fn parse_year(text: &str, year: i16) -> i16 {
    if text.len() == 2 { full_year(year) } else { year }
}

/// The first three digits of the fraction of a second.
fn parse_fraction(digits: &str) -> Option<i16> {
    format!("{digits}00").get(..3)?.parse().ok()
}

/// Minutes east of UTC.
fn parse_offset(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, digits) = (text.starts_with('-'), text[1..].replace(':', ""));
    let number = |digits: &str| digits.parse::<i32>().ok();
    let minutes = number(&digits[..2])? * 60 + digits.get(2..4).map_or(Some(0), number)?;
    Some(if sign { -minutes } else { minutes })
}
