//! Forms that only single programs use.

use serde_json::{Map, Value};

/// How pointers to the servers of opencode begin.
const OPENCODE: &str = "/mcp/";
/// The options of requests of Continue.
const OPTIONS: &str = "requestOptions";

/// Writes the command of Zed, a table with `path`, `args` and `env`, that of opencode, a list, and the headers of Continue, which
/// are among the options of requests, as others do.
pub(super) fn as_others(fields: &Map<String, Value>, pointer: &str) -> Map<String, Value> {
    let mut fields = fields.clone();
    match fields.get("command") {
        Some(Value::Object(command)) => {
            let command = command.clone();
            fields.remove("command");
            for (key, value) in command {
                let key = if key == "path" { "command".to_owned() } else { key };
                fields.entry(key).or_insert(value);
            }
        }
        Some(Value::Array(words)) if !words.is_empty() && pointer.starts_with(OPENCODE) => {
            let (program, mut arguments) = (words[0].clone(), words[1..].to_vec());
            arguments
                .extend(fields.get("args").and_then(Value::as_array).cloned().unwrap_or_default());
            fields.insert("command".to_owned(), program);
            fields.insert("args".to_owned(), arguments.into());
        }
        _ => {}
    }
    if let Some(Value::Object(options)) = fields.get_mut(OPTIONS)
        && let Some(headers) = options.remove("headers")
    {
        if options.is_empty() {
            fields.remove(OPTIONS);
        }
        fields.entry("headers").or_insert(headers);
    }
    fields
}
