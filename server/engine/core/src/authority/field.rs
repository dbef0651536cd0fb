//! Parameters and their types: the tables that the validator reads.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;

/// A parameter, or a field of an object parameter.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The manifest's name.
    pub name: &'a str,
    /// The type of its values.
    pub ty: &'a Type<'a>,
    /// Whether it is required.
    pub presence: Presence<'a>,
    /// The description for people and models.
    pub description: &'a str,
    /// For an enum or a list of its values: each value and its description. Empty without descriptions.
    pub values: &'a [(&'a str, &'a str)],
    /// Whether its value must never be logged.
    pub sensitive: bool,
}

impl Field<'_> {
    /// A required field of any type, to be completed.
    pub const REQUIRED: Self = Self {
        name: "",
        ty: &Type::Json,
        presence: Presence::Required,
        description: "",
        values: &[],
        sensitive: false,
    };
    /// An optional field of any type, to be completed.
    pub const OPTIONAL: Self = Self { presence: Presence::Optional, ..Self::REQUIRED };
}

/// Whether a field is required.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence<'a> {
    /// The field is required.
    Required,
    /// The field may be absent.
    Optional,
    /// The field may be absent. Its value is then this JSON text, which is valid for the type.
    Default(&'a str),
}

/// The type of a field.
#[derive(Debug, Clone, Copy)]
pub enum Type<'a> {
    /// A string; lengths in Unicode scalar values.
    String {
        /// Shortest length.
        min: u64,
        /// Longest length.
        max: u64,
        /// An expression that must match a part of the string.
        pattern: Option<&'a Pattern>,
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
    Enum(&'a [&'a str]),
    /// A list.
    Array {
        /// The type of each item.
        items: &'a Type<'a>,
        /// Minimum number of items.
        min: u64,
        /// Maximum number of items.
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

/// A regular expression, compiled on first use. The load of its manifest has checked that it compiles.
#[derive(Debug)]
pub struct Pattern {
    source: Cow<'static, str>,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Wraps an expression that the macro has checked.
    pub const fn new(source: &'static str) -> Self {
        Self { source: Cow::Borrowed(source), compiled: OnceLock::new() }
    }

    /// The same for an expression that is known only at run time.
    pub(super) const fn owned(source: String) -> Self {
        Self { source: Cow::Owned(source), compiled: OnceLock::new() }
    }

    /// The expression as written in the manifest.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether it matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| Regex::new(&self.source).ok())
            .as_ref()
            .is_some_and(|regex| regex.is_match(text))
    }
}
