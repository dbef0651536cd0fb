//! `min`, `max_length` and the other constraints of the long form.

use serde_json::Number;

use super::pattern::pattern;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{IntegerFormat, Shape};
use crate::raw::{Located, RawLongShape};

/// The constraints that were given, with their places.
fn written_constraints(raw: &RawLongShape) -> impl Iterator<Item = (&'static str, Place)> {
    let place = |number: &Option<Located<Number>>| number.as_ref().map(|number| number.place);
    let count = |count: &Option<Located<u64>>| count.as_ref().map(|count| count.place);
    [
        ("min", place(&raw.min)),
        ("max", place(&raw.max)),
        ("min_length", count(&raw.min_length)),
        ("max_length", count(&raw.max_length)),
        ("pattern", raw.pattern.as_ref().map(|pattern| pattern.place)),
        ("min_items", count(&raw.min_items)),
        ("max_items", count(&raw.max_items)),
        ("format", raw.format.as_ref().map(|format| format.place)),
    ]
    .into_iter()
    .filter_map(|(name, place)| Some((name, place?)))
}

pub(super) fn is_constrained(raw: &RawLongShape) -> bool {
    written_constraints(raw).next().is_some()
}

/// The shape with the constraints. Those that do not apply to it are reported.
pub(super) fn apply(shape: Shape, raw: &RawLongShape, report: &mut Report) -> Shape {
    misapplied(&shape, raw, report);
    let value = |count: &Option<Located<u64>>| count.as_ref().map(|count| count.value);
    match shape {
        Shape::String { min_length, max_length, pattern: expression } => {
            let (min_length, max_length) = ordered(
                value(&raw.min_length).or(min_length),
                value(&raw.max_length).or(max_length),
                raw.max_length.as_ref().or(raw.min_length.as_ref()).map(|count| count.place),
                report,
            );
            let own_pattern = raw.pattern.as_ref().and_then(|text| pattern(text, report));
            Shape::String { min_length, max_length, pattern: own_pattern.or(expression) }
        }
        Shape::Integer { format, min, max } => {
            let format = raw.format.as_ref().map_or(format, |format| format.value);
            let (own_min, own_max) = (
                integer(raw.min.as_ref(), format, report),
                integer(raw.max.as_ref(), format, report),
            );
            let place = raw.max.as_ref().or(raw.min.as_ref()).map(|number| number.place);
            // Bounds of the refined type apply as far as the format can hold them.
            let (lowest, highest) = format.stated();
            let (min, max) = (tighter(min, lowest, i128::max), tighter(max, highest, i128::min));
            let place = place.or(raw.format.as_ref().map(|format| format.place));
            let (min, max) = ordered(own_min.or(min), own_max.or(max), place, report);
            Shape::Integer { format, min, max }
        }
        Shape::Number { min, max } => {
            let bound = |number: &Option<Located<Number>>| {
                number.as_ref().and_then(|number| number.value.as_f64())
            };
            let place = raw.max.as_ref().or(raw.min.as_ref()).map(|number| number.place);
            let (min, max) =
                ordered(bound(&raw.min).or(min), bound(&raw.max).or(max), place, report);
            Shape::Number { min, max }
        }
        Shape::Array { items, min_items, max_items } => {
            let (min_items, max_items) = ordered(
                value(&raw.min_items).or(min_items),
                value(&raw.max_items).or(max_items),
                raw.max_items.as_ref().or(raw.min_items.as_ref()).map(|count| count.place),
                report,
            );
            Shape::Array { items, min_items, max_items }
        }
        other => other,
    }
}

/// The name of a shape in messages, and which constraints apply to it.
fn takes(shape: &Shape) -> Option<(&'static str, &'static [&'static str])> {
    Some(match shape {
        Shape::String { .. } => ("a string", &["min_length", "max_length", "pattern"]),
        Shape::Integer { .. } => ("an integer", &["min", "max", "format"]),
        Shape::Number { .. } => ("a number", &["min", "max"]),
        Shape::Array { .. } => ("a list", &["min_items", "max_items"]),
        Shape::Boolean => ("a boolean", &[]),
        Shape::Date => ("a date", &[]),
        Shape::DateTime => ("a datetime", &[]),
        Shape::Enum(_) => ("an enum", &[]),
        Shape::Map(_) => ("a map", &[]),
        Shape::Record(_) => ("an object", &[]),
        // `Json` may stand for an unknown type, which is already reported.
        Shape::Json | Shape::Named(_) => return None,
    })
}

fn misapplied(shape: &Shape, raw: &RawLongShape, report: &mut Report) {
    let (called, taken) = match takes(shape) {
        Some(known) => known,
        None if raw.r#type.as_ref().is_some_and(|text| text.value.trim() == "json") => {
            ("any JSON value", [].as_slice())
        }
        None => return,
    };
    for (name, place) in written_constraints(raw).filter(|(name, _)| !taken.contains(name)) {
        let problem = Problem::error(place, format!("`{name}` does not apply to {called}"));
        let prefix = &name[..3];
        let has_variants = !["pattern", "format"].contains(&name);
        let similar = taken.iter().find(|taken| has_variants && taken.starts_with(prefix));
        report.push(match similar {
            Some(similar) => problem.help(format!("did you mean `{similar}`?")),
            None => problem.help("remove it"),
        });
    }
}

/// A bound that the format can hold.
fn integer(
    number: Option<&Located<Number>>,
    format: IntegerFormat,
    report: &mut Report,
) -> Option<i128> {
    let number = number?;
    let Some(value) = number.value.as_i128() else {
        report.push(
            Problem::error(number.place, format!("`{}` is not an integer", number.value))
                .expected("a whole number of 64 bits"),
        );
        return None;
    };
    let (min, max) = format.range();
    if value < min || value > max {
        let message = format!("the format `{}` cannot hold {value}", format.as_str());
        let problem = Problem::error(number.place, message);
        report.push(problem.expected(format!("a number from {min} to {max}")));
        return None;
    }
    Some(value)
}

/// The stricter of two bounds.
fn tighter(a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128) -> Option<i128> {
    match (a, b) {
        (Some(a), Some(b)) => Some(pick(a, b)),
        (a, b) => a.or(b),
    }
}

/// Both bounds; neither if no value lies between them.
fn ordered<T: PartialOrd + std::fmt::Display>(
    min: Option<T>,
    max: Option<T>,
    place: Option<Place>,
    report: &mut Report,
) -> (Option<T>, Option<T>) {
    if let (Some(low), Some(high), Some(place)) = (&min, &max, place)
        && low > high
    {
        let message = format!("no value lies between {low} and {high}");
        report.push(Problem::error(place, message).expected("a minimum below the maximum"));
        return (None, None);
    }
    (min, max)
}
