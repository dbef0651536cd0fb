//! A compromised or careless authorization server.

use std::io::Read as _;
use std::net::TcpListener;

use jsonwebtoken::Algorithm;
use serde_json::json;

use super::ping;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;
use toolwrit_tests::servers::issuer::{Issuer, Key};

const METADATA: &str = "/.well-known/oauth-authorization-server";

#[test]
fn deceptive_user_names_are_refused() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    let status =
        |name: &str| ping(&server, &key.sign(&issuer.claims_with(&json!({ "sub": name })))).status;
    for name in ["alice smith", "Zoë", "auth0|5f7c8ec7", "o'brien", "日本", "e\u{301}", "a\\b"] {
        assert_eq!(status(name), 200, "{name}");
    }
    for name in [
        "\u{202e}ecila",
        "alice\u{2066}",
        "alice\u{200f}",
        "al\u{200b}ice",
        "alice\u{2028}bob",
        "alice\u{85}",
        "alice\u{1b}[2J",
        "alice\u{feff}",
    ] {
        assert_eq!(status(name), 401, "{name:?}");
    }
}

#[test]
fn published_documents_cannot_forge_log_lines() {
    let injected = "https://a.example\n2026-11-23T00:00:00Z ERROR forged: \u{1b}[2J\u{202e}";
    for metadata in [
        json!({"issuer": injected, "jwks_uri": "https://a.example/keys"}),
        json!({"issuer": "", "jwks_uri": injected}),
        json!({"issuer": "", "jwks_uri": format!("{injected}{}", "x".repeat(100_000))}),
    ] {
        let key = Key::new("k", Algorithm::EdDSA);
        let issuer = Issuer::start("");
        let mut metadata = metadata;
        if metadata["issuer"] == "" {
            metadata["issuer"] = issuer.url.clone().into();
        }
        issuer.put(METADATA, metadata);
        let home = Home::new();
        let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
        assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 503);
        let said = server.stop();
        assert!(said.contains("cannot fetch the keys"), "{said}");
        assert!(
            said.lines()
                .all(|line| !line.contains("ERROR") || !line.starts_with("2026-11-23T00:00:00Z")),
            "{said}"
        );
        assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
        assert!(said.len() < 2_000, "{} bytes", said.len());
    }
}

#[test]
fn an_issuer_cannot_make_the_server_call_local_programs() {
    let key = Key::new("k", Algorithm::EdDSA);
    for host in [
        "http://127.0.0.1",
        "https://127.0.0.1",
        "https://127.1",
        "https://0.0.0.0",
        "https://2130706433",
        "https://0x7f000001",
        "https://localhost",
        "https://[::ffff:127.0.0.1]",
    ] {
        let issuer = Issuer::start("");
        let other = TcpListener::bind("127.0.0.1:0").unwrap();
        let keys = format!("{host}:{}/admin", other.local_addr().unwrap().port());
        issuer.put(METADATA, json!({"issuer": issuer.url, "jwks_uri": keys}));
        let home = Home::new();
        let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
        // It accepts no connection, so a server that calls it would wait.
        assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 503);
        other.set_nonblocking(true).unwrap();
        let asked = other.accept().map(|(mut stream, _)| {
            let mut said = [0; 64];
            stream.read(&mut said).map(|bytes| said[..bytes].to_vec())
        });
        assert!(asked.is_err(), "{keys} was asked: {asked:?}");
        let said = server.stop();
        assert!(said.contains("--oauth-jwks"), "{said}");
    }
}

#[test]
fn an_invalid_key_does_not_affect_the_others() {
    let key = Key::new("k", Algorithm::ES256);
    let mut broken = key.public();
    broken["crv"] = "P-999".into();
    let mut without_point = key.public();
    without_point.as_object_mut().unwrap().remove("x");
    let bad =
        [json!(null), json!(7), json!({}), broken, without_point, json!({"kty": "EC", "x": 1})];
    for bad in bad {
        let issuer = Issuer::publishing(&[]);
        issuer.publish_raw(&json!({"keys": [bad, key.public()]}));
        let home = Home::new();
        let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
        let answer = ping(&server, &key.sign(&issuer.claims()));
        assert_eq!(answer.status, 200, "{bad}: {answer:?}");
    }
}
