//! Dates from text.

use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span, Timestamp, Zoned};

use super::format::{Token, tokenize};
use toolwrit_moment::MONTHS;

/// The parts of a date that a text gives.
struct Parts {
    year: i16,
    month: i8,
    day: i8,
    hour: i8,
    minute: i8,
    second: i8,
    millisecond: i32,
}

impl Parts {
    fn in_zone(self, zone: TimeZone) -> Option<Zoned> {
        let Self { year, month, day, hour, minute, second, millisecond } = self;
        let nanosecond = millisecond.checked_mul(1_000_000)?;
        let time = DateTime::new(year, month, day, hour, minute, second, nanosecond).ok()?;
        time.to_zoned(zone).ok()
    }

    /// Carries days that the month does not have into the next one, and so on.
    fn carry_in_zone(self, zone: TimeZone) -> Option<Zoned> {
        let Self { year, month, day, hour, minute, second, millisecond } = self;
        let start = DateTime::new(year, month, 1, 0, 0, 0, 0).ok()?;
        let rest = Span::new().days(i64::from(day) - 1).hours(hour).minutes(minute);
        let rest = rest.seconds(second).milliseconds(millisecond);
        start.checked_add(rest).ok()?.to_zoned(zone).ok()
    }
}

/// A number of `width` digits at an offset.
fn parse_digits<T: std::str::FromStr>(text: &str, at: usize, width: usize) -> Option<T> {
    let digits = text.get(at..at + width)?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// A whole text as a date: `2024-05`, `2024-05-17`, `2024-05-17T09:30`, with a zone after the seconds.
pub(crate) fn read_date(text: &str, zone: &TimeZone) -> Option<Zoned> {
    parse_date_prefix(text, zone).filter(|(_, end)| *end == text.len()).map(|(date, _)| date)
}

/// The date at the start of a text, and where it ends.
pub(crate) fn parse_date_prefix(text: &str, zone: &TimeZone) -> Option<(Zoned, usize)> {
    let is = |at: usize, byte: u8| text.as_bytes().get(at) == Some(&byte);
    let mut parts = Parts {
        year: parse_digits(text, 0, 4)?,
        month: if is(4, b'-') { parse_digits(text, 5, 2)? } else { return None },
        day: 1,
        hour: 0,
        minute: 0,
        second: 0,
        millisecond: 0,
    };
    let mut at = 7;
    let fields = [
        (b'-', &mut parts.day),
        (b'T', &mut parts.hour),
        (b':', &mut parts.minute),
        (b':', &mut parts.second),
    ];
    let mut has_all = true;
    for (separator, field) in fields {
        let Some(number) = is(at, separator).then(|| parse_digits(text, at + 1, 2)).flatten()
        else {
            has_all = false;
            break;
        };
        *field = number;
        at += 3;
    }
    let mut named_zone = None;
    if has_all {
        if let Some(millisecond) = is(at, b'.').then(|| parse_digits(text, at + 1, 3)).flatten() {
            parts.millisecond = millisecond;
            at += 4;
        }
        if let Some((zone, length)) = parse_zone_prefix(&text[at..]) {
            named_zone = Some(zone);
            at += length;
        }
    }
    Some((parts.carry_in_zone(named_zone.unwrap_or_else(|| zone.clone()))?, at))
}

/// The zone at the start of a text: `Z`, `+2`, `-05:30`, `[Europe/Berlin]`.
fn parse_zone_prefix(text: &str) -> Option<(TimeZone, usize)> {
    if text.starts_with('Z') {
        return Some((TimeZone::UTC, 1));
    }
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest.find(']')?;
        return Some((TimeZone::get(&rest[..end]).ok()?, end + 2));
    }
    let sign = if text.starts_with('-') { -1 } else { text.starts_with('+').then_some(1)? };
    let width = text[1..].bytes().take(2).take_while(u8::is_ascii_digit).count();
    let hours: i64 = parse_digits(text, 1, width)?;
    let end = 1 + width;
    let minutes: Option<i64> =
        text[end..].starts_with(':').then(|| parse_digits(text, end + 1, 2)).flatten();
    let length = if minutes.is_some() { end + 3 } else { end };
    let seconds = sign * (hours * 60 + minutes.unwrap_or(0)) * 60;
    let offset = Offset::try_from(SignedDuration::from_secs(seconds)).ok()?;
    Some((TimeZone::fixed(offset), length))
}

/// The first day in a text, as `2024-05-17` or `20240517`.
pub(crate) fn find_day(text: &str, zone: &TimeZone) -> Option<Zoned> {
    let day = |at: usize, gap: usize| {
        let gaps_fit = gap == 0
            || (text.as_bytes().get(at + 4) == Some(&b'-')
                && text.as_bytes().get(at + 7) == Some(&b'-'));
        if !gaps_fit {
            return None;
        }
        Some((
            parse_digits(text, at, 4)?,
            parse_digits(text, at + 4 + gap, 2)?,
            parse_digits(text, at + 6 + 2 * gap, 2)?,
        ))
    };
    let find = |gap| (0..text.len()).find_map(|at| day(at, gap));
    let (year, month, day): (i16, i8, i8) = find(1).or_else(|| find(0))?;
    Parts { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 }.in_zone(zone.clone())
}

/// A date by a number of milliseconds (`x`) or seconds (`X`) since 1970.
pub(crate) fn from_epoch(milliseconds: f64, zone: &TimeZone) -> Option<Zoned> {
    #[expect(clippy::cast_possible_truncation, reason = "out of range, the date does not exist")]
    let timestamp = Timestamp::from_millisecond(milliseconds as i64).ok()?;
    Some(timestamp.to_zoned(zone.clone()))
}

/// A whole text as a date by a format of Luxon, in the zone and, without another one, the year of `now`. `None`
/// if it does not fit.
pub(crate) fn read_with_format(text: &str, format: &str, now: &Zoned) -> Option<Zoned> {
    let mut parts =
        Parts { year: 0, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
    let mut is_afternoon = None;
    let mut has_year = false;
    let mut rest = text;
    for token in tokenize(format) {
        match token {
            Token::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            Token::Code(code) => match code.as_str() {
                "yyyy" | "y" => {
                    parts.year = take_number(&mut rest, 4, 4)?;
                    has_year = true;
                }
                "yy" => {
                    let year: i16 = take_number(&mut rest, 2, 2)?;
                    parts.year = if year > 60 { 1900 + year } else { 2000 + year };
                    has_year = true;
                }
                "M" | "L" => parts.month = take_number(&mut rest, 1, 2)?,
                "MM" | "LL" => parts.month = take_number(&mut rest, 2, 2)?,
                "MMM" | "LLL" => parts.month = take_month(&mut rest, 3)?,
                "MMMM" | "LLLL" => parts.month = take_month(&mut rest, usize::MAX)?,
                "d" => parts.day = take_number(&mut rest, 1, 2)?,
                "dd" => parts.day = take_number(&mut rest, 2, 2)?,
                "H" | "h" => parts.hour = take_number(&mut rest, 1, 2)?,
                "HH" | "hh" => parts.hour = take_number(&mut rest, 2, 2)?,
                "m" => parts.minute = take_number(&mut rest, 1, 2)?,
                "mm" => parts.minute = take_number(&mut rest, 2, 2)?,
                "s" => parts.second = take_number(&mut rest, 1, 2)?,
                "ss" => parts.second = take_number(&mut rest, 2, 2)?,
                "SSS" => parts.millisecond = take_number(&mut rest, 3, 3)?,
                "a" => is_afternoon = Some(take_meridiem(&mut rest)?),
                _ => return None,
            },
        }
    }
    match is_afternoon {
        Some(true) if parts.hour < 12 => parts.hour += 12,
        Some(false) if parts.hour == 12 => parts.hour = 0,
        _ => {}
    }
    if !has_year {
        parts.year = now.year();
    }
    rest.is_empty().then(|| parts.in_zone(now.time_zone().clone())).flatten()
}

/// Takes a number of so many digits from the start of a text.
fn take_number<T: std::str::FromStr>(rest: &mut &str, least: usize, most: usize) -> Option<T> {
    let count = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least {
        return None;
    }
    let (number, after) = rest.split_at(count);
    *rest = after;
    number.parse().ok()
}

/// Takes the name of a month, cut to a length.
fn take_month(rest: &mut &str, length: usize) -> Option<i8> {
    let cut = |name: &'static str| &name[..name.len().min(length)];
    let names = MONTHS.iter().map(|name| cut(name)).zip(1..);
    let is_next =
        |name: &str| rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let (name, number) = names.into_iter().find(|(name, _)| is_next(name))?;
    *rest = &rest[name.len()..];
    Some(number)
}

/// Takes `AM` or `PM`, and returns whether it is the latter.
fn take_meridiem(rest: &mut &str) -> Option<bool> {
    let meridiem = rest.get(..2)?.to_ascii_lowercase();
    *rest = &rest[2..];
    match meridiem.as_str() {
        "am" => Some(false),
        "pm" => Some(true),
        _ => None,
    }
}
