//! A server that listens on a free port, and a client for it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::drivers::client::{CallResult, Era};
use crate::waiting::{TIMEOUT, end};

/// A home folder for a program, so that the user's files have no effect.
pub struct Home {
    folder: TempDir,
}

impl Home {
    /// An empty one.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command that runs a program with this home.
    pub fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().env("XDG_DATA_HOME", self.path().join("data"));
        command.env("XDG_CONFIG_HOME", self.path().join("config")).env("HOME", self.path());
        command
    }

    /// Creates a token and returns it.
    pub fn token(&self, program: &Path, role: &str) -> String {
        let made = self.command(program, &["token", "new", "--role", role]).output().unwrap();
        assert!(made.status.success(), "{made:?}");
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }

    /// Starts a server and waits until it listens.
    pub fn serve(&self, program: &Path, flags: &[&str]) -> Server {
        let arguments = [&["serve", "--http", "127.0.0.1:0"], flags].concat();
        Server::start(self.command(program, &arguments))
    }
}

/// A running server. It is stopped when dropped.
pub struct Server {
    /// The process.
    pub child: Child,
    /// The URL of `/mcp`.
    pub url: String,
    agent: ureq::Agent,
    /// Read continuously: a server with a full standard error blocks.
    said: Option<JoinHandle<String>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(said: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    (said.read_line(&mut line).unwrap() > 0).then(|| line.trim_end().to_owned())
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The header fields.
    pub headers: ureq::http::HeaderMap,
    /// The whole body.
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The message of a refusal.
    pub fn error(&self) -> Value {
        self.json()["error"].take()
    }

    /// The result of a request that was answered.
    pub fn result(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        let mut json = self.json();
        assert!(json.get("result").is_some(), "{self:?}");
        json["result"].take()
    }
}

impl Server {
    /// Runs a command that serves, until it listens.
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let (sender, found) = channel();
        let said = std::thread::spawn(move || {
            let mut lines = std::iter::from_fn(|| line(&mut said));
            let url = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
            if let Some(url) = url {
                // Unless nobody waits for it any more.
                let _ = sender.send(url);
            }
            let mut rest = String::new();
            said.read_to_string(&mut rest).unwrap();
            rest
        });
        let mut server = Self { child, url: String::new(), agent: agent(), said: Some(said) };
        let url = found.recv_timeout(TIMEOUT).expect("it ended before it listened, or hangs");
        // A local client can connect to an unspecified address.
        server.url = url.replace("0.0.0.0", "127.0.0.1");
        server
    }

    /// Closes the kept connections, so that the next request opens a new one.
    pub fn disconnect(&mut self) {
        self.agent = agent();
    }

    /// Kills the server, and returns its standard error since it listened.
    pub fn end(mut self) -> String {
        self.child.kill().unwrap();
        self.said.take().unwrap().join().unwrap()
    }

    /// Waits until the server ends by itself, and returns its exit code.
    pub fn wait(&mut self) -> Option<i32> {
        end(&mut self.child).code()
    }

    /// `127.0.0.1:PORT`.
    pub fn address(&self) -> &str {
        let address = self.url.trim_start_matches("http://");
        address.split_once('/').map_or(address, |(address, _)| address)
    }

    /// Requests a path of the server.
    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.without_body("GET", path, headers)
    }

    /// Sends a request of this method to any path.
    pub fn without_body(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let request = ureq::http::Request::builder().method(method);
        let request = request.uri(format!("http://{}{path}", self.address()));
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        answer(self.agent.run(request.body(()).unwrap()).unwrap())
    }

    /// Stops the server with a signal and waits for its end. Returns its standard error since it listened.
    #[cfg(unix)]
    pub fn stop(mut self) -> String {
        let pid = nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
        assert_eq!(self.wait(), Some(0));
        self.said.take().unwrap().join().unwrap()
    }

    /// Posts a body to any path.
    pub fn post_to(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let request = self.agent.post(format!("http://{}{path}", self.address()));
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        answer(request.send(body).unwrap())
    }

    /// Posts a body to a path below `/mcp`.
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
        let request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        answer(request.send(body.as_ref()).unwrap())
    }

    /// A client of one endpoint.
    pub fn client(&self, path: &str) -> Client<'_> {
        Client { server: self, path: path.to_owned(), era: Era::Initialize, headers: Vec::new() }
    }
}

fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().timeout_global(Some(TIMEOUT));
    config.http_status_as_error(false).build().into()
}

/// Reads a response to its end.
fn answer(mut response: ureq::http::Response<ureq::Body>) -> Answer {
    let body = response.body_mut().read_to_string().unwrap();
    Answer { status: response.status().as_u16(), headers: response.headers().clone(), body }
}

/// Sends independent MCP requests to one endpoint.
#[derive(Clone)]
pub struct Client<'a> {
    server: &'a Server,
    path: String,
    era: Era,
    headers: Vec<(String, String)>,
}

impl Client<'_> {
    /// Uses this protocol revision.
    #[must_use]
    pub fn in_era(mut self, era: Era) -> Self {
        self.era = era;
        self
    }

    /// Adds a header field.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds an access token.
    #[must_use]
    pub fn bearing(self, token: &str) -> Self {
        self.with("authorization", &format!("Bearer {token}"))
    }

    /// Sends a request and waits for the answer.
    pub fn request(&self, method: &str, params: Value) -> Answer {
        let (body, extra) = message(self.era, method, params);
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let extra = extra.iter().map(|(name, value)| (*name, value.as_str()));
        let headers: Vec<(&str, &str)> = own.chain(extra).collect();
        self.server.post(&self.path, &headers, body.to_string())
    }

    /// The names of the tools, in order.
    pub fn tools(&self) -> Vec<String> {
        let result = self.request("tools/list", json!({})).result();
        let tools = result["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Calls a tool; the answer must be a result, which may be a failure.
    pub fn call(&self, tool: &str, arguments: &Value) -> CallResult {
        let params = json!({"name": tool, "arguments": arguments});
        CallResult(self.request("tools/call", params).result())
    }
}

/// A request and the headers that its revision requires.
pub fn message(era: Era, method: &str, mut params: Value) -> (Value, Vec<(&'static str, String)>) {
    let mut headers = vec![("mcp-protocol-version", "2025-11-25".to_owned())];
    if era == Era::Stateless {
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        params["_meta"]["io.modelcontextprotocol/clientInfo"] =
            json!({"name": "tests", "version": "1"});
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        headers = vec![
            ("mcp-protocol-version", "2026-07-28".to_owned()),
            ("mcp-method", method.to_owned()),
        ];
        headers.extend(params["name"].as_str().map(|name| ("mcp-name", name.to_owned())));
    }
    (json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers)
}
