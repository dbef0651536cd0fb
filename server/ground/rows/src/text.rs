//! The JSON texts in rows.

use serde::de::DeserializeOwned;

/// Parses the JSON text of a row, such as a schema, an example or a default: whoever makes the row
/// writes it.
///
/// # Panics
/// If it is not such text.
pub fn parse_row_text<T: DeserializeOwned>(text: &str) -> T {
    #[expect(clippy::expect_used, reason = "rows hold JSON that was written from checked values")]
    serde_json::from_str(text).expect("the text of a row is JSON")
}
