//! A client of MCP in the same process.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    duplex, split,
};
use tokio::task::JoinHandle;

use crate::server::Server;

/// Bytes on their way between client and server.
const ON_THE_WAY: usize = 64 * 1024;

/// A client of MCP 2025-11-25 in the same process, connected to a server by a pair of streams. Its methods
/// panic when the server does not speak MCP, as a test that fails should.
pub struct Client {
    answers: Lines<BufReader<ReadHalf<DuplexStream>>>,
    requests: WriteHalf<DuplexStream>,
    serving: JoinHandle<std::io::Result<()>>,
    next: u64,
    notifications: VecDeque<Value>,
}

#[expect(clippy::expect_used, reason = "a test that fails should panic")]
impl Client {
    /// Connects to a server, and initializes the session.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn connect(server: Server) -> Self {
        Self::connect_to(&Arc::new(server)).await
    }

    /// Connects to a server that has other clients, too.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn connect_to(server: &Arc<Server>) -> Self {
        let (ours, theirs) = duplex(ON_THE_WAY);
        let (reader, writer) = split(theirs);
        let server = server.clone();
        let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
        let (answers, requests) = split(ours);
        let answers = BufReader::new(answers).lines();
        let notifications = VecDeque::new();
        let mut client = Self { answers, requests, serving, next: 0, notifications };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "toolwrit-testing", "version": env!("CARGO_PKG_VERSION")},
        });
        let answer = client.request("initialize", hello).await;
        assert!(answer["result"].is_object(), "the server does not begin: {answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// Sends a request; its answer, with `result` or `error`.
    ///
    /// # Panics
    /// When the server ends before it has answered.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        loop {
            let message = self.message().await;
            if message["id"] == id {
                return message;
            }
            self.notifications.push_back(message);
        }
    }

    /// Calls a tool; its result, with `content`, `structuredContent` and `isError` as MCP has them.
    ///
    /// # Panics
    /// When there is no result.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut answer = self.request("tools/call", params).await;
        assert!(answer["result"].is_object(), "no result: {answer}");
        answer["result"].take()
    }

    /// The tools that the server lists.
    ///
    /// # Panics
    /// When there is no list.
    pub async fn tools(&mut self) -> Vec<Value> {
        let mut answer = self.request("tools/list", json!({})).await;
        match answer["result"]["tools"].take() {
            Value::Array(tools) => tools,
            _ => panic!("no list: {answer}"),
        }
    }

    /// The next message that is no answer, such as a notification.
    ///
    /// # Panics
    /// When the server ends before it sends one.
    pub async fn notification(&mut self) -> Value {
        match self.notifications.pop_front() {
            Some(earlier) => earlier,
            None => self.message().await,
        }
    }

    /// Goes away, and waits until the server has noticed.
    ///
    /// # Panics
    /// When the connection was broken.
    pub async fn close(self) {
        let Self { answers, requests, serving, .. } = self;
        drop((answers, requests));
        serving.await.expect("the server does not panic").expect("the streams do not break");
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.requests.write_all(line.as_bytes()).await.expect("the server reads");
    }

    async fn message(&mut self) -> Value {
        let line = self.answers.next_line().await.expect("the server writes lines of text");
        serde_json::from_str(&line.expect("the server has not ended")).expect("JSON")
    }
}
