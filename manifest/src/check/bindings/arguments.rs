//! Whether the arguments of an operation are those that a tool takes, as its lock file has it.

use serde_json::Value;

use super::key_place;
use crate::check::names::optional::split_optional;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{Field, Model, Operation, Presence, Shape};
use crate::raw::lock_file::LockedTool;
use crate::raw::{Entries, Entry, RawOperation, RawTemplate};
use crate::yaml::{Kind, Node, Text};

/// Checks written arguments.
pub(super) fn check(
    model: &Model,
    operation: &Operation,
    tool: &LockedTool,
    args: &Entries<RawTemplate>,
    place: Place,
    report: &mut Report,
) {
    for Entry { key, value: RawTemplate(node) } in &args.0 {
        let (name, is_optional) = split_optional(&key.value);
        if !is_known(tool, name, key.place, report) {
            continue;
        }
        if is_optional && tool.required().any(|required| required == name) {
            report.push(
                Problem::error(key.place, format!("the tool requires the argument `{name}`"))
                    .help("remove the `?`, and require the parameter or give it a default"),
            );
        }
        let Some(schema) = schema(tool, name) else { continue };
        match &node.kind {
            Kind::Text(text) => match Reference::parse(operation, text) {
                Reference::Parameter(field) => {
                    fits(model, field, (name, schema), text.place, report);
                }
                Reference::Other => {}
                Reference::None => literal_fits(node, (name, schema), report),
            },
            _ => literal_fits(node, (name, schema), report),
        }
    }
    missing(
        tool,
        |name| args.0.iter().any(|entry| split_optional(&entry.key.value).0 == name),
        place,
        report,
    );
}

/// Checks parameters that are the arguments of their names.
pub(super) fn check_same(
    raw: &RawOperation,
    model: &Model,
    operation: &Operation,
    tool: &LockedTool,
    place: Place,
    report: &mut Report,
) {
    for field in &operation.params {
        let place = parameter_place(raw, &field.name, place);
        if !is_known(tool, &field.name, place, report) {
            continue;
        }
        let is_required = tool.required().any(|required| required == field.name);
        if is_required && field.presence == Presence::Optional {
            let message = format!("the tool requires the argument `{}`", field.name);
            report.push(
                Problem::error(place, message).help("require the parameter, or give it a default"),
            );
        }
        if let Some(schema) = schema(tool, &field.name) {
            fits(model, field, (&field.name, schema), place, report);
        }
    }
    missing(tool, |name| operation.params.iter().any(|field| field.name == name), place, report);
}

fn schema<'a>(tool: &'a LockedTool, name: &str) -> Option<&'a Value> {
    tool.arguments().find(|(known, _)| *known == name).map(|(_, schema)| schema)
}

/// Whether the tool has an argument, which is reported if not.
fn is_known(tool: &LockedTool, name: &str, place: Place, report: &mut Report) -> bool {
    if tool.is_open() || schema(tool, name).is_some() {
        return true;
    }
    let known: Vec<&str> = tool.arguments().map(|(known, _)| known).collect();
    let message = format!("the tool `{}` has no argument `{name}`", tool.name);
    if known.is_empty() {
        report.push(Problem::error(place, message).expected("no arguments"));
    } else {
        report.unknown_word(place, message, name, &known);
    }
    false
}

/// Reports the arguments that the tool requires and nobody gives, together.
fn missing(tool: &LockedTool, is_given: impl Fn(&str) -> bool, place: Place, report: &mut Report) {
    let missing: Vec<String> =
        tool.required().filter(|name| !is_given(name)).map(|name| format!("`{name}`")).collect();
    if !missing.is_empty() {
        let message = format!("the tool `{}` requires {}", tool.name, missing.join(", "));
        report.push(
            Problem::error(place, message)
                .help("give each a value under `args`, or declare a parameter of its name"),
        );
    }
}

/// What a text refers to.
enum Reference<'a> {
    /// A parameter as a whole.
    Parameter(&'a Field),
    /// A setting, a part of a parameter, or what is reported elsewhere.
    Other,
    /// Nothing: it is a value.
    None,
}

impl<'a> Reference<'a> {
    fn parse(operation: &'a Operation, text: &Text) -> Self {
        let rest = text.value.strip_prefix('$').filter(|rest| !rest.starts_with('$'));
        let Some(name) = rest else { return Self::None };
        operation
            .params
            .iter()
            .find(|field| field.name == name)
            .map_or(Self::Other, Self::Parameter)
    }
}

/// Reports a parameter whose values the tool would refuse.
fn fits(
    model: &Model,
    field: &Field,
    (name, schema): (&str, &Value),
    place: Place,
    report: &mut Report,
) {
    let shape = model.resolve(&field.shape);
    let Some(found) = json_type(shape) else { return };
    if let Some(types) = types(schema).filter(|types| !types.iter().any(|ty| holds(ty, found))) {
        report.push(
            Problem::error(
                place,
                format!("the argument `{name}` of the tool is not of the type `{found}`"),
            )
            .expected(format!("the type {}", types.join(" or "))),
        );
        return;
    }
    let (Shape::Enum(values), Some(allowed)) = (shape, allowed(schema)) else { return };
    let refused: Vec<String> = values
        .iter()
        .filter(|value| !allowed.contains(&Value::from(value.name.as_str())))
        .map(|value| format!("`{}`", value.name))
        .collect();
    if !refused.is_empty() {
        let message = format!("the tool does not accept {} for `{name}`", refused.join(", "));
        report.push(Problem::error(place, message).expected(one_of(allowed)));
    }
}

/// Reports a fixed value that the tool would refuse.
fn literal_fits(node: &Node, (name, schema): (&str, &Value), report: &mut Report) {
    let Some(value) = node.to_value() else { return };
    let found = match &value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if let Some(types) = types(schema).filter(|types| !types.iter().any(|ty| holds(ty, found))) {
        let message = format!("the argument `{name}` of the tool is not of the type `{found}`");
        report.push(
            Problem::error(node.place, message)
                .expected(format!("the type {}", types.join(" or "))),
        );
    } else if let (Value::String(text), Some(allowed)) = (&value, allowed(schema))
        && !allowed.contains(&value)
    {
        let message = format!("the tool does not accept `{text}` for `{name}`");
        report.push(Problem::error(node.place, message).expected(one_of(allowed)));
    }
}

/// The types of a schema, if it says them itself.
fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(word) => Some(vec![word]),
        Value::Array(words) => Some(words.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// The only values of a schema, if it lists them.
fn allowed(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("enum")?.as_array()
}

fn one_of(allowed: &[Value]) -> String {
    let words: Vec<String> =
        allowed.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).collect();
    format!("one of: {}", words.join(", "))
}

/// Whether every value of a type is one of another, or may be: a whole number may be wanted where numbers are given.
fn holds(wanted: &str, found: &str) -> bool {
    wanted == found || matches!((wanted, found), ("number", "integer"))
}

/// The type of all values of a shape; `None` if it has none of its own.
fn json_type(shape: &Shape) -> Option<&'static str> {
    Some(match shape {
        Shape::Json | Shape::Named(_) => return None,
        Shape::String { .. } | Shape::Enum(_) | Shape::Date | Shape::DateTime => "string",
        Shape::Integer { .. } => "integer",
        Shape::Number { .. } => "number",
        Shape::Boolean => "boolean",
        Shape::Array { .. } => "array",
        Shape::Map(_) | Shape::Record(_) => "object",
    })
}

fn parameter_place(raw: &RawOperation, name: &str, otherwise: Place) -> Place {
    let keys = raw.params.iter().flat_map(|params| &params.0).map(|entry| &entry.key);
    key_place(keys, name).unwrap_or(otherwise)
}
