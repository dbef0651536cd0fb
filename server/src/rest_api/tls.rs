//! TLS with a pinned certificate. The HTTP client itself only supports certificate authorities.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use super::certificate::{Certificate, OnlyThis};

/// A connector that adds TLS to a connection.
#[derive(Debug)]
pub(super) struct PinnedTls(Arc<ClientConfig>);

impl PinnedTls {
    /// Accepts only this certificate.
    pub(super) fn new(expected: Certificate) -> Result<Self, String> {
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(OnlyThis { expected, provider }))
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

impl<In: Transport> Connector<In> for PinnedTls {
    type Out = PinnedConnection;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<PinnedConnection>, ureq::Error> {
        let Some(transport) = chained else { return Ok(None) };
        let host = details.uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        let mut session =
            ClientConnection::new(Arc::clone(&self.0), name).map_err(io::Error::other)?;
        let mut socket =
            TransportAdapter::new(transport.boxed(), Arc::clone(&details.current_time));
        socket.set_timeout(details.timeout);
        session.complete_io(&mut socket)?;
        let config = details.config;
        Ok(Some(PinnedConnection {
            buffers: LazyBuffers::new(config.input_buffer_size(), config.output_buffer_size()),
            stream: StreamOwned::new(session, socket),
        }))
    }
}

/// A TLS connection to the server with the pinned certificate.
pub(super) struct PinnedConnection {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl Transport for PinnedConnection {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        Ok(self.stream.write_all(&self.buffers.output()[..amount])?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, ureq::Error> {
        self.stream.sock.set_timeout(timeout);
        let read = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(read);
        Ok(read > 0)
    }

    /// Never reused: calls are rare, and Obsidian may have been closed before the next one.
    fn is_open(&mut self) -> bool {
        false
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl std::fmt::Debug for PinnedConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PinnedConnection")
    }
}
