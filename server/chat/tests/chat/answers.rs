//! Models over HTTP, and their answers.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwrit_chat::provider::{Dialect, Price, RemoteModel, RemoteModelOptions};
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

/// The key of all models.
pub(crate) const KEY: &str = "sk-secret-key";

/// A model at a server, as the configuration would describe it.
pub(crate) fn model(dialect: Dialect, base: &str) -> Arc<RemoteModel> {
    Arc::new(RemoteModel::new(options(dialect, base)).unwrap())
}

/// Its options.
pub(crate) fn options(dialect: Dialect, base: &str) -> RemoteModelOptions {
    let version = match dialect {
        Dialect::Gemini => "v1beta/",
        Dialect::Ollama => "",
        _ => "v1",
    };
    RemoteModelOptions {
        name: "writer".to_owned(),
        dialect,
        model: "some-model".to_owned(),
        base_url: Some(format!("{base}{version}")),
        networks: Vec::new(),
        key: Some(KEY.to_owned()),
        key_env: Some("WRITER_KEY".to_owned()),
        context: None,
        max_tokens: None,
        thinks: true,
        price: Some(Price { input: 3.0, cached: 0.3, output: 15.0, currency: "USD".to_owned() }),
    }
}
