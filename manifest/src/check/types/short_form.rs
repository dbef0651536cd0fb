//! The short form of types: from expressions to shapes.

use serde_json::Value;

use super::expression::{self, Expression, ExpressionError, SpannedWord};
use super::{Lowered, LoweringState, TypeTable, enumeration, unions};
use crate::check::names::lookup::BUILT_IN;
use crate::diagnostics::{Place, Problem, Report};
use crate::model::{IntegerFormat, Shape};
use crate::raw::Located;
use crate::yaml::{self, Text};

impl TypeTable<'_> {
    pub(super) fn expression(&mut self, text: &Text, report: &mut Report) -> Lowered {
        let parsed = match expression::parse(&text.value) {
            Ok(parsed) => parsed,
            Err(fault) => {
                reported(fault, text, report);
                return Shape::Json.into();
            }
        };
        let shape = self.lower_expression(&parsed.expression, text, report);
        let default = match parsed.default.map(|default| short_default(default, text, report)) {
            Some(Ok(default)) => {
                self.check_value("default", &shape, Some(&default), report);
                Some(default)
            }
            Some(Err(place)) => Some(Located { value: Value::Null, place }),
            None => None,
        };
        Lowered { default, ..shape.into() }
    }

    fn lower_expression(
        &mut self,
        expression: &Expression,
        text: &Text,
        report: &mut Report,
    ) -> Shape {
        match expression {
            Expression::Name(name) => self.lower_name(name, text, report),
            Expression::Words(words) => self.words(words, text, report),
            Expression::Array(items) => Shape::Array {
                items: Box::new(self.lower_expression(items, text, report)),
                min_items: None,
                max_items: None,
            },
            Expression::Map(values) => {
                Shape::Map(Box::new(self.lower_expression(values, text, report)))
            }
        }
    }

    fn lower_name(&mut self, name: &SpannedWord, text: &Text, report: &mut Report) -> Shape {
        if let Some(shape) = built_in(&name.text) {
            return shape;
        }
        let place = text.part(name.at.start, name.at.len());
        let Some(id) = self.lookup.type_id(&name.text, place, report) else {
            return Shape::Json;
        };
        self.lower(id, report);
        if matches!(self.states[id.0], LoweringState::Active) {
            report.push(
                Problem::error(place, format!("the type `{}` contains itself", name.text)).help(
                    "clients do not support `$ref`; use `json`, or ids instead of nested values",
                ),
            );
            return Shape::Json;
        }
        Shape::Named(id)
    }

    /// `a | b`: words. Some of them may be names of built-in types, but not all.
    fn words(&mut self, words: &[SpannedWord], text: &Text, report: &mut Report) -> Shape {
        let types = words.iter().find(|word| self.lookup.types.position(&word.text).is_some());
        let is_type =
            |word: &SpannedWord| BUILT_IN.contains(&&*word.text) || unions::is_foreign(word);
        let all_built_in = words.iter().all(is_type);
        if let Some(word) = types.or(words.first().filter(|_| all_built_in)) {
            report.push(
                Problem::error(
                    text.part(word.at.start, word.at.len()),
                    format!("`{}` is a type, and `|` joins words", word.text),
                )
                .expected("plain words, such as `markdown | html`")
                .help(unions::instead(words)),
            );
            return Shape::Json;
        }
        let values = words
            .iter()
            .map(|word| (word.text.as_str(), text.part(word.at.start, word.at.len())))
            .collect();
        enumeration::plain(values, report)
    }
}

/// The default after `=` in the short form; its place if it is missing or invalid, which is reported.
fn short_default(
    default: Result<SpannedWord, ExpressionError>,
    text: &Text,
    report: &mut Report,
) -> Result<Located<Value>, Place> {
    let default = default.map_err(|fault| reported(fault, text, report))?;
    let place = text.part(default.at.start, default.at.len());
    yaml::parse_value(&default.text).map(|value| Located { value, place }).map_err(|message| {
        report.push(Problem::error(place, format!("the default is invalid: {message}")));
        place
    })
}

fn reported(fault: ExpressionError, text: &Text, report: &mut Report) -> Place {
    let place = text.part(fault.at.start, fault.at.len());
    report.push(Problem::error(place, fault.message).expected(fault.expected));
    place
}

fn built_in(name: &str) -> Option<Shape> {
    Some(match name {
        "string" => Shape::String { min_length: None, max_length: None, pattern: None },
        "integer" => Shape::Integer { format: IntegerFormat::default(), min: None, max: None },
        "number" => Shape::Number { min: None, max: None },
        "boolean" => Shape::Boolean,
        "date" => Shape::Date,
        "datetime" => Shape::DateTime,
        "json" => Shape::Json,
        _ => return None,
    })
}
