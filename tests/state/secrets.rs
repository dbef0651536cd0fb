//! Sensitive values are in no byte of the file.

use std::path::Path;

use serde_json::{Value, json};

use super::{flat, folder, keyed, lab, rows, run};

/// No recorded text may contain it.
const SECRET: &str = "hunter2";

fn account(user: &str) -> Value {
    json!({"user": user, "token": SECRET, "note": "plain"})
}

fn assert_clean(data: &Path) {
    let mut seen = 0;
    for entry in std::fs::read_dir(data.join("lab")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        seen += bytes.len();
        let found = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
        assert!(!found, "the secret is on disk");
    }
    assert!(seen > 4096, "nothing was written");
}

#[test]
fn sensitive_values_are_redacted_at_every_depth() {
    let data = folder();
    let mut server = flat(data.path());
    let arguments = json!({
        "password": SECRET,
        "account": account("one"),
        "others": [account("two"), {"user": "three", "token": SECRET}],
        "by_name": {"four": account("four")},
        "extra": {"b": [1, null], "a": "free"},
    });
    assert_eq!(server.call("lab_enrol", &arguments).code(), "ok");
    // Clients may send objects as JSON text, or use an older name.
    let mut texts = arguments.clone();
    for key in ["account", "others", "by_name"] {
        texts[key] = arguments[key].to_string().into();
    }
    assert_eq!(server.call("lab_enrol", &texts).code(), "ok");
    let mut older = arguments.clone();
    older["passphrase"] = older.as_object_mut().unwrap().remove("password").unwrap();
    assert_eq!(server.call("lab_sign_up", &older).code(), "ok");
    assert_eq!(keyed(&mut server, "lab_enrol", &arguments, "key").code(), "ok");
    server.close();

    let redacted = |user: &str| json!({"user": user, "token": "[redacted]", "note": "plain"});
    let expected = json!({
        "password": "[redacted]",
        "account": redacted("one"),
        "others": [redacted("two"), {"user": "three", "token": "[redacted]"}],
        "by_name": {"four": redacted("four")},
        "extra": {"a": "free", "b": [1, null]},
    });
    let rows = rows(data.path(), &[]);
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_eq!(row["arguments"], expected);
    }
    assert_clean(data.path());
}

#[test]
fn invalid_arguments_are_not_recorded() {
    let data = folder();
    let mut server = flat(data.path());
    for (tool, arguments) in [
        ("lab_enrol", json!({"password": SECRET, "account": {"user": "one"}})),
        ("lab_enrol", json!({"pasword": SECRET, "account": account("one")})),
        ("lab_enrol", json!({"password": SECRET, "account": account("one"), "more": SECRET})),
        ("lab_login", json!({"password": SECRET})),
        ("lab_panic", json!({"secret": SECRET})),
    ] {
        assert!(server.call(tool, &arguments).is_error());
    }
    server.close();
    // Also if the operation is hidden from the caller.
    let hidden = ["call", "lab.panic", "--secret", SECRET, "--exclude", "lab.panic"];
    assert_eq!(run(lab(), data.path(), &hidden).status.code(), Some(1));
    let rows = rows(data.path(), &[]);
    let kept: Vec<&Value> = rows.iter().map(|row| &row["arguments"]).collect();
    let none = &Value::Null;
    assert_eq!(kept, [none, none, none, none, &json!({"secret": "[redacted]"}), none]);
    assert_eq!(rows[5]["decision"], "hidden");
    assert_clean(data.path());
}

#[test]
fn long_texts_and_lists_are_cut() {
    let data = folder();
    let mut server = flat(data.path());
    server.call("lab_echo", &json!({"text": "é".repeat(5000)}));
    let items: Vec<String> = (0..5000).map(|number| format!("{number:0100}")).collect();
    let account = account("one");
    server.call("lab_enrol", &json!({"password": "x", "account": account, "extra": items}));
    server.close();
    let rows = rows(data.path(), &[]);
    assert_eq!(rows[0]["arguments"]["text"], "é".repeat(200));
    assert_eq!(rows[0]["bytes_in"], 10_000 + r#"{"text":""}"#.len());
    let extra = rows[1]["arguments"]["extra"].as_array().unwrap();
    assert!((100..200).contains(&extra.len()), "{}", extra.len());
    assert_eq!(extra.last().unwrap(), "[cut]");
}
