//! Methods of numbers.

use super::{Method, method};

/// Most decimal places.
const PLACES_LIMIT: usize = 100;

pub(super) const METHODS: &[Method<f64>] = &[
    method("abs", 0, 0, |number, _| Ok(number.abs().into())),
    method("ceil", 0, 0, |number, _| Ok(number.ceil().into())),
    method("floor", 0, 0, |number, _| Ok(number.floor().into())),
    method("round", 0, 1, |number, args| {
        let places = args.size(0, PLACES_LIMIT)?.unwrap_or(0);
        Ok(round(*number, places).into())
    }),
    method("toFixed", 0, 1, |number, args| {
        let places = args.size(0, PLACES_LIMIT)?.unwrap_or(0);
        args.context.text(to_fixed(*number, places))
    }),
];

/// A number with so many decimal places. As in JavaScript, a half is rounded up.
fn round(number: f64, places: usize) -> f64 {
    let factor = i32::try_from(places).map_or(f64::INFINITY, |places| 10_f64.powi(places));
    let rounded = (number * factor + 0.5).floor() / factor;
    if rounded.is_finite() { rounded } else { number }
}

/// A number with so many decimal places, as text. As in JavaScript, a half is rounded away from zero.
fn to_fixed(number: f64, places: usize) -> String {
    /// Digits that tell a half from what is only near to it.
    const MORE: usize = 40;
    let exact = format!("{number:.digits$}", digits = places + MORE);
    let rest = exact.get(exact.len().saturating_sub(MORE)..).unwrap_or_default();
    let is_half = number.is_finite()
        && rest.strip_prefix('5').is_some_and(|zeros| zeros.bytes().all(|byte| byte == b'0'));
    let nudge = i32::try_from(places).map_or(0.0, |places| 0.1 / 10_f64.powi(places));
    let number = if is_half { number + nudge.copysign(number) } else { number };
    format!("{number:.places$}")
}
