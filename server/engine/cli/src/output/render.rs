//! Renders results and failures for people. Scripts use `--json`.

use std::process::ExitCode;

use serde_json::{Map, Value};

use crate::exit::Exit;
use crate::output;
use crate::output::table::{Align, table};
use toolwrit_core::fault::Fault;

/// With `json`, prints a failure on standard output; otherwise returns it to be printed on standard error.
pub(crate) fn failure(fault: Fault, json: bool) -> Exit {
    if !json {
        return Exit::Fault(fault);
    }
    match output::print_json(&fault.to_json()) {
        Ok(()) => Exit::Failed(String::new()),
        Err(exit) => exit,
    }
}

/// Prints why a command failed, and returns the exit code.
pub(crate) fn report(exit: Exit) -> ExitCode {
    match exit {
        Exit::Failed(message) => {
            print_message(&message);
            ExitCode::from(1)
        }
        Exit::Fault(fault) => {
            print_fault(&fault);
            ExitCode::from(1)
        }
        Exit::Usage(error) => {
            // If printing fails, there is no way to report it.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
        Exit::Configuration(message) => {
            print_message(&message);
            ExitCode::from(3)
        }
    }
}

fn print_message(message: &str) {
    if !message.is_empty() {
        output::print_error(None, message);
    }
}

/// Prints all parts of a failure, one per line.
fn print_fault(fault: &Fault) {
    let report = fault.to_json()["error"].take();
    let code = report["code"].as_str();
    output::print_error(code, fault.message());
    let printed = ["code", "message", "operation", "retryable"];
    for (key, value) in report.as_object().into_iter().flatten() {
        if !printed.contains(&key.as_str()) {
            output::print_message(&format!("  {}: {}", key.replace('_', " "), cell(value)));
        }
    }
}

/// Renders a result, without a final newline.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Object(object) => record(object),
        Value::Array(items) => list(items),
        other => output::content(&cell(other)),
    }
}

/// Renders `key: value` lines, then blocks: tables and multi-line texts. A single block has no heading.
fn record(object: &Map<String, Value>) -> String {
    let (blocks, lines): (Vec<_>, Vec<_>) = object.iter().partition(|(_, value)| is_block(value));
    let lines = lines.into_iter().map(|(key, value)| line(key, value, ""));
    let mut parts: Vec<String> = Vec::new();
    let lines = lines.collect::<Vec<_>>().join("\n");
    if !lines.is_empty() {
        parts.push(lines);
    }
    let several = blocks.len() > 1;
    for (key, block) in blocks {
        let text = match block {
            Value::Array(items) => list(items),
            other => output::content(&cell(other)),
        };
        let text = text.trim_end_matches('\n');
        parts.push(if several {
            format!("{}\n{text}", output::strong(&format!("{key}:")))
        } else {
            text.to_owned()
        });
    }
    parts.join("\n\n")
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\n'),
        Value::Array(items) => items.iter().any(Value::is_object),
        _ => false,
    }
}

fn line(key: &str, value: &Value, indent: &str) -> String {
    let label = output::strong(&format!("{key}:"));
    match value {
        Value::Object(object) if !object.is_empty() => {
            let deeper = format!("{indent}  ");
            let inner = object.iter().map(|(key, value)| line(key, value, &deeper));
            format!("{indent}{label}\n{}", inner.collect::<Vec<_>>().join("\n"))
        }
        value => format!("{indent}{label} {}", output::sanitized(&cell(value))),
    }
}

fn list(items: &[Value]) -> String {
    let objects: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    if objects.len() != items.len() || objects.is_empty() {
        let lines = items.iter().map(|item| output::sanitized(&cell(item)));
        return lines.collect::<Vec<_>>().join("\n");
    }
    let mut keys: Vec<&str> = Vec::new();
    for key in objects.iter().flat_map(|object| object.keys()) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let numeric =
        |key: &&str| objects.iter().filter_map(|object| object.get(*key)).all(Value::is_number);
    let align = |key: &&str| if numeric(key) { Align::Right } else { Align::Left };
    let columns: Vec<_> = keys.iter().map(|key| (*key, align(key))).collect();
    let row = |object: &&Map<String, Value>| {
        keys.iter().map(|key| object.get(*key).map(cell).unwrap_or_default()).collect()
    };
    let rows: Vec<Vec<String>> = objects.iter().map(row).collect();
    table(&columns, &rows)
}

/// Renders a value as part of a line.
fn cell(value: &Value) -> String {
    let is_flat = |item: &Value| !item.is_object() && !item.is_array();
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) if items.iter().all(is_flat) => {
            items.iter().map(cell).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::value;

    #[test]
    fn a_record_has_lines_first_and_its_text_last() {
        let note = json!({"path": "A.md", "content": "one\ntwo\n", "tags": ["a", "b"], "size": 8});
        assert_eq!(value(&note), "path: A.md\ntags: a, b\nsize: 8\n\none\ntwo");
    }

    #[test]
    fn several_blocks_have_headings() {
        let value = value(&json!({"a": "1\n2", "b": "3\n4"}));
        assert_eq!(value, "a:\n1\n2\n\nb:\n3\n4");
    }

    #[test]
    fn lists_of_records_are_tables_with_every_column() {
        let found =
            json!({"hits": [{"path": "A.md", "line": 7}, {"path": "Long.md", "text": "x"}]});
        let expected = "PATH     LINE  TEXT\nA.md        7\nLong.md        x";
        assert_eq!(value(&found), expected);
    }

    #[test]
    fn nested_records_are_indented_and_empty_lists_named() {
        let nested = json!({"frontmatter": {"status": "open"}, "tags": []});
        assert_eq!(value(&nested), "frontmatter:\n  status: open\ntags: none");
    }
}
