//! What the plugin has saved in `.smart-env/multi`: files of lines `"key": {..},`, to which the plugin appends.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use toolwrit_vault::Vault;

/// The folder, and the ending of its files.
const FOLDER: &str = ".smart-env/multi";
const ENDING: &str = ".ajson";
/// How many files, and how many bytes in all and in one file, are examined.
const FILES: usize = 2000;
const BYTES: usize = 64 << 20;
const FILE_BYTES: u64 = 4 << 20;
/// How many broken lines are reported.
const BROKEN: usize = 20;

/// What is in the folder, as far as it was examined.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SmartEnv {
    /// The models that made its vectors. The server cannot compare a query with them.
    pub models: BTreeSet<String>,
    /// How many files were examined.
    pub files: usize,
    /// How many entries they contain.
    pub entries: usize,
    /// The first lines that cannot be read. They are left out; the rest of their files counts.
    pub broken: Vec<BrokenLine>,
}

/// A line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLine {
    /// The file in the vault.
    pub file: String,
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl SmartEnv {
    /// Examines the folder; `None` if it has no such files.
    pub fn read(vault: &Vault) -> Option<Self> {
        let mut found = Self::default();
        let mut left = BYTES;
        let names = vault.hidden_files(FOLDER, FILES);
        for name in names.iter().filter(|name| name.ends_with(ENDING)) {
            let Some(bytes) = vault.hidden_file(FOLDER, name, FILE_BYTES) else { continue };
            let Some(rest) = left.checked_sub(bytes.len()) else { break };
            left = rest;
            found.examine(name, &String::from_utf8_lossy(&bytes));
        }
        (found.files > 0).then_some(found)
    }

    fn examine(&mut self, name: &str, text: &str) {
        self.files += 1;
        for (at, line) in text.lines().enumerate() {
            let entry = line.trim().trim_end_matches(',');
            if entry.is_empty() {
                continue;
            }
            match serde_json::from_str::<Json>(&format!("{{{entry}}}")) {
                Ok(Json::Object(entries)) => {
                    self.entries += entries.len();
                    let embeddings =
                        entries.values().filter_map(|entry| entry.get("embeddings")?.as_object());
                    self.models.extend(embeddings.flat_map(|models| models.keys().cloned()));
                }
                Err(error) if self.broken.len() < BROKEN => {
                    let file = format!("{FOLDER}/{name}");
                    self.broken.push(BrokenLine { file, line: at + 1, reason: error.to_string() });
                }
                Ok(_) | Err(_) => {}
            }
        }
    }
}
