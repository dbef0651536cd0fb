//! Parameters and fields of results: in columns if the output is wide enough, otherwise one below the other.

use serde_json::Value;

use crate::output;
use crate::output::table::{details, entries};
use toolwrit_core::arguments;
use toolwrit_core::authority::{Field, Presence, Returns};
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

/// The parameters of an operation.
pub(super) fn parameters(fields: &[Field]) -> String {
    show(&fields.iter().map(parameter).collect::<Vec<_>>())
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
    collect("", &schema, &mut fields);
    show(&fields)
}

/// Collects the properties of an object. In paths, `[]` is each item of a list.
fn collect<'a>(path: &str, schema: &'a Value, fields: &mut Vec<Shown<'a>>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let mut name = format!("{path}{name}");
        fields.push(Shown {
            name: name.clone(),
            presence: None,
            ty: type_of(property),
            description: property["description"].as_str().unwrap_or_default(),
            values: &[],
        });
        let mut inner = property;
        while let Some(items) = inner.get("items") {
            name.push_str("[]");
            inner = items;
        }
        name.push('.');
        collect(&name, inner, fields);
    }
}

/// The type of a property of a portable schema, in words.
fn type_of(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    match schema["type"].as_str() {
        Some("array") => format!("list of {}", type_of(&schema["items"])),
        Some(kind) => kind.to_owned(),
        None => "any JSON value".to_owned(),
    }
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
