//! A connection with raw reads and writes.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream};

use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::drivers::client::Era;
use crate::drivers::http::{Server, message};
use crate::waiting::TIMEOUT;

/// A connection to a server.
pub struct Socket(BufReader<TcpStream>);

/// An HTTP response as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawAnswer {
    /// The status code.
    pub status: u16,
    /// The raw lines of the head.
    pub head: Vec<String>,
    /// The body, without chunk framing.
    pub body: String,
}

impl RawAnswer {
    /// A header field by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.iter().filter_map(|line| line.split_once(':'));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }

    fn length(&self) -> Option<usize> {
        Some(self.header("content-length")?.parse().unwrap())
    }
}

impl Socket {
    /// Connects to a server.
    pub fn connect(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Connects from another address of this machine, such as 127.0.0.2.
    pub fn connect_from(source: Ipv4Addr, server: &Server) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
        let stream = runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind((source, 0).into()).unwrap();
            socket.connect(server.address().parse().unwrap()).await.unwrap()
        });
        let stream = stream.into_std().unwrap();
        stream.set_nonblocking(false).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Whether the server has neither sent anything nor closed the connection yet.
    pub fn is_silent(&self) -> bool {
        let stream = self.0.get_ref();
        stream.set_nonblocking(true).unwrap();
        let peeked = stream.peek(&mut [0]);
        stream.set_nonblocking(false).unwrap();
        peeked.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    /// Sends text or bytes, which must succeed.
    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_write(bytes.as_ref()).unwrap();
    }

    /// Sends bytes on a connection that the server may have closed.
    ///
    /// # Errors
    /// If it is closed.
    pub fn try_write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// A handle for writing while another one reads.
    pub fn halves(self) -> (TcpStream, Self) {
        (self.0.get_ref().try_clone().unwrap(), self)
    }

    /// Closes one or both directions.
    pub fn shutdown(&self, how: Shutdown) {
        self.0.get_ref().shutdown(how).unwrap();
    }

    /// Sends a tool call, with a progress token if progress is requested.
    pub fn begin_call(&mut self, era: Era, tool: &str, arguments: &Value, progress: bool) {
        let mut params = json!({"name": tool, "arguments": arguments});
        if progress {
            params["_meta"]["progressToken"] = "p".into();
        }
        self.write(call(era, params));
    }

    /// Sends a tool call with an idempotency key.
    pub fn begin_keyed_call(&mut self, era: Era, tool: &str, arguments: &Value, key: &str) {
        let meta = json!({"toolwrit/idempotencyKey": key});
        self.write(call(era, json!({"name": tool, "arguments": arguments, "_meta": meta})));
    }

    /// Sends a tool call on a connection that the server may have closed.
    ///
    /// # Errors
    /// If it is closed.
    pub fn try_begin_call(&mut self, era: Era, tool: &str, arguments: &Value) -> io::Result<()> {
        self.try_write(call(era, json!({"name": tool, "arguments": arguments})).as_bytes())
    }

    /// The next message of an event stream; `None` when the stream ends.
    pub fn next_event(&mut self) -> Option<Value> {
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

    /// Sends `GET path` on this connection, reads the answer, and returns its status.
    pub fn get(&mut self, path: &str) -> u16 {
        self.write(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        self.status()
    }

    /// The status of the next answer. The body is read if its length is known; a stream is left for
    /// [`Socket::next_event`].
    pub fn status(&mut self) -> u16 {
        let answer = self.head().expect("the connection has ended");
        if let Some(length) = answer.length() {
            self.take(length, &mut Vec::new());
        }
        answer.status
    }

    /// The next answer, read to its end; `None` if the connection is closed before it.
    pub fn answer(&mut self) -> Option<RawAnswer> {
        let mut answer = self.head()?;
        let mut body = Vec::new();
        if let Some(length) = answer.length() {
            self.take(length, &mut body);
        } else if answer.header("transfer-encoding").is_some() {
            self.chunks(&mut body);
        } else if answer.header("connection") == Some("close") {
            // An answer without a length ends with its connection.
            let _ = self.0.read_to_end(&mut body);
        }
        answer.body = String::from_utf8(body).unwrap();
        Some(answer)
    }

    fn head(&mut self) -> Option<RawAnswer> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {first:?}"));
        let status = status.parse().unwrap();
        let head = std::iter::from_fn(|| self.line().filter(|line| !line.is_empty())).collect();
        Some(RawAnswer { status, head, body: String::new() })
    }

    /// Whether the server closes the connection without a further byte.
    pub fn is_ended(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => rest.is_empty(),
            Err(error) => error.kind() == io::ErrorKind::ConnectionReset,
        }
    }

    fn chunks(&mut self, body: &mut Vec<u8>) {
        loop {
            let size = self.line().expect("a chunk");
            let size = usize::from_str_radix(&size, 16).unwrap();
            self.take(size, body);
            self.line();
            if size == 0 {
                return;
            }
        }
    }

    fn take(&mut self, bytes: usize, body: &mut Vec<u8>) {
        let begin = body.len();
        body.resize(begin + bytes, 0);
        self.0.read_exact(&mut body[begin..]).unwrap();
    }

    /// The next line; `None` if the connection is closed or broken.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("no answer: {error}"),
        }
    }
}

/// The bytes of a tool call.
fn call(era: Era, params: Value) -> String {
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
    format!("{head}\r\n{body}")
}
