//! The stream below a connection: a client that takes nothing of its answer is let go, and one that is still
//! writing when its answer is there may read it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep, timeout};

use super::places::Place;

/// For a client that is still writing: how long it may pause, and in all how long and how much it may write.
const PAUSE: Duration = Duration::from_secs(1);
const LINGER_TIME: Duration = Duration::from_secs(10);
const LINGER_BYTES: u64 = 16 * 1024 * 1024;

pub(super) struct Wire {
    stream: TcpStream,
    place: Place,
    /// For a client to take something.
    patience: Duration,
    /// Runs while it takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, place: Place, patience: Duration) -> Self {
        Self { stream, place, patience, stalled: None }
    }

    /// Ends the connection. Closing it while the client writes would take the answer from it.
    pub(super) async fn close(mut self) {
        if self.place.is_written_to() && self.stream.shutdown().await.is_ok() {
            linger(&mut self.stream, PAUSE).await;
        }
    }

    /// What came of a write: an error if none could be done for too long.
    fn taken<T>(
        &mut self,
        cx: &mut Context<'_>,
        outcome: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            if self.stalled.take().is_some() {
                self.place.stalls(false);
            }
            return outcome;
        }
        let Self { place, patience, stalled, .. } = self;
        let timer = stalled.get_or_insert_with(|| {
            place.stalls(true);
            Box::pin(sleep(*patience))
        });
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Reads what a client still sends, within bounds, and drops it.
pub(super) async fn linger(stream: &mut TcpStream, pause: Duration) {
    let mut rest = stream.take(LINGER_BYTES);
    let mut buffer = vec![0; 16 * 1024];
    let read = async {
        // Until the client ends its side, or pauses.
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
        self.taken(cx, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.taken(cx, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper calls it when its own buffer is empty.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(cx);
        if outcome.is_ready() {
            self.place.has_sent();
        }
        outcome
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
