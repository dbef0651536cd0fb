//! Evaluating expressions.

mod context;
mod expression;
mod functions;
mod index;
mod limits;
mod operators;
mod pattern;

pub(crate) use context::{Budget, Context, Evaluated, Failure, Stop};
pub(super) use expression::{Scope, evaluate};
pub(super) use functions::nearest_function;
pub(crate) use index::date_part;
pub(crate) use limits::{check_count, check_length, text_within_limit};
pub(crate) use pattern::{Pattern, compile, expand};
