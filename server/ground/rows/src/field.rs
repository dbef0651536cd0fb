//! Parameters and their types: the tables that the validator reads.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use serde::{Deserialize, Serialize};

/// A parameter, or a field of an object parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// The manifest's name.
    pub name: String,
    /// The type of its values.
    pub ty: Type,
    /// Whether it is required.
    pub presence: Presence,
    /// The description for people and models.
    pub description: String,
    /// For an enum or a list of its values: each value and its description. Empty without descriptions.
    pub values: Vec<(String, String)>,
    /// Whether its value must never be logged.
    pub sensitive: bool,
    /// Whether null may be sent, which clears the value.
    pub nullable: bool,
    /// Whether each item of the list is checked by itself, and one that does not fit is refused alone.
    pub separate: bool,
}

impl Field {
    /// A field without a description.
    pub fn new(name: impl Into<String>, ty: Type, presence: Presence) -> Self {
        Self {
            name: name.into(),
            ty,
            presence,
            description: String::new(),
            values: Vec::new(),
            sensitive: false,
            nullable: false,
            separate: false,
        }
    }
}

/// Whether a field is required.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Presence {
    /// The field is required.
    Required,
    /// The field may be absent.
    Optional,
    /// The field may be absent. Its value is then this JSON text, which is valid for the type.
    Default(String),
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Type {
    /// A string; lengths in Unicode scalar values.
    String {
        /// Shortest length.
        min: u64,
        /// Longest length.
        max: u64,
        /// An expression that must match a part of the string.
        pattern: Option<Pattern>,
    },
    /// A whole number.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A whole number of at least 0, which may exceed `i64::MAX`.
    Unsigned {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A finite number.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// `true` or `false`.
    Boolean,
    /// A calendar date.
    Date,
    /// An instant.
    DateTime,
    /// Any JSON value.
    Json,
    /// One of several strings.
    Enum(Vec<String>),
    /// A list.
    Array {
        /// The type of each item.
        items: Box<Type>,
        /// Minimum number of items.
        min: u64,
        /// Maximum number of items.
        max: u64,
    },
    /// An object with free keys.
    Map(Box<Type>),
    /// An object with declared fields.
    Record(Vec<Field>),
}

impl Type {
    /// Any string.
    pub const STRING: Self = Self::String { min: 0, max: u64::MAX, pattern: None };
    /// Any 64-bit whole number.
    pub const INTEGER: Self = Self::Integer { min: i64::MIN, max: i64::MAX };
    /// Any finite number.
    pub const NUMBER: Self = Self::Number { min: f64::MIN, max: f64::MAX };
}

impl Type {
    /// Replaces expressions that are known by the known ones.
    pub(crate) fn share_patterns(&mut self, known: &mut HashMap<String, Pattern>) {
        match self {
            Self::String { pattern: Some(pattern), .. } => {
                let source = pattern.as_str().to_owned();
                *pattern = known.entry(source).or_insert_with(|| pattern.clone()).clone();
            }
            Self::Array { items, .. } | Self::Map(items) => items.share_patterns(known),
            Self::Record(fields) => {
                for field in fields {
                    field.ty.share_patterns(known);
                }
            }
            _ => {}
        }
    }
}

/// A regular expression, compiled on first use. The load of its manifest has checked that it compiles. Clones share it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Pattern(Arc<Expression>);

#[derive(Debug)]
struct Expression {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Wraps an expression that compiles.
    pub fn new(source: String) -> Self {
        Self(Arc::new(Expression { source, compiled: OnceLock::new() }))
    }

    /// The expression as written in the manifest.
    pub fn as_str(&self) -> &str {
        &self.0.source
    }

    /// Whether it matches somewhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        let compiled = self.0.compiled.get_or_init(|| Regex::new(&self.0.source).ok());
        compiled.as_ref().is_some_and(|regex| regex.is_match(text))
    }
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self::new(source)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.as_str().to_owned()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}
