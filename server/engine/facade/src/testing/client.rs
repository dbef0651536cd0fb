//! An MCP client in the same process.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    duplex, split,
};
use tokio::task::JoinHandle;

use crate::server::Server;

/// Bytes of the buffers between client and server.
const BUFFER_BYTES: usize = 64 * 1024;

/// A client of MCP 2025-11-25 in the same process, connected to a server by a pair of streams. For use in
/// tests: its methods panic if the server does not behave as expected.
pub struct TestClient {
    answers: Lines<BufReader<ReadHalf<DuplexStream>>>,
    requests: WriteHalf<DuplexStream>,
    serving: JoinHandle<std::io::Result<()>>,
    next: u64,
    notifications: VecDeque<Value>,
}

#[expect(clippy::expect_used, reason = "a test that fails should panic")]
impl TestClient {
    /// Connects to a server, and initializes the session.
    ///
    /// # Panics
    /// If the server does not answer.
    pub async fn connect(server: Server) -> Self {
        Self::connect_to(&Arc::new(server)).await
    }

    /// Connects to a server that other clients may share.
    ///
    /// # Panics
    /// If the server does not answer.
    pub async fn connect_to(server: &Arc<Server>) -> Self {
        let (ours, theirs) = duplex(BUFFER_BYTES);
        let (reader, writer) = split(theirs);
        let server = server.clone();
        let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
        let (answers, requests) = split(ours);
        let answers = BufReader::new(answers).lines();
        let notifications = VecDeque::new();
        let mut client = Self { answers, requests, serving, next: 0, notifications };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "toolwrit-testing", "version": env!("CARGO_PKG_VERSION")},
        });
        let answer = client.request("initialize", params).await;
        assert!(answer["result"].is_object(), "the server does not initialize: {answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        client
    }

    /// Sends a request, and returns the response, with `result` or `error`.
    ///
    /// # Panics
    /// If the server ends before it answers.
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

    /// Calls a tool, and returns its result with the MCP fields `content`, `structuredContent` and `isError`.
    ///
    /// # Panics
    /// If there is no result.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut answer = self.request("tools/call", params).await;
        assert!(answer["result"].is_object(), "no result: {answer}");
        answer["result"].take()
    }

    /// Returns the tools that the server lists.
    ///
    /// # Panics
    /// If there is no list.
    pub async fn tools(&mut self) -> Vec<Value> {
        let mut answer = self.request("tools/list", json!({})).await;
        match answer["result"]["tools"].take() {
            Value::Array(tools) => tools,
            _ => panic!("no list: {answer}"),
        }
    }

    /// Returns the next message that is not a response, such as a notification.
    ///
    /// # Panics
    /// If the server ends before it sends one.
    pub async fn notification(&mut self) -> Value {
        match self.notifications.pop_front() {
            Some(earlier) => earlier,
            None => self.message().await,
        }
    }

    /// Disconnects, and waits until the server has ended the connection.
    ///
    /// # Panics
    /// If the connection has failed.
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
