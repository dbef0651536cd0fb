//! JSON Schemas of others, read by what they say and not by what they check.

use serde_json::Value;

/// References that are followed from one to the next.
const MOST_STEPS: usize = 8;

/// Returns what a part of a schema describes: what it refers to within the schema, and the only alternative beside `null`.
pub fn described<'a>(root: &'a Value, part: &'a Value) -> &'a Value {
    let mut part = part;
    for _ in 0..MOST_STEPS {
        match referred(root, part).or_else(|| only_alternative(part)) {
            Some(next) => part = next,
            None => break,
        }
    }
    part
}

fn referred<'a>(root: &'a Value, part: &Value) -> Option<&'a Value> {
    root.pointer(part.get("$ref")?.as_str()?.strip_prefix('#')?)
}

fn only_alternative(part: &Value) -> Option<&Value> {
    let alternatives = part.get("anyOf").or_else(|| part.get("oneOf"))?.as_array()?;
    let mut others = alternatives.iter().filter(|one| one["type"] != "null");
    others.next().filter(|_| others.next().is_none())
}

/// Returns how deeply lists are nested in what a part of a schema describes, and what their innermost items are. The items of
/// a list of anything are `null`.
pub fn innermost_items<'a>(root: &'a Value, part: &'a Value) -> (usize, &'a Value) {
    let mut part = described(root, part);
    let mut levels = 0;
    // A schema may refer to itself.
    while levels < MOST_STEPS && type_word(part) == Some("array") {
        levels += 1;
        part = described(root, &part["items"]);
    }
    (levels, part)
}

/// Whether an object must have a property.
pub fn is_required(object: &Value, name: &str) -> bool {
    object["required"].as_array().is_some_and(|all| all.iter().any(|listed| listed == name))
}

/// Returns the type that a schema names, or the only one beside `null`.
pub fn type_word(part: &Value) -> Option<&str> {
    match &part["type"] {
        Value::String(word) => Some(word),
        Value::Array(words) => {
            let mut words = words.iter().filter_map(Value::as_str).filter(|word| *word != "null");
            words.next().filter(|_| words.next().is_none())
        }
        _ => None,
    }
}
