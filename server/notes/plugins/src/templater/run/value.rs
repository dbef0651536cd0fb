//! The values of a run.

use std::rc::Rc;

use super::builtins::{Global, Module, TpFunction};
use super::ids::{ArrayId, FunctionId, MomentId, ObjectId, RegexId};

/// A value. Arrays, objects, functions and dates are shared, as in JavaScript.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Undefined,
    Null,
    Boolean(bool),
    Number(f64),
    String(Rc<str>),
    Array(ArrayId),
    Object(ObjectId),
    /// A function of the template.
    Function(FunctionId),
    Moment(MomentId),
    Regex(RegexId),
    /// A function or a namespace of the language.
    Global(Global),
    /// `tp` and what it contains.
    Tp(Module),
    TpFunction(TpFunction),
}

impl Value {
    pub(crate) fn text(text: impl Into<Rc<str>>) -> Self {
        Self::String(text.into())
    }

    pub(super) fn is_nullish(&self) -> bool {
        matches!(self, Self::Undefined | Self::Null)
    }

    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Boolean(value) => *value,
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::String(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// What `typeof` says.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Boolean(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Function(_) | Self::TpFunction(_) => "function",
            Self::Global(global) if global.is_function() => "function",
            _ => "object",
        }
    }

    /// How messages name the value.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Array(_) => "a list",
            Self::Moment(_) => "a date",
            Self::Regex(_) => "a regular expression",
            Self::Boolean(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Undefined => "undefined",
            _ if self.type_name() == "function" => "a function",
            _ => "an object",
        }
    }

    /// Whether two values are equal without conversion: `===`.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undefined, Self::Undefined) | (Self::Null, Self::Null) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            #[expect(clippy::float_cmp, reason = "JavaScript compares numbers exactly")]
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Function(a), Self::Function(b)) => a == b,
            (Self::Moment(a), Self::Moment(b)) => a == b,
            (Self::Regex(a), Self::Regex(b)) => a == b,
            (Self::Global(a), Self::Global(b)) => a == b,
            (Self::Tp(a), Self::Tp(b)) => a == b,
            (Self::TpFunction(a), Self::TpFunction(b)) => a == b,
            _ => false,
        }
    }
}
