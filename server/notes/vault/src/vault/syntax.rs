//! What the content of a file must be, by its extension, so that Obsidian can open it after a change.

use serde_json::Value;
use toolwrit_frontmatter as frontmatter;

use crate::error::{Result, VaultError};
use crate::path::VaultPath;

/// Refuses a file that is no Markdown note.
pub(super) fn check_markdown(path: &VaultPath) -> Result<()> {
    if path.is_note() { Ok(()) } else { Err(VaultError::NotMarkdown { path: path.clone() }) }
}

/// Refuses content that is not what the extension of the file says. An empty canvas or base is a new one.
pub(super) fn check_syntax(path: &VaultPath, content: &str) -> Result<()> {
    let malformed =
        |format, reason: String| Err(VaultError::Malformed { path: path.clone(), format, reason });
    let extension = path.extension().map(str::to_ascii_lowercase);
    match extension.as_deref() {
        Some("canvas" | "base") if content.trim().is_empty() => Ok(()),
        Some("canvas") => match serde_json::from_str(content) {
            Ok(Value::Object(_)) => Ok(()),
            Ok(_) => malformed("JSON Canvas", "expected an object with nodes and edges".to_owned()),
            Err(error) => malformed("JSON Canvas", error.to_string()),
        },
        Some("json") => match serde_json::from_str::<Value>(content) {
            Ok(_) => Ok(()),
            Err(error) => malformed("JSON", error.to_string()),
        },
        Some("base") => match frontmatter::parse(content) {
            Ok(_) => Ok(()),
            Err(error) => {
                let reason =
                    format!("line {}, column {}: {}", error.line, error.column, error.reason);
                malformed("a base in YAML", reason)
            }
        },
        _ => Ok(()),
    }
}
