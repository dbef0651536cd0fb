//! MCP over standard input and output, one message per line. Unlike rmcp's own line transport, this one
//! answers lines that are not messages, and accepts any message before the first request.

mod calls;
mod outbox;
mod program;
mod yielding;

use std::future::Future;
use std::io;
use std::sync::Arc;

use rmcp::model::{ErrorData, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::{Transport, stdio_pipes};
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::{self, coop};

use super::line::{Line, parse};
use super::signals::Signals;
use crate::protocol::{FastPath, McpServer};
use calls::Calls;
use outbox::Outbox;
pub use program::main;
use yielding::yield_to_any_worker;

/// Bytes of the longest line that is read. A longer one is skipped and answered with an error.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Serves until standard input ends, or the process gets a stop signal.
///
/// # Errors
/// If a signal handler cannot be registered, or the service loop fails. A disconnect is no error.
pub async fn serve(server: McpServer) -> io::Result<()> {
    let mut signals = Signals::listen()?;
    let (reader, writer) = stdio_pipes();
    tokio::select! {
        outcome = serve_streams(server, reader, writer) => outcome,
        // The client has disconnected or is about to: no one would read the answers in flight.
        () = signals.next() => Ok(()),
    }
}

/// Serves a client over other streams, one message per line, until the reader ends.
///
/// # Errors
/// As [`serve`].
pub async fn serve_streams(
    server: McpServer,
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> io::Result<()> {
    let outbox = Arc::new(Outbox::new(Box::new(writer)));
    let calls = Arc::new(Calls::new(server.most_calls(), outbox.clone()));
    let transport = Lines::new(Box::new(reader), outbox, calls.clone());
    match Box::pin(server.clone().serve(transport)).await {
        Ok(running) => {
            calls.install(FastPath::new(server, running.peer().clone()));
            running.waiting().await.map(drop).map_err(io::Error::other)
        }
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

type Reader = Box<dyn AsyncRead + Send + Unpin>;

struct Lines {
    reader: BufReader<Reader>,
    line: Vec<u8>,
    /// Whether the rest of an overlong line is being skipped.
    skipping: bool,
    /// Whether rmcp has received a request. Until then, rmcp would end the connection at any other message.
    begun: bool,
    /// The task that reads during the handshake. Afterwards rmcp reads in a task of its own.
    handshake: Option<task::Id>,
    calls: Arc<Calls>,
    /// Acquired for the next call, before its line is read.
    permit: Option<OwnedSemaphorePermit>,
    outbox: Arc<Outbox>,
}

impl Lines {
    fn new(reader: Reader, outbox: Arc<Outbox>, calls: Arc<Calls>) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::new(),
            skipping: false,
            begun: false,
            handshake: task::try_id(),
            calls,
            permit: None,
            outbox,
        }
    }

    /// Reads up to the next line end. Cancel-safe: everything read so far is in `self.line`.
    async fn next_line(&mut self) -> io::Result<ReadLine> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(if self.line.is_empty() { ReadLine::End } else { ReadLine::Line });
            }
            let end = memchr::memchr(b'\n', chunk);
            let take = end.map_or(chunk.len(), |at| at + 1);
            let overlong = self.line.len() + take > LONGEST_LINE;
            if !self.skipping && !overlong {
                self.line.extend_from_slice(&chunk[..take]);
            }
            self.reader.consume(take);
            let was_skipping = self.skipping;
            self.skipping = (self.skipping || overlong) && end.is_none();
            if overlong && !was_skipping {
                self.line.clear();
                return Ok(ReadLine::Overlong);
            }
            if end.is_some() && !was_skipping {
                return Ok(ReadLine::Line);
            }
        }
    }
}

enum ReadLine {
    Line,
    Overlong,
    End,
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Written in a task of our own: no line may stay in the queue if rmcp drops the future.
        self.calls.send(&message);
        let outbox = self.outbox.clone();
        async move {
            outbox.has_capacity().await;
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Wait for the fast path. Otherwise the order of two tasks would decide which calls rmcp handles.
        if task::try_id() != self.handshake {
            self.calls.installed().await;
        }
        loop {
            if !coop::has_budget_remaining() {
                yield_to_any_worker().await;
            }
            // Acquire it now: the next line may be a call.
            if self.permit.is_none() {
                self.permit = self.calls.permit().await;
            }
            self.outbox.has_capacity().await;
            let read = self.next_line().await;
            let bytes = self.line.len();
            let line = match read {
                Ok(ReadLine::Line) => {
                    let line = parse(&self.line);
                    self.line.clear();
                    line
                }
                Ok(ReadLine::Overlong) => {
                    let message =
                        format!("the message is too long: at most {LONGEST_LINE} bytes are read");
                    Line::Bad(ErrorData::invalid_request(message, None), None)
                }
                Ok(ReadLine::End) => return None,
                Err(error) => {
                    tracing::error!(%error, "cannot read standard input");
                    return None;
                }
            };
            match line {
                Line::Call(call) => {
                    self.begun = true;
                    if let Err(call) = self.calls.begin(call, bytes, self.permit.take()) {
                        return Some(call.into_message());
                    }
                }
                Line::Message(message) => {
                    self.calls.on_cancelled(&message);
                    self.begun |= matches!(*message, JsonRpcMessage::Request(_));
                    if self.begun {
                        return Some(*message);
                    }
                }
                Line::Nothing => {}
                Line::Bad(error, id) => {
                    tracing::warn!(error = %error.message, "a line is not a message");
                    self.calls.send(&JsonRpcMessage::error(error, id));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.calls.end().await;
        self.outbox.write().await
    }
}
