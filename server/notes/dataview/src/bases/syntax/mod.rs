//! The expressions of filters and formulas: their syntax trees, and parsing text into them.

mod expression;
mod literal;
mod parser;

pub(super) use expression::{Access, BaseExpression, Call, symbol};
pub(super) use literal::duration;
pub(super) use parser::parse;
