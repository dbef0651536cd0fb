//! The fields of dynamic operations. These have a JSON Schema instead of a table of fields; the fields give
//! them flags like those of other operations. Their arguments are checked by the schema when they run.

use serde_json::{Map, Value};

use toolwrit_core::authority::{Field, Operation, Presence, Type};
use toolwrit_core::json::written::parse_row_text;

/// Returns the operation with fields for the properties of its schema, if it is dynamic. Flags borrow from
/// their operation, so it is never freed.
pub(super) fn with_fields(operation: &'static Operation) -> &'static Operation {
    if !operation.is_dynamic {
        return operation;
    }
    let schema = parse_row_text(&operation.input_schema);
    Box::leak(Box::new(Operation { inputs: fields(&schema), ..operation.clone() }))
}

fn fields(schema: &Map<String, Value>) -> Vec<Field> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|all| all.iter().any(|listed| listed == name));
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let fields = properties.map(|(name, property)| {
        let presence = if is_required(name) { Presence::Required } else { Presence::Optional };
        let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
        let description = description.to_owned();
        Field { description, ..Field::new(name, type_of(property), presence) }
    });
    fields.collect()
}

/// The type that decides how a flag's text is parsed. Types without a counterpart are JSON.
fn type_of(schema: &Value) -> Type {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let values = schema.get("enum").and_then(Value::as_array);
    if let Some(values) = values.and_then(|values| values.iter().map(text).collect()) {
        return Type::Enum(values);
    }
    match (schema.get("type").and_then(Value::as_str), schema.get("items")) {
        (Some("string"), _) => Type::STRING,
        (Some("integer"), _) => Type::INTEGER,
        (Some("number"), _) => Type::NUMBER,
        (Some("boolean"), _) => Type::Boolean,
        (Some("array"), Some(items)) => {
            Type::Array { items: Box::new(type_of(items)), min: 0, max: u64::MAX }
        }
        _ => Type::Json,
    }
}
