//! How the server's certificate is judged.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::Security;

/// Protects connections as their address asks for.
#[derive(Clone)]
pub(crate) struct Connector(MakeRustlsConnect);

impl<S> MakeTlsConnect<S> for Connector
where
    MakeRustlsConnect: MakeTlsConnect<S>,
{
    type Stream = <MakeRustlsConnect as MakeTlsConnect<S>>::Stream;
    type TlsConnect = <MakeRustlsConnect as MakeTlsConnect<S>>::TlsConnect;
    type Error = <MakeRustlsConnect as MakeTlsConnect<S>>::Error;

    fn make_tls_connect(&mut self, host: &str) -> Result<Self::TlsConnect, Self::Error> {
        // A socket of Unix has no host. It is asked for one nevertheless, although it uses no TLS.
        self.0.make_tls_connect(if host.is_empty() { "localhost" } else { host })
    }
}

/// Returns what protects connections.
///
/// # Errors
/// If TLS is not available.
pub(crate) fn connector(security: &Security) -> Result<Connector, Error> {
    let provider = Arc::new(ring::default_provider());
    let judge =
        Judge { security: security.clone(), provider: provider.clone(), trust: OnceLock::new() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(judge))
        .with_no_client_auth();
    Ok(Connector(MakeRustlsConnect::new(config)))
}

/// Reads the trusted authorities when the first certificate arrives, because opening a state must not wait for a disk.
#[derive(Debug)]
struct Judge {
    security: Security,
    provider: Arc<CryptoProvider>,
    trust: OnceLock<Result<Arc<dyn ServerCertVerifier>, Error>>,
}

impl Judge {
    fn trust(&self) -> Result<&Arc<dyn ServerCertVerifier>, Error> {
        let trust = self.trust.get_or_init(|| match &self.security {
            Security::Authority(file) | Security::Host(Some(file)) => {
                authorities(file, &self.provider)
            }
            Security::Off | Security::Encrypted | Security::Host(None) => {
                let system = rustls_platform_verifier::Verifier::new(self.provider.clone())?;
                Ok(Arc::new(system))
            }
        });
        trust.as_ref().map_err(Clone::clone)
    }
}

/// The authorities in a file.
fn authorities(
    file: &Path,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, Error> {
    let unreadable = |reason: &dyn std::fmt::Display| {
        Error::General(format!(
            "sslrootcert={}: {reason}; name a PEM file with certificates",
            file.display()
        ))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| unreadable(&error))? {
        roots.add(certificate.map_err(|error| unreadable(&error))?)?;
    }
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
    Ok(verifier.map_err(|error| unreadable(&error))?)
}

impl ServerCertVerifier for Judge {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if matches!(self.security, Security::Off | Security::Encrypted) {
            return Ok(ServerCertVerified::assertion());
        }
        let found = self.trust()?.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        let is_other_host = matches!(
            found,
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
            ))
        );
        // The name is compared last, so that the rest of the certificate is good.
        if is_other_host && matches!(self.security, Security::Authority(_)) {
            return Ok(ServerCertVerified::assertion());
        }
        found
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
