//! Operators on values.

use std::cmp::Ordering;

use super::context::ViewContext;
use super::conversion::{as_duration, date, file_path, text, type_name};
use crate::bases::syntax::symbol;
use crate::datetime::add_duration;
use crate::evaluation::{Evaluated, Failure};
use crate::operator::Operator;
use crate::value::{Object, UnresolvedPaths, Value, compare};

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

/// Whether two values are equal. Links and files are equal if they are about the same file.
pub(super) fn are_equal(a: &Value, b: &Value, context: &ViewContext<'_>) -> Result<bool, Failure> {
    context.budget.step()?;
    if let (Some(a), Some(b)) = (file_path(a), file_path(b)) {
        return Ok(a == b);
    }
    Ok(match (a, b) {
        (Value::Text(a), Value::Text(b)) => a == b,
        (Value::ExternalLink(a), Value::ExternalLink(b)) => a.url == b.url,
        (Value::List(a), Value::List(b)) => {
            let mut pairs = a.iter().zip(b.iter());
            let same =
                pairs.try_fold(true, |same, (a, b)| Ok(same && are_equal(a, b, context)?))?;
            a.len() == b.len() && same
        }
        (Value::Object(Object::Map(a)), Value::Object(Object::Map(b))) => {
            let mut same = a.len() == b.len();
            for (name, value) in a.iter() {
                same = same && b.get(name).is_some_and(|other| compares_equal(value, other));
            }
            same
        }
        (Value::Date(_), _) | (_, Value::Date(_)) => order(a, b, context) == Some(Ordering::Equal),
        (a, b) => compares_equal(a, b),
    })
}

fn compares_equal(a: &Value, b: &Value) -> bool {
    a.type_name() == b.type_name() && compare(a, b, &UnresolvedPaths).is_eq()
}

/// The order of two values of the same kind. A text is compared with a date as the date that it is.
fn order(a: &Value, b: &Value, context: &ViewContext<'_>) -> Option<Ordering> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.partial_cmp(b),
        (Value::Date(a), Value::Date(b)) => Some(a.timestamp().cmp(&b.timestamp())),
        (Value::Date(a), Value::Text(b)) => {
            Some(a.timestamp().cmp(&date(b, context.now)?.timestamp()))
        }
        (Value::Text(a), Value::Date(b)) => {
            Some(date(a, context.now)?.timestamp().cmp(&b.timestamp()))
        }
        (Value::Duration(a), Value::Duration(b)) => a.milliseconds().partial_cmp(&b.milliseconds()),
        (Value::Text(_), Value::Text(_)) | (Value::Boolean(_), Value::Boolean(_)) => {
            Some(compare(a, b, &UnresolvedPaths))
        }
        _ => None,
    }
}

fn calculate(operator: Operator, a: &Value, b: &Value, context: &ViewContext<'_>) -> Evaluated {
    use Operator::{Add, Divide, Multiply, Subtract};
    let mismatch = || {
        let (a, b) = (type_name(a), type_name(b));
        Failure::row(format!("`{}` does not apply to {a} and {b}", symbol(operator)))
    };
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
            Ok(Value::Number(milliseconds(a) - milliseconds(b)))
        }
        (Add | Subtract, Value::Date(at), Value::Duration(_) | Value::Text(_)) => {
            let Some(duration) = as_duration(b) else {
                let reason = format!("`{}` is not a duration such as `1d` or `2 weeks`", text(b));
                return Err(Failure::row(reason));
            };
            let duration = if operator == Add { duration } else { duration.multiply(-1.0) };
            let moved = add_duration(at, duration).map(Value::date);
            moved.ok_or_else(|| Failure::row("the date is out of range"))
        }
        (Add, Value::Duration(_), Value::Date(_)) => calculate(operator, b, a, context),
        (Add, Value::Text(_), _) | (Add, _, Value::Text(_)) => context.text(text(a) + &text(b)),
        (_, Value::Null, _) | (_, _, Value::Null) => Ok(Value::Null),
        (Add | Subtract, Value::Duration(_), Value::Duration(b)) => {
            let Some(a) = as_duration(a) else { return Err(mismatch()) };
            Ok(Value::duration(a.plus(if operator == Add { **b } else { b.multiply(-1.0) })))
        }
        (Multiply, Value::Duration(a), Value::Number(b)) => Ok(Value::duration(a.multiply(*b))),
        (Divide, Value::Duration(a), Value::Number(b)) => Ok(Value::duration(a.divide(*b))),
        _ => Err(mismatch()),
    }
}
