//! The sign-in at an authorization server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use toolwrit_test_servers::http::ReceivedRequest;
use toolwrit_tests::drivers::http::Home;
use toolwrit_tests::program::lab;
use toolwrit_tests::servers::issuer::{Issuer, Key, Reply, time};

use super::driven;

/// The client that registers itself.
const CLIENT: &str = "page";

/// An authorization server that asks its user nothing. The next sign-in differs as the page `/next` was told.
struct Desk {
    url: String,
    claims: Value,
    key: Key,
    /// What differs.
    next: Mutex<HashMap<String, String>>,
    /// The challenge of each code.
    codes: Mutex<HashMap<String, String>>,
}

fn pairs(query: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(query.as_bytes()).into_owned().collect()
}

impl Desk {
    fn answer(&self, asked: &ReceivedRequest) -> Option<Reply> {
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        match (asked.method.as_str(), path) {
            ("GET", "/next") => {
                *self.next.lock().unwrap() = pairs(query);
                Some(Reply::Json(json!({})))
            }
            ("GET", "/.well-known/oauth-authorization-server") => {
                Some(Reply::Json(self.metadata()))
            }
            ("POST", "/register") => {
                let client: Value = asked.json();
                assert_eq!(client["token_endpoint_auth_method"], "none");
                Some(Reply::Json(json!({ "client_id": CLIENT })))
            }
            ("GET", "/authorize") => Some(Reply::Redirect(self.authorize(&pairs(query)))),
            ("POST", "/token") => Some(Reply::Json(self.token(&pairs(asked.text())))),
            _ => None,
        }
    }

    fn metadata(&self) -> Value {
        let has_proof = !self.next.lock().unwrap().contains_key("plain");
        json!({
            "issuer": self.url,
            "jwks_uri": format!("{}/keys", self.url),
            "authorization_endpoint": format!("{}/authorize", self.url),
            "token_endpoint": format!("{}/token", self.url),
            "registration_endpoint": format!("{}/register", self.url),
            "code_challenge_methods_supported": if has_proof { json!(["S256"]) } else { json!(["plain"]) },
            "authorization_response_iss_parameter_supported": true,
        })
    }

    /// The address to which the user is sent back.
    fn authorize(&self, asked: &HashMap<String, String>) -> String {
        let expected = [("client_id", CLIENT), ("response_type", "code"), ("scope", "lab:use")];
        for (name, value) in expected {
            assert_eq!(asked[name], value, "{asked:?}");
        }
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["resource"], toolwrit_tests::servers::issuer::AUDIENCE);
        let next = self.next.lock().unwrap();
        let mut codes = self.codes.lock().unwrap();
        let code = format!("code-{}", codes.len());
        codes.insert(code.clone(), asked["code_challenge"].clone());
        let or =
            |name: &str, usual: &str| next.get(name).cloned().unwrap_or_else(|| usual.to_owned());
        let mut back = url::Url::parse(&asked["redirect_uri"]).unwrap();
        back.query_pairs_mut().append_pair("state", &or("state", &asked["state"]));
        let issuer = or("iss", &self.url);
        if !issuer.is_empty() {
            back.query_pairs_mut().append_pair("iss", &issuer);
        }
        match next.get("error") {
            Some(error) => back.query_pairs_mut().append_pair("error", error),
            None => back.query_pairs_mut().append_pair("code", &code),
        };
        back.into()
    }

    fn token(&self, asked: &HashMap<String, String>) -> Value {
        let next = self.next.lock().unwrap();
        let proof = BASE64.encode(Sha256::digest(&asked["code_verifier"]));
        let challenge = self.codes.lock().unwrap().remove(&asked["code"]);
        if challenge != Some(proof) || next.contains_key("verifier") || asked["client_id"] != CLIENT
        {
            return json!({ "error": "invalid_grant" });
        }
        let mut claims = self.claims.clone();
        if next.contains_key("expired") {
            claims["exp"] = time(-600).into();
        }
        json!({ "access_token": self.key.sign(&claims), "token_type": "Bearer", "expires_in": 600 })
    }
}

#[test]
fn users_sign_in_at_the_authorization_server() {
    let (key, issuer) = (Key::new("k", Algorithm::ES256), Issuer::start(""));
    issuer.publish(&[&key]);
    let desk = Arc::new(Desk {
        url: issuer.url.clone(),
        claims: issuer.claims(),
        key,
        next: Mutex::default(),
        codes: Mutex::default(),
    });
    issuer.answering(move |asked| desk.answer(asked));
    let home = Home::new();
    let server = home.serve(lab(), &issuer.flags(&["lab:use=owner"]));
    let page = format!("http://{}/browser/", server.address());
    driven("sign_in.mjs", &[&page, &issuer.url]);
}
