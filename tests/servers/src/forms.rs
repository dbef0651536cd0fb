//! Forms, and queries of addresses.

use std::collections::HashMap;

/// The fields of a form or of a query.
pub fn form(text: &str) -> HashMap<String, String> {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

pub(crate) fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, after @ ..] = rest {
        rest = after;
        bytes.push(match (first, after) {
            (b'+', _) => b' ',
            (b'%', [high, low, more @ ..]) => {
                rest = more;
                let digits = [*high, *low];
                u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            (byte, _) => *byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// A text as a value in a query.
pub fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
