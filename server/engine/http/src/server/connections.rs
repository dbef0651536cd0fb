//! Accepts a bounded number of connections, serves HTTP/1.1 on them, and closes them without losing answers.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use axum::http::HeaderValue;
use axum::http::header::CONNECTION;
use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::drain::{Drain, Interrupted};
use super::slots::{ConnectionSlot, ConnectionSlots, Full, SlotGuard};
use super::wire::{Wire, linger};
use super::{HttpLimits, body, descriptors};
use toolwrit_mcp::signals::Signals;

/// Pause after a failed `accept`. The usual cause is a lack of file descriptors, which may pass.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// While stopping: time for a client to send the rest of its body, and to read its answer.
const STOP_PATIENCE: Duration = Duration::from_secs(2);
/// Number of excess connections that get a 503 at once; further ones are dropped.
const MAX_REJECTING: usize = 64;
/// Time to send that 503.
const REJECT_TIME: Duration = Duration::from_secs(1);
const BUSY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\
    retry-after: 1\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n\
    {\"error\":{\"message\":\"all connections are in use\"}}";

/// Serves until the first signal and for the delay after it, then drains.
///
/// # Errors
/// If a second signal arrives before all answers are sent.
pub(super) async fn serve(
    listener: TcpListener,
    service: impl RequestHandler,
    limits: HttpLimits,
    drain: Drain,
    mut signals: Signals,
) -> Result<(), Interrupted> {
    let open = OpenConnections::new(limits, drain.clone());
    let stopped = async {
        signals.next().await;
        if limits.drain_delay.is_zero() {
            return Ok(());
        }
        drain.announce();
        tokio::select! {
            () = tokio::time::sleep(limits.drain_delay) => Ok(()),
            () = signals.next() => Err(Interrupted::AskedTwice),
        }
    };
    tokio::select! {
        () = open.accept(&listener, &service) => {}
        stopped = stopped => stopped?,
    }
    drop(listener);
    drain.begin();
    tokio::select! {
        () = open.end() => Ok(()),
        () = signals.next() => Err(Interrupted::AskedTwice),
    }
}

struct OpenConnections {
    limits: HttpLimits,
    drain: Drain,
    slots: Arc<ConnectionSlots>,
    /// More than there are slots: a connection that was asked to leave needs a moment.
    accepting: Arc<Semaphore>,
    rejecting: Arc<Semaphore>,
    tasks: TaskTracker,
    /// When cancelled, each connection closes after its current answer.
    closing: CancellationToken,
}

impl OpenConnections {
    fn new(limits: HttpLimits, drain: Drain) -> Self {
        let most = descriptors::allowed_connections(limits.connections);
        Self {
            limits,
            drain,
            slots: ConnectionSlots::new(most, limits.held_bytes),
            accepting: Arc::new(Semaphore::new(most + most / 4 + 1)),
            rejecting: Arc::new(Semaphore::new(MAX_REJECTING)),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        }
    }

    async fn accept(&self, listener: &TcpListener, service: &impl RequestHandler) {
        loop {
            let Ok(permit) = self.accepting.clone().acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, peer)) => self.admit(stream, peer, service, permit),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    self.slots.free_one();
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    fn admit(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        service: &impl RequestHandler,
        permit: OwnedSemaphorePermit,
    ) {
        match self.slots.take(peer.ip()) {
            Ok(taken) => {
                let closing = self.closing.clone();
                let (slot, drain) = (taken.slot().clone(), self.drain.clone());
                let service = SlotService { slot, drain, service: service.clone() };
                let connection = connection(stream, service, self.limits, taken, closing);
                self.tasks.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(Full) => {
                if let Ok(permit) = self.rejecting.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        reject(stream).await;
                        drop(permit);
                    });
                }
            }
        }
    }

    /// Closes all connections, after requests in flight have been answered.
    async fn end(&self) {
        let answered = async {
            // Keep connections open until then, so that no client writes to one that is closing.
            let mut clock = tokio::time::interval(STOP_PATIENCE);
            let mut complete = std::pin::pin!(self.drain.complete());
            loop {
                tokio::select! {
                    () = &mut complete => return,
                    _ = clock.tick() => self.slots.end_slow(STOP_PATIENCE),
                }
            }
        };
        if tokio::time::timeout(self.limits.drain_time, answered).await.is_err() {
            tracing::warn!("stopped with requests still in flight");
        }
        self.closing.cancel();
        self.tasks.close();
        // Do not wait for clients that still read nothing of their answer.
        let _ = tokio::time::timeout(STOP_PATIENCE, self.tasks.wait()).await;
    }
}

async fn reject(mut stream: TcpStream) {
    let response = async {
        if stream.write_all(BUSY).await.is_ok() && stream.shutdown().await.is_ok() {
            linger(&mut stream, REJECT_TIME).await;
        }
    };
    let _ = tokio::time::timeout(REJECT_TIME, response).await;
}

/// Answers the requests of a connection one after another.
pub(super) trait RequestHandler: Clone + Send + Unpin + 'static {
    /// Answers a request that arrived over the connection of this slot.
    fn answer(
        self,
        request: Request<Body>,
        slot: ConnectionSlot,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send;
}

/// Serves one connection, as long as it has its slot.
async fn connection<S: RequestHandler>(
    stream: TcpStream,
    service: SlotService<S>,
    limits: HttpLimits,
    taken: SlotGuard,
    closing: CancellationToken,
) {
    // Without TCP_NODELAY, small answers on a kept-alive connection are delayed by tens of milliseconds.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let slot = taken.slot();
    let wire = Wire::new(stream, slot.clone(), limits.write_time);
    let mut http = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(wire), service);
    let served = async {
        let end = tokio::select! {
            end = poll_fn(|cx| http.poll_without_shutdown(cx)) => end,
            () = closing.cancelled() => {
                Pin::new(&mut http).graceful_shutdown();
                poll_fn(|cx| http.poll_without_shutdown(cx)).await
            }
        };
        match end {
            Ok(()) => http.into_parts().io.into_inner().close().await,
            Err(error) => tracing::debug!(%error, "a connection failed"),
        }
    };
    let mut served = std::pin::pin!(served);
    loop {
        tokio::select! {
            () = &mut served => return,
            () = slot.asked() => {}
        }
        // Let the connection read what the socket has received, before deciding whether it is idle.
        tokio::select! {
            biased;
            () = &mut served => return,
            () = tokio::task::yield_now() => {}
        }
        if slot.leaves() {
            tracing::debug!("closed an idle connection to free its place");
            return;
        }
    }
}

/// The service of one connection, together with its slot.
struct SlotService<S> {
    slot: ConnectionSlot,
    drain: Drain,
    service: S,
}

impl<S: RequestHandler> Service<Request<Incoming>> for SlotService<S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let Self { slot, drain, service } = self;
        let (slot, drain, service) = (slot.clone(), drain.clone(), service.clone());
        Box::pin(async move {
            let work = slot.begin(!request.body().is_end_stream());
            let mut response = service.answer(request.map(Body::new), slot).await?;
            if drain.sends_elsewhere() {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            if let Some(bytes) = response.body().size_hint().exact() {
                work.answers(usize::try_from(bytes).unwrap_or(usize::MAX));
            }
            Ok(response.map(|body| body::hold_until_sent(body, work)))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::net::SocketAddr;
    use std::time::Duration;

    use axum::Router;
    use axum::body::Body;
    use axum::response::Response;
    use axum::routing::get;
    use futures::{StreamExt as _, stream};
    use hyper::Request;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tower::ServiceExt as _;

    use super::{ConnectionSlot, Drain, HttpLimits, OpenConnections, RequestHandler};

    /// Far more than the system buffers for a client that reads nothing.
    const LARGE: usize = 64 * 1024 * 1024;

    impl RequestHandler for Router {
        async fn answer(
            self,
            request: Request<Body>,
            _: ConnectionSlot,
        ) -> Result<Response, Infallible> {
            self.oneshot(request).await
        }
    }

    /// A body that never ends.
    async fn endless() -> Body {
        let begin = stream::once(async { Ok::<_, Infallible>("begun") });
        Body::from_stream(begin.chain(stream::pending()))
    }

    /// Runs `client` against a server with these limits.
    async fn with<T>(limits: HttpLimits, client: impl AsyncFnOnce(SocketAddr) -> T) -> T {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(async || "here"))
            .route("/endless", get(endless))
            .route("/large", get(async || vec![b' '; LARGE]));
        let open = OpenConnections::new(limits, Drain::default());
        tokio::select! {
            () = open.accept(&listener, &router) => unreachable!("`accept` never returns"),
            outcome = client(address) => outcome,
        }
    }

    async fn connect(address: SocketAddr) -> TcpStream {
        TcpStream::connect(address).await.unwrap()
    }

    /// Sends a request and returns the beginning of the status line.
    async fn ask(stream: &mut TcpStream, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        String::from_utf8(answer.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_slow_request_head_closes_its_connection() {
        let limits = HttpLimits { head_time: Duration::from_millis(50), ..HttpLimits::default() };
        with(limits, async |address| {
            let mut slow = connect(address).await;
            slow.write_all(b"GET / HTTP/1.1\r\nho").await.unwrap();
            let mut rest = Vec::new();
            // Either end of file or a reset.
            let _ = slow.read_to_end(&mut rest).await;
            assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn an_unread_answer_closes_its_connection() {
        let limits = HttpLimits { write_time: Duration::from_millis(50), ..HttpLimits::default() };
        with(limits, async |address| {
            let mut stalled = connect(address).await;
            ask(&mut stalled, "/large").await;
            // Writing fails once the server has dropped the connection.
            while stalled.write_all(b"GET / HTTP/1.1\r\n").await.is_ok() {
                ask(&mut connect(address).await, "/").await;
            }
        })
        .await;
    }

    #[tokio::test]
    async fn a_new_connection_at_the_limit_replaces_an_idle_one() {
        let limits = HttpLimits { connections: 1, ..HttpLimits::default() };
        with(limits, async |address| {
            let mut idle = connect(address).await;
            assert_eq!(ask(&mut idle, "/").await, "HTTP/1.1 200");
            assert_eq!(ask(&mut connect(address).await, "/").await, "HTTP/1.1 200");
            let mut rest = Vec::new();
            let _ = idle.read_to_end(&mut rest).await;
        })
        .await;
    }

    #[tokio::test]
    async fn a_new_connection_at_the_limit_gets_503_if_all_are_busy() {
        let limits = HttpLimits { connections: 1, ..HttpLimits::default() };
        with(limits, async |address| {
            let mut busy = connect(address).await;
            assert_eq!(ask(&mut busy, "/endless").await, "HTTP/1.1 200");
            let mut response = String::new();
            connect(address).await.read_to_string(&mut response).await.unwrap();
            let (head, body) = response.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
            assert!(head.contains(&format!("content-length: {}", body.len())), "{response}");
            drop(busy);
            while ask(&mut connect(address).await, "/").await != "HTTP/1.1 200" {}
        })
        .await;
    }
}
