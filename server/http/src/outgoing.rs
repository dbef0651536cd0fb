//! Requests that this server sends itself: to an authorization server, to a collector of spans. They
//! block, so they are made on threads of their own.

use std::time::Duration;

use ureq::Agent;
use ureq::config::ConfigBuilder;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;

/// A client that trusts whom the system trusts, and waits so long for one answer.
pub(crate) fn client(patience: Duration) -> ConfigBuilder<AgentScope> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder().tls_config(tls).timeout_global(Some(patience))
}
