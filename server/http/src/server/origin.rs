//! Where a request was sent, and from which page: the headers `Host`, `Origin` and `Sec-Fetch-Site`. A
//! page in a browser can reach servers on the same machine; without this check, any page could, by a
//! name that it makes point here (DNS rebinding), or by an image whose address is here, for which no
//! browser sends `Origin`.
//!
//! The [specification] asks for 403 when `Origin` is not allowed; the others are answered alike. What
//! browsers say of a request besides is [fetch metadata].
//!
//! [fetch metadata]: https://www.w3.org/TR/fetch-metadata/
//! [specification]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

use std::net::IpAddr;
use std::str::FromStr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::refusal::Refusal;

/// The names of this machine for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// A name or address under which the server is called: `example.com`, `example.com:8080`, `[::1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// In lower case, an IPv6 address without brackets.
    name: String,
    port: Option<u16>,
}

/// A page's origin, after RFC 6454: `https://example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: Host,
}

/// Text that is no host, or no origin.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub enum Malformed {
    #[error("expected a host such as `example.com` or `example.com:8080`")]
    Host,
    #[error("expected an origin such as `https://example.com`")]
    Origin,
}

impl FromStr for Host {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self::at(address));
        }
        let authority = Authority::from_str(text).map_err(|_| Malformed::Host)?;
        if authority.as_str().contains('@') {
            return Err(Malformed::Host);
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        // What the library does not take for a port, it leaves without a word.
        let port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        let is_port = port.is_empty() || authority.port_u16().is_some();
        if name.is_empty() || !is_port {
            return Err(Malformed::Host);
        }
        Ok(Self { name: name.to_ascii_lowercase(), port: authority.port_u16() })
    }
}

impl Host {
    fn at(address: IpAddr) -> Self {
        Self { name: address.to_string(), port: None }
    }

    /// Without a port it stands for all ports.
    fn covers(&self, other: &Self) -> bool {
        self.name == other.name && (self.port.is_none() || self.port == other.port)
    }

    fn is_loopback(&self) -> bool {
        LOOPBACK.contains(&self.name.as_str())
    }
}

impl FromStr for Origin {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (scheme, host) = text.split_once("://").ok_or(Malformed::Origin)?;
        let mut host: Host = host.parse().map_err(|_| Malformed::Origin)?;
        let scheme = scheme.to_ascii_lowercase();
        host.port = host.port.or(match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        Ok(Self { scheme, host })
    }
}

/// Where requests may come to, and from which pages.
#[derive(Debug)]
pub struct Sources {
    hosts: Vec<Host>,
    origins: Vec<Origin>,
    /// Pages of this machine, from any port, while only this machine can connect.
    local_pages: bool,
}

impl Sources {
    /// For a server bound to this address: the machine's names for itself, the address, and what
    /// the operator adds.
    pub fn new(bound: IpAddr, mut hosts: Vec<Host>, origins: Vec<Origin>) -> Self {
        let own = LOOPBACK.map(|name| Host { name: name.to_owned(), port: None });
        hosts.extend(own);
        if !bound.is_unspecified() {
            hosts.push(Host::at(bound));
        }
        Self { hosts, origins, local_pages: bound.is_loopback() }
    }

    /// Refuses what was not sent to this server, or by a page that may not.
    ///
    /// # Errors
    /// 400 for a host that is none, 403 for one that is another's, and for pages of other origins.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let mut values = request.headers().get_all(HOST).iter();
        let (value, more) = (values.next(), values.next());
        let host = value.filter(|_| more.is_none()).and_then(|value| value.to_str().ok());
        let host: Host = host.and_then(|text| text.parse().ok()).ok_or_else(|| {
            Refusal::new(StatusCode::BAD_REQUEST, "a request needs one well-formed Host header")
        })?;
        // A request line may hold a whole address, which then counts beside the header.
        let line = request.uri().authority().map(Authority::as_str);
        let line: Option<Host> = line.map(str::parse).transpose().map_err(|_| {
            Refusal::new(StatusCode::BAD_REQUEST, "the request line names no well-formed host")
        })?;
        if let Some(host) =
            [Some(&host), line.as_ref()].into_iter().flatten().find(|host| !self.is_ours(host))
        {
            let name: String = host.name.chars().take(100).collect();
            let message = format!("this server is not called `{name}`");
            return Err(Refusal::new(StatusCode::FORBIDDEN, message)
                .hinting("The operator can allow the name with --allowed-host."));
        }
        let mut origins = request.headers().get_all(ORIGIN).iter();
        let allowed = origins.all(|value| {
            let origin = value.to_str().ok().and_then(|text| text.parse().ok());
            origin.is_some_and(|origin| self.admits(&origin))
        });
        if !allowed {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "pages of this origin may not use this server",
            )
            .hinting("The operator can allow the origin with --allowed-origin."));
        }
        let is_named = request.headers().contains_key(ORIGIN);
        if !is_named && is_of_other_site(request.headers()) && !is_visit(request) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "pages of other sites may not use this server",
            )
            .hinting(
                "The operator can allow an origin with --allowed-origin, and its pages then \
                      fetch with `mode: \"cors\"`.",
            ));
        }
        Ok(())
    }

    fn is_ours(&self, host: &Host) -> bool {
        self.hosts.iter().any(|own| own.covers(host))
    }

    fn admits(&self, origin: &Origin) -> bool {
        let local = self.local_pages && origin.host.is_loopback();
        local || self.origins.contains(origin)
    }
}

/// Whether a browser says that a page of another site asks, or one of another host of the same site.
/// What is no browser says nothing.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    let own = |site: &HeaderValue| site == "same-origin" || site == "none";
    !headers.get_all("sec-fetch-site").iter().all(own)
}

/// Whether somebody follows a link to the documentation: the page goes to them, and the one that has the
/// link learns nothing of it.
fn is_visit(request: &Request) -> bool {
    let says = |name: &str, value: &str| request.headers().get(name).is_some_and(|v| v == value);
    let path = request.uri().path();
    let is_page = path == "/docs" || path.starts_with("/docs/") && path != "/docs/search";
    is_page
        && request.method() == Method::GET
        && says("sec-fetch-mode", "navigate")
        && says("sec-fetch-dest", "document")
}
