//! JSON that this program writes itself, so that neither writing nor reading it fails.

use serde::Serialize;
use serde_json::Value;

pub use toolwrit_rows::parse_row_text;

/// Returns a value as JSON. Its type has only text keys, and no part of it refuses to be written.
///
/// # Panics
/// If that is not so.
pub fn to_json(value: &impl Serialize) -> Value {
    #[expect(clippy::expect_used, reason = "such a type always serializes")]
    serde_json::to_value(value).expect("the value can be written as JSON")
}

/// Returns a value, as for [`to_json`], as JSON text.
///
/// # Panics
/// If it cannot be written.
pub fn to_json_text(value: &impl Serialize) -> String {
    #[expect(clippy::expect_used, reason = "such a type always serializes")]
    serde_json::to_string(value).expect("the value can be written as JSON")
}
