//! Evaluating expressions.

mod context;
mod expression;
mod functions;
mod index;
mod operators;
mod pattern;

pub(super) use context::{Budget, Context, Failure, Stop};
pub(super) use expression::{Scope, evaluate};
pub(super) use functions::nearest_function;
