//! Certificate pinning. The plugin signs its certificate itself, so no authority vouches for it. Only its
//! bytes are compared; names and dates in it are ignored.

use std::fmt;
use std::io;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};
use sha2::{Digest, Sha256};
use toolwrit_text::hex::Hex;

/// The SHA-256 of a certificate's bytes (DER).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Certificate([u8; 32]);

impl Certificate {
    /// Parses the operator's setting: a hexadecimal fingerprint, with or without colons, or the path of a PEM
    /// file.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(fingerprint) = parse_fingerprint(text) {
            return Ok(Self(fingerprint));
        }
        let invalid = |reason: &dyn fmt::Display| {
            format!(
                "{text}: {reason}; expected a PEM file with one certificate, or a SHA-256 fingerprint"
            )
        };
        let pem = std::fs::read(text).map_err(|error| invalid(&error))?;
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
        match certificates.map_err(|error| invalid(&error))?.as_slice() {
            [only] => Ok(Self::from_der(only)),
            several => Err(invalid(&format!("{} certificates", several.len()))),
        }
    }

    fn from_der(certificate: &CertificateDer<'_>) -> Self {
        Self(Sha256::digest(certificate).into())
    }
}

/// Parses 64 hexadecimal digits. Ignores the colons that browsers show between bytes.
fn parse_fingerprint(text: &str) -> Option<[u8; 32]> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| *c != ':')
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect::<Option<_>>()?;
    let (pairs, rest) = digits.as_chunks::<2>();
    let bytes: Vec<u8> = pairs.iter().map(|[high, low]| high << 4 | low).collect();
    if rest.is_empty() { bytes.try_into().ok() } else { None }
}

impl fmt::Display for Certificate {
    /// Writes the fingerprint.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

/// The server presented a certificate other than the expected one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("shows a certificate with the SHA-256 fingerprint {shown}, not {expected}")]
pub(crate) struct WrongCertificate {
    shown: Certificate,
    expected: Certificate,
}

impl WrongCertificate {
    /// Returns this error if it is why a connection failed.
    pub(super) fn find_cause(error: &io::Error) -> Option<&Self> {
        let error = error.get_ref()?.downcast_ref::<Error>()?;
        let Error::InvalidCertificate(CertificateError::Other(OtherError(reason))) = error else {
            return None;
        };
        reason.downcast_ref()
    }
}

/// Accepts only the expected certificate, with proof of its private key.
#[derive(Debug)]
pub(super) struct OnlyThis {
    pub(super) expected: Certificate,
    pub(super) provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for OnlyThis {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let (shown, expected) = (Certificate::from_der(end_entity), self.expected);
        if shown == expected {
            return Ok(ServerCertVerified::assertion());
        }
        let wrong = Arc::new(WrongCertificate { shown, expected });
        Err(Error::InvalidCertificate(CertificateError::Other(OtherError(wrong))))
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
