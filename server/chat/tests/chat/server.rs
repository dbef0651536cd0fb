//! A server on this machine that answers as a test wants, and keeps the requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A request that was received.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
}

/// An answer: its status, more headers, and its body. The connection is closed after it, whatever it has promised.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    pub(crate) headers: String,
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

    pub(crate) fn failed(status: &'static str, headers: &str, message: &str) -> Self {
        Self {
            status,
            headers: format!("content-type: application/json\r\n{headers}"),
            body: json!({ "error": { "message": message } }).to_string(),
        }
    }

    fn ok(media_type: &str, body: String) -> Self {
        Self { status: "200 OK", headers: format!("content-type: {media_type}\r\n"), body }
    }
}

/// A server that gives its answers in order, and the last one again and again.
pub(crate) struct Server {
    pub(crate) base: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    pub(crate) fn new(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(connection) = connection else { return };
                let Some(request) = read(&connection) else { continue };
                let number = {
                    let mut kept = kept.lock().unwrap();
                    kept.push(request);
                    kept.len() - 1
                };
                let answer = &answers[number.min(answers.len() - 1)];
                // The client may have gone.
                let _ = write(&connection, answer);
            }
        });
        Self { base, received }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn read(connection: &TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(connection);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim_end().to_owned();
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    let path = lines.first()?.split(' ').nth(1)?.to_owned();
    let length = lines.iter().find_map(|line| {
        line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
    })?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Received { path, headers: lines.split_off(1), body: serde_json::from_slice(&body).ok()? })
}

fn write(mut connection: &TcpStream, answer: &Answer) -> std::io::Result<()> {
    write!(
        connection,
        "HTTP/1.1 {}\r\n{}connection: close\r\n\r\n{}",
        answer.status, answer.headers, answer.body
    )
}
