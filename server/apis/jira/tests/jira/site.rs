//! Servers that stand in for Jira, and the configuration of a server for them.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tempfile::TempDir;
use toolwrit_test_servers::http::{HttpServer, ReceivedRequest, response};
use toolwrit_tests::drivers::client::{Client, Era, User};
use toolwrit_tests::requirement::{Need, met};

use crate::program;

const INSTALL: &str = "server/apis/jira/tests/stand-ins/install";

/// A user of Backlot.
pub(crate) const AVA: &str = "ava.chen@acme.com";

/// A running stand-in.
pub(crate) struct StandIn {
    child: Child,
    /// The root of its REST API.
    pub(crate) url: String,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl StandIn {
    /// A Jira of Data Center, which accepts changes and does not ask who makes them.
    pub(crate) fn jira820() -> Option<Self> {
        Self::python("jira820", "rest")
    }

    /// A Jira Cloud that people with different tokens read.
    pub(crate) fn backlot() -> Option<Self> {
        Self::python("backlot", "atlassian/rest")
    }

    /// Prism, which checks requests against Jira's description of its API, and answers with the examples in it.
    pub(crate) fn prism() -> Option<Self> {
        let (prism, document) =
            (folder("node_modules/.bin/prism"), folder("node_modules/jira.json"));
        if !met(&[Need::File(&prism), Need::File(&document)], INSTALL) {
            return None;
        }
        let mut command = Command::new(prism);
        command.args(["mock", "--port", "0"]).arg(document);
        Some(Self::start(command, "rest", |line| {
            let (_, port) = line.split_once("listening on http://127.0.0.1:")?;
            Some(port.trim().to_owned())
        }))
    }

    fn python(name: &str, root: &str) -> Option<Self> {
        let (python, corpus) = (folder(".venv/bin/python"), folder(".venv/corpus/tokens.yaml"));
        if !met(&[Need::Program(&python, (3, 11)), Need::File(&corpus)], INSTALL) {
            return None;
        }
        let mut command = Command::new(python);
        command.arg(folder("serve.py")).arg(name).env("DO_NOT_TRACK", "1");
        Some(Self::start(command, root, |line| {
            line.trim().parse::<u16>().ok().map(|port| port.to_string())
        }))
    }

    /// Starts a program, and waits until it says on which port it listens.
    fn start(mut command: Command, root: &str, port: impl Fn(&str) -> Option<String>) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| port(&line))
            .unwrap_or_else(|| panic!("it ended before it listened"));
        // A program whose standard output is full waits.
        thread::spawn(move || lines.for_each(drop));
        Self { child, url: format!("http://127.0.0.1:{port}/{root}") }
    }

    /// Ends it.
    pub(crate) fn end(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stand-ins").join(path)
}

/// The settings of a server for a Jira that answers every request with an empty object, for tests of what is offered.
pub(crate) fn answering() -> Configured {
    let jira = HttpServer::answering(|_| response(200, &[], "{}"));
    let configured = Configured::new(&jira.url("/rest"), "anna", "any");
    Configured { _jira: Some(jira), ..configured }
}

/// A Jira with one sprint that only certain tokens may read.
pub(crate) struct Tokens {
    valid: Arc<Mutex<Vec<String>>>,
    server: HttpServer,
}

impl Tokens {
    pub(crate) fn new<const N: usize>(tokens: [&str; N]) -> Self {
        let valid = Arc::new(Mutex::new(tokens.map(str::to_owned).to_vec()));
        let known = Arc::clone(&valid);
        let server = HttpServer::answering(move |request| {
            let is_valid = known.lock().unwrap().iter().any(|token| carries(request, token));
            if is_valid {
                response(200, &[], r#"{"id":7,"name":"Tides","state":"active"}"#)
            } else {
                response(401, &[], "{}")
            }
        });
        Self { valid, server }
    }

    /// The root of its REST API.
    pub(crate) fn url(&self) -> String {
        self.server.url("/rest")
    }

    pub(crate) fn revoke(&self, token: &str) {
        self.valid.lock().unwrap().retain(|valid| valid != token);
    }
}

/// Whether the credentials of a request are a token, with the user of that name.
fn carries(request: &ReceivedRequest, token: &str) -> bool {
    let basic = request.header("authorization").and_then(|text| text.strip_prefix("Basic "));
    let decoded = basic.and_then(|text| BASE64_STANDARD.decode(text).ok());
    decoded.is_some_and(|text| text.ends_with(format!(":{token}").as_bytes()))
}

/// The token of a user of Backlot.
pub(crate) fn token_of(user: &str) -> String {
    let text = fs::read_to_string(folder(".venv/corpus/tokens.yaml")).unwrap();
    let roster: Value = serde_yaml::from_str(&text).unwrap();
    let mut users = roster["users"].as_array().unwrap().iter().rev();
    let found = users.find(|entry| entry["email"] == user).unwrap();
    found["token"].as_str().unwrap().to_owned()
}

/// A server's configuration, with the settings of the operator and those of accounts.
pub(crate) struct Configured {
    folder: TempDir,
    text: String,
    /// Ends with the configuration.
    _jira: Option<HttpServer>,
}

impl Configured {
    pub(crate) fn new(url: &str, user: &str, token: &str) -> Self {
        let text = format!("[providers.jira]\nurl = {url:?}\nnetworks = [\"127.0.0.0/8\"]\n");
        Self { folder: TempDir::new().unwrap(), text, _jira: None }.with(user, token)
    }

    /// Adds the credentials of an account.
    pub(crate) fn account(mut self, name: &str, user: &str, token: &str) -> Self {
        writeln!(self.text, "[providers.jira.accounts.{name}]").unwrap();
        self.with(user, token)
    }

    fn with(mut self, user: &str, token: &str) -> Self {
        let file = self.folder.path().join(user);
        fs::write(&file, token).unwrap();
        let file = file.display().to_string();
        writeln!(self.text, "user = {user:?}\ntoken = {{ file = {file:?} }}").unwrap();
        fs::write(self.file(), &self.text).unwrap();
        self
    }

    /// The configuration file.
    pub(crate) fn file(&self) -> String {
        self.folder.path().join("config.toml").display().to_string()
    }

    /// A client of the server for a user who can be asked, or not.
    pub(crate) fn client(&self, user: User, flags: &[&str], era: Era) -> Client {
        let file = self.file();
        let flags = [&["serve", "--config", &file], flags].concat();
        Client::connect_for(user, program(), &flags, era)
    }
}
