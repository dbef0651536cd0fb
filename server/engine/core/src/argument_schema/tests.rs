//! What is right and wrong stays what it is for the validator alone and for the JSON-Schema-Test-Suite, and what exploded is
//! linear. `tests/suite/install` installs the suite.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use toolwrit_requirement::{Need, met, number};

use super::*;

/// Whether a value is valid, for what is tested here; `None` if the schema cannot be used.
fn accepts(schema: &Value, value: &Value) -> Option<bool> {
    let validators = validators(schema).ok()?;
    let is_valid = || validators.accepts(0, value);
    match check::run(MOST_STEPS, CancellationToken::new(), is_valid) {
        Checked::Valid => Some(true),
        Checked::Invalid(_) => Some(false),
        Checked::GivenUp => panic!("gave up: {schema} {value}"),
    }
}

fn of_draft(mut schema: Value, uri: &str) -> Value {
    if let Value::Object(keywords) = &mut schema {
        keywords.entry("$schema").or_insert_with(|| uri.into());
    }
    schema
}

#[test]
fn the_suite_is_as_before() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/json/tests");
    if !met(&[Need::File(&suite)], "server/engine/core/tests/suite/install") {
        return;
    }
    let drafts = [
        ("draft4", "http://json-schema.org/draft-04/schema#"),
        ("draft6", "http://json-schema.org/draft-06/schema#"),
        ("draft7", "http://json-schema.org/draft-07/schema#"),
        ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
        ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
    ];
    let mut compared = 0;
    for (draft, uri) in drafts {
        let files = fs::read_dir(suite.join(draft)).unwrap().map(|entry| entry.unwrap().path());
        for file in files.filter(|file| file.is_file()) {
            compared += compare(&file, uri);
        }
    }
    assert!(compared > 4_500, "{compared}");
}

/// Compares the cases of a file, and returns their number.
fn compare(file: &PathBuf, uri: &str) -> usize {
    let groups: Vec<Value> = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let mut compared = 0;
    for group in groups {
        let schema = of_draft(group["schema"].clone(), uri);
        // Those without an alone validator refer to other documents.
        let Ok(alone) = jsonschema::options().offline().build(&schema) else { continue };
        for case in group["tests"].as_array().unwrap() {
            let (value, expected) = (&case["data"], case["valid"] == true);
            let subject =
                format!("{}: {}: {}", file.display(), group["description"], case["description"]);
            let found = accepts(&schema, value);
            assert_eq!(found, Some(alone.is_valid(value)), "{subject}");
            assert_eq!(found, Some(expected), "{subject}");
            compared += 1;
        }
    }
    compared
}

/// A filter whose choices refer to itself, in the order that made the validator try all of them.
fn filter() -> Value {
    let choice = |op: &str| {
        json!({
            "type": "object",
            "properties": {
                "args": { "type": "array", "items": { "$ref": "#/$defs/filter" } }, "op": { "const": op },
            },
            "required": ["op", "args"],
        })
    };
    let leaf = json!({
        "type": "object", "properties": { "field": { "type": "string" }, "value": {} },
        "required": ["field"], "additionalProperties": false,
    });
    json!({
        "type": "object", "properties": { "filter": { "$ref": "#/$defs/filter" } },
        "$defs": { "filter": { "oneOf": [choice("and"), choice("or"), leaf] } },
    })
}

fn nested(depth: usize, leaf: Value) -> Value {
    (0..depth).fold(leaf, |inner, at| {
        let op = if at % 2 == 0 { "and" } else { "or" };
        json!({ "op": op, "args": [inner] })
    })
}

/// The message about arguments that are not valid, and the steps that it took.
fn refused(schema: &Value, arguments: &Value) -> (String, String) {
    let schema = ArgumentSchema::new(schema.as_object().unwrap()).unwrap();
    match schema.checked(arguments, FEW_STEPS, &CancellationToken::new()) {
        Err(Failed::Fault(fault)) => {
            let error = fault.to_json()["error"].take();
            let text = |key: &str| error[key].as_str().unwrap_or_default().to_owned();
            (text("message"), text("path"))
        }
        Err(Failed::GivenUp) => panic!("gave up"),
        Ok(()) => panic!("accepted"),
    }
}

#[test]
fn one_wrong_leaf_is_named_however_deep_it_is() {
    for depth in [0, 1, 10, 45] {
        let filter = |leaf| json!({ "filter": nested(depth, leaf) });
        let (message, path) = refused(&self::filter(), &filter(json!({ "field": 5 })));
        assert_eq!(message, "`field` must be a string, not the number 5.", "{depth}");
        assert_eq!(path, format!("/filter{}/field", "/args/0".repeat(depth)));
        let (_, path) = refused(&self::filter(), &filter(json!({ "op": "xor", "args": [] })));
        assert_eq!(path, format!("/filter{}", "/args/0".repeat(depth)), "{depth}");
        let right = filter(json!({ "field": "name", "value": 1 }));
        assert_eq!(accepts(&self::filter(), &right), Some(true));
    }
}

#[test]
fn a_schema_that_unfolds_is_refused_with_its_place() {
    let twice = |at: usize| {
        let next = format!("#/$defs/{}", at + 1);
        json!({ "allOf": [{ "$ref": next }, { "$ref": next }] })
    };
    let mut defs: Map<String, Value> = (0..40).map(|at| (at.to_string(), twice(at))).collect();
    defs.insert("40".to_owned(), json!({ "type": "string" }));
    let schema =
        json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/0" } }, "$defs": defs });
    let why = ArgumentSchema::new(schema.as_object().unwrap()).err().unwrap();
    assert!(why.contains("in `/$defs/"), "{why}");
    // Without the limit a check would still be short.
    assert!(Parts::parse(&filter()).is_ok());
}

#[test]
fn references_that_the_validator_follows_take_a_limited_number_of_steps() {
    let twice = |at: usize| {
        let next = format!("#d{}", at + 1);
        json!({ "$anchor": format!("d{at}"), "allOf": [{ "$ref": next }, { "$ref": next }] })
    };
    let mut defs: Map<String, Value> = (0..30).map(|at| (at.to_string(), twice(at))).collect();
    defs.insert("30".to_owned(), json!({ "$anchor": "d30", "type": "string" }));
    let schema =
        json!({ "type": "object", "properties": { "x": { "$ref": "#d0" } }, "$defs": defs });
    let schema = ArgumentSchema::new(schema.as_object().unwrap()).unwrap();
    let given_up = schema.checked(&json!({ "x": "y" }), FEW_STEPS, &CancellationToken::new());
    assert!(matches!(given_up, Err(Failed::GivenUp)));
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let given_up = schema.checked(&json!({ "x": "y" }), u32::MAX, &cancelled);
    assert!(matches!(given_up, Err(Failed::GivenUp)));
}

#[test]
fn nobody_else_may_use_the_keywords() {
    let schema = json!({ "type": "object", "toolwrit:part": 7, "toolwrit:step": 1 });
    assert_eq!(accepts(&schema, &json!({})), Some(true));
}

/// Schemas that refer to each other, and values for them.
fn schemas() -> impl Strategy<Value = (Value, Value)> {
    let value = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (0..4).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ]
    .prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    let leaf = prop_oneof![
        prop::sample::select(vec!["string", "integer", "object", "array", "null"])
            .prop_map(|name| json!({ "type": name })),
        Just(json!({ "$ref": "#/$defs/3" })),
        // A schema that refers to itself for the same value means nothing.
        (0..3).prop_map(|at| json!({ "items": { "$ref": format!("#/$defs/{at}") } })),
        Just(json!({ "additionalProperties": { "$ref": "#" } })),
        Just(json!({ "minLength": 2 })),
        Just(json!({ "const": 1 })),
        Just(json!(false)),
    ];
    let schema = leaf.prop_recursive(3, 16, 3, |inner| {
        let some = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (prop::sample::select(vec!["anyOf", "oneOf", "allOf"]), some)
                .prop_map(|(keyword, some)| json!({ keyword: some })),
            (
                prop::sample::select(vec!["items", "not", "additionalProperties", "propertyNames"]),
                inner.clone()
            )
                .prop_map(|(keyword, one)| json!({ keyword: one })),
            ("[a-c]", inner.clone()).prop_map(|(name, one)| json!({ "properties": { name: one } })),
            inner.prop_map(|one| json!({ "$ref": "#/$defs/3", "not": one })),
        ]
    });
    (prop::collection::vec(schema, 4), value).prop_map(|(mut schemas, value)| {
        let root = schemas.pop().unwrap();
        schemas.push(
            json!({ "type": ["object", "array", "string"], "propertyNames": { "maxLength": 1 } }),
        );
        let defs: Map<String, Value> =
            schemas.into_iter().enumerate().map(|(at, schema)| (at.to_string(), schema)).collect();
        (json!({ "allOf": [root], "$defs": defs }), value)
    })
}

#[test]
fn the_parts_accept_what_the_validator_accepts_alone() {
    let config = ProptestConfig { cases: number(2_000, 50_000), ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let compared = runner.run(&schemas(), |(schema, value)| {
        let Ok(alone) = jsonschema::options().offline().build(&schema) else { return Ok(()) };
        prop_assert_eq!(
            accepts(&schema, &value),
            Some(alone.is_valid(&value)),
            "{} {}",
            schema,
            value
        );
        Ok(())
    });
    compared.unwrap();
}
