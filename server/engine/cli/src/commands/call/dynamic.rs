//! The fields of dynamic operations. These have a JSON Schema instead of a table of fields; the fields give
//! them flags like those of other operations. Their arguments are checked by the schema when they run.

use serde_json::{Map, Value};

use toolwrit_core::authority::{Field, Operation, Presence, Type};
use toolwrit_core::json::written::parse_row_text;

/// Returns the operation with fields for the properties of its schema, if it is dynamic. Flags borrow from
/// their operation, so the fields are never freed.
pub(super) fn with_fields(operation: &'static Operation<'static>) -> &'static Operation<'static> {
    if operation.joined.is_none() {
        return operation;
    }
    let schema = parse_row_text(operation.input_schema);
    Box::leak(Box::new(Operation { inputs: fields(&schema).leak(), ..*operation }))
}

fn fields(schema: &Map<String, Value>) -> Vec<Field<'static>> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|own| own == name));
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let fields = properties.map(|(name, property)| Field {
        name: leaked(name),
        ty: Box::leak(Box::new(type_of(property))),
        presence: if is_required(name) { Presence::Required } else { Presence::Optional },
        description: property.get("description").and_then(Value::as_str).map_or("", leaked),
        ..Field::REQUIRED
    });
    fields.collect()
}

/// The type that decides how a flag's text is parsed. Types without a counterpart are JSON.
fn type_of(schema: &Value) -> Type<'static> {
    let values = schema.get("enum").and_then(Value::as_array);
    if let Some(values) = values.and_then(|values| values.iter().map(Value::as_str).collect()) {
        let values: Vec<&str> = values;
        return Type::Enum(values.into_iter().map(leaked).collect::<Vec<_>>().leak());
    }
    match (schema.get("type").and_then(Value::as_str), schema.get("items")) {
        (Some("string"), _) => Type::STRING,
        (Some("integer"), _) => Type::INTEGER,
        (Some("number"), _) => Type::NUMBER,
        (Some("boolean"), _) => Type::Boolean,
        (Some("array"), Some(items)) => {
            Type::Array { items: Box::leak(Box::new(type_of(items))), min: 0, max: u64::MAX }
        }
        _ => Type::Json,
    }
}

fn leaked(text: &str) -> &'static str {
    text.to_owned().leak()
}
