//! An authorization server with its own keys, the tokens that it signs, and the documents that it
//! publishes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rsa::pkcs1::EncodeRsaPrivateKey;
use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, response};

/// The audience of the tokens: the server under test.
pub const AUDIENCE: &str = "https://lab.example/mcp";

/// A key pair.
pub struct Key {
    id: String,
    algorithm: Algorithm,
    private: EncodingKey,
}

fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

/// A private key as PKCS #8; only its key bytes vary.
fn pkcs8(head: &[u8]) -> Vec<u8> {
    [head, &random()].concat()
}

impl Key {
    /// A new one with this id.
    pub fn new(id: &str, algorithm: Algorithm) -> Self {
        let private = match algorithm {
            Algorithm::ES256 => EncodingKey::from_ec_der(&pkcs8(&[
                0x30, 0x41, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d,
                0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x04, 0x27,
                0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20,
            ])),
            Algorithm::EdDSA => EncodingKey::from_ed_der(&pkcs8(&[
                0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22,
                0x04, 0x20,
            ])),
            _ => {
                let mut random = rsa::rand_core::OsRng;
                let key = rsa::RsaPrivateKey::new(&mut random, 2048).unwrap();
                EncodingKey::from_rsa_der(key.to_pkcs1_der().unwrap().as_bytes())
            }
        };
        Self { id: id.to_owned(), algorithm, private }
    }

    /// The published key.
    pub fn public(&self) -> Value {
        let jwk = Jwk::from_encoding_key(&self.private, self.algorithm).unwrap();
        let mut jwk = serde_json::to_value(jwk).unwrap();
        jwk["kid"] = self.id.clone().into();
        jwk["use"] = "sig".into();
        jwk
    }

    /// The header of its tokens.
    pub fn header(&self) -> Header {
        let mut header = Header::new(self.algorithm);
        header.kid = Some(self.id.clone());
        header.typ = Some("at+jwt".to_owned());
        header
    }

    /// A token with these claims.
    pub fn sign(&self, claims: &Value) -> String {
        self.sign_under(&self.header(), claims)
    }

    /// A token with this header.
    pub fn sign_under(&self, header: &Header, claims: &Value) -> String {
        encode(header, claims, &self.private).unwrap()
    }
}

/// Seconds since 1970, relative to now.
pub fn time(from_now: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap() + from_now
}

/// A running authorization server. It ends when it is dropped.
pub struct Issuer {
    /// Its name.
    pub url: String,
    state: Arc<State>,
    server: HttpServer,
}

/// The answer to a request for what is no document.
#[derive(Debug)]
pub enum Reply {
    /// A document.
    Json(Value),
    /// To another address.
    Redirect(String),
}

type Answerer = Box<dyn Fn(&ReceivedRequest) -> Option<Reply> + Send>;

#[derive(Default)]
struct State {
    documents: Mutex<HashMap<String, Value>>,
    answerer: Mutex<Option<Answerer>>,
    is_down: AtomicBool,
}

impl Issuer {
    /// Publishes keys and metadata, the metadata at the path of RFC 8414.
    pub fn publishing(keys: &[&Key]) -> Self {
        let issuer = Self::start("");
        issuer.publish(keys);
        issuer.describe("/.well-known/oauth-authorization-server", &issuer.url);
        issuer
    }

    /// Publishes nothing yet. The issuer has this path.
    pub fn start(path: &str) -> Self {
        let state = Arc::new(State::default());
        let shared = state.clone();
        let server = HttpServer::answering(move |request| answer(request, &shared));
        Self { url: server.url(path), state, server }
    }

    /// The address of its keys.
    pub fn keys_url(&self) -> String {
        self.server.url("/keys")
    }

    /// Replaces the published keys.
    pub fn publish(&self, keys: &[&Key]) {
        let keys: Vec<Value> = keys.iter().map(|key| key.public()).collect();
        self.publish_raw(&json!({ "keys": keys }));
    }

    /// Publishes this document instead of keys.
    pub fn publish_raw(&self, document: &Value) {
        self.state.documents.lock().unwrap().insert("/keys".to_owned(), document.clone());
    }

    /// Publishes metadata for an issuer under a path.
    pub fn describe(&self, path: &str, issuer: &str) {
        self.put(path, json!({"issuer": issuer, "jwks_uri": self.keys_url()}));
    }

    /// Publishes any document.
    pub fn put(&self, path: &str, document: Value) {
        self.state.documents.lock().unwrap().insert(path.to_owned(), document);
    }

    /// Answers requests for what is no document.
    pub fn answering(&self, answerer: impl Fn(&ReceivedRequest) -> Option<Reply> + Send + 'static) {
        *self.state.answerer.lock().unwrap() = Some(Box::new(answerer));
    }

    /// Whether it answers nothing but 503.
    pub fn set_down(&self, is_down: bool) {
        self.state.is_down.store(is_down, SeqCst);
    }

    /// The number of requests so far.
    pub fn requests(&self) -> usize {
        self.server.requests().len()
    }

    /// The claims of a valid token.
    pub fn claims(&self) -> Value {
        json!({
            "iss": self.url, "sub": "alice", "aud": AUDIENCE, "client_id": "tests",
            "iat": time(0), "exp": time(600), "scope": "openid lab:use",
        })
    }

    /// The same with some claims replaced, or removed where they are null.
    pub fn claims_with(&self, changes: &Value) -> Value {
        let mut claims = self.claims();
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        claims
    }

    /// The flags of a server that accepts its tokens.
    pub fn flags<'a>(&'a self, scopes: &[&'a str]) -> Vec<&'a str> {
        let mut flags = vec!["--oauth-issuer", &self.url, "--oauth-audience", AUDIENCE];
        flags.extend(scopes.iter().flat_map(|scope| ["--oauth-scope", scope]));
        flags
    }
}

fn answer(request: &ReceivedRequest, state: &State) -> Vec<u8> {
    let document = state.documents.lock().unwrap().get(&request.target).cloned().map(Reply::Json);
    let answerer = state.answerer.lock().unwrap();
    let reply = document.or_else(|| answerer.as_ref().and_then(|answer| answer(request)));
    let headers = [
        ("content-type", "application/json"),
        ("access-control-allow-origin", "*"),
        ("access-control-allow-headers", "*"),
        ("connection", "close"),
    ];
    match reply {
        _ if state.is_down.load(SeqCst) => response(503, &headers, ""),
        // The answer to a preflight request.
        _ if request.method == "OPTIONS" => response(204, &headers, ""),
        Some(Reply::Json(document)) => response(200, &headers, document.to_string()),
        Some(Reply::Redirect(to)) => {
            let headers: Vec<_> = headers.into_iter().chain([("location", &*to)]).collect();
            response(302, &headers, "")
        }
        None => response(404, &headers, ""),
    }
}
