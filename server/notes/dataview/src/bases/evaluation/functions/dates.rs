//! Methods of dates.

use jiff::Zoned;

use super::{Method, method};
use crate::bases::evaluation::durations::humanize;
use crate::datetime::{Duration, Unit};
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
    #[expect(clippy::cast_precision_loss, reason = "the range of years fits 53 bits")]
    let milliseconds =
        (now.timestamp().as_millisecond() - date.timestamp().as_millisecond()) as f64;
    let words = humanize(Duration::new(milliseconds, Unit::Millisecond));
    if milliseconds < 0.0 { format!("in {words}") } else { format!("{words} ago") }
}
