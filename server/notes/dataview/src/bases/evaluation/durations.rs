//! Durations as moment.js counts them: a year has twelve months, and 4,800 months have 146,097 days.

use crate::datetime::{Duration, Unit};
use crate::value::Value;

const DAY: f64 = 86_400_000.0;
/// The average length of a month in days.
const MONTH: f64 = 146_097.0 / 4_800.0;

/// The whole length of a duration in the unit that a field names; null if no field has the name.
pub(super) fn total(duration: Duration, field: &str) -> Value {
    let total = match field {
        "years" => months(duration) / 12.0,
        "months" => months(duration),
        "weeks" => milliseconds(duration) / DAY / 7.0,
        "days" => milliseconds(duration) / DAY,
        "hours" => milliseconds(duration) / 3_600_000.0,
        "minutes" => milliseconds(duration) / 60_000.0,
        "seconds" => milliseconds(duration) / 1_000.0,
        "milliseconds" => milliseconds(duration),
        _ => return Value::Null,
    };
    total.into()
}

fn whole_months(duration: Duration) -> f64 {
    duration.get(Unit::Year) * 12.0 + duration.get(Unit::Month)
}

/// The length of all units that are not months or years.
fn rest(duration: Duration) -> f64 {
    let in_milliseconds = [
        (Unit::Week, 7.0 * DAY),
        (Unit::Day, DAY),
        (Unit::Hour, 3_600_000.0),
        (Unit::Minute, 60_000.0),
        (Unit::Second, 1_000.0),
        (Unit::Millisecond, 1.0),
    ];
    in_milliseconds.into_iter().map(|(unit, length)| duration.get(unit) * length).sum()
}

fn months(duration: Duration) -> f64 {
    whole_months(duration) + rest(duration) / DAY / MONTH
}

/// The whole length. Months count as whole days.
pub(super) fn milliseconds(duration: Duration) -> f64 {
    (whole_months(duration) * MONTH).round() * DAY + rest(duration)
}

/// The length of a duration in words, without its sign: `a day`, `3 hours`.
pub(super) fn humanize(duration: Duration) -> String {
    let length = milliseconds(duration).abs();
    // The amount of each unit, the least amount that is not named by the next unit, and its name.
    let units = [
        ((length / 1_000.0).round(), 45.0, "second"),
        ((length / 60_000.0).round(), 45.0, "minute"),
        ((length / 3_600_000.0).round(), 22.0, "hour"),
        ((length / DAY).round(), 26.0, "day"),
        (months(duration).abs().round(), 11.0, "month"),
        ((months(duration).abs() / 12.0).round(), f64::INFINITY, "year"),
    ];
    let found = units.into_iter().find(|(amount, most, _)| amount < most);
    let (amount, _, unit) = found.unwrap_or((0.0, 0.0, "second"));
    match (unit, amount) {
        ("second", _) => "a few seconds".to_owned(),
        ("hour", amount) if amount <= 1.0 => "an hour".to_owned(),
        (unit, amount) if amount <= 1.0 => format!("a {unit}"),
        (unit, amount) => format!("{amount} {unit}s"),
    }
}
