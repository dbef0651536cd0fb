//! Calculating with dates.

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, ToSpan as _, Unit as JiffUnit, Zoned};

use super::duration::{Duration, Unit};

/// The date after a duration. Fractions of days and longer units count as time; `None` if no calendar has
/// such a date.
pub(crate) fn add_duration(date: &Zoned, duration: Duration) -> Option<Zoned> {
    let whole = |unit: Unit| duration.get(unit).trunc();
    let months = whole(Unit::Year) * 12.0 + whole(Unit::Month);
    let days = whole(Unit::Week) * 7.0 + whole(Unit::Day);
    let mut time = duration;
    for unit in [Unit::Year, Unit::Month, Unit::Week, Unit::Day] {
        time = time.plus(Duration::new(-whole(unit), unit));
    }
    let months = Span::new().try_months(to_integer(months)?).ok()?;
    let days = Span::new().try_days(to_integer(days)?).ok()?;
    let moved = date.datetime().checked_add(months).ok()?.checked_add(days).ok()?;
    let moved = moved.to_zoned(date.time_zone().clone()).ok()?;
    moved.checked_add(SignedDuration::from_millis(to_integer(time.milliseconds())?)).ok()
}

/// A whole number that a calendar can count with.
fn to_integer(number: f64) -> Option<i64> {
    const MOST: f64 = 1e15;
    #[expect(clippy::cast_possible_truncation, reason = "the number is within the limits")]
    (number.abs() <= MOST).then_some(number as i64)
}

/// The time from `earlier` to `later`; negative if they are the other way around.
pub(crate) fn duration_between(earlier: &Zoned, later: &Zoned) -> Duration {
    let is_reversed = later < earlier;
    let (first, second) = if is_reversed { (later, earlier) } else { (earlier, later) };
    let second = second.with_time_zone(first.time_zone().clone());
    let Ok(span) = first.until((JiffUnit::Year, &second)) else { return Duration::default() };
    #[expect(clippy::cast_precision_loss, reason = "these are less than the next longer unit")]
    let exact = |amount: i64| amount as f64;
    let parts = [
        (f64::from(span.get_years()), Unit::Year),
        (f64::from(span.get_months()), Unit::Month),
        (f64::from(span.get_days()), Unit::Day),
        (f64::from(span.get_hours()), Unit::Hour),
        (exact(span.get_minutes()), Unit::Minute),
        (exact(span.get_seconds()), Unit::Second),
        (exact(span.get_milliseconds()), Unit::Millisecond),
    ];
    let sum = |sum: Duration, (amount, unit)| sum.plus(Duration::new(amount, unit));
    let duration = parts.into_iter().fold(Duration::default(), sum);
    let duration = if is_reversed { duration.multiply(-1.0) } else { duration };
    duration.normalize()
}

/// The start of a date's day, in another zone.
pub(crate) fn start_of_day(date: &Zoned, zone: &TimeZone) -> Option<Zoned> {
    date.date().to_zoned(zone.clone()).ok()
}

/// A date by its name, such as `today` or `eom`.
pub(crate) fn parse_shorthand(name: &str, now: &Zoned) -> Option<Zoned> {
    let today = now.date();
    let weekday = i64::from(today.weekday().to_monday_zero_offset());
    let month = |month: i8, day: i8| today.with().month(month).day(day).build().ok();
    let last = today.last_of_month();
    let start = |date: jiff::civil::Date| date.to_zoned(now.time_zone().clone()).ok();
    let end = |date: jiff::civil::Date| {
        let time = Time::constant(23, 59, 59, 999_000_000);
        DateTime::from_parts(date, time).to_zoned(now.time_zone().clone()).ok()
    };
    match name {
        "now" => Some(now.clone()),
        "today" => start(today),
        "yesterday" => start(today.yesterday().ok()?),
        "tomorrow" => start(today.tomorrow().ok()?),
        "sow" | "start-of-week" => start(today.checked_sub(weekday.days()).ok()?),
        "eow" | "end-of-week" => end(today.checked_add((6 - weekday).days()).ok()?),
        "som" | "start-of-month" => start(today.first_of_month()),
        "eom" | "end-of-month" => end(last),
        "soy" | "start-of-year" => start(month(1, 1)?),
        "eoy" | "end-of-year" => end(month(12, 31)?),
        _ => None,
    }
}

/// The names of [`parse_shorthand`], those that start with another one first.
pub(crate) const SHORTHANDS: [&str; 16] = [
    "start-of-month",
    "start-of-week",
    "start-of-year",
    "end-of-month",
    "end-of-week",
    "end-of-year",
    "yesterday",
    "tomorrow",
    "today",
    "now",
    "sow",
    "eow",
    "soy",
    "eoy",
    "som",
    "eom",
];
