//! `value[index]` and `value.name`.

use jiff::Zoned;

use super::context::{Context, Evaluated, Failure};
use crate::datetime::{Duration, Unit};
use crate::value::Value;

/// A part of a value.
pub(super) fn index(value: &Value, index: &Value, context: &Context<'_>) -> Evaluated {
    match index {
        Value::Null => Ok(Value::Null),
        Value::Text(name) => index_by_name(value, name, context),
        Value::Number(position) => index_by_position(value, *position),
        other => {
            Err(Failure::row(format!("an index is a number or a text, not {}", other.type_name())))
        }
    }
}

fn index_by_name(value: &Value, name: &str, context: &Context<'_>) -> Evaluated {
    match value {
        Value::Object(object) => Ok(object.get(name).unwrap_or_default()),
        Value::Link(link) => {
            let note = context.find_note(&link.path);
            Ok(note.and_then(|note| note.get(name)).unwrap_or_default())
        }
        Value::List(values) => {
            context.budget.step()?;
            let parts =
                values.iter().filter_map(|value| match index_by_name(value, name, context) {
                    Err(Failure::Row(_)) => None,
                    part => Some(part),
                });
            Ok(Value::List(parts.collect::<Result<_, _>>()?))
        }
        Value::Date(date) => Ok(match name {
            "weekyear" => f64::from(date.date().iso_week_date().week()).into(),
            "week" => (f64::from(date.day() / 7) + 1.0).into(),
            "weekday" => f64::from(date.weekday().to_monday_one_offset()).into(),
            name => date_part(date, name),
        }),
        Value::Duration(duration) => Ok(duration_in_unit(**duration, name)),
        Value::Text(_) => Err(Failure::row("a text is indexed with a number")),
        _ => Ok(Value::Null),
    }
}

/// A part of a date, such as its year; null if it has none of this name.
pub(crate) fn date_part(date: &Zoned, name: &str) -> Value {
    match name {
        "year" => f64::from(date.year()).into(),
        "month" => f64::from(date.month()).into(),
        "day" => f64::from(date.day()).into(),
        "hour" => f64::from(date.hour()).into(),
        "minute" => f64::from(date.minute()).into(),
        "second" => f64::from(date.second()).into(),
        "millisecond" => f64::from(date.millisecond()).into(),
        _ => Value::Null,
    }
}

/// The whole length of a duration in a unit.
fn duration_in_unit(duration: Duration, name: &str) -> Value {
    let unit = match name {
        "year" | "years" => Unit::Year,
        "month" | "months" => Unit::Month,
        "weeks" => Unit::Week,
        "day" | "days" => Unit::Day,
        "hour" | "hours" => Unit::Hour,
        "minute" | "minutes" => Unit::Minute,
        "second" | "seconds" => Unit::Second,
        "millisecond" | "milliseconds" => Unit::Millisecond,
        _ => return Value::Null,
    };
    duration.total_in(unit).into()
}

fn index_by_position(value: &Value, position: f64) -> Evaluated {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a position that is not whole or out of range is none"
    )]
    let at = (position >= 0.0 && position.fract() == 0.0).then_some(position as usize);
    match value {
        Value::List(values) => Ok(at.and_then(|at| values.get(at)).cloned().unwrap_or_default()),
        Value::Text(text) => {
            let character = at.and_then(|at| text.encode_utf16().nth(at));
            Ok(character.map_or(Value::Null, |unit| Value::text(String::from_utf16_lossy(&[unit]))))
        }
        Value::Object(_) | Value::Link(_) | Value::Date(_) | Value::Duration(_) => {
            Err(Failure::row(format!("{} is indexed with a text", value.type_name())))
        }
        _ => Ok(Value::Null),
    }
}
