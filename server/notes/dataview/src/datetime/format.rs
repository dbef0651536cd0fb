//! Dates as text, by formats of Luxon such as `yyyy-MM-dd`.

use jiff::Zoned;
use jiff::tz::Offset;

use toolwrit_moment::{MONTHS, WEEKDAYS};

/// A part of a format.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Equal letters, such as `yyyy`.
    Code(String),
    /// Anything else, or text between `'`.
    Literal(String),
}

impl Token {
    pub(super) fn code(&self) -> Option<&str> {
        match self {
            Self::Code(code) => Some(code),
            Self::Literal(_) => None,
        }
    }

    pub(super) fn literal(&self) -> &str {
        match self {
            Self::Code(text) | Self::Literal(text) => text,
        }
    }
}

/// The parts of a format.
pub(super) fn tokenize(format: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut quoted: Option<String> = None;
    for c in format.chars() {
        match (&mut quoted, c) {
            (Some(_), '\'') => tokens.extend(quoted.take().map(Token::Literal)),
            (Some(text), c) => text.push(c),
            (None, '\'') => quoted = Some(String::new()),
            (None, c) => match tokens.last_mut() {
                Some(Token::Code(code)) if code.ends_with(c) => code.push(c),
                _ if c.is_ascii_alphabetic() => tokens.push(Token::Code(c.to_string())),
                _ => tokens.push(Token::Literal(c.to_string())),
            },
        }
    }
    tokens.extend(quoted.map(Token::Literal));
    tokens
}

pub(crate) fn format_date(date: &Zoned, format: &str) -> String {
    let written = tokenize(format).into_iter().map(|token| match token {
        Token::Literal(text) => text,
        Token::Code(code) => format_part(date, &code).unwrap_or(code),
    });
    written.collect()
}

/// A part of a date; `None` if no part has this code.
fn format_part(date: &Zoned, code: &str) -> Option<String> {
    let hour = date.hour();
    let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
    let week = date.date().iso_week_date();
    let weekday = date.weekday().to_monday_one_offset();
    let millisecond = date.millisecond();
    let timestamp = date.timestamp();
    Some(match code {
        "S" => millisecond.to_string(),
        "u" | "SSS" => format!("{millisecond:03}"),
        "uu" => format!("{:02}", millisecond / 10),
        "uuu" => (millisecond / 100).to_string(),
        "s" => date.second().to_string(),
        "ss" => format!("{:02}", date.second()),
        "m" => date.minute().to_string(),
        "mm" => format!("{:02}", date.minute()),
        "h" => hour12.to_string(),
        "hh" => format!("{hour12:02}"),
        "H" => hour.to_string(),
        "HH" => format!("{hour:02}"),
        "Z" => offset_text(date.offset(), OffsetStyle::Narrow),
        "ZZ" => offset_text(date.offset(), OffsetStyle::Colon),
        "ZZZ" => offset_text(date.offset(), OffsetStyle::Plain),
        "ZZZZ" => date.strftime("%Z").to_string(),
        "z" => zone_name(date),
        "a" => (if hour < 12 { "AM" } else { "PM" }).to_owned(),
        "d" => date.day().to_string(),
        "dd" => format!("{:02}", date.day()),
        "c" | "E" => weekday.to_string(),
        "ccc" | "EEE" => weekday_name(date)[..3].to_owned(),
        "cccc" | "EEEE" => weekday_name(date).to_owned(),
        "ccccc" | "EEEEE" => weekday_name(date)[..1].to_owned(),
        "L" | "M" => date.month().to_string(),
        "LL" | "MM" => format!("{:02}", date.month()),
        "LLL" | "MMM" => month_name(date)[..3].to_owned(),
        "LLLL" | "MMMM" => month_name(date).to_owned(),
        "LLLLL" | "MMMMM" => month_name(date)[..1].to_owned(),
        "y" => date.year().to_string(),
        "yy" => format!("{:02}", date.year().rem_euclid(100)),
        "yyyy" => format!("{:04}", date.year()),
        "yyyyyy" => format!("{:06}", date.year()),
        "G" => (if date.year() > 0 { "AD" } else { "BC" }).to_owned(),
        "GG" => (if date.year() > 0 { "Anno Domini" } else { "Before Christ" }).to_owned(),
        "GGGGG" => (if date.year() > 0 { "A" } else { "B" }).to_owned(),
        "kk" => format!("{:02}", week.year().rem_euclid(100)),
        "kkkk" => format!("{:04}", week.year()),
        "W" => week.week().to_string(),
        "WW" => format!("{:02}", week.week()),
        "o" => date.day_of_year().to_string(),
        "ooo" => format!("{:03}", date.day_of_year()),
        "q" => ((date.month() + 2) / 3).to_string(),
        "qq" => format!("{:02}", (date.month() + 2) / 3),
        "X" => timestamp.as_second().to_string(),
        "x" => timestamp.as_millisecond().to_string(),
        _ => return format_localized(date, code),
    })
}

/// The formats of the United States.
fn format_localized(date: &Zoned, code: &str) -> Option<String> {
    Some(format_date(
        date,
        match code {
            "D" => "M/d/yyyy",
            "DD" => "MMM d, yyyy",
            "DDD" => "MMMM d, yyyy",
            "DDDD" => "EEEE, MMMM d, yyyy",
            "t" => "h:mm a",
            "tt" => "h:mm:ss a",
            "T" => "HH:mm",
            "TT" => "HH:mm:ss",
            "f" => "M/d/yyyy, h:mm a",
            "ff" => "MMM d, yyyy, h:mm a",
            "F" => "M/d/yyyy, h:mm:ss a",
            "FF" => "MMM d, yyyy, h:mm:ss a",
            _ => return None,
        },
    ))
}

fn weekday_name(date: &Zoned) -> &'static str {
    let index = usize::try_from(date.weekday().to_sunday_zero_offset()).unwrap_or(0);
    WEEKDAYS[index]
}

fn month_name(date: &Zoned) -> &'static str {
    let index = usize::try_from(date.month() - 1).unwrap_or(0);
    MONTHS[index]
}

fn zone_name(date: &Zoned) -> String {
    let zone = date.time_zone().iana_name().map(str::to_owned);
    zone.unwrap_or_else(|| format!("UTC{}", offset_text(date.offset(), OffsetStyle::Narrow)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OffsetStyle {
    Narrow,
    Colon,
    Plain,
}

fn offset_text(offset: Offset, style: OffsetStyle) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
    match style {
        OffsetStyle::Narrow if minutes == 0 => format!("{sign}{hours}"),
        OffsetStyle::Narrow => format!("{sign}{hours}:{minutes:02}"),
        OffsetStyle::Colon => format!("{sign}{hours:02}:{minutes:02}"),
        OffsetStyle::Plain => format!("{sign}{hours:02}{minutes:02}"),
    }
}
