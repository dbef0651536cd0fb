//! One HTTP request to an address that may be reached.

use std::io::{self, Read as _};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolwrit_network::{Network, is_allowed};
use ureq::config::Config;
use ureq::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderName, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{DefaultConnector, NextTimeout};
use ureq::{Agent, Body};
use url::Url;

use crate::error::WebError;

const USER_AGENT: &str =
    concat!("toolwrit/", env!("CARGO_PKG_VERSION"), " (+", env!("CARGO_PKG_REPOSITORY"), ")");
const ACCEPTED: &str =
    "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, */*;q=0.5";
/// Bytes that are read between two checks of whether the call is cancelled.
const PIECE: usize = 64 * 1024;

/// When a fetch must end.
pub(crate) struct Limits<'a> {
    pub(crate) deadline: Instant,
    /// Returns `true` if the call is cancelled.
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

impl Limits<'_> {
    /// # Errors
    /// [`WebError::Cancelled`] or [`WebError::Timeout`].
    pub(crate) fn check(&self, url: &Url) -> Result<(), WebError> {
        if (self.is_cancelled)() {
            return Err(WebError::Cancelled);
        }
        if Instant::now() < self.deadline {
            Ok(())
        } else {
            Err(WebError::Timeout { host: host(url) })
        }
    }

    fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }
}

/// Sends requests. Follows no redirects.
pub(crate) struct Client(Agent);

/// The head of a response, and its body, which is not read yet.
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: HeaderMap,
    body: Body,
}

impl Client {
    pub(crate) fn new(allowed: Vec<Network>) -> Self {
        Self::with_resolver(allowed, DefaultResolver::default())
    }

    fn with_resolver(allowed: Vec<Network>, names: impl Resolver) -> Self {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .user_agent(USER_AGENT)
            .http_status_as_error(false)
            .max_redirects(0)
            // A proxy would resolve the name again.
            .proxy(None)
            // Each request resolves its name, and connects to one of its addresses.
            .max_idle_connections(0)
            .build();
        let resolver = CheckedResolver { names: Arc::new(names), allowed };
        Self(Agent::with_parts(config, DefaultConnector::default(), resolver))
    }

    /// Sends a request and reads the head of the response.
    ///
    /// # Errors
    /// If the host may not or cannot be reached, or the time is over.
    pub(crate) fn get(&self, url: &Url, limits: &Limits<'_>) -> Result<Response, WebError> {
        limits.check(url)?;
        let request = self.0.get(url.as_str()).header(ACCEPT, ACCEPTED);
        let request = request.config().timeout_global(Some(limits.remaining())).build();
        let (head, body) = request.call().map_err(|error| to_web_error(url, error))?.into_parts();
        Ok(Response { status: head.status.as_u16(), headers: head.headers, body })
    }
}

impl Response {
    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn content_type(&self) -> Option<&str> {
        self.header(&CONTENT_TYPE)
    }

    /// Where a redirect leads.
    pub(crate) fn location(&self) -> Option<&str> {
        self.header(&LOCATION)
    }

    /// Whether the response may be kept.
    pub(crate) fn may_be_cached(&self) -> bool {
        let directives = self.header(&CACHE_CONTROL).unwrap_or_default().to_ascii_lowercase();
        !directives.split(',').any(|directive| directive.trim() == "no-store")
    }

    /// The seconds after which the server wants to be asked again.
    pub(crate) fn retry_after(&self) -> Option<u32> {
        self.header(&RETRY_AFTER)?.trim().parse().ok()
    }

    /// Reads the body, decompressed, up to a number of bytes. Tells whether that was all.
    ///
    /// # Errors
    /// If the connection fails or the time is over.
    pub(crate) fn read(
        self,
        limit: u64,
        url: &Url,
        limits: &Limits<'_>,
    ) -> Result<(Vec<u8>, bool), WebError> {
        let mut reader = self.body.into_reader().take(limit + 1);
        let mut bytes = Vec::new();
        loop {
            limits.check(url)?;
            let mut piece = reader.by_ref().take(PIECE as u64);
            let read =
                piece.read_to_end(&mut bytes).map_err(|error| to_web_error(url, error.into()))?;
            if read == 0 {
                break;
            }
        }
        let is_whole = bytes.len() as u64 <= limit;
        bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok((bytes, is_whole))
    }
}

/// Resolves names to the addresses that may be reached.
#[derive(Debug)]
struct CheckedResolver {
    names: Arc<dyn Resolver>,
    allowed: Vec<Network>,
}

/// No address of the host may be reached; this is one of them.
#[derive(Debug, thiserror::Error)]
#[error("{0} may not be reached")]
struct Forbidden(IpAddr);

impl Resolver for CheckedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        let mut allowed = self.empty();
        for address in found.iter().filter(|found| is_allowed(found.ip(), &self.allowed)) {
            allowed.push(*address);
        }
        match found.first() {
            Some(first) if allowed.is_empty() => {
                Err(ureq::Error::Other(Box::new(Forbidden(first.ip()))))
            }
            _ => Ok(allowed),
        }
    }
}

/// The host of a URL, for messages.
pub(crate) fn host(url: &Url) -> String {
    url.host_str().unwrap_or_default().to_owned()
}

fn to_web_error(url: &Url, error: ureq::Error) -> WebError {
    let host = host(url);
    let unreachable =
        |reason: &str| WebError::Unreachable { host: host.clone(), reason: reason.to_owned() };
    match error {
        ureq::Error::Other(error) => match error.downcast_ref() {
            Some(Forbidden(address)) => WebError::NotPublic { host, address: *address },
            None => unreachable("the request failed"),
        },
        ureq::Error::Timeout(_) => WebError::Timeout { host },
        ureq::Error::HostNotFound => unreachable("there is no such host"),
        ureq::Error::Io(error) => match error.downcast::<ureq::Error>() {
            Ok(error) => to_web_error(url, error),
            Err(error) => io_to_web_error(url, &error),
        },
        ureq::Error::Rustls(error) => unreachable(&format!("TLS failed: {error}")),
        ureq::Error::Tls(reason) => unreachable(&format!("TLS failed: {reason}")),
        ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
            unreachable("its answer is not valid HTTP")
        }
        other => unreachable(&other.to_string()),
    }
}

fn io_to_web_error(url: &Url, error: &io::Error) -> WebError {
    let host = host(url);
    let reason = match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => return WebError::Timeout { host },
        io::ErrorKind::ConnectionRefused => "the connection is refused".to_owned(),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
            "the connection ended before the page did".to_owned()
        }
        _ => error.to_string(),
    };
    WebError::Unreachable { host, reason }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, SocketAddr, TcpListener};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use ureq::config::Config;
    use ureq::http::Uri;
    use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
    use ureq::unversioned::transport::NextTimeout;
    use url::Url;

    use super::{Client, Limits};
    use crate::WebError;

    /// Resolves every name to these addresses, and then to others.
    #[derive(Debug)]
    struct Rebinding {
        first: Vec<SocketAddr>,
        later: SocketAddr,
        asked: Arc<AtomicUsize>,
    }

    impl Resolver for Rebinding {
        fn resolve(
            &self,
            _: &Uri,
            _: &Config,
            _: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let mut found = self.empty();
            if self.asked.fetch_add(1, Ordering::SeqCst) == 0 {
                self.first.iter().for_each(|address| found.push(*address));
            } else {
                found.push(self.later);
            }
            Ok(found)
        }
    }

    fn listener(ip: &str) -> TcpListener {
        TcpListener::bind((ip, 0)).unwrap()
    }

    fn get(client: &Client, limits: &Limits<'_>) -> Result<u16, WebError> {
        let url: Url = "http://name.example/".parse().unwrap();
        client.get(&url, limits).map(|response| response.status)
    }

    #[test]
    fn a_name_is_resolved_once_for_the_check_and_the_connection() {
        let (allowed, forbidden) = (listener("127.0.0.1"), listener("127.0.0.2"));
        forbidden.set_nonblocking(true).unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let names = Rebinding {
            // The connection must skip the first address.
            first: vec![forbidden.local_addr().unwrap(), allowed.local_addr().unwrap()],
            later: forbidden.local_addr().unwrap(),
            asked: Arc::clone(&asked),
        };
        let client = Client::with_resolver(vec!["127.0.0.1".parse().unwrap()], names);
        let server = std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _) = allowed.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        });
        let limits =
            Limits { deadline: Instant::now() + Duration::from_secs(30), is_cancelled: &|| false };
        assert_eq!(get(&client, &limits), Ok(204));
        server.join().unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        let address: IpAddr = "127.0.0.2".parse().unwrap();
        let host = "name.example".to_owned();
        assert_eq!(get(&client, &limits), Err(WebError::NotPublic { host, address }));
        assert!(
            forbidden.accept().is_err(),
            "nothing may connect to an address that is not allowed"
        );
    }
}
