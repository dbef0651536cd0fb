//! Evaluating expressions.

mod context;
mod conversion;
mod durations;
mod equality;
mod expression;
mod functions;
mod operators;

pub(super) use context::{FileRow, ViewContext};
pub(super) use conversion::{is_empty, shown, text};
pub(super) use expression::{evaluate, evaluate_property, evaluate_with_values};
pub(super) use functions::{Signature, functions, methods};
