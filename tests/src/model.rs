//! A model behind HTTP, in the dialect of chat completions, that follows a script.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

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

/// A server that gives its responses in order. It ends with the test.
pub struct Model {
    /// The address for `base_url` in a configuration.
    pub base: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    /// Starts a model with these responses.
    pub fn new(responses: impl IntoIterator<Item = Response>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/v1/", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let mut responses: VecDeque<Response> = responses.into_iter().collect();
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(connection) = connection else { return };
                let Some(request) = read(&connection) else { continue };
                kept.lock().unwrap().push(request);
                // A client may end while it listens.
                let _ = match responses.pop_front() {
                    Some(response) => write(&connection, &response),
                    None => refuse(&connection),
                };
            }
        });
        Self { base, requests }
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.requests.lock().unwrap().clone()
    }

    /// The names of the tools in the first request.
    pub fn offered(&self) -> Vec<String> {
        let tools = self.requests()[0]["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    }
}

fn read(connection: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
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

fn refuse(mut connection: &TcpStream) -> std::io::Result<()> {
    let body = r#"{"error":{"message":"the script has ended"}}"#;
    write!(
        connection,
        "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}
