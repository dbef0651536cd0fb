//! Operators on values.

use std::cmp::Ordering;

use super::context::ViewContext;
use super::conversion::{as_duration, as_text, date, text, type_name};
use super::durations::milliseconds;
use super::equality::are_equal;
use crate::bases::syntax::symbol;
use crate::datetime::{Duration, Unit, add_duration};
use crate::evaluation::{Evaluated, Failure, check_count};
use crate::operator::Operator;
use crate::value::{UnresolvedPaths, Value, compare};

/// Applies an operator to both values.
pub(super) fn apply(
    operator: Operator,
    a: &Value,
    b: &Value,
    context: &ViewContext<'_>,
) -> Evaluated {
    let order = |fits: fn(Ordering) -> bool| Ok(order(a, b, context).is_some_and(fits).into());
    match operator {
        Operator::Or => Ok((a.is_truthy() || b.is_truthy()).into()),
        Operator::And => Ok((a.is_truthy() && b.is_truthy()).into()),
        Operator::Equal => are_equal(a, b, context).map(Value::from),
        Operator::NotEqual => are_equal(a, b, context).map(|equal| (!equal).into()),
        Operator::Less => order(Ordering::is_lt),
        Operator::LessOrEqual => order(Ordering::is_le),
        Operator::Greater => order(Ordering::is_gt),
        Operator::GreaterOrEqual => order(Ordering::is_ge),
        Operator::Add
        | Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Remainder => calculate(operator, a, b, context),
    }
}

/// `-value`
pub(super) fn negate(value: &Value) -> Evaluated {
    match value {
        Value::Number(number) => Ok((-number).into()),
        Value::Duration(duration) => Ok(Value::duration(duration.multiply(-1.0))),
        Value::Null => Ok(Value::Null),
        other => Err(Failure::row(format!("`-` does not apply to {}", type_name(other)))),
    }
}

/// The order of two values of the same kind. A text is compared with a date as the date that it is, and with a duration as
/// the duration.
fn order(a: &Value, b: &Value, context: &ViewContext<'_>) -> Option<Ordering> {
    let date_of = |value: &Value| date(&as_text(value)?, context.now);
    let length = |value: &Value| as_duration(value).map(milliseconds);
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        (Value::Date(a), Value::Date(b)) => Some(a.timestamp().cmp(&b.timestamp())),
        (Value::Date(a), b) => Some(a.timestamp().cmp(&date_of(b)?.timestamp())),
        (a, Value::Date(b)) => Some(date_of(a)?.timestamp().cmp(&b.timestamp())),
        (Value::Duration(_), _) | (_, Value::Duration(_)) => length(a)?.partial_cmp(&length(b)?),
        (Value::Boolean(_), Value::Boolean(_)) => Some(compare(a, b, &UnresolvedPaths)),
        (a, b) => {
            let (a, b) = (Value::Text(as_text(a)?), Value::Text(as_text(b)?));
            Some(compare(&a, &b, &UnresolvedPaths))
        }
    }
}

fn calculate(operator: Operator, a: &Value, b: &Value, context: &ViewContext<'_>) -> Evaluated {
    use Operator::{Add, Divide, Multiply, Subtract};
    let is_text = |value: &Value| as_text(value).is_some();
    match (operator, a, b) {
        (_, Value::Number(a), Value::Number(b)) => Ok(Value::Number(match operator {
            Add => a + b,
            Subtract => a - b,
            Multiply => a * b,
            Divide => a / b,
            _ => a % b,
        })),
        (Subtract, Value::Date(a), Value::Date(b)) => {
            #[expect(clippy::cast_precision_loss, reason = "the range of years fits 53 bits")]
            let milliseconds = |date: &jiff::Zoned| date.timestamp().as_millisecond() as f64;
            let length = milliseconds(a) - milliseconds(b);
            Ok(Value::duration(Duration::new(length, Unit::Millisecond)))
        }
        (Add | Subtract, Value::Date(at), b) if is_text(b) || matches!(b, Value::Duration(_)) => {
            let duration = as_duration(b).ok_or_else(|| {
                Failure::row(format!("`{}` is not a duration such as `1d` or `2 weeks`", text(b)))
            })?;
            let duration = if operator == Add { duration } else { duration.multiply(-1.0) };
            let moved = add_duration(at, duration).map(Value::date);
            moved.ok_or_else(|| Failure::row("the date is out of range"))
        }
        (Add, Value::Duration(_), Value::Date(_)) => calculate(operator, b, a, context),
        (Add, a, b) if is_text(a) || is_text(b) => context.text(text(a) + &text(b)),
        (_, Value::Null, _) | (_, _, Value::Null) => Ok(Value::Null),
        (Add, Value::List(a), Value::List(b)) => {
            check_count(a.len() + b.len())?;
            context.list(a.iter().chain(b.iter()).cloned().collect())
        }
        (_, Value::Duration(a), b) => calculate_duration(operator, **a, b)
            .map(Value::duration)
            .ok_or_else(|| mismatch(operator, &Value::Duration(a.clone()), b)),
        _ => Err(mismatch(operator, a, b)),
    }
}

/// What an operator makes of a duration; `None` if it does not apply.
fn calculate_duration(operator: Operator, a: Duration, b: &Value) -> Option<Duration> {
    match (operator, b) {
        (Operator::Add, Value::Duration(b)) => Some(a.plus(**b)),
        (Operator::Subtract, Value::Duration(b)) => Some(a.plus(b.multiply(-1.0))),
        (Operator::Multiply, Value::Number(b)) => Some(a.multiply(*b)),
        (Operator::Divide, Value::Number(b)) if *b != 0.0 => Some(a.divide(*b)),
        _ => None,
    }
}

fn mismatch(operator: Operator, a: &Value, b: &Value) -> Failure {
    let (a, b) = (type_name(a), type_name(b));
    Failure::row(format!("`{}` does not apply to {a} and {b}", symbol(operator)))
}
