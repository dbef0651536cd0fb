//! An MCP server in parts: the [`Client`] takes its messages, a [`Session`] answers what every server has to answer, and a
//! test answers the rest. It is served over standard streams with [`serve_stdio`], or over HTTP with [`over_http`].

use std::io::{BufRead as _, Write, stdin, stdout};

use serde_json::{Value, json};

use crate::http::{ReceivedRequest, response};

/// The client of a server. A client that has gone receives nothing.
pub struct Client<'a>(&'a mut dyn Write);

impl Client<'_> {
    /// Sends bytes, which may be no message.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes).and_then(|()| self.0.flush());
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Answers a request with a result.
    pub fn answer(&mut self, id: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// Answers a call of a tool with a text.
    pub fn answer_text(&mut self, id: &Value, text: &str) {
        self.answer(id, &text_result(text));
    }

    /// Answers a request with an error.
    pub fn fail(&mut self, id: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, whose answer comes as a message without a method.
    pub fn request(&mut self, id: &str, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }
}

/// The result of a call with a text.
pub fn text_result(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// What every server answers: the handshake, subscriptions, cancellations, and methods that it does not have.
#[derive(Debug, Default)]
pub struct Session {
    name: &'static str,
    version: &'static str,
    /// The capabilities that the handshake tells.
    pub capabilities: Value,
    /// How it says that it is used, if it does.
    pub instructions: Option<String>,
    /// Whether it is a server of 2026-07-28, and not of 2025-06-18.
    pub is_stateless: bool,
    /// The ids of the requests that the client has cancelled.
    pub cancelled: Vec<Value>,
    /// The resources to which the client has subscribed, with the id of the subscription since 2026-07-28.
    pub subscribed: Vec<(String, Value)>,
    /// The subscription to lists since 2026-07-28.
    listening: Value,
    /// What the client can do, before 2026-07-28.
    offered: Value,
}

impl Session {
    /// A server with this name and version, and with tools, whose list may change.
    pub fn new(name: &'static str, version: &'static str) -> Self {
        let capabilities = json!({ "tools": { "listChanged": true } });
        Self { name, version, capabilities, ..Self::default() }
    }

    /// Answers a message that the test does not answer itself.
    pub fn receive(&mut self, message: &Value, client: &mut Client<'_>) {
        let (id, params) = (&message["id"], &message["params"]);
        let uri = || params["uri"].as_str().unwrap().to_owned();
        match message["method"].as_str().unwrap_or_default() {
            "initialize" if !self.is_stateless => {
                self.offered = params["capabilities"].clone();
                client.answer(
                    id,
                    &json!({
                        "protocolVersion": "2025-06-18", "capabilities": self.capabilities,
                        "serverInfo": { "name": self.name, "version": self.version },
                        "instructions": self.instructions,
                    }),
                );
            }
            "server/discover" if self.is_stateless => client.answer(
                id,
                &json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": self.capabilities, "ttlMs": 0, "cacheScope": "private",
                    "serverInfo": { "name": self.name, "version": self.version },
                    "instructions": self.instructions,
                }),
            ),
            "ping" => client.answer(id, &json!({})),
            "subscriptions/listen" => self.listen(id, &params["notifications"], client),
            "resources/subscribe" => {
                self.subscribed.push((uri(), Value::Null));
                client.answer(id, &json!({}));
            }
            "resources/unsubscribe" => {
                let uri = uri();
                self.subscribed.retain(|(known, _)| *known != uri);
                client.answer(id, &json!({}));
            }
            "notifications/cancelled" => {
                let cancelled = params["requestId"].clone();
                self.subscribed.retain(|(_, id)| *id != cancelled);
                self.cancelled.push(cancelled);
            }
            _ if id.is_null() || message.get("method").is_none() => {}
            _ => client.fail(id, -32601, "no such method"),
        }
    }

    fn listen(&mut self, id: &Value, granted: &Value, client: &mut Client<'_>) {
        match granted["resourceSubscriptions"].as_array() {
            Some(uris) => {
                let uris = uris.iter().map(|uri| uri.as_str().unwrap().to_owned());
                self.subscribed.extend(uris.map(|uri| (uri, id.clone())));
            }
            None => self.listening = id.clone(),
        }
        let params = json!({ "notifications": granted });
        notify_subscriber("notifications/subscriptions/acknowledged", params, id, client);
    }

    /// What the client of a request can do.
    pub fn client_capabilities<'a>(&'a self, params: &'a Value) -> &'a Value {
        let told = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        if self.is_stateless { told } else { &self.offered }
    }

    /// Tells that a list has changed, such as `tools`.
    pub fn notify_list_changed(&self, list: &str, client: &mut Client<'_>) {
        let method = format!("notifications/{list}/list_changed");
        notify_subscriber(&method, json!({}), &self.listening, client);
    }

    /// Tells that each resource to which the client has subscribed has changed.
    pub fn notify_updated(&self, client: &mut Client<'_>) {
        for (uri, subscription) in &self.subscribed {
            let params = json!({ "uri": uri });
            notify_subscriber("notifications/resources/updated", params, subscription, client);
        }
    }
}

/// Sends a notification of a subscription, which is null before 2026-07-28.
fn notify_subscriber(
    method: &str,
    mut params: Value,
    subscription: &Value,
    client: &mut Client<'_>,
) {
    if !subscription.is_null() {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": subscription });
    }
    client.notify(method, &params);
}

/// Gives the messages on standard input to the server, until there are no more. Lines that are no JSON are skipped.
pub fn serve_stdio(mut receive: impl FnMut(&Value, &mut Client<'_>)) {
    let mut output = stdout();
    for line in stdin().lock().lines().map_while(Result::ok) {
        if let Ok(message) = serde_json::from_str(&line) {
            receive(&message, &mut Client(&mut output));
        }
    }
}

/// What the server sends when it receives a message, each message as text.
pub fn answers(message: &Value, receive: impl FnOnce(&Value, &mut Client<'_>)) -> Vec<String> {
    let mut sent = Vec::new();
    receive(message, &mut Client(&mut sent));
    String::from_utf8(sent).unwrap().lines().map(str::to_owned).collect()
}

/// The response to an HTTP request with a message: JSON, or below the path `/events` a stream of events. A request for which
/// the server sends nothing is not found.
pub fn over_http(
    request: &ReceivedRequest,
    receive: impl FnOnce(&Value, &mut Client<'_>),
) -> Vec<u8> {
    if request.method != "POST" {
        return response(405, &[], "");
    }
    let message = request.json();
    let sent = answers(&message, receive);
    match &sent[..] {
        _ if message["id"].is_null() => response(202, &[], ""),
        [] => response(404, &[], ""),
        _ if request.path() == "/events" => {
            let events = sent.iter().map(|message| format!(": hello\n\ndata: {message}\n\n"));
            let events: Vec<String> = events.collect();
            response(200, &[("content-type", "text/event-stream")], events.concat())
        }
        [answer] => response(200, &[("content-type", "application/json")], answer),
        _ => panic!("only a stream of events has several messages: {sent:?}"),
    }
}
