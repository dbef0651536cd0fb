//! From schemas to the types of the manifest language.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::conversion::bounds::{drop_crossed_bounds, integer_shape, number_shape};
use crate::conversion::property::{Property, described_values, is_name};
use crate::conversion::sample::sample;
use crate::document::node::{Node, NodeId};
use crate::document::schema::{Schema, Type};
use crate::language::names::{Names, to_camel_case, to_snake_case, to_variant_name};
use crate::language::shape::{Body, Declarations, Declared, Field, Shape, is_valid_pattern};
use crate::language::text;
use crate::language::written::is_enum_expression;
use crate::losses::{Kind, Losses};

/// Schemas inside each other that are followed.
const DEEPEST: usize = 24;
/// Lists and maps around each other.
const MOST_NESTING: usize = 3;
const MOST_FIELDS: usize = 64;
const MOST_VALUES: usize = 40;
const LONGEST_FIELD: usize = 48;

/// Whether a value is sent or received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    /// What a caller gives must be as the document says.
    Sent,
    /// What an API answers is read with tolerance.
    Received,
}

/// The types that have been declared, and those that are being read.
#[derive(Default)]
pub(crate) struct Types {
    pub(crate) declared: Declarations,
    known: HashMap<(NodeId, Direction), Option<Shape>>,
    names: Names,
    depth: usize,
}

impl Types {
    /// The shape of a schema. `hint` is a name for a type that has none.
    pub(crate) fn read_shape(
        &mut self,
        node: &Node<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        self.read_property(node, direction, hint, losses).shape
    }

    pub(crate) fn read_property(
        &mut self,
        node: &Node<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Property {
        const LONGEST_DESCRIPTION: usize = 160;
        let Some(schema) = Schema::read(node) else {
            losses.add(Kind::Reference, &node.location(), "the reference leads nowhere: any value");
            return Property::any();
        };
        let shape = self.convert_schema(&schema, direction, hint, losses);
        let documented = schema.find("example").or_else(|| schema.find("examples")?.get(0));
        let example = documented.filter(|value| self.declared.fits(&shape, value)).cloned();
        let example = match direction {
            // What a shape does not say, such as the format of a text, an API may check.
            Direction::Sent => example
                .or_else(|| sample(&schema).filter(|value| self.declared.fits(&shape, value))),
            Direction::Received => example,
        };
        let description = schema.text("description");
        // The fields of answers are written without theirs.
        if direction == Direction::Sent
            && description.is_some_and(|text| text::is_longer(text, LONGEST_DESCRIPTION))
        {
            losses.add(Kind::Text, &schema.node.location(), text::SHORTENED);
        }
        let mut description =
            description.and_then(|text| text::shorten_description(text, LONGEST_DESCRIPTION));
        if direction == Direction::Sent && !matches!(shape, Shape::Enum(_) | Shape::Named(_)) {
            let values = described_values(&schema);
            let texts: Vec<String> = description.into_iter().chain(values).collect();
            description = (!texts.is_empty()).then(|| texts.join(" "));
        }
        let hiding = match direction {
            Direction::Sent => "readOnly",
            Direction::Received => "writeOnly",
        };
        Property {
            shape,
            is_nullable: schema.is_nullable(),
            description,
            default: schema.find("default").cloned(),
            example,
            is_sensitive: schema.text("format") == Some("password"),
            is_hidden: schema.flag(hiding),
        }
    }

    fn convert_schema(
        &mut self,
        schema: &Schema<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        if self.depth >= DEEPEST {
            losses.add(Kind::Schema, &schema.node.location(), "nested too deeply: any value");
            return Shape::Json;
        }
        if direction == Direction::Sent
            && matches!(schema.ty(), Type::Integer | Type::Number)
            && schema.values().is_some()
        {
            losses.add(Kind::Schema, &schema.node.location(), "an enum of numbers: any number");
        }
        self.depth += 1;
        let shape = match schema.ty() {
            Type::String => self.string_shape(schema, direction, hint, losses),
            Type::Integer => integer_shape(schema, direction == Direction::Sent),
            Type::Number => number_shape(schema, direction == Direction::Sent),
            Type::Boolean => Shape::Boolean,
            Type::Array => self.array_shape(schema, direction, hint, losses),
            Type::Object => self.object_shape(schema, direction, hint, losses),
            Type::Any => {
                if schema.is_union() {
                    let message = "one of several types: any value";
                    losses.add(Kind::Schema, &schema.node.location(), message);
                }
                Shape::Json
            }
        };
        self.depth -= 1;
        shape
    }

    fn string_shape(
        &mut self,
        schema: &Schema<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        // An API may answer with values that its document does not have yet.
        if direction == Direction::Received {
            return Shape::text();
        }
        if let Some(values) = schema.values() {
            return self.enum_shape(schema, &values, hint, losses);
        }
        match schema.text("format") {
            Some("date") => return Shape::Date,
            Some("date-time") => return Shape::DateTime,
            _ => {}
        }
        let count = |key: &str| schema.find(key).and_then(Value::as_u64);
        let least = count("minLength").filter(|min| *min > 0);
        let (min_length, max_length) = drop_crossed_bounds(least, count("maxLength"));
        let pattern = schema.text("pattern").filter(|pattern| !pattern.is_empty());
        let kept = pattern.filter(|pattern| text::is_visible(pattern) && is_valid_pattern(pattern));
        if pattern.is_some() && kept.is_none() {
            let message =
                "the pattern is too long, or no regular expression in RE2 style: not checked";
            losses.add(Kind::Schema, &schema.node.location(), message);
        }
        Shape::String { min_length, max_length, pattern: kept.map(str::to_owned) }
    }

    fn enum_shape(
        &mut self,
        schema: &Schema<'_>,
        values: &[&Value],
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        let texts = values.iter().map(|value| value.as_str().map(str::to_owned));
        let mut variants = HashSet::new();
        let mut is_usable = |text: &String| {
            !text.trim().is_empty()
                && text::is_visible(text)
                && variants.insert(to_variant_name(text))
        };
        let texts: Option<Vec<String>> = texts.collect();
        let usable =
            texts.filter(|texts| texts.len() <= MOST_VALUES && texts.iter().all(&mut is_usable));
        let Some(texts) = usable else {
            let message = "the values are too many or too similar for an enum: any text";
            losses.add(Kind::Schema, &schema.node.location(), message);
            return Shape::text();
        };
        if !schema.node.is_component() && is_enum_expression(&texts) && self.depth == 1 {
            return Shape::Enum(texts);
        }
        let key = (schema.node.id(), Direction::Sent);
        if let Some(Some(shape)) = self.known.get(&key) {
            return shape.clone();
        }
        let name = type_name(schema, hint);
        let size = self.declared.estimate_size(&Shape::Enum(texts.clone()));
        let shape = self.declare(&name, Body::Enum(texts), size);
        self.known.insert(key, Some(shape.clone()));
        shape
    }

    fn declare(&mut self, name: &str, body: Body, (bytes, depth): (usize, usize)) -> Shape {
        let name = self.names.claim(name, "");
        self.declared.0.push(Declared { name, body, depth, bytes });
        Shape::Named(self.declared.0.len() - 1)
    }

    fn array_shape(
        &mut self,
        schema: &Schema<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        let items = schema.child("items").filter(|items| items.value.is_object());
        let hint = format!("{hint}Item");
        let items = items.map(|items| self.read_element(&items, direction, &hint, losses));
        let items = items.unwrap_or(Shape::Json).without_constraints();
        if items.nesting() >= MOST_NESTING {
            losses.add(Kind::Schema, &schema.node.location(), "lists nested too deeply: any value");
            return Shape::Json;
        }
        let count = |key: &str| schema.find(key).and_then(Value::as_u64);
        let (min_items, max_items) = match direction {
            Direction::Sent => {
                drop_crossed_bounds(count("minItems").filter(|min| *min > 0), count("maxItems"))
            }
            Direction::Received => (None, None),
        };
        Shape::Array { items: Box::new(items), min_items, max_items }
    }

    fn object_shape(
        &mut self,
        schema: &Schema<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        let properties = schema.properties();
        if properties.is_empty() {
            return self.map_shape(schema, direction, hint, losses);
        }
        let key = (schema.node.id(), direction);
        match self.known.get(&key) {
            Some(Some(shape)) => return shape.clone(),
            Some(None) => {
                let message = "the schema contains itself: any value";
                losses.add(Kind::Schema, &schema.node.location(), message);
                return Shape::Json;
            }
            None => {}
        }
        self.known.insert(key.clone(), None);
        if schema.has_heirs() {
            let message = "one of several kinds of objects: the fields of all are optional";
            losses.add(Kind::Schema, &schema.node.location(), message);
        }
        let name = type_name(schema, hint);
        let mut fields = self.read_fields(schema, properties, direction, &name, losses);
        let shape = if fields.is_empty() {
            Shape::any_object()
        } else {
            self.shrink_fields(&mut fields, &schema.node, losses);
            let size = self.declared.estimate_fields_size(&fields);
            let ends = ["Input", "Request", "Body", "Payload", "Params"];
            let is_marked =
                direction == Direction::Received || ends.iter().any(|end| name.ends_with(end));
            let end = if is_marked { "" } else { "Input" };
            self.declare(&format!("{name}{end}"), Body::Record(fields), size)
        };
        self.known.insert(key, Some(shape.clone()));
        shape
    }

    /// The shape of the elements of a list or a map; any value if null is one of them.
    fn read_element(
        &mut self,
        node: &Node<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        let element = self.read_property(node, direction, hint, losses);
        if element.is_nullable && element.shape != Shape::Json {
            losses.add(Kind::Schema, &node.location(), "its elements may be null: any value");
            return Shape::Json;
        }
        element.shape
    }

    /// An object without declared fields.
    fn map_shape(
        &mut self,
        schema: &Schema<'_>,
        direction: Direction,
        hint: &str,
        losses: &mut Losses,
    ) -> Shape {
        let values = schema.child("additionalProperties").filter(|values| values.value.is_object());
        let Some(values) = values else { return Shape::any_object() };
        let hint = format!("{hint}Value");
        let values = self.read_element(&values, direction, &hint, losses).without_constraints();
        if values.nesting() >= MOST_NESTING {
            Shape::any_object()
        } else {
            Shape::Map(Box::new(values))
        }
    }

    fn read_fields(
        &mut self,
        schema: &Schema<'_>,
        properties: Vec<(&str, Node<'_>)>,
        direction: Direction,
        owner: &str,
        losses: &mut Losses,
    ) -> Vec<Field> {
        let (mut fields, mut names) = (Vec::new(), Names::default());
        let required = schema.required();
        for (original, node) in properties {
            if !is_name(original) || fields.len() >= MOST_FIELDS {
                let message = format!(
                    "left out: its name cannot be written, or it is behind {MOST_FIELDS} others"
                );
                losses.add(Kind::Schema, &node.location(), message);
                continue;
            }
            let hint = format!("{owner}{}", to_camel_case(original));
            let property = self.read_property(&node, direction, &hint, losses);
            if property.is_hidden {
                continue;
            }
            let is_sent = direction == Direction::Sent;
            let is_nullable = is_sent && property.is_nullable && property.shape != Shape::Json;
            let mut field = Field {
                name: names.claim(&to_snake_case(original, "field", LONGEST_FIELD), "_"),
                original: original.to_owned(),
                is_required: required.contains(original) && (is_sent || !property.is_nullable),
                description: property.description.filter(|_| is_sent),
                shape: property.shape,
                default: None,
                example: property.example,
                is_sensitive: property.is_sensitive,
                is_nullable,
            };
            if is_sent {
                self.loosen(&mut field, &node, losses);
            }
            fields.push(field);
        }
        fields
    }
}

fn type_name(schema: &Schema<'_>, hint: &str) -> String {
    if schema.node.is_component() {
        to_camel_case(&schema.node.name())
    } else {
        to_camel_case(hint)
    }
}
