//! Valid and invalid tokens.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::{challenge, ping};
use toolwrit_tests::drivers::http::{Home, Server};
use toolwrit_tests::program::lab;
use toolwrit_tests::servers::issuer::{AUDIENCE, Issuer, Key, time};

fn serve(home: &Home, issuer: &Issuer) -> Server {
    home.serve(lab(), &issuer.flags(&["lab:use=owner"]))
}

#[test]
fn valid_tokens_are_accepted_in_every_form() {
    let (elliptic, edwards) = (Key::new("ec", Algorithm::ES256), Key::new("ed", Algorithm::EdDSA));
    let (rsa, pss) = (Key::new("rsa", Algorithm::RS256), Key::new("pss", Algorithm::PS256));
    let issuer = Issuer::publishing(&[&elliptic, &edwards, &rsa, &pss]);
    let home = Home::new();
    let server = serve(&home, &issuer);
    for key in [&elliptic, &edwards, &rsa, &pss] {
        let answer = ping(&server, &key.sign(&issuer.claims()));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    for changes in [
        json!({"aud": ["https://other.example", AUDIENCE]}),
        json!({"scope": null, "scp": ["lab:use"]}),
        json!({"scope": null, "scp": "a lab:use b"}),
        json!({"scope": ["lab:use"]}),
        json!({"nbf": time(-5)}),
        // Clocks may differ slightly.
        json!({"exp": time(-5)}),
        json!({"nbf": time(5)}),
        json!({"unknown": {"claims": [1, 2]}}),
    ] {
        let answer = ping(&server, &elliptic.sign(&issuer.claims_with(&changes)));
        assert_eq!(answer.status, 200, "{changes}: {answer:?}");
    }
    for typ in [None, Some("JWT"), Some("AT+JWT"), Some("application/at+jwt")] {
        let mut header = elliptic.header();
        header.typ = typ.map(str::to_owned);
        let answer = ping(&server, &elliptic.sign_under(&header, &issuer.claims()));
        assert_eq!(answer.status, 200, "{typ:?}: {answer:?}");
    }
    // Without a key id, the only key for the algorithm is used.
    let mut header = edwards.header();
    header.kid = None;
    assert_eq!(ping(&server, &edwards.sign_under(&header, &issuer.claims())).status, 200);
}

/// Invalid tokens, each with its defect.
fn bad_tokens(issuer: &Issuer, key: &Key) -> Vec<(String, String)> {
    let claims = [
        json!({"aud": "https://other.example/mcp"}),
        json!({"aud": format!("{AUDIENCE}/")}),
        json!({"aud": "https://lab.example"}),
        json!({"aud": []}),
        json!({"aud": null}),
        json!({"iss": "https://other.example"}),
        json!({"iss": format!("{}/", issuer.url)}),
        json!({"iss": [issuer.url, "https://other.example"]}),
        json!({"iss": null}),
        json!({"nbf": time(600)}),
        json!({"nbf": "now"}),
        json!({"exp": null}),
        json!({"exp": "tomorrow"}),
        json!({"exp": -1}),
        json!({"sub": null}),
        json!({"sub": ""}),
        json!({"sub": "a\nb"}),
        json!({"sub": "a".repeat(256)}),
        json!({"sub": 7}),
    ];
    let mut tokens: Vec<(String, String)> = claims
        .iter()
        .map(|changes| (changes.to_string(), key.sign(&issuer.claims_with(changes))))
        .collect();
    let mut add = |what: &str, token: String| tokens.push((what.to_owned(), token));

    let good = key.sign(&issuer.claims());
    let parts: Vec<&str> = good.split('.').collect();
    let part = |value: &Value| BASE64.encode(value.to_string());
    let other_claims = part(&issuer.claims_with(&json!({"sub": "mallory"})));
    add("another payload", format!("{}.{other_claims}.{}", parts[0], parts[2]));
    let mut signature = BASE64.decode(parts[2]).unwrap();
    signature[7] ^= 1;
    let signature = BASE64.encode(signature);
    add("another signature", format!("{}.{}.{signature}", parts[0], parts[1]));
    add("no signature", format!("{}.{}.", parts[0], parts[1]));
    for name in ["none", "None", "", "HS256", "ES384", "RS256", "EdDSA", "nonsense"] {
        let head = part(&json!({"alg": name, "kid": "k", "typ": "JWT"}));
        add(&format!("alg {name}"), format!("{head}.{}.{}", parts[1], parts[2]));
        add(&format!("alg {name}, unsigned"), format!("{head}.{}.", parts[1]));
    }

    // A verifier that uses a public key as a shared secret accepts tokens of anyone who knows that key.
    let public = key.public();
    let point = [&[4], &coordinate(&public, "x")[..], &coordinate(&public, "y")].concat();
    for secret in [public.to_string().into_bytes(), coordinate(&public, "x"), point] {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some("k".to_owned());
        let secret = EncodingKey::from_secret(&secret);
        add("public key as secret", encode(&header, &issuer.claims(), &secret).unwrap());
    }

    let stranger = Key::new("k", Algorithm::ES256);
    add("a stranger's key", stranger.sign(&issuer.claims()));
    let mut header = stranger.header();
    header.jwk = Some(serde_json::from_value::<Jwk>(stranger.public()).unwrap());
    header.jku = Some("https://evil.example/keys".to_owned());
    add("a key in the token", stranger.sign_under(&header, &issuer.claims()));
    let mut header = key.header();
    header.typ = Some("logout+jwt".to_owned());
    add("no access token", key.sign_under(&header, &issuer.claims()));
    let mut header = key.header();
    header.crit = Some(vec!["exp".to_owned()]);
    add("critical headers", key.sign_under(&header, &issuer.claims()));
    for garbage in ["a", "a.b", "a.b.c", "..", "e30.e30.e30"] {
        add("garbage", garbage.to_owned());
    }
    let long = json!({"x": "x".repeat(20_000)});
    add("too long", key.sign(&issuer.claims_with(&long)));
    tokens
}

fn coordinate(jwk: &Value, name: &str) -> Vec<u8> {
    BASE64.decode(jwk[name].as_str().unwrap()).unwrap()
}

#[test]
fn invalid_tokens_get_the_same_answer() {
    let key = Key::new("k", Algorithm::ES256);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let server = serve(&home, &issuer);
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
    for (what, token) in bad_tokens(&issuer, &key) {
        let answer = ping(&server, &token);
        assert_eq!(answer.status, 401, "{what}: {answer:?}");
        assert_eq!(
            challenge(&answer),
            "Bearer realm=\"lab\", error=\"invalid_token\", scope=\"lab:use\", resource_metadata=\
             \"https://lab.example/.well-known/oauth-protected-resource/mcp\"",
            "{what}"
        );
        assert!(token.len() < 20 || !answer.body.contains(&token), "{what}");
    }
    let expired = ping(&server, &key.sign(&issuer.claims_with(&json!({"exp": time(-600)}))));
    assert_eq!(expired.status, 401);
    assert!(challenge(&expired).contains("error=\"invalid_token\""));
    assert_eq!(expired.error()["message"], "this access token has expired");
    assert_eq!(ping(&server, &key.sign(&issuer.claims())).status, 200);
}

#[test]
fn tokens_of_another_issuer_or_server_are_logged_as_such() {
    let key = Key::new("k", Algorithm::ES256);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    for (changes, reason) in [
        (json!({"iss": "https://other.example"}), "wrong_issuer"),
        (json!({"aud": "https://other.example/mcp"}), "wrong_audience"),
    ] {
        let server = serve(&home, &issuer);
        assert_eq!(ping(&server, &key.sign(&issuer.claims_with(&changes))).status, 401);
        let said = server.stop();
        let line = said.lines().find(|line| line.contains("without a valid credential"));
        assert!(line.is_some_and(|line| line.contains(reason)), "{said}");
    }
}

#[test]
fn tokens_are_not_logged_and_users_are_audited() {
    let key = Key::new("k", Algorithm::ES256);
    let issuer = Issuer::publishing(&[&key]);
    let home = Home::new();
    let flags = [&["serve", "--http", "127.0.0.1:0"][..], &issuer.flags(&["lab:use=owner"])];
    let mut command = home.command(lab(), &flags.concat());
    command.env("TOOLWRIT_LOG", "trace,rmcp=trace");
    let server = Server::start(command);
    let good = key.sign(&issuer.claims());
    let bad = key.sign(&issuer.claims_with(&json!({"aud": "https://other.example"})));
    server.client("/flat").bearing(&good).call("lab_echo", &json!({"text": "hi"})).ok();
    assert_eq!(ping(&server, &bad).status, 401);
    let said = server.stop();
    for token in [good, bad] {
        let signature = token.rsplit('.').next().unwrap();
        assert!(!said.contains(signature), "a token was logged");
    }
    let audit = said.lines().find(|line| line.contains("toolwrit::audit")).unwrap();
    assert!(audit.contains(&format!("principal={}#alice", issuer.url)), "{audit}");
}
