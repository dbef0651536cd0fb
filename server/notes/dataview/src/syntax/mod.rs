//! The query language: its syntax trees, and parsing text into them.

mod expression;
mod field;
pub(crate) mod input;
pub(crate) mod literal;
mod parser;
mod query;
mod source;

pub(super) use expression::{Expression, Lambda, Step, symbol};
pub(super) use field::{field_value, plain_property_value, property_value};
pub use input::SyntaxError;
pub(super) use literal::{read_date_or_shorthand, read_duration, read_tag};
pub(super) use query::{Kind, NamedExpression, Operation, Query, parse};
pub(super) use source::{Connective, Source};
