//! Portable JSON Schemas, lowered from the model.
//!
//! They use only what every known client accepts: a root of `type: object`, `properties`,
//! `required` (sorted), `additionalProperties: false`, string enums, lists with `items`. There is no
//! `$ref`, `oneOf`, `anyOf`, `allOf`, `const`, nullable union, tuple or `format`.
//!
//! `json` lowers to a schema without `type`, because no portable keyword says "any value"; it always
//! has a description, since some clients drop empty schemas. Clients that take an untyped value for
//! a string send JSON text there, so declare a type where one can be declared.

use serde_json::{Map, Number, Value, json};

use crate::model::{Field, Model, Operation, Presence, Shape, whole};

/// The pattern of a `date` (RFC 3339, `full-date`).
pub const DATE_PATTERN: &str = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$";

/// The pattern of a `datetime` (RFC 3339, `date-time`).
pub const DATETIME_PATTERN: &str = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\
    T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$";

/// What the description of a value says that may be null.
const CLEARS: &str = "null clears it.";

/// The schema of an operation's arguments, as compact JSON.
pub fn input_schema(model: &Model, operation: &Operation) -> String {
    Value::Object(record(model, &model.inputs(operation))).to_string()
}

/// The schema of an operation's structured result, as compact JSON; `None` if it is not a value.
///
/// The root is an object: any other result is wrapped as `{"result": ..}`. With `select`, callers
/// may leave fields out, so nothing is required. `page` adds `next_cursor` and `total`.
pub fn output_schema(model: &Model, operation: &Operation) -> Option<String> {
    let returns = operation.returns.shape()?;
    let mut root = match model.resolve(returns) {
        Shape::Record(fields) => record(model, fields),
        Shape::Map(_) => shape(model, returns),
        _ => object(
            Map::from_iter([("result".to_owned(), Value::Object(shape(model, returns)))]),
            vec!["result"],
        ),
    };
    if operation.select {
        require_nothing_of_items(&mut root);
    }
    if operation.page.is_some()
        && let Some(Value::Object(properties)) = root.get_mut("properties")
    {
        let cursor = json!({"type": "string", "description": "Where the next page starts."});
        let total = json!({"type": "integer", "description": "How many there are on all pages."});
        properties.insert("next_cursor".to_owned(), cursor);
        properties.entry("total").or_insert(total);
    }
    // Results stay open: a truncated one has further fields, and some clients validate errors,
    // which take the place of the result, against this schema too.
    root.insert("required".to_owned(), json!([]));
    if !matches!(model.resolve(returns), Shape::Map(_)) {
        root.shift_remove("additionalProperties");
    }
    Some(Value::Object(root).to_string())
}

/// Makes all fields of a list's items optional.
fn require_nothing_of_items(schema: &mut Map<String, Value>) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        if let Some(Value::Object(item)) = property.get_mut("items")
            && let Some(required) = item.get_mut("required")
        {
            *required = json!([]);
            require_nothing_of_items(item);
        }
    }
}

fn record(model: &Model, fields: &[Field]) -> Map<String, Value> {
    let properties = fields
        .iter()
        .map(|field| (field.name.clone(), Value::Object(property(model, field))))
        .collect();
    let required = fields
        .iter()
        .filter(|field| field.presence == Presence::Required)
        .map(|field| field.name.as_str())
        .collect();
    object(properties, required)
}

fn object(properties: Map<String, Value>, mut required: Vec<&str>) -> Map<String, Value> {
    required.sort_unstable();
    keywords([
        ("type", json!("object")),
        ("properties", Value::Object(properties)),
        ("required", json!(required)),
        ("additionalProperties", json!(false)),
    ])
}

/// A field's shape with its own description and default.
fn property(model: &Model, field: &Field) -> Map<String, Value> {
    let mut schema = shape(model, &field.shape);
    if field.nullable {
        schema.extend(described(model, field).map(|text| ("description".to_owned(), json!(text))));
    } else if let Some(description) = &field.description {
        schema.insert("description".to_owned(), json!(description));
    }
    if let Presence::Default(value) = &field.presence {
        schema.insert("default".to_owned(), value.clone());
    }
    schema
}

/// The description of a field, which says that null clears it if it does.
pub(crate) fn described(model: &Model, field: &Field) -> Option<String> {
    let text = model.description_of(field);
    match (text, field.nullable) {
        (text, false) => text.map(str::to_owned),
        (None, true) => Some(CLEARS.to_owned()),
        (Some(text), true) => {
            let end = if text.ends_with(['.', '!', '?', '…']) { "" } else { "." };
            Some(format!("{text}{end} {CLEARS}"))
        }
    }
}

fn shape(model: &Model, shape: &Shape) -> Map<String, Value> {
    match shape {
        Shape::String { min_length, max_length, pattern } => present_keywords([
            ("type", Some(json!("string"))),
            ("minLength", min_length.map(Value::from)),
            ("maxLength", max_length.map(Value::from)),
            ("pattern", pattern.as_ref().map(|pattern| json!(pattern.as_str()))),
        ]),
        Shape::Integer { min, max, .. } => present_keywords([
            ("type", Some(json!("integer"))),
            ("minimum", min.map(whole)),
            ("maximum", max.map(whole)),
        ]),
        Shape::Number { min, max } => present_keywords([
            ("type", Some(json!("number"))),
            ("minimum", min.map(number)),
            ("maximum", max.map(number)),
        ]),
        Shape::Boolean => keywords([("type", json!("boolean"))]),
        Shape::Date => keywords([("type", json!("string")), ("pattern", json!(DATE_PATTERN))]),
        Shape::DateTime => {
            keywords([("type", json!("string")), ("pattern", json!(DATETIME_PATTERN))])
        }
        Shape::Json => keywords([("description", json!("Any JSON value."))]),
        Shape::Enum(values) => {
            let names = values.iter().map(|value| value.name.as_str()).collect::<Value>();
            keywords([("type", json!("string")), ("enum", names)])
        }
        Shape::Array { items, min_items, max_items } => present_keywords([
            ("type", Some(json!("array"))),
            ("items", Some(Value::Object(self::shape(model, items)))),
            ("minItems", min_items.map(Value::from)),
            ("maxItems", max_items.map(Value::from)),
        ]),
        Shape::Map(values) => keywords([
            ("type", json!("object")),
            ("properties", json!({})),
            ("required", json!([])),
            ("additionalProperties", Value::Object(self::shape(model, values))),
        ]),
        Shape::Record(fields) => record(model, fields),
        Shape::Named(id) => {
            let mut schema = self::shape(model, &model[*id].shape);
            if let Some(description) = &model[*id].description {
                schema.insert("description".to_owned(), json!(description));
            }
            schema
        }
    }
}

/// A number as JSON; whole numbers have no fraction.
#[expect(clippy::cast_possible_truncation, reason = "only below 2^53, where it is exact")]
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn keywords<const N: usize>(entries: [(&str, Value); N]) -> Map<String, Value> {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn present_keywords<const N: usize>(entries: [(&str, Option<Value>); N]) -> Map<String, Value> {
    entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}
