//! Types: what values a parameter or a result may have.

use regex::Regex;
use serde_json::Value;

use super::TypeId;

/// A declared type.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDef {
    /// `UpperCamel`.
    pub name: String,
    /// What values it has.
    pub shape: Shape,
    /// For people and models.
    pub description: Option<String>,
    /// A valid value.
    pub example: Option<Value>,
    /// Never written to logs or the audit.
    pub sensitive: bool,
}

/// The values that a type has.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A string; lengths are in Unicode scalar values.
    String {
        /// Shortest length.
        min_length: Option<u64>,
        /// Longest length.
        max_length: Option<u64>,
        /// RE2-style expression that must match somewhere in the string.
        pattern: Option<Pattern>,
    },
    /// A whole number of 64 bits.
    Integer {
        /// Smallest value.
        min: Option<i64>,
        /// Largest value.
        max: Option<i64>,
    },
    /// A finite number.
    Number {
        /// Smallest value.
        min: Option<f64>,
        /// Largest value.
        max: Option<f64>,
    },
    /// `true` or `false`.
    Boolean,
    /// A calendar date, `2026-05-01`.
    Date,
    /// An instant, RFC 3339.
    DateTime,
    /// Any JSON value.
    Json,
    /// One of several strings; at least one, all different.
    Enum(Vec<String>),
    /// A list.
    Array {
        /// The shape of each item.
        items: Box<Shape>,
        /// Fewest items.
        min_items: Option<u64>,
        /// Most items.
        max_items: Option<u64>,
    },
    /// An object with free keys.
    Map(Box<Shape>),
    /// An object with declared fields.
    Record(Vec<Field>),
    /// A declared type. Never part of a cycle.
    Named(TypeId),
}

/// A regular expression that compiles.
#[derive(Debug, Clone)]
pub struct Pattern(pub(crate) Regex);

impl Pattern {
    /// The expression as written.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The compiled expression.
    pub fn regex(&self) -> &Regex {
        &self.0
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

/// A parameter, or a field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// `snake_case`.
    pub name: String,
    /// What values it takes.
    pub shape: Shape,
    /// Whether it must be there, and what stands for it when it is not.
    pub presence: Presence,
    /// For people and models. Falls back to the declared type's own.
    pub description: Option<String>,
    /// A valid value. Falls back to the declared type's own.
    pub example: Option<Value>,
    /// Never written to logs or the audit.
    pub sensitive: bool,
}

/// Whether a field must be given.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be absent.
    Optional,
    /// It may be absent and is then this value, which fits the shape.
    Default(Value),
}

impl Field {
    pub(crate) fn added(name: &str, shape: Shape, presence: Presence, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            shape,
            presence,
            description: Some(description.to_owned()),
            example: None,
            sensitive: false,
        }
    }
}
