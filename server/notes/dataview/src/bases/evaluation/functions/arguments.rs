//! The arguments of a function, which are evaluated when they are needed.

use std::ops::Range;
use std::sync::Arc;

use crate::bases::evaluation::context::ViewContext;
use crate::bases::evaluation::conversion::{as_text, text, type_name};
use crate::bases::file::FileRecord;
use crate::bases::syntax::BaseExpression;
use crate::evaluation::{Evaluated, Failure};
use crate::value::Value;

/// Evaluates an expression with variables of its own.
pub(in crate::bases::evaluation) type Evaluate<'a> =
    &'a dyn Fn(&BaseExpression, &[(&'static str, Value)]) -> Evaluated;

/// The arguments of a call, and what they are evaluated in.
pub(in crate::bases::evaluation) struct LazyArguments<'a> {
    pub(in crate::bases::evaluation) expressions: &'a [BaseExpression],
    /// The file that the call is evaluated for.
    pub(in crate::bases::evaluation) file: &'a FileRecord,
    pub(in crate::bases::evaluation) context: &'a ViewContext<'a>,
    pub(in crate::bases::evaluation) evaluate: Evaluate<'a>,
}

impl LazyArguments<'_> {
    pub(super) fn count(&self) -> usize {
        self.expressions.len()
    }

    /// The value of one; null if it is missing.
    pub(super) fn value(&self, index: usize) -> Evaluated {
        self.evaluate_with(index, &[])
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Evaluated> {
        (0..self.count()).map(|index| self.value(index))
    }

    /// The value of one with variables of its own; null if it is missing.
    pub(super) fn evaluate_with(
        &self,
        index: usize,
        variables: &[(&'static str, Value)],
    ) -> Evaluated {
        let expression = self.expressions.get(index);
        expression.map_or(Ok(Value::Null), |expression| (self.evaluate)(expression, variables))
    }

    pub(super) fn text(&self, index: usize) -> Result<Arc<str>, Failure> {
        let value = self.value(index)?;
        Ok(as_text(&value).unwrap_or_else(|| text(&value).into()))
    }

    /// One that must be a number; `None` if it is missing.
    pub(super) fn number(&self, index: usize) -> Result<Option<f64>, Failure> {
        match self.value(index)? {
            Value::Number(number) => Ok(Some(number)),
            Value::Null => Ok(None),
            other => Err(Failure::row(format!("expected a number, found {}", type_name(&other)))),
        }
    }

    /// One as a count, cut to `most`; `None` if it is missing.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "casts from floats saturate"
    )]
    pub(super) fn size(&self, index: usize, most: usize) -> Result<Option<usize>, Failure> {
        Ok(self.number(index)?.map(|number| (number as usize).min(most)))
    }

    /// The part of something with `length` elements that a start and an end name. Negative numbers count from the end.
    pub(super) fn range(&self, length: usize) -> Result<Range<usize>, Failure> {
        let index = |number: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "casts from floats saturate"
            )]
            let distance = number.abs() as usize;
            if number < 0.0 { length.saturating_sub(distance) } else { distance.min(length) }
        };
        let start = self.number(0)?.map_or(0, index);
        let end = self.number(1)?.map_or(length, index);
        Ok(start..end.max(start))
    }
}
