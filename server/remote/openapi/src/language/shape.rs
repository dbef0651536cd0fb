//! The types of the manifest language, as far as an import needs them.

use regex::RegexBuilder;
use serde_json::{Number, Value};

/// The values of a parameter, a field or a result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    String {
        min_length: Option<u64>,
        max_length: Option<u64>,
        pattern: Option<String>,
    },
    Integer {
        min: Option<i64>,
        max: Option<i64>,
    },
    Number {
        min: Option<Number>,
        max: Option<Number>,
    },
    Boolean,
    Date,
    DateTime,
    Json,
    Enum(Vec<String>),
    Array {
        items: Box<Shape>,
        min_items: Option<u64>,
        max_items: Option<u64>,
    },
    Map(Box<Shape>),
    /// A declared type, by its position.
    Named(usize),
}

/// A declared type.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) body: Body,
    /// Levels of its schema.
    pub(crate) depth: usize,
    /// An upper bound for the bytes of its schema.
    pub(crate) bytes: usize,
}

/// What a declared type is.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Enum(Vec<String>),
    Record(Vec<Field>),
}

/// A field of a declared type, or a parameter.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// Its name in the manifest.
    pub(crate) name: String,
    /// Its name in the API.
    pub(crate) original: String,
    pub(crate) shape: Shape,
    pub(crate) is_required: bool,
    pub(crate) description: Option<String>,
    pub(crate) default: Option<Value>,
    pub(crate) example: Option<Value>,
    pub(crate) is_sensitive: bool,
    /// Whether null may be sent.
    pub(crate) is_nullable: bool,
}

impl Shape {
    pub(crate) fn text() -> Self {
        Shape::String { min_length: None, max_length: None, pattern: None }
    }

    pub(crate) fn list(items: Shape) -> Self {
        Shape::Array { items: Box::new(items), min_items: None, max_items: None }
    }

    /// An object of any fields.
    pub(crate) fn any_object() -> Self {
        Shape::Map(Box::new(Shape::Json))
    }

    /// The shape without constraints, which only the long form can state.
    pub(crate) fn without_constraints(self) -> Self {
        match self {
            Shape::String { .. } => Shape::text(),
            Shape::Integer { .. } => Shape::Integer { min: None, max: None },
            Shape::Number { .. } => Shape::Number { min: None, max: None },
            Shape::Array { items, .. } => Shape::list(*items),
            other => other,
        }
    }

    /// How many lists and maps are around each other.
    pub(crate) fn nesting(&self) -> usize {
        match self {
            Shape::Array { items, .. } => 1 + items.nesting(),
            Shape::Map(values) => 1 + values.nesting(),
            _ => 0,
        }
    }

    /// The declared type inside lists and maps.
    pub(crate) fn declared_type(&self) -> Option<usize> {
        match self {
            Shape::Named(id) => Some(*id),
            Shape::Array { items, .. } => items.declared_type(),
            Shape::Map(values) => values.declared_type(),
            _ => None,
        }
    }
}

/// The types that an import declares.
#[derive(Debug, Default)]
pub(crate) struct Declarations(pub(crate) Vec<Declared>);

impl Declarations {
    /// The fields, if the shape is a record.
    pub(crate) fn fields(&self, shape: &Shape) -> Option<&[Field]> {
        let Shape::Named(id) = shape else { return None };
        match &self.0[*id].body {
            Body::Record(fields) => Some(fields),
            Body::Enum(_) => None,
        }
    }

    pub(crate) fn is_scalar(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Json | Shape::Map(_) | Shape::Array { .. } => false,
            Shape::Named(_) => self.fields(shape).is_none(),
            _ => true,
        }
    }

    pub(crate) fn is_scalar_list(&self, shape: &Shape) -> bool {
        matches!(shape, Shape::Array { items, .. } if self.is_scalar(items))
    }

    /// Whether the API and the manifest write its values alike.
    pub(crate) fn is_verbatim(&self, shape: &Shape) -> bool {
        let Some(id) = shape.declared_type() else { return true };
        match &self.0[id].body {
            Body::Enum(_) => true,
            Body::Record(fields) => fields
                .iter()
                .all(|field| field.name == field.original && self.is_verbatim(&field.shape)),
        }
    }

    /// Whether an object that is built of its fields is left out if it is absent: one of them is always there.
    fn is_anchored(&self, shape: &Shape) -> bool {
        let mut fields = self.fields(shape).unwrap_or_default().iter();
        fields.any(|field| {
            field.is_required && (self.is_verbatim(&field.shape) || self.is_anchored(&field.shape))
        })
    }

    /// The shape of a field, or a looser one if a request could not be built of its values: within lists and maps
    /// nothing can be renamed, an optional object is left out only with a required field, and null has no fields.
    pub(crate) fn to_sendable(&self, field: &Field) -> Shape {
        let shape = &field.shape;
        let is_built = self.fields(shape).is_some()
            && !field.is_nullable
            && (field.is_required || self.is_anchored(shape));
        if is_built || self.is_verbatim(shape) {
            return shape.clone();
        }
        Self::to_loose(shape)
    }

    fn to_loose(shape: &Shape) -> Shape {
        match shape {
            Shape::Array { items, min_items, max_items } => Shape::Array {
                items: Box::new(Self::to_loose(items)),
                min_items: *min_items,
                max_items: *max_items,
            },
            Shape::Map(values) => Shape::Map(Box::new(Self::to_loose(values))),
            _ => Shape::any_object(),
        }
    }

    /// An upper bound for the bytes of a schema, and its levels.
    pub(crate) fn estimate_size(&self, shape: &Shape) -> (usize, usize) {
        let values =
            |values: &[String]| values.iter().map(|value| 2 * value.len() + 3).sum::<usize>();
        match shape {
            Shape::String { pattern, .. } => (90 + 2 * pattern.as_ref().map_or(0, String::len), 1),
            Shape::Integer { .. } | Shape::Number { .. } => (100, 1),
            Shape::Boolean => (20, 1),
            Shape::Date => (110, 1),
            Shape::DateTime => (260, 1),
            Shape::Json => (40, 1),
            Shape::Enum(names) => (30 + values(names), 1),
            Shape::Array { items, .. } | Shape::Map(items) => {
                add_level(self.estimate_size(items), 80)
            }
            Shape::Named(id) => (self.0[*id].bytes, self.0[*id].depth),
        }
    }

    pub(crate) fn estimate_fields_size(&self, fields: &[Field]) -> (usize, usize) {
        let sum = fields.iter().fold((0_usize, 0), |(bytes, depth), field| {
            let (bytes_of_field, levels) = self.estimate_size(&field.shape);
            (bytes.saturating_add(bytes_of_field + field_overhead(field)), depth.max(levels))
        });
        add_level(sum, 90)
    }

    /// Whether a value belongs to a shape.
    pub(crate) fn fits(&self, shape: &Shape, value: &Value) -> bool {
        match (shape, value) {
            (Shape::Json, _) | (Shape::Boolean, Value::Bool(_)) => true,
            (Shape::String { min_length, max_length, pattern }, Value::String(text)) => {
                is_between(text.chars().count() as u64, *min_length, *max_length)
                    && pattern.as_ref().is_none_or(|pattern| matches_pattern(pattern, text))
            }
            (Shape::Integer { min, max }, Value::Number(number)) => {
                number.as_i64().is_some_and(|number| is_between(number, *min, *max))
            }
            (Shape::Number { min, max }, Value::Number(number)) => {
                let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
                number.as_f64().is_some_and(|number| is_between(number, bound(min), bound(max)))
            }
            (Shape::Date, Value::String(text)) => matches_pattern(&format!("^{DAY}$"), text),
            (Shape::DateTime, Value::String(text)) => {
                matches_pattern(&format!("^{DAY}T{TIME}$"), text)
            }
            (Shape::Enum(values), Value::String(text)) => values.contains(text),
            (Shape::Array { items, min_items, max_items }, Value::Array(list)) => {
                is_between(list.len() as u64, *min_items, *max_items)
                    && list.iter().all(|item| self.fits(items, item))
            }
            (Shape::Map(values), Value::Object(members)) => {
                members.values().all(|value| self.fits(values, value))
            }
            (Shape::Named(id), _) => match (&self.0[*id].body, value) {
                (Body::Enum(values), Value::String(text)) => values.contains(text),
                (Body::Record(fields), Value::Object(members)) => {
                    members.keys().all(|key| fields.iter().any(|field| field.name == *key))
                        && fields.iter().all(|field| match members.get(&field.name) {
                            Some(value) => self.fits(&field.shape, value),
                            None => !field.is_required,
                        })
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// A date, but not 29 February: a pattern cannot tell leap years, and an example may have another day.
const DAY: &str = "[0-9]{4}-((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])\
    |(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)";
const TIME: &str =
    "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";

fn add_level((bytes, depth): (usize, usize), added: usize) -> (usize, usize) {
    (bytes.saturating_add(added), depth + 1)
}

fn is_between<T: PartialOrd + Copy>(value: T, min: Option<T>, max: Option<T>) -> bool {
    min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
}

/// What a field adds to the schema of its type.
fn field_overhead(field: &Field) -> usize {
    let escaped = |text: &String| text.matches(['"', '\\']).count();
    let text = field.description.as_ref().map_or(0, |text| 20 + text.len() + escaped(text));
    let default = field.default.as_ref().map_or(0, |default| 12 + default.to_string().len());
    let text = text + if field.is_nullable { 40 } else { 0 };
    2 * field.name.len() + 10 + text + default
}

/// A pattern that the manifest language accepts.
pub(crate) fn is_valid_pattern(pattern: &str) -> bool {
    const MOST_BYTES: usize = 1 << 20;
    const LONGEST: usize = 300;
    pattern.len() <= LONGEST && RegexBuilder::new(pattern).size_limit(MOST_BYTES).build().is_ok()
}

fn matches_pattern(pattern: &str, text: &str) -> bool {
    regex::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
}
