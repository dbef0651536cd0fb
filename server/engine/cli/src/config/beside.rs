//! Paths in the file.

use std::path::{Path, PathBuf};

use toolwrit_core::folders;

/// Resolves a path that is relative to the folder of the configuration file, or begins with `~`.
pub(super) fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or_else(|| Path::new("")).join(folders::expanded(Path::new(path)))
}
