//! Nodes: values with their places.

use serde_json::{Map, Number, Value};
use toolwrit_text::shorten::start;

use super::plain_scalar::{Plain, plain_scalar};
use crate::diagnostics::Place;

/// Characters of a text that a message repeats.
const SHOWN: usize = 40;

/// A value with its place. The place of a collection is the place of its first character.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Null,
    Boolean(bool),
    Number(Number),
    Text(Text),
    Sequence(Vec<Node>),
    Mapping(Vec<(Text, Node)>),
    /// An invalid value, which is reported; readers skip it.
    Refused,
}

/// A string with its place.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) value: String,
    pub(crate) place: Place,
    /// The offset of the value in its place, if the value is written there without escapes.
    pub(super) inset: Option<usize>,
}

impl Text {
    /// The place of some characters of the value; the whole place if they cannot be located.
    pub(crate) fn part(&self, start: usize, length: usize) -> Place {
        match self.inset {
            Some(inset) => Place {
                column: self.place.column + inset + start,
                length: length.max(1),
                ..self.place
            },
            None => self.place,
        }
    }
}

impl Node {
    /// The kind and value in words, for messages.
    pub(crate) fn found(&self) -> String {
        match &self.kind {
            Kind::Null => "nothing".to_owned(),
            Kind::Boolean(value) => format!("the boolean `{value}`"),
            Kind::Number(value) => format!("the number `{value}`"),
            Kind::Text(text) => format!("the string `{}`", start(&text.value, SHOWN)),
            Kind::Sequence(_) => "a list".to_owned(),
            Kind::Mapping(_) => "a mapping".to_owned(),
            Kind::Refused => "something refused".to_owned(),
        }
    }

    /// The number or truth value that a text would be without quotes; `None` if it would stay text.
    pub(crate) fn without_quotes(&self) -> Option<Kind> {
        let Kind::Text(text) = &self.kind else { return None };
        match text.value.as_str() {
            "true" => Some(Kind::Boolean(true)),
            "false" => Some(Kind::Boolean(false)),
            plain => match plain_scalar(plain) {
                Plain::Number(number) => Some(Kind::Number(number)),
                Plain::NotJson | Plain::Text => None,
            },
        }
    }

    /// The value as JSON; `None` if a part of it is invalid.
    pub(crate) fn to_value(&self) -> Option<Value> {
        Some(match &self.kind {
            Kind::Null => Value::Null,
            Kind::Boolean(value) => Value::Bool(*value),
            Kind::Number(value) => Value::Number(value.clone()),
            Kind::Text(text) => Value::String(text.value.clone()),
            Kind::Sequence(items) => {
                Value::Array(items.iter().map(Node::to_value).collect::<Option<_>>()?)
            }
            Kind::Mapping(entries) => Value::Object(
                entries
                    .iter()
                    .map(|(key, node)| Some((key.value.clone(), node.to_value()?)))
                    .collect::<Option<Map<_, _>>>()?,
            ),
            Kind::Refused => return None,
        })
    }
}
