//! Functions of dates and durations.

use super::arguments::Arguments;
use super::tables::{Function, Type, function, null, on, same};
use crate::evaluation::context::{Evaluated, Failure};
use crate::evaluation::limits::limited_text;
use crate::moment::{day, format_date, from_epoch, read_date, read_with_format};
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
            on(&[Text], |it| {
                Ok(read_date_or_shorthand(it.text(0), it.context.now).unwrap_or_default())
            }),
            same(&[Date]),
            on(&[Type::Link], |it| Ok(date_of_link(it))),
            on(&[Text, Text], date_by_format),
            null(&[Null, Text]),
            null(&[Null]),
        ],
        EACH,
    ),
    function(
        "dur",
        &[
            on(&[Text], |it| {
                let duration = read_duration(it.text(0).trim(), it.context.now);
                Ok(duration.map_or(Value::Null, Value::duration))
            }),
            same(&[Duration]),
            null(&[Null]),
        ],
        EACH,
    ),
    function(
        "striptime",
        &[
            on(&[Date], |it| {
                with_date(it, |date| {
                    Ok(day(date, it.context.now.time_zone()).map_or(Value::Null, Value::date))
                })
            }),
            null(&[Null]),
        ],
        EACH,
    ),
    function(
        "localtime",
        &[
            on(&[Date], |it| {
                with_date(it, |date| {
                    Ok(Value::date(date.with_time_zone(it.context.now.time_zone().clone())))
                })
            }),
            null(&[Null]),
        ],
        EACH,
    ),
    function(
        "dateformat",
        &[
            on(&[Date, Text], |it| {
                with_date(it, |date| limited_text(format_date(date, it.text(1))))
            }),
            null(&[Null, Text]),
        ],
        EACH_FIRST,
    ),
    function(
        "durationformat",
        &[
            on(&[Duration, Text], |it| match it.value(0) {
                Value::Duration(duration) => limited_text(duration.format(it.text(1))),
                _ => Ok(Value::Null),
            }),
            null(&[Null, Text]),
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
    let file = arguments.context.note(path).and_then(|note| note.get("file"));
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
            number::first(text).and_then(|it| from_epoch(it.trunc() * factor, now.time_zone()))
        }
        format => read_with_format(text, format, now),
    };
    date.map(Value::date)
        .ok_or_else(|| Failure::row(format!("`{text}` is not a date in the format `{format}`")))
}
