//! Numbers within bounds. `OpenAPI` 3.0 marks an excluded bound with a flag, 3.1 with a second number.

use serde_json::{Number, Value};

use crate::document::schema::Schema;
use crate::language::shape::Shape;

/// A whole number, with its bounds if they are to be kept.
pub(crate) fn integer_shape(schema: &Schema<'_>, keeps_bounds: bool) -> Shape {
    if !keeps_bounds {
        return Shape::Integer { min: None, max: None };
    }
    let whole = |bound: Option<(f64, bool)>, step: f64, round: fn(f64) -> f64| {
        let (bound, is_excluded) = bound?;
        let rounded = round(bound);
        let is_itself = (rounded - bound).abs() < f64::EPSILON;
        to_exact_integer(if is_excluded && is_itself { rounded + step } else { rounded })
    };
    let min = whole(find_bound(schema, "minimum", "exclusiveMinimum"), 1.0, f64::ceil);
    let max = whole(find_bound(schema, "maximum", "exclusiveMaximum"), -1.0, f64::floor);
    let (min, max) = drop_crossed_bounds(min, max);
    Shape::Integer { min, max }
}

/// A number, with its bounds if they are to be kept.
pub(crate) fn number_shape(schema: &Schema<'_>, keeps_bounds: bool) -> Shape {
    if !keeps_bounds {
        return Shape::Number { min: None, max: None };
    }
    let min = find_bound(schema, "minimum", "exclusiveMinimum").map(|(bound, _)| bound);
    let max = find_bound(schema, "maximum", "exclusiveMaximum").map(|(bound, _)| bound);
    let (min, max) = drop_crossed_bounds(min, max);
    let number = |bound: Option<f64>| {
        let bound = bound?;
        let whole = to_exact_integer(bound).filter(|_| bound.fract() == 0.0);
        whole.map(Number::from).or_else(|| Number::from_f64(bound))
    };
    Shape::Number { min: number(min), max: number(max) }
}

/// A whole number that floats hold exactly.
#[expect(clippy::cast_possible_truncation, reason = "only below 2^53, where it is exact")]
pub(crate) fn to_exact_integer(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.abs() < EXACT).then_some(number as i64)
}

/// A bound, and whether it is itself excluded.
fn find_bound(schema: &Schema<'_>, key: &str, excluded: &str) -> Option<(f64, bool)> {
    match schema.find(excluded) {
        Some(Value::Number(number)) => Some((number.as_f64()?, true)),
        other => Some((schema.find(key)?.as_f64()?, other == Some(&Value::Bool(true)))),
    }
}

/// Both bounds, or neither if nothing lies between them.
pub(crate) fn drop_crossed_bounds<T: PartialOrd>(
    min: Option<T>,
    max: Option<T>,
) -> (Option<T>, Option<T>) {
    match (&min, &max) {
        (Some(low), Some(high)) if low > high => (None, None),
        _ => (min, max),
    }
}
