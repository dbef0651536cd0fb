//! One connection, written and read by hand.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use toolwrit_tests::client::Era;

use crate::program::{Server, message};

pub(crate) struct Socket(BufReader<TcpStream>);

impl Socket {
    pub(crate) fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Sends a tool call, with a progress token if progress is wanted.
    pub(crate) fn begin_call(&mut self, era: Era, tool: &str, arguments: &Value, progress: bool) {
        let mut params = json!({"name": tool, "arguments": arguments});
        if progress {
            params["_meta"]["progressToken"] = "p".into();
        }
        let (body, headers) = message(era, "tools/call", params);
        let body = body.to_string();
        let mut head = format!(
            "POST /mcp/flat HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        self.write(&format!("{head}\r\n{body}"));
    }

    /// The next message of an event stream; none when the stream ends.
    pub(crate) fn next_event(&mut self) -> Option<Value> {
        let mut line = String::new();
        loop {
            line.clear();
            if self.0.read_line(&mut line).unwrap() == 0 || line == "0\r\n" {
                return None;
            }
            if let Some(data) = line.strip_prefix("data:").filter(|data| !data.trim().is_empty()) {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// `GET path` on this connection; the status of the answer, whose body is read.
    pub(crate) fn get(&mut self, path: &str) -> u16 {
        self.write(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        self.status()
    }

    /// The status of the next answer, whose body is read.
    pub(crate) fn status(&mut self) -> u16 {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {line:?}"));
        let status = status.parse().unwrap();
        let mut length = 0;
        loop {
            line.clear();
            self.0.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        status
    }
}
