//! The byte stream of a connection. A client that reads nothing of its answer is disconnected. A client that
//! is still sending when the server closes the connection can still read its answer.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep, timeout};

use super::slots::ConnectionSlot;

/// How long a client that is still sending may pause.
const PAUSE: Duration = Duration::from_secs(1);
/// How long a client that is still sending is read in total.
const LINGER_TIME: Duration = Duration::from_secs(10);
/// How many bytes of such a client are read in total.
const LINGER_BYTES: u64 = 16 * 1024 * 1024;

pub(super) struct Wire {
    stream: TcpStream,
    slot: ConnectionSlot,
    /// How long the client may read nothing.
    write_time: Duration,
    /// Runs while the client reads nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, slot: ConnectionSlot, write_time: Duration) -> Self {
        Self { stream, slot, write_time, stalled: None }
    }

    /// Closes the connection. Reads what the client still sends: otherwise a reset could discard the answer.
    pub(super) async fn close(mut self) {
        if self.slot.is_written_to() && self.stream.shutdown().await.is_ok() {
            linger(&mut self.stream, PAUSE).await;
        }
    }

    /// Checks the outcome of a write: an error if the client has read nothing for too long.
    fn check_stall<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            if self.stalled.take().is_some() {
                self.slot.stalls(false);
            }
            return outcome;
        }
        let Self { slot, write_time, stalled, .. } = self;
        let timer = stalled.get_or_insert_with(|| {
            slot.stalls(true);
            Box::pin(sleep(*write_time))
        });
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Reads and discards what a client still sends, within limits.
pub(super) async fn linger(stream: &mut TcpStream, pause: Duration) {
    let mut rest = stream.take(LINGER_BYTES);
    let mut buffer = vec![0; 16 * 1024];
    let read = async {
        // Until the client closes its side, or pauses.
        while let Ok(Ok(1..)) = timeout(pause, rest.read(&mut buffer)).await {}
    };
    let _ = timeout(LINGER_TIME, read).await;
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_stall(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.check_stall(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper calls this when its own buffer is empty.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(cx);
        if outcome.is_ready() {
            self.slot.has_sent();
        }
        outcome
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
