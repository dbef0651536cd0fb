//! MCP over standard input and output, one message a line. Unlike rmcp's own line transport it
//! answers lines that are not messages, and survives anything sent before the first request.

mod aside;
mod calls;
mod outbox;

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::{StdioReader, StdioWriter, Transport, stdio_pipes};
use rmcp::{RoleServer, ServiceExt};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::{self, JoinSet};

use super::line::{Line, parse};
use super::signals::Signals;
use crate::mcp::{Direct, Room, Server, ToolCall};
use calls::Calls;
use outbox::{Outbox, report};

/// Longest line that is read; a longer one is answered and skipped.
const LONGEST_LINE: usize = 16 * 1024 * 1024;
/// A call that takes longer, without waiting, holds up those behind it.
const LONG: Duration = Duration::from_micros(100);
/// What is brief takes less.
const MOMENT: Duration = Duration::from_millis(10);
/// For how long this thread is not lent once that took more, as where files lie far away.
const RESERVE: Duration = Duration::from_secs(10);
/// Bytes of answers that leave although more has come to be read: the client has work then, too.
const ENOUGH: usize = 4 * 1024;
/// Most writes of what was answered at once that wait for a client to read.
const PENDING_WRITES: usize = 64;
/// Most bytes of answers that wait for it while more is read.
const PENDING_BYTES: usize = 1024 * 1024;

/// Serves until standard input ends, or the process is asked to stop.
///
/// # Errors
/// When the service loop itself breaks; a client that goes away is no error.
pub(crate) async fn serve(server: Server) -> io::Result<()> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        outcome = converse(server) => outcome,
        // The client has gone, or will: nobody waits for what is in flight.
        () = signals.next() => Ok(()),
    }
}

async fn converse(server: Server) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    let calls = Calls::new(server.at_once());
    let transport = Lines::new(reader, writer, calls.clone());
    match Box::pin(server.clone().serve(transport)).await {
        Ok(running) => {
            calls.take(Direct::new(server, running.peer().clone()));
            running.waiting().await.map(drop).map_err(io::Error::other)
        }
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

struct Lines {
    reader: BufReader<StdioReader>,
    line: Vec<u8>,
    /// The rest of an overlong line is being skipped.
    skipping: bool,
    /// A request has gone through. Before that, rmcp takes anything else for the end.
    begun: bool,
    /// Where the handshake reads. The SDK goes on in a task of its own.
    handshake: Option<task::Id>,
    calls: Calls,
    /// For calls that are begun here.
    room: Room,
    /// The last of them took long.
    is_held_up: bool,
    /// Until when none of them is lent the thread.
    reserved: Option<Instant>,
    outbox: Arc<Outbox>,
    /// What was answered at once, on its way out. Tasks of their own, because `receive` may be dropped
    /// at any await and half a line must never be written.
    writes: JoinSet<io::Result<()>>,
}

impl Lines {
    fn new(reader: StdioReader, writer: StdioWriter, calls: Calls) -> Self {
        Self {
            reader: BufReader::with_capacity(64 * 1024, reader),
            line: Vec::new(),
            skipping: false,
            begun: false,
            handshake: task::try_id(),
            calls,
            room: Room::default(),
            is_held_up: false,
            reserved: None,
            outbox: Arc::new(Outbox::new(writer)),
            writes: JoinSet::new(),
        }
    }

    /// Reads up to the next line end. May be dropped at its await and called again: everything
    /// read so far is in `self.line`.
    async fn next_line(&mut self) -> io::Result<Read> {
        loop {
            let chunk = self.reader.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(if self.line.is_empty() { Read::End } else { Read::Line });
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
                return Ok(Read::Overlong);
            }
            if end.is_some() && !was_skipping {
                return Ok(Read::Line);
            }
        }
    }

    fn complain(&self, error: ErrorData, id: Option<RequestId>) {
        let message: TxJsonRpcMessage<RoleServer> = JsonRpcMessage::error(error, id);
        report(self.outbox.put(&message));
    }

    /// Begins a call, unless it is the SDK's. While calls take long, other threads get those that have
    /// others behind them; one that has none is lent this thread.
    async fn take_in(&mut self, call: Box<ToolCall>) -> Option<Box<ToolCall>> {
        let accepted = match self.calls.accept(call) {
            Ok(accepted) => accepted,
            Err(call) => return Some(call),
        };
        let is_followed = self.has_line();
        if self.is_held_up && is_followed {
            self.calls.begin_aside(accepted, &self.outbox);
            return None;
        }
        let begun = Instant::now();
        let lends = !is_followed && self.reserved.is_none_or(|until| until < begun);
        self.calls.begin(accepted, lends, &mut self.room, &self.outbox).await;
        let taken = begun.elapsed();
        self.is_held_up = taken > LONG;
        if taken > MOMENT {
            self.reserved = Some(begun + taken + RESERVE);
        }
        if self.outbox.len() >= ENOUGH {
            self.write();
        }
        None
    }

    /// Writes what is answered; what the client does not take yet, a task writes.
    fn write(&mut self) {
        if let Some(rest) = self.outbox.write_at_once() {
            while self.writes.try_join_next().is_some() {}
            self.writes.spawn(rest);
        }
    }

    /// Waits while the client leaves too much unread.
    async fn wait_for_client(&mut self) {
        while self.writes.len() >= PENDING_WRITES || self.outbox.len() >= PENDING_BYTES {
            self.write();
            self.writes.join_next().await;
        }
    }

    /// Whether the next line is there already.
    fn has_line(&self) -> bool {
        self.reader.buffer().contains(&b'\n')
    }
}

enum Read {
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
        let outbox = self.outbox.clone();
        async move { outbox.send(&message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Which calls are the SDK's must not hang on which task comes first.
        if task::try_id() != self.handshake {
            self.calls.taken().await;
        }
        loop {
            if !self.has_line() {
                self.write();
            }
            self.wait_for_client().await;
            let line = match self.next_line().await {
                Ok(Read::Line) => {
                    let line = parse(&self.line);
                    self.line.clear();
                    line
                }
                Ok(Read::Overlong) => {
                    let message = format!("a message has at most {LONGEST_LINE} bytes");
                    Line::Bad(ErrorData::invalid_request(message, None), None)
                }
                Ok(Read::End) => {
                    while self.writes.join_next().await.is_some() {}
                    return None;
                }
                Err(error) => {
                    tracing::error!(%error, "standard input broke");
                    return None;
                }
            };
            match line {
                Line::Call(call) => {
                    self.begun = true;
                    if let Some(call) = self.take_in(call).await {
                        self.write();
                        return Some(call.into_message());
                    }
                }
                Line::Message(message) => {
                    self.calls.heed(&message);
                    self.begun |= matches!(*message, JsonRpcMessage::Request(_));
                    if self.begun {
                        self.write();
                        return Some(*message);
                    }
                }
                Line::Nothing => {}
                Line::Bad(error, id) => {
                    tracing::warn!(error = %error.message, "a line is no message");
                    self.complain(error, id);
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.calls.end().await;
        self.outbox.write().await
    }
}
