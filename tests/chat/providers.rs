//! The APIs of providers, as aimock imitates them, behind a tap that keeps the requests as they were sent.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::program::workspace;
use toolwrit_tests::requirement::{Need, met};

/// The dialects, and the paths of their APIs.
pub(crate) const DIALECTS: [(&str, &str); 10] = [
    ("openai", "v1/"),
    ("openai-responses", "v1/"),
    ("anthropic", "v1/"),
    ("gemini", "v1beta/"),
    ("ollama", ""),
    ("azure", "openai/v1/"),
    ("openrouter", "api/v1/"),
    ("deepseek", "v1/"),
    ("grok", "v1/"),
    ("mistral", "v1/"),
];

/// What `install` there has installed.
pub(crate) fn vendors(path: &str) -> PathBuf {
    workspace().join("server/chat/tests/vendors").join(path)
}

pub(crate) struct Providers {
    mock: Child,
    pub(crate) base: String,
    requests: Arc<Mutex<Vec<Value>>>,
    _fixtures: TempDir,
}

impl Providers {
    /// Providers that answer as the fixtures say; `None` if aimock is not installed.
    pub(crate) fn new(fixtures: &[Value]) -> Option<Self> {
        let program = vendors("node_modules/.bin/llmock");
        let needs = [Need::Program("node".as_ref(), (22, 0)), Need::File(&program)];
        if !met(&needs, "server/chat/tests/vendors/install") {
            return None;
        }
        let home = TempDir::new().unwrap();
        let file = home.path().join("fixtures.json");
        let fixtures: Vec<Value> = fixtures.iter().flat_map(with_gemini).collect();
        std::fs::write(&file, json!({ "fixtures": fixtures }).to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["--port", "0", "--strict", "--fixtures"]).arg(file);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut mock = command.spawn().unwrap();
        let mut lines = BufReader::new(mock.stdout.take().unwrap()).lines();
        let address = lines
            .find_map(|line| Some(line.ok()?.split_once("http://")?.1.trim().to_owned()))
            .unwrap();
        // It would wait if nobody read on.
        thread::spawn(move || lines.for_each(drop));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}/", listener.local_addr().unwrap());
        let requests = Arc::default();
        let kept = Arc::clone(&requests);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (address, kept) = (address.clone(), Arc::clone(&kept));
                // A client may end while it listens.
                thread::spawn(move || passed_on(connection, &address, &kept));
            }
        });
        Some(Self { mock, base, requests, _fixtures: home })
    }

    /// The bodies of the requests since the last time.
    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }

    /// The configuration of a model in a dialect.
    pub(crate) fn config(&self, dialect: &str, path: &str) -> String {
        format!(
            "[models.writer]\ndialect = \"{dialect}\"\nmodel = \"{dialect}\"\nbase_url = \"{}{path}\"\n\n",
            self.base
        )
    }
}

impl Drop for Providers {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.mock.kill();
        let _ = self.mock.wait();
    }
}

/// A fixture, and the one for Gemini. Gemini ends calls as it ends words, and aimock with a reason that Gemini does not have.
fn with_gemini(fixture: &Value) -> [Value; 2] {
    let mut gemini = fixture.clone();
    gemini["match"]["model"] = json!("gemini");
    gemini["response"]["finishReason"] = json!("stop");
    [gemini, fixture.clone()]
}

/// Passes requests on, and responses back.
fn passed_on(client: TcpStream, address: &str, kept: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut server = TcpStream::connect(address)?;
    let (mut responses, mut listener) = (server.try_clone()?, client.try_clone()?);
    thread::spawn(move || {
        // Either side may end first.
        let _ = std::io::copy(&mut responses, &mut listener);
        let _ = listener.shutdown(Shutdown::Both);
    });
    let mut requests = BufReader::new(client);
    while let Some((head, body)) = request(&mut requests)? {
        kept.lock().unwrap().push(serde_json::from_slice(&body)?);
        server.write_all(head.as_bytes())?;
        server.write_all(&body)?;
    }
    server.shutdown(Shutdown::Write)
}

/// The head and the body of the next request.
fn request(from: &mut impl BufRead) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let (mut head, mut length) = (String::new(), 0);
    while !head.ends_with("\r\n\r\n") {
        let begin = head.len();
        if from.read_line(&mut head)? == 0 {
            return Ok(None);
        }
        let line = head[begin..].to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body)?;
    Ok(Some((head, body)))
}
