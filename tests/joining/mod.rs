//! Operations that join and leave while the server runs, on every surface.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod capabilities;
mod cli;
mod contexts;
mod dump;
mod failing;
mod http;
mod load;
mod policy;
mod stdio;

use std::path::Path;

use serde_json::{Value, json};
use toolwrit_tests::drivers::client::{CallResult, Client, Era};

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_plugins"))
}

const SURFACES: [&str; 3] = ["flat", "dispatch", "meta"];

/// A tool call that runs an operation with this effect on a surface.
fn call(surface: &str, id: &str, effect: &str, arguments: Value) -> (String, Value) {
    let (category, name) = id.split_once('.').unwrap();
    match surface {
        "flat" => (format!("{category}_{}", name.replace([':', '.'], "_")), arguments),
        "dispatch" => {
            (format!("{category}_{effect}"), json!({"operation": name, "params": arguments}))
        }
        _ => (format!("execute_{effect}"), json!({"tool": id, "args": arguments})),
    }
}

/// A server on standard streams, and its surface.
struct Host {
    client: Client,
    surface: &'static str,
}

impl Host {
    fn start(surface: &'static str, flags: &[&str], era: Era) -> Self {
        let arguments = [&["serve", "--surface", surface], flags].concat();
        Self { client: Client::connect(program(), &arguments, era), surface }
    }

    fn begin(&mut self, id: &str, effect: &str, arguments: Value) -> u64 {
        let (tool, arguments) = call(self.surface, id, effect, arguments);
        self.client.begin_call(&tool, &arguments)
    }

    fn run(&mut self, id: &str, effect: &str, arguments: Value) -> CallResult {
        let id = self.begin(id, effect, arguments);
        self.client.finish_call(id)
    }

    fn install(&mut self, names: &[&str], effect: &str) {
        let installed =
            self.run("host.install", "write", json!({"names": names, "effect": effect}));
        assert_eq!(installed.text(), "installed");
    }

    fn remove(&mut self, names: &[&str]) {
        let removed = self.run("host.remove", "write", json!({ "names": names }));
        assert_eq!(removed.text(), names.len().to_string());
    }

    /// Whether `tools/list`, or its counterpart on the surface, has an operation.
    fn lists(&mut self, name: &str) -> bool {
        match self.surface {
            "flat" => {
                let tool = format!("plugin_kennel_{name}");
                self.client.tools().iter().any(|listed| listed["name"] == tool)
            }
            "dispatch" => {
                let tools = self.client.tools();
                let tool = tools.iter().find(|tool| tool["name"] == "plugin_read").unwrap();
                let names = tool["inputSchema"]["properties"]["operation"]["enum"].as_array();
                let is_listed = names.unwrap().contains(&format!("kennel:{name}").into());
                let discovered = self.client.call("discover", &json!({"category": "plugin"}));
                assert_eq!(
                    discovered.text().contains(&format!("plugin.kennel:{name}(")),
                    is_listed
                );
                is_listed
            }
            _ => {
                let query = json!({"query": format!("let {name} bark at the moon")});
                let found = self.client.call("search_tools", &query);
                let is_found = found.text().contains(&format!("plugin.kennel:{name}("));
                let named = json!({"tools": [format!("plugin.kennel:{name}")]});
                let described = self.client.call("describe_tools", &named).ok();
                assert_eq!(described["tools"].as_array().unwrap().len() == 1, is_found);
                is_found
            }
        }
    }
}
