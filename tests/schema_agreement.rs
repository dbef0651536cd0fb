//! The wire schema and the generated parameter type accept and reject the same values: an independent JSON
//! Schema validator checks every value that the server receives.
#![expect(clippy::expect_used, reason = "a listing that is wrong must fail the test")]

use std::path::Path;
use std::sync::Mutex;

use jsonschema::Validator;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::requirement;

/// Values around the limits of `lab.shapes`: valid ones, invalid ones, and wrong types.
fn value_for(name: &'static str) -> BoxedStrategy<Value> {
    let own: BoxedStrategy<Value> = match name {
        "text" => prop_oneof![
            12 => "[a-z]{2,5}",
            1 => "[a-z]{0,7}",
            1 => "[A-Zé]{1,3}",
        ]
        .prop_map(Value::from)
        .boxed(),
        "whole" => prop_oneof![
            8 => (-3_i64..=12).prop_map(Value::from),
            4 => (-3_i32..=12).prop_map(|n| json!(f64::from(n))),
            1 => (-5_i64..15).prop_map(Value::from),
            1 => (-5.0..15.0).prop_map(Value::from),
        ]
        .boxed(),
        "real" => prop_oneof![(-3.0..4.0).prop_map(Value::from), (-3_i64..4).prop_map(Value::from)]
            .boxed(),
        "flag" => any::<bool>().prop_map(Value::from).boxed(),
        "day" => "20[0-9]{2}-[01][0-9]-[0-2][0-8]|2026-5-1".prop_map(Value::from).boxed(),
        "moment" => "2026-0[1-9]-[0-3][0-8]T[0-2][0-9]:[0-6][0-9]:[0-5][0-9](\\.[0-9]{1,4})?(Z|z|[+-]0[0-9]:[0-6]0)?"
            .prop_map(Value::from)
            .boxed(),
        "colour" => "red|green|blue|Red|".prop_map(Value::from).boxed(),
        "choice" => "left|right|up".prop_map(Value::from).boxed(),
        "list" => proptest::collection::vec(-3_i64..3, 0..5).prop_map(Value::from).boxed(),
        "grid" => proptest::collection::vec(proptest::collection::vec("[a-c]{0,2}", 0..3), 0..3)
            .prop_map(|rows| json!(rows))
            .boxed(),
        "map" => proptest::collection::btree_map("[a-z/~]{0,3}", -2.0..2.0, 0..3)
            .prop_map(|map| json!(map))
            .boxed(),
        "point" => point().boxed(),
        "points" => proptest::collection::vec(point(), 0..3).prop_map(Value::from).boxed(),
        _ => anything().boxed(),
    };
    prop_oneof![20 => own, 1 => anything()].boxed()
}

fn point() -> impl Strategy<Value = Value> {
    let fields = (any::<i8>(), -1_i64..3, proptest::option::of("[a-z]{0,3}"), 0..20);
    fields.prop_map(|(x, y, label, twist)| {
        let mut point = json!({"x": x, "y": y});
        if let Some(label) = label {
            point["label"] = label.into();
        }
        match twist {
            0 => point["z"] = 1.into(),
            1 => drop(point.as_object_mut().map(|point| point.remove("x"))),
            _ => {}
        }
        point
    })
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        // No text that is JSON: stringified objects and lists are accepted on purpose.
        "[a-zA-Z /~é]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,5}", inner, 0..3).prop_map(|map| json!(map)),
        ]
    })
}

const OPTIONAL: [&str; 12] = [
    "real", "flag", "day", "moment", "colour", "choice", "list", "grid", "map", "point", "points",
    "anything",
];

prop_compose! {
    fn arguments()(
        text in proptest::option::weighted(0.95, value_for("text")),
        whole in proptest::option::weighted(0.95, value_for("whole")),
        rest in OPTIONAL.map(|name| proptest::option::weighted(0.15, value_for(name))),
        stranger in proptest::option::weighted(0.05, "[a-z]{3,8}"),
    ) -> Value {
        let named = [("text", text), ("whole", whole)].into_iter().chain(OPTIONAL.into_iter().zip(rest));
        let mut arguments: Map<String, Value> =
            named.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        if let Some(name) = stranger {
            arguments.insert(name, 1.into());
        }
        Value::Object(arguments)
    }
}

/// One server for all cases, with the schema from its own listing.
fn subject() -> (Mutex<Client>, Validator) {
    let lab = Path::new(env!("CARGO_BIN_EXE_lab"));
    let mut client = Client::connect(lab, &["serve", "--surface", "flat"], Era::Initialize);
    let tools = client.tools();
    let shapes = tools.iter().find(|tool| tool["name"] == "lab_shapes").expect("it is listed");
    let validator = jsonschema::validator_for(&shapes["inputSchema"]).expect("a valid schema");
    (Mutex::new(client), validator)
}

#[test]
fn the_schema_and_the_server_agree() {
    let (client, validator) = subject();
    let (mut accepted, mut rejected) = (0, 0);
    let counts = Mutex::new((&mut accepted, &mut rejected));
    let cases = requirement::number(1_000, 30_000);
    let config = ProptestConfig { cases, failure_persistence: None, ..Default::default() };
    proptest!(config, |(arguments in arguments())| {
        let result = client.lock().expect("one thread").call("lab_shapes", &arguments);
        let code = result.code();
        let valid = validator.is_valid(&arguments);
        let mut counts = counts.lock().expect("one thread");
        if valid { *counts.0 += 1 } else { *counts.1 += 1 }
        match code.as_str() {
            "ok" => prop_assert!(valid, "the server took {arguments}"),
            "VALIDATION_ERROR" => {
                // The schema checks the form of a date, the server also the calendar.
                prop_assert!(!valid || impossible_date(&arguments), "{} {arguments}", result.text());
            }
            other => prop_assert!(false, "{other} for {arguments}"),
        }
    });
    // The comparison is meaningful only if both outcomes occur often.
    assert!(accepted.min(rejected) > cases / 10, "{accepted} accepted, {rejected} rejected");
}

/// February 30th, second 60, hour 24: valid in form, but not in the calendar.
fn impossible_date(arguments: &Value) -> bool {
    let day = arguments["day"].as_str().is_some_and(|text| text.parse::<toolwrit::Date>().is_err());
    let moment = arguments["moment"].as_str();
    day || moment.is_some_and(|text| text.parse::<toolwrit::Timestamp>().is_err())
}
