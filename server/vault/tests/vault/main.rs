//! The vault through its public door, on real folders.
#![allow(missing_docs, reason = "a test crate has no public interface")]
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![cfg(unix)]

mod alternatives;
mod bulk;
mod concurrency;
mod document;
mod equal_names;
mod expressions;
mod folding;
mod generated;
mod index;
mod journal;
mod kept;
mod link_rule;
mod links;
mod listing;
mod mounts;
mod moves;
mod notes;
mod obsidian_cache;
mod patching;
mod paths;
mod properties;
mod rewriting;
mod roundtrip;
mod saved;
mod search;
mod silent;
mod trash;
mod trash_system;
mod volumes;
mod workspace;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolwrit_vault::{FileSystem, OpenOptions, Vault, VaultPath};

/// A vault in a folder of its own, with room beside it. Its trash is its own `.trash`.
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

    /// The same vault, as another process has it.
    fn reopen(&self) -> Vault {
        open(&self.file(""))
    }

    /// Where a file of the vault is on disk.
    fn file(&self, path: &str) -> PathBuf {
        self.dir.path().join("vault").join(path)
    }

    /// Where something beside the vault is on disk.
    fn beside(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// Puts a file into the vault behind the engine's back.
    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let file = self.file(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }

    fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.file(path)).unwrap()
    }

    /// Every file of the vault and its trash, but not those of Obsidian and the engine.
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

/// The same, on a file system that is said to be so, or is looked at.
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
