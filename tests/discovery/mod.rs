//! Finding operations by their purpose, through the interfaces for people and for models.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod answers;
mod languages;
mod paraphrases;
mod ranking;
mod wishes;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::Client;
use toolwrit_tests::vaults;

/// The shipped server with the meta surface.
struct Server {
    client: Client,
    _vault: TempDir,
}

impl Server {
    fn start(arguments: &[&str]) -> Self {
        let vault = vaults::empty();
        vaults::switch_on_plugins(vault.path());
        // The active file exists, so that every operation can be found.
        let certificate = "00".repeat(32);
        let obsidian = [
            ("TOOLWRIT_OBSIDIAN_API_KEY", "never sent"),
            ("TOOLWRIT_OBSIDIAN_CERT", certificate.as_str()),
        ];
        let arguments = [&["--surface", "meta"], arguments].concat();
        let mut client = Client::vault_in(&obsidian, vault.path(), &arguments);
        // A call waits until the plugins have been examined; a list does not.
        client.call("execute_read", &json!({"tool": "vault.list", "args": {}}));
        Self { client, _vault: vault }
    }

    /// The full answer to a search.
    fn answer(&mut self, arguments: &Value) -> Value {
        self.client.call("search_tools", arguments).ok()
    }

    /// The ids of all operations that the caller may use.
    fn operations(&mut self) -> Vec<String> {
        let introspected = self.client.call("introspect", &json!({})).ok();
        let categories = introspected["categories"].as_array().unwrap().iter();
        let names = categories.map(|category| category["name"].clone()).collect::<Vec<_>>();
        let listed = |category| self.answer(&json!({ "category": category, "limit": 50 }));
        names.into_iter().map(listed).flat_map(|answer| ids(&answer)).collect()
    }

    /// The ids found, best first.
    fn search(&mut self, query: &str) -> Vec<String> {
        ids(&self.answer(&json!({ "query": query, "limit": 50 })))
    }
}

/// `vault.read(..) -> ..` is `vault.read`.
fn ids(answer: &Value) -> Vec<String> {
    let lines = answer["results"].as_array().unwrap().iter();
    let id = |line: &Value| line.as_str().unwrap().split('(').next().unwrap().to_owned();
    lines.map(id).collect()
}
