//! The server on a real WordPress, which `tests/install` in this package's folder installs.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]
#![expect(clippy::needless_pass_by_value, reason = "calls read better with `json!` inside")]

mod access;
mod administration;
mod blocks;
mod comments;
mod content;
mod failures;
mod media;
mod wordpress;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::rc::Rc;

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};

use wordpress::WordPress;

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_wpnav"))
}

/// The configuration of a server, and the folder of its data.
struct Home(Rc<TempDir>);

impl Home {
    /// A server that may change the site, as a user of it.
    fn new(site: &WordPress, user: &str) -> Self {
        Self::with(&site.api, user, site.password(user), "read_only = false")
    }

    /// A server with other settings, which `more` continues.
    fn with(url: &str, user: &str, password: &str, more: &str) -> Self {
        let home = Self(Rc::new(TempDir::new().unwrap()));
        let secret = home.secret(user, password);
        let provider = format!("url = {url:?}\nuser = {user:?}\nnetworks = [\"127.0.0.0/8\"]");
        let text = format!("{more}\n[providers.wordpress]\n{provider}\n{secret}\n");
        fs::write(home.path("config.toml"), text).unwrap();
        home
    }

    /// Adds an account with a user of its own.
    fn add_account(&self, user: &str, password: &str) {
        let mut text = fs::read_to_string(self.path("config.toml")).unwrap();
        let secret = self.secret(user, password);
        writeln!(text, "[providers.wordpress.accounts.{user}]\nuser = {user:?}\n{secret}").unwrap();
        fs::write(self.path("config.toml"), text).unwrap();
    }

    fn secret(&self, user: &str, password: &str) -> String {
        fs::write(self.path(user), password).unwrap();
        format!("password = {{ file = {:?} }}", self.path(user).display().to_string())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The flags that every command needs, and others.
    fn flags<'a>(&self, command: &'a str, others: &[&'a str]) -> Vec<String> {
        let config = self.path("config.toml").display().to_string();
        let data = self.path("data").display().to_string();
        let config_flags = ["--config", &config, command, "--data-dir", &data];
        config_flags.iter().chain(others).map(|flag| (*flag).to_owned()).collect()
    }

    /// A server with the flat surface, for a user who confirms everything.
    fn serve(&self, others: &[&str]) -> Server {
        self.serve_for(User::Agrees, &[&["--surface", "flat"], others].concat())
    }

    fn serve_for(&self, user: User, others: &[&str]) -> Server {
        let flags = self.flags("serve", others);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let client = Client::connect_for(user, program(), &flags, Era::Initialize);
        Server { client, _home: Rc::clone(&self.0) }
    }

    /// Calls an operation on the command line.
    fn call(&self, arguments: &[&str]) -> Output {
        Command::new(program()).args(self.flags("call", arguments)).output().unwrap()
    }
}

/// A running server. It reads its secrets at each call.
struct Server {
    client: Client,
    _home: Rc<TempDir>,
}

impl Server {
    /// Calls a tool of the flat surface.
    fn call(&mut self, tool: &str, arguments: Value) -> CallResult {
        self.client.call(&format!("wpnav_{tool}"), &arguments)
    }

    /// The result of a call that succeeds.
    fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).ok()
    }

    /// The failure of a call that fails.
    fn error(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).error()
    }
}
