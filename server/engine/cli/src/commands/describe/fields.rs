//! Parameters and fields of results: in columns if the output is wide enough, otherwise one below the other.

use serde_json::Value;

use crate::output;
use crate::output::table::{details, entries};
use toolwrit_core::arguments;
use toolwrit_core::authority::{Field, Operation, Presence, Returns};
use toolwrit_core::json::schema::{described, innermost_items, is_required, type_word};
use toolwrit_core::json::written::parse_row_text;

/// The width in columns from which fields are shown in columns.
const WIDE: u16 = 100;

/// A parameter, or a field of a result.
struct Shown<'a> {
    name: String,
    /// Whether it is required, or its default. `None` for fields of results.
    presence: Option<String>,
    ty: String,
    description: &'a str,
    /// The values of an enum that have descriptions.
    values: &'a [(String, String)],
}

/// Levels of objects that are shown. A schema may refer to itself.
const MOST_DEPTH: usize = 5;

/// The parameters of an operation; empty if it has none. Those of a dynamic one are in its schema alone, with the fields of its
/// objects under their path.
pub(super) fn parameters(operation: &Operation) -> String {
    if !operation.is_dynamic {
        return show(&operation.inputs.iter().map(parameter).collect::<Vec<_>>());
    }
    let schema: Value = parse_row_text(&operation.input_schema);
    let mut fields = Vec::new();
    Collector { root: &schema, is_given: true, fields: &mut fields }.collect("", &schema, 0);
    show(&fields)
}

fn parameter(field: &Field) -> Shown<'_> {
    Shown {
        name: field.name.clone(),
        presence: Some(match &field.presence {
            Presence::Required => "required".to_owned(),
            Presence::Optional => "optional".to_owned(),
            Presence::Default(value) => format!("default {value}"),
        }),
        ty: arguments::expected(&field.ty),
        description: &field.description,
        values: &field.values,
    }
}

/// The fields of a result, those of its objects under their path; empty if it has none.
pub(super) fn result(returns: &Returns) -> String {
    let (Returns::Object(schema) | Returns::Wrapped(schema)) = returns else {
        return String::new();
    };
    let schema: Value = parse_row_text(schema);
    let mut fields = Vec::new();
    Collector { root: &schema, is_given: false, fields: &mut fields }.collect("", &schema, 0);
    show(&fields)
}

/// Collects the properties of objects in a schema.
struct Collector<'a, 'f> {
    root: &'a Value,
    /// Whether the caller gives the object, so that it matters what is required.
    is_given: bool,
    fields: &'f mut Vec<Shown<'a>>,
}

impl<'a> Collector<'a, '_> {
    /// Collects the properties of an object. In paths, `[]` is each item of a list.
    fn collect(&mut self, path: &str, object: &'a Value, depth: usize) {
        for (name, property) in object["properties"].as_object().into_iter().flatten() {
            let inner = described(self.root, property);
            let about = [property, inner].iter().find_map(|one| one["description"].as_str());
            let mut path = format!("{path}{name}");
            self.fields.push(Shown {
                name: path.clone(),
                presence: self.is_given.then(|| presence(object, name, property)),
                ty: type_of(self.root, inner),
                description: about.unwrap_or_default(),
                values: &[],
            });
            let (lists, inner) = innermost_items(self.root, inner);
            path.push_str(&"[]".repeat(lists));
            path.push('.');
            if depth < MOST_DEPTH {
                self.collect(&path, inner, depth + 1);
            }
        }
    }
}

fn presence(object: &Value, name: &str, property: &Value) -> String {
    match property.get("default") {
        _ if is_required(object, name) => "required".to_owned(),
        Some(Value::Null) | None => "optional".to_owned(),
        Some(value) => format!("default {value}"),
    }
}

/// The type of a property, in words.
fn type_of(root: &Value, schema: &Value) -> String {
    let (lists, schema) = innermost_items(root, schema);
    let name = match schema["enum"].as_array() {
        Some(values) => values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
        None => type_word(schema).unwrap_or("any JSON value").to_owned(),
    };
    format!("{}{name}", "list of ".repeat(lists))
}

fn show(fields: &[Shown<'_>]) -> String {
    if output::width().is_none_or(|width| width >= WIDE) {
        entries(&fields.iter().flat_map(Shown::columns).collect::<Vec<_>>())
    } else {
        fields.iter().map(Shown::stacked).collect::<Vec<_>>().join("\n")
    }
}

impl Shown<'_> {
    /// The row of a field, and one below it for each value.
    fn columns(&self) -> Vec<Vec<String>> {
        let row = |name: &str, presence: Option<&str>, ty: &str, description: &str| {
            let cells = [Some(name), presence, Some(ty), Some(description)];
            cells.into_iter().flatten().map(str::to_owned).collect()
        };
        let blank = self.presence.as_ref().map(|_| "");
        let field_row = row(&self.name, self.presence.as_deref(), &self.ty, self.description);
        let values = self.values.iter();
        let values = values.map(|(value, about)| row("", blank, "", &format!("{value}: {about}")));
        std::iter::once(field_row).chain(values).collect()
    }

    /// The name with the type, then the description and the values below it.
    fn stacked(&self) -> String {
        let presence = self.presence.iter().map(|presence| format!(" ({presence})"));
        let head = format!("{}: {}{}", self.name, self.ty, presence.collect::<String>());
        let mut lines = vec![entries(&[vec![head]])];
        if !self.description.is_empty() {
            lines.push(details(&[vec![self.description.to_owned()]]));
        }
        let values = self.values.iter().map(|(value, about)| vec![format!("{value}: {about}")]);
        let values: Vec<_> = values.collect();
        if !values.is_empty() {
            lines.push(details(&values));
        }
        lines.join("\n")
    }
}
