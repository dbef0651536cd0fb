//! Methods of dates.

use jiff::Zoned;

use super::{Method, method};
use crate::evaluation::Failure;
use crate::value::Value;
use toolwrit_moment::Moment;

pub(super) const METHODS: &[Method<Zoned>] = &[
    method("date", 0, 0, |date, _| {
        date.start_of_day().map(Value::date).map_err(|error| Failure::row(error.to_string()))
    }),
    method("time", 0, 0, |date, args| args.context.text(date.strftime("%H:%M:%S").to_string())),
    method("format", 1, 1, |date, args| {
        args.context.text(Moment::from(date.clone()).format(&args.text(0)?))
    }),
    method("relative", 0, 0, |date, args| args.context.text(relative(date, args.context.now))),
];

/// The distance of a date from the current time in words, as moment.js writes it: `3 days ago`, `in an hour`.
fn relative(date: &Zoned, now: &Zoned) -> String {
    /// The average length of a month in days.
    const MONTH: f64 = 146_097.0 / 4_800.0;
    #[expect(clippy::cast_precision_loss, reason = "the range of years fits 53 bits")]
    let milliseconds =
        (now.timestamp().as_millisecond() - date.timestamp().as_millisecond()) as f64;
    let seconds = (milliseconds.abs() / 1_000.0).round();
    let days = milliseconds.abs() / 86_400_000.0;
    // The amount of each unit, the least amount that is not named by the next unit, and its name.
    let units = [
        (seconds, 45.0, "second"),
        ((milliseconds.abs() / 60_000.0).round(), 45.0, "minute"),
        ((milliseconds.abs() / 3_600_000.0).round(), 22.0, "hour"),
        (days.round(), 26.0, "day"),
        ((days / MONTH).round(), 11.0, "month"),
        ((days / MONTH / 12.0).round(), f64::INFINITY, "year"),
    ];
    let found = units.into_iter().find(|(amount, most, _)| amount < most);
    let (amount, _, unit) = found.unwrap_or((0.0, 0.0, "second"));
    let words = match (unit, amount) {
        ("second", _) => "a few seconds".to_owned(),
        ("hour", amount) if amount <= 1.0 => "an hour".to_owned(),
        (unit, amount) if amount <= 1.0 => format!("a {unit}"),
        (unit, amount) => format!("{amount} {unit}s"),
    };
    if milliseconds < 0.0 { format!("in {words}") } else { format!("{words} ago") }
}
