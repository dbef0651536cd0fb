//! Streamable HTTP. Connections go to addresses that may be reached, and redirects are not followed.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use rmcp::RoleClient;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport};
use secrecy::ExposeSecret as _;
use toolwrit_network::{Network, is_allowed};

use crate::model::Remote;

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);
/// Requests in flight at a time.
const REQUESTS: usize = 64;

/// Connects to nothing yet.
///
/// # Errors
/// What is wrong with the address or a header.
pub(super) fn transport(remote: &Remote) -> Result<impl Transport<RoleClient> + use<>, String> {
    // Fails if the author's program has chosen another one, which then serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = Url::parse(&remote.url).map_err(|error| format!("The address is wrong: {error}."))?;
    let reach = Reach { networks: remote.networks.clone().into(), tls: url.scheme() == "https" };
    reach.check(&url)?;
    let client = reqwest::Client::builder()
        .default_headers(headers(remote)?)
        .redirect(Policy::none())
        .referer(false)
        // A proxy would resolve the name again.
        .no_proxy()
        .connect_timeout(CONNECTING)
        .dns_resolver(Arc::new(reach))
        .build()
        .map_err(|error| format!("TLS cannot be set up: {error}."))?;
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_concurrent_requests(REQUESTS)
        .reinit_on_expired_session(true);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

fn headers(remote: &Remote) -> Result<HeaderMap, String> {
    let header = |(name, value): (&String, &secrecy::SecretString)| {
        let key: HeaderName =
            name.parse().map_err(|_| format!("The header name `{name}` is not valid."))?;
        let mut value = HeaderValue::from_str(value.expose_secret())
            .map_err(|_| format!("The value of the header `{name}` is not valid."))?;
        value.set_sensitive(true);
        Ok((key, value))
    };
    remote.headers.iter().map(header).collect()
}

/// The addresses that may be reached. Credentials must not cross the Internet without TLS.
struct Reach {
    networks: Arc<[Network]>,
    tls: bool,
}

impl Reach {
    fn allows(&self, address: IpAddr) -> bool {
        if self.tls {
            is_allowed(address, &self.networks)
        } else {
            self.networks.iter().any(|network| network.contains(address))
        }
    }

    /// Checks the scheme, and a host that is an address, because no resolver sees it.
    fn check(&self, url: &Url) -> Result<(), String> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(format!("The address must begin with https, not {}.", url.scheme()));
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse() {
            Ok(address) if !self.allows(address) => Err(self.forbidden(address)),
            _ => Ok(()),
        }
    }

    fn forbidden(&self, address: IpAddr) -> String {
        if !self.tls && is_allowed(address, &self.networks) {
            return format!("{address} may be reached with https only.");
        }
        format!("{address} is not public, and no network that may be reached contains it.")
    }
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = Self { networks: self.networks.clone(), tls: self.tls };
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            let (allowed, others): (Vec<SocketAddr>, Vec<SocketAddr>) =
                found.into_iter().partition(|found| reach.allows(found.ip()));
            match others.first() {
                Some(other) if allowed.is_empty() => Err(reach.forbidden(other.ip()).into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
