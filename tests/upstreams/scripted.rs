//! The scripted server: this test program, started again. What the harness writes on standard output is noise before the
//! first message. Its tools are in a file, which tests replace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use serde_json::{Value, json};
use toolwrit_test_servers::mcp::{Client, Session, serve_stdio, text_result};
use toolwrit_tests::drivers::client::Era;
use toolwrit_tests::files::replace;

use crate::upstreams::tasks::Tasks;

/// The variable that makes this program the server, and names the file of its tools.
const TOOLS: &str = "SCRIPTED_TOOLS";

/// The file with its resources and prompts, beside that of its tools.
pub(crate) const OFFERS: &str = "offers.json";
/// The file with its instructions, beside that of its tools.
pub(crate) const INSTRUCTIONS: &str = "instructions.txt";
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
    let mut session = Session::new("scripted", if is_stateless { "2.0.0" } else { "1.2.3" });
    session.is_stateless = is_stateless;
    let mut server = Server { tools: tools.into(), session, ..Server::default() };
    serve_stdio(|message, client| server.receive(message, client));
    process::exit(0);
}

#[derive(Default)]
struct Server {
    tools: PathBuf,
    session: Session,
    counted: u64,
    /// The ids of calls that hang.
    hanging: Vec<Value>,
    /// The call that waits for an answer, how many further ones it wants, and those so far.
    asking: Option<(Value, u64, Vec<Value>)>,
    tasks: Tasks,
}

/// Sends progress of the call, again and again, or so many large messages about calls that nobody has made.
fn flood(token: &Value, unknown: Option<usize>, client: &mut Client<'_>) {
    let mut report = |token: &Value, progress: usize, message: &str| {
        let params = json!({ "progressToken": token, "progress": progress, "message": message });
        client.notify("notifications/progress", &params);
    };
    match unknown {
        Some(many) => {
            let message = "x".repeat(1 << 20);
            (0..many).for_each(|at| report(&json!(format!("nobody-{at}")), at, &message));
        }
        None => (1..=REPORTS).for_each(|at| report(token, at, "more")),
    }
}

/// Asks the user the form.
fn ask_next(client: &mut Client<'_>) {
    client.request("asked", "elicitation/create", &form());
}

/// The form that the server asks.
fn form() -> Value {
    json!({ "message": "Who\u{200b}?", "requestedSchema": { "type": "object",
            "properties": { "name": { "type": "string", "title": "Name" } } } })
}

impl Server {
    fn receive(&mut self, message: &Value, client: &mut Client<'_>) {
        let (id, params) = (&message["id"], &message["params"]);
        match message["method"].as_str() {
            None => self.receive_reply(message, client),
            Some("initialize" | "server/discover") => {
                self.session.capabilities = self.capabilities();
                self.session.instructions =
                    fs::read_to_string(self.tools.with_file_name(INSTRUCTIONS)).ok();
                self.session.receive(message, client);
            }
            Some("tools/list") => {
                let tools: Value = serde_json::from_slice(&fs::read(&self.tools).unwrap()).unwrap();
                client.answer(id, &json!({ "tools": tools }));
            }
            Some("tools/call") => self.call(id, params, client),
            Some("tasks/result") if self.tasks.asks(params) => {
                self.asking = Some((id.clone(), 1, Vec::new()));
                ask_next(client);
            }
            Some(method) if method.starts_with("tasks/") => {
                self.tasks.receive(method, id, params, client);
            }
            Some(method @ ("resources/list" | "resources/templates/list" | "prompts/list")) => {
                let key = match method {
                    "resources/list" => "resources",
                    "prompts/list" => "prompts",
                    _ => "resourceTemplates",
                };
                client.answer(id, &json!({ key: self.offers()[key] }));
            }
            Some("resources/read") => {
                let uri = &params["uri"];
                let text = format!("contents of {}\u{200b}", uri.as_str().unwrap());
                client.answer(
                    id,
                    &json!({ "contents": [
                    { "uri": uri, "mimeType": "text/plain", "text": text, "_meta": { "x": 1 } },
                    { "uri": "test://part", "blob": "AA==" } ] }),
                );
            }
            Some("completion/complete") => {
                let seen = json!([params["ref"], params["argument"], params["context"]]);
                let values = json!([seen.to_string(), "hid\u{200b}den"]);
                client.answer(id, &json!({ "completion": { "values": values } }));
            }
            Some("prompts/get") => {
                let text = json!([params["name"], params["arguments"]]).to_string();
                client.answer(
                    id,
                    &json!({ "messages": [
                    { "role": "user", "content": { "type": "text", "text": text } } ] }),
                );
            }
            Some(_) => self.session.receive(message, client),
        }
    }

    fn call(&mut self, id: &Value, params: &Value, client: &mut Client<'_>) {
        let result = match params["name"].as_str().unwrap_or_default() {
            "count" => {
                self.counted += 1;
                text_result(&self.counted.to_string())
            }
            "plain" => {
                let plain = std::env::var("PLAIN").unwrap();
                text_result(&format!("PLAIN is {plain}, Base64 of it is dG9rLWhpZGRlbi0x"))
            }
            "pid" => text_result(&process::id().to_string()),
            "arguments" => text_result(&params["arguments"].to_string()),
            "result" => params["arguments"]["result"].clone(),
            "hidden" => text_result("a\u{200b}b\u{202e}c"),
            "large" => text_result(&"x".repeat(1024 * 1024)),
            "image" => {
                json!({ "content": [{ "type": "image", "data": "AA==", "mimeType": "image/png" }] })
            }
            "number" => {
                let number = json!({ "number": 7, "nothing": null });
                let mut result = text_result(&number.to_string());
                result["structuredContent"] = number;
                result
            }
            "picture" | "pictured" => {
                // As large as a screenshot.
                let image = json!({ "type": "image", "data": "A".repeat(1024 * 1024), "mimeType": "image/png" });
                let content = json!([{ "type": "text", "text": "A picture" }, image]);
                json!({ "content": content, "structuredContent": { "content": content } })
            }
            "unstructured" => text_result("no number"),
            "fails" => {
                json!({ "content": [{ "type": "text", "text": "the disk is full" }], "isError": true })
            }
            "progress" => {
                if let Some(token) = params["_meta"].get("progressToken") {
                    let half = json!({ "progressToken": token, "progress": 1, "total": 2, "message": "half" });
                    client.notify("notifications/progress", &half);
                }
                text_result("done")
            }
            "flood" => {
                let unknown = params["arguments"]["unknown"].as_u64();
                let unknown = unknown.map(|many| usize::try_from(many).unwrap());
                flood(&params["_meta"]["progressToken"], unknown, client);
                text_result("done")
            }
            "change" => {
                for list in ["tools", "resources", "prompts"] {
                    self.session.notify_list_changed(list, client);
                }
                text_result("changed")
            }
            "update" => {
                self.session.notify_updated(client);
                // Since 2026-07-28 this ends a subscription.
                if self.session.subscribed.iter().any(|(_, id)| id.is_null()) {
                    let other = json!({ "uri": "test://other" });
                    client.notify("notifications/resources/updated", &other);
                }
                let subscribed = self.session.subscribed.iter();
                let uris: Vec<&String> = subscribed.map(|(uri, _)| uri).collect();
                text_result(&json!(uris).to_string())
            }
            "hang" => {
                // So that the caller knows that it hangs.
                if let Some(token) = params["_meta"].get("progressToken") {
                    let begun = json!({ "progressToken": token, "progress": 1 });
                    client.notify("notifications/progress", &begun);
                }
                self.hanging.push(id.clone());
                return;
            }
            "hanging" => text_result(&self.hanging.len().to_string()),
            "cancelled" => text_result(&json!([self.hanging, self.session.cancelled]).to_string()),
            "offered" => text_result(&self.session.client_capabilities(params).to_string()),
            "ask" => return self.ask(id, params, client),
            "research" if !self.session.is_stateless => {
                return self.tasks.begin(id, params, client);
            }
            "tasks" => text_result(&self.tasks.states().to_string()),
            "sample" => return self.sample(id, client),
            name => text_result(&format!("did {name}")),
        };
        client.answer(id, &result);
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

    /// Asks the user as often as the arguments say, and answers with the answers.
    fn ask(&mut self, id: &Value, params: &Value, client: &mut Client<'_>) {
        let times = params["arguments"]["times"].as_u64().unwrap_or(1);
        if !self.session.is_stateless {
            self.asking = Some((id.clone(), times, Vec::new()));
            return ask_next(client);
        }
        let state = params["requestState"].as_str().unwrap_or("[]");
        let mut replies: Vec<Value> = serde_json::from_str(state).unwrap();
        replies.extend(params["inputResponses"].get("toolwrit/confirm").cloned());
        if replies.len() as u64 == times {
            return client.answer_text(id, &json!(replies).to_string());
        }
        let questions =
            json!({ "toolwrit/confirm": { "method": "elicitation/create", "params": form() } });
        client.answer(
            id,
            &json!({ "resultType": "input_required", "inputRequests": questions,
                     "requestState": json!(replies).to_string() }),
        );
    }

    /// Receives an answer of the client.
    fn receive_reply(&mut self, message: &Value, client: &mut Client<'_>) {
        let Some((id, times, mut replies)) = self.asking.take() else { return };
        replies.push(message.get("result").unwrap_or(&message["error"]).clone());
        if replies.len() as u64 == times {
            return client.answer_text(&id, &json!(replies).to_string());
        }
        self.asking = Some((id, times, replies));
        ask_next(client);
    }

    /// Asks for a model.
    fn sample(&mut self, id: &Value, client: &mut Client<'_>) {
        let params = json!({ "maxTokens": 9, "messages": [
            { "role": "user", "content": { "type": "text", "text": "Hello" } }] });
        if self.session.is_stateless {
            let question = json!({ "method": "sampling/createMessage", "params": params });
            let result =
                json!({ "resultType": "input_required", "inputRequests": { "model": question } });
            return client.answer(id, &result);
        }
        self.asking = Some((id.clone(), 1, Vec::new()));
        client.request("sampled", "sampling/createMessage", &params);
    }
}
