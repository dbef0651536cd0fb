//! The message about a value that its schema does not accept, in the words of those about a field table.

use jsonschema::error::{ValidationError, ValidationErrorKind};
use serde_json::Value;

use super::{ListedNames, Validators, escaped};
use crate::fault::Fault;
use crate::fault::wrong_value::{article, describe, range, shorten};
use toolwrit_text::nearest;

/// Errors among which the most helpful one is chosen.
const MOST_ERRORS: usize = 100;

impl Validators {
    /// The fault of a value that a part does not accept.
    pub(super) fn fault(
        &self,
        names: &ListedNames,
        part: usize,
        value: &Value,
        path: &str,
    ) -> Fault {
        let small = pruned(value);
        let validator = &self.compiled[part];
        // What the validator follows, it would unfold in every error.
        let errors = if self.follows {
            Vec::new()
        } else {
            validator.iter_errors(&small).take(MOST_ERRORS).collect()
        };
        if let Some(error) = most_helpful(&errors) {
            return self.fault_of(names, part, error, path);
        }
        let path = &names.listed(path).0;
        let subject =
            if path.is_empty() { "The arguments are".to_owned() } else { format!("`{path}` is") };
        Fault::validation(format!("{subject} not valid.")).with_path(path)
    }

    fn fault_of(
        &self,
        names: &ListedNames,
        part: usize,
        error: &ValidationError<'_>,
        base: &str,
    ) -> Fault {
        let (path, within) = names.listed(&format!("{base}{}", error.instance_path().as_str()));
        let path = &path;
        let listed = |name: &str| within.map_or(name, |names| names.of(name)).to_owned();
        // The keyword that failed is the last part of its location; the rest is the schema of the value.
        let keyword = error.schema_path().as_str();
        let around = keyword.rsplit_once('/').map_or("", |(around, _)| around);
        let schema = self.parts[part].pointer(around).unwrap_or(&Value::Null);
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected }
                if !unexpected.is_empty() =>
            {
                let properties = schema["properties"].as_object();
                let known = properties.into_iter().flatten();
                let free = known.clone().filter(|(name, _)| error.instance().get(name).is_none());
                let known: Vec<String> = known.map(|(name, _)| listed(name)).collect();
                let free: Vec<String> = free.map(|(name, _)| listed(name)).collect();
                unknown_name(&known, &free, path, &unexpected[0])
            }
            ValidationErrorKind::Required { property: Value::String(name) } => {
                let declared = self.resolved(&schema["properties"][name.as_str()]);
                let name = listed(name);
                Fault::validation(format!("`{}` is missing.", shorten(&name)))
                    .with_path(format!("{path}/{}", escaped(&name)))
                    .expecting(expected(declared))
            }
            ValidationErrorKind::OneOfNotValid { context }
            | ValidationErrorKind::AnyOf { context } => match closest(context) {
                Some(error) => self.fault_of(names, part, error, base),
                None => wrong(schema, error, path),
            },
            _ => wrong(schema, error, path),
        }
    }
}

/// The error that helps most: an unknown name comes before a missing one.
fn most_helpful<'e, 'i>(errors: &'e [ValidationError<'i>]) -> Option<&'e ValidationError<'i>> {
    errors.iter().min_by_key(|error| match error.kind() {
        ValidationErrorKind::AdditionalProperties { .. } => 0,
        ValidationErrorKind::Required { .. } => 1,
        _ => 2,
    })
}

/// The error of the only choice that one error keeps from being valid. `None` if there is none, or if there are more.
fn closest<'e>(
    choices: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e ValidationError<'static>> {
    let mut close = choices.iter().filter_map(|errors| match &errors[..] {
        [error] if !error.instance_path().as_str().is_empty() => Some(error),
        _ => None,
    });
    close.next().filter(|_| close.next().is_none())
}

/// A value without most of its long lists, so that there are few errors in it.
fn pruned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(MOST_ERRORS).map(pruned).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), pruned(field))).collect()
        }
        scalar => scalar.clone(),
    }
}

/// The fault of a name that is not one of the known ones, of which some are not given.
fn unknown_name(names: &[String], free: &[String], path: &str, unknown: &str) -> Fault {
    let short = shorten(unknown);
    let close = nearest::closest(unknown, free.iter().map(String::as_str));
    let hint = match close.first() {
        Some(name) => format!("Rename `{short}` to `{name}`, or leave it out."),
        None => format!("Leave `{short}` out."),
    };
    let expected = if names.is_empty() { "no parameters".to_owned() } else { names.join(", ") };
    Fault::validation(format!("There is no parameter `{short}`."))
        .with_path(format!("{path}/{}", escaped(unknown)))
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
    let fault = Fault::validation(message).with_path(path).expecting(expected).got(echo);
    match (schema.get("enum").and_then(Value::as_array), error.instance().as_ref()) {
        (Some(values), Value::String(text)) => {
            fault.did_you_mean(nearest::closest(text, values.iter().filter_map(Value::as_str)))
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
                let pattern =
                    schema["pattern"].as_str().map(|pattern| format!(" matching `{pattern}`"));
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
