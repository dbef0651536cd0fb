//! The documents of the authorization server: found, cached and renewed.

use jsonwebtoken::Algorithm;
use serde_json::json;

use super::ping;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;
use toolwrit_tests::servers::issuer::{Issuer, Key};

#[test]
fn metadata_is_found_at_the_standard_paths() {
    for (path, place) in [
        ("", "/.well-known/oauth-authorization-server"),
        ("", "/.well-known/openid-configuration"),
        ("/", "/.well-known/openid-configuration"),
        ("/realms/a", "/.well-known/oauth-authorization-server/realms/a"),
        ("/realms/a", "/.well-known/openid-configuration/realms/a"),
        ("/realms/a", "/realms/a/.well-known/openid-configuration"),
        ("/realms/a/", "/realms/a/.well-known/openid-configuration"),
    ] {
        let key = Key::new("k", Algorithm::EdDSA);
        let issuer = Issuer::start(path);
        issuer.publish(&[&key]);
        issuer.describe(place, &issuer.url);
        let home = Home::new();
        let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
        let answer = ping(&server, &key.sign(&issuer.claims()));
        assert_eq!(answer.status, 200, "{path} {place}: {answer:?}");
    }
}

#[test]
fn the_operator_can_set_the_address_of_the_keys() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::start("");
    issuer.publish(&[&key]);
    let home = Home::new();
    let keys = issuer.keys_url();
    let flags = [&issuer.flags(&["lab:use=owner"])[..], &["--oauth-jwks", &keys]].concat();
    let server = home.serve(lab(), &flags);
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
}

#[test]
fn metadata_of_another_issuer_is_refused() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::start("");
    issuer.publish(&[&key]);
    issuer.describe("/.well-known/oauth-authorization-server", "https://other.example");
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 503);
}

#[test]
fn new_keys_are_found_and_old_ones_dropped() {
    let [old, new] = ["old", "new"].map(|id| Key::new(id, Algorithm::ES256));
    let issuer = Issuer::publishing(&[&old]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    let [by_old, by_new] = [&old, &new].map(|key| key.sign(&issuer.claims()));
    assert_eq!(ping(&server, &by_old).status, 200);
    assert_eq!(ping(&server, &by_new).status, 401);
    issuer.publish(&[&new]);
    assert_eq!(ping(&server, &by_new).status, 200);
    assert_eq!(ping(&server, &by_old).status, 401);
}

#[test]
fn fetches_for_unknown_keys_are_limited() {
    let key = Key::new("k", Algorithm::EdDSA);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    for number in 0..50 {
        let mut header = key.header();
        header.kid = Some(format!("no-{number}"));
        assert_eq!(ping(&server, &key.sign_under(&header, &issuer.claims())).status, 401);
    }
    // Each attempt takes two requests, and there are at most four attempts a minute.
    assert!(issuer.requests() <= 10, "{}", issuer.requests());
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
}

#[test]
fn cached_keys_are_used_while_the_authorization_server_is_down() {
    let [key, other] = ["k", "other"].map(|id| Key::new(id, Algorithm::EdDSA));
    let issuer = Issuer::publishing(&[&key]);
    issuer.set_down(true);
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    let token = key.sign(&issuer.claims());
    let refused = ping(&server, &token);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.headers.contains_key("retry-after"));

    issuer.set_down(false);
    assert_eq!(ping(&server, &token).status, 200);

    issuer.set_down(true);
    assert_eq!(ping(&server, &other.sign(&issuer.claims())).status, 401);
    assert_eq!(ping(&server, &token).status, 200);
}

#[test]
fn only_signature_keys_are_used() {
    let keys = [Algorithm::EdDSA, Algorithm::ES256].map(|algorithm| Key::new("k", algorithm));
    let changes = [
        ("use", json!("enc")),
        ("key_ops", json!(["encrypt"])),
        ("alg", json!("RS256")),
        ("x", json!("AAAA")),
        ("crv", json!("Ed448")),
    ];
    for (key, (name, value)) in
        keys.iter().flat_map(|key| changes.clone().map(|change| (key, change)))
    {
        let issuer = Issuer::publishing(&[]);
        let mut public = key.public();
        public[name] = value;
        let unknown = json!({"kty": "new", "kid": "unknown", "what": 1});
        issuer.publish_raw(&json!({"keys": [unknown, public]}));
        let home = Home::new();
        let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
        let answer = ping(&server, &key.sign(&issuer.claims()));
        assert_eq!(answer.status, 401, "{name}: {answer:?}");
    }
}
