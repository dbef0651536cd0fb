//! The vault through its public API, on real folders.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![cfg(unix)]

mod alternatives;
mod bulk;
mod canvases;
mod concurrency;
mod conditions;
mod document;
mod equal_names;
mod expressions;
mod extensions;
mod folding;
mod formats;
mod generated;
mod index;
mod journal;
mod kept;
mod kinds;
mod layout;
mod leases;
mod link_graph;
mod link_rule;
mod links;
mod listing;
mod lists;
mod mounts;
mod moves;
mod notes;
mod obsidian_cache;
mod oversized;
mod patching;
mod paths;
mod private_state;
mod properties;
mod random_moves;
mod random_notes;
mod rewriting;
mod roundtrip;
mod saved;
mod search;
mod silent;
mod surroundings;
mod sync;
mod tagging;
mod transactions;
mod trash;
mod trash_system;
mod undo;
mod unseen_names;
mod unused;
mod volumes;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolwrit_vault::{FileSystem, OpenOptions, Vault, VaultPath};

/// A vault in its own folder, with a folder around it. Its trash is its own `.trash`.
struct Sandbox {
    dir: TempDir,
    vault: Vault,
}

impl Sandbox {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir_all(dir.path().join("vault/.obsidian")).unwrap();
        let vault = open(&dir.path().join("vault"));
        let sandbox = Self { dir, vault };
        sandbox.put(".obsidian/app.json", r#"{"trashOption":"local"}"#);
        sandbox
    }

    /// The same vault as opened by another process.
    fn reopen(&self) -> Vault {
        open(&self.file(""))
    }

    /// The path on disk of a file in the vault.
    fn file(&self, path: &str) -> PathBuf {
        self.dir.path().join("vault").join(path)
    }

    /// The path on disk of a file beside the vault.
    fn beside(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Writes a file into the vault without the engine.
    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.file(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.file(path)).unwrap()
    }

    /// Every file of the vault and its trash, except those of Obsidian and the engine.
    fn files(&self) -> Vec<String> {
        let root = self.beside("vault");
        tree(&root)
            .into_keys()
            .map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned())
            .filter(|path| !path.starts_with(".obsidian") && !path.starts_with(".toolwrit"))
            .collect()
    }
}

/// Opens a vault, with a folder beside it for its journal.
fn open(vault: &Path) -> Vault {
    open_on(vault, None)
}

/// The same, with given or detected properties of the file system.
fn open_on(vault: &Path, file_system: Option<FileSystem>) -> Vault {
    let state = Some(vault.with_file_name("state"));
    Vault::open_with(vault, OpenOptions { state, file_system, ..OpenOptions::default() }).unwrap()
}

fn path(text: &str) -> VaultPath {
    VaultPath::parse(text).unwrap()
}

fn never() -> bool {
    false
}

/// Every file and link below a folder, with its content or target.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_symlink() {
            let target = fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
            found.insert(path, target);
        } else if path.is_dir() {
            found.extend(tree(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}
