//! Obsidian's plugin Local REST API, as far as this server asks it: which file is active, and to open
//! one. The files themselves are read and changed by the vault alone.

mod certificate;
mod tls;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use toolwrit::Json;
use toolwrit_vault::VaultPath;
use ureq::http::header::{ACCEPT, AUTHORIZATION};
use ureq::http::uri::Scheme;
use ureq::http::{HeaderValue, Response, Uri};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, TcpConnector};
use ureq::{Agent, Body, RequestBuilder};

use certificate::{Certificate, WrongCertificate};
use tls::PinnedTls;

/// Where the operator puts the plugin's key.
pub(crate) const KEY_VARIABLE: &str = "TOOLWRIT_OBSIDIAN_API_KEY";

/// What makes the API available.
pub(crate) const ENABLE: &str = "Install the plugin Local REST API in Obsidian, and start this server \
     with its key in TOOLWRIT_OBSIDIAN_API_KEY and its certificate in TOOLWRIT_OBSIDIAN_CERT.";

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longest answer that is read, in bytes: a note, its text quoted, with its properties.
const LONGEST: u64 = 64 * 1024 * 1024;
/// The form in which the plugin gives a note with its path.
const NOTE_JSON: &str = "application/vnd.olrapi.note+json";

/// The API at its address, with its key.
#[derive(Clone)]
pub(crate) struct RestApi {
    agent: Agent,
    /// `https://127.0.0.1:27124`, without a slash at the end.
    address: Arc<str>,
    authorization: HeaderValue,
}

/// Why the API did not answer as asked. No message holds the key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// The port is closed: Obsidian does not run, or runs without the plugin.
    #[error("Obsidian's Local REST API is not running at {address}.")]
    NotRunning { address: Arc<str> },
    /// No file is open.
    #[error("No file is open in Obsidian.")]
    NothingOpen,
    /// The key is not the plugin's.
    #[error("Obsidian's Local REST API does not accept the key in {KEY_VARIABLE}.")]
    WrongKey,
    /// The server there did not present the expected certificate. Nothing was sent.
    #[error("What answers for Obsidian's Local REST API {0}. It was told nothing.")]
    WrongCertificate(WrongCertificate),
    /// Any other failure.
    #[error("Obsidian's Local REST API failed: {0}.")]
    Failed(String),
}

impl RestApi {
    /// The API at `address`, which shows this certificate and takes this key. Nothing is asked yet.
    ///
    /// # Errors
    /// What the operator has to set right.
    pub(crate) fn new(address: &str, certificate: Option<&str>, key: &str) -> Result<Self, String> {
        let uri = parse_address(address)?;
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            // The key is for Obsidian alone: no proxy.
            .proxy(None)
            .build();
        let (tcp, resolver) = (TcpConnector::default(), DefaultResolver::default());
        let agent = match (uri.scheme() == Some(&Scheme::HTTPS), certificate) {
            (true, Some(certificate)) => {
                let tls = PinnedTls::new(Certificate::parse(certificate)?)?;
                Agent::with_parts(config, tcp.chain(tls), resolver)
            }
            (true, None) => {
                return Err(format!(
                    "{KEY_VARIABLE} is set, and no certificate for {address}: set \
                     TOOLWRIT_OBSIDIAN_CERT to the plugin's certificate, a PEM file or its SHA-256 \
                     fingerprint"
                ));
            }
            (false, None) => Agent::with_parts(config, tcp, resolver),
            (false, Some(_)) => {
                return Err(format!("{address} shows no certificate: use its https address"));
            }
        };
        let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_| format!("{KEY_VARIABLE} holds characters that no key has"))?;
        authorization.set_sensitive(true);
        let address = address.trim_end_matches('/').into();
        Ok(Self { agent, address, authorization })
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The active file, as Obsidian has it. Whether the vault has it too is not known.
    pub(crate) fn active_file(&self) -> Result<VaultPath, ApiError> {
        let request = self.agent.get(format!("{}/active/", self.address)).header(ACCEPT, NOTE_JSON);
        let mut response = self.authorized(request).call().map_err(|error| self.failed(&error))?;
        if response.status() == 404 {
            return Err(ApiError::NothingOpen);
        }
        let note = answer(&mut response)?;
        let note: Json = serde_json::from_slice(&note).unwrap_or_default();
        let path = note["path"].as_str().unwrap_or_default();
        VaultPath::parse(path).map_err(|error| ApiError::Failed(format!("it names an {error}")))
    }

    /// Opens a file in Obsidian; in a tab of its own, if that is wanted.
    pub(crate) fn open(&self, path: &VaultPath, new_leaf: bool) -> Result<(), ApiError> {
        let path = path.composed();
        let segments = path.split('/').map(|name| utf8_percent_encode(name, NON_ALPHANUMERIC));
        let path = segments.map(|name| name.to_string()).collect::<Vec<_>>().join("/");
        let query = if new_leaf { "?newLeaf=true" } else { "" };
        let request = self.agent.post(format!("{}/open/{path}{query}", self.address));
        let mut response =
            self.authorized(request).send_empty().map_err(|error| self.failed(&error))?;
        answer(&mut response).map(drop)
    }

    fn authorized<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        request.header(AUTHORIZATION, self.authorization.clone())
    }

    fn failed(&self, error: &ureq::Error) -> ApiError {
        let refused = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        match error {
            ureq::Error::Io(io) if refused(io) => {
                ApiError::NotRunning { address: Arc::clone(&self.address) }
            }
            ureq::Error::Io(io) => match WrongCertificate::behind(io) {
                Some(wrong) => ApiError::WrongCertificate(wrong.clone()),
                None => ApiError::Failed(error.to_string()),
            },
            _ => ApiError::Failed(error.to_string()),
        }
    }
}

/// An address whose key no other machine can read on its way.
fn parse_address(address: &str) -> Result<Uri, String> {
    let expected = "expected an address such as https://127.0.0.1:27124";
    let uri: Uri = address.parse().map_err(|error| format!("{address}: {error}; {expected}"))?;
    let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
        return Err(format!("{address}: {expected}"));
    };
    if authority.as_str().contains('@') || uri.path() != "/" || uri.query().is_some() {
        return Err(format!("{address}: {expected}, and nothing more"));
    }
    let is_here = ["localhost", "127.0.0.1", "[::1]"].contains(&authority.host());
    if *scheme == Scheme::HTTPS || (*scheme == Scheme::HTTP && is_here) {
        return Ok(uri);
    }
    Err(format!("{address}: expected https, or http on this machine"))
}

/// The body of a successful answer.
fn answer(response: &mut Response<Body>) -> Result<Vec<u8>, ApiError> {
    match response.status().as_u16() {
        200..300 => {}
        401 | 403 => return Err(ApiError::WrongKey),
        status => return Err(ApiError::Failed(format!("it answers with status {status}"))),
    }
    let body = response.body_mut().with_config().limit(LONGEST).read_to_vec();
    body.map_err(|error| ApiError::Failed(error.to_string()))
}
