//! Checks the headers `Host`, `Origin` and `Sec-Fetch-Site`. A page in a browser can reach servers on the
//! same machine. Without this check, any page could use them: through a host name that it points here (DNS
//! rebinding), or through an image URL, for which browsers send no `Origin`.
//!
//! The [specification] asks for 403 if `Origin` is not allowed; the other headers are answered alike.
//! `Sec-Fetch-Site` is part of [fetch metadata].
//!
//! [fetch metadata]: https://www.w3.org/TR/fetch-metadata/
//! [specification]: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

use std::net::IpAddr;
use std::str::FromStr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use toolwrit_text::shorten;

use super::refusal::Refusal;

/// Names of the loopback interface.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// A host name or address of the server: `example.com`, `example.com:8080`, `[::1]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// In lower case; an IPv6 address without brackets.
    name: String,
    port: Option<u16>,
}

/// The origin of a page, after RFC 6454: `https://example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    scheme: String,
    host: Host,
}

/// Text that is not a host, or not an origin.
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
            return Ok(Self::from_address(address));
        }
        let authority = Authority::from_str(text).map_err(|_| Malformed::Host)?;
        if authority.as_str().contains('@') {
            return Err(Malformed::Host);
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        // The library silently ignores an invalid port.
        let port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        let is_port = port.is_empty() || authority.port_u16().is_some();
        if name.is_empty() || !is_port {
            return Err(Malformed::Host);
        }
        Ok(Self { name: name.to_ascii_lowercase(), port: authority.port_u16() })
    }
}

impl Host {
    fn from_address(address: IpAddr) -> Self {
        Self { name: address.to_string(), port: None }
    }

    /// Whether the names are equal, and the ports, too, if this host has one.
    fn covers(&self, other: &Self) -> bool {
        self.name == other.name && (self.port.is_none() || self.port == other.port)
    }

    /// The port, if it is named.
    #[cfg(feature = "browser")]
    pub(super) fn port(&self) -> Option<u16> {
        self.port
    }
}

impl Origin {
    /// Whether pages of a host, which is named without the usual port, have this origin.
    fn is_at(&self, host: &Host) -> bool {
        let usual = usual_port(&self.scheme);
        usual.is_some() && self.host.name == host.name && self.host.port == host.port.or(usual)
    }
}

/// The port of a scheme that browsers use.
fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

impl FromStr for Origin {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let (scheme, host) = text.split_once("://").ok_or(Malformed::Origin)?;
        let mut host: Host = host.parse().map_err(|_| Malformed::Origin)?;
        let scheme = scheme.to_ascii_lowercase();
        host.port = host.port.or(usual_port(&scheme));
        Ok(Self { scheme, host })
    }
}

/// The hosts and origins that requests may name.
#[derive(Debug)]
pub struct AllowedSources {
    hosts: Vec<Host>,
    origins: Vec<Origin>,
}

impl AllowedSources {
    /// Allows the loopback names, the bound address, and what the operator adds.
    pub fn new(bound: IpAddr, mut hosts: Vec<Host>, origins: Vec<Origin>) -> Self {
        let loopback = LOOPBACK.map(|name| Host { name: name.to_owned(), port: None });
        hosts.extend(loopback);
        if !bound.is_unspecified() {
            hosts.push(Host::from_address(bound));
        }
        Self { hosts, origins }
    }

    /// Refuses requests to other hosts, and from pages that are not allowed.
    ///
    /// # Errors
    /// 400 for a malformed host, 403 for a host or origin that is not allowed.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let mut values = request.headers().get_all(HOST).iter();
        let (value, more) = (values.next(), values.next());
        let host = value.filter(|_| more.is_none()).and_then(|value| value.to_str().ok());
        let host: Host = host.and_then(|text| text.parse().ok()).ok_or_else(|| {
            Refusal::new(StatusCode::BAD_REQUEST, "a request needs one well-formed Host header")
        })?;
        // A request line may contain an absolute URL, whose host is checked, too.
        let line = request.uri().authority().map(Authority::as_str);
        let line: Option<Host> = line.map(str::parse).transpose().map_err(|_| {
            Refusal::new(StatusCode::BAD_REQUEST, "the host in the request line is malformed")
        })?;
        if let Some(host) =
            [Some(&host), line.as_ref()].into_iter().flatten().find(|host| !self.is_own_host(host))
        {
            let name = shorten::name(&host.name);
            let message = format!("the host `{name}` is not allowed");
            return Err(Refusal::new(StatusCode::FORBIDDEN, message)
                .hinting("The operator can allow the name with --allowed-host."));
        }
        let mut origins = request.headers().get_all(ORIGIN).iter();
        let allowed = origins.all(|value| {
            let origin = value.to_str().ok().and_then(|text| text.parse().ok());
            origin.is_some_and(|origin| self.admits(&origin, &host))
        });
        if !allowed {
            return Err(Refusal::new(StatusCode::FORBIDDEN, "this origin is not allowed")
                .hinting("The operator can allow the origin with --allowed-origin."));
        }
        let is_named = request.headers().contains_key(ORIGIN);
        if !is_named && is_of_other_site(request.headers()) && !is_page_visit(request) {
            return Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "requests from pages of other sites are not allowed",
            )
            .hinting(
                "The operator can allow an origin with --allowed-origin, and its pages then \
                      fetch with `mode: \"cors\"`.",
            ));
        }
        Ok(())
    }

    fn is_own_host(&self, host: &Host) -> bool {
        self.hosts.iter().any(|own_host| own_host.covers(host))
    }

    /// Whether a page is the server's own, from the host to which the request goes, or one that the operator allows.
    fn admits(&self, origin: &Origin, host: &Host) -> bool {
        origin.is_at(host) || self.origins.contains(origin)
    }
}

/// Whether a browser marks the request as coming from another site, or another host of the same site.
/// Programs other than browsers do not send this header.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    let is_own_site = |site: &HeaderValue| site == "same-origin" || site == "none";
    !headers.get_all("sec-fetch-site").iter().all(is_own_site)
}

/// Whether a user follows a link to a page: the documentation or the tool browser. That is safe: the linking page
/// cannot read the answer.
fn is_page_visit(request: &Request) -> bool {
    let header_is =
        |name: &str, value: &str| request.headers().get(name).is_some_and(|v| v == value);
    let path = request.uri().path();
    let is_page = ["/", "/docs", "/browser", "/browser/", "/browser/callback"].contains(&path)
        || path.starts_with("/docs/") && path != "/docs/search";
    is_page
        && request.method() == Method::GET
        && header_is("sec-fetch-mode", "navigate")
        && header_is("sec-fetch-dest", "document")
}
