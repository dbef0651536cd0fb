//! Sockets: accepted in bounded number, served as HTTP/1.1, and ended without cutting anybody off.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
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
use super::places::{Full, Place, RequestPlaces, Taken};
use super::wire::{Wire, linger};
use super::{HttpLimits, body, descriptors};
use toolwrit_mcp::signals::Signals;

/// After a failure to accept, which is mostly a lack of file descriptors, others may end first.
const BREATH: Duration = Duration::from_millis(100);
/// When the server stops, for a client to send the rest of its body, and to take its answer.
const HURRY: Duration = Duration::from_secs(2);
/// Connections that are told at once that there is no place for them, and for how long.
const TURNED_AWAY: usize = 64;
const FAREWELL: Duration = Duration::from_secs(1);
const NO_PLACE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\n\
    retry-after: 1\r\ncontent-type: application/json\r\ncontent-length: 55\r\n\r\n\
    {\"error\":{\"message\":\"all connections are at work now\"}}";

/// Serves until the first signal, then drains.
///
/// # Errors
/// When a second signal comes before that is done.
pub(super) async fn serve(
    listener: TcpListener,
    service: impl RequestHandler,
    limits: HttpLimits,
    drain: Drain,
    mut signals: Signals,
) -> Result<(), Interrupted> {
    let open = OpenConnections::new(limits);
    tokio::select! {
        () = open.accept(&listener, &service) => {}
        () = signals.next() => {}
    }
    drop(listener);
    drain.begin();
    tokio::select! {
        () = open.end(&drain) => Ok(()),
        () = signals.next() => Err(Interrupted::AskedTwice),
    }
}

/// The connections that are open.
struct OpenConnections {
    limits: HttpLimits,
    places: Arc<RequestPlaces>,
    /// More than places: who was asked to leave needs a moment.
    slots: Arc<Semaphore>,
    turned_away: Arc<Semaphore>,
    tasks: TaskTracker,
    /// Each ends with the answer that it is at.
    closing: CancellationToken,
}

impl OpenConnections {
    fn new(limits: HttpLimits) -> Self {
        let most = descriptors::room(limits.connections);
        Self {
            limits,
            places: RequestPlaces::new(most, limits.held_bytes),
            slots: Arc::new(Semaphore::new(most + most / 4 + 1)),
            turned_away: Arc::new(Semaphore::new(TURNED_AWAY)),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        }
    }

    async fn accept(&self, listener: &TcpListener, service: &impl RequestHandler) {
        loop {
            let Ok(slot) = self.slots.clone().acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, peer)) => self.admit(stream, peer, service, slot),
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    self.places.make_room();
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
    }

    fn admit(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        service: &impl RequestHandler,
        slot: OwnedSemaphorePermit,
    ) {
        match self.places.take(peer.ip()) {
            Ok(taken) => {
                let closing = self.closing.clone();
                let connection = connection(stream, service.clone(), self.limits, taken, closing);
                self.tasks.spawn(async move {
                    connection.await;
                    drop(slot);
                });
            }
            Err(Full) => {
                if let Ok(permit) = self.turned_away.clone().try_acquire_owned() {
                    tokio::spawn(async move {
                        turn_away(stream).await;
                        drop(permit);
                    });
                }
            }
        }
    }

    /// Ends what is open, once what is in flight has been answered.
    async fn end(&self, drain: &Drain) {
        let answered = async {
            // Connections stay open until then, so that nobody writes into one that is being closed.
            let mut clock = tokio::time::interval(HURRY);
            let mut complete = std::pin::pin!(drain.complete());
            loop {
                tokio::select! {
                    () = &mut complete => return,
                    _ = clock.tick() => self.places.end_slow(HURRY),
                }
            }
        };
        if tokio::time::timeout(self.limits.drain_time, answered).await.is_err() {
            tracing::warn!("stopped with requests still in flight");
        }
        self.closing.cancel();
        self.tasks.close();
        // Who still takes nothing of its answer is not waited for.
        let _ = tokio::time::timeout(HURRY, self.tasks.wait()).await;
    }
}

async fn turn_away(mut stream: TcpStream) {
    let told = async {
        if stream.write_all(NO_PLACE).await.is_ok() && stream.shutdown().await.is_ok() {
            linger(&mut stream, FAREWELL).await;
        }
    };
    let _ = tokio::time::timeout(FAREWELL, told).await;
}

/// Answers the requests of one connection after the other.
pub(super) trait RequestHandler: Clone + Send + Unpin + 'static {
    /// Answers a request that came over the connection of this place.
    fn answer(
        self,
        request: Request<Body>,
        place: Place,
    ) -> impl Future<Output = Result<Response, Infallible>> + Send;
}

/// Serves one connection, as long as it has its place.
async fn connection<S: RequestHandler>(
    stream: TcpStream,
    service: S,
    limits: HttpLimits,
    taken: Taken,
    closing: CancellationToken,
) {
    // Without it, small answers on a kept connection wait tens of milliseconds.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "cannot set TCP_NODELAY");
    }
    let place = taken.place();
    let wire = Wire::new(stream, place.clone(), limits.write_time);
    let placed = Placed { place: place.clone(), service };
    let mut http = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_buf_size(limits.head_bytes)
        .serve_connection(TokioIo::new(wire), placed);
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
            Err(error) => tracing::debug!(%error, "a connection broke"),
        }
    };
    let mut served = std::pin::pin!(served);
    loop {
        tokio::select! {
            () = &mut served => return,
            () = place.asked() => {}
        }
        // News of the socket is fetched before this goes on, and read here.
        tokio::select! {
            biased;
            () = &mut served => return,
            () = tokio::task::yield_now() => {}
        }
        if place.leaves() {
            tracing::debug!("a connection made room for another");
            return;
        }
    }
}

/// A service for one connection, which knows the place of that.
struct Placed<S> {
    place: Place,
    service: S,
}

impl<S: RequestHandler> Service<Request<Incoming>> for Placed<S> {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (place, service) = (self.place.clone(), self.service.clone());
        Box::pin(async move {
            let work = place.begin(!request.body().is_end_stream());
            let response = service.answer(request.map(Body::new), place).await?;
            if let Some(bytes) = response.body().size_hint().exact() {
                work.answers(usize::try_from(bytes).unwrap_or(usize::MAX));
            }
            Ok(response.map(|body| body::held(body, work)))
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

    use super::{HttpLimits, OpenConnections, Place, RequestHandler};

    /// Far more than the system takes for a client that reads nothing.
    const LARGE: usize = 64 * 1024 * 1024;

    impl RequestHandler for Router {
        async fn answer(self, request: Request<Body>, _: Place) -> Result<Response, Infallible> {
            self.oneshot(request).await
        }
    }

    /// An answer whose end never comes.
    async fn endless() -> Body {
        let begin = stream::once(async { Ok::<_, Infallible>("begun") });
        Body::from_stream(begin.chain(stream::pending()))
    }

    /// Runs `client` against a server of these limits.
    async fn with<T>(limits: HttpLimits, client: impl AsyncFnOnce(SocketAddr) -> T) -> T {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(async || "here"))
            .route("/endless", get(endless))
            .route("/large", get(async || vec![b' '; LARGE]));
        let open = OpenConnections::new(limits);
        tokio::select! {
            () = open.accept(&listener, &router) => unreachable!("it accepts for ever"),
            outcome = client(address) => outcome,
        }
    }

    async fn connect(address: SocketAddr) -> TcpStream {
        TcpStream::connect(address).await.unwrap()
    }

    /// The first line of the answer to this request.
    async fn ask(stream: &mut TcpStream, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        String::from_utf8(answer.to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_head_that_takes_too_long_ends_its_connection() {
        let limits = HttpLimits { head_time: Duration::from_millis(50), ..HttpLimits::default() };
        with(limits, async |address| {
            let mut slow = connect(address).await;
            slow.write_all(b"GET / HTTP/1.1\r\nho").await.unwrap();
            let mut rest = Vec::new();
            // The end of the connection, or its reset.
            let _ = slow.read_to_end(&mut rest).await;
            assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
        })
        .await;
    }

    #[tokio::test]
    async fn an_answer_that_nobody_takes_ends_its_connection() {
        let limits = HttpLimits { write_time: Duration::from_millis(50), ..HttpLimits::default() };
        with(limits, async |address| {
            let mut deaf = connect(address).await;
            ask(&mut deaf, "/large").await;
            // It is let go before it has read on: what it sends then goes nowhere.
            while deaf.write_all(b"GET / HTTP/1.1\r\n").await.is_ok() {
                ask(&mut connect(address).await, "/").await;
            }
        })
        .await;
    }

    #[tokio::test]
    async fn beyond_the_bound_whoever_waits_makes_room() {
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
    async fn where_nobody_can_make_room_a_newcomer_is_told() {
        let limits = HttpLimits { connections: 1, ..HttpLimits::default() };
        with(limits, async |address| {
            let mut busy = connect(address).await;
            assert_eq!(ask(&mut busy, "/endless").await, "HTTP/1.1 200");
            let mut told = String::new();
            connect(address).await.read_to_string(&mut told).await.unwrap();
            let (head, body) = told.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("HTTP/1.1 503 "), "{head}");
            assert!(head.contains(&format!("content-length: {}", body.len())), "{told}");
            drop(busy);
            while ask(&mut connect(address).await, "/").await != "HTTP/1.1 200" {}
        })
        .await;
    }
}
