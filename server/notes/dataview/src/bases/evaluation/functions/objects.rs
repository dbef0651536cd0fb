//! Methods of objects.

use super::{Method, method};
use crate::value::{Object, Value};

pub(super) const METHODS: &[Method<Object>] = &[
    method("keys", 0, 0, |object, args| {
        args.context.list(object.names().into_iter().map(Value::Text).collect())
    }),
    method("values", 0, 0, |object, args| {
        args.context.list(object.entries().into_values().collect())
    }),
];
