//! Which file is active in Obsidian, by the layout of its windows. Obsidian saves that a moment after
//! each change, and it stays when Obsidian ends: `workspace.json`, or `workspace-mobile.json` on phones
//! and tablets. Of both, the one saved last counts. They are read, and never written.
//!
//! The active file is that of the leaf whose id the layout calls active, wherever the leaf stands: in a
//! split, a sidebar, a window of its own. Where that leaf shows no file, as the graph or a new tab, it is
//! the one that was opened last.

use std::sync::{Mutex, PoisonError};

use cap_std::fs::Dir;
use serde_json::Value;

use crate::error::Result;
use crate::obsidian::{CONFIG_FOLDER, find_config, read_json};
use crate::path::VaultPath;
use crate::vault::Vault;

const LAYOUTS: [&str; 2] = ["workspace.json", "workspace-mobile.json"];

/// Why the vault does not tell which file is active.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Obsidian has saved no layout.
    #[error("there is no `{file}`, which tells the active file")]
    Missing {
        /// Where it would be, in the vault.
        file: String,
    },
    /// The layout cannot be read or is not one.
    #[error("`{file}` does not tell the active file: {reason}")]
    Malformed {
        /// Where it is, in the vault.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No file is open, and none was.
    #[error("no file is open in Obsidian, as `{file}` has it")]
    NothingOpen {
        /// Where that is written, in the vault.
        file: String,
    },
}

impl Vault {
    /// The file that is active in Obsidian, under its own name, as Obsidian last saved it.
    ///
    /// # Errors
    /// `NoActiveFile` if that cannot be told, `NotFound` if the file is not there any more; as
    /// [`locate`](Self::locate) otherwise.
    pub fn active_file(&self) -> Result<VaultPath> {
        // One after the other: as values, a layout takes many times its room.
        static READING: Mutex<()> = Mutex::new(());
        let reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = match find_config(&self.root().dir) {
            Some((folder, config)) => saved_file(&folder, &config)?,
            None => return Err(missing(CONFIG_FOLDER).into()),
        };
        drop(reading);
        self.locate(&path)
    }
}

/// The active file by the newest layout in Obsidian's folder.
fn saved_file(folder: &str, config: &Dir) -> Result<VaultPath, WorkspaceError> {
    let name = newest_layout(config).ok_or_else(|| missing(folder))?;
    let file = format!("{folder}/{name}");
    let malformed = |reason| WorkspaceError::Malformed { file: file.clone(), reason };
    // Between the look and the reading it may be gone.
    let layout = read_json(config, name).map_err(malformed)?.ok_or_else(|| missing(folder))?;
    let path = active_path(&layout).map_err(|reason| malformed(reason.to_owned()))?;
    let path = path.ok_or(WorkspaceError::NothingOpen { file: file.clone() })?;
    VaultPath::parse(path).map_err(|error| malformed(format!("`{}` is an {error}", error.path)))
}

fn missing(folder: &str) -> WorkspaceError {
    WorkspaceError::Missing { file: format!("{folder}/{}", LAYOUTS[0]) }
}

/// The layout that was saved last; the first of them, if both were at once.
fn newest_layout(config: &Dir) -> Option<&'static str> {
    let saved = |name: &&'static str| {
        let modified = config.symlink_metadata(name).ok()?.modified().ok()?;
        Some((modified, *name))
    };
    let newer = |old: (_, _), new: (_, _)| if new.0 > old.0 { new } else { old };
    LAYOUTS.iter().filter_map(saved).reduce(newer).map(|(_, name)| name)
}

/// The file of the active leaf, else the first of those opened last, as the layout has it.
fn active_path(layout: &Value) -> Result<Option<&str>, &'static str> {
    if !layout.is_object() {
        return Err("it is not a JSON object");
    }
    let id = text(layout, "active", "`active` is not the id of a leaf")?;
    let leaf = id.and_then(|id| find_leaf(layout, id));
    let shown = leaf.and_then(|leaf| leaf.pointer("/state/state"));
    match shown.map(|state| text(state, "file", "the `file` of the active leaf is not a path")) {
        Some(Ok(None)) | None => last_opened(layout),
        Some(shown) => shown,
    }
}

/// The leaf with this id, in any side of the layout.
fn find_leaf<'a>(layout: &'a Value, id: &str) -> Option<&'a Value> {
    let mut open: Vec<&Value> = layout.as_object()?.values().collect();
    while let Some(item) = open.pop() {
        if item["type"] == "leaf" && item["id"] == id {
            return Some(item);
        }
        open.extend(item["children"].as_array().into_iter().flatten());
    }
    None
}

fn last_opened(layout: &Value) -> Result<Option<&str>, &'static str> {
    let malformed = "`lastOpenFiles` is not a list of paths";
    match layout.get("lastOpenFiles") {
        None => Ok(None),
        Some(Value::Array(files)) => {
            files.first().map(|file| file.as_str().ok_or(malformed)).transpose()
        }
        Some(_) => Err(malformed),
    }
}

/// The text under a key; nothing if it is absent or empty.
fn text<'a>(
    object: &'a Value,
    key: &str,
    otherwise: &'static str,
) -> Result<Option<&'a str>, &'static str> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
        Some(_) => Err(otherwise),
    }
}
