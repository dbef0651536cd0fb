//! Values of fields that may be null.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arguments::value::{ArgValue, FromArgValue, IntoJson};

/// A value that may be null, which clears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Nullable<T> {
    /// Null.
    Null,
    /// Any other value.
    Value(T),
}

impl<T: FromArgValue> FromArgValue for Nullable<T> {
    fn from_slot(slot: ArgValue) -> Self {
        match slot {
            ArgValue::Null => Self::Null,
            slot => Self::Value(T::from_slot(slot)),
        }
    }
}

impl<T: IntoJson> IntoJson for Nullable<T> {
    fn into_json(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Value(value) => value.into_json(),
        }
    }

    /// Leaves null out, because schemas of results have no null.
    fn into_field(self) -> Option<Value> {
        match self {
            Self::Null => None,
            Self::Value(value) => value.into_field(),
        }
    }
}
