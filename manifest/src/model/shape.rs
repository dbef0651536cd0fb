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
    /// A whole number.
    Integer {
        /// The Rust type that holds it.
        format: IntegerFormat,
        /// Smallest value. `None` without a bound of its own if clients may not represent the format's bound.
        min: Option<i128>,
        /// Largest value. `None` without a bound of its own if clients may not represent the format's bound.
        max: Option<i128>,
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
    Enum(Vec<EnumValue>),
    /// A list.
    Array {
        /// The shape of each item.
        items: Box<Shape>,
        /// Fewest items.
        min_items: Option<u64>,
        /// Most items.
        max_items: Option<u64>,
    },
    /// An object with arbitrary keys.
    Map(Box<Shape>),
    /// An object with declared fields.
    Record(Vec<Field>),
    /// A declared type. Never part of a cycle.
    Named(TypeId),
}

/// One of the strings of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumValue {
    pub name: String,
    /// For people. Not part of the wire schema.
    pub description: Option<String>,
}

impl EnumValue {
    /// A value without a description.
    pub(crate) fn plain(name: &str) -> Self {
        Self { name: name.to_owned(), description: None }
    }

    /// The strings of an enum, with this separator between them.
    pub(crate) fn join(values: &[Self], separator: &str) -> String {
        values.iter().map(|value| value.name.as_str()).collect::<Vec<_>>().join(separator)
    }
}

/// The Rust type of a whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IntegerFormat {
    /// 32 bits.
    I32,
    /// 32 bits, at least 0.
    U32,
    /// 64 bits.
    #[default]
    I64,
    /// 64 bits, at least 0.
    U64,
}

impl IntegerFormat {
    /// All of them.
    pub const ALL: [IntegerFormat; 4] = [Self::I32, Self::U32, Self::I64, Self::U64];

    /// The word used in the manifest, which is the name of the type.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }

    /// The smallest and the largest value.
    pub fn range(self) -> (i128, i128) {
        match self {
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::U32 => (0, u32::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
        }
    }

    /// The bounds that a schema states. Those of 64 bits are left out, because clients that hold
    /// numbers as floats cannot read them.
    pub(crate) fn stated(self) -> (Option<i128>, Option<i128>) {
        const EXACT: i128 = 1 << 53;
        let (min, max) = self.range();
        (Some(min).filter(|min| *min >= -EXACT), Some(max).filter(|max| *max <= EXACT))
    }
}

/// A whole number as JSON, which holds every format exactly.
pub(crate) fn whole(number: i128) -> Value {
    let unsigned = u64::try_from(number).map(Value::from);
    #[expect(
        clippy::expect_used,
        reason = "the bounds of every format are in the range of `u64` or `i64`"
    )]
    unsigned.or_else(|_| i64::try_from(number).map(Value::from)).expect("the number is in range")
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
    /// Whether it must be given, and its default.
    pub presence: Presence,
    /// For people and models. Falls back to the declared type's own.
    pub description: Option<String>,
    /// A valid value. Falls back to the declared type's own.
    pub example: Option<Value>,
    /// Never written to logs or the audit.
    pub sensitive: bool,
    /// Null may be sent, and clears the value. Schemas do not say so, because clients do not agree on how.
    pub nullable: bool,
    /// Its items are checked one by one, and one that does not fit reaches the handler with its fault.
    pub separate: bool,
}

/// Whether a field must be given.
#[derive(Debug, Clone, PartialEq)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be absent.
    Optional,
    /// It may be absent. The default is this value, which fits the shape.
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
            nullable: false,
            separate: false,
        }
    }
}
