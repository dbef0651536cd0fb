//! Operators on values.

use std::sync::Arc;

use super::context::{Context, Evaluated, Failure};
use super::limits::{check_count, check_length, text_within_limit};
use crate::datetime::{add_duration, duration_between};
use crate::operator::Operator;
use crate::syntax::symbol;
use crate::value::{Value, compare, plain_text};

pub(super) fn apply(operator: Operator, a: &Value, b: &Value, context: &Context<'_>) -> Evaluated {
    let order = || compare(a, b, context);
    Ok(Value::Boolean(match operator {
        Operator::Less => order().is_lt(),
        Operator::LessOrEqual => order().is_le(),
        Operator::Greater => order().is_gt(),
        Operator::GreaterOrEqual => order().is_ge(),
        Operator::Equal => order().is_eq(),
        Operator::NotEqual => order().is_ne(),
        Operator::And => a.is_truthy() && b.is_truthy(),
        Operator::Or => a.is_truthy() || b.is_truthy(),
        _ => return calculate(operator, a, b, context),
    }))
}

fn calculate(operator: Operator, a: &Value, b: &Value, context: &Context<'_>) -> Evaluated {
    use Operator::{Add, Divide, Multiply, Subtract};
    match (operator, a, b) {
        (operator, Value::Number(a), Value::Number(b)) => Ok(Value::Number(match operator {
            Add => a + b,
            Subtract => a - b,
            Multiply => a * b,
            Divide => a / b,
            _ => a % b,
        })),
        (Add, Value::Text(_), _) | (Add, _, Value::Text(_)) => {
            let text = |value| plain_text(value, context.rendering);
            text_within_limit(text(a) + &text(b))
        }
        (Multiply, Value::Text(text), Value::Number(count))
        | (Multiply, Value::Number(count), Value::Text(text)) => repeat(text, *count),
        (Subtract, Value::Date(a), Value::Date(b)) => Ok(Value::duration(duration_between(b, a))),
        (Subtract, Value::Date(date), Value::Duration(duration)) => {
            date_or_failure(add_duration(date, duration.multiply(-1.0)))
        }
        (Add, Value::Date(date), Value::Duration(duration))
        | (Add, Value::Duration(duration), Value::Date(date)) => {
            date_or_failure(add_duration(date, **duration))
        }
        (Add, Value::Duration(a), Value::Duration(b)) => {
            Ok(Value::duration(a.plus(**b).normalize()))
        }
        (Subtract, Value::Duration(a), Value::Duration(b)) => {
            Ok(Value::duration(a.plus(b.multiply(-1.0)).normalize()))
        }
        (Divide, Value::Duration(a), Value::Number(b)) => {
            Ok(Value::duration(a.divide(*b).normalize()))
        }
        (Multiply, Value::Duration(a), Value::Number(b))
        | (Multiply, Value::Number(b), Value::Duration(a)) => {
            Ok(Value::duration(a.multiply(*b).normalize()))
        }
        (Add, Value::List(a), Value::List(b)) => {
            check_count(a.len() + b.len())?;
            Ok(Value::list(a.iter().chain(b.iter()).cloned()))
        }
        (Add, Value::Object(a), Value::Object(b)) => {
            let mut map = a.entries();
            map.extend(b.entries());
            Ok(Value::map(map))
        }
        (_, Value::Null, Value::Null)
        | (Add | Subtract, Value::Date(_), Value::Null)
        | (Add | Subtract, Value::Null, Value::Date(_)) => Ok(Value::Null),
        (operator, a, b) => Err(Failure::row(format!(
            "`{}` does not apply to {} and {}",
            symbol(operator),
            a.type_name(),
            b.type_name()
        ))),
    }
}

fn date_or_failure(date: Option<jiff::Zoned>) -> Evaluated {
    date.map(Value::date).ok_or_else(|| Failure::row("the date is out of range"))
}

/// A text several times.
fn repeat(text: &Arc<str>, count: f64) -> Evaluated {
    if count < 1.0 || text.is_empty() {
        return Ok(Value::text(""));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and the length is checked"
    )]
    let count = count as usize;
    check_length(text.len().saturating_mul(count))?;
    Ok(Value::text(text.repeat(count)))
}
