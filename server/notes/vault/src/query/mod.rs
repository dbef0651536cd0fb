//! Conditions on frontmatter: `status = todo and priority > 2`.
//!
//! ```text
//! condition = all { "or" all }
//! all       = one { "and" one }
//! one       = "not" one | "(" condition ")" | key test
//! test      = ( "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" ) value
//!           | "in" "(" value { "," value } ")" | "exists" | "missing"
//! ```
//!
//! Keys and values are words, or text in single or double quotes. A key with dots reaches into maps
//! (`author.name`). Keywords, keys and text are compared without case and in any normal form. The
//! key `tags` stands for all tags of a note, including those in its text, without `#`.
//!
//! * `=` holds if the value, or an element of a list, is equal. A word equals whatever it looks
//!   like: `3` the number and the text, `true` the truth value and the text, `null` nothing and the
//!   text. A quoted value equals text only.
//! * `<`, `<=`, `>` and `>=` compare numbers with numbers, dates with dates (text that starts with
//!   a year and a month, `2026-11-22`), and other texts by code points; never different kinds. One
//!   element of a list is enough.
//! * `contains` holds for an equal element of a list, a part of a text, or a key of a map.
//! * `exists` holds if the key exists, with any value. `missing` is `not exists`, and `!=` is
//!   `not =`; both hold if the key does not exist.
//!
//! A note with invalid frontmatter meets no condition.

mod fields;
mod lexer;
mod parser;
mod value;

use std::cmp::Ordering;

pub use fields::{FieldCondition, FieldValues};
pub(crate) use value::{PropertyValue, PropertyValues};

use crate::error::Result;
use crate::glob::{check_length, pattern_error};

/// A condition on frontmatter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    Any(Vec<Condition>),
    All(Vec<Condition>),
    Not(Box<Condition>),
    Test { key: PropertyPath, test: Test },
}

/// The folded names of keys that lead to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PropertyPath(Vec<String>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Test {
    Exists,
    /// The value equals one of these.
    Equal(Vec<Literal>),
    /// The value has this order relative to the literal.
    Ordered(Comparison, Literal),
    Contains(Literal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// A value in a condition, with all its possible readings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Literal {
    /// Folded.
    text: String,
    word: Option<BareWord>,
}

/// The value that unquoted text looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BareWord {
    Number(f64),
    Bool(bool),
    Null,
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern), which names the column.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        check_length(text)?;
        parser::parse(text).map_err(|fault| pattern_error(text, fault.to_string()))
    }

    /// Whether these properties meet the condition.
    pub(crate) fn holds(&self, properties: &PropertyValues) -> bool {
        match self {
            Self::Any(any) => any.iter().any(|one| one.holds(properties)),
            Self::All(all) => all.iter().all(|one| one.holds(properties)),
            Self::Not(inner) => !inner.holds(properties),
            Self::Test { key, test } => {
                let value = properties.get(&key.0);
                match test {
                    Test::Exists => value.is_some(),
                    Test::Equal(literals) => literals.iter().any(|literal| literal.is(value)),
                    Test::Ordered(order, literal) => {
                        value.is_some_and(|value| literal.orders(*order, value))
                    }
                    Test::Contains(literal) => value.is_some_and(|value| literal.is_in(value)),
                }
            }
        }
    }
}

impl Comparison {
    fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl Literal {
    fn is(&self, value: Option<&PropertyValue>) -> bool {
        match value {
            None | Some(PropertyValue::Null) => self.word == Some(BareWord::Null),
            Some(PropertyValue::Bool(value)) => self.word == Some(BareWord::Bool(*value)),
            Some(PropertyValue::Number(value)) => self.word == Some(BareWord::Number(*value)),
            Some(PropertyValue::Text(text)) => text.folded() == self.text,
            Some(PropertyValue::List(list)) => list.iter().any(|element| self.is(Some(element))),
            Some(PropertyValue::Map(_)) => false,
        }
    }

    fn orders(&self, order: Comparison, value: &PropertyValue) -> bool {
        match value {
            PropertyValue::Number(value) => match self.word {
                Some(BareWord::Number(number)) => {
                    value.partial_cmp(&number).is_some_and(|ordering| order.accepts(ordering))
                }
                _ => false,
            },
            PropertyValue::Text(text) => {
                let comparable =
                    self.word.is_none() && is_date(text.folded()) == is_date(&self.text);
                comparable && order.accepts(text.folded().cmp(&self.text))
            }
            PropertyValue::List(list) => list.iter().any(|element| self.orders(order, element)),
            PropertyValue::Null | PropertyValue::Bool(_) | PropertyValue::Map(_) => false,
        }
    }

    fn is_in(&self, value: &PropertyValue) -> bool {
        match value {
            PropertyValue::Text(text) => text.folded().contains(&self.text),
            PropertyValue::List(list) => list.iter().any(|element| self.is(Some(element))),
            PropertyValue::Map(map) => map.get(std::slice::from_ref(&self.text)).is_some(),
            PropertyValue::Null | PropertyValue::Bool(_) | PropertyValue::Number(_) => false,
        }
    }
}

/// Whether a text starts with a year and a month.
fn is_date(text: &str) -> bool {
    let start = text.as_bytes().get(..7);
    start.is_some_and(|start| {
        let digit = |&at: &usize| start[at].is_ascii_digit();
        [0, 1, 2, 3, 5, 6].iter().all(digit) && start[4] == b'-'
    })
}
