//! A stand-in for Obsidian's plugin Local REST API, over TLS on a socket, with its own certificate.

use std::fmt::Write as _;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use rustls::crypto::ring::{default_provider, sign::any_supported_type};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::{self, SingleCertAndKey};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use toolwrit_test_servers::http::{ReceivedRequest, response};
use toolwrit_tests::drivers::client::Client;

pub(crate) const KEY: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

/// The API of a running Obsidian.
pub(crate) struct Api {
    port: u16,
    scheme: &'static str,
    certificate: Certificate,
    files: TempDir,
    seen: Arc<Mutex<Vec<ReceivedRequest>>>,
    answers: Arc<Mutex<Answers>>,
}

/// An answer in place of the usual one: its status, a header and its body.
type Instead = (u16, Option<(&'static str, &'static str)>, String);

/// The answers to requests with the key.
pub(crate) struct Answers {
    /// The path of the file that is open.
    pub(super) active: Option<String>,
    /// Replaces all other answers: status, further headers, body.
    pub(super) instead: Option<Instead>,
    /// The answer of an extension that runs scripts: status and body.
    pub(crate) script: Option<(u16, Value)>,
    /// Whether it answers at all.
    pub(super) silent: bool,
}

/// A certificate and a private key, which may belong to another certificate.
#[derive(Clone)]
pub(super) struct Certificate {
    pub(super) pem: String,
    der: CertificateDer<'static>,
    key: Arc<KeyPair>,
}

impl Certificate {
    /// Like the plugin's certificates: self-signed and marked as an authority, which strict clients refuse.
    /// It has also expired, and has another name.
    pub(super) fn new() -> Self {
        let mut params = CertificateParams::new(vec!["elsewhere.example".to_owned()]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { pem: certificate.pem(), der: certificate.der().clone(), key: Arc::new(key) }
    }

    /// The same certificate, on a server without its private key.
    pub(super) fn stolen(&self) -> Self {
        Self { key: Arc::new(KeyPair::generate().unwrap()), ..self.clone() }
    }

    /// The SHA-256 of its bytes.
    pub(super) fn fingerprint(&self) -> String {
        let digest = Sha256::digest(&self.der);
        digest.iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    }

    fn config(&self) -> Arc<ServerConfig> {
        let key = PrivateKeyDer::Pkcs8(self.key.serialize_der().into());
        let key = any_supported_type(&key).unwrap();
        let own = sign::CertifiedKey::new(vec![self.der.clone()], key);
        let config = ServerConfig::builder_with_provider(default_provider().into())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(own)));
        Arc::new(config)
    }
}

impl Api {
    /// Obsidian with this file open.
    pub(crate) fn with(active: &str) -> Self {
        Self::showing(&Certificate::new(), active)
    }

    pub(super) fn showing(certificate: &Certificate, active: &str) -> Self {
        Self::start(certificate.clone(), "https", active)
    }

    /// Without TLS.
    pub(super) fn plain(active: &str) -> Self {
        Self::start(Certificate::new(), "http", active)
    }

    fn start(certificate: Certificate, scheme: &'static str, active: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let active = Some(active.to_owned());
        let answers = Answers { active, instead: None, script: None, silent: false };
        let api = Self {
            port: listener.local_addr().unwrap().port(),
            scheme,
            files: TempDir::new().unwrap(),
            seen: Arc::default(),
            answers: Arc::new(Mutex::new(answers)),
            certificate,
        };
        let config = (scheme == "https").then(|| api.certificate.config());
        let (seen, answers) = (Arc::clone(&api.seen), Arc::clone(&api.answers));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                // A client that does not trust the certificate disconnects during the handshake.
                let _ = serve(stream.unwrap(), config.clone(), &seen, &answers);
            }
        });
        api
    }

    pub(super) fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    /// Changes the answers from now on.
    pub(crate) fn answer(&self, change: impl FnOnce(&mut Answers)) {
        change(&mut self.answers.lock().unwrap());
    }

    /// The requests since the last call.
    pub(crate) fn seen(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    /// The certificate in a file, as the plugin provides it.
    pub(super) fn pem_file(&self) -> PathBuf {
        let path = self.files.path().join("obsidian.crt");
        std::fs::write(&path, &self.certificate.pem).unwrap();
        path
    }

    /// The flags for this API.
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec!["--obsidian-url".to_owned(), self.url()];
        if self.scheme == "https" {
            flags.extend(["--obsidian-cert".to_owned(), self.certificate.fingerprint()]);
        }
        flags
    }
}

/// The shipped server on a vault, with these flags and this key.
pub(crate) fn client(vault: &std::path::Path, flags: &[String], key: &str) -> Client {
    let flags = flags.iter().map(String::as_str);
    let flags: Vec<&str> = ["--surface", "flat"].into_iter().chain(flags).collect();
    Client::vault_in(&[("TOOLWRIT_OBSIDIAN_API_KEY", key)], vault, &flags)
}

/// One connection: one request, one answer.
fn serve(
    stream: TcpStream,
    config: Option<Arc<ServerConfig>>,
    seen: &Mutex<Vec<ReceivedRequest>>,
    answers: &Mutex<Answers>,
) -> std::io::Result<()> {
    let Some(config) = config else { return converse(stream, seen, answers) };
    let session = ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut stream = StreamOwned::new(session, stream);
    converse(&mut stream, seen, answers)?;
    stream.conn.send_close_notify();
    stream.flush()
}

fn converse(
    mut stream: impl Read + Write,
    seen: &Mutex<Vec<ReceivedRequest>>,
    answers: &Mutex<Answers>,
) -> std::io::Result<()> {
    let Some(request) = ReceivedRequest::read(&mut BufReader::new(&mut stream)) else {
        return Err(ErrorKind::UnexpectedEof.into());
    };
    let line = request.line();
    let has_key = request.header("authorization") == Some(&format!("Bearer {KEY}"));
    seen.lock().unwrap().push(request);
    let answers = answers.lock().unwrap();
    if answers.silent {
        // Until the client gives up.
        return std::io::copy(&mut stream, &mut std::io::sink()).map(drop);
    }
    let (status, extra, body) = match (&answers.instead, &answers.active) {
        (Some(instead), _) => instead.clone(),
        _ if !has_key => (401, None, failure(40101, "Authorization required.")),
        (None, Some(path)) if line == "GET /active/" => (200, None, note(path).to_string()),
        (None, None) if line == "GET /active/" => (404, None, failure(40400, "Not Found")),
        _ if line.starts_with("POST /open/") => (200, None, String::new()),
        _ if line == "GET /" => (200, None, about(answers.script.is_some()).to_string()),
        _ if line == "POST /dataview-js/"
            && let Some((status, body)) = &answers.script =>
        {
            (*status, None, body.to_string())
        }
        _ => (404, None, failure(40400, "Not Found")),
    };
    let headers: Vec<(&str, &str)> = extra.into_iter().collect();
    stream.write_all(&response(status, &headers, body))?;
    stream.flush()
}

fn failure(code: u32, message: &str) -> String {
    json!({"errorCode": code, "message": message}).to_string()
}

/// What the plugin says about itself, and its extensions with their routes.
fn about(has_extension: bool) -> Value {
    let route = json!({"path": "/dataview-js/", "authenticated": true});
    let extension = json!({"id": "scripts", "version": "1.0.0", "routes": [route]});
    let extensions = if has_extension { vec![extension] } else { Vec::new() };
    json!({"status": "OK", "authenticated": true, "apiExtensions": extensions})
}

/// A note as the plugin returns it. The content is that of the editor, and is not used here.
fn note(path: &str) -> Value {
    let stat = json!({"ctime": 1, "mtime": 2, "size": 6});
    json!({"path": path, "content": "in the editor", "frontmatter": {}, "tags": [], "stat": stat})
}
