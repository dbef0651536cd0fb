//! Formatting a date.

use jiff::Zoned;
use jiff::civil::Weekday;

use super::Moment;
use super::calendar::Week;
use super::tokens::{Part, Token, split_format};
use crate::names::{MONTHS, WEEKDAYS};

impl Moment {
    /// Formats the date with a format of moment.js. The empty format is that of ISO 8601.
    pub fn format(&self, format: &str) -> String {
        self.format_in_weeks(format, Weekday::Sunday)
    }

    /// Formats the date where weeks begin on this weekday, as after `updateLocale` of moment.js.
    pub fn format_in_weeks(&self, format: &str, first: Weekday) -> String {
        let Some(at) = &self.0 else { return "Invalid date".to_owned() };
        let format = if format.is_empty() { "YYYY-MM-DDTHH:mm:ssZ" } else { format };
        let text = |part: Part| match part {
            Part::Literal(text) => text,
            Part::Token(token) => format_token(at, token, first),
        };
        split_format(format).into_iter().map(text).collect()
    }
}

fn format_token(at: &Zoned, token: Token, first: Weekday) -> String {
    let week = || Week::from_date(at.date(), first);
    match token {
        Token::Month => at.month().to_string(),
        Token::MonthOrdinal => format_ordinal(at.month().into()),
        Token::Month2 => format!("{:02}", at.month()),
        Token::MonthShort => month_name(at)[..3].to_owned(),
        Token::MonthLong => month_name(at).to_owned(),
        Token::Quarter => quarter(at).to_string(),
        Token::QuarterOrdinal => format_ordinal(quarter(at).into()),
        Token::Day => at.day().to_string(),
        Token::DayOrdinal => format_ordinal(at.day().into()),
        Token::Day2 => format!("{:02}", at.day()),
        Token::DayOfYear => at.day_of_year().to_string(),
        Token::DayOfYearOrdinal => format_ordinal(at.day_of_year().into()),
        Token::DayOfYear3 => format!("{:03}", at.day_of_year()),
        Token::Weekday => weekday(at).to_string(),
        Token::WeekdayOrdinal => format_ordinal(weekday(at).into()),
        Token::WeekdayMin => weekday_name(at)[..2].to_owned(),
        Token::WeekdayShort => weekday_name(at)[..3].to_owned(),
        Token::WeekdayLong => weekday_name(at).to_owned(),
        Token::IsoWeekday => at.weekday().to_monday_one_offset().to_string(),
        Token::Week => week().number.to_string(),
        Token::WeekOrdinal => format_ordinal(week().number.into()),
        Token::Week2 => format!("{:02}", week().number),
        Token::IsoWeek => Week::from_iso_date(at.date()).number.to_string(),
        Token::IsoWeekOrdinal => format_ordinal(Week::from_iso_date(at.date()).number.into()),
        Token::IsoWeek2 => format!("{:02}", Week::from_iso_date(at.date()).number),
        Token::Year | Token::Year4 => format_year(at.year(), 4),
        Token::EraYear => at.year().to_string(),
        Token::Year2 => format!("{:02}", at.year().rem_euclid(100)),
        Token::Year5 => format_year(at.year(), 5),
        Token::Year6 => {
            let sign = if at.year() < 0 { '-' } else { '+' };
            format!("{sign}{:06}", at.year().unsigned_abs())
        }
        Token::WeekYear => format_year(week().year, 4),
        Token::WeekYear2 => format!("{:02}", week().year.rem_euclid(100)),
        Token::IsoWeekYear => format_year(Week::from_iso_date(at.date()).year, 4),
        Token::IsoWeekYear2 => {
            format!("{:02}", Week::from_iso_date(at.date()).year.rem_euclid(100))
        }
        Token::Era => if at.year() > 0 { "AD" } else { "BC" }.to_owned(),
        Token::EraLong => if at.year() > 0 { "Anno Domini" } else { "Before Christ" }.to_owned(),
        other => format_time(at, other),
    }
}

fn format_time(at: &Zoned, token: Token) -> String {
    let half = (at.hour() + 11) % 12 + 1;
    let clock = if at.hour() == 0 { 24 } else { at.hour() };
    let (minute, second) = (at.minute(), at.second());
    match token {
        Token::MeridiemLower => if at.hour() < 12 { "am" } else { "pm" }.to_owned(),
        Token::MeridiemUpper => if at.hour() < 12 { "AM" } else { "PM" }.to_owned(),
        Token::Hour => at.hour().to_string(),
        Token::Hour2 => format!("{:02}", at.hour()),
        Token::HalfHour => half.to_string(),
        Token::HalfHour2 => format!("{half:02}"),
        Token::ClockHour => clock.to_string(),
        Token::ClockHour2 => format!("{clock:02}"),
        Token::Minute => minute.to_string(),
        Token::Minute2 => format!("{minute:02}"),
        Token::Second => second.to_string(),
        Token::Second2 => format!("{second:02}"),
        Token::HourMinute => format!("{}{minute:02}", at.hour()),
        Token::HourMinuteSecond => format!("{}{minute:02}{second:02}", at.hour()),
        Token::HalfHourMinute => format!("{half}{minute:02}"),
        Token::HalfHourMinuteSecond => format!("{half}{minute:02}{second:02}"),
        Token::Fraction(digits) => {
            // moment.js knows milliseconds only.
            let fraction = format!("{:03}000000", at.millisecond());
            fraction[..digits].to_owned()
        }
        Token::Offset => format_offset(at, ":"),
        Token::OffsetCompact => format_offset(at, ""),
        Token::Seconds => at.timestamp().as_millisecond().div_euclid(1000).to_string(),
        Token::Milliseconds => at.timestamp().as_millisecond().to_string(),
        // The rest are parts of the day; a zone has no name in local time.
        _ => String::new(),
    }
}

fn month_name(at: &Zoned) -> &'static str {
    MONTHS.get(usize::from(at.month().unsigned_abs()) - 1).copied().unwrap_or_default()
}

fn quarter(at: &Zoned) -> i8 {
    (at.month() + 2) / 3
}

fn weekday(at: &Zoned) -> i8 {
    at.weekday().to_sunday_zero_offset()
}

fn weekday_name(at: &Zoned) -> &'static str {
    WEEKDAYS[usize::from(weekday(at).unsigned_abs())]
}

fn format_year(year: i16, digits: usize) -> String {
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:0digits$}", year.unsigned_abs())
}

fn format_offset(at: &Zoned, separator: &str) -> String {
    let minutes = at.offset().seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    let minutes = minutes.abs();
    format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
}

/// `1st`, `2nd`, `11th`.
fn format_ordinal(number: i32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
