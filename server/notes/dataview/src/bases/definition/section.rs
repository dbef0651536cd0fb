//! A part of a base with its place, for error messages.

use std::cell::RefCell;

use jiff::Zoned;
use serde_json::Value;

use super::DefinitionError;
use crate::bases::check::{check, missing_name_message};
use crate::bases::file::FIELDS;
use crate::bases::names;
use crate::bases::property::Property;
use crate::bases::syntax::{BaseExpression, parse};
use crate::value::Name;

/// What parts are read with.
pub(super) struct Reading<'a> {
    pub(super) now: &'a Zoned,
    /// The names of the formulas that expressions may use.
    pub(super) formulas: Vec<Name>,
    /// What was left out so far.
    pub(super) problems: RefCell<Vec<DefinitionError>>,
}

/// A part of the base.
pub(super) struct Section<'a> {
    pub(super) value: &'a Value,
    /// Its keys, such as `views[0].filters.and[1]`.
    pub(super) place: String,
    pub(super) reading: &'a Reading<'a>,
}

impl Reading<'_> {
    /// A property by its name; without a prefix, one of the note.
    pub(super) fn property(&self, text: &str) -> Property {
        let unknown =
            |reason: String| Property::Unknown { text: text.into(), reason: reason.into() };
        match text.split_once('.') {
            Some(("file", name)) => {
                if let Some(index) = names::find(FIELDS.into_iter(), name) {
                    return Property::File(FIELDS[index].into());
                }
                let known = FIELDS.map(|name| format!("file.{name}")).join(", ");
                unknown(format!("there is no property `{text}`; expected one of {known}"))
            }
            Some(("formula", name)) => {
                let known = self.formulas.iter().map(|known| &**known);
                if let Some(index) = names::find(known.clone(), name) {
                    return Property::Formula(self.formulas[index].clone());
                }
                let known: Vec<&str> = known.collect();
                unknown(missing_name_message("formula", name, &known))
            }
            Some(("note", name)) => Property::Note(name.into()),
            _ => Property::Note(text.into()),
        }
    }
}

impl<'a> Section<'a> {
    fn part(&self, value: &'a Value, place: String) -> Self {
        Self { value, place, reading: self.reading }
    }

    /// The part under a key, unless it is empty.
    pub(super) fn key(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        let dot = if self.place.is_empty() { "" } else { "." };
        Some(self.part(value, format!("{}{dot}{key}", self.place)))
    }

    /// The parts of a mapping.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Self)>, DefinitionError> {
        let Value::Object(map) = self.value else {
            return Err(self.expected_error("`key: value` lines"));
        };
        let part = |(key, value): (&'a String, &'a Value)| {
            (key.as_str(), self.part(value, format!("{}.{key}", self.place)))
        };
        Ok(map.iter().map(part).collect())
    }

    /// The parts of a list.
    pub(super) fn items(&self) -> Result<Vec<Self>, DefinitionError> {
        let Value::Array(items) = self.value else { return Err(self.expected_error("a list")) };
        let part = |(index, value)| self.part(value, format!("{}[{index}]", self.place));
        Ok(items.iter().enumerate().map(part).collect())
    }

    /// The parts of the mapping under a key; none if it is missing or no mapping.
    pub(super) fn mapping(&self, key: &str) -> Vec<(&'a str, Self)> {
        let entries = self.key(key).and_then(|section| self.or_report(section.entries()));
        entries.unwrap_or_default()
    }

    /// The parts of the list under a key, without empty ones; none if it is missing or no list.
    pub(super) fn list(&self, key: &str) -> Vec<Self> {
        let items = self.key(key).and_then(|section| self.or_report(section.items()));
        let items = items.unwrap_or_default().into_iter();
        items.filter(|section| !section.value.is_null()).collect()
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        self.or_report(self.value.as_str().ok_or_else(|| self.expected_error("text")))
    }

    /// The text as an expression in which all functions and formulas exist.
    pub(super) fn expression(&self) -> BaseExpression {
        self.try_expression()
            .unwrap_or_else(|error| BaseExpression::Invalid(error.to_string().into()))
    }

    fn try_expression(&self) -> Result<BaseExpression, DefinitionError> {
        let text = match self.value {
            Value::String(text) => text.clone(),
            // YAML reads such expressions as values.
            Value::Number(_) | Value::Bool(_) => self.value.to_string(),
            _ => return Err(self.expected_error("an expression in quotes")),
        };
        let Reading { now, formulas, .. } = self.reading;
        let parsed = parse(&text, now).and_then(|parsed| {
            check(&text, &parsed, formulas)?;
            Ok(parsed)
        });
        parsed.map_err(|error| {
            let line =
                if error.line > 1 { format!(" line {},", error.line) } else { String::new() };
            DefinitionError {
                place: format!("{},{line} column {}", self.place, error.column),
                reason: error.reason,
            }
        })
    }

    /// The text as the name of a property.
    pub(super) fn property(&self) -> Option<Property> {
        let text = self.value.as_str();
        let text = text.ok_or_else(|| self.expected_error("the name of a property"));
        self.or_report(text).map(|text| self.reading.property(text))
    }

    /// Reports an error in place of a result.
    fn or_report<T>(&self, result: Result<T, DefinitionError>) -> Option<T> {
        result.map_err(|error| self.report(error)).ok()
    }

    /// Reports what is left out.
    pub(super) fn report(&self, problem: DefinitionError) {
        self.reading.problems.borrow_mut().push(problem);
    }

    /// The error that something else was expected here.
    pub(super) fn expected_error(&self, expected: &str) -> DefinitionError {
        let found = match self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "text",
            Value::Array(_) => "a list",
            Value::Object(_) => "a mapping",
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    pub(super) fn error(&self, reason: String) -> DefinitionError {
        DefinitionError { place: self.place.clone(), reason }
    }
}
