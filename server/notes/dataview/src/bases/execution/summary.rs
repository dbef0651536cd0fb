//! The summaries that Obsidian has built in.

use std::cmp::Ordering;

use crate::bases::evaluation::is_empty;
use crate::bases::statistics::{mean, median, numbers_in, standard_deviation};
use crate::datetime::{Duration, Unit};
use crate::value::{UnresolvedPaths, Value, sort_order};

/// The names of the summaries.
pub(super) const NAMES: [&str; 14] = [
    "Average",
    "Min",
    "Max",
    "Sum",
    "Range",
    "Median",
    "Stddev",
    "Earliest",
    "Latest",
    "Checked",
    "Unchecked",
    "Empty",
    "Filled",
    "Unique",
];

/// The value of a summary; null if no value is of the type that it is about, `None` if there is no such summary.
pub(super) fn evaluate(name: &str, values: &[Value]) -> Option<Value> {
    let known = NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(name))?;
    let count =
        |fits: &dyn Fn(&Value) -> bool| to_number(values.iter().filter(|v| fits(v)).count());
    Some(match known {
        "Average" => of_numbers(values, mean),
        "Min" => of_numbers(values, least),
        "Max" => of_numbers(values, greatest),
        "Sum" => of_numbers(values, |numbers| numbers.iter().sum()),
        "Median" => of_numbers(values, median),
        "Stddev" => of_numbers(values, standard_deviation),
        "Range" => range(values),
        "Earliest" => dates(values).first().map(|date| (*date).clone()).unwrap_or_default(),
        "Latest" => dates(values).last().map(|date| (*date).clone()).unwrap_or_default(),
        "Checked" => count(&|value| matches!(value, Value::Boolean(true))),
        "Unchecked" => count(&|value| matches!(value, Value::Boolean(false) | Value::Null)),
        "Empty" => count(&is_empty),
        "Filled" => count(&|value| !is_empty(value)),
        _ => unique(values),
    })
}

fn of_numbers(values: &[Value], of: impl Fn(&[f64]) -> f64) -> Value {
    let numbers = numbers_in(values);
    if numbers.is_empty() { Value::Null } else { of(&numbers).into() }
}

fn least(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

fn greatest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The dates in order.
fn dates(values: &[Value]) -> Vec<&Value> {
    let mut dates: Vec<&Value> =
        values.iter().filter(|value| matches!(value, Value::Date(_))).collect();
    dates.sort_by(|a, b| sort_order(a, b, &UnresolvedPaths));
    dates
}

/// The difference of the greatest and the least number, or the time between the first and the last date.
fn range(values: &[Value]) -> Value {
    match &*dates(values) {
        [Value::Date(first), .., Value::Date(last)] => {
            let length = last.timestamp().duration_since(first.timestamp());
            #[expect(clippy::cast_precision_loss, reason = "the range of years fits 53 bits")]
            let milliseconds = length.as_millis() as f64;
            Value::duration(Duration::new(milliseconds, Unit::Millisecond))
        }
        [_] => Value::duration(Duration::default()),
        _ => of_numbers(values, |numbers| greatest(numbers) - least(numbers)),
    }
}

/// How many different values there are that are not empty.
fn unique(values: &[Value]) -> Value {
    let mut filled: Vec<Value> =
        values.iter().filter(|value| !is_empty(value)).map(Value::to_summary).collect();
    filled.sort_by(|a, b| sort_order(a, b, &UnresolvedPaths));
    filled.dedup_by(|a, b| sort_order(a, b, &UnresolvedPaths) == Ordering::Equal);
    to_number(filled.len())
}

fn to_number(count: usize) -> Value {
    Value::Number(u32::try_from(count).map_or(f64::MAX, f64::from))
}
