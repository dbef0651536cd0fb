//! The addresses that may be reached.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::HeaderMap;
use reqwest::redirect::Policy;
use toolwrit_network::{Network, is_allowed};

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(10);

/// Creates a client for the host of an address that reaches public addresses over TLS, and those in the networks. It sends the
/// headers with each request, and uses no proxy.
///
/// # Errors
/// Why the address may not be reached, as a sentence.
pub fn http_client(
    url: &Url,
    networks: &[Network],
    headers: HeaderMap,
    redirects: Policy,
) -> Result<reqwest::Client, String> {
    // Fails if the author's program has chosen another one, which then serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let reach = Reach::new(networks, url);
    reach.check(url)?;
    reqwest::Client::builder()
        .default_headers(headers)
        .redirect(redirects)
        .referer(false)
        // A proxy would resolve the name again.
        .no_proxy()
        .connect_timeout(CONNECTING)
        .dns_resolver(Arc::new(reach))
        .build()
        .map_err(|error| format!("TLS cannot be set up: {error}."))
}

/// The addresses that may be reached. Credentials must not cross the Internet without TLS.
struct Reach {
    networks: Arc<[Network]>,
    tls: bool,
}

impl Reach {
    fn new(networks: &[Network], url: &Url) -> Self {
        Self { networks: networks.into(), tls: url.scheme() == "https" }
    }

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
        format!(
            "{address} is not public, and no network that may be reached contains it; `networks = [\"{address}\"]` allows it."
        )
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
