//! Methods of all values.

use super::{Method, method};
use crate::bases::evaluation::conversion::{is_empty, is_of_type, text};
use crate::value::Value;

pub(super) const METHODS: &[Method<Value>] = &[
    method("isTruthy", 0, 0, |value, _| Ok(value.is_truthy().into())),
    method("isEmpty", 0, 0, |value, _| Ok(is_empty(value).into())),
    method("isType", 1, 1, |value, args| Ok(is_of_type(value, &args.text(0)?).into())),
    method("toString", 0, 0, |value, args| args.context.text(text(value))),
];
