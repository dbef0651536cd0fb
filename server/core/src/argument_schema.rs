//! The JSON Schema of a dynamic operation's arguments. Its faults are like those of a field table.

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value, json};

use crate::fault::{Fault, Result};
use crate::suggest;
use crate::unique::ReadValue;
use crate::wording::{article, describe, range, shorten};

/// Bytes of the largest schema; clients refuse larger ones.
const MOST_BYTES: usize = 64 * 1024;
/// Bytes of the largest compiled pattern.
const MOST_PATTERN_BYTES: usize = 1024 * 1024;
/// Errors among which the most helpful one is chosen.
const MOST_ERRORS: usize = 100;

/// A compiled schema.
pub(crate) struct ArgumentSchema {
    schema: Value,
    validator: Validator,
}

impl ArgumentSchema {
    /// Compiles a schema. It may refer only to itself.
    ///
    /// # Errors
    /// Why it cannot be used, as the rest of a sentence.
    pub(crate) fn new(schema: &Map<String, Value>) -> std::result::Result<Self, String> {
        if schema.get("type").is_none_or(|ty| ty != "object") {
            return Err("does not have `\"type\": \"object\"`".to_owned());
        }
        let schema = Value::Object(schema.clone());
        if crate::json_size::size(&schema) > MOST_BYTES {
            return Err(format!("has more than {MOST_BYTES} bytes"));
        }
        let validator = compiled(&schema).or_else(|error| {
            let mut checked = schema.clone();
            drop_unsupported_patterns(&mut checked);
            compiled(&checked).map_err(|_| error)
        })?;
        Ok(Self { schema, validator })
    }

    /// Checks arguments, and returns them. Objects and lists may be given as JSON text.
    ///
    /// # Errors
    /// `VALIDATION_ERROR` for the most helpful error: an unknown name comes before a missing one.
    pub(crate) fn check(&self, mut arguments: Map<String, Value>) -> Result<Map<String, Value>> {
        for (name, value) in &mut arguments {
            if let Some(inner) = self.unwrapped(name, value)? {
                *value = inner;
            }
        }
        let arguments = Value::Object(arguments);
        if !self.validator.is_valid(&arguments) {
            let errors = self.validator.iter_errors(&arguments).take(MOST_ERRORS);
            let first = errors.min_by_key(|error| match error.kind() {
                ValidationErrorKind::AdditionalProperties { .. } => 0,
                ValidationErrorKind::Required { .. } => 1,
                _ => 2,
            });
            if let Some(error) = first {
                return Err(self.fault(&error));
            }
        }
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            _ => Ok(Map::new()),
        }
    }

    /// Parses JSON text that was sent where the schema wants an object or a list.
    fn unwrapped(&self, name: &str, value: &Value) -> Result<Option<Value>> {
        let Value::String(text) = value else { return Ok(None) };
        let declared = &self.schema["properties"][name]["type"];
        if declared != "object" && declared != "array" {
            return Ok(None);
        }
        match serde_json::from_str(text) {
            Ok(ReadValue { repeated: Some(repeated), .. }) => {
                Err(repeated.fault(&format!("/{}", escaped(name))))
            }
            Ok(ReadValue { value: inner @ (Value::Array(_) | Value::Object(_)), .. }) => {
                Ok(Some(inner))
            }
            _ => Ok(None),
        }
    }

    fn fault(&self, error: &ValidationError<'_>) -> Fault {
        let path = error.instance_path().as_str();
        // The keyword that failed is the last part of its location; the rest is the schema of the value.
        let keyword = error.schema_path().as_str();
        let around = keyword.rsplit_once('/').map_or("", |(around, _)| around);
        let schema = self.schema.pointer(around).unwrap_or(&Value::Null);
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected }
                if !unexpected.is_empty() =>
            {
                unknown_name(schema, error.instance(), path, &unexpected[0])
            }
            ValidationErrorKind::Required { property: Value::String(name) } => {
                Fault::validation(format!("`{}` is missing.", shorten(name)))
                    .at(format!("{path}/{}", escaped(name)))
                    .expecting(expected(&schema["properties"][name.as_str()]))
            }
            _ => wrong(schema, error, path),
        }
    }
}

fn compiled(schema: &Value) -> std::result::Result<Validator, String> {
    let patterns =
        PatternOptions::regex().size_limit(MOST_PATTERN_BYTES).dfa_size_limit(MOST_PATTERN_BYTES);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    options.build(schema).map_err(|error| format!("is not valid: {}", shorten(&error.to_string())))
}

/// Drops patterns that need look-around or back references, which only the server of the operation can check.
fn drop_unsupported_patterns(schema: &mut Value) {
    match schema {
        Value::Object(keywords) => {
            if let Some(pattern @ Value::String(_)) = keywords.get("pattern")
                && compiled(&json!({ "pattern": pattern })).is_err()
            {
                keywords.remove("pattern");
            }
            keywords.values_mut().for_each(drop_unsupported_patterns);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_unsupported_patterns),
        _ => {}
    }
}

fn unknown_name(schema: &Value, instance: &Value, path: &str, unknown: &str) -> Fault {
    let properties = schema["properties"].as_object();
    let names: Vec<&str> =
        properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let short = shorten(unknown);
    let close = suggest::closest(
        unknown,
        names.iter().copied().filter(|name| instance.get(*name).is_none()),
    );
    let hint = match close.first() {
        Some(name) => format!("Rename `{short}` to `{name}`, or leave it out."),
        None => format!("Leave `{short}` out."),
    };
    let expected = if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") };
    Fault::validation(format!("There is no parameter `{short}`."))
        .at(format!("{path}/{}", escaped(unknown)))
        .expecting(expected)
        .got(short)
        .did_you_mean(close)
        .hinting(hint)
}

fn wrong(schema: &Value, error: &ValidationError<'_>, path: &str) -> Fault {
    let (echo, kind) = describe(error.instance());
    let (name, expected) = (path.rsplit('/').next().unwrap_or_default(), expected(schema));
    let is_described = matches!(
        error.kind(),
        ValidationErrorKind::Type { .. }
            | ValidationErrorKind::Enum { .. }
            | ValidationErrorKind::Constant { .. }
            | ValidationErrorKind::Minimum { .. }
            | ValidationErrorKind::Maximum { .. }
            | ValidationErrorKind::MinLength { .. }
            | ValidationErrorKind::MaxLength { .. }
            | ValidationErrorKind::Pattern { .. }
    );
    let message = if path.is_empty() {
        format!("The arguments are not valid: {}.", shorten(&error.to_string()))
    } else if is_described {
        format!("`{name}` must be {}, not {kind}.", article(&expected))
    } else {
        format!("`{name}` is not valid: {}.", shorten(&error.to_string()))
    };
    let fault = Fault::validation(message).at(path).expecting(expected).got(echo);
    match (schema.get("enum").and_then(Value::as_array), error.instance().as_ref()) {
        (Some(values), Value::String(text)) => {
            fault.did_you_mean(suggest::closest(text, values.iter().filter_map(Value::as_str)))
        }
        (_, Value::Null) => fault.hinting(format!("Leave `{name}` out instead of sending null.")),
        _ => fault,
    }
}

/// Returns what a schema accepts, in the words of a fault.
fn expected(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        return values.iter().map(plain).collect::<Vec<_>>().join("|");
    }
    if let Some(value) = schema.get("const") {
        return plain(value);
    }
    let bounds = |low: &str, high: &str, unit: &str| {
        let bound = |key: &str| schema.get(key).map(Value::to_string);
        range(bound(low), bound(high), unit)
    };
    match &schema["type"] {
        Value::String(name) => match name.as_str() {
            "string" => {
                let pattern = schema["pattern"].as_str().map(|own| format!(" matching `{own}`"));
                let length = bounds("minLength", "maxLength", " characters");
                format!("string{length}{}", pattern.unwrap_or_default())
            }
            "integer" | "number" => format!("{name}{}", bounds("minimum", "maximum", "")),
            "array" => {
                let items =
                    schema.get("items").map_or_else(|| "any JSON value".to_owned(), expected);
                format!("list of {items}{}", bounds("minItems", "maxItems", " items"))
            }
            _ => name.clone(),
        },
        Value::Array(names) => names.iter().map(plain).collect::<Vec<_>>().join("|"),
        _ => "any JSON value".to_owned(),
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
