//! The arguments of tools of other servers: any schema is taken or refused, and a check of arguments ends. Where it decides, it
//! decides as the validator of JSON Schema does on which it is built.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolwrit::fuzzing;

fuzz_target!(|text: &str| {
    let Ok(Value::Array(both)) = serde_json::from_str(text) else { return };
    let [schema, Value::Object(arguments)] = &*both else { return };
    let Some(fits) = fuzzing::fits(schema, arguments) else { return };
    // The time of the validator alone may double with each reference.
    if text.contains("Ref\"") || text.contains("ref\"") {
        return;
    }
    let options = jsonschema::options()
        .with_retriever(Nothing)
        .with_pattern_options(jsonschema::PatternOptions::regex());
    let Ok(theirs) = options.build(schema) else { return };
    assert_eq!(fits, theirs.is_valid(&both[1]), "{text}");
});

/// Loads nothing.
struct Nothing;

impl jsonschema::Retrieve for Nothing {
    fn retrieve(&self, uri: &jsonschema::Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(uri.to_string().into())
    }
}
