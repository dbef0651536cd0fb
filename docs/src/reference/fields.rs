//! Parameters and fields of results: name, type, what it means, what it may be. The fields of an object are below the
//! object.

use serde_json::Value;
use toolwrit_manifest::{EnumValue, Field, Model, Presence, Shape};

use crate::address::type_path;
use crate::document::{
    Block, Inline, Line, Term, badge, code, join_with_commas, link, paragraph, text,
};

/// Whether the fields are given or received.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Parameter,
    Result,
}

/// The parameters of an operation. The anchors are their names after `param-`.
pub(super) fn parameters(model: &Model, fields: &[Field]) -> Block {
    Block::Terms(terms(model, fields, "param-", Side::Parameter))
}

/// The fields of a value; nothing if it has none. The anchors are their names after `field-`.
pub(super) fn results(model: &Model, shape: &Shape) -> Option<Block> {
    let fields = inner_fields(model, shape)?;
    Some(Block::Terms(terms(model, fields, "field-", Side::Result)))
}

fn terms(model: &Model, fields: &[Field], prefix: &str, side: Side) -> Vec<Term> {
    let term = |field: &Field| {
        let anchor = format!("{prefix}{}", field.name);
        let mut name = vec![code(&field.name), text(" ")];
        name.extend(type_line(model, &field.shape));
        name.push(text(" "));
        name.extend(presence_line(&field.presence, side));
        let mut meaning = description_blocks(model, field);
        if let Some(fields) = inner_fields(model, &field.shape) {
            let below = terms(model, fields, &format!("{anchor}."), side);
            meaning.push(Block::Terms(below));
        }
        Term { anchor: Some(anchor), name, meaning }
    };
    fields.iter().map(term).collect()
}

/// The fields of the object that a shape has inside.
pub(super) fn inner_fields<'a>(model: &'a Model, shape: &'a Shape) -> Option<&'a [Field]> {
    match model.resolve(shape) {
        Shape::Record(fields) if !fields.is_empty() => Some(fields),
        Shape::Array { items: inside, .. } | Shape::Map(inside) => inner_fields(model, inside),
        _ => None,
    }
}

fn presence_line(presence: &Presence, side: Side) -> Line {
    match (presence, side) {
        (Presence::Required, Side::Parameter) => vec![badge("required", "required")],
        (Presence::Required, Side::Result) => Line::new(),
        (_, Side::Result) => vec![badge("flag", "sometimes")],
        (Presence::Optional, Side::Parameter) => vec![badge("flag", "optional")],
        (Presence::Default(value), Side::Parameter) => vec![text("default "), value_code(value)],
    }
}

/// A value as JSON. A string has no quotes if it cannot be mistaken for another value.
fn value_code(value: &Value) -> Inline {
    match value {
        Value::String(words)
            if !words.trim().is_empty() && serde_json::from_str::<Value>(words).is_err() =>
        {
            code(words)
        }
        _ => code(value.to_string()),
    }
}

/// Description, bounds, values and example.
fn description_blocks(model: &Model, field: &Field) -> Vec<Block> {
    let named = match &field.shape {
        Shape::Named(id) => Some(&model[*id]),
        _ => None,
    };
    let description =
        field.description.as_ref().or(named.and_then(|declared| declared.description.as_ref()));
    let example = field.example.as_ref().or(named.and_then(|declared| declared.example.as_ref()));
    let sensitive = field.sensitive || named.is_some_and(|declared| declared.sensitive);
    let mut blocks: Vec<Block> = description.map(paragraph).into_iter().collect();
    blocks.extend(constraints(model, &field.shape));
    if let Some(value) = example {
        blocks.push(Block::Paragraph(vec![text("Example: "), value_code(value)]));
    }
    if field.nullable {
        blocks.push(paragraph("It may be null, which clears it."));
    }
    if field.separate {
        blocks.push(paragraph("An item that is wrong fails alone."));
    }
    if sensitive {
        blocks.push(paragraph("Never written to logs or the audit."));
    }
    blocks
}

/// What values a shape allows, in words; nothing if its type says all.
pub(super) fn constraints(model: &Model, shape: &Shape) -> Vec<Block> {
    let resolved = model.resolve(shape);
    let mut blocks: Vec<Block> = bounds_line(resolved).map(Block::Paragraph).into_iter().collect();
    blocks.extend(pattern_line(resolved).map(Block::Paragraph));
    match resolved {
        Shape::Enum(values) => blocks.push(value_meanings(values)),
        Shape::Array { items, .. } => match model.resolve(items) {
            Shape::Enum(values) => {
                blocks.push(paragraph("Each item is one of:"));
                blocks.push(value_meanings(values));
            }
            items => blocks.extend(bounds_line(items).map(|mut words| {
                words.insert(0, text("Each item: "));
                Block::Paragraph(words)
            })),
        },
        _ => {}
    }
    blocks
}

/// The values of an enum, each with its meaning if the manifest says it.
fn value_meanings(values: &[EnumValue]) -> Block {
    let line = |value: &EnumValue| {
        let mut line = vec![code(&value.name)];
        line.extend(value.description.as_ref().map(|words| text(format!(": {words}"))));
        line
    };
    if values.iter().any(|value| value.description.is_some()) {
        return Block::List(values.iter().map(line).collect());
    }
    let mut words = vec![text("One of ")];
    words.extend(join_with_commas(values.iter().map(|value| code(&value.name))));
    words.push(text("."));
    Block::Paragraph(words)
}

/// The bounds of a shape, as a sentence.
fn bounds_line(shape: &Shape) -> Option<Line> {
    let words = match shape {
        Shape::String { min_length, max_length, .. } => {
            format_range(min_length.as_ref(), max_length.as_ref(), "character")
        }
        Shape::Integer { min, max, .. } => format_range(min.as_ref(), max.as_ref(), ""),
        Shape::Number { min, max } => format_range(min.as_ref(), max.as_ref(), ""),
        Shape::Array { min_items, max_items, .. } => {
            format_range(min_items.as_ref(), max_items.as_ref(), "item")
        }
        _ => None,
    }?;
    Some(vec![text(words)])
}

fn pattern_line(shape: &Shape) -> Option<Line> {
    let Shape::String { pattern: Some(pattern), .. } = shape else { return None };
    let pattern = code(pattern.as_str());
    Some(vec![text("Must match the regular expression "), pattern, text(".")])
}

/// Bounds in words, with the unit in singular or plural as the last number requires.
fn format_range(
    min: Option<&impl ToString>,
    max: Option<&impl ToString>,
    unit: &str,
) -> Option<String> {
    let (min, max) = (min.map(ToString::to_string), max.map(ToString::to_string));
    let last = max.as_ref().or(min.as_ref())?;
    let unit = match (unit, last.as_str()) {
        ("", _) => String::new(),
        (unit, "1") => format!(" {unit}"),
        (unit, _) => format!(" {unit}s"),
    };
    Some(match (&min, &max) {
        (Some(min), Some(max)) if min == max => format!("Exactly {min}{unit}."),
        (Some(min), Some(max)) => format!("From {min} to {max}{unit}."),
        (Some(min), None) => format!("At least {min}{unit}."),
        (None, Some(max)) => format!("At most {max}{unit}."),
        (None, None) => return None,
    })
}

/// A type with links to the declared ones.
pub(super) fn type_line(model: &Model, shape: &Shape) -> Line {
    let word = match shape {
        Shape::Named(id) => {
            let name = &model[*id].name;
            return vec![link(type_path(name), code(name))];
        }
        Shape::Array { items: inside, .. } | Shape::Map(inside) => {
            let prefix = if matches!(shape, Shape::Map(_)) { "map of " } else { "list of " };
            let mut line = vec![text(prefix)];
            line.extend(type_line(model, inside));
            return line;
        }
        Shape::Enum(_) => "one of several strings",
        Shape::Record(_) => "object",
        Shape::String { .. } => "string",
        Shape::Integer { .. } => "integer",
        Shape::Number { .. } => "number",
        Shape::Boolean => "true or false",
        Shape::Date => "date",
        Shape::DateTime => "date and time",
        Shape::Json => "any JSON",
    };
    vec![text(word)]
}
