//! The arguments of a call.

use std::sync::Arc;

use crate::evaluation::context::{Context, Evaluated};
use crate::value::Value;

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

    fn get(&self, index: usize) -> Option<&'a Value> {
        match self.all.get(index) {
            Some(Argument::Value(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn type_name(&self, index: usize) -> &'static str {
        self.all.get(index).map_or("null", Argument::type_name)
    }

    pub(super) fn value(&self, index: usize) -> Value {
        self.get(index).cloned().unwrap_or_default()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        (0..self.all.len()).map(|index| self.value(index))
    }

    pub(super) fn number(&self, index: usize) -> f64 {
        match self.get(index) {
            Some(Value::Number(number)) => *number,
            _ => 0.0,
        }
    }

    pub(super) fn boolean(&self, index: usize) -> bool {
        self.get(index).is_some_and(Value::is_truthy)
    }

    pub(super) fn text(&self, index: usize) -> &'a str {
        match self.get(index) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    pub(super) fn shared_text(&self, index: usize) -> Arc<str> {
        match self.get(index) {
            Some(Value::Text(text)) => Arc::clone(text),
            _ => "".into(),
        }
    }

    pub(super) fn list(&self, index: usize) -> &'a [Value] {
        match self.get(index) {
            Some(Value::List(values)) => values,
            _ => &[],
        }
    }

    /// Calls the lambda at an index.
    pub(super) fn call(&self, index: usize, values: &[Value]) -> Evaluated {
        match self.all.get(index) {
            Some(Argument::Lambda(lambda)) => lambda(values),
            _ => Ok(Value::Null),
        }
    }
}
