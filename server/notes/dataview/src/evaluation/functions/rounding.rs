//! Functions of single numbers.

use super::arguments::Arguments;
use super::tables::{Function, Type, function, null_variant, variant};
use crate::number::group_digits;
use crate::value::Value;
use Type::{Any, Null, Number, Text};

const EACH: &[(usize, &[usize])] = &[(1, &[0])];

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "round",
        &[
            variant(&[Number], |args| Ok(round_half_up(args.number(0)).into())),
            null_variant(&[Null]),
            variant(&[Number, Number], |args| Ok(to_places(args.number(0), args.number(1)).into())),
            variant(&[Number, Null], |args| Ok(round_half_up(args.number(0)).into())),
            null_variant(&[Null, Any]),
        ],
        &[(1, &[0]), (2, &[0])],
    ),
    function(
        "trunc",
        &[variant(&[Number], |args| Ok(args.number(0).trunc().into())), null_variant(&[Null])],
        EACH,
    ),
    function(
        "floor",
        &[variant(&[Number], |args| Ok(args.number(0).floor().into())), null_variant(&[Null])],
        EACH,
    ),
    function(
        "ceil",
        &[variant(&[Number], |args| Ok(args.number(0).ceil().into())), null_variant(&[Null])],
        EACH,
    ),
    function(
        "currencyformat",
        &[
            variant(&[Number, Text], |args| Ok(currency(args.number(0), args.text(1)))),
            null_variant(&[Null, Text]),
            variant(&[Number], |args| Ok(currency(args.number(0), "USD"))),
            null_variant(&[Null]),
        ],
        &[(2, &[0])],
    ),
    function(
        "hash",
        &[
            variant(&[Text, Number], |args| Ok(hash(args.text(0), args.number(1)).into())),
            variant(&[Text, Text], |args| Ok(hash_of_both(args))),
            variant(&[Text, Text, Number], |args| Ok(hash_of_both(args))),
        ],
        &[],
    ),
];

/// Rounds to the nearest whole number; halves go up.
fn round_half_up(number: f64) -> f64 {
    (number + 0.5).floor()
}

fn to_places(number: f64, places: f64) -> f64 {
    if places < 1.0 {
        return round_half_up(number);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let places = places.min(100.0) as usize;
    format!("{number:.places$}").parse().unwrap_or(number)
}

/// An amount of money as in the United States.
fn currency(amount: f64, code: &str) -> Value {
    let (symbol, places) = match code {
        "USD" => ("$".to_owned(), 2),
        "EUR" => ("€".to_owned(), 2),
        "GBP" => ("£".to_owned(), 2),
        "INR" => ("₹".to_owned(), 2),
        "JPY" => ("¥".to_owned(), 0),
        "CNY" => ("CN¥".to_owned(), 2),
        "KRW" => ("₩".to_owned(), 0),
        "CAD" => ("CA$".to_owned(), 2),
        "AUD" => ("A$".to_owned(), 2),
        "MXN" => ("MX$".to_owned(), 2),
        "BRL" => ("R$".to_owned(), 2),
        other => (format!("{other}\u{a0}"), 2),
    };
    let sign = if amount < 0.0 { "-" } else { "" };
    let text = format!("{:.places$}", amount.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let whole = group_digits(whole.parse().unwrap_or(0.0));
    let point = if fraction.is_empty() { "" } else { "." };
    Value::text(format!("{sign}{symbol}{whole}{point}{fraction}"))
}

fn hash_of_both(arguments: &Arguments<'_>) -> Value {
    let text = format!("{}{}", arguments.text(0), arguments.text(1));
    hash(&text, arguments.number(2)).into()
}

/// The public-domain hash cyrb53: 53 bits, as Dataview computes them.
fn hash(text: &str, seed: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as in JavaScript")]
    let seed = seed as i64 as u32;
    let (mut low, mut high) = (0xdead_beef ^ seed, 0x41c6_ce57 ^ seed);
    for unit in text.encode_utf16() {
        low = (low ^ u32::from(unit)).wrapping_mul(2_654_435_761);
        high = (high ^ u32::from(unit)).wrapping_mul(1_597_334_677);
    }
    low = (low ^ (low >> 16)).wrapping_mul(2_246_822_507);
    low ^= (high ^ (high >> 13)).wrapping_mul(3_266_489_909);
    high = (high ^ (high >> 16)).wrapping_mul(2_246_822_507);
    high ^= (low ^ (low >> 13)).wrapping_mul(3_266_489_909);
    4_294_967_296.0 * f64::from(high & 0x1f_ffff) + f64::from(low)
}
