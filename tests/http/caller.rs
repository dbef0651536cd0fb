//! What a handler learns about its caller, on each transport.

use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{Client, Era};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;

use toolwrit_tests::servers::issuer::{Issuer, Key};

/// Calls an operation with this token.
fn call(server: &Server, face: &str, token: &str, tool: &str, arguments: &Value) -> Value {
    server.client(face).bearing(token).call(tool, arguments).ok()["result"].take()
}

#[test]
fn over_standard_streams_the_caller_is_local_with_a_client_name() {
    for era in Era::ALL {
        let mut client = Client::connect(lab(), &["serve", "--surface", "flat"], era);
        let request = client.begin_call("lab_caller", &json!({}));
        let told = client.finish_call(request).ok()["result"].take();
        let expected = json!({
            "principal": "local", "role": "owner", "scopes": [], "subject": null, "claims": [],
            "client": ["tests", "1"], "surface": "flat", "request": request.to_string(),
        });
        assert_eq!(told, expected, "{era:?}");
    }
}

#[test]
fn the_id_of_a_request_may_be_a_text() {
    let mut client = Client::connect(lab(), &["serve", "--surface", "meta"], Era::Initialize);
    let params = json!({"name": "execute_read", "arguments": {"tool": "lab.caller"}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": "seven", "method": "tools/call", "params": params}));
    let answer = client.next_answer();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let told: Value = serde_json::from_str(text).unwrap();
    assert_eq!((&told["request"], &told["surface"]), (&json!("seven"), &json!("meta")));
}

#[test]
fn over_http_the_token_identifies_the_caller() {
    let home = Home::new();
    let token = home.token(lab(), "onlooker");
    let server = home.serve(lab(), &[]);
    let told = call(&server, "/flat", &token, "lab_caller", &json!({}));
    assert_eq!(told["principal"], "onlooker");
    assert_eq!(told["role"], "onlooker");
    assert_eq!((&told["scopes"], &told["claims"]), (&json!([]), &json!([])));
}

#[test]
fn an_issuers_access_token_provides_scopes_and_claims() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    let token = key.sign(&issuer.claims_with(&json!({"email": "alice@lab.example"})));
    let told = call(&server, "/flat", &token, "lab_caller", &json!({}));
    assert_eq!(told["principal"], format!("{}#alice", issuer.url));
    assert_eq!(told["scopes"], json!(["openid", "lab:use"]));
    assert_eq!(told["subject"], "alice");
    let mut claims: Vec<&str> =
        told["claims"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    claims.sort_unstable();
    assert_eq!(claims, ["aud", "client_id", "email", "exp", "iat", "iss", "sub"]);
}

#[test]
fn an_answer_is_not_reused_for_other_claims() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    let stamp = |claims: &Value| {
        let token = key.sign(&issuer.claims_with(claims));
        server.client("/flat").bearing(&token).call("lab_stamp", &json!({"of": "a"})).ok()
    };
    let fixed = |team: &str| json!({"team": team, "iat": 0, "exp": 32_503_680_000_u64});
    let first = stamp(&fixed("red"));
    assert_eq!(stamp(&fixed("red")), first);
    assert_ne!(stamp(&fixed("blue")), first);
}

#[test]
fn on_the_command_line_there_is_neither_client_nor_request() {
    let home = Home::new();
    let run = home.command(lab(), &["call", "lab.caller", "--json"]).output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let told: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!((&told["principal"], &told["role"]), (&json!("local"), &json!("owner")));
    assert_eq!(
        [&told["client"], &told["surface"], &told["request"]],
        [&Value::Null, &Value::Null, &Value::Null]
    );
}
