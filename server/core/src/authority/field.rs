//! What a parameter takes: the tables that the validator reads.

use std::sync::OnceLock;

use regex::Regex;

/// A parameter, or a field of an object parameter.
#[derive(Debug)]
pub struct Field {
    /// The manifest's name.
    pub name: &'static str,
    /// What values it takes.
    pub ty: &'static Type,
    /// Whether it must be given.
    pub presence: Presence,
    /// For people and models.
    pub description: &'static str,
    /// Never written to logs.
    pub sensitive: bool,
}

impl Field {
    /// A field that must be given.
    pub const REQUIRED: Field = Field {
        name: "",
        ty: &Type::Json,
        presence: Presence::Required,
        description: "",
        sensitive: false,
    };
    /// A field that may be absent.
    pub const OPTIONAL: Field = Field { presence: Presence::Optional, ..Field::REQUIRED };
}

/// Whether a field must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be absent.
    Optional,
    /// It may be absent and is then this JSON text, which fits.
    Default(&'static str),
}

/// The values that a field takes.
#[derive(Debug)]
pub enum Type {
    /// A string; lengths in Unicode scalar values.
    String {
        /// Shortest length.
        min: u64,
        /// Longest length.
        max: u64,
        /// Must match somewhere.
        pattern: Option<&'static Pattern>,
    },
    /// A whole number.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A whole number of at least 0, which may lie beyond those of [`Type::Integer`].
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
    Enum(&'static [&'static str]),
    /// A list.
    Array {
        /// Each item.
        items: &'static Type,
        /// Fewest items.
        min: u64,
        /// Most items.
        max: u64,
    },
    /// An object with free keys.
    Map(&'static Type),
    /// An object with declared fields.
    Record(&'static [Field]),
}

impl Type {
    /// Any string.
    pub const STRING: Type = Type::String { min: 0, max: u64::MAX, pattern: None };
    /// Any 64-bit whole number.
    pub const INTEGER: Type = Type::Integer { min: i64::MIN, max: i64::MAX };
    /// Any finite number.
    pub const NUMBER: Type = Type::Number { min: f64::MIN, max: f64::MAX };
}

/// A regular expression, compiled on first use. The macro has seen it compile.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Wraps an expression that the macro has checked.
    pub const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// The expression as written in the manifest.
    pub fn as_str(&self) -> &'static str {
        self.source
    }

    /// Whether it matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| Regex::new(self.source).ok())
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    }
}
