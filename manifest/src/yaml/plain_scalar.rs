//! Plain scalars: numbers, and text without quotes.

use serde_json::Number;

/// A plain scalar that is neither null nor a boolean.
pub(crate) enum Plain {
    Number(Number),
    /// A number that JSON cannot hold.
    NotJson,
    Text,
}

/// Resolves a plain scalar by the YAML 1.2 core schema.
pub(crate) fn plain_scalar(plain: &str) -> Plain {
    let json = |number: Option<Number>| number.map_or(Plain::NotJson, Plain::Number);
    let unsigned = plain.strip_prefix(['-', '+']).unwrap_or(plain);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(plain, ".nan" | ".NaN" | ".NAN") {
        return Plain::NotJson;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = plain.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            return json(u64::from_str_radix(digits, radix).ok().map(Number::from));
        }
    }
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !unsigned.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c))
    {
        return Plain::Text;
    }
    if let Ok(integer) = plain.parse::<i64>() {
        return Plain::Number(integer.into());
    }
    if let Ok(integer) = plain.parse::<u64>() {
        return Plain::Number(integer.into());
    }
    plain.parse::<f64>().map_or(Plain::Text, |float| json(Number::from_f64(float)))
}
