//! Waits on this machine for the browser that comes back from a login.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, REFERRER_POLICY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use reqwest::Url;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::callback::{Expected, Unusable};

/// Where the browser comes back to, if nothing else is set.
const PATH: &str = "/callback";
/// Connections at a time. Browsers open some that they do not use.
const CONNECTIONS: usize = 16;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the browser brought: a code, or why there is none.
pub(super) type Found = Result<String, Unusable>;

/// A port of this machine to which the browser comes back.
pub(super) struct Listener {
    socket: TcpListener,
    pub(super) redirect: Url,
}

impl Listener {
    /// Listens for a redirect that must stay as it is.
    pub(super) async fn at(redirect: &Url) -> Result<Self, String> {
        let host = redirect.host_str().unwrap_or_default().trim_matches(['[', ']']);
        // A name is that of this machine.
        let ip = host.parse().unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        let port = redirect.port().unwrap_or_default();
        let socket = TcpListener::bind(SocketAddr::new(ip, port)).await;
        let socket = socket
            .map_err(|error| format!("The port {port} of the redirect cannot be used: {error}."))?;
        Ok(Self { socket, redirect: redirect.clone() })
    }

    /// Listens on a free port.
    pub(super) async fn anywhere() -> Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("No port can be used: {error}.");
        let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let socket = socket.map_err(|error| failed(&error))?;
        let address = socket.local_addr().map_err(|error| failed(&error))?;
        let redirect = Url::parse(&format!("http://{address}{PATH}"));
        Ok(Self { socket, redirect: redirect.map_err(|error| failed(&error))? })
    }

    /// Sends what browsers bring, until it is dropped. Each is sent after its answer was written.
    pub(super) async fn serve(self, expected: Arc<Expected>, found: mpsc::Sender<Found>) {
        let mut connections = JoinSet::new();
        loop {
            let Ok((stream, _)) = self.socket.accept().await else {
                // No file handle is free, which may be over soon.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            while connections.try_join_next().is_some() {}
            if connections.len() < CONNECTIONS {
                connections.spawn(converse(stream, expected.clone(), found.clone()));
            }
        }
    }
}

/// Answers one request.
async fn converse(stream: TcpStream, expected: Arc<Expected>, found: mpsc::Sender<Found>) {
    let brought = Mutex::new(None);
    let service = service_fn(|request: Request<Incoming>| {
        let answer = match read(&request, &expected) {
            Some(read) => {
                let answer = page(&read);
                *brought.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
                answer
            }
            None => response(StatusCode::NOT_FOUND, "There is nothing here."),
        };
        async { Ok::<_, Infallible>(answer) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // A browser that closes the connection has brought its address all the same.
    let _ = served.await;
    let brought = brought.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(brought) = brought {
        // The login may have ended.
        let _ = found.send(brought).await;
    }
}

/// What a request brings; `None` if it is none for the redirect. A page of another host cannot send one: its requests have
/// another `Host`.
fn read(request: &Request<Incoming>, expected: &Expected) -> Option<Found> {
    let redirect = &expected.redirect;
    let authority = redirect.as_str().strip_prefix("http://")?.split('/').next()?;
    let host = request.headers().get(HOST)?.to_str().ok()?;
    let is_ours = request.method() == Method::GET
        && host.eq_ignore_ascii_case(authority)
        && request.uri().path() == redirect.path();
    let mut url = redirect.clone();
    url.set_query(request.uri().query());
    is_ours.then(|| expected.read(&url))
}

fn page(found: &Found) -> Response<String> {
    match found {
        Ok(_) => response(
            StatusCode::OK,
            "Done. Toolwrit goes on in the terminal; you can close this page.",
        ),
        Err(Unusable::Other(_)) => response(
            StatusCode::BAD_REQUEST,
            "This is not the answer to the login that waits here. The terminal says more.",
        ),
        Err(Unusable::Ended(_)) => {
            response(StatusCode::OK, "The login did not succeed. The terminal says why.")
        }
    }
}

fn response(status: StatusCode, text: &str) -> Response<String> {
    let mut response = Response::new(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Toolwrit</title><p>{text}</p></html>\n"
    ));
    *response.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        // The address has the code.
        (REFERRER_POLICY, "no-referrer"),
    ] {
        response.headers_mut().insert(name, hyper::header::HeaderValue::from_static(value));
    }
    response
}
