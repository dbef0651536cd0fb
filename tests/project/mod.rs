//! The operations of projects as a client sees them, in real folders.
#![expect(clippy::unwrap_used, reason = "a fixture that fails fails the test")]
#![expect(clippy::needless_pass_by_value, reason = "calls read better with `json!` inside")]

mod batches;
mod configuration;
mod documents;
mod entities;
mod files;
mod mistakes;
mod official_client;
mod older_names;
mod specification;
mod teams;
mod tokens;
mod views;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwrit_tests::drivers::client::{CallResult, Client};
use toolwrit_tests::files::put;
use toolwrit_tests::vaults;

/// A vault, and a client of its server on the flat surface.
struct Session {
    folder: TempDir,
    data: TempDir,
    client: Client,
}

impl Session {
    fn new() -> Self {
        Self::with(&[], &[])
    }

    /// Serves a vault with these files.
    fn with(files: &[(&str, &str)], flags: &[&str]) -> Self {
        let (folder, data) = (vaults::empty(), TempDir::new().unwrap());
        for (path, text) in files {
            put(&folder.path().join(path), text);
        }
        let client = serve(folder.path(), data.path(), flags);
        Self { folder, data, client }
    }

    /// Another server for the same vault and the same user.
    fn restart(&mut self) {
        self.client = serve(self.folder.path(), self.data.path(), &[]);
    }

    fn call(&mut self, tool: &str, arguments: Value) -> CallResult {
        self.client.call(tool, &arguments)
    }

    /// Calls an operation on decisions and documents.
    fn documents(&mut self, action: &str, mut arguments: Value) -> CallResult {
        arguments["action"] = action.into();
        self.call("manage_documents", arguments)
    }

    /// Creates an entity and returns its id.
    fn made(&mut self, kind: &str, data: Value) -> String {
        let made = self.call("create_entity", json!({"type": kind, "data": data})).ok();
        made["id"].as_str().unwrap().to_owned()
    }

    fn update(&mut self, id: &str, data: Value) {
        self.call("update_entity", json!({"id": id, "data": data})).ok();
    }

    /// The named fields of an entity.
    fn get(&mut self, id: &str, fields: &[&str]) -> Value {
        self.call("get_entity", json!({"id": id, "fields": fields})).ok()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Writes a file as a person does, without the server.
    fn write(&self, path: &str, text: &str) {
        put(&self.path(path), text);
    }
}

fn serve(vault: &Path, data: &Path, flags: &[&str]) -> Client {
    let data = data.to_str().unwrap();
    let surface: &[&str] = if flags.contains(&"--surface") { &[] } else { &["--surface", "flat"] };
    let flags = [surface, flags].concat();
    Client::vault_in(&[("TOOLWRIT_DATA_DIR", data)], vault, &flags)
}

/// The values of a field of objects, as texts.
fn all<'v>(items: &'v Value, field: &str) -> Vec<&'v str> {
    items.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}
