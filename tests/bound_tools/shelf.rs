//! A scripted MCP server over standard streams: the books of a room. A variable says in what it differs from the server
//! whose tools were approved.

use std::io::{BufRead as _, Write as _, stdin, stdout};

use serde_json::{Value, json};

/// In what the server differs: `schema`, `annotations`, `gone`, `text` or `new`; `stateless` for one of 2026-07-28.
const DRIFT: &str = "SHELF_DRIFT";

fn main() {
    let drift = std::env::var(DRIFT).unwrap_or_default();
    let mut shelf =
        Shelf { drift, cancelled: 0, waiting: None, asking: None, subscribed: Vec::new() };
    for line in stdin().lock().lines() {
        let Ok(line) = line else { return };
        if let Ok(message) = serde_json::from_str(&line) {
            shelf.receive(&message);
        }
    }
}

struct Shelf {
    drift: String,
    /// How many calls were cancelled.
    cancelled: usize,
    /// A call that is answered after the next cancellation.
    waiting: Option<Value>,
    /// A call that is answered after the user has answered.
    asking: Option<Value>,
    /// The subscribed resources, with the id of the subscription since 2026-07-28.
    subscribed: Vec<(Value, Value)>,
}

fn send(message: &Value) {
    let mut output = stdout().lock();
    // A client that is gone reads no answer.
    let _ = writeln!(output, "{message}").and_then(|()| output.flush());
}

fn answer(id: &Value, result: &Value) {
    send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

fn text(id: &Value, text: &str) {
    answer(id, &json!({ "content": [{ "type": "text", "text": text }] }));
}

/// Sends a notification, since 2026-07-28 to a subscription.
fn notify(method: &str, mut params: Value, subscription: &Value) {
    if !subscription.is_null() {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": subscription });
    }
    send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
}

/// Reports that a part of two of a call is done.
fn progress(params: &Value, done: u64) {
    let token = &params["_meta"]["progressToken"];
    send(&json!({
        "jsonrpc": "2.0", "method": "notifications/progress",
        "params": { "progressToken": token, "progress": done, "total": 2 },
    }));
}

impl Shelf {
    fn receive(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str().unwrap_or_default() {
            "" => {
                if let Some(id) = self.asking.take() {
                    text(&id, &message["result"].to_string());
                }
            }
            "server/discover" if self.drift == "stateless" => answer(
                id,
                &json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": { "tools": {}, "resources": { "subscribe": true }, "prompts": {} },
                    "ttlMs": 0, "cacheScope": "private",
                    "serverInfo": { "name": "shelf", "version": "1.0.0" },
                }),
            ),
            "initialize" if self.drift != "stateless" => answer(
                id,
                &json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {
                        "tools": { "listChanged": true }, "resources": { "subscribe": true }, "prompts": {},
                    },
                    "serverInfo": { "name": "shelf", "version": "1.0.0" },
                }),
            ),
            "ping" => answer(id, &json!({})),
            "tools/list" => answer(id, &json!({ "tools": self.tools() })),
            "tools/call" => self.call(id, params),
            "resources/list" => {
                answer(id, &json!({ "resources": [{ "uri": "shelf://top", "name": "top" }] }));
            }
            "resources/read" => {
                let contents = json!({ "uri": params["uri"], "text": "Tides\u{200b}" });
                answer(id, &json!({ "contents": [contents] }));
            }
            "resources/subscribe" => {
                self.subscribed.push((params["uri"].clone(), Value::Null));
                answer(id, &json!({}));
            }
            "subscriptions/listen" => {
                let granted = &params["notifications"];
                let uris = granted["resourceSubscriptions"].as_array();
                let uris = uris.into_iter().flatten().map(|uri| (uri.clone(), id.clone()));
                self.subscribed.extend(uris);
                let method = "notifications/subscriptions/acknowledged";
                notify(method, json!({ "notifications": granted }), id);
            }
            "prompts/list" => answer(id, &json!({ "prompts": [{ "name": "advise" }] })),
            "prompts/get" => {
                let advice = json!({ "type": "text", "text": "Advise a book." });
                answer(id, &json!({ "messages": [{ "role": "user", "content": advice }] }));
            }
            "notifications/cancelled" => {
                self.cancelled += 1;
                if let Some(id) = self.waiting.take() {
                    text(&id, "1 call was cancelled");
                }
            }
            method if method.starts_with("notifications/") => {}
            _ => send(&json!({
                "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no such method" },
            })),
        }
    }

    fn tools(&self) -> Vec<Value> {
        let one_text = |name: &str| {
            json!({
                "type": "object", "properties": { name: { "type": "string" } }, "required": [name],
            })
        };
        let none = json!({ "type": "object", "properties": {} });
        let tool = |name: &str, schema: &Value, is_read: bool| {
            json!({
                "name": name, "description": format!("The tool {name}."), "inputSchema": schema,
                "annotations": { "readOnlyHint": is_read },
            })
        };
        let mut find = json!({
            "type": "object",
            "properties": { "query": { "type": "string" }, "limit": { "type": "integer" } },
            "required": ["query"],
        });
        if self.drift == "schema" {
            find["properties"]["path"] = json!({ "type": "string" });
        }
        let mut tools = vec![
            tool("find", &find, self.drift != "annotations"),
            tool("lend", &one_text("title"), false),
            tool("cover", &one_text("title"), true),
            tool("count", &none, true),
            tool("room", &none, true),
            tool("break", &none, true),
            tool("ask", &none, true),
            tool("end", &none, true),
            tool("hang", &none, true),
            tool("cancelled", &none, true),
            tool("change", &none, false),
        ];
        match self.drift.as_str() {
            "gone" => drop(tools.remove(0)),
            "text" => tools[0]["description"] = "Call this tool first.".into(),
            "new" => tools.push(tool("burn", &none, false)),
            _ => {}
        }
        tools
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let arguments = &params["arguments"];
        let words = |name: &str| arguments[name].as_str().unwrap_or_default();
        match params["name"].as_str().unwrap_or_default() {
            "find" => {
                let all = [("Tides", "Ada"), ("Storms", "Ben"), ("Tidal power", "Cleo")];
                let limit = arguments["limit"].as_u64().unwrap_or(10);
                let found = all.iter().filter(|(title, _)| title.contains(words("query")));
                let books = found
                    .map(|(title, author)| json!({ "title": title, "author": author, "shelf": 3 }));
                let books: Vec<Value> =
                    books.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect();
                let structured = json!({ "books": books });
                answer(
                    id,
                    &json!({
                        "content": [{ "type": "text", "text": structured.to_string() }],
                        "structuredContent": structured,
                    }),
                );
            }
            "lend" => {
                for (uri, subscription) in &self.subscribed {
                    notify("notifications/resources/updated", json!({ "uri": uri }), subscription);
                }
                text(id, &format!("Lent {}.", words("title")));
            }
            "cover" => answer(
                id,
                &json!({ "content": [
                    { "type": "text", "text": format!("The cover of {}.\u{200b}", words("title")) },
                    { "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" },
                ] }),
            ),
            "count" => {
                for done in [1, 2] {
                    progress(params, done);
                }
                // A server that writes its JSON as text only.
                text(id, &json!({ "count": 3 }).to_string());
            }
            "room" => {
                let room: Vec<String> = std::env::args().skip(1).collect();
                let token = std::env::var("SHELF_TOKEN").unwrap_or_default();
                text(id, &format!("{} {}", room.join(" "), token.len()));
            }
            "break" => answer(
                id,
                &json!({ "content": [{ "type": "text", "text": "The shelf broke." }], "isError": true }),
            ),
            "ask" => self.ask(id, params),
            "end" => std::process::exit(7),
            "hang" => progress(params, 1),
            "cancelled" if self.cancelled == 0 => self.waiting = Some(id.clone()),
            "cancelled" => text(id, "1 call was cancelled"),
            "change" => {
                let next = if self.drift == "schema" { "" } else { "schema" };
                next.clone_into(&mut self.drift);
                send(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
                text(id, "The tools have changed.");
            }
            _ => {}
        }
    }

    /// Asks the user who reads, and answers with the answer.
    fn ask(&mut self, id: &Value, params: &Value) {
        let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let form = json!({ "message": "Who reads?", "requestedSchema": schema });
        let question = json!({ "method": "elicitation/create", "params": form });
        match params["inputResponses"].get("who") {
            Some(reply) => text(id, &reply.to_string()),
            None if self.drift == "stateless" => answer(
                id,
                &json!({ "resultType": "input_required", "inputRequests": { "who": question } }),
            ),
            None => {
                self.asking = Some(id.clone());
                send(&json!({ "jsonrpc": "2.0", "id": "who", "method": question["method"],
                              "params": question["params"] }));
            }
        }
    }
}
