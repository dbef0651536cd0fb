//! How types are written in a manifest.

use crate::language::shape::{Body, Declarations, Declared, Field, Shape};
use crate::language::yaml::{Mapping, Yaml};

impl Declarations {
    pub(crate) fn type_expression(&self, shape: &Shape) -> String {
        match shape {
            Shape::String { .. } => "string".to_owned(),
            Shape::Integer { .. } => "integer".to_owned(),
            Shape::Number { .. } => "number".to_owned(),
            Shape::Boolean => "boolean".to_owned(),
            Shape::Date => "date".to_owned(),
            Shape::DateTime => "datetime".to_owned(),
            Shape::Json => "json".to_owned(),
            Shape::Enum(values) => values.join(" | "),
            Shape::Array { items, .. } if matches!(**items, Shape::Enum(_)) => {
                format!("({})[]", self.type_expression(items))
            }
            Shape::Array { items, .. } => format!("{}[]", self.type_expression(items)),
            Shape::Map(values) => format!("map<{}>", self.type_expression(values)),
            Shape::Named(id) => self.0[*id].name.clone(),
        }
    }

    /// A field: only its type, or the long form.
    fn write_field(&self, field: &Field) -> Yaml {
        let mut rest = Mapping::default();
        let mut add = |key: &str, value: Option<Yaml>| {
            if let Some(value) = value {
                rest.add(key, value);
            }
        };
        match &field.shape {
            Shape::String { min_length, max_length, pattern } => {
                add("min_length", min_length.map(Yaml::from));
                add("max_length", max_length.map(Yaml::from));
                add("pattern", pattern.as_deref().map(Yaml::from));
            }
            Shape::Integer { min, max } => {
                add("min", min.map(|min| Yaml::Plain(min.to_string())));
                add("max", max.map(|max| Yaml::Plain(max.to_string())));
            }
            Shape::Number { min, max } => {
                add("min", min.as_ref().map(|min| Yaml::Plain(min.to_string())));
                add("max", max.as_ref().map(|max| Yaml::Plain(max.to_string())));
            }
            Shape::Array { min_items, max_items, .. } => {
                add("min_items", min_items.map(Yaml::from));
                add("max_items", max_items.map(Yaml::from));
            }
            _ => {}
        }
        add("default", field.default.as_ref().map(Yaml::from));
        add("description", field.description.as_deref().map(Yaml::from));
        add("sensitive", field.is_sensitive.then(|| Yaml::from(true)));
        add("nullable", field.is_nullable.then(|| Yaml::from(true)));
        let expression = self.type_expression(&field.shape);
        if rest.is_empty() {
            return expression.into();
        }
        let mut long = Mapping::default();
        long.add("type", expression);
        long.extend(rest);
        long.into()
    }

    /// Parameters, or the fields of a type.
    pub(crate) fn write_fields(&self, fields: &[Field]) -> Mapping {
        let mut mapping = Mapping::default();
        for field in fields {
            let end = if field.is_required || field.default.is_some() { "" } else { "?" };
            mapping.add(format!("{}{end}", field.name), self.write_field(field));
        }
        mapping
    }

    pub(crate) fn write_type(&self, declared: &Declared) -> Yaml {
        let mut long = Mapping::default();
        match &declared.body {
            Body::Enum(values) if is_enum_expression(values) => return values.join(" | ").into(),
            Body::Enum(values) => {
                let values: Vec<Yaml> = values.iter().map(|value| value.as_str().into()).collect();
                long.add("enum", values);
            }
            Body::Record(fields) => long.add("fields", self.write_fields(fields)),
        }
        long.into()
    }

    /// Where the fields of a record are in an answer, as far as they have other names there.
    pub(crate) fn field_paths(fields: &[Field]) -> Mapping {
        let mut mapping = Mapping::default();
        for field in fields.iter().filter(|field| field.name != field.original) {
            mapping.add(field.name.as_str(), answer_path(&[&field.original]));
        }
        mapping
    }
}

pub(crate) fn answer_path(names: &[&str]) -> String {
    let mut path = "$".to_owned();
    for name in names {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_part) {
            path.push('.');
            path.push_str(name);
        } else {
            let quote = if name.contains('"') { '\'' } else { '"' };
            path.extend(['[', quote].into_iter().chain(name.chars()).chain([quote, ']']));
        }
    }
    path
}

/// Whether values can be written `a | b`: words that cannot be taken for types.
pub(crate) fn is_enum_expression(values: &[String]) -> bool {
    const BUILT_IN: [&str; 8] =
        ["string", "integer", "number", "boolean", "date", "datetime", "json", "map"];
    let is_word = |value: &String| {
        value.starts_with(|c: char| c.is_ascii_lowercase())
            && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
            && !BUILT_IN.contains(&value.as_str())
    };
    values.len() > 1 && values.iter().all(is_word)
}

/// Whether a text is the URL of an API as the language has it.
pub(crate) fn is_base(url: &str) -> bool {
    let host = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    host.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && url.chars().all(|c| c.is_ascii_graphic())
        && !url.contains(['?', '#', '@', '\\', '{', '}', '$'])
        && url.len() <= 500
}
