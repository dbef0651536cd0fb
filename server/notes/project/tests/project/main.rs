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
mod relations;
mod texts;
mod updating;
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::{Map, Value};
use tempfile::TempDir;
use toolwrit_project::{
    CanvasPlan, Changed, EntityId, EntityKind, ProjectError, Selection, Workspace,
    WorkspaceSettings, Workspaces,
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

    /// Sets the times of all files, as if nobody had edited them since.
    fn set_file_times(&self, time: &str) {
        let time = std::time::SystemTime::from(parse_time(time));
        for entry in fs::read_dir(self.file("Projects")).unwrap() {
            let file = fs::OpenOptions::new().append(true).open(entry.unwrap().path()).unwrap();
            file.set_modified(time).unwrap();
        }
        self.workspace().wait_for_index(&never).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(&format!("Projects/{name}.md"))).unwrap()
    }

    fn create(&self, kind: &str, data: Value) -> Result<Changed, ProjectError> {
        let kind = EntityKind::from_name(kind).unwrap();
        self.workspace().create(kind, &map(data), "", &NO_CANVAS, self.now, &never)
    }

    /// Creates an entity and returns its id.
    fn made(&self, kind: &str, data: Value) -> String {
        self.create(kind, data).unwrap().id.to_string()
    }

    fn update(&self, id: &str, data: Value) -> Result<Changed, ProjectError> {
        let id = self.workspace().find_id(id, &never)?;
        self.workspace().update(id, &map(data), None, &NO_CANVAS, self.now, &never)
    }

    fn get(&self, id: &str, fields: &[&str]) -> Value {
        let id = self.workspace().find_id(id, &never).unwrap();
        let got = self.workspace().get(id, &Selection::from_names(fields), &never);
        Value::Object(got.unwrap())
    }

    /// The problems of the project, as they are shown.
    fn problems(&self) -> Vec<String> {
        let project = self.workspace().project(&never).unwrap();
        project.problems().iter().map(ToString::to_string).collect()
    }
}

/// No canvas.
pub(crate) const NO_CANVAS: CanvasPlan = CanvasPlan { path: None, add: false, remove: false };

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
