//! A model behind HTTP, in the dialect of chat completions, that follows a script.

use std::collections::VecDeque;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, json_response, response};

/// What happens between two words of a response.
type Action = Box<dyn Fn() + Send>;

enum Step {
    Words(String),
    Raw(String),
    Action(Action),
}

/// A response: words, then calls.
#[derive(Default)]
pub struct Response {
    steps: Vec<Step>,
    calls: Vec<(String, Value)>,
    is_cut: bool,
}

impl Response {
    /// One that says this.
    pub fn text(text: &str) -> Self {
        Self::default().and(text)
    }

    /// One whose body is this, whatever it is.
    pub fn raw(body: impl Into<String>) -> Self {
        Self { steps: vec![Step::Raw(body.into())], is_cut: true, ..Self::default() }
    }

    /// It then says this, too.
    #[must_use]
    pub fn and(mut self, text: &str) -> Self {
        self.steps.push(Step::Words(text.to_owned()));
        self
    }

    /// It then waits for this action.
    #[must_use]
    pub fn then(mut self, action: impl Fn() + Send + 'static) -> Self {
        self.steps.push(Step::Action(Box::new(action)));
        self
    }

    /// It ends with this call of a tool.
    #[must_use]
    pub fn call(mut self, tool: &str, arguments: Value) -> Self {
        self.calls.push((tool.to_owned(), arguments));
        self
    }

    /// The connection ends before the end of the response.
    #[must_use]
    pub fn cut(mut self) -> Self {
        self.is_cut = true;
        self
    }
}

/// A server that gives its responses in order. It ends when it is dropped.
pub struct Model {
    /// The address for `base_url` in a configuration.
    pub base: String,
    server: HttpServer,
}

impl Model {
    /// Starts a model with these responses.
    pub fn new(responses: impl IntoIterator<Item = Response>) -> Self {
        let responses: Mutex<VecDeque<Response>> = Mutex::new(responses.into_iter().collect());
        let server = HttpServer::scripted(move |request, connection| {
            if request.line() == "GET /v1/models" {
                // A client may end while it listens.
                let _ = connection.write_all(&json_response(200, &models()));
                return;
            }
            let next = responses.lock().unwrap().pop_front();
            let _ = match next {
                Some(response) => write(connection, &response),
                None => connection.write_all(&refusal()),
            };
        });
        Self { base: server.url("/v1/"), server }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.server.requests().iter().map(ReceivedRequest::json).collect()
    }

    /// The names of the tools in the first request.
    pub fn offered(&self) -> Vec<String> {
        let tools = self.requests()[0]["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn write(mut connection: &TcpStream, response: &Response) -> std::io::Result<()> {
    connection.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
    )?;
    let mut body = connection;
    let mut event = |delta: Value, reason: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        let chunk = json!({
            "id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": [choice],
        });
        connection.write_all(format!("data: {chunk}\n\n").as_bytes())
    };
    for step in &response.steps {
        match step {
            Step::Words(words) => event(json!({ "content": words }), Value::Null)?,
            Step::Raw(text) => body.write_all(text.as_bytes())?,
            Step::Action(action) => action(),
        }
    }
    if response.is_cut {
        return Ok(());
    }
    let call = |(at, (name, arguments)): (usize, &(String, Value))| {
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        json!({ "index": at, "id": format!("call_{at}"), "type": "function", "function": function })
    };
    let calls: Vec<Value> = response.calls.iter().enumerate().map(call).collect();
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    if !calls.is_empty() {
        event(json!({ "tool_calls": calls }), Value::Null)?;
    }
    event(json!({}), reason.into())?;
    connection.write_all(b"data: [DONE]\n\n")
}

/// The list of models, of which one says how long its context is.
fn models() -> Value {
    json!({ "object": "list", "data": [{ "id": "m", "context_length": 32_768 }, { "id": "small" }] })
}

fn refusal() -> Vec<u8> {
    let body = r#"{"error":{"message":"the script has ended"}}"#;
    response(400, &[("content-type", "application/json")], body)
}
