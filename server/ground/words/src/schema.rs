//! The words in JSON Schemas.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::{Begins, Builtin, Effect, TaskSupport};

macro_rules! one_of_all {
    ($($word:ty),*) => {$(
        impl JsonSchema for $word {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($word).into()
            }

            fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
            }
        }
    )*};
}

one_of_all!(Begins, Builtin, Effect, TaskSupport);
