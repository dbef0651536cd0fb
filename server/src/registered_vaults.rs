//! The vaults that Obsidian knows: the file `obsidian.json` in its configuration folder, `{vaults: {ID: {path, ts, open}}}`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolwrit::{Candidate, Check, folders};

/// The files of Obsidian, of its Flatpak and of its Snap.
const IN_CONFIGURATION: &str = "obsidian/obsidian.json";
const IN_HOME: [&str; 2] = [
    ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
    "snap/obsidian/current/.config/obsidian/obsidian.json",
];
/// Most files that are looked at to count notes.
const MOST_FILES: usize = 200_000;

#[derive(Deserialize)]
struct Registry {
    #[serde(default)]
    vaults: BTreeMap<String, Registered>,
}

#[derive(Deserialize)]
struct Registered {
    path: PathBuf,
    /// Whether Obsidian has it open.
    #[serde(default)]
    open: bool,
    /// When it was last opened, in milliseconds.
    #[serde(default)]
    ts: u64,
}

/// Returns the folders of the vaults that Obsidian lists and that exist: those that are open first, then the last opened. Empty
/// without Obsidian.
pub(crate) fn find() -> Vec<PathBuf> {
    let own = folders::configuration().map(|folder| folder.join(IN_CONFIGURATION));
    let boxed = folders::home().into_iter().flat_map(|home| IN_HOME.map(|path| home.join(path)));
    let texts = own.into_iter().chain(boxed).filter_map(|file| std::fs::read_to_string(file).ok());
    let registries = texts.filter_map(|text| serde_json::from_str::<Registry>(&text).ok());
    let mut vaults: Vec<Registered> =
        registries.flat_map(|registry| registry.vaults.into_values()).collect();
    vaults
        .sort_by(|a, b| (!a.open, Reverse(a.ts), &a.path).cmp(&(!b.open, Reverse(b.ts), &b.path)));
    let mut folders: Vec<PathBuf> = Vec::new();
    for Registered { path, .. } in vaults {
        if path.is_dir() && !folders.contains(&path) {
            folders.push(path);
        }
    }
    folders
}

/// Returns the same vaults, for people.
pub(crate) fn candidates() -> Vec<Candidate> {
    find().into_iter().map(candidate).collect()
}

/// Returns a vault, for people.
pub(crate) fn candidate(path: PathBuf) -> Candidate {
    let detail = match count_notes(&path) {
        1 => "1 note".to_owned(),
        notes => format!("{} notes", grouped(notes)),
    };
    Candidate { title: name(&path), detail, path }
}

/// Counts the Markdown files outside of hidden folders.
fn count_notes(vault: &Path) -> usize {
    let (mut folders, mut notes, mut seen) = (vec![vault.to_owned()], 0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if is_hidden || seen > MOST_FILES {
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) if entry.path().extension().is_some_and(|it| it == "md") => notes += 1,
                _ => {}
            }
        }
    }
    notes
}

/// A number with a comma between thousands.
fn grouped(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
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

pub(crate) fn name(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The flag that serves a vault under the name of its folder, as a word of a shell.
fn flag(folder: &Path) -> String {
    let value = format!("{}={}", name(folder), folder.display());
    format!("--vault '{}'", value.replace('\'', r"'\''"))
}
