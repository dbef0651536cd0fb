//! The editor schema in `schema.json`. `UPDATE_SCHEMA=1 cargo test -p toolwrit-manifest schema` updates it.

use std::fs;
use std::path::Path;

use serde_json::Value;
use toolwrit_manifest::editor::editor_schema;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn accepts(yaml: &str) -> Result<(), String> {
    let instance: Value = serde_yaml::from_str(yaml).unwrap();
    let validator = jsonschema::validator_for(&editor_schema()).unwrap();
    let faults: Vec<String> = validator
        .iter_errors(&instance)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

#[test]
fn the_file_is_up_to_date() {
    let path = root().join("schema.json");
    let current = serde_json::to_string_pretty(&editor_schema()).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == current, "run `UPDATE_SCHEMA=1 cargo test -p toolwrit-manifest schema`");
}

#[test]
fn the_shipped_files_are_valid() {
    let mut files = vec![root().join("authority.yaml")];
    files.extend(
        fs::read_dir(root().join("operations")).unwrap().map(|entry| entry.unwrap().path()),
    );
    for file in files {
        accepts(&fs::read_to_string(&file).unwrap())
            .unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
    }
}

#[test]
fn the_editor_schema_refuses_what_the_loader_refuses() {
    let good = include_str!("fixtures/complete.yaml");
    accepts(good).unwrap();
    for (from, to) in [
        ("effect: read", "effect: wirtes"),
        ("summary: Read a note.", "sumary: Read a note."),
        ("timeout: 5s", "timeout: soon"),
        ("result_bytes: 1MiB", "result_bytes: 1XB"),
        ("session_calls: 500", "session_calls: 0"),
        ("session_calls: 500", "session_calls: -2"),
        ("keywords: [note, file]", "keywords: note"),
        ("direct: true", "direct: maybe"),
        ("title: Notes", "title: 5"),
        ("description: Longer text.", "description:"),
        ("page: { default: 50, max: 500 }", "page: { default: 0, max: 500 }"),
        ("min: 1,", "minimum: 1,"),
    ] {
        assert!(good.contains(from), "{from}");
        let bad = good.replacen(from, to, 1);
        assert!(accepts(&bad).is_err(), "`{to}` is accepted");
    }
}

#[test]
fn every_key_is_described() {
    fn walk(value: &Value, path: &str) {
        if let Some(properties) = value.get("properties").and_then(Value::as_object) {
            for (key, schema) in properties {
                let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
                assert!(!text.is_empty(), "{path}/{key} has no description");
            }
        }
        match value {
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| walk(value, &format!("{path}/{key}")));
            }
            Value::Array(list) => list.iter().for_each(|value| walk(value, path)),
            _ => {}
        }
    }
    walk(&editor_schema(), "");
}
