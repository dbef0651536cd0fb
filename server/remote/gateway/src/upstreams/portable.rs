//! Schemas that every client accepts, from those of upstreams, which may use any keyword.
//!
//! They have only `type`, `properties`, `required`, `items`, `additionalProperties: false`, enums of strings, bounds and
//! descriptions. What they cannot say is left out, so that they allow at least what the original allows. Arguments are
//! checked against the original.

use serde_json::{Map, Value, json};
use toolwrit_text::visible::{escaped, escaped_value};

/// How deep a schema is followed. Deeper parts may be anything.
const DEPTH: usize = 12;
/// How many schemas are written at most, with those that references repeat.
const NODES: usize = 2000;
/// Keywords that are kept if their values are of the right type.
const NUMBERS: [&str; 6] = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];

/// Who writes the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    /// A model. Of several types, `null` means that the argument is left out.
    Arguments,
    /// The upstream. Clients refuse results that do not fit, so that all its values must be allowed.
    Result,
}

/// Returns the portable form of a schema of an object.
pub(crate) fn schema(root: &Map<String, Value>, direction: Direction) -> Map<String, Value> {
    let mut lowering = Lowering { root, direction, nodes: 0, within: Vec::new() };
    let mut lowered = lowering.object(root, 0);
    let properties = lowered.shift_remove("properties").unwrap_or_else(|| json!({}));
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    match direction {
        Direction::Arguments => {
            let required = lowered.shift_remove("required").unwrap_or_else(|| json!([]));
            schema.insert("required".to_owned(), required);
            if root.get("additionalProperties") == Some(&Value::Bool(false)) {
                schema.insert("additionalProperties".to_owned(), false.into());
            }
        }
        // Errors take the place of results, and truncated results lack fields.
        Direction::Result => drop(schema.insert("required".to_owned(), json!([]))),
    }
    schema
}

struct Lowering<'a> {
    root: &'a Map<String, Value>,
    direction: Direction,
    nodes: usize,
    /// The references that are being followed.
    within: Vec<&'a str>,
}

impl<'a> Lowering<'a> {
    fn value(&mut self, value: &'a Value, depth: usize) -> Map<String, Value> {
        match value {
            Value::Object(schema) => self.object(schema, depth),
            _ => anything(),
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Map<String, Value> {
        self.nodes += 1;
        if depth > DEPTH || self.nodes > NODES {
            return anything();
        }
        let mut lowered = self.combined(schema, depth);
        if let Some(Value::String(text)) = schema.get("description") {
            lowered.insert("description".to_owned(), escaped(text.clone()).into());
        }
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            lowered.insert("default".to_owned(), escaped_value(default.clone()));
        }
        if !lowered.contains_key("type") && !lowered.contains_key("description") {
            // Some clients leave out parameters with an empty schema.
            lowered.insert("description".to_owned(), "Any value.".into());
        }
        lowered
    }

    /// A schema with what it refers to, and what it combines.
    fn combined(&mut self, schema: &'a Map<String, Value>, depth: usize) -> Map<String, Value> {
        if let Some(Value::String(reference)) = schema.get("$ref") {
            let target = self.referred(reference).filter(|_| !self.within.contains(&&**reference));
            let Some(target) = target else { return anything() };
            self.within.push(reference);
            let lowered = self.value(target, depth + 1);
            self.within.pop();
            return lowered;
        }
        let mut lowered = self.lower_keywords(schema, depth);
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            let part = self.value(part, depth + 1);
            merge(&mut lowered, part);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(choices)) = schema.get(keyword) {
                let choice = self.choice(choices, depth);
                merge(&mut lowered, choice);
            }
        }
        lowered
    }

    /// The part of the document that a reference names.
    fn referred(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        let mut steps = pointer.split('/').skip(1);
        let unescaped = |step: &str| step.replace("~1", "/").replace("~0", "~");
        let first = self.root.get(&unescaped(steps.next()?))?;
        steps.try_fold(first, |value, step| match value {
            Value::Object(fields) => fields.get(&unescaped(step)),
            Value::Array(items) => items.get(step.parse::<usize>().ok()?),
            _ => None,
        })
    }

    /// What a schema says itself.
    fn lower_keywords(
        &mut self,
        schema: &'a Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        let mut lowered = Map::new();
        let kind = self.kind(schema);
        if let Some(kind) = kind {
            lowered.insert("type".to_owned(), kind.into());
        }
        if let Some(words) = strings(schema).filter(|_| kind == Some("string")) {
            lowered.insert("enum".to_owned(), words);
        }
        match kind {
            Some("object") => self.fields(schema, depth, &mut lowered),
            Some("array") => {
                let items = schema.get("items").map(|items| self.value(items, depth + 1));
                lowered.insert("items".to_owned(), items.unwrap_or_else(anything).into());
            }
            _ => {}
        }
        for keyword in NUMBERS {
            if let Some(number) =
                schema.get(keyword).filter(|number| number.is_number() && kind.is_some())
            {
                lowered.insert(keyword.to_owned(), number.clone());
            }
        }
        if let (Some(Value::String(pattern)), Some("string")) = (schema.get("pattern"), kind) {
            lowered.insert("pattern".to_owned(), pattern.as_str().into());
        }
        lowered
    }

    /// The properties of an object.
    fn fields(
        &mut self,
        schema: &'a Map<String, Value>,
        depth: usize,
        lowered: &mut Map<String, Value>,
    ) {
        let Some(Value::Object(properties)) = schema.get("properties") else { return };
        let fields = properties.iter().map(|(name, field)| {
            // Arguments are listed by other names, if these are none for all clients.
            let name = match self.direction {
                Direction::Arguments => name.clone(),
                Direction::Result => escaped(name.clone()),
            };
            (name, Value::Object(self.value(field, depth + 1)))
        });
        let fields: Map<String, Value> = fields.collect();
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let mut required: Vec<&str> = required.filter_map(Value::as_str).collect();
        required.retain(|name| fields.contains_key(*name));
        required.sort_unstable();
        required.dedup();
        if self.direction == Direction::Arguments {
            lowered.insert("required".to_owned(), required.into());
        }
        lowered.insert("properties".to_owned(), fields.into());
    }

    /// The only type of the values, besides `null` in arguments.
    fn kind(&self, schema: &Map<String, Value>) -> Option<&'a str> {
        let known = |name: &str| {
            ["string", "integer", "number", "boolean", "array", "object"]
                .into_iter()
                .find(|known| *known == name)
        };
        match schema.get("type") {
            Some(Value::String(name)) => known(name),
            Some(Value::Array(names)) => {
                let all: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                let others: Vec<&str> =
                    all.iter().copied().filter(|name| *name != "null").collect();
                let may_be_null = others.len() < all.len() && self.direction == Direction::Result;
                match others[..] {
                    [only] if !may_be_null => known(only),
                    _ => None,
                }
            }
            _ if schema.contains_key("properties") => Some("object"),
            _ => strings(schema).map(|_| "string"),
        }
    }

    /// The schema of several choices: what they have in common.
    fn choice(&mut self, choices: &'a [Value], depth: usize) -> Map<String, Value> {
        let is_null = |choice: &&Value| choice.get("type").is_some_and(|kind| kind == "null");
        if self.direction == Direction::Result && choices.iter().any(|choice| is_null(&choice)) {
            return Map::new();
        }
        let others = choices.iter().filter(|choice| !is_null(choice));
        let mut lowered = others.map(|choice| self.value(choice, depth + 1));
        let Some(first) = lowered.next() else { return Map::new() };
        lowered.fold(first, |first, second| either(&first, &second))
    }
}

/// A schema of any value.
fn anything() -> Map<String, Value> {
    Map::from_iter([("description".to_owned(), "Any value.".into())])
}

/// The strings that are allowed, if only strings are.
fn strings(schema: &Map<String, Value>) -> Option<Value> {
    let words = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(words)), _) => words.clone(),
        (None, Some(word)) => vec![word.clone()],
        _ => return None,
    };
    let is_plain =
        |word: &Value| word.as_str().is_some_and(|word| escaped(word.to_owned()) == word);
    (!words.is_empty() && words.iter().all(is_plain)).then_some(Value::Array(words))
}

/// Adds what another schema requires, too.
fn merge(into: &mut Map<String, Value>, other: Map<String, Value>) {
    for (keyword, value) in other {
        match (into.get_mut(&keyword), value) {
            (Some(Value::Object(fields)), Value::Object(more)) if keyword == "properties" => {
                fields.extend(more);
            }
            (Some(Value::Array(names)), Value::Array(more)) if keyword == "required" => {
                names.extend(more);
                names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
                names.dedup();
            }
            (Some(_), _) => {}
            (None, value) => drop(into.insert(keyword, value)),
        }
    }
}

/// A schema that allows what either of two schemas allows.
fn either(first: &Map<String, Value>, second: &Map<String, Value>) -> Map<String, Value> {
    let kind = first.get("type");
    if kind.is_none() || kind != second.get("type") {
        return Map::new();
    }
    let mut lowered = Map::from_iter([("type".to_owned(), kind.cloned().unwrap_or_default())]);
    if let (Some(Value::Array(a)), Some(Value::Array(b))) = (first.get("enum"), second.get("enum"))
    {
        let mut words = a.clone();
        words.extend(b.iter().filter(|word| !a.contains(word)).cloned());
        lowered.insert("enum".to_owned(), words.into());
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) =
        (first.get("properties"), second.get("properties"))
    {
        let mut fields = a.clone();
        for (name, field) in b {
            let field = match (fields.get(name), field) {
                (Some(Value::Object(one)), Value::Object(other)) if one != other => {
                    let mut both = either(one, other);
                    if !both.contains_key("type") {
                        merge(&mut both, anything());
                    }
                    Value::Object(both)
                }
                _ => field.clone(),
            };
            fields.insert(name.clone(), field);
        }
        let names =
            |schema: &Map<String, Value>| schema.get("required").and_then(Value::as_array).cloned();
        if let (Some(mut common), Some(others)) = (names(first), names(second)) {
            common.retain(|name| others.contains(name));
            lowered.insert("required".to_owned(), common.into());
        }
        lowered.insert("properties".to_owned(), fields.into());
    }
    if let (Some(Value::Object(a)), Some(Value::Object(b))) =
        (first.get("items"), second.get("items"))
    {
        let items = if a == b { a.clone() } else { either(a, b) };
        lowered
            .insert("items".to_owned(), if items.is_empty() { anything() } else { items }.into());
    }
    lowered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lowered(schema: Value) -> Value {
        let Value::Object(root) = schema else { panic!("an object") };
        Value::Object(super::schema(&root, Direction::Arguments))
    }

    #[test]
    fn references_unions_and_constants_become_plain_types() {
        let schema = json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "kind": { "const": "a" },
                "size": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "type": "null" }], "default": null },
                "place": { "$ref": "#/$defs/Place", "description": "Where." },
                "either": { "oneOf": [{ "type": "string" }, { "type": "integer" }] },
                "names": { "type": ["array", "null"], "items": { "type": "string", "format": "uri" } },
            },
            "required": ["place", "kind", "absent"],
            "additionalProperties": false,
            "$defs": { "Place": { "type": "object", "properties": { "x": { "type": "number" } }, "required": ["x"] } },
        });
        assert_eq!(
            lowered(schema),
            json!({
                "type": "object",
                "properties": {
                    "kind": { "type": "string", "enum": ["a"] },
                    "size": { "type": "integer", "minimum": 1 },
                    "place": {
                        "type": "object", "required": ["x"], "properties": { "x": { "type": "number" } },
                        "description": "Where."
                    },
                    "either": { "description": "Any value." },
                    "names": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["kind", "place"],
                "additionalProperties": false,
            })
        );
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({
            "type": "object",
            "properties": { "tree": { "$ref": "#/properties/tree" }, "wide": { "$ref": "#" } },
        });
        assert!(lowered(schema).to_string().len() < 10_000);
    }
}
