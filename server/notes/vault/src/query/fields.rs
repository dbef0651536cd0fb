//! Conditions on fields whose names and kinds are known.

use jiff::civil::Date;
use serde_json::{Map, Value as Json};

use super::{Condition, Literal, PropertyValues, Test};
use crate::error::Result;
use crate::glob::{check_length, pattern_error};
use crate::path::fold;
use crate::query::parser;

/// A condition on the fields of something, in the language of
/// [`SearchPattern::frontmatter`](crate::SearchPattern::frontmatter).
#[derive(Debug, Clone, PartialEq)]
pub struct FieldCondition(Condition);

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValues {
    /// `YYYY-MM-DD`; in conditions also `today`, `yesterday` and `tomorrow`.
    Date,
    /// Text, which has no order.
    Text,
    /// A tag; in conditions with or without `#`.
    Tag,
}

impl FieldCondition {
    /// Parses a condition on these fields.
    ///
    /// # Errors
    /// [`BadPattern`](crate::VaultError::BadPattern) if it cannot be parsed, names another field, or compares a field with
    /// what it cannot be.
    pub fn parse(query: &str, fields: &[(&str, FieldValues)], today: Date) -> Result<Self> {
        check_length(query)?;
        let mut condition =
            parser::parse(query).map_err(|fault| pattern_error(query, fault.to_string()))?;
        check(&mut condition, fields, today).map_err(|problem| pattern_error(query, problem))?;
        Ok(Self(condition))
    }

    /// Whether these values meet the condition.
    pub fn holds(&self, values: &Map<String, Json>) -> bool {
        self.0.holds(&PropertyValues::new(values))
    }
}

fn check(
    condition: &mut Condition,
    fields: &[(&str, FieldValues)],
    today: Date,
) -> Result<(), String> {
    match condition {
        Condition::Any(all) | Condition::All(all) => {
            all.iter_mut().try_for_each(|one| check(one, fields, today))
        }
        Condition::Not(inner) => check(inner, fields, today),
        Condition::Test { key, test } => {
            let name = key.0.join(".");
            let Some((_, values)) = fields.iter().find(|(field, _)| *field == name) else {
                let known: Vec<&str> = fields.iter().map(|(field, _)| *field).collect();
                return Err(format!("`{name}` is no field; expected {}", known.join(", ")));
            };
            check_test(&name, test, *values, today)
        }
    }
}

fn check_test(name: &str, test: &mut Test, values: FieldValues, today: Date) -> Result<(), String> {
    if matches!(test, Test::Ordered(..)) && values != FieldValues::Date {
        return Err(format!("the values of `{name}` have no order; use `=`, `in` or `contains`"));
    }
    let literals: &mut [Literal] = match test {
        Test::Exists => &mut [],
        Test::Equal(literals) => literals,
        Test::Ordered(_, literal) | Test::Contains(literal) => std::slice::from_mut(literal),
    };
    for literal in literals {
        match values {
            FieldValues::Text => literal.word = None,
            FieldValues::Tag => {
                let tag = literal.text.strip_prefix('#').unwrap_or(&literal.text).to_owned();
                *literal = Literal { text: tag, word: None };
            }
            FieldValues::Date => {
                let day = match literal.text.as_str() {
                    "today" => Ok(today),
                    "yesterday" => today.yesterday(),
                    "tomorrow" => today.tomorrow(),
                    date => date.parse(),
                };
                let day = day.map_err(|_| {
                    let given = &literal.text;
                    format!("`{name}` is a date, and `{given}` is none; expected YYYY-MM-DD, today, yesterday or tomorrow")
                })?;
                *literal = Literal { text: fold(&day.to_string()), word: None };
            }
        }
    }
    Ok(())
}
