//! A client of Obsidian's plugin Local REST API: it finds the active file, opens files, and runs JavaScript of
//! Dataview. Only the vault reads and changes files.
//!
//! If no server listens at the address, Obsidian is closed, and its saved layout is used. If a server listens but is
//! not trusted, the call fails. The certificate of the plugin is self-signed and may be marked as an authority, so that
//! libraries reject it, or would trust all certificates that it signs: `tls` compares the bytes of one certificate, and
//! rustls checks the signature of the handshake.

mod certificate;
mod tls;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use toolwrit::Json;
use toolwrit_vault::VaultPath;
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ureq::http::uri::Scheme;
use ureq::http::{HeaderValue, Response, Uri};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, TcpConnector};
use ureq::{Agent, Body, RequestBuilder};

use certificate::{Certificate, WrongCertificate};
use tls::PinnedTls;

/// The environment variable with the plugin's key.
pub(crate) const KEY_VARIABLE: &str = "TOOLWRIT_OBSIDIAN_API_KEY";

pub(crate) const ENABLE: &str = "Install the plugin Local REST API in Obsidian, and start this server \
     with its key in TOOLWRIT_OBSIDIAN_API_KEY and its certificate in TOOLWRIT_OBSIDIAN_CERT.";

/// Time limit of one answer.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Size limit of an answer, in bytes: a note as an escaped JSON string, with its properties.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The route that an extension of the plugin registers to run JavaScript of Dataview.
pub(crate) const JAVASCRIPT_ROUTE: &str = "/dataview-js/";
/// The media type of a note together with its path.
const NOTE_JSON: &str = "application/vnd.olrapi.note+json";
const JAVASCRIPT: &str = "application/javascript";

/// A client of the API.
#[derive(Clone)]
pub(crate) struct RestApi {
    agent: Agent,
    /// Such as `https://127.0.0.1:27124`, without a trailing slash.
    address: Arc<str>,
    authorization: HeaderValue,
}

/// Why a request to the API failed. No message contains the key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    /// The connection is refused: Obsidian is not running, or the plugin is not enabled.
    #[error("Obsidian's Local REST API is not running at {address}.")]
    NotRunning { address: Arc<str> },
    /// No file is open.
    #[error("No file is open in Obsidian.")]
    NothingOpen,
    /// The API does not accept the key.
    #[error("Obsidian's Local REST API does not accept the key in {KEY_VARIABLE}.")]
    WrongKey,
    /// The server presented an unexpected certificate. The key was not sent.
    #[error("The server at the address of Obsidian's Local REST API {0}. The key was not sent.")]
    WrongCertificate(WrongCertificate),
    /// The script failed in Obsidian.
    #[error("The script failed: {0}.")]
    Script(String),
    /// Any other failure.
    #[error("Obsidian's Local REST API failed: {0}.")]
    Failed(String),
}

impl RestApi {
    /// Creates a client for this address, certificate and key. Sends nothing yet.
    ///
    /// # Errors
    /// If the address, certificate or key is invalid.
    pub(crate) fn new(address: &str, certificate: Option<&str>, key: &str) -> Result<Self, String> {
        let uri = parse_address(address)?;
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            // No proxy: only Obsidian may see the key.
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
                    "{KEY_VARIABLE} is set, but there is no certificate for {address}: set \
                     TOOLWRIT_OBSIDIAN_CERT to the plugin's certificate, a PEM file or its SHA-256 \
                     fingerprint"
                ));
            }
            (false, None) => Agent::with_parts(config, tcp, resolver),
            (false, Some(_)) => {
                return Err(format!("{address} has no certificate: use its https address"));
            }
        };
        let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))
            .map_err(|_| format!("{KEY_VARIABLE} contains invalid characters"))?;
        authorization.set_sensitive(true);
        let address = address.trim_end_matches('/').into();
        Ok(Self { agent, address, authorization })
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Returns the active file of Obsidian, which may belong to another vault.
    pub(crate) fn active_file(&self) -> Result<VaultPath, ApiError> {
        let request = self.agent.get(format!("{}/active/", self.address)).header(ACCEPT, NOTE_JSON);
        let mut response =
            self.authorize(request).call().map_err(|error| self.to_api_error(&error))?;
        if response.status() == 404 {
            return Err(ApiError::NothingOpen);
        }
        let note = read_json(&mut response)?;
        let path = note["path"].as_str().unwrap_or_default();
        VaultPath::from_disk(path)
            .map_err(|error| ApiError::Failed(format!("it returned an {error}")))
    }

    /// Opens a file in Obsidian, in a new tab if `new_leaf`.
    pub(crate) fn open(&self, path: &VaultPath, new_leaf: bool) -> Result<(), ApiError> {
        let path = path.to_nfc();
        let segments = path.split('/').map(|name| utf8_percent_encode(name, NON_ALPHANUMERIC));
        let path = segments.map(|name| name.to_string()).collect::<Vec<_>>().join("/");
        let query = if new_leaf { "?newLeaf=true" } else { "" };
        let request = self.agent.post(format!("{}/open/{path}{query}", self.address));
        let mut response =
            self.authorize(request).send_empty().map_err(|error| self.to_api_error(&error))?;
        read_answer(&mut response).map(drop)
    }

    /// Whether an extension of the plugin runs JavaScript of Dataview: it has registered [`JAVASCRIPT_ROUTE`].
    pub(crate) fn runs_javascript(&self) -> Result<bool, ApiError> {
        let request = self.authorize(self.agent.get(format!("{}/", self.address)));
        let mut response = request.call().map_err(|error| self.to_api_error(&error))?;
        let about = read_json(&mut response)?;
        let list = |value: &Json| value.as_array().cloned().unwrap_or_default();
        let routes = list(&about["apiExtensions"])
            .into_iter()
            .flat_map(|extension| list(&extension["routes"]));
        Ok(routes.into_iter().any(|route| route["path"] == JAVASCRIPT_ROUTE))
    }

    /// Runs JavaScript of Dataview in Obsidian. Returns its result.
    pub(crate) fn run_javascript(&self, code: &str) -> Result<Json, ApiError> {
        let url = format!("{}{JAVASCRIPT_ROUTE}", self.address);
        let request = self.authorize(self.agent.post(url)).header(CONTENT_TYPE, JAVASCRIPT);
        let mut response = request.send(code).map_err(|error| self.to_api_error(&error))?;
        if response.status() == 400 {
            return Err(ApiError::Script(read_reason(&mut response)?));
        }
        read_json(&mut response)
    }

    fn authorize<B>(&self, request: RequestBuilder<B>) -> RequestBuilder<B> {
        request.header(AUTHORIZATION, self.authorization.clone())
    }

    fn to_api_error(&self, error: &ureq::Error) -> ApiError {
        let refused = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
        match error {
            ureq::Error::Io(io) if refused(io) => {
                ApiError::NotRunning { address: Arc::clone(&self.address) }
            }
            ureq::Error::Io(io) => match WrongCertificate::find_cause(io) {
                Some(wrong) => ApiError::WrongCertificate(wrong.clone()),
                None => ApiError::Failed(error.to_string()),
            },
            _ => ApiError::Failed(error.to_string()),
        }
    }
}

/// Parses an address. Requires HTTPS or loopback, so that no other machine can read the key.
fn parse_address(address: &str) -> Result<Uri, String> {
    let expected = "expected an address such as https://127.0.0.1:27124";
    let uri: Uri = address.parse().map_err(|error| format!("{address}: {error}; {expected}"))?;
    let (Some(scheme), Some(authority)) = (uri.scheme(), uri.authority()) else {
        return Err(format!("{address}: {expected}"));
    };
    if authority.as_str().contains('@') || uri.path() != "/" || uri.query().is_some() {
        return Err(format!("{address}: {expected} without a path, query or user"));
    }
    let is_loopback = ["localhost", "127.0.0.1", "[::1]"].contains(&authority.host());
    if *scheme == Scheme::HTTPS || (*scheme == Scheme::HTTP && is_loopback) {
        return Ok(uri);
    }
    Err(format!("{address}: expected https, or http on this machine"))
}

/// Returns the body of a successful answer.
fn read_answer(response: &mut Response<Body>) -> Result<Vec<u8>, ApiError> {
    match response.status().as_u16() {
        200..300 => {}
        401 | 403 => return Err(ApiError::WrongKey),
        status => return Err(ApiError::Failed(format!("the status is {status}"))),
    }
    read_body(response)
}

/// Returns the JSON of a successful answer.
fn read_json(response: &mut Response<Body>) -> Result<Json, ApiError> {
    serde_json::from_slice(&read_answer(response)?)
        .map_err(|error| ApiError::Failed(format!("its answer is not JSON: {error}")))
}

/// Returns the message of an answer that reports a failure.
fn read_reason(response: &mut Response<Body>) -> Result<String, ApiError> {
    // Its status says that it failed, whatever else it says.
    let failure: Json = serde_json::from_slice(&read_body(response)?).unwrap_or_default();
    let message = failure["message"].as_str().unwrap_or("Obsidian gives no reason");
    Ok(message.trim_end_matches('.').to_owned())
}

fn read_body(response: &mut Response<Body>) -> Result<Vec<u8>, ApiError> {
    let body = response.body_mut().with_config().limit(MAX_BYTES).read_to_vec();
    body.map_err(|error| ApiError::Failed(error.to_string()))
}
