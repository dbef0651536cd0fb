//! The JSON Schema of the language itself (draft 7), for editors. It is saved in
//! `manifest/schema.json`.

use std::borrow::Cow;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::model::{IntegerFormat, TaskSupport};
use crate::raw::{
    ByteSize, Entries, Located, Period, RawAlias, RawArgument, RawAuth, RawAuths, RawCache,
    RawConditions, RawDeprecation, RawEnum, RawIncluded, RawKeyword, RawLongAlias, RawLongArgument,
    RawLongCache, RawLongDeprecation, RawLongKeyword, RawLongParameter, RawLongPattern,
    RawLongSetting, RawLongShape, RawLongTask, RawLongTool, RawNames, RawParameter, RawPattern,
    RawRoot, RawSelector, RawSetting, RawShape, RawTask, RawTemplate, RawTool, RequestRate,
    Retries, SessionCallLimit, Threshold, Weight, Written,
};
use crate::yaml::Text;

/// The schema of a root file, which has `server`, and of an included file, which does not.
pub fn editor_schema() -> Value {
    let settings = SchemaSettings::draft07().with_transform(NoNull);
    let mut generator = settings.into_generator();
    let root = generator.subschema_for::<RawRoot>();
    let included = generator.subschema_for::<RawIncluded>();
    let mut definitions = Value::Object(generator.take_definitions(true));
    if let Some(definitions) = definitions.as_object_mut() {
        definitions.sort_keys();
        // What `[required unless builtin]` means.
        if let Some(operation) = definitions.get_mut("RawOperation").and_then(Value::as_object_mut)
        {
            let required = operation.remove("required").unwrap_or_default();
            let either = json!([{ "required": required }, { "required": ["builtin"] }]);
            operation.insert("anyOf".to_owned(), either);
        }
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Tool-authority manifest",
        "type": "object",
        "if": { "required": ["server"] },
        "then": root,
        "else": included,
        "definitions": definitions,
    })
}

/// Removes the `null` that an `Option` adds: a key may be absent, but it is never null.
#[derive(Debug, Clone)]
struct NoNull;

impl Transform for NoNull {
    fn transform(&mut self, schema: &mut Schema) {
        let null = |value: &Value| value == "null" || *value == json!({ "type": "null" });
        for key in ["type", "anyOf"] {
            let Some(Value::Array(list)) = schema.get_mut(key) else { continue };
            list.retain(|value| !null(value));
            if let [only] = list.as_mut_slice() {
                let only = only.take();
                schema.remove(key);
                match only {
                    Value::Object(inner) => inner.into_iter().for_each(|(key, value)| {
                        schema.insert(key, value);
                    }),
                    kind => {
                        schema.insert(key.to_owned(), kind);
                    }
                }
            }
        }
        transform_subschemas(self, schema);
    }
}

/// Implements `JsonSchema` with an inline schema.
macro_rules! inline {
    ($($type:ty, $generator:ident => $schema:expr;)*) => {$(
        impl JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )*};
}

inline! {
    Text, _generator => json_schema!({ "type": "string" });
    Period, _generator => json_schema!({ "type": "string", "pattern": "^0*[1-9][0-9]*(ms|s|m|h)$" });
    Retries, _generator => json_schema!({
        "type": "integer", "minimum": 1, "maximum": Retries::MOST
    });
    SessionCallLimit, _generator => json_schema!({
        "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": -1 }],
    });
    ByteSize, _generator => json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 1 },
            { "type": "string", "pattern": "^0*[1-9][0-9]*(B|KiB|MiB|GiB)$" },
        ],
    });
    Weight, _generator => json_schema!({ "type": "number", "exclusiveMinimum": 0 });
    Threshold, _generator => json_schema!({
        "type": "number", "exclusiveMinimum": 0, "maximum": 1
    });
    IntegerFormat, _generator => json_schema!({
        "type": "string",
        "enum": IntegerFormat::ALL.map(IntegerFormat::as_str),
    });
    RawTask, generator => json_schema!({
        "anyOf": [
            generator.subschema_for::<TaskSupport>(),
            generator.subschema_for::<RawLongTask>(),
        ],
    });
    RawCache, generator => json_schema!({
        "anyOf": [
            generator.subschema_for::<Period>(),
            generator.subschema_for::<RawLongCache>(),
        ],
    });
    RawShape, generator => json_schema!({
        "anyOf": [
            {
                "type": "string",
                "description": "A type expression: string, integer, number, boolean, date, \
                    datetime, json, T[], map<T>, a | b | c, or a declared type; for a parameter \
                    ` = value` after it sets the default.",
            },
            generator.subschema_for::<RawLongShape>(),
        ],
    });
    RequestRate, _generator => json_schema!({
        "type": "string", "pattern": "^0*[1-9][0-9]*/(s|m|h)$"
    });
    RawTemplate, _generator => json_schema!({});
    RawAuths, generator => {
        let way = generator.subschema_for::<RawAuth>();
        json_schema!({ "anyOf": [way, { "type": "array", "items": way }] })
    };
    RawSetting, generator => json_schema!({
        "anyOf": [
            { "type": "string", "enum": ["string", "integer", "boolean"] },
            generator.subschema_for::<RawLongSetting>(),
        ],
    });
    RawTool, generator => json_schema!({
        "anyOf": [
            { "type": "string", "description": "The name of the tool." },
            generator.subschema_for::<RawLongTool>(),
        ],
    });
    RawParameter, generator => json_schema!({
        "anyOf": [
            { "not": { "type": "object" } },
            generator.subschema_for::<RawLongParameter>(),
        ],
    });
    RawEnum, _generator => json_schema!({
        "description": "One of these strings; in a mapping, each with its description.",
        "anyOf": [
            { "type": "array", "items": { "type": "string" } },
            { "type": "object", "additionalProperties": { "type": "string" } },
        ],
    });
    RawSelector, generator => json_schema!({
        "anyOf": [
            {
                "type": "string",
                "description": "\"*\", a category, `category.*` or an operation's id.",
            },
            generator.subschema_for::<RawConditions>(),
        ],
    });
    RawAlias, generator => json_schema!({
        "anyOf": [
            {
                "type": "string",
                "description": "The older name; or `name(parameter: value)`, the name in calls with \
                    this argument, and `name(parameter)`, the name in calls with this parameter.",
            },
            generator.subschema_for::<RawLongAlias>(),
        ],
    });
    RawNames, _generator => json_schema!({
        "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        ],
    });
    RawKeyword, generator => json_schema!({
        "anyOf": [
            { "type": "string", "description": "A word, or a phrase." },
            generator.subschema_for::<RawLongKeyword>(),
        ],
    });
    RawPattern, generator => json_schema!({
        "anyOf": [
            { "type": "string", "description": "A regular expression, RE2 style." },
            generator.subschema_for::<RawLongPattern>(),
        ],
    });
    RawArgument, generator => json_schema!({
        "anyOf": [
            { "type": "string", "description": "For people and models." },
            generator.subschema_for::<RawLongArgument>(),
        ],
    });
    RawDeprecation, generator => json_schema!({
        "anyOf": [
            { "type": "string", "description": "Why, or how to migrate." },
            generator.subschema_for::<RawLongDeprecation>(),
        ],
    });
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<T: JsonSchema> JsonSchema for Written<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Entries_of_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}
