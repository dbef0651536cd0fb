//! Tests of handlers without files and sockets.

use std::collections::VecDeque;
#[cfg(feature = "stdio")]
use std::sync::Arc;

use serde_json::Value;
#[cfg(feature = "stdio")]
use serde_json::json;
#[cfg(feature = "stdio")]
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    duplex, split,
};
#[cfg(feature = "stdio")]
use tokio::task::JoinHandle;

use crate::server::Server;
use toolwrit_core::fault::{Fault, Result};
pub use toolwrit_core::test_context::TestContext;
use toolwrit_core::toolset::Tools;

/// Calls an operation through the whole pipeline, as the server's own user and past confirmation.
///
/// # Errors
/// The fault with which the call ends.
pub async fn call<T: Tools>(app: T::App, operation: &str, arguments: Value) -> Result<Value> {
    let server =
        Server::builder::<T>(app).build().map_err(|error| Fault::internal(error.to_string()))?;
    server.call(operation, arguments).await
}

/// Bytes on their way between client and server.
#[cfg(feature = "stdio")]
const ON_THE_WAY: usize = 64 * 1024;

/// A client of MCP 2025-11-25 in the same process, connected to a server by a pair of streams. Its methods
/// panic when the server does not speak MCP, as a test that fails should.
#[cfg(feature = "stdio")]
pub struct Client {
    answers: Lines<BufReader<ReadHalf<DuplexStream>>>,
    requests: WriteHalf<DuplexStream>,
    serving: JoinHandle<std::io::Result<()>>,
    next: u64,
    notifications: VecDeque<Value>,
}

#[cfg(feature = "stdio")]
#[expect(clippy::expect_used, reason = "a test that fails should panic")]
impl Client {
    /// Connects to a server, and says hello.
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
