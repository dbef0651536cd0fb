//! Projects through the public API, on real folders.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![cfg(unix)]

mod batches;
mod canvases;
mod claims;
mod creating;
mod documents;
mod finding;
mod getting;
mod hostile;
mod killed;
mod random;
mod reading;
mod texts;
mod updating;

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Map, Value};
use tempfile::TempDir;
use toolwrit_project::{
    Changed, EntityId, EntityKind, ProjectError, Selection, Workspace, WorkspaceSettings,
    Workspaces,
};
use toolwrit_vault::{Folder, OpenOptions, Vault};

/// A vault in its own folder, with one workspace in `Projects`, and a clock that stands still.
struct Sandbox {
    dir: TempDir,
    workspaces: Workspaces,
    now: Timestamp,
}

impl Sandbox {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir_all(dir.path().join("vault/.obsidian")).unwrap();
        let workspaces = open(&dir.path().join("vault"));
        Self { dir, workspaces, now: parse_time("2026-03-01T00:00:00Z") }
    }

    fn workspace(&self) -> &Workspace {
        self.workspaces.find_by_name(None).unwrap()
    }

    /// The path on disk of a file in the vault.
    fn file(&self, path: &str) -> PathBuf {
        self.dir.path().join("vault").join(path)
    }

    /// Writes a note of the workspace without the engine, and waits until it is seen.
    fn put(&self, name: &str, text: &str) {
        let file = self.file(&format!("Projects/{name}.md"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self.workspace().wait_for_index(&never).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(&format!("Projects/{name}.md"))).unwrap()
    }

    fn create(&self, kind: &str, data: Value) -> Result<Changed, ProjectError> {
        let kind = EntityKind::from_name(kind).unwrap();
        self.workspace().create(kind, &map(data), "", None, self.now, &never)
    }

    /// Creates an entity and returns its id.
    fn made(&self, kind: &str, data: Value) -> String {
        self.create(kind, data).unwrap().id.to_string()
    }

    fn update(&self, id: &str, data: Value) -> Result<Changed, ProjectError> {
        self.workspace().update(self::id(id), &map(data), None, self.now, &never)
    }

    fn get(&self, id: &str, fields: &[&str]) -> Value {
        let got = self.workspace().get(self::id(id), &Selection::from_names(fields), &never);
        Value::Object(got.unwrap())
    }

    /// The problems of the project, as they are shown.
    fn problems(&self) -> Vec<String> {
        let project = self.workspace().project(&never).unwrap();
        project.problems().iter().map(ToString::to_string).collect()
    }
}

/// Opens a vault as a process does.
fn open(vault: &Path) -> Workspaces {
    let state = Some(vault.with_file_name("state"));
    let vault = Vault::open_with(vault, OpenOptions { state, ..OpenOptions::default() }).unwrap();
    let folder = Folder::parse("Projects").unwrap();
    Workspaces::new(&vault, vec![WorkspaceSettings { name: "main".to_owned(), folder }]).unwrap()
}

fn parse_time(time: &str) -> Timestamp {
    time.parse().unwrap()
}

fn id(text: &str) -> EntityId {
    text.parse().unwrap()
}

fn map(data: Value) -> Map<String, Value> {
    let Value::Object(data) = data else { panic!("{data} is no object") };
    data
}

fn never() -> bool {
    false
}
