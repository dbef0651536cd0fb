//! Plain scalars by the core schema (YAML 1.2.2, section 10.3.2), which Obsidian uses.
//!
//! Dates are text. `.inf` and `.nan`, for which JSON has no number, are text, too.

use serde_json::{Number, Value};

/// The value of an unquoted scalar.
pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => parse_number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn parse_number(text: &str) -> Option<Number> {
    if let Some(digits) = text.strip_prefix("0x") {
        return parse_radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return parse_radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let positive = text.strip_prefix('+').unwrap_or(text);
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = positive.parse::<i64>().map(Number::from);
        if let Ok(number) = whole.or_else(|_| positive.parse::<u64>().map(Number::from)) {
            return Some(number);
        }
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|exponent| exponent.strip_prefix(['-', '+']).unwrap_or(exponent));
    let is_float = digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && digits(exponent));
    if is_float { positive.parse().ok().and_then(Number::from_f64) } else { None }
}

fn parse_radix(digits: &str, radix: u32) -> Option<Number> {
    let plausible = !digits.is_empty() && !digits.starts_with(['-', '+']);
    plausible.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(Number::from)
}
