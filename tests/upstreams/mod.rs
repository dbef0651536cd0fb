//! The servers of others behind one Toolwrit: held until approved, called on every surface, and never trusted.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod approving;
mod arguments;
mod asking_over_http;
mod clients;
mod commands;
mod conversing;
mod decisions;
mod fields;
mod finding;
mod hostile;
#[cfg(target_os = "linux")]
mod killed;
mod limits;
mod listed_names;
mod living;
mod logins;
mod metrics;
mod nesting;
mod offers;
mod operated;
mod others;
mod overriding;
mod passing;
mod pinned;
mod pulled;
mod questions;
mod restarted;
mod scripted;
mod sdk;
mod selecting;
mod tasks;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client, Era, User};
use toolwrit_tests::drivers::http::Server;
use toolwrit_tests::program::toolwrit;

const SURFACES: [&str; 3] = ["flat", "dispatch", "meta"];

/// A folder with a configuration.
struct Setup {
    folder: TempDir,
    config: PathBuf,
}

impl Setup {
    fn new(configuration: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.toml");
        fs::write(&config, configuration).unwrap();
        Self { folder, config }
    }

    /// Runs the program with the configuration. No vault is named, so that it serves upstreams alone.
    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(toolwrit());
        command
            .args(arguments)
            .arg("--config")
            .arg(&self.config)
            .env_remove("TOOLWRIT_VAULT")
            .env("HOME", self.folder.path())
            .env("TOOLWRIT_DATA_DIR", self.folder.path());
        command
    }

    /// The same, for a command that must succeed. Returns what it prints.
    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn approve(&self, upstream: &str) {
        self.done(&["upstream", "approve", upstream, "--yes"]);
    }

    fn serve(&self, surface: &'static str, era: Era) -> Host {
        self.serve_for(User::Agrees, surface, era)
    }

    fn serve_with(&self, surface: &'static str, era: Era, more: &[&str]) -> Host {
        self.host(User::Agrees, surface, era, more)
    }

    fn serve_for(&self, user: User, surface: &'static str, era: Era) -> Host {
        self.host(user, surface, era, &[])
    }

    fn host(&self, user: User, surface: &'static str, era: Era, more: &[&str]) -> Host {
        let config = self.config.to_str().unwrap();
        let data = self.folder.path().to_str().unwrap();
        let arguments = ["serve", "--surface", surface, "--config", config, "--data-dir", data];
        let arguments = [&arguments, more].concat();
        Host { client: Client::connect_for(user, toolwrit(), &arguments, era), surface }
    }
}

/// A server on standard streams, and its surface.
struct Host {
    client: Client,
    surface: &'static str,
}

impl Host {
    fn begin(&mut self, id: &str, effect: &str, arguments: &Value) -> u64 {
        let (category, name) = id.split_once('.').unwrap();
        let (tool, arguments) = match self.surface {
            "flat" => (format!("{category}_{}", name.replace('.', "_")), arguments.clone()),
            "dispatch" => {
                (format!("{category}_{effect}"), json!({"operation": name, "params": arguments}))
            }
            _ => (format!("execute_{effect}"), json!({"tool": id, "args": arguments})),
        };
        self.client.begin_call(&tool, &arguments)
    }

    /// Calls an operation that reads.
    fn read(&mut self, id: &str, arguments: &Value) -> CallResult {
        let id = self.begin(id, "read", arguments);
        self.client.finish_call(id)
    }

    /// The names of the tools, on the flat surface.
    fn tools(&mut self) -> Vec<String> {
        let tools = self.client.tools();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// What the server says about its upstreams, which has the form that its tool promises.
    fn introspect(&mut self) -> Value {
        let said = self.read("system.introspect", &json!({})).ok();
        let tools = self.client.tools();
        if let Some(tool) = tools.iter().find(|tool| tool["name"] == "system_introspect") {
            let schema = jsonschema::validator_for(&tool["outputSchema"]).unwrap();
            let mistakes: Vec<_> = schema.iter_errors(&said).collect();
            assert!(mistakes.is_empty(), "{mistakes:?}: {said}");
        }
        said
    }
}

/// A gateway over HTTP with a configuration and further flags.
fn gateway(setup: &Setup, flags: &[&str]) -> Server {
    let mut command = Command::new(toolwrit());
    command
        .args(["serve", "--http", "127.0.0.1:0", "--config"])
        .arg(&setup.config)
        .args(flags)
        .env_remove("TOOLWRIT_VAULT")
        .env("HOME", setup.folder.path())
        .env("TOOLWRIT_DATA_DIR", setup.folder.path());
    Server::start(command)
}
