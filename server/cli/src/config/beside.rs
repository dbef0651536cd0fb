//! Paths in the file.

use std::path::{Path, PathBuf};

/// Resolves a path that is relative to the folder of the configuration file.
pub(super) fn beside(file: &Path, path: &str) -> PathBuf {
    file.parent().unwrap_or_else(|| Path::new("")).join(path)
}
