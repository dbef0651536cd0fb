//! Evaluating expressions.

mod context;
mod expression;
mod functions;
mod index;
mod operators;
mod pattern;

pub(crate) use context::{Budget, Context, Evaluated, Failure, Stop};
pub(super) use expression::{Scope, evaluate};
pub(super) use functions::nearest_function;
pub(crate) use pattern::{Pattern, compiled, expand};
