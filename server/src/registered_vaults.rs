//! The vaults that Obsidian knows: the file `obsidian.json` in its configuration folder, `{vaults: {ID: {path, ts, open}}}`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolwrit::{Check, folders};

#[derive(Deserialize)]
struct Registry {
    #[serde(default)]
    vaults: BTreeMap<String, Registered>,
}

#[derive(Deserialize)]
struct Registered {
    path: PathBuf,
}

/// Returns the folders of the vaults that Obsidian lists and that exist, in the order of their paths. Empty without Obsidian.
fn find() -> Vec<PathBuf> {
    let file = folders::configuration().map(|folder| folder.join("obsidian/obsidian.json"));
    let text = file.and_then(|file| std::fs::read_to_string(file).ok());
    let registry = text.and_then(|text| serde_json::from_str::<Registry>(&text).ok());
    let registered = registry.map(|registry| registry.vaults).unwrap_or_default().into_values();
    let mut folders: Vec<PathBuf> = registered.map(|vault| vault.path).collect();
    folders.retain(|folder| folder.is_dir());
    folders.sort();
    folders
}

/// Proposes the vaults that Obsidian lists and that are not served. `served` are the folders of the others.
pub(crate) fn check(served: &[PathBuf], is_sample: bool) -> Option<Check> {
    let is_served = |folder: &PathBuf| {
        let location = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        served.contains(&location)
    };
    let others: Vec<PathBuf> = find().into_iter().filter(|folder| !is_served(folder)).collect();
    if others.is_empty() {
        return None;
    }
    let names: Vec<String> = others.iter().map(|folder| format!("`{}`", name(folder))).collect();
    let flags: Vec<String> = others.iter().map(|folder| flag(folder)).collect();
    let (what, names, flags) = ("obsidian vaults", names.join(", "), flags.join(" "));
    Some(if is_sample {
        let message = format!("Obsidian has {names}; the sample vault is served");
        Check::warn(what, message, format!("To serve your own, add {flags}."))
    } else {
        Check::ok(what, format!("Obsidian also has {names}; to serve them, too, add {flags}"))
    })
}

fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The flag that serves a vault under the name of its folder, as a word of a shell.
fn flag(folder: &Path) -> String {
    let value = format!("{}={}", name(folder), folder.display());
    format!("--vault '{}'", value.replace('\'', r"'\''"))
}
