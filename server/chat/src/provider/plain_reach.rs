//! Where a model may be without TLS. What is sent there can be read on its way, so that it must not leave the networks of the
//! operator.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use toolwrit_network::{Network, is_allowed};

/// The addresses that may be reached without TLS: this machine, private addresses if no key is sent there, and the operator's
/// networks, but nothing on the Internet.
#[derive(Debug, Clone)]
pub(super) struct PlainReach {
    pub(super) networks: Arc<[Network]>,
    /// Whether all private addresses may be reached.
    pub(super) is_private_allowed: bool,
}

impl PlainReach {
    fn allows(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        let is_private = match address {
            IpAddr::V4(address) => address.is_private(),
            IpAddr::V6(address) => address.is_unique_local(),
        };
        let is_named = || self.networks.iter().any(|network| network.contains(address));
        let is_public = is_allowed(address, &[]);
        let is_within = self.is_private_allowed && is_private || is_named();
        address.is_loopback() || !is_public && is_within
    }

    /// Checks the host of an address. The addresses of a name are checked when it is resolved.
    pub(super) fn may_reach(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse() {
            Ok(address) => self.allows(address),
            Err(_) => host == "localhost" || self.is_private_allowed || !self.networks.is_empty(),
        }
    }
}

impl Resolve for PlainReach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.clone();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let (allowed, others): (Vec<SocketAddr>, Vec<SocketAddr>) =
                found.partition(|found| reach.allows(found.ip()));
            match others.first() {
                Some(other) if allowed.is_empty() => {
                    let address = other.ip();
                    Err(format!("{address} may be reached with https only").into())
                }
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}
