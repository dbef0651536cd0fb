//! Which addresses of a host may be reached. A name is resolved once for the check and the connection, so that it
//! cannot lead elsewhere after it was checked.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use toolwrit_network::{Network, is_allowed};

/// The addresses that may be reached.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    networks: Arc<[Network]>,
    /// Whether public addresses are. Credentials must not cross them without TLS.
    public: bool,
}

/// No address of the host may be reached; this is one of them.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("{address} may not be reached")]
pub(super) struct Forbidden {
    pub(super) address: IpAddr,
    /// Whether it could be reached with TLS.
    pub(super) needs_tls: bool,
}

impl Reach {
    pub(super) fn new(url: &Url, networks: &[Network]) -> Self {
        Self { networks: networks.into(), public: url.scheme() == "https" }
    }

    fn allows(&self, address: IpAddr) -> bool {
        if self.public {
            is_allowed(address, &self.networks)
        } else {
            self.networks.iter().any(|network| network.contains(address))
        }
    }

    fn forbidden(&self, address: IpAddr) -> Forbidden {
        Forbidden { address, needs_tls: is_allowed(address, &self.networks) }
    }

    /// Checks a host that is an address, because no resolver sees it.
    pub(super) fn check_literal(&self, url: &Url) -> Result<(), Forbidden> {
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse() {
            Ok(address) if !self.allows(address) => Err(self.forbidden(address)),
            _ => Ok(()),
        }
    }

    pub(super) fn resolver(self, names: Arc<dyn Resolve>) -> CheckedResolver {
        CheckedResolver { names, reach: self }
    }
}

/// Resolves names as the system does.
pub(super) struct SystemNames;

impl Resolve for SystemNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(Box::new(found.collect::<Vec<_>>().into_iter()) as Addrs)
        })
    }
}

/// Resolves names to the addresses that may be reached.
pub(super) struct CheckedResolver {
    names: Arc<dyn Resolve>,
    reach: Reach,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (found, reach) = (self.names.resolve(name), self.reach.clone());
        Box::pin(async move {
            let found: Vec<SocketAddr> = found.await?.collect();
            let first = found.first().copied();
            let allowed: Vec<SocketAddr> =
                found.into_iter().filter(|found| reach.allows(found.ip())).collect();
            match first {
                Some(first) if allowed.is_empty() => Err(reach.forbidden(first.ip()).into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use reqwest::dns::{Addrs, Name, Resolve, Resolving};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::Reach;
    use crate::client::{Client, Credential};
    use crate::model::{Code, Request};
    use crate::options::ConnectionOptions;
    use crate::render::{Rendered, Scope};
    use crate::wanted::Wanted;

    /// Resolves every name to these addresses, and then to others.
    struct Rebinding {
        first: Vec<SocketAddr>,
        later: SocketAddr,
        asked: Arc<AtomicUsize>,
    }

    impl Resolve for Rebinding {
        fn resolve(&self, _: Name) -> Resolving {
            let is_first = self.asked.fetch_add(1, Ordering::SeqCst) == 0;
            let found = if is_first { self.first.clone() } else { vec![self.later] };
            Box::pin(async move { Ok(Box::new(found.into_iter()) as Addrs) })
        }
    }

    #[tokio::test]
    async fn a_name_is_resolved_once_for_the_check_and_the_connection() {
        let allowed = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = allowed.local_addr().unwrap().port();
        let forbidden = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
        let asked = Arc::new(AtomicUsize::new(0));
        let names = Rebinding {
            // The connection must skip the first address.
            first: vec![forbidden.local_addr().unwrap(), allowed.local_addr().unwrap()],
            later: forbidden.local_addr().unwrap(),
            asked: Arc::clone(&asked),
        };
        let url: reqwest::Url = format!("http://name.example:{port}/").parse().unwrap();
        let options = ConnectionOptions {
            networks: vec!["127.0.0.1".parse().unwrap()],
            ..ConnectionOptions::default()
        };
        let client = Client::resolving("test", &url, &options, Arc::new(names)).unwrap();
        let (arguments, settings) = <(serde_json::Map<_, _>, serde_json::Map<_, _>)>::default();
        let scope = Scope::new(&arguments, &settings);
        let request = Rendered::new(&Request::GET, &url, &scope).unwrap();
        let server = tokio::spawn(async move {
            let (mut stream, _) = allowed.accept().await.unwrap();
            let _ = stream.read(&mut [0; 4096]).await.unwrap();
            stream
                .write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
                .await
                .unwrap();
        });
        let none = Credential::none();
        // A connection to the other address would wait for an answer.
        let wanted = Wanted::all();
        let sent = client.send(&request, &none, &wanted);
        let received = tokio::time::timeout(Duration::from_secs(30), sent).await.unwrap().unwrap();
        assert_eq!(received.status, 204);
        server.await.unwrap();
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        let failure = client.send(&request, &none, &wanted).await.unwrap_err();
        assert_eq!(failure.code, Code::ProviderUnavailable);
        assert!(failure.message.contains("127.0.0.2"), "{failure}");
        let connection =
            std::future::poll_fn(|cx| std::task::Poll::Ready(forbidden.poll_accept(cx).is_ready()));
        assert!(!connection.await, "nothing may connect to an address that is not allowed");
    }

    #[test]
    fn without_tls_only_named_networks_are_reached() {
        let networks = ["10.0.0.0/8".parse().unwrap()];
        let check = |url: &str| {
            let url = url.parse().unwrap();
            Reach::new(&url, &networks).check_literal(&url).map_err(|forbidden| forbidden.needs_tls)
        };
        assert_eq!(check("https://1.1.1.1/"), Ok(()));
        assert_eq!(check("http://1.1.1.1/"), Err(true));
        assert_eq!(check("http://10.1.1.1/"), Ok(()));
        assert_eq!(check("https://10.1.1.1/"), Ok(()));
        for hidden in
            ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "169.254.169.254"]
        {
            assert_eq!(check(&format!("https://{hidden}/")), Err(false), "{hidden}");
        }
    }
}
