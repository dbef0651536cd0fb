//! An MCP server to which users log in, with its authorization server. It demands what the specifications allow it to demand:
//! PKCE with S256, the exact `resource`, a registered client with its secret and its exact redirect, each refresh token once
//! and without `scope`.

mod rules;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::forms::{decoded, encoded, form};
use crate::http::{HttpServer, ReceivedRequest, json_response, response};
use crate::mcp::{Client, Session, over_http};
pub use rules::Rules;

/// The server.
#[derive(Debug)]
pub struct Site {
    pub server: HttpServer,
    rules: Arc<Rules>,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    count: usize,
    /// Redirects and secrets of clients by their ids.
    clients: HashMap<String, (String, String)>,
    /// What codes were issued for.
    codes: HashMap<String, Grant>,
    /// Valid tokens, and what they were issued for.
    access: HashMap<String, Grant>,
    refresh: HashMap<String, Grant>,
    revoked: Vec<String>,
}

#[derive(Debug, Clone)]
struct Grant {
    client: String,
    challenge: String,
    scopes: BTreeSet<String>,
}

type Answer = Result<Value, (u16, &'static str)>;

impl Site {
    /// Serves with these rules.
    pub fn serve(rules: Rules) -> Self {
        let (rules, state) = (Arc::new(rules), Arc::<Mutex<State>>::default());
        let server = HttpServer::answering({
            let (rules, state) = (rules.clone(), state.clone());
            move |request| Exchange { rules: &rules, state: &state, request }.answer()
        });
        Self { server, rules, state }
    }

    /// The address of the MCP server.
    pub fn url(&self) -> String {
        self.server.url(self.rules.path)
    }

    /// Adds a client that someone has registered by hand.
    pub fn register(&self, id: &str, secret: &str, redirect: &str) {
        let client = (redirect.to_owned(), secret.to_owned());
        self.state.lock().unwrap().clients.insert(id.to_owned(), client);
    }

    /// Forgets all clients.
    pub fn forget_clients(&self) {
        self.state.lock().unwrap().clients.clear();
    }

    /// Refuses all access tokens that it has issued.
    pub fn expire(&self) {
        self.state.lock().unwrap().access.clear();
    }

    /// Refuses all tokens that it has issued.
    pub fn end_logins(&self) {
        let mut state = self.state.lock().unwrap();
        state.access.clear();
        state.refresh.clear();
    }

    /// The secrets that it has issued: codes, tokens, and secrets of clients.
    pub fn secrets(&self) -> Vec<String> {
        let count = self.state.lock().unwrap().count;
        (1..=count).map(secret).collect()
    }

    /// The tokens that clients have revoked.
    pub fn revoked(&self) -> Vec<String> {
        self.state.lock().unwrap().revoked.clone()
    }

    /// The bodies of the requests for a path.
    pub fn bodies(&self, path: &str) -> Vec<String> {
        let requests = self.server.requests().into_iter();
        let sent = requests.filter(|request| request.path() == path);
        sent.map(|request| String::from_utf8(request.body).unwrap()).collect()
    }
}

/// One request.
struct Exchange<'a> {
    rules: &'a Rules,
    state: &'a Mutex<State>,
    request: &'a ReceivedRequest,
}

impl State {
    /// A secret that nobody can guess, and a test can find.
    fn issue(&mut self) -> String {
        self.count += 1;
        secret(self.count)
    }
}

fn secret(number: usize) -> String {
    format!("s3cret-0f-t3st-{number:04}")
}

impl Exchange<'_> {
    fn answer(&self) -> Vec<u8> {
        let (rules, path) = (self.rules, self.request.path());
        if path == rules.path {
            return self.answer_mcp();
        }
        if Some(path) == rules.resource_metadata {
            return json_response(
                200,
                &json!({
                    "resource": self.resource(), "authorization_servers": [self.issuer()],
                    "scopes_supported": ["read"],
                }),
            );
        }
        if Some(path) == rules.metadata {
            return json_response(200, &self.metadata());
        }
        let answer = match path {
            "/authorize" => return self.authorize(),
            "/moved" => return response(307, &[("location", "/token")], ""),
            "/register" if rules.registers => self.register(),
            "/token" => self.token(),
            "/revoke" => self.revoke(),
            _ => return response(404, &[], ""),
        };
        match answer {
            Ok(answer) => json_response(200, &answer),
            Err((status, error)) => json_response(
                status,
                &json!({ "error": error, "error_description": format!("for {}", self.request.text()) }),
            ),
        }
    }

    fn origin(&self) -> String {
        format!("http://{}", self.request.header("host").unwrap())
    }

    fn issuer(&self) -> String {
        format!("{}{}", self.origin(), self.rules.issuer)
    }

    /// The resource, as it must be named.
    fn resource(&self) -> String {
        format!("{}{}", self.origin(), self.rules.path.trim_end_matches('/'))
    }

    fn metadata(&self) -> Value {
        let at = |path| format!("{}{path}", self.origin());
        let mut metadata = json!({
            "issuer": self.issuer(), "authorization_endpoint": at("/authorize"),
            "token_endpoint": at(self.rules.token), "revocation_endpoint": at("/revoke"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "scopes_supported": ["read", "write", "offline_access"],
            "token_endpoint_auth_methods_supported": [self.rules.authentication],
            "authorization_response_iss_parameter_supported": true,
        });
        if self.rules.registers {
            metadata["registration_endpoint"] = at("/register").into();
        }
        let amended = self.rules.amended.as_object().unwrap().clone();
        metadata.as_object_mut().unwrap().extend(amended);
        metadata
    }

    fn register(&self) -> Answer {
        let asked = self.request.json();
        let is_whole = asked["grant_types"] == json!(["authorization_code", "refresh_token"])
            && asked["response_types"] == json!(["code"])
            && asked["token_endpoint_auth_method"] == self.rules.authentication;
        let redirect = asked["redirect_uris"][0].as_str().filter(|_| is_whole);
        let redirect = redirect.ok_or((400, "invalid_client_metadata"))?.to_owned();
        let mut state = self.state.lock().unwrap();
        let id = format!("client-{}", state.clients.len() + 1);
        let secret = match self.rules.authentication {
            "none" => String::new(),
            _ => state.issue(),
        };
        state.clients.insert(id.clone(), (redirect, secret.clone()));
        Ok(json!({
            "client_id": id, "client_secret": secret, "client_secret_expires_at": 0,
            "token_endpoint_auth_method": self.rules.authentication,
        }))
    }

    /// The page on which the user agrees, at once.
    fn authorize(&self) -> Vec<u8> {
        let query = self.request.target.split_once('?').unwrap_or_default().1;
        let asked = form(query);
        let get = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
        let mut state = self.state.lock().unwrap();
        let (client, redirect) = (get("client_id"), get("redirect_uri"));
        let is_known = state.clients.get(client).is_some_and(|known| known.0 == redirect);
        let resource = if self.rules.wants_resource { &*self.resource() } else { "" };
        if !is_known
            || get("response_type") != "code"
            || get("code_challenge_method") != "S256"
            || get("resource") != resource
        {
            return response(400, &[], format!("not a login: {asked:?}"));
        }
        let grant = Grant {
            client: client.to_owned(),
            challenge: get("code_challenge").to_owned(),
            scopes: get("scope").split(' ').map(str::to_owned).collect(),
        };
        let code = state.issue();
        let more = (self.rules.answer)(&self.issuer());
        let location = format!("{redirect}?code={code}&state={}{more}", encoded(get("state")));
        state.codes.insert(code, grant);
        response(302, &[("location", &location)], "")
    }

    /// The client of a request, which has said who it is.
    fn client(
        &self,
        state: &State,
        sent: &HashMap<String, String>,
    ) -> Result<String, (u16, &'static str)> {
        let refused = (401, "invalid_client");
        let basic =
            self.request.header("authorization").and_then(|text| text.strip_prefix("Basic "));
        let (id, secret, how) = if let Some(basic) = basic {
            let pair = BASE64_STANDARD.decode(basic).map_err(|_| refused)?;
            let pair = String::from_utf8(pair).map_err(|_| refused)?;
            let (id, secret) = pair.split_once(':').ok_or(refused)?;
            (decoded(id), decoded(secret), "client_secret_basic")
        } else {
            let get = |name: &str| sent.get(name).cloned().unwrap_or_default();
            let secret = get("client_secret");
            let how = if secret.is_empty() { "none" } else { "client_secret_post" };
            (get("client_id"), secret, how)
        };
        let is_known = state.clients.get(&id).is_some_and(|client| client.1 == secret);
        if is_known && how == self.rules.authentication { Ok(id) } else { Err(refused) }
    }

    fn token(&self) -> Answer {
        let sent = form(self.request.text());
        let get = |name: &str| sent.get(name).map(String::as_str).unwrap_or_default();
        let mut state = self.state.lock().unwrap();
        let client = self.client(&state, &sent)?;
        let resource = if self.rules.wants_resource { &*self.resource() } else { "" };
        if get("resource") != resource {
            return Err((400, "invalid_target"));
        }
        let grant = match get("grant_type") {
            "authorization_code" => {
                let hash = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(get("code_verifier")));
                let grant = state.codes.remove(get("code")).ok_or((400, "invalid_grant"))?;
                let is_redirect = state.clients[&client].0 == get("redirect_uri");
                if grant.challenge != hash || !is_redirect {
                    return Err((400, "invalid_grant"));
                }
                grant
            }
            "refresh_token" if sent.contains_key("scope") => return Err((400, "invalid_scope")),
            "refresh_token" => {
                if let Some(refused) = self.rules.refuses_refresh {
                    return Err(refused);
                }
                // Each is valid once.
                state.refresh.remove(get("refresh_token")).ok_or((400, "invalid_grant"))?
            }
            _ => return Err((400, "unsupported_grant_type")),
        };
        if grant.client != client {
            return Err((400, "invalid_grant"));
        }
        let access = state.issue();
        state.access.insert(access.clone(), grant.clone());
        let mut answer = json!({
            "access_token": access, "token_type": "Bearer", "expires_in": self.rules.lifetime,
            "scope": grant.scopes.iter().cloned().collect::<Vec<_>>().join(" "),
            // As servers of OpenID Connect add it.
            "id_token": state.issue(),
        });
        if self.rules.renews {
            let refresh = state.issue();
            answer["refresh_token"] = refresh.as_str().into();
            state.refresh.insert(refresh, grant);
        }
        Ok(answer)
    }

    fn revoke(&self) -> Answer {
        let sent = form(self.request.text());
        let mut state = self.state.lock().unwrap();
        self.client(&state, &sent)?;
        let token = sent.get("token").cloned().ok_or((400, "invalid_request"))?;
        state.refresh.remove(&token);
        state.access.clear();
        state.revoked.push(token);
        Ok(json!({}))
    }

    fn answer_mcp(&self) -> Vec<u8> {
        let token =
            self.request.header("authorization").and_then(|text| text.strip_prefix("Bearer "));
        let state = self.state.lock().unwrap();
        let Some(grant) = token.and_then(|token| state.access.get(token)) else {
            let pointer = match self.rules.resource_metadata {
                Some(path) => format!(" resource_metadata=\"{}{path}\"", self.origin()),
                None => String::new(),
            };
            return response(401, &[("www-authenticate", &format!("Bearer{pointer}"))], "");
        };
        let writes =
            self.request.method == "POST" && self.request.json()["params"]["name"] == "write";
        if writes && !grant.scopes.contains("write") {
            let challenge = "Bearer error=\"insufficient_scope\", scope=\"write\"";
            return response(403, &[("www-authenticate", challenge)], "");
        }
        over_http(self.request, answer_message)
    }
}

fn answer_message(message: &Value, client: &mut Client<'_>) {
    let tool = |name: &str| {
        json!({
            "name": name, "description": "Does it.", "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true },
        })
    };
    match message["method"].as_str().unwrap_or_default() {
        "tools/list" => {
            let tools = json!({ "tools": [tool("read"), tool("write")] });
            client.answer(&message["id"], &tools);
        }
        "tools/call" => client.answer_text(&message["id"], "done"),
        _ => Session::new("site", "1").receive(message, client),
    }
}
