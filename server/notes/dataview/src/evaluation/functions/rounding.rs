//! Functions of single numbers.

use super::arguments::Arguments;
use super::tables::{Function, Type, function, null, on};
use crate::number::grouped;
use crate::value::Value;
use Type::{Any, Null, Number, Text};

const EACH: &[(usize, &[usize])] = &[(1, &[0])];

pub(super) const FUNCTIONS: &[Function] = &[
    function(
        "round",
        &[
            on(&[Number], |it| Ok(rounded(it.number(0)).into())),
            null(&[Null]),
            on(&[Number, Number], |it| Ok(to_places(it.number(0), it.number(1)).into())),
            on(&[Number, Null], |it| Ok(rounded(it.number(0)).into())),
            null(&[Null, Any]),
        ],
        &[(1, &[0]), (2, &[0])],
    ),
    function("trunc", &[on(&[Number], |it| Ok(it.number(0).trunc().into())), null(&[Null])], EACH),
    function("floor", &[on(&[Number], |it| Ok(it.number(0).floor().into())), null(&[Null])], EACH),
    function("ceil", &[on(&[Number], |it| Ok(it.number(0).ceil().into())), null(&[Null])], EACH),
    function(
        "currencyformat",
        &[
            on(&[Number, Text], |it| Ok(currency(it.number(0), it.text(1)))),
            null(&[Null, Text]),
            on(&[Number], |it| Ok(currency(it.number(0), "USD"))),
            null(&[Null]),
        ],
        &[(2, &[0])],
    ),
    function(
        "hash",
        &[
            on(&[Text, Number], |it| Ok(hash(it.text(0), it.number(1)).into())),
            on(&[Text, Text], |it| Ok(hash_of_both(it))),
            on(&[Text, Text, Number], |it| Ok(hash_of_both(it))),
        ],
        &[],
    ),
];

/// To the nearest whole number; halves up.
fn rounded(number: f64) -> f64 {
    (number + 0.5).floor()
}

fn to_places(number: f64, places: f64) -> f64 {
    if places < 1.0 {
        return rounded(number);
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
    let whole = grouped(whole.parse().unwrap_or(0.0));
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
