//! The operations of the vault as a client sees them, in real folders.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a fixture that fails fails the test")]

mod active;
mod aliases;
mod attachments;
mod bases;
mod confirming;
mod confirming_one;
mod daily;
mod dataview;
mod dataview_js;
mod deleting;
mod finding;
mod hostile;
mod links;
mod many;
mod meanings;
mod moving;
mod odd;
mod patching;
mod plugins;
mod properties;
mod reading;
mod round_trips;
mod several;
mod tagging;
mod tasks;
mod templates;
mod undoing;
mod unlisted;
mod writing;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

/// A vault, and a client of its server on the flat surface.
struct Session {
    folder: TempDir,
    client: Client,
}

impl Session {
    /// Serves a vault with these files and its own trash.
    fn with(files: &[(&str, &[u8])]) -> Self {
        Self::on(vaults::empty(), files)
    }

    /// Serves this folder, with these files added.
    fn on(folder: TempDir, files: &[(&str, &[u8])]) -> Self {
        for (path, bytes) in files {
            put(&folder.path().join(path), bytes);
        }
        let client = Client::vault(folder.path(), &["--surface", "flat"]);
        Self { folder, client }
    }

    /// Calls `vault_<operation>`. The result has no id by which it is undone.
    #[expect(clippy::needless_pass_by_value, reason = "calls read better with `json!` inside")]
    fn call(&mut self, operation: &str, arguments: Value) -> CallResult {
        let mut result = self.client.call(&format!("vault_{operation}"), &arguments);
        result.take_undo();
        result
    }

    /// Calls `active_file_<operation>`.
    #[expect(clippy::needless_pass_by_value, reason = "as above")]
    fn call_active(&mut self, operation: &str, arguments: Value) -> CallResult {
        let mut result = self.client.call(&format!("active_file_{operation}"), &arguments);
        result.take_undo();
        result
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn exists(&self, path: &str) -> bool {
        self.path(path).symlink_metadata().is_ok()
    }

    fn etag(&mut self, path: &str) -> String {
        let note = self.call("read", serde_json::json!({ "path": path })).ok();
        note["etag"].as_str().expect("an etag").to_owned()
    }
}

/// The paths in a list of objects.
fn paths(items: &Value) -> Vec<&str> {
    items.as_array().unwrap().iter().map(|item| item["path"].as_str().unwrap()).collect()
}

/// Waits for a list that has, or does not have, a tool. Between two lists a client reads only what the server tells it.
fn until_listed(client: &mut Client, tool: &str, is_listed: bool) {
    let lists = |client: &mut Client| client.tools().iter().any(|listed| listed["name"] == tool);
    while lists(client) != is_listed {
        let known = |note: &Value| note["method"] == "notifications/tools/list_changed";
        if let Some(at) = client.notifications.iter().position(known) {
            client.notifications.remove(at);
            continue;
        }
        let message = client.next_message();
        client.notifications.push(message);
    }
}
