//! The active file in Obsidian, read from the layout of its windows. Obsidian saves the layout a
//! moment after each change and keeps it when it ends: in `workspace.json`, or on phones and
//! tablets in `workspace-mobile.json`. The one saved last counts. Both are only read.
//!
//! The active file is that of the leaf whose id the layout calls active, in a split, a sidebar or a
//! window of its own. If that leaf shows no file, such as a graph or a new tab, the active file is
//! the one opened last.

use std::sync::{Mutex, PoisonError};

use cap_std::fs::Dir;
use serde_json::Value;

use crate::error::LayoutError;
use crate::obsidian::settings::{CONFIG_FOLDER, find_config, read_json};
use crate::path::VaultPath;

const LAYOUTS: [&str; 2] = ["workspace.json", "workspace-mobile.json"];

/// The path of the file that is active in Obsidian, as Obsidian last saved it.
pub(crate) fn read_active_path(root: &Dir) -> Result<VaultPath, LayoutError> {
    // Read one layout at a time, because a parsed layout takes many times its size in memory.
    static READING: Mutex<()> = Mutex::new(());
    let _reading = READING.lock().unwrap_or_else(PoisonError::into_inner);
    match find_config(root) {
        Some((folder, config)) => read_saved_file(&folder, &config),
        None => Err(no_file_error(CONFIG_FOLDER)),
    }
}

/// The active file according to the newest layout in Obsidian's folder.
fn read_saved_file(folder: &str, config: &Dir) -> Result<VaultPath, LayoutError> {
    let name = newest_layout(config).ok_or_else(|| no_file_error(folder))?;
    let file = format!("{folder}/{name}");
    let malformed = |reason| LayoutError::Malformed { file: file.clone(), reason };
    // The layout may have been removed since it was found.
    let layout =
        read_json(config, name).map_err(malformed)?.ok_or_else(|| no_file_error(folder))?;
    let path = find_active(&layout).map_err(|reason| malformed(reason.to_owned()))?;
    let path = path.ok_or(LayoutError::NothingOpen { file: file.clone() })?;
    VaultPath::from_disk(path).map_err(|error| malformed(format!("`{}` is an {error}", error.path)))
}

fn no_file_error(folder: &str) -> LayoutError {
    LayoutError::Missing { file: format!("{folder}/{}", LAYOUTS[0]) }
}

/// The layout that was saved last; the first one if both were saved at the same time.
fn newest_layout(config: &Dir) -> Option<&'static str> {
    let saved = |name: &&'static str| {
        let modified = config.symlink_metadata(name).ok()?.modified().ok()?;
        Some((modified, *name))
    };
    let newer = |old: (_, _), new: (_, _)| if new.0 > old.0 { new } else { old };
    LAYOUTS.iter().filter_map(saved).reduce(newer).map(|(_, name)| name)
}

/// The file of the active leaf, otherwise the file opened last, according to the layout.
fn find_active(layout: &Value) -> Result<Option<&str>, &'static str> {
    if !layout.is_object() {
        return Err("it is not a JSON object");
    }
    let id = text_under(layout, "active", "`active` is not the id of a leaf")?;
    let leaf = id.and_then(|id| find_leaf(layout, id));
    let shown = leaf.and_then(|leaf| leaf.pointer("/state/state"));
    match shown
        .map(|state| text_under(state, "file", "the `file` of the active leaf is not a path"))
    {
        Some(Ok(None)) | None => find_last_opened(layout),
        Some(shown) => shown,
    }
}

/// The leaf with this id, anywhere in the layout.
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

fn find_last_opened(layout: &Value) -> Result<Option<&str>, &'static str> {
    let malformed = "`lastOpenFiles` is not a list of paths";
    match layout.get("lastOpenFiles") {
        None => Ok(None),
        Some(Value::Array(files)) => {
            files.first().map(|file| file.as_str().ok_or(malformed)).transpose()
        }
        Some(_) => Err(malformed),
    }
}

/// The text under a key; `None` if it is absent or empty.
fn text_under<'a>(
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
