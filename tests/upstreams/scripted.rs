//! The scripted server: this test program, started again. What the harness writes on standard output is noise before the
//! first message. Its tools are in a file, which tests replace.

use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value, json};
use toolwrit_tests::client::Era;
use toolwrit_tests::files::replace;

use crate::upstreams::tasks::Tasks;

/// The variable that makes this program the server, and names the file of its tools.
const TOOLS: &str = "SCRIPTED_TOOLS";

/// The file with its resources and prompts, beside that of its tools.
pub(crate) const OFFERS: &str = "offers.json";
/// How often it reports the progress of the tool `flood`.
pub(crate) const REPORTS: usize = 20_000;
/// The variable that makes it a server of 2026-07-28.
const STATELESS: &str = "SCRIPTED_STATELESS";

/// The tables of an upstream that is this server, whose tools are in a file.
pub(crate) fn table(name: &str, tools: &Path, more: &str) -> String {
    table_of(name, Era::Initialize, tools, more)
}

/// The same, for a server of this era.
pub(crate) fn table_of(name: &str, era: Era, tools: &Path, more: &str) -> String {
    let stateless =
        if era == Era::Stateless { format!(", {STATELESS} = \"1\"") } else { String::new() };
    table_with(name, &[], tools, &stateless, more)
}

/// The same, for a command that names a package.
pub(crate) fn table_as(name: &str, package: &str, tools: &Path, more: &str) -> String {
    table_with(name, &[package], tools, "", more)
}

fn table_with(name: &str, words: &[&str], tools: &Path, env: &str, more: &str) -> String {
    let program = std::env::current_exe().unwrap();
    let command =
        [program.to_str().unwrap(), "upstreams::scripted::serve", "--exact", "--nocapture"];
    let command = [&command, words].concat();
    let tools = tools.display();
    format!(
        "[upstreams.{name}]\ncommand = {command:?}\n\
         env = {{ {TOOLS} = \"{tools}\"{env} }}\n{more}\n"
    )
}

/// A tool without arguments.
pub(crate) fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("Does {name}. It is scripted."),
            "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false } })
}

pub(crate) fn write(folder: &Path, tools: &[Value]) -> PathBuf {
    let path = folder.join("tools.json");
    replace(&path, &json!(tools).to_string());
    path
}

/// The server, if the variable is set.
#[test]
fn serve() {
    let Ok(tools) = std::env::var(TOOLS) else { return };
    let is_stateless = std::env::var(STATELESS).is_ok();
    let mut server = Server { tools: tools.into(), is_stateless, ..Server::default() };
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        server.receive(&message);
    }
    process::exit(0);
}

#[derive(Default)]
struct Server {
    tools: PathBuf,
    is_stateless: bool,
    counted: u64,
    /// The capabilities of the client, before 2026-07-28.
    offered: Value,
    /// The subscription to lists, since then.
    subscription: Value,
    /// The resources to which the client has subscribed, with the id of the subscription since then.
    subscribed: Vec<(String, Value)>,
    /// The ids of calls that hang, and of calls that were cancelled.
    hanging: Vec<Value>,
    cancelled: Vec<Value>,
    /// The call that waits for an answer, how many further ones it wants, and those so far.
    asking: Option<(Value, u64, Vec<Value>)>,
    tasks: Tasks,
}

pub(crate) fn send(message: &Value) {
    let mut output = std::io::stdout().lock();
    output.write_all(format!("{message}\n").as_bytes()).and_then(|()| output.flush()).unwrap();
}

pub(crate) fn answer(id: &Value, result: &Value) {
    send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
}

pub(crate) fn words(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// Sends a notification of this subscription; null if there is none.
fn notify(method: &str, mut params: Value, subscription: &Value) {
    if !subscription.is_null() {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": subscription });
    }
    send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
}

/// Sends progress of the call, again and again, or so many large messages about calls that nobody has made.
fn flood(token: &Value, unknown: Option<usize>) {
    let report = |token: &Value, progress: usize, message: &str| {
        send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                      "params": { "progressToken": token, "progress": progress, "message": message } }));
    };
    match unknown {
        Some(many) => {
            let message = "x".repeat(1 << 20);
            (0..many).for_each(|at| report(&json!(format!("nobody-{at}")), at, &message));
        }
        None => (1..=REPORTS).for_each(|at| report(token, at, "more")),
    }
}

/// The form that the server asks.
fn form() -> Value {
    json!({ "message": "Who\u{200b}?", "requestedSchema": { "type": "object",
            "properties": { "name": { "type": "string", "title": "Name" } } } })
}

impl Server {
    fn receive(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            None => self.answered(message),
            Some("initialize") if !self.is_stateless => {
                self.offered = params["capabilities"].clone();
                answer(
                    id,
                    &json!({ "protocolVersion": "2025-06-18", "capabilities": self.capabilities(),
                             "serverInfo": { "name": "scripted", "version": "1.2.3" } }),
                );
            }
            Some("server/discover") if self.is_stateless => answer(
                id,
                &json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"],
                         "capabilities": self.capabilities(), "ttlMs": 0, "cacheScope": "private",
                         "serverInfo": { "name": "scripted", "version": "2.0.0" } }),
            ),
            Some("ping") => answer(id, &json!({})),
            Some("tools/list") => {
                let tools: Value = serde_json::from_slice(&fs::read(&self.tools).unwrap()).unwrap();
                answer(id, &json!({ "tools": tools }));
            }
            Some("tools/call") => self.call(id, params),
            Some("tasks/result") if self.tasks.asks(params) => {
                self.asking = Some((id.clone(), 1, Vec::new()));
                Self::ask_next();
            }
            Some(method) if method.starts_with("tasks/") => self.tasks.receive(method, id, params),
            Some("subscriptions/listen") => {
                let granted = &params["notifications"];
                match granted["resourceSubscriptions"].as_array() {
                    Some(uris) => self.subscribed.extend(
                        uris.iter().map(|uri| (uri.as_str().unwrap().to_owned(), id.clone())),
                    ),
                    None => self.subscription = id.clone(),
                }
                notify(
                    "notifications/subscriptions/acknowledged",
                    json!({ "notifications": granted }),
                    id,
                );
            }
            Some(method @ ("resources/subscribe" | "resources/unsubscribe")) => {
                let uri = params["uri"].as_str().unwrap();
                if method == "resources/subscribe" {
                    self.subscribed.push((uri.to_owned(), Value::Null));
                } else {
                    self.subscribed.retain(|(own, _)| own != uri);
                }
                answer(id, &json!({}));
            }
            Some(method @ ("resources/list" | "resources/templates/list" | "prompts/list")) => {
                let key = match method {
                    "resources/list" => "resources",
                    "prompts/list" => "prompts",
                    _ => "resourceTemplates",
                };
                answer(id, &json!({ key: self.offers()[key] }));
            }
            Some("resources/read") => {
                let uri = &params["uri"];
                let text = format!("contents of {}\u{200b}", uri.as_str().unwrap());
                answer(
                    id,
                    &json!({ "contents": [
                    { "uri": uri, "mimeType": "text/plain", "text": text, "_meta": { "x": 1 } },
                    { "uri": "test://part", "blob": "AA==" } ] }),
                );
            }
            Some("completion/complete") => {
                let seen = json!([params["ref"], params["argument"], params["context"]]);
                let values = json!([seen.to_string(), "hid\u{200b}den"]);
                answer(id, &json!({ "completion": { "values": values } }));
            }
            Some("prompts/get") => {
                let text = json!([params["name"], params["arguments"]]).to_string();
                answer(
                    id,
                    &json!({ "messages": [
                    { "role": "user", "content": { "type": "text", "text": text } } ] }),
                );
            }
            Some("notifications/cancelled") => {
                self.subscribed.retain(|(_, id)| *id != params["requestId"]);
                self.cancelled.push(params["requestId"].clone());
            }
            Some(method) if method.starts_with("notifications/") => {}
            Some(_) => send(&json!({ "jsonrpc": "2.0", "id": id,
                           "error": { "code": -32601, "message": "no such method" } })),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let result = match params["name"].as_str().unwrap_or_default() {
            "count" => {
                self.counted += 1;
                words(&self.counted.to_string())
            }
            "plain" => {
                let plain = std::env::var("PLAIN").unwrap();
                words(&format!("PLAIN is {plain}, Base64 of it is dG9rLWhpZGRlbi0x"))
            }
            "pid" => words(&process::id().to_string()),
            "arguments" => words(&params["arguments"].to_string()),
            "hidden" => words("a\u{200b}b\u{202e}c"),
            "large" => words(&"x".repeat(1024 * 1024)),
            "image" => {
                json!({ "content": [{ "type": "image", "data": "AA==", "mimeType": "image/png" }] })
            }
            "number" => {
                let number = json!({ "number": 7, "nothing": null });
                let mut result = words(&number.to_string());
                result["structuredContent"] = number;
                result
            }
            "picture" | "pictured" => {
                // As large as a screenshot.
                let image = json!({ "type": "image", "data": "A".repeat(1024 * 1024), "mimeType": "image/png" });
                let content = json!([{ "type": "text", "text": "A picture" }, image]);
                json!({ "content": content, "structuredContent": { "content": content } })
            }
            "unstructured" => words("no number"),
            "fails" => {
                json!({ "content": [{ "type": "text", "text": "the disk is full" }], "isError": true })
            }
            "progress" => {
                if let Some(token) = params["_meta"].get("progressToken") {
                    send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": { "progressToken": token, "progress": 1, "total": 2, "message": "half" } }));
                }
                words("done")
            }
            "flood" => {
                let unknown = params["arguments"]["unknown"].as_u64();
                let unknown = unknown.map(|many| usize::try_from(many).unwrap());
                flood(&params["_meta"]["progressToken"], unknown);
                words("done")
            }
            "change" => {
                for list in ["tools", "resources", "prompts"] {
                    let method = format!("notifications/{list}/list_changed");
                    notify(&method, json!({}), &self.subscription);
                }
                words("changed")
            }
            "update" => {
                for (uri, subscription) in &self.subscribed {
                    let method = "notifications/resources/updated";
                    notify(method, json!({ "uri": uri }), subscription);
                    // Since 2026-07-28 this ends a subscription.
                    if subscription.is_null() {
                        notify(method, json!({ "uri": "test://other" }), subscription);
                    }
                }
                let uris: Vec<&String> = self.subscribed.iter().map(|own| &own.0).collect();
                words(&json!(uris).to_string())
            }
            "hang" => {
                // So that the caller knows that it hangs.
                if let Some(token) = params["_meta"].get("progressToken") {
                    send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress",
                                  "params": { "progressToken": token, "progress": 1 } }));
                }
                self.hanging.push(id.clone());
                return;
            }
            "hanging" => words(&self.hanging.len().to_string()),
            "cancelled" => words(&json!([self.hanging, self.cancelled]).to_string()),
            "offered" => words(&self.offered(params).to_string()),
            "ask" => return self.ask(id, params),
            "research" if !self.is_stateless => return self.tasks.begin(id, params),
            "tasks" => words(&self.tasks.states().to_string()),
            "sample" => return self.sample(id),
            name => words(&format!("did {name}")),
        };
        answer(id, &result);
    }

    fn capabilities(&self) -> Value {
        let mut capabilities = json!({ "tools": { "listChanged": true } });
        if self.offers().is_object() {
            capabilities["resources"] = json!({ "listChanged": true, "subscribe": true });
            capabilities["prompts"] = json!({ "listChanged": true });
            capabilities["completions"] = json!({});
        }
        capabilities
    }

    /// The lists besides the tools; null if there are none.
    fn offers(&self) -> Value {
        let text = fs::read(self.tools.with_file_name(OFFERS)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    fn offered<'a>(&'a self, params: &'a Value) -> &'a Value {
        let now = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
        if self.is_stateless { now } else { &self.offered }
    }

    /// Asks the user as often as the arguments say, and answers with the answers.
    fn ask(&mut self, id: &Value, params: &Value) {
        let times = params["arguments"]["times"].as_u64().unwrap_or(1);
        if !self.is_stateless {
            self.asking = Some((id.clone(), times, Vec::new()));
            return Self::ask_next();
        }
        let state = params["requestState"].as_str().unwrap_or("[]");
        let mut replies: Vec<Value> = serde_json::from_str(state).unwrap();
        replies.extend(params["inputResponses"].get("toolwrit/confirm").cloned());
        if replies.len() as u64 == times {
            return answer(id, &words(&json!(replies).to_string()));
        }
        let questions =
            json!({ "toolwrit/confirm": { "method": "elicitation/create", "params": form() } });
        answer(
            id,
            &json!({ "resultType": "input_required", "inputRequests": questions,
                     "requestState": json!(replies).to_string() }),
        );
    }

    fn ask_next() {
        send(&json!({ "jsonrpc": "2.0", "id": "asked", "method": "elicitation/create",
                      "params": form() }));
    }

    /// Receives an answer of the client.
    fn answered(&mut self, message: &Value) {
        let Some((id, times, mut replies)) = self.asking.take() else { return };
        replies.push(message.get("result").unwrap_or(&message["error"]).clone());
        if replies.len() as u64 == times {
            return answer(&id, &words(&json!(replies).to_string()));
        }
        self.asking = Some((id, times, replies));
        Self::ask_next();
    }

    /// Asks for a model.
    fn sample(&mut self, id: &Value) {
        let params = json!({ "maxTokens": 9, "messages": [
            { "role": "user", "content": { "type": "text", "text": "Hello" } }] });
        let question = json!({ "method": "sampling/createMessage", "params": params });
        if self.is_stateless {
            let result =
                json!({ "resultType": "input_required", "inputRequests": { "model": question } });
            return answer(id, &result);
        }
        self.asking = Some((id.clone(), 1, Vec::new()));
        let mut message = json!({ "jsonrpc": "2.0", "id": "sampled" });
        message["method"] = question["method"].clone();
        message["params"] = question["params"].clone();
        send(&message);
    }
}
