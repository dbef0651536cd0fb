//! The client for requests that this server sends: to an authorization server and to a collector of
//! spans. Requests block, so callers send them from threads that may block.

use std::time::Duration;

use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;

/// A client that trusts the certificates of the system, with a timeout for one answer.
pub(crate) fn client(timeout: Duration) -> ConfigBuilder<AgentScope> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder().tls_config(tls).timeout_global(Some(timeout))
}
