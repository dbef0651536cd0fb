//! The arguments of a call.

use std::sync::Arc;

use crate::evaluation::context::{Context, Evaluated};
use crate::value::Value;

/// An argument.
#[derive(Clone)]
pub(in crate::evaluation) enum Argument<'a> {
    Value(Value),
    /// A function that the query defines.
    Lambda(&'a dyn Fn(&[Value]) -> Evaluated),
}

impl Argument<'_> {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Value(value) => value.type_name(),
            Self::Lambda(_) => "function",
        }
    }
}

/// Arguments whose types have been checked. If the type is another one, reading an argument returns an empty
/// value.
pub(super) struct Arguments<'a> {
    all: &'a [Argument<'a>],
    pub(super) context: &'a Context<'a>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(all: &'a [Argument<'a>], context: &'a Context<'a>) -> Self {
        Self { all, context }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn get(&self, place: usize) -> Option<&'a Value> {
        match self.all.get(place) {
            Some(Argument::Value(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn type_name(&self, place: usize) -> &'static str {
        self.all.get(place).map_or("null", Argument::type_name)
    }

    pub(super) fn value(&self, place: usize) -> Value {
        self.get(place).cloned().unwrap_or_default()
    }

    /// All arguments that are values.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        (0..self.all.len()).map(|place| self.value(place))
    }

    pub(super) fn number(&self, place: usize) -> f64 {
        match self.get(place) {
            Some(Value::Number(number)) => *number,
            _ => 0.0,
        }
    }

    pub(super) fn boolean(&self, place: usize) -> bool {
        self.get(place).is_some_and(Value::is_truthy)
    }

    pub(super) fn text(&self, place: usize) -> &'a str {
        match self.get(place) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    pub(super) fn shared_text(&self, place: usize) -> Arc<str> {
        match self.get(place) {
            Some(Value::Text(text)) => Arc::clone(text),
            _ => "".into(),
        }
    }

    pub(super) fn list(&self, place: usize) -> &'a [Value] {
        match self.get(place) {
            Some(Value::List(values)) => values,
            _ => &[],
        }
    }

    /// Calls the lambda at a place.
    pub(super) fn call(&self, place: usize, values: &[Value]) -> Evaluated {
        match self.all.get(place) {
            Some(Argument::Lambda(lambda)) => lambda(values),
            _ => Ok(Value::Null),
        }
    }
}
