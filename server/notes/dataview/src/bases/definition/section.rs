//! A part of a `.base` file with its place, for error messages.

use jiff::Zoned;
use serde_json::Value;

use super::DefinitionError;
use crate::bases::check::check;
use crate::bases::file::FIELDS;
use crate::bases::property::Property;
use crate::bases::syntax::{BaseExpression, parse};
use crate::value::Name;

/// What parts are read with.
pub(super) struct Reading<'a> {
    pub(super) now: &'a Zoned,
    /// The names of the formulas that expressions may use.
    pub(super) formulas: Vec<Name>,
}

/// A part of the file.
pub(super) struct Section<'a> {
    pub(super) value: &'a Value,
    /// Its keys, such as `views[0].filters.and[1]`.
    pub(super) place: String,
    pub(super) reading: &'a Reading<'a>,
}

impl Reading<'_> {
    /// A property by its name; without a prefix, one of the note.
    ///
    /// # Errors
    /// Why there is no such property.
    pub(super) fn property(&self, text: &str) -> Result<Property, String> {
        match text.split_once('.') {
            Some(("file", name)) if FIELDS.contains(&name) => Ok(Property::File(name.into())),
            Some(("file", _)) => {
                let known = FIELDS.map(|name| format!("file.{name}")).join(", ");
                Err(format!("there is no property `{text}`; expected one of {known}"))
            }
            Some(("formula", name)) => {
                let known = self.formulas.iter().find(|known| ***known == *name);
                let formula = known.map(|name| Property::Formula(name.clone()));
                formula.ok_or_else(|| format!("there is no formula `{name}`"))
            }
            Some(("note", name)) => Ok(Property::Note(name.into())),
            _ => Ok(Property::Note(text.into())),
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

    pub(super) fn text(&self) -> Result<&'a str, DefinitionError> {
        self.value.as_str().ok_or_else(|| self.expected_error("text"))
    }

    /// The text as an expression in which all functions and formulas exist.
    pub(super) fn expression(&self) -> Result<BaseExpression, DefinitionError> {
        let text = self.text().map_err(|_| self.expected_error("an expression in quotes"))?;
        let Reading { now, formulas } = self.reading;
        let parsed = parse(text, now).and_then(|parsed| {
            check(text, &parsed, formulas)?;
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
    pub(super) fn property(&self) -> Result<Property, DefinitionError> {
        let text = self.text().map_err(|_| self.expected_error("the name of a property"))?;
        self.reading.property(text).map_err(|reason| self.error(reason))
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
