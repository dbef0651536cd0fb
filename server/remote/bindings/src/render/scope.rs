//! The values that templates refer to.

use std::borrow::Cow;

use serde_json::{Map, Value};
use toolwrit_text::numbers::WrittenNumbers;

use crate::failure::Failure;
use crate::model::{Entry, Literal, Reference, Root, Template};

/// The values of one call.
pub(crate) struct Scope<'a> {
    arguments: &'a Map<String, Value>,
    settings: &'a Map<String, Value>,
    steps: Map<String, Value>,
    numbers: WrittenNumbers,
}

#[derive(Debug)]
pub(crate) struct Absent(Reference);

impl Absent {
    /// Returns the failure for a value that nothing optional is around.
    pub(crate) fn into_failure(self) -> Box<Failure> {
        match &self.0.root {
            Root::Argument(name) => {
                Failure::validation(format!("The argument `{name}` is missing."))
                    .at_argument(&self.0)
                    .expecting("a value")
            }
            Root::Setting(_) => {
                Failure::unavailable(format!("The setting `{}` is missing.", self.0))
            }
            Root::Step(_) => Failure::upstream(format!(
                "An earlier answer of the API has no value for `{}`.",
                self.0
            ))
            .permanent(),
        }
    }
}

impl<'a> Scope<'a> {
    pub(crate) fn new(arguments: &'a Map<String, Value>, settings: &'a Map<String, Value>) -> Self {
        Self { arguments, settings, steps: Map::new(), numbers: WrittenNumbers::default() }
    }

    /// Writes numbers as the caller did.
    pub(crate) fn writing(mut self, numbers: &WrittenNumbers) -> Self {
        self.numbers = numbers.clone();
        self
    }

    pub(crate) fn numbers(&self) -> &WrittenNumbers {
        &self.numbers
    }

    /// Returns a value without structure as text; `None` for null, lists and objects.
    pub(crate) fn text(&self, value: &Value) -> Option<String> {
        match value {
            Value::Number(number) => Some(self.numbers.text(number)),
            value => scalar_text(value),
        }
    }

    /// Adds what a step found.
    pub(crate) fn add_step(&mut self, name: &str, found: Value) {
        self.steps.insert(name.to_owned(), found);
    }

    /// Returns a value.
    ///
    /// # Errors
    /// If it is absent.
    pub(crate) fn value(&self, reference: &Reference) -> Result<Value, Absent> {
        let (values, name) = match &reference.root {
            Root::Argument(name) => (self.arguments, name),
            Root::Setting(name) => (self.settings, name),
            Root::Step(name) => (&self.steps, name),
        };
        let value = values.get(&**name).and_then(|value| reference.path.select(value));
        value.map(Cow::into_owned).ok_or_else(|| Absent(reference.clone()))
    }

    /// Inserts values into a template, once.
    ///
    /// # Errors
    /// If a value is absent, and no optional entry is around it.
    pub(crate) fn fill(&self, template: &Template) -> Result<Value, Absent> {
        match template {
            Template::Literal(literal) => Ok(literal_value(literal)),
            Template::Value(reference) => self.value(reference),
            Template::List(items) => items.iter().map(|item| self.fill(item)).collect(),
            Template::Object(entries) => {
                let mut object = Map::new();
                for entry in &**entries {
                    let value = self.entry(entry)?;
                    object.extend(value.map(|value| (entry.name.to_string(), value)));
                }
                Ok(Value::Object(object))
            }
        }
    }

    /// Returns the value of an entry; `None` if it is left out.
    ///
    /// # Errors
    /// If the entry is not optional, and a value in it is absent.
    pub(crate) fn entry(&self, entry: &Entry) -> Result<Option<Value>, Absent> {
        match self.fill(&entry.value) {
            Err(_) if entry.optional => Ok(None),
            filled => filled.map(Some),
        }
    }

    /// Returns the failure for a value that does not fit its slot.
    pub(crate) fn refused(&self, template: &Template, expected: &str) -> Box<Failure> {
        let failure = Failure::validation(format!("Expected {expected}.")).expecting(expected);
        let Template::Value(reference) = template else { return failure };
        let failure = failure.at_argument(reference);
        match self.value(reference) {
            Ok(value) => failure.got(&value),
            Err(_) => failure,
        }
    }
}

pub(crate) fn literal_value(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => (*value).into(),
        Literal::Integer(value) => (*value).into(),
        Literal::Number(value) => Value::Number(value.clone()),
        Literal::Text(text) => text.as_ref().into(),
    }
}

/// Returns a value without structure as text; `None` for null, lists and objects.
pub(crate) fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether two values are equal. An API may write a number as text, and the other way round.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    left == right || scalar_text(left).is_some_and(|text| scalar_text(right) == Some(text))
}
