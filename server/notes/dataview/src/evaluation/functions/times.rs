//! Functions of dates and durations.

use super::arguments::Arguments;
use super::tables::{Function, Type, first_argument_variant, function, null_variant, variant};
use crate::datetime::{format_date, from_epoch, read_date, read_with_format, start_of_day};
use crate::evaluation::context::{Evaluated, Failure};
use crate::evaluation::limits::text_within_limit;
use crate::number;
use crate::syntax::{read_date_or_shorthand, read_duration};
use crate::value::{Link, Value};
use Type::{Date, Duration, Null, Text};

const EACH: &[(usize, &[usize])] = &[(1, &[0])];
const EACH_FIRST: &[(usize, &[usize])] = &[(2, &[0])];

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "date",
        &[
            variant(&[Text], |args| {
                Ok(read_date_or_shorthand(args.text(0), args.context.now).unwrap_or_default())
            }),
            first_argument_variant(&[Date]),
            variant(&[Type::Link], |args| Ok(date_of_link(args))),
            variant(&[Text, Text], date_by_format),
            null_variant(&[Null, Text]),
            null_variant(&[Null]),
        ],
        EACH,
    ),
    function(
        "dur",
        &[
            variant(&[Text], |args| {
                let duration = read_duration(args.text(0).trim(), args.context.now);
                Ok(duration.map_or(Value::Null, Value::duration))
            }),
            first_argument_variant(&[Duration]),
            null_variant(&[Null]),
        ],
        EACH,
    ),
    function(
        "striptime",
        &[
            variant(&[Date], |args| {
                with_date(args, |date| {
                    Ok(start_of_day(date, args.context.now.time_zone())
                        .map_or(Value::Null, Value::date))
                })
            }),
            null_variant(&[Null]),
        ],
        EACH,
    ),
    function(
        "localtime",
        &[
            variant(&[Date], |args| {
                with_date(args, |date| {
                    Ok(Value::date(date.with_time_zone(args.context.now.time_zone().clone())))
                })
            }),
            null_variant(&[Null]),
        ],
        EACH,
    ),
    function(
        "dateformat",
        &[
            variant(&[Date, Text], |args| {
                with_date(args, |date| text_within_limit(format_date(date, args.text(1))))
            }),
            null_variant(&[Null, Text]),
        ],
        EACH_FIRST,
    ),
    function(
        "durationformat",
        &[
            variant(&[Duration, Text], |args| match args.value(0) {
                Value::Duration(duration) => text_within_limit(duration.format(args.text(1))),
                _ => Ok(Value::Null),
            }),
            null_variant(&[Null, Text]),
        ],
        EACH_FIRST,
    ),
];

fn with_date(arguments: &Arguments<'_>, run: impl Fn(&jiff::Zoned) -> Evaluated) -> Evaluated {
    match arguments.value(0) {
        Value::Date(date) => run(&date),
        _ => Ok(Value::Null),
    }
}

/// The date that a link shows, its path is, or its note has.
fn date_of_link(arguments: &Arguments<'_>) -> Value {
    let Value::Link(link) = arguments.value(0) else { return Value::Null };
    let Link { path, display, .. } = &*link;
    let zone = arguments.context.now.time_zone();
    let shown = display.as_ref().and_then(|display| read_date(display, zone));
    if let Some(date) = shown.or_else(|| read_date(path, zone)) {
        return Value::date(date);
    }
    let file = arguments.context.find_note(path).and_then(|note| note.get("file"));
    match file {
        Some(Value::Object(file)) => file.get("day").unwrap_or_default(),
        _ => Value::Null,
    }
}

fn date_by_format(arguments: &Arguments<'_>) -> Evaluated {
    let (text, format) = (arguments.text(0), arguments.text(1));
    let now = arguments.context.now;
    let date = match format {
        "x" | "X" => {
            let factor = if format == "X" { 1000.0 } else { 1.0 };
            number::find_first(text)
                .and_then(|number| from_epoch(number.trunc() * factor, now.time_zone()))
        }
        format => read_with_format(text, format, now),
    };
    date.map(Value::date)
        .ok_or_else(|| Failure::row(format!("`{text}` is not a date in the format `{format}`")))
}
