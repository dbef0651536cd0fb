//! A failure of each kind, as a client receives it.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::repair::{Call, Face, Session};

fn failure(face: Face, call: &Call) -> String {
    let error = Session::on(face).fail(call);
    serde_json::to_string_pretty(&error).unwrap()
}

fn read(face: Face, arguments: &Value) -> String {
    failure(face, &face.call("read", "read", arguments))
}

#[test]
fn names() {
    let call = Face::Flat.call("read", "raed", &json!({}));
    assert_snapshot!("wrong_tool_flat", failure(Face::Flat, &call));
    let call = Face::Dispatch.call("read", "raed", &json!({}));
    assert_snapshot!("wrong_operation_dispatch", failure(Face::Dispatch, &call));
    let call = Face::Meta.call("read", "raed", &json!({}));
    assert_snapshot!("wrong_operation_meta", failure(Face::Meta, &call));
    let call = Call { tool: "execute_read".to_owned(), arguments: json!({"tool": "qqq"}) };
    assert_snapshot!("nothing_close", failure(Face::Meta, &call));
    let call = Call { tool: "vault.read".to_owned(), arguments: json!({"path": "Wanted"}) };
    assert_snapshot!("tool_of_another_surface", failure(Face::Meta, &call));
}

#[test]
fn parameters() {
    assert_snapshot!("misspelt_parameter", read(Face::Flat, &json!({"pth": "Wanted"})));
    assert_snapshot!("wrong_type", read(Face::Flat, &json!({"path": ["Wanted"]})));
    assert_snapshot!("missing_parameter", read(Face::Flat, &json!({})));
    let call = json!({"path": "Wanted", "format": "html"});
    assert_snapshot!("unknown_enum_value", read(Face::Flat, &call));
    let call = json!({"path": "Wanted", "max_bytes": 0});
    assert_snapshot!("out_of_range", read(Face::Flat, &call));
}

#[test]
fn envelopes() {
    let beside = |tool: &str, key: &str, name: &str| Call {
        tool: tool.to_owned(),
        arguments: json!({key: name, "path": "Wanted"}),
    };
    let mut call = beside("vault_read", "operation", "read");
    call.arguments["params"] = json!({});
    assert_snapshot!("beside_params_dispatch", failure(Face::Dispatch, &call));
    let call = beside("execute_read", "tool", "vault.read");
    assert_snapshot!("beside_args_meta", failure(Face::Meta, &call));
    let call = Face::Dispatch.call("read", "delete", &json!({"path": "Wanted"}));
    assert_snapshot!("wrong_effect_dispatch", failure(Face::Dispatch, &call));
    let call = Face::Meta.call("read", "delete", &json!({"path": "Wanted"}));
    assert_snapshot!("wrong_effect_meta", failure(Face::Meta, &call));
}

#[test]
fn the_vault() {
    let gone = json!({"path": "Wnated"});
    assert_snapshot!("not_found", read(Face::Flat, &gone));
    let outside = json!({"path": "../Wanted"});
    assert_snapshot!("invalid_path", read(Face::Flat, &outside));
    let taken = json!({"path": "Wanted", "content": "x", "mode": "create"});
    let call = Face::Flat.call("write", "write", &taken);
    assert_snapshot!("already_exists", failure(Face::Flat, &call));
    let stale = json!({"path": "Wanted", "content": "x", "if_match": "stale"});
    let call = Face::Flat.call("write", "write", &stale);
    assert_snapshot!("conflict", failure(Face::Flat, &call));
    let call = Face::Flat.call("read", "search", &json!({"query": "(", "mode": "regex"}));
    assert_snapshot!("bad_pattern", failure(Face::Flat, &call));
}
