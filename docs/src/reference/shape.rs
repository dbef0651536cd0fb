//! Types in cells, and fields as the rows of a table. The fields of a nested object follow their
//! own field, with the whole path as the name.

use serde_json::Value;
use toolwrit_manifest::{EnumValue, Field, Model, Presence, Shape};

use crate::markdown::{badge, code, framed, table, text};

/// The parameters of an operation.
pub(super) fn parameters(model: &Model, fields: &[Field]) -> String {
    let mut rows = Vec::new();
    collect(model, "", fields, &mut rows);
    let rows = rows.into_iter().map(|Row { name, field }| {
        [
            code(&name),
            type_cell(model, &field.shape),
            presence(&field.presence),
            about(model, field),
        ]
    });
    framed("fields", &table(&["Name", "Type", "Required", "Description"], rows))
}

/// The fields of a result; empty if it has none.
pub(super) fn results(model: &Model, shape: &Shape) -> String {
    let mut rows = Vec::new();
    expand(model, "", shape, &mut rows);
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.into_iter().map(|Row { name, field }| {
        let always = if field.presence == Presence::Required { "always" } else { "sometimes" };
        [code(&name), type_cell(model, &field.shape), always.to_owned(), about(model, field)]
    });
    framed("fields", &table(&["Name", "Type", "Present", "Description"], rows))
}

/// A field and the path to it.
struct Row<'a> {
    name: String,
    field: &'a Field,
}

fn collect<'a>(model: &'a Model, path: &str, fields: &'a [Field], rows: &mut Vec<Row<'a>>) {
    for field in fields {
        let dot = if path.is_empty() { "" } else { "." };
        let name = format!("{path}{dot}{}", field.name);
        rows.push(Row { name: name.clone(), field });
        expand(model, &name, &field.shape, rows);
    }
}

/// The objects inside a shape. In paths, `[]` is each item of a list, `*` each key of a map.
fn expand<'a>(model: &'a Model, path: &str, shape: &'a Shape, rows: &mut Vec<Row<'a>>) {
    match model.resolve(shape) {
        Shape::Record(fields) => collect(model, path, fields, rows),
        Shape::Array { items, .. } => expand(model, &format!("{path}[]"), items, rows),
        Shape::Map(values) => expand(model, &format!("{path}.*"), values, rows),
        _ => {}
    }
}

fn presence(presence: &Presence) -> String {
    match presence {
        Presence::Required => badge("required", "required"),
        Presence::Optional => "optional".to_owned(),
        Presence::Default(value) => format!("default {}", value_code(value)),
    }
}

/// A value as JSON. A string has no quotes if it cannot be mistaken for another value.
fn value_code(value: &Value) -> String {
    match value {
        Value::String(words)
            if !words.trim().is_empty() && serde_json::from_str::<Value>(words).is_err() =>
        {
            code(words)
        }
        _ => code(&value.to_string()),
    }
}

/// Description, bounds and example.
fn about(model: &Model, field: &Field) -> String {
    let named = match &field.shape {
        Shape::Named(id) => Some(&model[*id]),
        _ => None,
    };
    let description = field.description.as_ref().or(named.and_then(|ty| ty.description.as_ref()));
    let example = field.example.as_ref().or(named.and_then(|ty| ty.example.as_ref()));
    let sensitive = field.sensitive || named.is_some_and(|ty| ty.sensitive);
    let mut parts: Vec<String> = description.map(|words| text(words)).into_iter().collect();
    parts.extend(bounds(model.resolve(&field.shape)));
    parts.extend(meanings(model, &field.shape));
    parts.extend(example.map(|value| format!("Such as {}.", value_code(value))));
    if sensitive {
        parts.push(badge("flag", "never logged"));
    }
    parts.join(" ")
}

/// The constraints of a shape, as a sentence.
pub(super) fn bounds(shape: &Shape) -> Option<String> {
    match shape {
        Shape::String { min_length, max_length, pattern } => {
            let length = range(min_length.as_ref(), max_length.as_ref(), "character");
            let pattern =
                pattern.as_ref().map(|pattern| format!("matches {}", code(pattern.as_str())));
            sentence([length, pattern])
        }
        Shape::Integer { min, max, .. } => sentence([range(min.as_ref(), max.as_ref(), ""), None]),
        Shape::Number { min, max } => sentence([range(min.as_ref(), max.as_ref(), ""), None]),
        Shape::Array { min_items, max_items, .. } => {
            sentence([range(min_items.as_ref(), max_items.as_ref(), "item"), None])
        }
        _ => None,
    }
}

/// The values of an enum, or of a list of them, with their descriptions. `None` if none has any.
pub(super) fn meanings(model: &Model, shape: &Shape) -> Option<String> {
    match model.resolve(shape) {
        Shape::Array { items, .. } => meanings(model, items),
        Shape::Enum(values) => {
            let meaning = |value: &EnumValue| {
                let description = value.description.as_ref()?;
                Some(format!("{}: {}", code(&value.name), text(description)))
            };
            let meanings: Vec<String> = values.iter().filter_map(meaning).collect();
            (!meanings.is_empty()).then(|| meanings.join(" "))
        }
        _ => None,
    }
}

/// Bounds in words, with the unit in singular or plural as the last number requires.
fn range(min: Option<&impl ToString>, max: Option<&impl ToString>, unit: &str) -> Option<String> {
    let (min, max) = (min.map(ToString::to_string), max.map(ToString::to_string));
    let last = max.as_ref().or(min.as_ref())?;
    let unit = match (unit, last.as_str()) {
        ("", _) => String::new(),
        (unit, "1") => format!(" {unit}"),
        (unit, _) => format!(" {unit}s"),
    };
    let bounds = match (&min, &max) {
        (Some(min), Some(max)) => format!("{min} to {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => return None,
    };
    Some(text(&(bounds + &unit)))
}

fn sentence(parts: [Option<String>; 2]) -> Option<String> {
    let whole = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let first = whole.chars().next()?;
    Some(format!("{}{}.", first.to_uppercase(), &whole[first.len_utf8()..]))
}

/// A type with links to the declared ones.
pub(super) fn type_cell(model: &Model, shape: &Shape) -> String {
    match shape {
        Shape::Named(id) => {
            let name = &model[*id].name;
            format!("[{}](../reference/types.md#{name})", code(name))
        }
        Shape::Array { items, .. } => format!("list of {}", type_cell(model, items)),
        Shape::Map(values) => format!("map of {}", type_cell(model, values)),
        Shape::Enum(values) => {
            values.iter().map(|value| code(&value.name)).collect::<Vec<_>>().join(" or ")
        }
        Shape::Record(_) => "object".to_owned(),
        Shape::String { .. } => "string".to_owned(),
        Shape::Integer { .. } => "integer".to_owned(),
        Shape::Number { .. } => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Date => "date".to_owned(),
        Shape::DateTime => "datetime".to_owned(),
        Shape::Json => "any JSON".to_owned(),
    }
}
