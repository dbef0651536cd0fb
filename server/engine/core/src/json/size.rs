//! The size of a value as JSON, computed without serializing it.

use serde_json::{Map, Value};

/// Returns the bytes of a value as compact JSON.
pub fn size(value: &Value) -> usize {
    match value {
        Value::Null => 4,
        Value::Bool(value) => 5 - usize::from(*value),
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => text_size(text),
        Value::Array(items) => list_size(items.iter().map(size)),
        Value::Object(object) => object_size(object),
    }
}

/// Returns the bytes of an object as compact JSON.
pub fn object_size(object: &Map<String, Value>) -> usize {
    list_size(object.iter().map(|(key, value)| text_size(key) + 1 + size(value)))
}

/// Returns the largest size for each value so that all of them fit. What small values do not use is shared
/// by the large ones.
pub fn share(mut sizes: Vec<usize>, limit: usize) -> usize {
    sizes.sort_unstable();
    let mut left = limit;
    for (at, size) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - at);
        if *size > share {
            return share;
        }
        left -= size;
    }
    usize::MAX
}

/// Adds the brackets and the commas.
fn list_size(items: impl ExactSizeIterator<Item = usize>) -> usize {
    2 + items.len().saturating_sub(1) + items.sum::<usize>()
}

fn text_size(text: &str) -> usize {
    // The compiler vectorizes two plain passes.
    let escaped = |byte: &&u8| **byte < b' ' || matches!(**byte, b'"' | b'\\');
    let as_unicode =
        |byte: &&u8| **byte < b' ' && !matches!(**byte, 8 | b'\t' | b'\n' | 12 | b'\r');
    let bytes = text.as_bytes().iter();
    2 + text.len() + bytes.clone().filter(escaped).count() + 4 * bytes.filter(as_unicode).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_size_is_the_length_of_the_serialized_value() {
        let every_byte: String = (0u8..128).map(char::from).collect();
        for value in [
            json!(null),
            json!([true, false, 0, -12, 1.5, 1e300, u64::MAX, i64::MIN]),
            json!({"a": {}, "b": [], "ü\n": [[1], {"c": "d"}]}),
            json!(every_byte),
        ] {
            assert_eq!(super::size(&value), value.to_string().len(), "{value}");
        }
    }
}
