//! JSON that this program writes itself, so that neither writing nor reading it fails.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

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

/// Parses the JSON text of a row, such as a schema, an example or a default: the macro, the loader or the joining of
/// operations has written it.
///
/// # Panics
/// If it is not such text.
pub fn parse_row_text<T: DeserializeOwned>(text: &str) -> T {
    #[expect(clippy::expect_used, reason = "rows hold JSON that was written from checked values")]
    serde_json::from_str(text).expect("the text of a row is JSON")
}
