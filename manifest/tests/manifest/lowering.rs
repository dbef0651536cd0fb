//! Wire schemas, signatures, policy and emitted YAML.

use std::fmt::Write;

use serde_json::Value;
use toolwrit_manifest::interface::{json_schema, signature};
use toolwrit_manifest::{Authority, emit, load_sources, policy};

fn authority(yaml: &str) -> Authority {
    load_sources("authority.yaml", |_| Ok(yaml.to_owned()))
        .unwrap_or_else(|problems| panic!("{problems}"))
}

fn complete() -> Authority {
    authority(include_str!("fixtures/complete.yaml"))
}

#[test]
fn signatures() {
    let authority = complete();
    let lines: Vec<String> = authority
        .operations
        .iter()
        .map(|operation| signature::signature(&authority, operation))
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn input_schemas() {
    let authority = complete();
    let mut text = String::new();
    for operation in &authority.operations {
        let schema = json_schema::input_schema(&authority, operation);
        writeln!(text, "{}\n{schema}\n", operation.id).unwrap();
        assert_eq!(schema, json_schema::input_schema(&authority, operation));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn output_schemas() {
    let authority = complete();
    let mut text = String::new();
    for operation in &authority.operations {
        let schema = json_schema::output_schema(&authority, operation);
        writeln!(text, "{}\n{}\n", operation.id, schema.as_deref().unwrap_or("plain text"))
            .unwrap();
    }
    insta::assert_snapshot!(text);
}

/// Descriptions of the values of an enum are for people: clients get only the values.
#[test]
fn described_enums_are_plain_on_the_wire_and_survive_emission() {
    let manifest = |values: &str| {
        authority(&format!(
            "toolwrit: 1\nserver: {{ name: x }}\ncategories: {{ a: {{ summary: A. }} }}\n\
             operations: {{ a.b: {{ summary: B., effect: read, params: {{ c: {{ enum: {values} }} }} }} }}"
        ))
    };
    let described = manifest("{ up: Upwards., down: Downwards. }");
    let plain = manifest("[up, down]");
    let schema = |of: &Authority| json_schema::input_schema(of, &of.operations[0]);
    assert_eq!(schema(&described), schema(&plain));
    let again = authority(&emit::to_yaml(&described));
    assert_eq!(again.operations, described.operations);
    assert_ne!(again.operations, plain.operations);
}

#[test]
fn results_other_than_objects_are_wrapped() {
    let schema = |returns: &str, more: &str| {
        let authority = authority(&format!(
            "toolwrit: 1\nserver: {{ name: x }}\ncategories: {{ a: {{ summary: A. }} }}\n\
             types: {{ Item: {{ fields: {{ b: string, c: integer }} }} }}\n\
             operations: {{ a.b: {{ summary: B., effect: read, returns: \"{returns}\" {more} }} }}"
        ));
        json_schema::output_schema(&authority, &authority.operations[0]).unwrap()
    };
    insta::assert_snapshot!(
        [
            schema("integer", ""),
            schema("Item[]", ""),
            schema("Item[]", ", select: true"),
            schema("Item", ", select: true"),
            schema("Item[]", ", page: { default: 1, max: 2 }"),
            schema("map<integer>", ""),
            schema("json", ""),
        ]
        .join("\n")
    );
}

#[test]
fn inputs_are_closed_and_results_open() {
    let authority = complete();
    for operation in &authority.operations {
        let input: Value =
            serde_json::from_str(&json_schema::input_schema(&authority, operation)).unwrap();
        assert_eq!(input["additionalProperties"], false, "{}", operation.id);
        let output = json_schema::output_schema(&authority, operation);
        let output: Option<Value> = output.map(|text| serde_json::from_str(&text).unwrap());
        // A truncated result has further fields, which its type does not declare.
        assert!(output.is_none_or(|schema| schema["additionalProperties"] != false));
    }
}

#[test]
fn wire_schemas_are_portable() {
    fn walk(schema: &Value) {
        let Value::Object(map) = schema else { panic!("not a schema: {schema}") };
        for key in map.keys() {
            let known = [
                "type",
                "properties",
                "required",
                "additionalProperties",
                "items",
                "enum",
                "minimum",
                "maximum",
                "minLength",
                "maxLength",
                "minItems",
                "maxItems",
                "pattern",
                "default",
                "description",
            ];
            assert!(known.contains(&key.as_str()), "{key}");
        }
        assert!(map.get("type").is_none_or(Value::is_string));
        for key in ["items", "additionalProperties"] {
            if let Some(inner) = map.get(key).filter(|inner| !inner.is_boolean()) {
                walk(inner);
            }
        }
        if map.get("type").is_some_and(|kind| kind == "object") {
            let required: Vec<&str> =
                map["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert!(required.is_sorted());
            map["properties"].as_object().unwrap().values().for_each(walk);
        }
        assert_eq!(map.get("type").is_some_and(|kind| kind == "array"), map.contains_key("items"));
    }
    let authority = complete();
    for operation in &authority.operations {
        let input: Value =
            serde_json::from_str(&json_schema::input_schema(&authority, operation)).unwrap();
        assert_eq!(input["type"], "object");
        walk(&input);
        if let Some(output) = json_schema::output_schema(&authority, operation) {
            walk(&serde_json::from_str(&output).unwrap());
        }
    }
}

#[test]
fn dates_and_instants_on_the_wire() {
    for (pattern, good, bad) in [
        (
            json_schema::DATE_PATTERN,
            &["2026-05-01", "1999-12-31"][..],
            &["2026-13-01", "2026-05-32", "26-05-01", "2026-05-01T", " 2026-05-01"][..],
        ),
        (
            json_schema::DATETIME_PATTERN,
            &["2026-05-01T09:30:00Z", "2026-05-01T23:59:60.25+02:00"][..],
            &["2026-05-01", "2026-05-01 09:30:00Z", "2026-05-01T24:00:00Z", "2026-05-01T09:30Z"][..],
        ),
    ] {
        let pattern = regex::Regex::new(pattern).unwrap();
        assert!(good.iter().all(|text| pattern.is_match(text)));
        assert!(!bad.iter().any(|text| pattern.is_match(text)));
    }
}

#[test]
fn policy_of_roles_and_focus_modes() {
    let authority = complete();
    let mut table = String::new();
    for id in authority.operation_ids() {
        write!(table, "{:16}", authority[id].id).unwrap();
        for focus in authority.focus_ids() {
            let mark = if policy::focus_allows(&authority, focus, id) { '+' } else { '-' };
            write!(table, " {}{mark}", authority[focus].name).unwrap();
        }
        for role in authority.role_ids() {
            let mark = if policy::role_allows(&authority, role, id) { '+' } else { '-' };
            write!(table, " {}{mark}", authority[role].name).unwrap();
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}

#[test]
fn without_declared_access_there_is_one_open_focus_mode_and_role() {
    let authority = authority(
        "toolwrit: 1\nserver: { name: x }\ncategories: { a: { summary: A. } }\n\
         operations: { a.b: { summary: B., effect: read } }",
    );
    assert_eq!(authority.focus[0].name, "full");
    assert_eq!(authority.roles[0].name, "owner");
    let id = authority.operation_ids().next().unwrap();
    assert!(policy::focus_allows(&authority, authority.focus_ids().next().unwrap(), id));
    assert!(policy::role_allows(&authority, authority.role_ids().next().unwrap(), id));
}

#[test]
fn emitted_yaml_loads_to_the_same_model() {
    let authority = complete();
    let yaml = emit::to_yaml(&authority);
    let again = load_sources("emitted.yaml", |_| Ok(yaml.clone()))
        .unwrap_or_else(|problems| panic!("{problems}\n{yaml}"));
    assert_eq!(authority, again);
}

#[test]
fn a_name_that_begins_with_a_digit_has_a_variable_that_can_be_written() {
    let text = "toolwrit: 1\nserver: { name: 64-bit }\ncategories: {}\noperations: {}\n";
    let authority = authority(text);
    assert_eq!(authority.server.env, "_64_BIT");
    assert_eq!(self::authority(&emit::to_yaml(&authority)).server.env, "_64_BIT");
}
