//! Arguments of a valid call of a dynamic operation that has no example of its own.

use serde_json::{Map, Number, Value};

use crate::argument_schema::ArgumentSchema;
use crate::json::schema::{described, is_required, type_word};

/// Levels of the deepest example.
const MOST_DEPTH: usize = 8;
/// The longest text and list of an example.
const LONGEST: u64 = 1000;

/// Returns the required arguments with the examples, defaults and values that a schema allows; `None` if it accepts no such
/// call, for example for a pattern.
pub(super) fn example(schema: &Value, arguments: &ArgumentSchema) -> Option<Map<String, Value>> {
    match object(schema, schema, 0)? {
        Value::Object(example) if arguments.accepts(&example) => Some(example),
        _ => None,
    }
}

/// Returns an object with the properties that it must have.
fn object(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let required = properties.filter(|(name, _)| is_required(schema, name));
    let fields = required.map(|(name, schema)| Some((name.clone(), value(root, schema, depth)?)));
    fields.collect::<Option<Map<_, _>>>().map(Value::Object)
}

fn value(root: &Value, schema: &Value, depth: usize) -> Option<Value> {
    if depth > MOST_DEPTH {
        return None;
    }
    let inner = described(root, schema);
    let given = [schema, inner].into_iter().find_map(|schema| {
        let listed = [&schema["examples"][0], &schema["enum"][0]];
        let said = ["const", "default", "example"].into_iter().filter_map(|word| schema.get(word));
        said.chain(listed.into_iter().filter(|value| !value.is_null())).next()
    });
    if let Some(given) = given {
        return Some(given.clone());
    }
    let bound = |word: &str| inner[word].as_f64();
    Some(match type_word(inner)? {
        "string" => text(inner)?.into(),
        "integer" => whole(bound("minimum"), bound("maximum")).into(),
        "number" => {
            let least = 1f64.max(bound("minimum").unwrap_or(f64::MIN));
            Number::from_f64(least.min(bound("maximum").unwrap_or(f64::MAX)))?.into()
        }
        "boolean" => true.into(),
        "array" => {
            let most = inner["maxItems"].as_u64().unwrap_or(u64::MAX);
            let count = inner["minItems"].as_u64().unwrap_or(0).max(1).min(most);
            let item = inner
                .get("items")
                .map_or(Some(Value::Object(Map::new())), |items| value(root, items, depth + 1))?;
            vec![item; limited(count)?].into()
        }
        "object" => return object(root, inner, depth + 1),
        _ => return None,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "a bound beyond is as good as none")]
fn whole(least: Option<f64>, most: Option<f64>) -> i64 {
    let least = least.map_or(i64::MIN, |least| least.ceil() as i64);
    let most = most.map_or(i64::MAX, |most| most.floor() as i64);
    1.max(least).min(most)
}

/// Returns a text of the format, or a word within the bounds.
fn text(schema: &Value) -> Option<String> {
    const WORD: &str = "text";
    let of_format = match schema["format"].as_str() {
        Some("date") => Some("2026-05-01"),
        Some("date-time") => Some("2026-05-01T09:30:00Z"),
        Some("time") => Some("09:30:00Z"),
        Some("uri" | "url") => Some("https://example.com/"),
        Some("email") => Some("name@example.com"),
        Some("uuid") => Some("6f1c2a9e-3b7d-4c58-9a40-5d2e8f7b1c36"),
        _ => None,
    };
    if let Some(text) = of_format {
        return Some(text.to_owned());
    }
    let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
    let length = (WORD.len() as u64).max(schema["minLength"].as_u64().unwrap_or(0)).min(most);
    Some(WORD.chars().cycle().take(limited(length)?).collect())
}

fn limited(length: u64) -> Option<usize> {
    usize::try_from(length).ok().filter(|_| length <= LONGEST)
}
