//! Answers of models over HTTP.

use serde_json::{Value, json};
use toolwrit_test_servers::http::{HttpServer, unframed_response};

/// An answer: its status, header fields, and its body. The connection is closed after it, whatever it has promised.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Answer {
    /// A stream of server-sent events.
    pub(crate) fn events(events: &[Value]) -> Self {
        let event = |event: &Value| match event["type"].as_str() {
            Some(name) => format!("event: {name}\ndata: {event}\n\n"),
            None => format!("data: {event}\n\n"),
        };
        Self::ok("text/event-stream", events.iter().map(event).collect())
    }

    /// The same, with the end that chat completions have.
    pub(crate) fn done(events: &[Value]) -> Self {
        let mut answer = Self::events(events);
        answer.body.push_str("data: [DONE]\n\n");
        answer
    }

    /// JSON, one value on a line.
    pub(crate) fn lines(values: &[Value]) -> Self {
        let mut lines: Vec<String> = values.iter().map(Value::to_string).collect();
        lines.push(String::new());
        Self::ok("application/x-ndjson", lines.join("\n"))
    }

    pub(crate) fn failed(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message } }).to_string();
        Self { status, ..Self::ok("application/json", body) }
    }

    pub(crate) fn ok(media_type: &str, body: String) -> Self {
        Self { status: 200, headers: vec![("content-type", media_type.to_owned())], body }
    }

    /// The same with a further header field.
    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn to_bytes(&self) -> Vec<u8> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        unframed_response(self.status, &headers, &self.body)
    }
}

/// A server that gives these answers in order, and the last one again and again.
pub(crate) fn serve(answers: &[Answer]) -> HttpServer {
    HttpServer::in_turn(answers.iter().map(Answer::to_bytes).collect())
}
