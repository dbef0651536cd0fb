//! Sockets: accepted in bounded number, served as HTTP/1.1, and ended without cutting anybody off.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::Limits;
use super::drain::{Drain, Interrupted};
use crate::transport::signals::Signals;

/// After a failure to accept, which is mostly a lack of file descriptors, others may end first.
const BREATH: Duration = Duration::from_millis(100);

/// Serves until the first signal, then drains.
///
/// # Errors
/// When a second signal comes before that is done.
pub(super) async fn serve(
    listener: TcpListener,
    service: impl Answers,
    limits: Limits,
    drain: Drain,
    mut signals: Signals,
) -> Result<(), Interrupted> {
    let open = GracefulShutdown::new();
    tokio::select! {
        () = accept(&listener, &service, limits, &open) => {}
        () = signals.next() => {}
    }
    drop(listener);
    drain.begin();
    let end = async {
        // Connections stay open until then, so that nobody writes into one that is being closed.
        drain.complete().await;
        open.shutdown().await;
    };
    tokio::select! {
        ended = tokio::time::timeout(limits.drain_time, end) => {
            if ended.is_err() {
                tracing::warn!("stopped with requests still in flight");
            }
            Ok(())
        }
        () = signals.next() => Err(Interrupted::AskedTwice),
    }
}

async fn accept(
    listener: &TcpListener,
    service: &impl Answers,
    limits: Limits,
    open: &GracefulShutdown,
) {
    let slots = Arc::new(Semaphore::new(limits.connections));
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let connection = connection(stream, service.clone(), limits);
                let connection = open.watch(connection);
                tokio::spawn(async move {
                    if let Err(error) = connection.await {
                        tracing::debug!(%error, "a connection broke");
                    }
                    drop(slot);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

/// Answers the requests of one connection after the other.
pub(super) trait Answers:
    Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send>
    + Clone
    + Send
    + 'static
{
}

impl<S> Answers for S where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}

fn connection<S: Answers>(
    stream: TcpStream,
    service: S,
    limits: Limits,
) -> http1::Connection<TokioIo<TcpStream>, S> {
    // Without it, small answers on a kept connection wait tens of milliseconds.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(stream), service)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::Router;
    use axum::routing::get;
    use hyper_util::service::TowerToHyperService;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::{GracefulShutdown, Limits, accept};

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";

    /// Runs `client` against a server of these limits.
    async fn with<T>(limits: Limits, client: impl AsyncFnOnce(TcpStream, TcpStream) -> T) -> T {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get(async || "here"));
        let router = TowerToHyperService::new(router);
        let first = TcpStream::connect(address).await.unwrap();
        let second = TcpStream::connect(address).await.unwrap();
        let open = GracefulShutdown::new();
        tokio::select! {
            () = accept(&listener, &router, limits, &open) => unreachable!("it accepts for ever"),
            outcome = client(first, second) => outcome,
        }
    }

    #[tokio::test]
    async fn a_head_that_takes_too_long_ends_its_connection() {
        let limits = Limits { head_time: Duration::from_millis(50), ..Limits::default() };
        with(limits, async |mut slow, _| {
            slow.write_all(&REQUEST[..20]).await.unwrap();
            let mut rest = Vec::new();
            // The end of the connection, or its reset.
            let _ = slow.read_to_end(&mut rest).await;
            assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn connections_beyond_the_bound_wait_for_their_turn() {
        let limits = Limits { connections: 1, ..Limits::default() };
        with(limits, async |mut first, mut second| {
            let mut answer = [0; 12];
            first.write_all(REQUEST).await.unwrap();
            first.read_exact(&mut answer).await.unwrap();
            second.write_all(REQUEST).await.unwrap();
            let early = tokio::time::timeout(Duration::from_millis(50), second.read_u8()).await;
            assert!(early.is_err(), "the second was served beside the first");
            drop(first);
            second.read_exact(&mut answer).await.unwrap();
            assert_eq!(&answer, b"HTTP/1.1 200");
        })
        .await;
    }
}
