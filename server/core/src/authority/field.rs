//! What a parameter takes: the tables that the validator reads.

use std::sync::OnceLock;

use regex::Regex;

/// A parameter, or a field of an object parameter.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// What values it takes.
    pub ty: &'a Type<'a>,
    /// Whether it must be given.
    pub presence: Presence<'a>,
    /// For people and models.
    pub description: &'a str,
    /// Never written to logs.
    pub sensitive: bool,
}

impl Field<'_> {
    /// A field that must be given.
    pub const REQUIRED: Self = Self {
        name: "",
        ty: &Type::Json,
        presence: Presence::Required,
        description: "",
        sensitive: false,
    };
    /// A field that may be absent.
    pub const OPTIONAL: Self = Self { presence: Presence::Optional, ..Self::REQUIRED };
}

/// Whether a field must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence<'a> {
    /// It must be given.
    Required,
    /// It may be absent.
    Optional,
    /// It may be absent and is then this JSON text, which fits.
    Default(&'a str),
}

/// The values that a field takes.
#[derive(Debug, Clone, Copy)]
pub enum Type<'a> {
    /// A string; lengths in Unicode scalar values.
    String {
        /// Shortest length.
        min: u64,
        /// Longest length.
        max: u64,
        /// Must match somewhere.
        pattern: Option<&'a Pattern>,
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
    Enum(&'a [&'a str]),
    /// A list.
    Array {
        /// Each item.
        items: &'a Type<'a>,
        /// Fewest items.
        min: u64,
        /// Most items.
        max: u64,
    },
    /// An object with free keys.
    Map(&'a Type<'a>),
    /// An object with declared fields.
    Record(&'a [Field<'a>]),
}

impl Type<'_> {
    /// Any string.
    pub const STRING: Self = Self::String { min: 0, max: u64::MAX, pattern: None };
    /// Any 64-bit whole number.
    pub const INTEGER: Self = Self::Integer { min: i64::MIN, max: i64::MAX };
    /// Any finite number.
    pub const NUMBER: Self = Self::Number { min: f64::MIN, max: f64::MAX };
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
