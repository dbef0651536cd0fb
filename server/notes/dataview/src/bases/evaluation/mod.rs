//! Evaluating expressions.

mod context;
mod conversion;
mod expression;
mod functions;
mod operators;

pub(super) use context::{FileRow, ViewContext};
pub(super) use conversion::is_empty;
pub(super) use expression::{evaluate, evaluate_property};
pub(super) use functions::{Signature, functions, methods};
