//! How results are read from answers. Only what a type declares becomes part of a result.

use serde_json::{Map, Value, json};

use super::reads::{self, Read};
use super::scope::Scope;
use crate::diagnostics::{Problem, Report};
use crate::model::{Field, Model, Operation, Presence, Returns, Shape, TypeId};
use crate::raw::{Entries, Entry, RawRead, RawTemplate};
use crate::yaml::{Kind, Node, Text};

/// The types that a provider reads in its own way.
pub(super) struct NamedShapes(pub(super) Vec<TypeId>);

impl NamedShapes {
    /// Lowers `shapes` of a provider: for each type, where its fields are.
    pub(super) fn lower(
        &self,
        scope: &mut Scope<'_>,
        raw: &Entries<Entries<RawRead>>,
        report: &mut Report,
    ) -> Value {
        let known = raw.0.iter().filter_map(|Entry { key, value }| {
            let id = self.0.iter().find(|id| scope.model[**id].name == key.value)?;
            Some((key, value, scope.model.resolve(&scope.model[*id].shape)))
        });
        let known: Vec<_> = known.collect();
        let shapes = known.into_iter().filter_map(|(key, reads, shape)| {
            let Shape::Record(fields) = shape else {
                let message = format!("the type `{}` has no fields", key.value);
                report.push(Problem::error(key.place, message).expected("a type with `fields`"));
                return None;
            };
            let reads: Vec<_> = reads.0.iter().map(|entry| (&entry.key, &entry.value.0)).collect();
            let shape = self.object(scope, fields, &reads, report);
            Some(json!({ "name": key.value, "shape": shape }))
        });
        shapes.collect()
    }

    /// An object, with the places of some of its fields.
    fn object(
        &self,
        scope: &mut Scope<'_>,
        fields: &[Field],
        reads: &[(&Text, &Node)],
        report: &mut Report,
    ) -> Value {
        for (key, _) in reads {
            if fields.iter().all(|field| field.name != key.value) {
                let known = fields.iter().map(|field| field.name.as_str());
                report.unknown_reference(key.place, "field", &key.value, known);
            }
        }
        let fields = fields.iter().map(|field| {
            let read = reads.iter().find(|(key, _)| key.value == field.name);
            let read = read.and_then(|(_, node)| read_of(scope, &field.shape, node, report));
            self.field(scope.model, field, read)
        });
        json!({ "object": fields.collect::<Vec<_>>() })
    }

    fn field(&self, model: &Model, field: &Field, read: Option<Read>) -> Value {
        let mut table = Map::from_iter([
            ("name".to_owned(), json!(field.name)),
            ("shape".to_owned(), self.shape(model, &field.shape)),
        ]);
        if field.presence != Presence::Required {
            table.insert("optional".to_owned(), json!(true));
        }
        table.extend(read.map(|read| ("read".to_owned(), read.table)));
        table.into()
    }

    /// What a value looks like. Fields have the same names in the answer.
    fn shape(&self, model: &Model, shape: &Shape) -> Value {
        match shape {
            Shape::Json => json!("any"),
            Shape::String { .. } | Shape::Date | Shape::DateTime => json!("text"),
            Shape::Enum(values) => {
                json!({ "choice": values.iter().map(|value| &value.name).collect::<Vec<_>>() })
            }
            Shape::Integer { .. } => json!("integer"),
            Shape::Number { .. } => json!("number"),
            Shape::Boolean => json!("boolean"),
            Shape::Array { items, .. } => json!({ "list": self.shape(model, items) }),
            Shape::Map(values) => json!({ "map": self.shape(model, values) }),
            Shape::Record(fields) => {
                let fields = fields.iter().map(|field| self.field(model, field, None));
                json!({ "object": fields.collect::<Vec<_>>() })
            }
            Shape::Named(id) if self.0.contains(id) => json!({ "named": model[*id].name }),
            Shape::Named(id) => self.shape(model, &model[*id].shape),
        }
    }

    /// Lowers the result of an operation; `None` if its answer does not matter.
    pub(super) fn result(
        &self,
        scope: &mut Scope<'_>,
        operation: &Operation,
        raw: Option<&RawRead>,
        report: &mut Report,
    ) -> Option<Value> {
        let model = scope.model;
        let text = Shape::String { min_length: None, max_length: None, pattern: None };
        let shape = match &operation.returns {
            Returns::Value(shape) => shape,
            // Without a place for the text, the answer does not matter.
            _ => raw.map(|_| &text)?,
        };
        let root = json!({ "body": [[]] });
        let Some(RawTemplate(node)) = raw else {
            return Some(json!({ "read": root, "shape": self.shape(model, shape) }));
        };
        match (&node.kind, model.resolve(shape)) {
            (Kind::Text(word), Shape::String { .. }) if word.value == "text" => {
                Some(json!({ "read": "text", "shape": "text" }))
            }
            (Kind::Mapping(entries), Shape::Record(fields)) => {
                let reads: Vec<_> = entries.iter().map(|(key, node)| (key, node)).collect();
                Some(json!({ "read": root, "shape": self.object(scope, fields, &reads, report) }))
            }
            _ => {
                let read = read_of(scope, shape, node, report)?;
                Some(json!({ "read": read.table, "shape": self.shape(model, shape) }))
            }
        }
    }
}

/// The place of a value of this shape; `None` if it is invalid, which is reported.
fn read_of(scope: &mut Scope<'_>, shape: &Shape, node: &Node, report: &mut Report) -> Option<Read> {
    let resolved = scope.model.resolve(shape);
    let is_list = matches!(resolved, Shape::Array { .. } | Shape::Json);
    let (read, is_each) = if let Kind::Mapping(entries) = &node.kind {
        let inner = match entries.as_slice() {
            [(key, inner)] if key.value == "each" => inner,
            _ => {
                report.push(each_expected(node));
                return None;
            }
        };
        (reads::node(scope, inner, report)?, true)
    } else {
        let read = reads::node(scope, node, report)?;
        let is_each = read.is_each;
        (read, is_each)
    };
    if is_each && !is_list {
        report.push(
            Problem::error(node.place, "the place is a list, and the declared type is not")
                .help("remove `[*]` and `each`, or declare a list"),
        );
        return None;
    }
    let is_text = read.table.get("header").is_some();
    if is_text && matches!(resolved, Shape::Array { .. } | Shape::Map(_) | Shape::Record(_)) {
        report.push(
            Problem::error(node.place, "a header is a text, and the declared type is not")
                .expected("a path of the body"),
        );
        return None;
    }
    Some(read)
}

fn each_expected(node: &Node) -> Problem {
    Problem::error(node.place, "the place of a value is a path, and not a mapping")
        .expected("a path, or `{ each: PATH }` for a list")
}
