//! The form in which functions are declared.

use super::arguments::{Argument, Arguments};
use crate::evaluation::context::Evaluated;
use crate::value::Value;

pub(super) struct Function {
    pub(super) name: &'static str,
    /// By the types of the arguments; the first that fits is used.
    pub(super) variants: &'static [Variant],
    /// By the number of arguments: the places at which a list means each of its values.
    pub(super) each: &'static [(usize, &'static [usize])],
    /// Whether the value is null if an argument is null and no variant fits.
    pub(super) passes_null: bool,
}

/// A function for arguments of some types.
pub(super) struct Variant {
    pub(super) types: &'static [Type],
    pub(super) run: Implementation,
}

pub(super) type Implementation = fn(&Arguments<'_>) -> Evaluated;

/// What an argument may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Any,
    Null,
    Boolean,
    Number,
    Text,
    Date,
    Duration,
    Link,
    List,
    Object,
    Lambda,
    /// Any number of arguments.
    Rest,
}

impl Type {
    pub(super) fn fits(self, argument: &Argument<'_>) -> bool {
        let Argument::Value(value) = argument else {
            return matches!(self, Self::Any | Self::Lambda);
        };
        match self {
            Self::Any | Self::Rest => true,
            Self::Null => matches!(value, Value::Null),
            Self::Boolean => matches!(value, Value::Boolean(_)),
            Self::Number => matches!(value, Value::Number(_)),
            Self::Text => matches!(value, Value::Text(_)),
            Self::Date => matches!(value, Value::Date(_)),
            Self::Duration => matches!(value, Value::Duration(_)),
            Self::Link => matches!(value, Value::Link(_)),
            Self::List => matches!(value, Value::List(_)),
            Self::Object => matches!(value, Value::Object(_)),
            Self::Lambda => false,
        }
    }
}

pub(super) const fn function(
    name: &'static str,
    variants: &'static [Variant],
    each: &'static [(usize, &'static [usize])],
) -> Function {
    Function { name, variants, each, passes_null: false }
}

/// A function that is null if one of its arguments is.
pub(super) const fn null_passing(
    name: &'static str,
    variants: &'static [Variant],
    each: &'static [(usize, &'static [usize])],
) -> Function {
    Function { name, variants, each, passes_null: true }
}

pub(super) const fn variant(types: &'static [Type], run: Implementation) -> Variant {
    Variant { types, run }
}

/// A variant whose value is null.
pub(super) const fn null_variant(types: &'static [Type]) -> Variant {
    variant(types, |_| Ok(Value::Null))
}

/// A variant whose value is its first argument.
pub(super) const fn first_argument_variant(types: &'static [Type]) -> Variant {
    variant(types, |arguments| Ok(arguments.value(0)))
}
